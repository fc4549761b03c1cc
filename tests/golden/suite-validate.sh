#!/usr/bin/env bash
# Real producers write much that the standard frowns on; nothing that a runtime ships with may be refused.
. "$(dirname "$0")/../lib.sh"

all_accepted() { # folder
    find -L "$1" \( -name '*.dll' -o -name '*.exe' \) -type f -print0 | xargs -0 "$BUILD/tests/unit/test_validate" >"$SCRATCH/out"
    grep -v ': ILJ0104: ' "$SCRATCH/out"
    # xargs may start it several times: each says how many it took.
    grep -q ' accepted, 0 refused$' "$SCRATCH/out" && ! grep ' refused$' "$SCRATCH/out" | grep -v ', 0 refused$' &&
        ! grep ': ILJ' "$SCRATCH/out" | grep -v ': ILJ0104: '
}

for folder in /usr/lib/mono /usr/share/dotnet; do
    sentence="every managed image under $folder opens and is valid"
    if [ -n "$(find -L "$folder" -name '*.dll' -print -quit 2>/dev/null)" ]; then
        check "$sentence" all_accepted "$folder"
    else
        skip "$sentence" "there is none"
    fi
done
finish
