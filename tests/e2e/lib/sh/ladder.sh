# tests/e2e/lib/sh/ladder.sh - what the end-to-end suites share: compiling fixtures, running programs before and after, comparing.
# Sourced after tests/lib.sh.

mkdir -p "$SCRATCH/before" "$SCRATCH/after" "$SCRATCH/said"
runtimes=()
if has mono; then runtimes+=(mono interpreter); fi
if has dotnet && dotnet --list-runtimes 2>/dev/null | grep -q '^Microsoft\.NETCore\.App '; then runtimes+=(dotnet); fi
can() { case " ${runtimes[*]} " in *" $1 "*) ;; *) return 1 ;; esac; }

# Makes FILE runnable by `dotnet FILE`.
runtimeconfig() { # FILE
    local version
    version=$(dotnet --list-runtimes | sed -n 's/^Microsoft\.NETCore\.App \([^ ]*\).*/\1/p' | tail -n 1)
    echo "{ \"runtimeOptions\": { \"framework\": { \"name\": \"Microsoft.NETCore.App\", \"version\": \"$version\" } } }" \
        >"${1%.*}.runtimeconfig.json"
}

# tests/dotnet-compile; false when there is no such compiler. A source that does not compile ends the suite.
compiled() { # csc|vbc|fsc OUT SOURCES AND OPTIONS…
    "$ROOT/tests/dotnet-compile" "$@"
    case $? in
    0) ;;
    77) return 1 ;;
    *) exit 1 ;;
    esac
}

# Runs FILE, with its stdout, stderr and exit code in said/NAME.RUNTIME.{out,err,code}; the profile in said/NAME.RUNTIME.ilprof.
# Mono, when a program has used its thread pool, now and then waits at its end for up to a minute for a thread of the pool that sleeps.
run_program() { # NAME RUNTIME FILE [ARGS…]
    local said=$SCRATCH/said/$1.$2 command
    case $2 in
    mono) command=(mono) ;;
    interpreter) command=(mono --interpreter) ;;
    dotnet) command=(dotnet) ;;
    esac
    shift 2
    ILINJECT_OUT=$said.ilprof timeout -k 5 "${LIMIT:-150}" "${command[@]}" "$@" >"$said.out" 2>"$said.err" </dev/null
    echo $? >"$said.code"
}

# Both runs printed the same and ended with the same code, and the first one did something at all.
same_run() { # NAME-BEFORE NAME-AFTER RUNTIME
    local before=$SCRATCH/said/$1.$3 after=$SCRATCH/said/$2.$3
    [ -s "$before.out" ] || { echo "the original printed nothing"; cat "$before.err"; return 1; }
    diff "$before.out" "$after.out" && diff "$before.code" "$after.code" && return
    head -n 20 "$after.err"
    return 1
}

# The report's totals agree and, with a second argument, its counts are the hand-counted ones.
profile_agrees() { # PROFILE [EXPECTED]
    "$ILINJECT" report --format=json -o "$1.json" "$1" && "$BUILD/tests/counts" "$1.json" ${2:+"$2"}
}

# Offsets and addresses differ by right; what is left is counted, and only what is new in the second file is a fault.
new_lines() { # BEFORE AFTER
    comm -13 <(normalized "$1") <(normalized "$2") >"$SCRATCH/new-lines"
    [ ! -s "$SCRATCH/new-lines" ] || { cat "$SCRATCH/new-lines"; return 1; }
}
normalized() { # FILE: equal lines are numbered, so that a second fault of the same text is a new one
    sed -E "s,$SCRATCH/(before|after)/,,g; s/0x[0-9a-fA-F]+/0x/g; s/IL_[0-9a-fA-F]+/IL_/g; s/[0-9]+ ms//g" "$1" |
        sort | awk '{ print $0 " #" ++n[$0] }' | sort
}

# mono --compile-all finds no fault in AFTER that it does not find in BEFORE.
compiles_as_before() { # BEFORE AFTER
    local code_before code_after
    mono --compile-all "$1" >"$SCRATCH/compile-before" 2>&1
    code_before=$?
    mono --compile-all "$2" >"$SCRATCH/compile-after" 2>&1
    code_after=$?
    # It runs the initializer of the module, so the tracker has something to say. That is no fault.
    sed -i '/^ilinject: /d' "$SCRATCH/compile-after"
    [ "$code_after" -eq 0 ] || [ "$code_after" -eq "$code_before" ] || { tail -n 5 "$SCRATCH/compile-after"; return 1; }
    new_lines "$SCRATCH/compile-before" "$SCRATCH/compile-after"
}

# peverify says nothing about AFTER that it does not say about BEFORE.
verifies_as_before() { # BEFORE AFTER
    MONO_PATH=$(dirname "$1") "$ROOT/tests/verify" "$1" >"$SCRATCH/verify-before"
    MONO_PATH=$(dirname "$2") "$ROOT/tests/verify" "$2" >"$SCRATCH/verify-after"
    new_lines "$SCRATCH/verify-before" "$SCRATCH/verify-after"
}
