#!/usr/bin/env bash
# The cost of seeing how methods are left: both shapes, and the try/finally that others weave, on
# Mono and on CoreCLR.
#   tests/bench/exits.sh [--build DIR] [--runs N] [--milliseconds N]
# One program (Exits.cs), plain and instrumented: --exits=ret, --exits=guarded, --exceptions=full, and with Mono.Cecil each body in a
# try/finally with the same calls of the same tracker. Once with a tracker that counts, which shows the shape alone and what it does
# to inlining, once with the built-in one. Least time of N runs (3), taken in turns, each the least of many windows in N ms (1000);
# plain and ret in ns, the others as multiples of ret. Then how much the program and mscorlib grow. Exits 1 when a program does not
# do what it did, 77 without mcs; what else is not there has no figures.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=build runs=3 milliseconds=1000
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2; shift 2 ;;
    --runs) runs=$2; shift 2 ;;
    --milliseconds) milliseconds=$2; shift 2 ;;
    *) echo "usage: tests/bench/exits.sh [--build DIR] [--runs N] [--milliseconds N]" >&2; exit 2 ;;
    esac
done
export BUILD=$PWD/$build
ilinject=${ILINJECT:-$BUILD/ilinject}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export ILINJECT_OUT=$work/profile.ilprof

. tests/bench/raw.sh
raw_begin exits "tests/bench/exits.sh --runs $runs --milliseconds $milliseconds"
command -v mcs >/dev/null || { echo "skipped: both ways out side by side: no mcs"; exit 77; }
mcs -nologo -optimize+ -out:"$work/Exits.exe" tests/bench/Exits.cs || exit 1
mcs -nologo -target:library -optimize+ -out:"$work/CountTracker.dll" tests/bench/CountTracker.cs || exit 1
runtimes=
for runtime in mono dotnet; do command -v $runtime >/dev/null && runtimes+=" $runtime"; done
core=$(dotnet --list-runtimes 2>/dev/null | sed -n 's/^Microsoft\.NETCore\.App \([^ ]*\).*/\1/p' | tail -n 1)
peer=$(tests/bench/peer) || { echo "without Mono.Cecil's column: $peer"; raw_missing "try/finally" "$peer"; peer=; }
shapes="ret guarded full${peer:+ finally}"

# instrument SHAPE TRACKER IN OUT: IN in that shape, with the tracker count or built-in
instrument() {
    local tracker=$work/CountTracker.dll options=()
    if [ "$2" = built-in ]; then tracker=$BUILD/ProfileInfoTracker.dll; else options+=(--tracker "$tracker"); fi
    case $1 in
    ret) options+=(--exits=ret) ;;
    guarded) options+=(--exits=guarded) ;;
    full) options+=(--exits=guarded --exceptions=full) ;;
    esac
    if [ "$1" = finally ]; then
        dotnet "$peer" --try-finally "$tracker" "$3" "$4"
    else
        "$ilinject" "${options[@]}" "$3" -o "$4"
    fi >"$work/log" 2>&1 && ! cmp -s "$3" "$4" && cp "$tracker" "$(dirname "$4")/" && return
    { echo "$(basename "$3") is not instrumented in the shape $1:"; cat "$work/log"; } >&2
    return 1
}
version() { # RUNTIME
    if [ "$1" = mono ]; then mono --version | sed -n '1s/.*version \([^ ]*\).*/Mono \1/p'; else echo "CoreCLR $core"; fi
}
variants=plain
mkdir "$work/plain" && cp "$work/Exits.exe" "$work/plain/"
for tracker in count built-in; do
    for shape in $shapes; do
        mkdir "$work/$tracker-$shape"
        instrument "$shape" "$tracker" "$work/Exits.exe" "$work/$tracker-$shape/Exits.exe" || exit 1
        variants+=" $tracker-$shape"
    done
done
for variant in $variants; do
    printf '{ "runtimeOptions": { "framework": { "name": "Microsoft.NETCore.App", "version": "%s" } } }\n' "$core" \
        >"$work/$variant/Exits.runtimeconfig.json"
done

for _ in $(seq "$runs"); do
    for runtime in $runtimes; do
        for variant in $variants; do
            "$runtime" "$work/$variant/Exits.exe" "$milliseconds" >"$work/said" || { echo "$variant fails on $runtime" >&2; exit 1; }
            awk -v runtime="$runtime" -v variant="$variant" '{ print runtime, variant, $0 }' "$work/said" >>"$work/figures"
        done
    done
done
[ "$(awk '$3 == "sum" { print $4 }' "$work/figures" | sort -u | wc -l)" -eq 1 ] ||
    { echo "an instrumented program does not do what it did" >&2; exit 1; }

awk -v OFS='\t' '$3 != "sum" { print $1, $2, $3, $4 }' "$work/figures" | raw_lines
echo "on $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) processors; $("$ilinject" --version)${peer:+, Mono.Cecil 0.11.6}"
echo "least of $runs runs of $milliseconds ms: plain and ret in ns, the others as multiples of ret"
for runtime in $runtimes; do
    for tracker in count built-in; do
        awk -v runtime="$runtime" -v tracker="$tracker" -v title="$(version "$runtime"), $tracker" '
            BEGIN {
                count = split("void value own loop getters Fibonacci exception", jobs)
                says["void"] = "void, may throw"; says["value"] = "returns a value"; says["own"] = "finally of its own"
                says["loop"] = "100 rounds of a loop"
                says["getters"] = "getter of a field"; says["Fibonacci"] = "recursion"; says["exception"] = "exception, 5 frames"
            }
            $1 == runtime && $3 != "sum" && (!(($2, $3) in least) || $4 < least[$2, $3]) { least[$2, $3] = $4 }
            function multiple(shape, job) {
                shape = tracker "-" shape
                return (shape, job) in least ? sprintf("%.2f", least[shape, job] / least[tracker "-ret", job]) : "-"
            }
            END {
                printf "%-30s %9s %9s %9s %9s %11s\n", title, "plain", "ret", "guarded", "full", "try/finally"
                for (i = 1; i <= count; i++) {
                    job = jobs[i]
                    printf "  %-28s %9.2f %9.2f %9s %9s %11s\n", says[job], least["plain", job], least[tracker "-ret", job],
                        multiple("guarded", job), multiple("full", job), multiple("finally", job)
                }
            }' "$work/figures"
    done
done

growth() { # TITLE FILE TRACKER
    local shape out
    out=$work/growth/$(basename "$2")
    printf '%-30s %9d' "$1" "$(stat -c %s "$2")"
    for shape in $shapes; do
        instrument "$shape" "$3" "$2" "$out" || exit 1
        awk -v a="$(stat -c %s "$out")" -v b="$(stat -c %s "$2")" 'BEGIN { printf " %+7.1f %%", (a / b - 1) * 100 }'
    done
    echo
}
mkdir "$work/growth"
printf '%-30s %9s %9s %9s %9s %11s\n' growth bytes ret guarded full try/finally
for file in "$work/Exits.exe" /usr/lib/mono/4.5/mscorlib.dll; do
    [ -f "$file" ] || { echo "skipped: $(basename "$file"): not there"; continue; }
    for tracker in count built-in; do growth "  $(basename "$file"), $tracker" "$file" "$tracker"; done
done
