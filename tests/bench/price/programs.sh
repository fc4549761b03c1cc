# programs.sh - whole programs at a price: sourced by price.sh, which says what is measured.
# $work/PROGRAM/VARIANT is a folder with the program, complete. PROGRAM is NAME-RUNTIME.

variants="original plain full off profile guess once governor"
once_alone="original guess" # no bound is for them
recorded="full profile once governor"
programs="mcs-mono csc-dotnet json-dotnet richards-mono richards-dotnet fib-mono fib-dotnet"
programs+=" web-dotnet hundred-mono hundred-dotnet"
[ -z "$quick" ] || programs=${programs/csc-dotnet /}

# The files that are instrumented, each with the one method that plain has.
files_of() { # NAME
    case $1 in
    mcs) echo mcs.exe:Mono.CSharp.Driver.Main ;;
    csc)
        echo csc.dll:Microsoft.CodeAnalysis.CSharp.CommandLine.Program.Main \
            Microsoft.CodeAnalysis.dll:Microsoft.CodeAnalysis.CommonCompiler.RunCore
        printf 'Microsoft.CodeAnalysis.CSharp.dll:%s\n' Microsoft.CodeAnalysis.CSharp.\
CSharpCommandLineParser.ParseConditionalCompilationSymbols
        ;;
    json) echo Newtonsoft.Json.dll:Newtonsoft.Json.JsonSerializer.CreateDefault ;;
    richards) echo Main.exe:Bench.RichardsProgram.Main ;;
    fib) echo Main.exe:FibWork.Program.Main ;;
    web) echo Main.exe:WebWork.Program.Main ;;
    hundred) echo Main.exe:HundredWork.Program.Main ;;
    esac
}
# make_original NAME RUNTIME FOLDER
make_original() {
    local name=$1 runtime=$2 folder=$3 files=() options=()
    case $name in
    mcs)
        cp /usr/lib/mono/4.5/mcs.exe "$folder"
        return
        ;;
    csc)
        cp "$roslyn"/csc.{dll,runtimeconfig.json} "$roslyn"/Microsoft.CodeAnalysis{,.CSharp}.dll \
            "$folder"
        return
        ;;
    json)
        files=("$sources/Json.cs")
        packages=$(tests/nuget-fetch Newtonsoft.Json/13.0.3) || { echo "$packages"; return 1; }
        cp "$packages/newtonsoft.json/13.0.3/lib/net6.0/Newtonsoft.Json.dll" "$folder" || return
        options=("-r:$folder/Newtonsoft.Json.dll")
        ;;
    richards) files=("$sources/Richards.cs" tests/bench/ProbeRichards.cs) ;;
    fib) files=("$sources/Fib.cs") ;;
    hundred) files=("$sources/Hundred.cs") ;;
    web)
        local core web
        core=$(newest Microsoft.NETCore.App.Ref) web=$(newest Microsoft.AspNetCore.App.Ref)
        [ "$web" ] && dotnet --list-runtimes | grep -q '^Microsoft.AspNetCore.App ' ||
            { echo "no ASP.NET Core"; return 1; }
        FRAMEWORK=$(printf '%s ' "$core"/*.dll "$web"/*.dll) tests/dotnet-csc "$folder/Main.exe" \
            -optimize+ tests/bench/truth/{Web,Truth}.cs || return
        sed -i 's/Microsoft\.NETCore\.App/Microsoft.AspNetCore.App/' \
            "$folder/Main.runtimeconfig.json"
        return
        ;;
    esac
    if [ "$runtime" = mono ]; then
        mcs -nologo -optimize+ "${options[@]}" -out:"$folder/Main.exe" "${files[@]}"
    else
        tests/dotnet-csc "$folder/Main.exe" -optimize+ "${options[@]}" "${files[@]}"
    fi
}
# weave PROGRAM VARIANT OPTION...: the folder, or a line with the reason
weave() {
    local program=$1 variant=$2 from=$work/$1/original to=$work/$1/$2 file one
    shift 2
    rm -rf "$to"
    cp -r "$from" "$to"
    for file in $(files_of "${program%-*}"); do
        one=()
        if [ "$variant" = plain ]; then one=(--exclude '*' --include "${file#*:}"); fi
        "$ilinject" -q "$from/${file%:*}" -o "$to/${file%:*}" "$@" "${one[@]}" \
            >"$work/log" 2>&1 || { reason_in "$work/log"; rm -rf "$to"; return 1; }
        ! cmp -s "$from/${file%:*}" "$to/${file%:*}" ||
            { echo "no method of ${file%:*} is instrumented"; rm -rf "$to"; return 1; }
    done
}
# The sources that compilers compile, that many hundredths: the tracker's, in a namespace of its own
# for each further hundred; csc a fixture, too.
compiled() { # NAME
    local copies=$((size / 100)) copy folder file
    printf '%s\n' "$PWD"/runtime-tracker/*/*.cs "$PWD"/build/runtime-tracker/facts/*.cs
    [ "$1" != csc ] || echo "$PWD/fixtures/cs/Demo.cs"
    for ((copy = 2; copy <= copies; copy++)); do
        folder=$work/copies/$copy
        if [ ! -d "$folder" ]; then
            mkdir -p "$folder"
            for file in runtime-tracker/*/*.cs build/runtime-tracker/facts/*.cs; do
                [ "${file##*/}" != StartupHook.cs ] || continue # in no namespace
                sed "s/\\bInstrumenter\\b/Instrumenter$copy/g; s/^namespace System/namespace System.Copy$copy/
                    /^\\[assembly:/d" "$file" >"$folder/${file##*/}"
            done
        fi
        printf '%s\n' "$folder"/*.cs
    done
}
# A subshell's time would stand where its errors do: so a function's is taken.
in_folder() { (cd "$1" && shift && env "$@") >"$work/said" 2>"$work/errors"; }
# says PROGRAM VARIANT [COMMAND...]: runs it, below a command; its user and system time are then in
# $work/took. False unless it does what the original does.
says() {
    local program=$1 variant=$2 name=${1%-*} runtime=${1#*-} folder=$work/$1/$2 main=Main.exe
    local out=$work/$1/out arguments=("$size") sum TIMEFORMAT='%U %S'
    shift 2
    if [ "$alone" ] && [ "$name" = web ]; then arguments+=(1); fi
    case $name in
    mcs | csc)
        main=$name.$(if [ "$name" = mcs ]; then echo exe; else echo dll; fi)
        local lib=/usr/lib/mono/4.5
        if [ "$name" = csc ]; then lib=$(newest Microsoft.NETCore.App.Ref); fi
        arguments=(-nologo -noconfig -nostdlib -target:library -optimize+ -out:"$out"
            -warn:0)
        if [ "$name" = mcs ]; then
            arguments+=(-lib:$lib -r:mscorlib.dll -r:System.dll -r:System.Core.dll)
        else
            arguments+=(-deterministic -define:CORE)
            local dll
            for dll in "$lib"/*.dll; do arguments+=("-r:$dll"); done
        fi
        local source
        while read -r source; do arguments+=("$source"); done < <(compiled "$name")
        ;;
    esac
    rm -f "$out" "$work/$program/$variant.ilprof"
    { time in_folder "$folder" ILINJECT_OUT="$work/$program/$variant.ilprof" "$@" "$runtime" \
        "$main" "${arguments[@]}"; } 2>"$work/took" ||
        { echo "$program ($variant) fails: $(cat "$work/said" "$work/errors" | tail -n 3)" >&2
            return 1; }
    if [ -f "$out" ]; then
        # The same but for mcs's time stamp and module version id, which differ each time.
        [ -f "$out.$size" ] || cp "$out" "$out.$size"
        [ "$(stat -c %s "$out")" -eq "$(stat -c %s "$out.$size")" ] &&
            sum=$(cmp -l "$out" "$out.$size" | wc -l) &&
            [ "$sum" -le $(if [ "$name" = mcs ]; then echo 20; else echo 0; fi) ] ||
            { echo "$program ($variant) compiles something else" >&2; return 1; }
    fi
    [ -f "$work/$program/said-$size$alone" ] || cp "$work/said" "$work/$program/said-$size$alone"
    cmp -s "$work/said" "$work/$program/said-$size$alone" ||
        { echo "$program ($variant) says another thing: $(tail -n 1 "$work/said")" >&2; return 1; }
    [[ $variant = original || $variant = stopwatch ]] || [ -s "$work/$program/$variant.ilprof" ] ||
        { echo "$program ($variant) writes no profile" >&2; return 1; }
}
prepare_programs() {
    local program variant reason of ready=
    for program in ${only:-$programs}; do
        if [ "${program#*-}" = mono ] && [ -z "$mono" ]; then
            not_there "$program" all "no Mono with mcs"; continue
        elif [ "${program#*-}" = dotnet ] && [ -z "$sdks" ]; then
            not_there "$program" all "no .NET SDK with a compiler"; continue
        fi
        mkdir -p "$work/$program/original"
        if ! make_original "${program%-*}" "${program#*-}" "$work/$program/original" \
            >"$work/log" 2>&1; then
            not_there "$program" all "$(reason_in "$work/log")"
            continue
        fi
        says "$program" original || exit 1
        ready+=" $program"
        for variant in plain full; do
            reason=$(weave "$program" $variant) || fail "$program as $variant: $reason"
        done
        reason=$(weave "$program" off --set 'off=*') || not_there "$program" off "$reason"
        # Where the governor cannot be switched off, it gets a price that it hardly ever sees; where
        # it is not there at all, nothing has to be.
        if ! reason=$(weave "$program" guess --overhead=10% --set overhead=0) &&
            ! reason=$(weave "$program" guess --overhead=10% --set overhead=1000%); then
            [[ $reason = *"unknown setting"* ]] &&
                reason=$(weave "$program" guess --overhead=10%) ||
                not_there "$program" guess "$reason"
        fi
        if [[ $reason = *"unknown option --overhead"* ]]; then
            not_there "$program" profile "$reason"
        else
            # A profile of counts; without that mode, of the times that all methods took.
            of=counts
            if reason=$(weave "$program" counts --counts); then
                says "$program" counts || exit 1
            else
                not_there "$program" counts "$reason"
                of=full
                says "$program" full || exit 1
            fi
            reason=$(weave "$program" profile --overhead=10% --profile \
                "$work/$program/$of.ilprof") || not_there "$program" profile "$reason"
        fi
        reason=$(weave "$program" once --overhead=10%) || not_there "$program" once "$reason"
        reason=$(weave "$program" governor --set overhead=10%) ||
            not_there "$program" governor "$reason"
    done
    programs=${ready# }
    echo "prepared: $SECONDS s"
}
# No round without time for it: two fifths of all the seconds are for the programs, the rest is for
# the other parts. Variants that no bound is for run once, and so does one that takes 10 s or more.
run_programs() {
    local run program variant order took last=0 began until
    local -A dear=()
    until=$((seconds * 2 / 5))
    [ "$parts" != programs ] || until=$seconds
    for ((run = 0; run < runs; run++)); do
        began=$SECONDS
        if [ $((SECONDS + last)) -gt $until ]; then
            echo "$run of $runs rounds: no time was left for more"
            raw_missing "rounds $((run + 1)) to $runs" "no time was left of $seconds s"
            break
        fi
        order=$variants
        # shellcheck disable=SC2086
        if ((run % 2)); then order=$(printf '%s\n' $variants | tac); fi
        for program in $programs; do
            for variant in $order; do
                [ -d "$work/$program/$variant" ] || continue
                [ -z "${dear["$program $variant"]:-}" ] || continue
                says "$program" "$variant" || exit 1
                took=$(awk '{ print $1 + $2 }' "$work/took")
                raw "$program" "$variant" processor "$took"
                echo "$program $variant $took" >>"$work/processor"
                if [[ " $once_alone " = *" $variant "* ]] || [ "${took%.*}" -ge 10 ]; then
                    dear["$program $variant"]=1
                fi
            done
        done
        last=$((SECONDS - began))
        # The variants that run once do not count for the next round.
        if [ "$run" -eq 0 ]; then last=$((last - $(awk -v once="$once_alone" '
            $3 >= 10 || index(" " once " ", " " $2 " ") { s += $3 } END { print int(s) }' \
            "$work/processor"))); fi
    done
    printf '\nprocessor s, least / middle, and times plain\n'
    awk -v variants="$variants" -f "$sources/programs.awk" "$work/processor"
}

# ---- After the first second --------------------------------------------------------------------------------------------

# The two lengths of a program, in hundredths of the usual one. A difference of a second or so: the
# noise of a start and an end is a small part of it. That of json between 300 and 600 was 0.18 s, and
# its ratio came out as 1.35 and as 2.16.
steady_lengths() { # NAME
    case $1 in
    json) echo 600 2400 ;;
    richards | fib) echo 300 900 ;;
    csc | hundred) echo 200 400 ;;
    *) echo 300 600 ;;
    esac
}
# The time between two lengths of a program, both longer than the first second: no
# start, no end, and nothing that the governor has yet to find out. A compiler's lengths are copies
# of its sources. The least of a length's runs counts; another round begins while those before it
# took less than $steady_most seconds each.
run_steady() {
    local program variant usual=$size round began
    for program in $programs; do
        [ -d "$work/$program/governor" ] || continue
        case $quick${program%-*} in
        1mcs | 1csc) not_there "$program" steady "its shorter lengths are the same"; continue ;;
        esac
        began=$SECONDS
        for ((round = 1; round <= runs; round++)); do
            [ "$round" -eq 1 ] || [ $((SECONDS - began)) -lt $((steady_most * (round - 1))) ] || break
            for size in $(steady_lengths "${program%-*}"); do
                size=$((size * usual / 100))
                for variant in plain once governor; do
                    [ -d "$work/$program/$variant" ] || continue
                    says "$program" $variant || exit 1
                    awk -v name="$program $variant $size" '{ print name, $1 + $2 }' "$work/took" \
                        >>"$work/steady"
                done
            done
        done
        size=$usual
        rm -f "$work/$program"/{plain,once,governor}.ilprof # of another length than the truth's
    done
    [ -f "$work/steady" ] || return
    awk -v OFS='\t' '
        { key = $1 SUBSEP $2 SUBSEP $3; if (!(key in least) || $4 < least[key]) least[key] = $4
          if (!($1 in short)) { program[++n] = $1; short[$1] = $3 }
          long[$1] = $3 }
        END { for (i = 1; i <= n; i++) { p = program[i]; split("plain once governor", v, " ")
              for (k = 1; k <= 3; k++) if ((p, v[k], long[p]) in least)
                  print p, v[k], "steady", least[p, v[k], long[p]] - least[p, v[k], short[p]] } }' \
        "$work/steady" >"$work/differences"
    raw_lines <"$work/differences"
    printf '\nprocessor s between two lengths, both longer than the first second\n'
    awk -F '\t' '$2 == "plain" { plain = $4; next } { ratio = plain > 0 ? $4 / plain : 0
        printf "%-16s plain %.2f, %s %.2f: %s%.2f%s\n", $1, plain, $2, $4,
            (ratio > 1.25 ? "**" : ""), ratio, (ratio > 1.25 ? "**" : "") }' "$work/differences"
}

# ---- Truth ---------------------------------------------------------------------------------------

truth_rounds=3 truth_least=30
alone= # one client asks web
# Programs of one loop run a quarter of it: all probes of one take 15 s else. Two run so long that their
# code, and the tracker's, has come to the last tier.
truth_size() { # NAME
    case $1 in
    richards | fib | hundred) echo $((size / 4)) ;;
    json | web) echo $((size * 4)) ;;
    *) echo "$size" ;;
    esac
}
# truth_run PROGRAM VARIANT FILE: runs it; its report.
truth_run() {
    says "$1" "$2" &&
        "$ilinject" report --format=csv --raw-names "$work/$1/$2.ilprof" >"$3"
}
# Mono ends with an assertion (class-init.c) in whatever Mono.Cecil has written of mcs.exe. There
# ilinject weaves the same calls, and Outermost.cs is the tracker.
stopwatches_ours() { # PROGRAM METHODS
    local program=$1 to=$work/$1/stopwatch file one=() pattern
    file=$(files_of "${program%-*}") file=${file%%:*}
    while read -r pattern; do one+=(--include "$pattern"); done < <(cut -f 4 "$2" |
        sed 's/::/./; s/\//./g')
    mcs -nologo -optimize+ -target:library -d:TOKENS -out:"$to/Outermost.dll" \
        "$sources/Outermost.cs" >"$work/log" 2>&1 &&
        "$ilinject" "$work/$program/original/$file" -o "$to/$file" --tracker "$to/Outermost.dll" \
            --exclude '*' "${one[@]}" >"$work/log" 2>&1 || return
    grep -q ": $(wc -l <"$2") methods\? instrumented" "$work/log"
}
# stopwatches PROGRAM METHODS: the program with Stopwatch in these methods.
stopwatches() {
    local program=$1 to=$work/$1/stopwatch file name
    rm -rf "$to"
    cp -r "$work/$program/original" "$to"
    if [ "$program" = mcs-mono ]; then
        stopwatches_ours "$@"
        return
    fi
    if [ "${program#*-}" = mono ]; then
        mcs -nologo -optimize+ -target:library -out:"$to/Outermost.dll" "$sources/Outermost.cs"
    else
        tests/dotnet-csc "$to/Outermost.dll" -target:library -optimize+ "$sources/Outermost.cs"
    fi >"$work/log" 2>&1 || return
    for file in $(files_of "${program%-*}"); do
        file=${file%:*} name=${file%.*}
        awk -F '\t' -v name="$name" '$1 == name { print $2 }' "$2" >"$work/only"
        [ -s "$work/only" ] || continue
        dotnet "$rewrite" --try-finally "$to/Outermost.dll" --only "$work/only" \
            "$work/$program/original/$file" "$to/$file" >"$work/log" 2>&1 || return
    done
}
# Each variant's run follows one with Stopwatch: a machine that others share changes its speed.
truth_of() { # PROGRAM FOLDER ROW
    local program=$1 folder=$2 row=$3 variant round pairs=() most last= size=$size
    size=$(truth_size "${program%-*}")
    for variant in $recorded; do
        [ ! -d "$work/$program/$variant" ] || truth_run "$program" $variant "$folder/$variant" || exit 1
    done
    # Stopwatch may take a two-hundredth of plain's time in each of them.
    says "$program" plain || exit 1
    most=$(awk '{ printf "%d", ($1 + $2) * 100000 }' "$work/took")
    dotnet "$work/Top.dll" candidates "$most" "$folder"/* >"$folder/candidates" || exit 1
    stopwatches "$program" "$folder/candidates" || return
    says "$program" stopwatch env OUTERMOST="$folder/times" 2>/dev/null ||
        { echo "its copy with Stopwatch crashes" >"$work/log"; return 1; }
    dotnet "$work/Top.dll" most "$folder/candidates" "$folder/times" >"$folder/methods" || exit 1
    stopwatches "$program" "$folder/methods" || exit 1
    for ((round = 1; round <= truth_rounds; round++)); do
        for variant in $recorded; do
            [ -f "$folder/$variant" ] && [ ! -f "$folder/$variant.long" ] || continue
            [ "$variant" != full ] || [ "$round" -eq 1 ] || continue # no bound is for it
            says "$program" stopwatch env OUTERMOST="$folder/$variant.times.$round" || exit 1
            [ -z "$last" ] || pairs+=("again=$last,$folder/$variant.times.$round")
            last=$folder/$variant.times.$round
            truth_run "$program" $variant "$folder/$variant.$round" || exit 1
            awk '{ exit $1 + $2 >= 10 }' "$work/took" || touch "$folder/$variant.long"
            pairs+=("$variant=$folder/$variant.times.$round,$folder/$variant.$round")
        done
    done
    dotnet "$work/Top.dll" ten "$folder/candidates" "$folder/methods" "${pairs[@]}" |
        awk -v row="$row" '{ print row "\t" $0 }' >>"$work/tens"
}
run_truth() {
    local program rewrite
    rewrite=$(tests/bench/peer | tail -n 1)
    if [ ! -f "$rewrite" ]; then
        not_there truth all "$rewrite"
        return
    fi
    if ! tests/dotnet-csc "$work/Top.dll" -optimize+ -main:Top "$sources/Top.cs" \
        >"$work/log" 2>&1; then
        not_there truth all "$(reason_in "$work/log")"
        return
    fi
    : >"$work/tens"
    for program in $programs; do
        if [ $((SECONDS + truth_least)) -gt "$seconds" ]; then
            not_there "$program" truth "no time was left of $seconds s"
            continue
        fi
        mkdir -p "$work/$program/truth"
        truth_of "$program" "$work/$program/truth" "$program" ||
            not_there "$program" truth "$(reason_in "$work/log")"
    done
    # With four clients most of the time of web's methods is waiting for a processor, which no two runs
    # share out alike. So once more with one.
    if [[ " $programs " = *" web-dotnet "* && $((SECONDS + truth_least)) -le $seconds ]]; then
        mkdir -p "$work/web-dotnet/alone"
        alone=1
        truth_of web-dotnet "$work/web-dotnet/alone" "web alone-dotnet" ||
            not_there "web alone-dotnet" truth "$(reason_in "$work/log")"
        alone=
    fi
    awk -F '\t' -v OFS='\t' '
        { v = $1 OFS $2; all[v]++; ten[v] += $9; there = $6 >= 0
          e = $7 < 0 ? -$7 : $7; near[v] += there && e <= 0.05
          t = $8 < 0 ? -$8 : $8; if (there && t > time[v]) time[v] = t
          gone[v] += !there; if (there && e > worst[v]) worst[v] = e }
        END { for (v in all) { print v, "ten", ten[v]; print v, "of", all[v]
              print v, "near", near[v] + 0; print v, "gone", gone[v] + 0
              print v, "worst", worst[v] + 0; print v, "time", time[v] + 0 } }' "$work/tens" >"$work/figures"
    sort "$work/figures" | raw_lines
    printf '\nthe ten methods with the most inclusive time: ms by Stopwatch, and by profiles\n'
    awk -F '\t' '{ printf "%-16s %-9s %2d %9.1f %9.1f %s%s\n", $1, $2, $3, $5, $6 < 0 ? 0 : $6, $4,
        $6 < 0 ? " (not there)" : "" }' "$work/tens"
    sort "$work/figures" | awk -F '\t' '
        { v = sprintf("%-16s %-9s", $1, $2); f[v, $3] = $4 }
        v != last { order[++n] = v; last = v }
        END { for (i = 1; i <= n; i++) { v = order[i]
              printf "%s of %d: among its ten %d, share within 5 %% %d, not there %d, worst share %.1f %%, worst time %.1f %%\n",
                  v, f[v, "of"], f[v, "ten"], f[v, "near"], f[v, "gone"], f[v, "worst"] * 100,
                  f[v, "time"] * 100 } }'
}
