#!/usr/bin/env bash
# Programs that were compiled ahead, beside themselves with some of their methods instrumented.
#   tests/bench/ahead.sh [--build DIR] [--runs N] [--only "PROGRAM..."]
# Programs: csc (.NET, ReadyToRun) on 60 classes, service (ASP.NET Core with Entity Framework, published as ReadyToRun) to its first answer, mcs
# (Debian's Mono has an image of it) on the tracker's sources. Processor seconds of the process, of the service those until the answer, and the
# answer's seconds; the least of N runs (5) in turns. Variants:
#   original      as it was
#   one           one method instrumented in each file
#   one-compiled  the same with --native=compile
#   profile       --overhead=10% --profile FILE, of a run with --counts
#   compiled      the same with --native=compile, of a run that was compiled, too
#   full          all methods
# Exits 1 when a program does not do what the original does, 77 when there is none.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=build runs=5 only="csc service mcs"
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2 ;;
    --runs) runs=$2 ;;
    --only) only=$2 ;;
    *) echo 'usage: tests/bench/ahead.sh [--build DIR] [--runs N] [--only "PROGRAM..."]' >&2; exit 2 ;;
    esac
    shift 2
done
BUILD=$(cd "$build" && pwd) || exit 1
export BUILD
ilinject=${ILINJECT:-$BUILD/ilinject}
. tests/bench/raw.sh
raw_begin ahead "tests/bench/ahead.sh --runs $runs"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
crossgen=microsoft.netcore.app.crossgen2.linux-x64
sdk=$(dotnet --list-sdks 2>/dev/null | sed -n 's/^\([^ ]*\) \[\(.*\)\]$/\2\/\1/p' | tail -n 1)
compilers=()
if tests/nuget-fetch --some Microsoft.NETCore.App.Crossgen2.linux-x64/10.0.12 >"$work/log" 2>&1; then
    compilers=("--crossgen2=$BUILD/tests/packages/$crossgen/10.0.12/tools/crossgen2")
fi
variants="original one one-compiled profile compiled full"

# ---- The programs: NAME_original FOLDER, NAME_files, NAME_run VARIANT (processor and other seconds) ------------------------------------------------

csc_files() {
    echo csc.dll:Microsoft.CodeAnalysis.CSharp.CommandLine.Program.Main Microsoft.CodeAnalysis.dll:Microsoft.CodeAnalysis.CommonCompiler.RunCore
    echo Microsoft.CodeAnalysis.CSharp.dll:Microsoft.CodeAnalysis.CSharp.CSharpCommandLineParser.ParseConditionalCompilationSymbols
}
csc_original() {
    [ "$sdk" ] && cp "$sdk"/Roslyn/bincore/csc.{dll,runtimeconfig.json} "$sdk"/Roslyn/bincore/Microsoft.CodeAnalysis{,.CSharp}.dll "$1" || return
    printf -- '-r:%s\n' "$(dirname "$(dirname "$sdk")")"/packs/Microsoft.NETCore.App.Ref/*/ref/net*/*.dll >"$work/references"
    for ((i = 0; i < 60; i++)); do
        echo "namespace N$i { using System; using System.Linq; using System.Collections.Generic; using System.Threading.Tasks;"
        echo "class C$i { List<int> all = new(); public async Task<int> M(int n) { await Task.Yield(); foreach (var x in all.Where(y => y > n).Select(y => y * 2)) n += x;"
        echo "return n switch { 1 => 2, > 5 and < 9 => all.Count, _ => n }; } public string S(object o) => o is string { Length: > 3 } s ? \$\"{s}{all[^1]}\" : null; } }"
    done >"$work/classes.cs"
}
csc_run() {
    timed "$1" dotnet "$work/csc/$1/csc.dll" -nologo -noconfig -nostdlib -deterministic -target:library "@$work/references" "$work/classes.cs" "-out:$work/made.dll" &&
        cksum <"$work/made.dll" >"$work/csc/$1.did"
}
mcs_files() { echo mcs.exe:Mono.CSharp.Driver.Main; }
mcs_original() { cp /usr/lib/mono/4.5/mcs.exe "$1"; }
# Its outputs have a time and a number of their own.
mcs_run() {
    timed "$1" mono "$work/mcs/$1/mcs.exe" -nologo -target:library -optimize+ -unsafe -nowarn:0436,1685,0649,0169,0414 "-out:$work/made.dll" \
        runtime-tracker/*/*.cs "$BUILD"/runtime-tracker/facts/*.cs && wc -c <"$work/made.dll" >"$work/mcs/$1.did"
}
service_files() { echo Service.dll:Program.Main Microsoft.EntityFrameworkCore.dll:Microsoft.EntityFrameworkCore.DbContext.Dispose; }
service_original() {
    cp tests/bench/ahead/Service.cs* "$work" &&
        flock "$BUILD/tests/packages.lock" dotnet publish -c Release -r linux-x64 --self-contained false -o "$1" "-p:RestorePackagesPath=$BUILD/tests/packages" \
            "$work/Service.csproj" >"$work/log" 2>&1
}
service_run() {
    local address process begun ticks
    rm -f "$work/says"
    mkfifo "$work/says"
    begun=$(date +%s%N)
    ILINJECT_OUT=$work/service/$1.ilprof dotnet "$work/service/$1/Service.dll" "$work/service.db" >"$work/says" 2>"$work/log" &
    process=$!
    { read -r address && curl -sf "$address/customers/1"; } <"$work/says" >"$work/service/$1.did"
    echo "$(($(date +%s%N) - begun))" >"$work/answered"
    ticks=$(awk '{ print $14 + $15 }' "/proc/$process/stat")
    kill "$process" && wait "$process" 2>/dev/null
    awk -v ticks="$ticks" -v second="$(getconf CLK_TCK)" '{ print ticks / second, $1 / 1e9 }' "$work/answered"
    [ -s "$work/service/$1.did" ]
}

# ---- What is done with each ----------------------------------------------------------------------------------------------------------------

timed() { # VARIANT COMMAND...
    local variant=$1 TIMEFORMAT='%U %S'
    shift
    { time ILINJECT_OUT=$work/$program/$variant.ilprof "$@" >"$work/log" 2>&1; } 2>"$work/took" && awk '{ print $1 + $2 }' "$work/took"
}
# make VARIANT OPTION...: the program with each of its files instrumented
make_variant() {
    local variant=$1 files=() file one=()
    shift
    rm -rf "$work/$program/$variant"
    cp -r "$work/$program/original" "$work/$program/$variant"
    for file in $("${program}_files"); do
        files+=("$work/$program/original/${file%:*}")
        one+=(--include "${file#*:}")
    done
    [[ $variant != one* ]] || set -- "$@" --exclude '**' "${one[@]}"
    [[ " $* " != *" --native=compile "* ]] || [ "$program" = mcs ] || set -- "$@" "${compilers[@]}"
    "$ilinject" -q "${files[@]}" -o "$work/$program/$variant/" "$@" >"$work/log" 2>&1
}
made() {
    make_variant one && make_variant one-compiled --native=compile && make_variant full &&
        make_variant counted --counts && "${program}_run" counted >/dev/null &&
        make_variant profile --overhead=10% --profile "$work/$program/counted.ilprof" &&
        make_variant counted-compiled --counts --native=compile && "${program}_run" counted-compiled >/dev/null &&
        make_variant compiled --overhead=10% --native=compile --profile "$work/$program/counted-compiled.ilprof"
}
measured=0
for program in $only; do
    mkdir -p "$work/$program/original"
    if ! "${program}_original" "$work/$program/original" || ! "${program}_run" original >/dev/null || ! made; then
        why=$(grep -v '^ *$' "$work/log" | tail -n 1 | cut -c 1-160)
        echo "$program: not there: $why"
        raw_missing "$program" "$why"
        continue
    fi
    for ((run = 0; run < runs; run++)); do
        for variant in $variants; do
            figures=$("${program}_run" "$variant") || { echo "$program, $variant: it fails: $(tail -n 1 "$work/log")" >&2; exit 1; }
            cmp -s "$work/$program/original.did" "$work/$program/$variant.did" || { echo "$program, $variant does not do what it did" >&2; exit 1; }
            raw "$program" "$variant" seconds "${figures% *}"
            [ "$program" != service ] || raw answer "$variant" seconds "${figures#* }"
            echo "$program $variant $figures"
        done
    done | tee -a "$work/figures"
    [ "${PIPESTATUS[0]}" -eq 0 ] || exit 1
    measured=$((measured + 1))
done
[ "$measured" -gt 0 ] || exit 77
awk '{ for (i = 3; i <= NF; i++) { key = $1 " " i " " $2; if (!(key in least) || $i < least[key]) least[key] = $i } seen[$1 " " NF] = 1; name[$1] = NF }
    END {
        for (p in name) for (i = 3; i <= name[p]; i++) {
            line = sprintf("%-20s", p (i == 4 ? ", first answer" : ""))
            n = split("original one one-compiled profile compiled full", v, " ")
            for (k = 1; k <= n; k++) line = line sprintf(" %s %.2f s = %.2f", v[k], least[p " " i " " v[k]], least[p " " i " " v[k]] / least[p " " i " original"])
            print line
        }
    }' "$work/figures"
