#!/usr/bin/env bash
# The pages of docs/places: their commands print what they show, and the files to copy do what the pages say, with stand-ins of the types of
# Unity, Godot and MAUI.
. "$(dirname "$0")/../../lib.sh"
export SCRATCH ILINJECT
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*} ILINJECT
ILINJECT=$BUILD/ilinject
files=$ROOT/docs/places/examples lib=$ROOT/tests/e2e/lib/cs
if ! has mono || ! has mcs; then
    skip "the pages of docs/places hold" "mono and mcs are not installed"
    finish
fi
for file in "$ROOT"/docs/places/*.md; do
    name=$(basename "$file" .md)
    check "the commands of docs/places/$name.md print what it shows" env ILINJECT="$ILINJECT" "$ROOT/tests/pages" "$file"
    check "docs/places/$name.md has at most 600 words" test "$(wc -w <"$file")" -le 600
done
check "the pages of docs/places are in the index" eval 'for f in "$ROOT"/docs/places/*.md; do f=places/${f##*/}; grep -q -F "]($f)" "$ROOT/docs/README.md" || { echo "$f"; exit 1; }; done'

calls() { # PROFILE FUNCTION CALLS
    "$ILINJECT" report --format=csv "$1" >calls.csv && [ "$(grep -F -e "\"Level.$2\"" calls.csv | sed 's/.*)",[a-z]*,\([0-9]*\),.*/\1/')" = "$3" ] || { cat calls.csv; return 1; }
}

# ---- Unity ------------------------------------------------------------------------------------------------------------

mkdir unity unity/data && cp "$BUILD/ProfileInfoTracker.dll" unity && mcs -nologo -target:library -out:unity/Assembly-CSharp.dll "$ROOT/docs/tasks/examples/Level.cs" &&
    cp unity/Assembly-CSharp.dll unity/Other.dll && cp unity/Assembly-CSharp.dll before.dll || exit 1
compiles() { mcs -nologo -r:unity/ProfileInfoTracker.dll -out:unity/unity.exe "$files/ILInjectBuild.cs" "$files/ProfileKeeper.cs" "$lib/UnityStandIn.cs"; }
check "Unity's files compile" compiles
as_ever() { mono unity/unity.exe build unity && cmp unity/Assembly-CSharp.dll before.dll; }
check "a build is as ever while nobody asks for it" as_ever
hooked() { ILINJECT=$ILINJECT mono unity/unity.exe build unity && cmp unity/Other.dll before.dll && ! cmp -s unity/Assembly-CSharp.dll before.dll && "$ILINJECT" list unity/Assembly-CSharp.dll 2>&1 | grep -q 'instrumenting itself\|already'; }
check "the hook instruments the game's scripts, and nothing else" hooked
failing() { ILINJECT=/nowhere/ilinject mono unity/unity.exe build unity >out.txt 2>&1 && return 1; printf '#!/bin/sh\necho on purpose >&2\nexit 3\n' >broken && chmod +x broken && ! ILINJECT=$PWD/broken mono unity/unity.exe build unity >out.txt 2>&1 && grep -q 'BuildFailedException: ilinject: on purpose' out.txt; }
check "a build in which it fails, fails with its message" failing
kept() { (cd unity && mono unity.exe play data >../out.txt) && calls unity/data/Orchard.ilprof 'Update(int)' 60 && [ "$(grep -c '^profile: data/Orchard.ilprof$' out.txt)" -eq 2 ]; }
check "the component writes the profile on pause and at the end, and says where" kept
if has xmllint; then
    check "link.xml is XML that keeps the tracker" eval '[ "$(xmllint --nonet --xpath "string(/linker/assembly/@fullname)" "$files/link.xml")" = ProfileInfoTracker ]'
else
    skip "link.xml is XML that keeps the tracker" "xmllint is not installed"
fi

# ---- Godot, MAUI ------------------------------------------------------------------------------------------------------

# The game, its component and the stand-in are one assembly, which is instrumented.
keeps() { # NAME COMPONENT PROFILE
    mkdir -p "$1/plain" "$1/user" && cp "$BUILD/ProfileInfoTracker.dll" "$1/plain" &&
        mcs -nologo -r:"$1/plain/ProfileInfoTracker.dll" -out:"$1/plain/game.exe" "$files/$2" "$lib/$1StandIn.cs" "$ROOT/docs/tasks/examples/Level.cs" &&
        "$ILINJECT" "$1/plain/game.exe" -o "$1/out/" --quiet && (cd "$1" && USER_DATA=user mono out/game.exe) && calls "$1/user/$3" 'Update(int)' 1
}
check "Godot's component writes the profile when the game is closed" keeps Godot GodotKeeper.cs game.ilprof
check "MAUI's window writes the profile when the app goes into the background" keeps Maui MauiWindow.cs app.ilprof
finish
