#!/usr/bin/env bash
# Symbols stay in step: an instrumented program's stack traces name the files and lines that the original's name, and a foreign
# reader finds every sequence point, scope and async step at its instruction.
. "$(dirname "$0")/../../lib.sh"
. "$ROOT/tests/e2e/lib/sh/ladder.sh"
program=$ROOT/fixtures/cs/Symbols.cs
walker=$SCRATCH/walker.dll

fails() { ! "$@"; }
# Runs both and compares what they print: the lines of 11 exceptions' frames.
same_lines() { # RUNTIME FLAGS BEFORE AFTER
    (cd "$(dirname "$3")" && $1 $2 "$(basename "$3")" >"$SCRATCH/lines-before" 2>/dev/null)
    (cd "$(dirname "$4")" && $1 $2 "$(basename "$4")" >"$SCRATCH/lines-after" 2>/dev/null)
    [ "$(grep -c 'Symbols.cs:[1-9]' "$SCRATCH/lines-before")" -ge 20 ] || { echo "the original has no lines"; return 1; }
    diff "$SCRATCH/lines-before" "$SCRATCH/lines-after"
}
# The same on Mono, which takes what follows a throw in the machine code for its place, and where it throws is followed by other code in
# a guarded body: a line may be the throw's own instead.
same_lines_but_throws() { # FLAGS BEFORE AFTER
    local number
    if same_lines mono "$1" "$2" "$3" >"$SCRATCH/differ"; then return; fi
    [ "$(wc -l <"$SCRATCH/lines-before")" = "$(wc -l <"$SCRATCH/lines-after")" ] || { cat "$SCRATCH/differ"; return 1; }
    for number in $(sed -n 's/^>.*Symbols.cs:\([0-9]*\)$/\1/p' "$SCRATCH/differ"); do
        sed -n "${number}p" "$program" | grep -q 'throw ' || { cat "$SCRATCH/differ"; return 1; }
    done
}
# The program runs as the last original did, and no frame has a line: no PDB that lies about is taken for its own. (Mono says so of
# an .mdb.)
no_lines() { # RUNTIME FLAGS AFTER
    (cd "$(dirname "$3")" && $1 $2 "$(basename "$3")" >"$SCRATCH/lines-after" 2>/dev/null)
    ! grep 'Symbols.cs:[1-9]' "$SCRATCH/lines-after" && diff <(grep -v '^ ' "$SCRATCH/lines-before") <(grep -v -e '^ ' -e "^Symbol file .* doesn't match" "$SCRATCH/lines-after")
}
instrument() { "$ILINJECT" "$@" >"$SCRATCH/messages" 2>&1; }
said() { grep -q "$1" "$SCRATCH/messages" || { cat "$SCRATCH/messages"; return 1; }; }
quiet() { ! grep -q -E 'warning|error' "$SCRATCH/messages" || { cat "$SCRATCH/messages"; return 1; }; }

# ---- CoreCLR ---------------------------------------------------------------------------------------------------------

mkdir -p "$SCRATCH"/{portable,embedded,optimized}{,.out}
"$ROOT/tests/dotnet-csc" "$walker" -unsafe -optimize "$ROOT"/tests/foreign/walker/*.cs
case $? in
0)
    for kind in portable embedded optimized; do
        options=(-debug:$kind)
        if [ $kind = optimized ]; then options=(-debug:portable -optimize); fi
        file=$SCRATCH/$kind/Symbols.dll
        "$ROOT/tests/dotnet-csc" "$file" "${options[@]}" "$program" || exit 1
        check "$kind: is instrumented" instrument "$file" -o "$SCRATCH/$kind.out/"
        check "$kind: without a warning" quiet
        check "$kind: the traces on CoreCLR name the same lines" same_lines dotnet "" "$file" "$SCRATCH/$kind.out/Symbols.dll"
        check "$kind: points, scopes, steps, id and checksum are right" dotnet "$walker" compare "$file" "$SCRATCH/$kind.out/Symbols.dll"
        # foreign/walker sees it in PDBs of each kind.
        if [ "$FULL" ] || [ $kind = portable ]; then check "$kind: each kind of damage is seen" dotnet "$walker" prove "$file" "$SCRATCH/$kind.out/Symbols.dll"; fi
    done
    check "an embedded PDB stays embedded" test ! -e "$SCRATCH/embedded.out/Symbols.pdb"

    original=$SCRATCH/portable/Symbols.dll
    mkdir -p "$SCRATCH"/{again/deeper,renamed,inplace,stale,broken,windows,none,dry,copied}
    instrument "$original" -o "$SCRATCH/again/deeper/"
    check "the same input gives the same PDB" cmp "$SCRATCH/portable.out/Symbols.pdb" "$SCRATCH/again/deeper/Symbols.pdb"
    check "the same input gives the same assembly" cmp "$SCRATCH/portable.out/Symbols.dll" "$SCRATCH/again/deeper/Symbols.dll"

    instrument "$original" -o "$SCRATCH/renamed/Renamed.dll"
    runtimeconfig "$SCRATCH/renamed/Renamed.dll"
    check "a renamed output's PDB has its name" test -s "$SCRATCH/renamed/Renamed.pdb"
    check "and is found by it" same_lines dotnet "" "$original" "$SCRATCH/renamed/Renamed.dll"

    cp "$SCRATCH"/portable/Symbols.* "$SCRATCH/inplace/"
    instrument "$SCRATCH/inplace/Symbols.dll" --in-place
    check "in place, the PDB is replaced too" cmp "$SCRATCH/portable.out/Symbols.pdb" "$SCRATCH/inplace/Symbols.pdb"
    instrument "$SCRATCH/inplace/Symbols.dll" -o "$SCRATCH/copied/"
    check "what is copied through takes its PDB along" cmp "$SCRATCH/inplace/Symbols.pdb" "$SCRATCH/copied/Symbols.pdb"
    instrument "$original" -o "$SCRATCH/dry/" --dry-run
    check "a dry run writes no PDB" test ! -e "$SCRATCH/dry/Symbols.pdb"
    instrument "$SCRATCH/inplace/Symbols.dll" --in-place --force
    check "instrumented twice, the lines stay" same_lines dotnet "" "$original" "$SCRATCH/inplace/Symbols.dll"

    # goes_without NAME CODE: it is instrumented all the same, with the warning, without a PDB, and does its work.
    goes_without() {
        check "a $1 PDB: the output goes on without" instrument "$SCRATCH/$1/Symbols.dll" -o "$SCRATCH/$1/out/"
        check "a $1 PDB: says so" said "$2"
        check "a $1 PDB: there is none beside the output" test ! -e "$SCRATCH/$1/out/Symbols.pdb"
        (cd "$SCRATCH/$1/out" && ILINJECT_OUT="$SCRATCH/$1.ilprof" dotnet Symbols.dll >"$SCRATCH/$1.printed" 2>/dev/null)
        check "a $1 PDB: the program runs as before" diff <(grep -v : "$SCRATCH/lines-before") <(grep -v : "$SCRATCH/$1.printed")
    }
    for name in stale broken windows none; do cp "$SCRATCH"/portable/Symbols.{dll,runtimeconfig.json} "$SCRATCH/$name/"; done
    cp "$SCRATCH/optimized/Symbols.pdb" "$SCRATCH/stale/"
    goes_without stale 'warning ILJ0411'
    head -c 3000 "$SCRATCH/portable/Symbols.pdb" >"$SCRATCH/broken/Symbols.pdb"
    goes_without broken 'warning ILJ0420'
    printf 'Microsoft C/C++ MSF 7.00\r\n\x1aDS\0\0\0' >"$SCRATCH/windows/Symbols.pdb"
    goes_without windows 'warning ILJ0421.*portable'
    instrument "$SCRATCH/none/Symbols.dll" -o "$SCRATCH/none/out/"
    check "without a PDB there is nothing to say" quiet
    for name in stale broken windows none; do
        cp "$original" "$SCRATCH/$name/original.dll" && cp "$SCRATCH/portable/Symbols.pdb" "$SCRATCH/$name/out/" || exit 1
        check "a $name PDB: the original's does not pass for the output's" no_lines dotnet "" "$SCRATCH/$name/out/Symbols.dll"
        check "a $name PDB: nothing else has changed" dotnet "$walker" compare "$SCRATCH/$name/original.dll" "$SCRATCH/$name/out/Symbols.dll"
    done
    mkdir -p "$SCRATCH/leftover" && cp "$SCRATCH"/portable/Symbols.{dll,pdb,runtimeconfig.json} "$SCRATCH/leftover/" || exit 1
    instrument "$SCRATCH/leftover/Symbols.dll" -o "$SCRATCH/leftover/out/"
    check "a PDB of an earlier run is there" same_lines dotnet "" "$original" "$SCRATCH/leftover/out/Symbols.dll"
    rm "$SCRATCH/leftover/Symbols.pdb"
    instrument "$SCRATCH/leftover/Symbols.dll" -o "$SCRATCH/leftover/out/"
    check "it does not pass for the next run's" no_lines dotnet "" "$SCRATCH/leftover/out/Symbols.dll"

    # An embedded PDB is not asked for its id: one of another build may not stay.
    mkdir -p "$SCRATCH/foreign" && cp "$SCRATCH"/embedded/Symbols.runtimeconfig.json "$SCRATCH/foreign/" || exit 1
    place=$(LC_ALL=C grep -obUa RSDS "$SCRATCH/embedded/Symbols.dll" | cut -d: -f1)
    cp "$SCRATCH/embedded/Symbols.dll" "$SCRATCH/foreign/" && printf 'another' | dd of="$SCRATCH/foreign/Symbols.dll" bs=1 seek=$((place + 4)) conv=notrunc status=none
    check "an embedded PDB of another build is read all the same" same_lines dotnet "" "$SCRATCH/embedded/Symbols.dll" "$SCRATCH/foreign/Symbols.dll"
    instrument "$SCRATCH/foreign/Symbols.dll" -o "$SCRATCH/foreign/out/"
    check "it is told" said 'warning ILJ0411'
    check "it does not pass for the output's" no_lines dotnet "" "$SCRATCH/foreign/out/Symbols.dll"

    # Precompiled, with the PDB of the IL it was made from, beside it or embedded.
    read -r version shared < <(dotnet --list-runtimes | sed -n 's/^Microsoft\.NETCore\.App \([^ ]*\) \[\(.*\)\]$/\1 \2/p' | tail -n 1)
    if packages=$("$ROOT/tests/nuget-fetch" "Microsoft.NETCore.App.Crossgen2.linux-x64/$version") && [ "$(uname -m)" = x86_64 ]; then
        crossgen=$packages/microsoft.netcore.app.crossgen2.linux-x64/$version/tools/crossgen2
        chmod +x "$crossgen"
        for kind in portable embedded; do
            file=$SCRATCH/precompiled.$kind/Symbols.dll
            mkdir "$SCRATCH/precompiled.$kind" && cp "$SCRATCH/$kind"/Symbols.* "$SCRATCH/precompiled.$kind/" || exit 1
            check "precompiled, $kind: crossgen2 makes it" "$crossgen" "$SCRATCH/$kind/Symbols.dll" -o "$file" -r "$shared/$version/" --targetos linux --targetarch x64
            check "precompiled, $kind: is instrumented" instrument "$file" -o "$SCRATCH/precompiled.$kind/out/"
            check "precompiled, $kind: without a warning, as IL" eval 'quiet && said ILJ0110'
            check "precompiled, $kind: the traces on CoreCLR name the same lines" same_lines dotnet "" "$file" "$SCRATCH/precompiled.$kind/out/Symbols.dll"
            check "precompiled, $kind: points, scopes, steps, id and checksum are right" dotnet "$walker" compare "$file" "$SCRATCH/precompiled.$kind/out/Symbols.dll"
        done
    else
        skip "precompiled: the traces on CoreCLR name the same lines" "$packages"
    fi

    # Builds of others: packages with a PDB beside the assembly (Cecil) or in it (Dapper,
    # Spectre.Console).
    if packages=$("$ROOT/tests/nuget-fetch" Mono.Cecil/0.11.6 Dapper/2.0.123 Spectre.Console/0.47.0); then
        pairs=0
        while IFS= read -r dll; do
            pairs=$((pairs + 1))
            "$ILINJECT" "$dll" -o "$SCRATCH/nuget/$pairs/" >>"$SCRATCH/nuget.said" 2>&1
            printf '%s\t%s\n' "$dll" "$SCRATCH/nuget/$pairs/$(basename "$dll")"
        done < <(find "$packages"/{mono.cecil/0.11.6,dapper,spectre.console} -name '*.dll' | sort) >"$SCRATCH/nuget.pairs"
        check "PDBs of packages are rewritten without a warning" fails grep warning "$SCRATCH/nuget.said"
        dotnet "$walker" compare --list "$SCRATCH/nuget.pairs" >"$SCRATCH/nuget.compared"
        check "PDBs of packages are right" grep ' pairs, 0 differ;' "$SCRATCH/nuget.compared"
        pdbs=$(sed -n 's/.*; \([0-9]*\) PDBs.*/\1/p' "$SCRATCH/nuget.compared")
        check "10 PDBs of packages went along, or more: $pdbs" test "$pdbs" -ge 10
    else
        skip "PDBs of packages are right" "$packages"
    fi
    ;;
77) skip "the traces on CoreCLR name the same lines" "no .NET SDK" ;;
*) exit 1 ;;
esac

# ---- Mono ------------------------------------------------------------------------------------------------------------

if has mcs && has mono; then
    mkdir -p "$SCRATCH"/{mdb,mdb.out,mdb.kept,mdb.stale,mono.portable,mono.portable.out}
    file=$SCRATCH/mdb/Symbols.exe
    mcs -nologo -debug -out:"$file" "$program" || exit 1
    check "mdb: is instrumented" instrument "$file" -o "$SCRATCH/mdb.out/"
    check "mdb: without a warning" quiet
    check "mdb: the traces on Mono name the same lines, or the throws' own" same_lines_but_throws --debug "$file" "$SCRATCH/mdb.out/Symbols.exe"
    mkdir -p "$SCRATCH/mdb.ret"
    instrument "$file" -o "$SCRATCH/mdb.ret/" --exits=ret
    check "mdb: without guards, the same lines" same_lines mono --debug "$file" "$SCRATCH/mdb.ret/Symbols.exe"
    instrument "$file" -o "$SCRATCH/mdb.kept/" --keep-mvid
    check "mdb: with the old MVID too" same_lines_but_throws --debug "$file" "$SCRATCH/mdb.kept/Symbols.exe"
    mcs -nologo -debug -optimize -out:"$SCRATCH/mdb.stale/Symbols.exe" "$program" || exit 1
    cp "$file.mdb" "$SCRATCH/mdb.stale/"
    check "mdb: one of another build does no harm" instrument "$SCRATCH/mdb.stale/Symbols.exe" -o "$SCRATCH/mdb.stale/out/"
    check "mdb: one of another build is told" said 'warning ILJ0411'
    check "mdb: one of another build does not go along" test ! -e "$SCRATCH/mdb.stale/out/Symbols.exe.mdb"

    # With the old MVID, a file of an earlier run would pass for the new one's.
    mkdir -p "$SCRATCH/mdb.left" && cp "$file"* "$SCRATCH/mdb.left/" || exit 1
    instrument "$SCRATCH/mdb.left/Symbols.exe" -o "$SCRATCH/mdb.left/out/" --keep-mvid
    rm "$SCRATCH/mdb.left/Symbols.exe.mdb"
    instrument "$SCRATCH/mdb.left/Symbols.exe" -o "$SCRATCH/mdb.left/out/"
    check "mdb: one of an earlier run with another MVID is nothing to tell" quiet
    check "mdb: it does not pass for the next run's" no_lines mono --debug "$SCRATCH/mdb.left/out/Symbols.exe"
    instrument "$SCRATCH/mdb.left/Symbols.exe" -o "$SCRATCH/mdb.left/out/" --keep-mvid --exclude 'Symbols.Main'
    check "mdb: one of an earlier run with the same MVID is told by name" said "warning ILJ0411: $SCRATCH/mdb.left/out/Symbols.exe.mdb: of an earlier run"

    # Roslyn against Mono's libraries
    profile=$(ls -d "$(dirname "$(command -v mono)")"/../lib/mono/4.5-api 2>/dev/null)
    sdk=$(dotnet --list-sdks 2>/dev/null | sed -n 's/^\([^ ]*\) \[\(.*\)\]$/\2\/\1/p' | tail -n 1)
    file=$SCRATCH/mono.portable/Symbols.exe
    if [ -n "$profile" ] && [ -f "$sdk/Roslyn/bincore/csc.dll" ]; then
        FRAMEWORK="$profile/mscorlib.dll $profile/System.dll $profile/System.Core.dll" compiled csc "$file" -debug:portable "$program" || exit 1
        check "portable: is instrumented for Mono" instrument "$file" -o "$SCRATCH/mono.portable.out/"
        check "portable: the traces on Mono name the same lines, or the throws' own" same_lines_but_throws --debug "$file" "$SCRATCH/mono.portable.out/Symbols.exe"
        mkdir "$SCRATCH/mono.none" && cp "$file" "$SCRATCH/mono.none/" || exit 1
        instrument "$SCRATCH/mono.none/Symbols.exe" -o "$SCRATCH/mono.portable.out/"
        check "portable: a PDB of an earlier run does not pass for the next one's on Mono" no_lines mono --debug "$SCRATCH/mono.portable.out/Symbols.exe"
        cp "${file%.exe}.pdb" "$SCRATCH/mono.portable.out/" || exit 1
        check "portable: the original's does not pass for the output's on Mono" no_lines mono --debug "$SCRATCH/mono.portable.out/Symbols.exe"
    else
        skip "portable: the traces on Mono name the same lines" "no .NET SDK, or no reference assemblies of Mono"
    fi
else
    skip "mdb: the traces on Mono name the same lines" "no mono or mcs"
fi
finish
