# tests/corpus/many.sh - what the suites over all images and over packages share. Sourced.
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
export ILINJECT BUILD

# Fetches packages.txt and counts what there is not; sets `packages` to their folder, `here` to the folders of those that came.
here=()
fetch_packages() {
    local pins pin
    mapfile -t pins < <(grep '^[^#]' "$ROOT/tests/corpus/packages.txt")
    if ! packages=$("$ROOT/tests/nuget-fetch" --some "${pins[@]}"); then
        skip "packages from NuGet come through whole" "$packages"
        return 1
    fi
    for pin in "${pins[@]}"; do
        if [ -f "$packages/${pin,,}/.nupkg.metadata" ]; then
            here+=("$packages/${pin,,}")
        else
            skip "$pin comes through whole" "it cannot be fetched"
        fi
    done
    echo "${#here[@]} of ${#pins[@]} packages"
}
package_images() { find "${here[@]}" -type f \( -name '*.dll' -o -name '*.exe' -o -name '*.winmd' \) | LC_ALL=C sort; }

# instrument_all LIST NAME: each image goes to $SCRATCH/NAME/N/, its summary into $SCRATCH/NAME.json, what was said of it into
# $SCRATCH/NAME.said, and it with its output, if any, into $SCRATCH/NAME.pairs. A crash is a status of 2 or more.
instrument_all() {
    local n=0 image output
    mkdir -p "$SCRATCH/$2"
    while IFS= read -r image; do
        n=$((n + 1))
        printf '%s\0%s\0' "$image" "$SCRATCH/$2/$n"
    done <"$1" | nice xargs -0 -r -n 2 -P 2 bash -c '
        "$ILINJECT" --json "$1" -o "$2/" >"$2.summary" 2>"$2.said"
        status=$?
        [ "$status" -le 1 ] && [ -s "$2.summary" ] || echo "FAULT $1: exit value $status" >>"$2.said"' -
    find "$SCRATCH/$2" -maxdepth 1 -name '*.summary' -exec cat {} + >"$SCRATCH/$2.json"
    find "$SCRATCH/$2" -maxdepth 1 -name '*.said' -exec cat {} + >"$SCRATCH/$2.said"
    n=0
    while IFS= read -r image; do
        n=$((n + 1))
        output=$SCRATCH/$2/$n/${image##*/}
        [ ! -f "$output" ] || printf '%s\t%s\n' "$image" "$output"
    done <"$1" >"$SCRATCH/$2.pairs"
}
# Nothing crashed, and what was refused has no CLI header at all: a native image.
none_refused() { # NAME COUNT
    ! grep -h -e '^FAULT ' -e ': error ' "$SCRATCH/$1.said" | grep -v ': error ILJ0104: no CLI header' || return 1
    [ "$(grep -c '"outcome":' "$SCRATCH/$1.json")" -eq "$2" ]
}

# judge_all LIST FOLDER: tests/corpus/judge over each image, its N-th with FOLDER/N to use; verdicts in $SCRATCH/verdicts.
judge_all() {
    local n=0 image
    if has mono; then export HAS_MONO=1; fi
    if has peverify; then export HAS_PEVERIFY=1; fi
    while IFS= read -r image; do
        n=$((n + 1))
        printf '%s\0%s\0' "$image" "$2/$n"
    done <"$1" | nice xargs -0 -r -n 2 -P 2 "$ROOT/tests/corpus/judge" >"$SCRATCH/verdicts" 2>&1
}
# no_fault WHAT MINIMUM: no line is FAULT, as many as there are were judged, and less than a tenth is said to be beyond judging
no_fault() {
    ! grep "^FAULT $1" "$SCRATCH/verdicts" || return 1
    local judged unjudged
    judged=$(grep -c "^ok $1" "$SCRATCH/verdicts") unjudged=$(grep -c "^unjudged $1" "$SCRATCH/verdicts")
    [ $((judged + unjudged)) -ge "$2" ] && [ $((unjudged * 10)) -le "$2" ] || { echo "$judged of $2 were judged, $unjudged could not be"; return 1; }
}
# judged TOOL WHAT MINIMUM SENTENCE: no fault of WHAT, where there is TOOL; names what it could not judge
judged() {
    if has "$1"; then
        check "$4" no_fault "$2" "$3"
        grep "^unjudged $2" "$SCRATCH/verdicts" | sed "s,: $BUILD/tests/packages/,: ,"
    else
        skip "$4" "no $1"
    fi
}

walker=$SCRATCH/walker.dll
has_walker() {
    [ ! -f "$walker" ] || return 0
    "$ROOT/tests/dotnet-csc" "$walker" -unsafe -optimize "$ROOT"/tests/foreign/walker/*.cs
    case $? in
    0) ;;
    77) return 1 ;;
    *) echo "the walker does not compile"; exit 1 ;;
    esac
    # The references of libraries are in the frameworks of both kinds, where both are there.
    if dotnet --list-runtimes | grep -q '^Microsoft\.AspNetCore\.App '; then
        sed -i 's/"name": "Microsoft.NETCore.App"/"name": "Microsoft.AspNetCore.App"/' "$SCRATCH/walker.runtimeconfig.json"
    fi
}
compared() { # NAME
    dotnet "$walker" compare -n 3 --list "$SCRATCH/$1.pairs" >"$SCRATCH/$1.compared" || { cat "$SCRATCH/$1.compared"; return 1; }
}
# The foreign reader saw as many methods instrumented as the summaries have, and no other body than those of internal calls.
all_bodies() { # NAME
    local told
    told=$("$BUILD/tests/left_out" /dev/null x="$SCRATCH/$1.json" | awk '/^methods/ { methods = 1 } methods && $1 == "instrumented" { print $2 }')
    grep -q " $told bodies instrumented, 0 as they were" "$SCRATCH/$1.compared" || { echo "$told methods by the summaries"; tail -n 1 "$SCRATCH/$1.compared"; return 1; }
}
# prepared PAIRS OPTIONS…: what CoreCLR compiles of the originals' IL, it compiles of the outputs
prepared() {
    local pairs=$1
    shift
    # Some hundred at a time, since what was loaded once stays in memory.
    split -n r/$(($(wc -l <"$pairs") / 200 + 1)) "$pairs" "$pairs.part-"
    local part status=0
    : >"$pairs.said"
    for part in "$pairs".part-*; do
        DOTNET_ReadyToRun=0 nice timeout 1800 dotnet "$walker" prepare-pairs "$@" "$part" >>"$pairs.said" 2>&1 || status=1
    done
    [ "$status" -eq 0 ] || { grep -v ': not loaded: ' "$pairs.said"; return 1; }
}
# The sum of the closing lines.
prepared_sum() { # PAIRS
    awk '/ pairs, / { for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]+$/) sum[i] += $i; words = $0 }
        END { n = split(words, word, " "); for (i = 1; i <= n; i++) printf "%s%s", (i in sum ? sum[i] : word[i]), i < n ? " " : "\n" }' "$1.said"
}
