# tests/e2e/lib/sh/kills.sh - runs that are killed and started again; sourced by suites after lib.sh.
#   killed SEED KILLS SOURCE HOW     a run over the assemblies of SOURCE that is killed at random moments (SEED repeats them) and started
#                                    again, until that was KILLS times amid the work, gives in the end what a run gives that is not
#                                    disturbed, and nothing else. HOW: "files" one by one, the "folder", or in "place"
start() { # FOLDER: one run, in the place of this shell, so that its number is the one to kill
    case $how in
    files) exec "$ILINJECT" -q -j 2 "$source"/*.dll -o "$1/" 2>/dev/null ;;
    folder) exec "$ILINJECT" -q -j 2 --all "$source" -o "$1" 2>/dev/null ;;
    place) exec "$ILINJECT" -q -j 2 --in-place "$1"/*.dll 2>/dev/null ;;
    esac
}
fresh() { rm -rf "$1" && { [ "$how" != place ] || cp -r "$source" "$1"; }; }
killed() {
    local source=$3 how=$4 times=0 kills=0 length pid moment
    RANDOM=$1
    fresh whole && length=$EPOCHREALTIME && (start whole) || return 1
    length=$((${EPOCHREALTIME/./} - ${length/./}))
    fresh again
    while [ "$times" -lt $(($2 * 8)) ] && [ "$kills" -lt "$2" ]; do
        times=$((times + 1))
        start again &
        pid=$!
        moment=$(((RANDOM * 32768 + RANDOM) % (length + 1)))
        sleep $((moment / 1000000)).$(printf %06d $((moment % 1000000)))
        kill -KILL "$pid" 2>/dev/null
        wait "$pid" 2>/dev/null
        [ $? -ne 137 ] || kills=$((kills + 1))
        [ $((times % 3)) -ne 0 ] || { (start again) && diff -r whole again && fresh again; } || return 1
    done
    [ "$kills" -gt 0 ] || { echo "no run was killed"; return 1; }
    (start again) && diff -r whole again
}
