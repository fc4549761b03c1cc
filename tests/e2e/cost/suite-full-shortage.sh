#!/usr/bin/env bash
# level: full
# Memory runs out at any allocation of the whole program (each of them): no run crashes, each says why it failed, and what it
# has written is whole.
. "$(dirname "$0")/../../lib.sh"
. "$ROOT/tests/e2e/lib/sh/shortage.sh"
shortage 1
finish
