#!/usr/bin/env bash
# Loops that are called once: what instrumenting makes of their own time, on Mono and on .NET.
#   tests/bench/kernels.sh [--build DIR] [--runs N] [--modes "M..."] [--shapes "S..."]
#                          [--time wall|cpu] [--disasm KERNEL|above]... [KERNEL...]
# Each kernel (Kernels.cs) is one call of 50 to 200 ms; a program that is not instrumented
# (RunKernels.cs) reads the clock around it. Modes: dotnet (compiled in steps: the loop starts in
# the first one and goes on in optimised code by on-stack replacement), untiered (no steps,
# DOTNET_TieredCompilation=0), no-pgo (DOTNET_TieredPGO=0), mono. Shapes: ret, guarded, and finally,
# as weavers do it: by Mono.Cecil, each body in a try/finally with the same calls of the same
# tracker.
#
# In each of N runs (7) and each mode, plain and each shape are a process each, in turns that go
# forth and back. A figure is instrumented over plain: the least of all runs over the least, and the
# middle of the runs' ratios. A time is by the stopwatch (wall), or the time that the thread ran
# (cpu), which says something on a machine with other work, too. Figures above 1.10 stand in bold.
#
# --disasm KERNEL: machine code of the kernel, plain and instrumented side by side in each mode and
# shape, into the folder kernels beside the raw results (build/bench without $BENCH_RAW); above: of
# kernels that are above 1.10 as ret or guarded, where they are. On Mono it takes as and objdump.
# Exits 1 when a result is not plain's or a call is not recorded, 77 without mcs and csc.
set -u
cd "$(dirname "$0")/../.." || exit 1
usage() { sed -n '3,4s/^# *//p' "$0" >&2; exit 2; }
build=build runs=7 modes= shapes="ret guarded finally" time=wall disasm=() options=
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2; shift 2; continue ;;
    --runs) runs=$2 ;;
    --modes) modes=$2 ;;
    --shapes) shapes=$2 ;;
    --time) time=$2; [[ $2 = wall || $2 = cpu ]] || usage ;;
    --disasm) disasm+=("$2") ;;
    -*) usage ;;
    *) break ;;
    esac
    if [[ $2 = *" "* ]]; then options+=" $1 \"$2\""; else options+=" $1 $2"; fi
    shift 2
done
runtime_of() { if [ "$1" = mono ]; then echo mono; else echo dotnet; fi; }
runtimes=
for mode in ${modes:=dotnet untiered no-pgo mono}; do
    case $mode in dotnet | untiered | no-pgo | mono) ;; *) echo "no mode $mode" >&2; usage ;; esac
    [[ $runtimes = *$(runtime_of "$mode")* ]] || runtimes+=" $(runtime_of "$mode")"
done
for shape in $shapes; do
    case $shape in ret | guarded | finally) ;; *) echo "no shape $shape" >&2; usage ;; esac
done
BUILD=$(cd "$build" && pwd) || exit 1
export BUILD
ilinject=${ILINJECT:-$BUILD/ilinject}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Settings that would change how these programs run.
# shellcheck disable=SC2086
unset ${!ILINJECT_*} ${!DOTNET_T*} ${!DOTNET_Jit*} ${!DOTNET_OSR*} ${!COMPlus_*} ${!MONO_*}

codes=${BENCH_RAW:-$BUILD/bench}/kernels
export BENCH_RAW=${BENCH_RAW:-$work/raw}
. tests/bench/raw.sh
raw_begin kernels "tests/bench/kernels.sh$options${*:+ $*}"

# ---- The programs --------------------------------------------------------------------------------

numerics=(-r:System.Numerics.dll -r:System.Numerics.Vectors.dll)
compile_mono() { # FOLDER
    command -v mono >/dev/null && command -v mcs >/dev/null || { echo "no mono and mcs"; return 1; }
    mcs -nologo -optimize+ -unsafe -target:library "${numerics[@]}" -out:"$1/Kernels.dll" \
        tests/bench/Kernels.cs &&
        mcs -nologo -optimize+ "${numerics[@]}" -r:"$1/Kernels.dll" -out:"$1/RunKernels.exe" \
            tests/bench/RunKernels.cs
}
compile_dotnet() {
    tests/dotnet-csc "$1/Kernels.dll" -optimize -unsafe -define:CORE -target:library \
        tests/bench/Kernels.cs &&
        tests/dotnet-csc "$1/RunKernels.dll" -optimize -define:CORE -r:"$1/Kernels.dll" \
            tests/bench/RunKernels.cs
}
weave() { # SHAPE IN OUT
    local tracker=$BUILD/ProfileInfoTracker.dll
    case $1 in
    finally) dotnet "$peer" --try-finally "$tracker" "$2" "$3" ;;
    *) "$ilinject" --quiet --exits="$1" "$2" -o "$3" ;;
    esac >"$work/log" 2>&1 && ! cmp -s "$2" "$3" && cp "$tracker" "$(dirname "$3")/" && return
    { echo "the kernels are not instrumented in the shape $1:"; cat "$work/log"; } >&2
    return 1
}
peer=
if [[ " $shapes " = *" finally "* ]] && ! peer=$(tests/bench/peer 2>&1); then
    echo "without try/finally: $peer"
    raw_missing "try/finally" "$peer"
    shapes=${shapes/finally/}
fi
ready=
for runtime in $runtimes; do
    mkdir -p "$work/$runtime/plain"
    if ! "compile_$runtime" "$work/$runtime/plain" >"$work/log" 2>&1; then
        echo "not on $runtime: $(tail -n 1 "$work/log")"
        raw_missing "$runtime" "$(tail -n 1 "$work/log")"
        continue
    fi
    ready+=" $runtime"
    for shape in $shapes; do
        cp -r "$work/$runtime/plain" "$work/$runtime/$shape"
        weave "$shape" "$work/$runtime/plain/Kernels.dll" "$work/$runtime/$shape/Kernels.dll" ||
            exit 1
    done
done
[ "$ready" ] || { echo "skipped: kernels that are called once: no compiler for$runtimes"; exit 77; }
wanted=$modes modes=
for mode in $wanted; do
    if [[ $ready = *$(runtime_of "$mode")* ]]; then modes+=" $mode"; fi
done

# ---- Times ---------------------------------------------------------------------------------------

# The program in that mode; a line "NAME MILLISECONDS RESULT" for each kernel.
execute() { # MODE VARIANT [KERNEL...]
    local mode=$1 folder settings=(ILINJECT_OUT="$work/profile.ilprof")
    folder=$work/$(runtime_of "$1")/$2
    case $mode in
    untiered) settings+=(DOTNET_TieredCompilation=0) ;;
    no-pgo) settings+=(DOTNET_TieredPGO=0) ;;
    esac
    shift 2
    env "${settings[@]}" "$(runtime_of "$mode")" "$folder"/RunKernels.[ed]* "$time" "$@"
}
# Every kernel that ran is in the profile with one call; that of the other weaver has no names.
recorded() { # VARIANT
    [ "$1" = ret ] || [ "$1" = guarded ] || return 0
    "$ilinject" report "$work/profile.ilprof" --format=csv >"$work/calls" || return 1
    awk -F '"' '
        NR == FNR { split($NF, f, ","); sub(/[(<].*/, "", $6); calls[$6] = f[3]; next }
        {
            sub(/ .*/, "")
            if (calls["Bench.Kernels." $0] == 1) next
            print $0 " is not recorded with one call"
            bad = 1
        }
        END { exit bad }' "$work/calls" "$work/said"
}
turn() { # MODE VARIANT [KERNEL...]
    local mode=$1 variant=$2
    rm -f "$work/profile.ilprof"
    shift 2
    if ! execute "$mode" "$variant" "$@" >"$work/said"; then
        echo "the kernels fail in the mode $mode as $variant" >&2
        exit 1
    fi
    recorded "$variant" >&2 || exit 1
    sed 's/^\([^ ]*\) [^ ]* /\1 /' "$work/said" >"$work/results"
    # The first turn is a plain one.
    [ -f "$work/results.$mode" ] || cp "$work/results" "$work/results.$mode"
    if ! diff "$work/results.$mode" "$work/results" >&2; then
        echo "$variant does not compute what plain does, in the mode $mode" >&2
        exit 1
    fi
    awk -v OFS='\t' -v mode="$mode" -v variant="$variant" '{ print mode, variant, $1, $2 }' \
        "$work/said" | raw_lines
}
forth="plain $shapes"
# shellcheck disable=SC2086
back=$(printf '%s\n' $forth | tac)
for ((run = 0; run < runs; run++)); do
    if ((run % 2)); then variants=$back; else variants=$forth; fi
    for mode in $modes; do
        for variant in $variants; do turn "$mode" "$variant" "$@"; done
    done
done
for mode in $modes; do
    printf '\n%s, by %s time\n' "$mode" "$time"
    printf '<!-- table: kernels-%s -->\n<!-- end -->\n' "$mode" |
        awk -f tests/bench/tables.awk "$RAW_FILE" - | grep '^|'
done

# ---- Machine code --------------------------------------------------------------------------------

# Neither listing holds addresses, which differ from run to run.
#
# .NET: the last listing, which is that of the code that did the work.
code_dotnet() { # MODE VARIANT KERNEL
    rm -f "$work/listing"
    DOTNET_JitStdOutFile=$work/listing DOTNET_JitDisasm="Bench.Kernels:$3" \
        DOTNET_JitDisasmDiffable=1 execute "$@" >/dev/null && [ -f "$work/listing" ] || return 1
    awk '
        /^; Assembly listing/ { text = "; " substr($0, match($0, /\([^()]*\)$/)) "\n" }
        /^;/ && !/code [0-9]+$/ { next }
        { sub(/[ \t]+$/, ""); if ($0 != "") text = text $0 "\n" }
        END { printf "%s", text }' "$work/listing"
}
# Mono: what objdump says of it, with numbers for the places that jumps go to.
code_mono() { # MODE VARIANT KERNEL
    MONO_VERBOSE_METHOD="Bench.Kernels:$3" TMPDIR=$work execute "$@" >"$work/listing" 2>&1 ||
        return 1
    awk -F '\t' '
        /^[0-9a-f]+ <.*>:$/ { n = 0; split("", target) }
        !/^ *[0-9a-f]+:\t/ || $3 == "" { next }
        {
            at = $1; gsub(/[ :]/, "", at)
            line = $3; sub(/ +$/, "", line)
            place[++n] = at
            goes[n] = ""
            if (line ~ /^j/) {
                split(line, jump, " +")
                line = jump[1]
                goes[n] = jump[2]
                target[jump[2]] = 1
            }
            sub(/^call .*<.*>$/, "call   elsewhere", line)
            if (match(line, /\$0x[0-9a-f]+/) && RLENGTH > 10)
                line = substr(line, 1, RSTART - 1) "$address" substr(line, RSTART + RLENGTH)
            text[n] = line
        }
        END {
            for (i = 1; i <= n; i++)
                if (place[i] in target) label[place[i]] = "L" ++labels
            for (i = 1; i <= n; i++) {
                if (place[i] in label) print label[place[i]] ":"
                to = goes[i] == "" ? "" : goes[i] in label ? " " label[goes[i]] : " elsewhere"
                print "    " text[i] to
            }
        }' "$work/listing"
}
side_by_side() { # KERNEL MODE SHAPE
    local code file=$codes/$1.$2.$3.txt
    code=code_$(runtime_of "$2")
    mkdir -p "$codes"
    if ! "$code" "$2" plain "$1" >"$work/left" || ! "$code" "$2" "$3" "$1" >"$work/right" ||
        [ ! -s "$work/left" ] || [ ! -s "$work/right" ]; then
        echo "no machine code of $1 in the mode $2 as $3" >&2
        return
    fi
    {
        printf '%s, %s: plain on the left (%d lines), ' "$1" "$2" "$(wc -l <"$work/left")"
        printf '%s on the right (%d)\n\n' "$3" "$(wc -l <"$work/right")"
        diff --side-by-side --expand-tabs --width=150 "$work/left" "$work/right" | sed 's/ *$//'
    } >"$file"
    echo "machine code: $file"
}
# "KERNEL MODE SHAPE" of all that is above the bound, as tables show it.
above() {
    awk -F '\t' '
        /^#/ { next }
        !(($1, $2, $3) in least) || $4 < least[$1, $2, $3] { least[$1, $2, $3] = $4 }
        END {
            for (key in least) {
                split(key, k, SUBSEP)
                if (k[2] != "ret" && k[2] != "guarded") continue
                ratio = sprintf("%.2f", least[key] / least[k[1], "plain", k[3]])
                if (ratio + 0 > 1.1) print k[3], k[1], k[2]
            }
        }' "$RAW_FILE"
}
[ ${#disasm[@]} -eq 0 ] || rm -f "$codes"/*.txt
for kernel in "${disasm[@]}"; do
    if [ "$kernel" = above ]; then
        above
        continue
    fi
    for mode in $modes; do
        # Some kernels are for .NET alone.
        grep -q "^$mode[[:blank:]]plain[[:blank:]]$kernel[[:blank:]]" "$RAW_FILE" || continue
        for shape in $shapes; do echo "$kernel $mode $shape"; done
    done
done | sort -u >"$work/pairs"
while read -r kernel mode shape; do
    side_by_side "$kernel" "$mode" "$shape" </dev/null
done <"$work/pairs"
