#!/usr/bin/env bash
# level: full
# The program is killed before each of its calls of the system: no file is torn or lost.
. "$(dirname "$0")/../../lib.sh"
. "$ROOT/tests/e2e/lib/sh/calls.sh"
calls_sweep kill
finish
