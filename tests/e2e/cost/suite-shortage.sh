#!/usr/bin/env bash
# Memory runs out at any allocation of the whole program (a sample; all of them with --full): no run crashes, each says why it failed, and what it
# has written is whole.
. "$(dirname "$0")/../../lib.sh"
. "$ROOT/tests/e2e/lib/sh/shortage.sh"
shortage 11
finish
