#!/usr/bin/env bash
# level: full
# Long runs at full load: a program of 64 threads with exceptions and async calls, which is asked for snapshots and posts
# its profile meanwhile, and a server under 200 clients, hostile ones among them. SOAK_SECONDS says how long each of the
# three lasts; docs/testing.md has the figures of half an hour.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/ladder.sh"
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
mkdir app && mcs -nologo -optimize+ -out:Soak.exe "$ROOT/tests/e2e/lib/Soak.cs" &&
    "$ILINJECT" Soak.exe -o app/ --include Work --exclude 'Work..ctor' --quiet || exit 1
if can dotnet; then runtimeconfig app/Soak.exe; fi

serve() { # FOLDER
    env --default-signal=INT "$ILINJECT" serve --listen 127.0.0.1:0 -o "$1" --rate 1000000 >"$1.out" 2>"$1.err" &
    server=$!
    jobs_left="$jobs_left $server"
    within 100 grep -q 'post=http' "$1.out" || return 1
    url=$(sed -n 's/.*--set post=//p' "$1.out")
}
memory() { sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$1/status" 2>/dev/null; }
# A line for each of so many moments: seconds, KiB, open files.
watch() { # PID FILE
    while kill -0 "$1" 2>/dev/null; do
        echo "$SECONDS $(memory "$1") $(find "/proc/$1/fd" -mindepth 1 2>/dev/null | wc -l)" >>"$2"
        sleep 2
    done
}
# What it takes at most behind the second third is no more than in the second third, but for a tenth and 16 MiB. (At
# half an hour, behind the second minute.)
flat() { # FILE
    awk -v most="$seconds" 'NF == 3 { if (!start) start = $1
            at = $1 - start; settled = most / 3 < 60 ? most / 3 : 60
            if (at >= settled && at < 2 * settled && $2 > early) early = $2
            if (at >= 2 * settled && $2 > late) late = $2 }
        END { printf "%d MiB at most, then %d MiB\n", early / 1024, late / 1024; exit !(early && late && late <= early * 1.1 + 16384) }' "$1"
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
    wait "$program" || return 1
    echo "$asked snapshots, $late late" >"$runtime.asked"
    [ "$asked" -gt 0 ]
}
counted() {
    [ ! -s "$runtime.err" ] || { cat "$runtime.err"; return 1; }
    "$ILINJECT" report --format=csv "$runtime.ilprof" >/dev/null && "$ILINJECT" report --json "$runtime.ilprof" >"$runtime.json" &&
        python3 - "$runtime.json" "$runtime.said" <<'PY'
import json, sys
report = json.load(open(sys.argv[1]))
calls = {f["name"].removeprefix("Work."): f for f in report["functions"]}
calls = {("Work." + name): f["calls"] for name, f in calls.items()}
said = dict(line.rsplit(" ", 1) for line in open(sys.argv[2]).read().splitlines() if " " in line)
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
    check "$runtime: its memory stays" flat "$runtime.memory"
    check "$runtime: what it posts arrives" posted
    echo "# $runtime: $(tr '\n' ' ' <"$runtime.said") $(cat "$runtime.asked") $(flat "$runtime.memory") $(tail -n 1 "posted-$runtime.out")"
done

# ---- A server --------------------------------------------------------------------------------------------------------

if [[ $wanted == *serve* ]]; then
    mcs -nologo -out:Demo.exe "$ROOT/fixtures/cs/Demo.cs" && mkdir demo && "$ILINJECT" Demo.exe -o demo/ --quiet &&
        (cd demo && ILINJECT_OUT=$SCRATCH/a.ilprof mono Demo.exe >/dev/null) && serve kept || exit 1
    watch "$server" serve.memory &
    python3 "$ROOT/tests/e2e/lib/crowd.py" "$url" a.ilprof "$seconds" >crowd.said 2>&1
    status=$?
    check "a server takes every profile of 140 clients for $seconds s, with 60 others that do harm" eval "cat crowd.said; [ $status -eq 0 ]"
    check "its memory stays" flat serve.memory
    check "it holds one file, whole" eval 'cmp a.ilprof kept/*'
    check "and ends well" eval 'kill -INT "$server" && within 100 grep -q "of 1 run received" kept.out'
    sed 's/^/# /' crowd.said
    echo "# $(flat serve.memory) $(tail -n 1 kept.out) files open at most: $(awk '$3 > most { most = $3 } END { print most }' serve.memory)"
fi
finish
