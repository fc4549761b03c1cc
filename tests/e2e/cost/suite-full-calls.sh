#!/usr/bin/env bash
# level: full
# Each call of the system fails, with each of four errors: the program ends with an error or all that it writes, no file
# is torn or lost, and nothing unfinished is left.
. "$(dirname "$0")/../../lib.sh"
. "$ROOT/tests/e2e/lib/sh/calls.sh"
calls_sweep fail
finish
