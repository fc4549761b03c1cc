#!/usr/bin/env bash
# level: full
# CONTRIBUTING.md, command by command, in a fresh clone of what is committed.
. "$(dirname "$0")/../../lib.sh"
cd "$SCRATCH" || exit 1

if ! is_checkout; then
    skip "a stranger who follows CONTRIBUTING.md adds a diagnostic, a report format and a suite" "the tree is not a git checkout"
elif ! has mcs || ! has mono; then
    skip "a stranger who follows CONTRIBUTING.md adds a diagnostic, a report format and a suite" "Mono is not installed"
else
    chmod 755 "$SCRATCH" # a check asks as another user
    git clone -q "$ROOT" tree || exit 1
    check "a stranger who follows CONTRIBUTING.md adds a diagnostic, a report format and a suite" "$ROOT/tests/trial" "$SCRATCH/tree"
    # The additions are in the tree and in the program.
    check "the row, the writer and the suite are in the tree" \
        eval 'grep -q "^DIAG(449, " tree/ecma335/base/diagnostics.def && grep -q "names" <(tree/build/ilinject report --help=all) && [ -x tree/tests/e2e/report/suite-names.py ]'
    check "the quick check ran the new suite" grep -q '^3 passed, 0 failed, 0 skipped$' tree/build/tests/logs/e2e-names.log
fi
finish
