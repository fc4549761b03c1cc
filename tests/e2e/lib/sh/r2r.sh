# tests/e2e/lib/sh/r2r.sh - ReadyToRun images, as .NET itself is made of: each becomes an IL-only image that does the same. Sourced
# with `extent` set to sample or all by the suites.
. "$(dirname "${BASH_SOURCE[0]}")/../../../lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/ladder.sh"
LIMIT=240
walker=$SCRATCH/walker.dll

if ! can dotnet || ! "$ROOT/tests/dotnet-csc" "$walker" -unsafe -optimize "$ROOT"/tests/foreign/walker/*.cs; then
    skip "ReadyToRun images run instrumented" "no .NET SDK"
    finish
fi
# "Microsoft.NETCore.App 10.0.12 [/usr/share/dotnet/shared/Microsoft.NETCore.App]"
read -r version shared < <(dotnet --list-runtimes | sed -n 's/^Microsoft\.NETCore\.App \([^ ]*\) \[\(.*\)\]$/\1 \2/p' | tail -n 1)
root=$(dirname "$(dirname "$shared")")
framework=$shared/$version
sdk=$(dotnet --list-sdks | sed -n 's/^\([^ ]*\) \[\(.*\)\]$/\2\/\1/p' | tail -n 1)
roslyn=$sdk/Roslyn/bincore

# ---- Each image by itself -------------------------------------------------------------------------------------------

dotnet "$walker" precompiled "$root/shared" "$sdk" >"$SCRATCH/all-images"
case $extent in
all) cp "$SCRATCH/all-images" "$SCRATCH/images" ;;
sample)
    printf "$framework/%s.dll\n" System.Private.CoreLib System.Text.Json System.Collections System.Linq System.Private.Xml \
        System.Security.AccessControl Microsoft.CSharp >"$SCRATCH/images"
    printf '%s\n' "$roslyn/csc.dll" "$roslyn/Microsoft.CodeAnalysis.dll" "$sdk/FSharp/FSharp.Core.dll" "$sdk/MSBuild.dll" |
        grep -x -F -f "$SCRATCH/all-images" >>"$SCRATCH/images"
    ;;
esac
count=$(wc -l <"$SCRATCH/images")

n=0
while IFS= read -r image; do
    n=$((n + 1))
    "$ILINJECT" "$image" -o "$SCRATCH/out/$n/" >>"$SCRATCH/told" 2>&1 || echo "FAULT $image" >>"$SCRATCH/told"
    printf '%s\t%s\n' "$image" "$SCRATCH/out/$n/$(basename "$image")"
done <"$SCRATCH/images" >"$SCRATCH/pairs"
all_instrumented() {
    ! grep -F -e FAULT -e ' error ' "$SCRATCH/told" || return 1
    local lines copied
    lines=$(grep -c 'info ILJ0110: ' "$SCRATCH/told")
    copied=$(grep -c 'copied unchanged (nothing to instrument)' "$SCRATCH/told")
    [ $((lines + copied)) -eq "$count" ] || { echo "$lines lines and $copied copies for $count images"; return 1; }
}
check "each of $count ReadyToRun images is instrumented, in one line about its native code" all_instrumented
check "System.Reflection.Metadata finds only planned differences in $count outputs" dotnet "$walker" compare -n 3 --list "$SCRATCH/pairs"
# An image of hardly more than declarations has little native code to lose; all others shrink by
# more than injecting adds.
smaller() {
    while IFS=$'\t' read -r before after; do
        cmp -s "$before" "$after" || echo "$(stat -c %s "$before") $(stat -c %s "$after") $before"
    done <"$SCRATCH/pairs" | awk '
        { before += $1; after += $2; if ($2 >= $1) { larger++; if ($1 >= 65536) { bad = 1; print } } }
        END { print NR " images, " before " bytes became " after ", " larger + 0 " grew"; exit bad || after >= before * 0.6 }'
}
check "the outputs are smaller than the inputs" smaller
smaller
core_alone() { [ "$(grep -c 'warning ILJ0407' "$SCRATCH/told")" -eq 1 ] && ! grep ' warning ' "$SCRATCH/told" | grep -v ILJ0407; }
check "only the core library is warned of" core_alone

# CoreCLR compiles the methods of the output that it compiles from the IL of the original.
prepares() { # IMAGE…
    local image before after dll
    for image in "$@"; do
        after=$(awk -F '\t' -v image="$image" '$1 == image { print $2 }' "$SCRATCH/pairs")
        [ -n "$after" ] || { echo "no output of $image"; return 1; }
        # The same neighbours, so that the same references are found.
        for dll in "$(dirname "$image")"/*.dll; do
            [ -e "$(dirname "$after")/$(basename "$dll")" ] || ln -s "$dll" "$(dirname "$after")/"
        done
        DOTNET_ReadyToRun=0 dotnet "$walker" prepare "$image" >"$SCRATCH/prepare-before" 2>&1
        dotnet "$walker" prepare "$after" >"$SCRATCH/prepare-after" 2>&1
        tail -n 1 "$SCRATCH/prepare-after" | grep -q '^[0-9]* prepared, .* faults$' || { echo "$image"; tail -n 3 "$SCRATCH/prepare-after"; return 1; }
        new_lines <(grep -v ' prepared, ' "$SCRATCH/prepare-before") <(grep -v ' prepared, ' "$SCRATCH/prepare-after") || return 1
        before=$(awk 'END { print $1 }' "$SCRATCH/prepare-before")
        [ "$(awk 'END { print $1 }' "$SCRATCH/prepare-after")" -ge "$before" ] || { echo "$image: fewer methods compile than $before"; return 1; }
    done
}
case $extent in
sample) compiled=("$framework/System.Text.Json.dll" "$framework/System.Linq.dll" "$framework/System.Collections.dll") ;;
all) mapfile -t compiled < <(grep -e "^$framework/" -e "^$roslyn/" "$SCRATCH/images" | grep -v 'System.Private.CoreLib.dll$') ;;
esac
check "CoreCLR compiles every method of ${#compiled[@]} images as before" prepares "${compiled[@]}"

# ---- The headers ----------------------------------------------------------------------------------------------------

small=$framework/System.Collections.dll
cp "$small" "$SCRATCH/small.dll"
mkdir "$SCRATCH/again" "$SCRATCH/once"
same_bytes() { "$ILINJECT" -q "$SCRATCH/small.dll" -o "$SCRATCH/again/elsewhere.dll" && "$ILINJECT" -q "$small" -o "$SCRATCH/once/elsewhere.dll" && cmp "$SCRATCH/again/elsewhere.dll" "$SCRATCH/once/elsewhere.dll"; }
check "the same image gives the same bytes" same_bytes
twice() { "$ILINJECT" "$SCRATCH/once/elsewhere.dll" -o "$SCRATCH/twice.dll" 2>&1 | grep -q ILJ0400 && cmp "$SCRATCH/once/elsewhere.dll" "$SCRATCH/twice.dll"; }
check "what came of a ReadyToRun image is known as instrumented" twice
# The header of the names resource: magic, version 2, and flag 1 for what had been compiled ahead; 16: the informational
# version stands there (docs/profile-format.md).
says_ahead() {
    "$ILINJECT" -q "$walker" -o "$SCRATCH/once/walker.dll" &&
        LC_ALL=C grep -q -a -P 'ILJN\x02\x00[\x01\x11]\x00' "$SCRATCH/once/elsewhere.dll" &&
        LC_ALL=C grep -q -a -P 'ILJN\x02\x00[\x00\x10]\x00' "$SCRATCH/once/walker.dll"
}
check "its names say that it had been compiled ahead, those of plain IL do not" says_ahead

# variant FLAGS: a copy with other flags in its ReadyToRun header
variant() { dotnet "$walker" rtr-flags "$SCRATCH/small.dll" "$SCRATCH/variant/System.Collections.dll" "$1"; }
mkdir -p "$SCRATCH/variant/out"
of_one_processor() {
    variant 0x2 && "$ILINJECT" "$SCRATCH/variant/System.Collections.dll" -o "$SCRATCH/variant/out/" &&
        dotnet "$walker" compare "$SCRATCH/variant/System.Collections.dll" "$SCRATCH/variant/out/System.Collections.dll" &&
        "$ILINJECT" dump "$SCRATCH/variant/out/System.Collections.dll" >"$SCRATCH/variant/dump" &&
        grep -q '^  Machine 0x8664$' "$SCRATCH/variant/dump" && grep -q '^optional header.*PE32+$' "$SCRATCH/variant/dump" &&
        dotnet "$walker" prepare "$SCRATCH/variant/out/System.Collections.dll"
}
case $(dotnet --info | sed -n 's/^ *RID: *//p') in
*-x64) check "an image of one processor's own stays one, and CoreCLR compiles it" of_one_processor ;;
*) skip "an image of one processor's own stays one, and CoreCLR compiles it" "not on x64" ;;
esac
mvid() { "$ILINJECT" dump "$1" | sed -n '/^table Module /,/^table /s/.*Mvid=\([^ ]*\).*/\1/p'; }
component() {
    variant 0x21 && "$ILINJECT" "$SCRATCH/variant/System.Collections.dll" -o "$SCRATCH/variant/out/" >"$SCRATCH/variant/told" 2>&1 &&
        grep -q 'ILJ0110.*composite' "$SCRATCH/variant/told" && [ -n "$(mvid "$small")" ] &&
        [ "$(mvid "$small")" = "$(mvid "$SCRATCH/variant/out/System.Collections.dll")" ] &&
        [ "$(mvid "$small")" != "$(mvid "$SCRATCH/once/elsewhere.dll")" ]
}
check "a component of a composite image keeps the MVID that the composite knows" component

# ---- Programs over instrumented framework libraries -----------------------------------------------------------------

# A .NET of its own, so that nothing outside is changed. IMAGES… are instrumented there, in place.
private=$SCRATCH/dotnet
mkdir -p "$private/shared/Microsoft.NETCore.App"
cp "$(realpath "$(command -v dotnet)")" "$private/dotnet"
cp -r "$root/host" "$private/"
cp -r "$framework" "$private/shared/Microsoft.NETCore.App/"
within=$private/shared/Microsoft.NETCore.App/$version
case $extent in
sample) libraries=(System.Text.Json System.Collections System.Linq System.Text.Encodings.Web System.Memory) ;;
all) mapfile -t libraries < <(sed -n "s,^$framework/\(.*\)\.dll$,\1,p" "$SCRATCH/images" | grep -v -x System.Private.CoreLib) ;;
esac
in_place() {
    local library
    for library in "${libraries[@]}"; do
        "$ILINJECT" -q --in-place "$within/$library.dll" || return 1
    done
}
check "${#libraries[@]} libraries of a private .NET are instrumented in place" in_place

# agrees PROFILE MINIMUM: enters = leaves + resynchronised + open, and it saw at least that many calls
agrees() {
    profile_agrees "$1" >"$SCRATCH/totals" || { cat "$SCRATCH/totals"; return 1; }
    cat "$SCRATCH/totals"
    [ "$(awk '/^enters/ { print $2 }' "$SCRATCH/totals")" -ge "$2" ]
}
calls_into() { # PROFILE TYPE
    "$ILINJECT" report --format=json -o "$1.json" "$1" && grep -q "\"$2" "$1.json" || { echo "no call of $2"; return 1; }
}
mkdir -p "$SCRATCH/work"
"$ROOT/tests/dotnet-csc" "$SCRATCH/work/TextJsonWork.dll" "$ROOT/fixtures/net/TextJsonWork.cs" || exit 1
run_program json dotnet "$SCRATCH/work/TextJsonWork.dll"
mkdir -p "$SCRATCH/work/after"
cp "$SCRATCH/work/TextJsonWork.runtimeconfig.json" "$SCRATCH/work/after/"
check "a program over them is instrumented" "$ILINJECT" "$SCRATCH/work/TextJsonWork.dll" -o "$SCRATCH/work/after/"
work_privately() {
    ILINJECT_OUT=$SCRATCH/said/json-after.dotnet.ilprof timeout 120 "$private/dotnet" "$SCRATCH/work/after/TextJsonWork.dll" \
        >"$SCRATCH/said/json-after.dotnet.out" 2>"$SCRATCH/said/json-after.dotnet.err"
    echo $? >"$SCRATCH/said/json-after.dotnet.code"
    same_run json json-after dotnet
}
check "a program over instrumented framework libraries prints what it printed" work_privately
profile=$SCRATCH/said/json-after.dotnet.ilprof
check "its profile agrees with itself" agrees "$profile" 20000
[ ! -f "$SCRATCH/totals" ] || sed 's/^/System.Text.Json at work: /' "$SCRATCH/totals"
check "its profile has the framework's methods" calls_into "$profile" System.Text.Json.Utf8JsonWriter

if [ "$extent" = all ] && [ -f "$roslyn/csc.dll" ]; then
    mkdir -p "$SCRATCH/csc/before" "$SCRATCH/csc/after"
    for name in csc Microsoft.CodeAnalysis Microsoft.CodeAnalysis.CSharp; do
        cp "$roslyn/$name".* "$SCRATCH/csc/after/"
        check "Roslyn's $name.dll is instrumented" "$ILINJECT" --in-place "$SCRATCH/csc/after/$name.dll"
    done
    printf 'class P { static void Main() { System.Console.WriteLine("hello"); } }\n' >"$SCRATCH/csc/hello.cs"
    references=()
    for dll in "$root"/packs/Microsoft.NETCore.App.Ref/*/ref/*/*.dll; do references+=("-r:$dll"); done
    csc() { # DOTNET FOLDER-OF-CSC OUTPUT
        timeout "$LIMIT" "$1" "$2/csc.dll" -nologo -deterministic+ -pathmap:"$SCRATCH=/" "${references[@]}" -out:"$3/hello.dll" "$SCRATCH/csc/hello.cs"
    }
    same_compilation() { # DOTNET MINIMUM
        rm -rf "$SCRATCH/csc/now" "$SCRATCH/said/csc.ilprof"
        mkdir -p "$SCRATCH/csc/now"
        ILINJECT_OUT=$SCRATCH/said/csc.ilprof csc "$1" "$SCRATCH/csc/after" "$SCRATCH/csc/now" &&
            cmp "$SCRATCH/csc/before/hello.dll" "$SCRATCH/csc/now/hello.dll" && agrees "$SCRATCH/said/csc.ilprof" "$2"
    }
    check "the SDK's Roslyn compiles hello world" csc dotnet "$roslyn" "$SCRATCH/csc/before"
    check "instrumented Roslyn compiles it to the same bytes" same_compilation dotnet 1000000
    [ ! -f "$SCRATCH/totals" ] || sed 's/^/Roslyn: /' "$SCRATCH/totals"
    check "instrumented Roslyn over the instrumented framework compiles it to the same bytes" same_compilation "$private/dotnet" 5000000
    [ ! -f "$SCRATCH/totals" ] || sed 's/^/Roslyn and framework: /' "$SCRATCH/totals"
fi
# ---- A composite image: the native code of two assemblies in a third file -------------------------------------------

composite() { # PACKAGES
    local folder=$SCRATCH/composite crossgen name
    crossgen=$(find "$1/microsoft.netcore.app.crossgen2.linux-x64" -name crossgen2 -type f | head -n 1)
    mkdir -p "$folder/il" "$folder/before" "$folder/after" && chmod +x "$crossgen" || return 1
    echo 'public static class Lib { public static int Twice(int x) { return x + x; } }' >"$folder/lib.cs"
    echo 'class App { static void Main() { for (int i = 0; i < 5; i++) System.Console.Write(Lib.Twice(i) + " "); } }' >"$folder/app.cs"
    "$ROOT/tests/dotnet-csc" "$folder/il/lib.dll" -target:library -optimize "$folder/lib.cs" &&
        "$ROOT/tests/dotnet-csc" "$folder/il/app.dll" -optimize -r:"$folder/il/lib.dll" "$folder/app.cs" &&
        "$crossgen" "$folder/il/app.dll" "$folder/il/lib.dll" --composite --inputbubble -o "$folder/before/all.r2r.dll" -r "$framework/*.dll" \
            --targetos linux --targetarch x64 >"$folder/log" || return 1
    cp "$folder/il/app.runtimeconfig.json" "$folder/before/" && cp "$folder/before"/* "$folder/after/"
    for name in app lib; do
        "$ILINJECT" "$folder/before/$name.dll" -o "$folder/after/$name.dll" 2>&1 | grep 'ILJ0110.*composite' || return 1
    done
    dotnet exec "$folder/before/app.dll" >"$folder/before.out" &&
        ILINJECT_OUT=$folder/app.ilprof dotnet exec "$folder/after/app.dll" >"$folder/after.out" &&
        diff "$folder/before.out" "$folder/after.out" || return 1
    printf '1 App::Main*\n5 Lib::Twice*\n' >"$folder/expected"
    profile_agrees "$folder/app.ilprof" "$folder/expected"
}
if [ "$extent" = all ]; then
    if ! packages=$("$ROOT/tests/nuget-fetch" Microsoft.NETCore.App.Crossgen2.linux-x64/10.0.12); then
        skip "components of a composite image run instrumented beside it" "$packages"
    elif [ "$(uname -m)" != x86_64 ]; then
        skip "components of a composite image run instrumented beside it" "not on x64"
    else
        check "components of a composite image run instrumented beside it" composite "$packages"
    fi
fi
finish
