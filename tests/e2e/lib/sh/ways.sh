# tests/e2e/lib/sh/ways.sh - what the suites share that hold profiles against what was counted by hand in the fixtures' sources.
# Sourced after tests/lib.sh and tests/e2e/lib/sh/ladder.sh.

export ILINJECT_BEAT=0 # a profile is written when a program ends; a suite that wants the beat says so
fixtures=$ROOT/fixtures/cs before=$SCRATCH/before
cd "$SCRATCH" || exit 1
. "$ROOT/tests/tracker/dump.sh"

# Whether there is what all of these suites need.
ready() {
    has mono && has mcs &&
        mcs -nologo -target:library -r:System.dll -out:"$before/Outside.dll" "$fixtures/Outside.cs"
}

# NAME.exe by mcs, runnable on both runtimes.
by_mcs() { # NAME OPTIONS AND SOURCES…
    local name=$1
    shift
    mcs -nologo -r:System.Core.dll -r:"$before/Outside.dll" -out:"$before/$name.exe" "$@" || return
    if can dotnet; then runtimeconfig "$before/$name.exe"; fi
}
by_csc() { # NAME OPTIONS AND SOURCES…
    local name=$1
    shift
    compiled csc "$before/$name.dll" -r:"$before/Outside.dll" -define:CSC,DOTNET "$@"
}
by_csc_for_mono() { # NAME OPTIONS AND SOURCES…
    local name=$1 folder
    shift
    folder=$(dirname "$(dirname "$(command -v mono)")")/lib/mono/4.5
    FRAMEWORK="$folder/mscorlib.dll $folder/System.dll $folder/System.Core.dll" compiled csc "$before/$name.exe" -r:"$before/Outside.dll" -define:CSC "$@"
}

options_of() { # FLAGS: of ilinject, for the words guarded or ret, paths or full
    local options=()
    case $1 in *ret*) options+=(--exits=ret) ;; *) options+=(--exits=guarded) ;; esac
    case $1 in *full*) options+=(--exceptions=full) ;; esac
    echo "${options[@]}"
}

# Instruments FILE into a folder of its own, after/NAME-SHAPE, beside what it needs.
instrument() { # NAME FILE SHAPE
    local to=$SCRATCH/after/$1-$3
    mkdir -p "$to" && cp "$before/Outside.dll" "$to" || return
    # shellcheck disable=SC2046
    "$ILINJECT" -q "$2" -o "$to/" $(options_of "$3")
}

# Runs FILE before and after in each SHAPE under RUNTIME: the same output and exit code, and the profile says what was counted.
prove() { # NAME FILE RUNTIME FLAGS SHAPES SOURCES…
    local name=$1 file=$2 runtime=$3 flags=$4 shapes=$5 shape after kind
    shift 5
    kind=${runtime/interpreter/mono}
    run_program "$name" "$runtime" "$file"
    for shape in $shapes; do
        after=$name-$shape
        [ -d "$SCRATCH/after/$after" ] || check "$name is instrumented for $shape" instrument "$name" "$file" "$shape"
        [ -f "$SCRATCH/after/$after/$(basename "$file")" ] || continue
        FIXTURE_TIMES=$SCRATCH/said/$after.$runtime.times run_program "$after" "$runtime" "$SCRATCH/after/$after/$(basename "$file")"
        check "$name runs as before under $runtime, $shape" same_run "$name" "$after" "$runtime"
        check "the report of $name agrees with itself, $runtime, $shape" profile_agrees "$SCRATCH/said/$after.$runtime.ilprof"
        check "the profile of $name says what was counted, $runtime, $shape" as_counted "$SCRATCH/said/$after.$runtime" "$kind,$runtime,$flags,${shape//-/,}" "$@"
    done
}
as_counted() { # SAID FLAGS SOURCES…
    local said=$1 flags=$2 times=none
    shift 2
    if [ -s "$said.times" ]; then times=$said.times; fi
    dump check "$said.ilprof" "$times" "$flags" "$@"
}
