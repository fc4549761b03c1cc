#!/usr/bin/env bash
# level: full
# README's two commands, and CONTRIBUTING.md, on a bare Debian 12.
. "$(dirname "$0")/../../lib.sh"

on_a_bare_machine() { # SENTENCE ARGUMENTS…
    local sentence=$1 status
    shift
    "$ROOT/tests/fresh" "$@" >"$SCRATCH/output" 2>&1
    status=$?
    {
        grep -E '[1-9][0-9]* failed|^    \|' "$SCRATCH/output" # what failed in there
        tail -n 20 "$SCRATCH/output"
    } | sed "s/^/    /"
    if [ "$status" -eq 77 ]; then
        skip "$sentence" "$(tail -n 1 "$SCRATCH/output")"
    else
        check "$sentence" test "$status" -eq 0
    fi
}
on_a_bare_machine "README's two commands work on a bare Debian 12"
on_a_bare_machine "CONTRIBUTING.md works on a bare Debian 12, command by command" --trial
finish
