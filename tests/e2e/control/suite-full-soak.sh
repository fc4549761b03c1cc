#!/usr/bin/env bash
# level: full
# Long runs at full load: a program of 64 threads with exceptions and async calls, which is asked for snapshots and posts
# its profile meanwhile, beside the same program as it was; and a server under 200 clients, hostile ones among them.
# SOAK_SECONDS says how long each of the three lasts, SOAK_PARTS which of them run; docs/how-good.md has the figures of
# half an hour.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
seconds=${SOAK_SECONDS:-60} wanted=${SOAK_PARTS:-dotnet mono serve}
for tool in mono mcs python3; do
    has $tool || { skip "programs and servers hold out" "$tool is not installed"; finish; }
done
if ! PATH=$PATH:/usr/sbin:/sbin ldconfig -p | grep -q 'libmicrohttpd\.so\.12 '; then
    skip "programs and servers hold out" "libmicrohttpd is not installed"
    finish
fi
jobs_left=
trap 'for one in $jobs_left; do kill -KILL "$one" 2>/dev/null; done; rm -rf "$SCRATCH"' EXIT
mkdir app && mcs -nologo -optimize+ -out:Soak.exe "$ROOT/tests/e2e/lib/cs/Soak.cs" &&
    "$ILINJECT" Soak.exe -o app/ --include Work --exclude 'Work..ctor' --quiet || exit 1
if can dotnet; then runtimeconfig app/Soak.exe && runtimeconfig Soak.exe; fi

serve() { # FOLDER
    env --default-signal=INT "$ILINJECT" serve --listen 127.0.0.1:0 -o "$1" --rate 1000000 >"$1.out" 2>"$1.err" &
    server=$!
    jobs_left="$jobs_left $server"
    within 100 grep -q -s "post=http" "$1.out" || return 1
    url=$(sed -n 's/.*--set post=//p' "$1.out")
}
# A line for each of that many moments: seconds, KiB that it has written and holds, KiB in memory, open files, threads.
watch() { # PID FILE
    local step=$((seconds / 30))
    while kill -0 "$1" 2>/dev/null; do
        echo "$SECONDS $(awk '/^(Private_Dirty|Shared_Dirty|Swap):/ { sum += $2 } /^Rss:/ { rss = $2 } END { print sum + 0, rss + 0 }' "/proc/$1/smaps_rollup" 2>/dev/null)" \
            "$(find "/proc/$1/fd" -mindepth 1 2>/dev/null | wc -l) $(sed -n 's/^Threads:[^0-9]*//p' "/proc/$1/status" 2>/dev/null)" >>"$2"
        sleep $((step < 2 ? 2 : step > 10 ? 10 : step))
    done
}
# Two figures of lines of moments and figures: of minutes 3 to 7 and of the last five; of a shorter run, of its second and
# of its last third. Each is the figure that a tenth of those moments is not above, as a collector lets memory grow, and
# gives back what is free. With "median", half of them.
early_and_late() { # FILE [median]
    local of=10
    [ $# -lt 2 ] || of=2
    if [ "$seconds" -ge 1800 ]; then
        echo "$(least $of 120 420 "$1") $(least $of $((seconds - 300)) $((seconds + 60)) "$1")"
    else
        echo "$(least $of $((seconds / 3)) $((seconds * 2 / 3)) "$1") $(least $of $((seconds * 2 / 3)) $((seconds + 60)) "$1")"
    fi
}
least() { # OF FROM TO FILE
    awk -v from="$2" -v to="$3" '$1 >= from && $1 < to { print $2 }' "$4" | sort -n | awk -v of="$1" '{ all[NR] = $1 } END { print NR ? all[int((NR + of - 1) / of)] : 0 }'
}
# It grows by 3 % and 2 MiB at most beyond what the plain program grows by. A program that runs for a minute has not
# warmed up: a tenth and 16 MiB.
flat() { # FILE [FILE OF THE PLAIN PROGRAM]
    local file
    for file; do awk 'NF == 5 && $2 > 0 { if (!start) start = $1; print $1 - start, $2 }' "$file" >"$file.taken"; done
    # shellcheck disable=SC2046
    stays 2048 $(early_and_late "$1.taken") $([ $# -lt 2 ] || early_and_late "$2.taken")
}
# So does what is left of its heap after a collection, which a thread of the pool more takes some KiB of: 3 % and 512 KiB.
heap_stays() { # WHAT IT SAID, WHAT THE PLAIN PROGRAM SAID
    local file
    for file; do sed -n 's/^memory //p' "$file" | awk '{ print $1, int($2 / 1024) }' >"$file.taken"; done
    # shellcheck disable=SC2046
    stays 512 $(early_and_late "$1.taken" median) $(early_and_late "$2.taken" median)
}
stays() { # MORE EARLY LATE [PLAIN-EARLY PLAIN-LATE], in KiB
    awk -v more="$1" -v early="$2" -v late="$3" -v plain="${4:-}" -v plain_late="${5:-}" -v long=$((seconds >= 1800)) 'BEGIN {
        printf "%.1f MiB, then %.1f MiB", early / 1024, late / 1024
        if (plain != "") printf "; plain %.1f MiB, then %.1f MiB", plain / 1024, plain_late / 1024
        print ""
        most = long ? early * 0.03 + more : early * 0.1 + 8 * more
        if (plain_late > plain) most += plain_late - plain
        exit !(early > 0 && late > 0 && late - early <= most) }'
}

# ---- A program ------------------------------------------------------------------------------------------------------

run_it() {
    local asked=0 late=0 end snapshot=("$ILINJECT" ctl)
    serve "posted-$runtime" || return 1
    (cd app && ILINJECT_BEAT=5 ILINJECT_POST=$url ILINJECT_OUT=$SCRATCH/$runtime.ilprof exec "$runtime" Soak.exe 64 "$seconds" >"../$runtime.said" 2>"../$runtime.err") &
    program=$!
    jobs_left="$jobs_left $program"
    within 100 grep -q ready "$runtime.said" || { cat "$runtime.err"; return 1; }
    snapshot+=("$program" snapshot -o "$runtime.snapshot.ilprof" --quiet)
    within 100 "${snapshot[@]}" 2>"$runtime.ctl" || { cat "$runtime.ctl"; return 1; }
    watch "$program" "$runtime.memory" &
    (exec "$runtime" Soak.exe 64 "$seconds" >"$runtime.plain" 2>&1) &
    plain=$!
    jobs_left="$jobs_left $plain"
    watch "$plain" "$runtime.plain-memory" &
    end=$((SECONDS + seconds - 5))
    while [ $SECONDS -lt $end ]; do
        # A machine with much else to do may need longer than ctl waits.
        if "${snapshot[@]}" >>"$runtime.given" 2>"$runtime.ctl"; then
            asked=$((asked + 1))
        else
            grep -q 'has not answered within' "$runtime.ctl" || { cat "$runtime.ctl"; return 1; }
            late=$((late + 1))
        fi
        "$ILINJECT" report --json "$runtime.snapshot.ilprof" >snapshot.json && grep -q '"enters"' snapshot.json || return 1
        sleep 2
    done
    wait "$program" && wait "$plain" || return 1
    echo "$asked snapshots, $late late" >"$runtime.asked"
    [ "$asked" -gt 0 ]
}
counted() {
    # A post may be late on such a machine, too, which the tracker says once; a later one has all that it would have had.
    ! grep -v 'no answer within 30 seconds' "$runtime.err" || return 1
    "$ILINJECT" report --format=csv "$runtime.ilprof" >/dev/null && "$ILINJECT" report --json "$runtime.ilprof" >"$runtime.json" &&
        python3 - "$runtime.json" "$runtime.said" <<'PY'
import json, sys
report = json.load(open(sys.argv[1]))
calls = {f["name"].removeprefix("Work."): f for f in report["functions"]}
calls = {("Work." + name): f["calls"] for name, f in calls.items()}
said = dict(line.rsplit(" ", 1) for line in open(sys.argv[2]).read().splitlines() if line.startswith("Work."))
for name, count in said.items():
    assert calls.get(name) == int(count), (name, count, calls)
totals = report["totals"]
print(totals)
assert totals["enters"] == totals["leaves"] + totals["by_exception"] and totals["open"] == totals["resynchronised"] == 0, totals
PY
}
posted() {
    local file count=0
    kill -INT "$server" && within 100 grep -q 'of 1 run received' "posted-$runtime.out" || return 1
    for file in "posted-$runtime"/*.ilprof; do
        "$ILINJECT" report --json "$file" >/dev/null || return 1
        count=$((count + 1))
    done
    [ "$count" -eq 1 ] && tail -n 1 "posted-$runtime.out" && ! grep -q 'refused with' "posted-$runtime.err"
}
for runtime in dotnet mono; do
    [[ $wanted == *$runtime* ]] || continue
    can $runtime || { skip "$runtime: a program holds out" "$runtime is not installed"; continue; }
    run_it >run_it.log 2>&1
    status=$?
    check "$runtime: 64 threads with exceptions and async calls for $seconds s, asked for snapshots all the time" eval "cat run_it.log; [ $status -eq 0 ]"
    check "$runtime: each call is counted, and all that were entered were left" counted
    check "$runtime: its memory stays, as far as the plain program's does" flat "$runtime.memory" "$runtime.plain-memory"
    check "$runtime: so does its heap" heap_stays "$runtime.said" "$runtime.plain"
    check "$runtime: what it posts arrives" posted
    sed "s/^memory/# $runtime: &/;t;d" "$runtime.said"
    sed "s/^memory/# $runtime, plain: &/;t;d" "$runtime.plain"
    echo "# $runtime: $(grep '^Work' "$runtime.said" | tr '\n' ' ') $(cat "$runtime.asked") $(flat "$runtime.memory" "$runtime.plain-memory"), heap $(heap_stays "$runtime.said" "$runtime.plain"), threads $(awk '{ last = $5 } END { print last }' "$runtime.memory"), $(tail -n 1 "posted-$runtime.out")"
done

# ---- A server --------------------------------------------------------------------------------------------------------

if [[ $wanted == *serve* ]]; then
    mcs -nologo -out:Demo.exe "$ROOT/fixtures/cs/Demo.cs" && mkdir demo && "$ILINJECT" Demo.exe -o demo/ --quiet &&
        (cd demo && ILINJECT_OUT=$SCRATCH/a.ilprof mono Demo.exe >/dev/null) && serve kept || exit 1
    open_files() { find "/proc/$server/fd" -mindepth 1 | wc -l; }
    files=$(open_files)
    few_files() { [ "$(open_files)" -le "$files" ]; }
    watch "$server" serve.memory &
    python3 "$ROOT/tests/e2e/lib/py/crowd.py" "$url" a.ilprof "$seconds" >crowd.said 2>&1
    status=$?
    check "a server takes every profile of 140 clients for $seconds s, with 60 others that do harm" eval "cat crowd.said; [ $status -eq 0 ]"
    check "its memory stays" flat serve.memory
    check "no file stays open" within 100 few_files
    check "it holds one file, whole" eval 'cmp a.ilprof kept/*'
    check "and ends well" eval 'kill -INT "$server" && within 100 grep -q "of 1 run received" kept.out'
    sed 's/^/# /' crowd.said
    echo "# $(flat serve.memory) $(tail -n 1 kept.out) files open at most: $(awk '$4 > most { most = $4 } END { print most }' serve.memory)"
fi
finish
