# calls.sh - ns a call, on both runtimes: sourced by price.sh.

# The process that runs CallPrice and waits is measured from its signal to go on. Its input is a
# pipe of this shell's.
measure_calls() { # RUNTIME VARIANT FOLDER ASK...: the lines of CallPrice, or a reason
    local runtime=$1 folder=$3 pid i answered
    shift 3
    rm -f "$work/go"
    mkfifo "$work/go"
    (cd "$folder" && ILINJECT_OUT=$work/calls.ilprof exec "$runtime" CallPrice.exe \
        "$milliseconds" wait <"$work/go" >"$work/calls.said" 2>"$work/calls.errors") &
    pid=$!
    children=("$pid")
    exec 8>"$work/go"
    for ((i = 0; i < 1000; i++)); do
        ! grep -q '^ready' "$work/calls.said" 2>/dev/null || break
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.1
    done
    answered=0
    if [ $# -gt 0 ]; then
        # The tracker listens some time after its first call.
        for ((i = 0; i < 100; i++)); do
            "$ilinject" ctl "$pid" "$@" >"$work/log" 2>&1
            answered=$?
            [ $answered -ne 0 ] && grep -q 'no tracker that listens' "$work/log" || break
            sleep 0.1
        done
    fi
    echo >&8
    exec 8>&-
    wait "$pid"
    i=$?
    children=()
    [ $answered -eq 0 ] || { reason_in "$work/log"; return 1; }
    [ $i -eq 0 ] || { reason_in "$work/calls.errors"; return 1; }
    sed 1d "$work/calls.said"
}
run_calls() {
    local runtime variant folder options ask reason milliseconds=800
    [ -z "$quick" ] || milliseconds=200
    printf '\nns a call\n%-8s %-9s %8s %8s %8s\n' "" "" apart small result
    for runtime in mono dotnet; do
        folder=$work/calls-$runtime
        mkdir -p "$folder/plain"
        if [ $runtime = mono ]; then
            [ "$mono" ] || { not_there "calls-$runtime" all "no Mono with mcs"; continue; }
            mcs -nologo -optimize+ -target:library -out:"$folder/plain/Called.dll" \
                "$sources/Called.cs" && mcs -nologo -optimize+ -r:"$folder/plain/Called.dll" \
                -out:"$folder/plain/CallPrice.exe" "$sources/CallPrice.cs" || exit 1
        else
            [ "$sdks" ] || { not_there "calls-$runtime" all "no .NET SDK"; continue; }
            tests/dotnet-csc "$folder/plain/Called.dll" -optimize+ -target:library \
                "$sources/Called.cs" && tests/dotnet-csc "$folder/plain/CallPrice.exe" \
                -optimize+ -r:"$folder/plain/Called.dll" "$sources/CallPrice.cs" || exit 1
        fi
        for variant in plain on counts off stopped; do
            options=() ask=()
            case $variant in
            counts) options=(--counts) ;;
            off) ask=(off 'Called.Methods.*') ;;
            stopped) ask=(stop) ;;
            esac
            if [ $variant != plain ]; then
                cp -r "$folder/plain" "$folder/$variant"
                if ! "$ilinject" -q "$folder/plain/Called.dll" -o "$folder/$variant/Called.dll" \
                    "${options[@]}" >"$work/log" 2>&1; then
                    not_there "calls-$runtime" $variant "$(reason_in "$work/log")"
                    continue
                fi
            fi
            if ! measure_calls $runtime $variant "$folder/$variant" "${ask[@]}" >"$work/calls"; then
                not_there "calls-$runtime" $variant "$(cat "$work/calls")"
                continue
            fi
            cut -d ' ' -f 1,3 "$work/calls" >"$folder/$variant.results"
            cmp -s "$folder/plain.results" "$folder/$variant.results" ||
                fail "calls on $runtime: $variant computes another thing"
            awk -v OFS='\t' -v s="calls-$runtime" -v v=$variant '{ print s, v, $1, $2 }' \
                "$work/calls" | raw_lines
            awk -v s=$runtime -v v=$variant '{ f[NR] = $2 }
                END { printf "%-8s %-9s %8.2f %8.2f %8.2f\n", s, v, f[1], f[2], f[3] }' \
                "$work/calls"
        done
    done
}
