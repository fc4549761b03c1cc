# tests/e2e/lib/sh/programs.sh - whole programs that others wrote, instrumented whole, have to do what they did. Sourced with `extent`
# set to sample or all by the suites.
. "$(dirname "${BASH_SOURCE[0]}")/../../../lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/ladder.sh"
LIMIT=240

# The same but for the time stamp (4 bytes at the COFF header's 4th) and the MVID (one run of 16).
same_assembly() { # FILE FILE
    [ "$(stat -c %s "$1")" -eq "$(stat -c %s "$2")" ] || { echo "the sizes differ"; return 1; }
    local header
    header=$(od -An -tu4 -j60 -N4 "$1" | tr -d ' ')
    cmp -l "$1" "$2" | awk -v stamp=$((header + 8)) '
        { at = $1 - 1 }
        at >= stamp && at < stamp + 4 { next }
        !mvid { mvid = at }
        at >= mvid + 16 { print "byte " at " differs"; bad = 1 }
        END { exit bad }'
}
# The profile's totals agree, and it saw at least that many calls.
busy_profile() { # PROFILE MINIMUM
    profile_agrees "$1" >"$SCRATCH/totals" || { cat "$SCRATCH/totals"; return 1; }
    cat "$SCRATCH/totals"
    [ "$(awk '/^enters/ { print $2 }' "$SCRATCH/totals")" -ge "$2" ]
}
# runs_as_before NAME RUNTIME FOLDER-BEFORE FOLDER-AFTER PROGRAM MINIMUM-CALLS ARGS…
runs_as_before() {
    local name=$1 runtime=$2 before=$3 after=$4 program=$5 minimum=$6
    shift 6
    run_program "$name" "$runtime" "$before/$program" "$@"
    run_program "$name-after" "$runtime" "$after/$program" "$@"
    check "$name does its work instrumented" same_run "$name" "$name-after" "$runtime"
    check "the profile of $name agrees with itself" busy_profile "$SCRATCH/said/$name-after.$runtime.ilprof" "$minimum"
    [ ! -f "$SCRATCH/totals" ] || sed "s/^/$name: /" "$SCRATCH/totals"
}

# ---- Mono's C# compiler, a program of 10,353 methods, instrumented whole ----

source_of() { # CLASSES: 20 lines each
    awk -v n="$1" 'BEGIN {
        print "using System; using System.Linq; using System.Collections.Generic;"
        for (i = 0; i < n; i++) {
            print "class C" i "<T> where T : IComparable<T>\n{\n    readonly List<T> list = new List<T> ();\n    public event Action<T> Added;"
            print "    public int Count { get { return list.Count; } }\n    public void Add (T t)\n    {\n        list.Add (t);"
            print "        if (Added != null) Added (t);\n    }\n    public IEnumerable<T> Sorted ()\n    {\n        foreach (var t in list.OrderBy (x => x))"
            print "            yield return t;\n    }\n    public string Text (int i)\n    {\n        switch (i) { case 0: return \"a\"; case " i + 1 ": return \"b\" + Count; default: try { return list [i].ToString (); } finally { i++; } }"
            print "    }\n}"
        }
        print "static class P { static void Main () { var c = new C0<int> (); c.Add (2); c.Add (1); foreach (int i in c.Sorted ()) Console.WriteLine (\"hello \" + i + c.Text (0)); } }"
    }'
}
mcs=/usr/lib/mono/4.5/mcs.exe
# compiles NAME CLASSES MINIMUM-CALLS
compiles() {
    local name=$1 minimum=$3
    mkdir -p "$SCRATCH/$name/before" "$SCRATCH/$name/after"
    source_of "$2" >"$SCRATCH/$name/program.cs"
    (cd "$SCRATCH/$name/before" && mono "$mcs" -nologo -out:program.exe ../program.cs) || { echo "the compiler itself failed"; return 1; }
    (cd "$SCRATCH/$name/after" && ILINJECT_OUT=$SCRATCH/said/$name.ilprof mono "$SCRATCH/after/mcs.exe" -nologo -out:program.exe ../program.cs) || return 1
    same_assembly "$SCRATCH/$name/before/program.exe" "$SCRATCH/$name/after/program.exe" || return 1
    mono "$SCRATCH/$name/after/program.exe" | grep -qx 'hello 1a' || { echo "what was compiled does not run"; return 1; }
    busy_profile "$SCRATCH/said/$name.ilprof" "$minimum"
}
if has mono && [ -f "$mcs" ]; then
    check "mcs.exe is instrumented whole" "$ILINJECT" "$mcs" -o "$SCRATCH/after/mcs.exe"
    check "instrumented mcs compiles hello world to the same assembly" compiles hello 1 100000
    [ ! -f "$SCRATCH/totals" ] || sed "s/^/mcs, hello world: /" "$SCRATCH/totals"
    if [ "$extent" = all ]; then
        rm -f "$SCRATCH/totals"
        check "instrumented mcs compiles 10,000 lines to the same assembly" compiles big 500 10000000
        [ ! -f "$SCRATCH/totals" ] || sed "s/^/mcs, $(wc -l <"$SCRATCH/big/program.cs") lines: /" "$SCRATCH/totals"
    fi
else
    skip "instrumented mcs compiles" "no Mono with mcs.exe"
fi

# ---- Libraries from NuGet on CoreCLR ----

packages_of() { # NAME/VERSION…: sets packages, or skips
    packages=$("$ROOT/tests/nuget-fetch" "$@") && return
    skip "${1%/*} does its work instrumented" "$packages"
    return 1
}
# Methods that CoreCLR's JIT refuses in the output it refused in the original.
prepares_as_before() { # BEFORE AFTER
    dotnet "$SCRATCH/walker.dll" prepare "$1" >"$SCRATCH/prepare-before" 2>&1
    dotnet "$SCRATCH/walker.dll" prepare "$2" >"$SCRATCH/prepare-after" 2>&1
    tail -n 1 "$SCRATCH/prepare-after" | grep -q ' prepared, .* faults$' || { tail -n 3 "$SCRATCH/prepare-after"; return 1; }
    new_lines <(grep -v ' prepared, ' "$SCRATCH/prepare-before") <(grep -v ' prepared, ' "$SCRATCH/prepare-after")
}
# library NAME MINIMUM-CALLS SOURCE "ARGS" DLL…: a program of ours drives a library; both are instrumented
library() {
    local name=$1 minimum=$2 source=$3 args=$4 before=$SCRATCH/before/$1 after=$SCRATCH/after/$1 dll program references=()
    shift 4
    program=$(basename "$source" .cs).dll
    mkdir -p "$before" "$after"
    for dll in "$@"; do
        cp "$dll" "$before"
        references+=("-r:$before/$(basename "$dll")")
    done
    "$ROOT/tests/dotnet-csc" "$before/$program" -nowarn:1701,1702 "${references[@]}" "$ROOT/fixtures/net/$source" || exit 1
    for dll in "$before"/*.dll; do
        check "$name: $(basename "$dll") is instrumented" "$ILINJECT" "$dll" -o "$after/$(basename "$dll")"
    done
    for dll in "$before"/*.dll; do
        check "$name: $(basename "$dll") compiles under CoreCLR as before" prepares_as_before "$dll" "$after/$(basename "$dll")"
    done
    rm -f "$SCRATCH/totals"
    # shellcheck disable=SC2086
    runs_as_before "$name" dotnet "$before" "$after" "$program" "$minimum" $args
}
if ! can dotnet || ! "$ROOT/tests/dotnet-csc" "$SCRATCH/walker.dll" -unsafe -optimize "$ROOT"/tests/foreign/walker/*.cs; then
    skip "libraries from NuGet do their work instrumented" "no .NET SDK"
    finish
fi
if packages_of Newtonsoft.Json/13.0.3; then
    folder=$packages/newtonsoft.json/13.0.3/lib
    library json-net6.0 50000 JsonWork.cs "" "$folder/net6.0/Newtonsoft.Json.dll"
    [ "$extent" != all ] || library json-netstandard2.0 50000 JsonWork.cs "" "$folder/netstandard2.0/Newtonsoft.Json.dll"
fi
if [ "$extent" = all ] && packages_of Microsoft.CodeAnalysis.CSharp/4.14.0 Microsoft.CodeAnalysis.Common/4.14.0; then
    library roslyn 1000000 CompileHello.cs 20 "$packages"/microsoft.codeanalysis.common/4.14.0/lib/net9.0/*.dll \
        "$packages"/microsoft.codeanalysis.csharp/4.14.0/lib/net9.0/*.dll
fi
finish
