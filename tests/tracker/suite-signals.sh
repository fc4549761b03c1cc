#!/usr/bin/env bash
# Signals come while calls are recorded, 20,000 of them: none of the calls is lost, none is counted twice, and the program ends as it would.
. "$(dirname "$0")/../lib.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
for tool in mono mcs python3; do
    has $tool || { skip "signals disturb no count" "$tool is not installed"; finish; }
done
mkdir app && mcs -nologo -out:Storm.exe "$ROOT/tests/tracker/Storm.cs" && "$ILINJECT" -q Storm.exe -o app/ || exit 1
cat >app/Storm.runtimeconfig.json <<'END'
{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App","version":"10.0.0"},"rollForward":"Major"}}
END
cat >storm.py <<'END'
import os, signal, sys, time
kinds = [signal.SIGUSR1, signal.SIGUSR2, signal.SIGWINCH, signal.SIGURG, signal.SIGALRM, signal.SIGTERM, signal.SIGCHLD, signal.SIGCONT]
for i in range(20000):
    os.kill(int(sys.argv[1]), kinds[i % len(kinds)])
    if i % 16 == 15:
        time.sleep(0.0001)
END
stormy() { # SETTINGS…
    local pid status
    rm -rf run && mkdir run
    (cd run && exec env "$@" "$runtime" ../app/Storm.exe >../out.txt 2>../err.txt) &
    pid=$!
    within 100 test -e run/ready && python3 storm.py $pid
    status=$?
    : >run/enough
    wait $pid || { echo "exit value $?"; cat out.txt err.txt; return 1; }
    [ $status -eq 0 ] && [ ! -s err.txt ] && [ "$(cat out.txt)" -ge 40 ] || { cat out.txt err.txt; return 1; }
    "$ILINJECT" report --json run/Storm.ilprof >report.json && "$ROOT/tests/consistent" report.json && exact "$(cat out.txt)"
}
exact() { # ROUNDS
    python3 - "$1" <<'END'
import json, sys
rounds, report = int(sys.argv[1]), json.load(open("report.json"))
calls = {f["name"].split("(")[0]: f["calls"] for f in report["functions"]}
expected = {"Storm.Round": rounds, "Storm.Leaf": 100 * rounds, "Storm.Caught": rounds, "Storm.Throws": rounds, "Storm.Work": 4, "Storm.Main": 1, "Storm.Handle": 1}
wrong = {name: (calls.get(name), count) for name, count in expected.items() if calls.get(name) != count}
print(wrong, report["totals"])
sys.exit(bool(wrong) or report["totals"]["open"] != 0 or report["totals"]["resynchronised"] != 0)
END
}
for runtime in mono dotnet; do
    has $runtime || { skip "$runtime: signals disturb no count" "$runtime is not installed"; continue; }
    check "$runtime: signals disturb no count" stormy
    check "$runtime: nor with a timeline and histograms" stormy ILINJECT_TIMELINE=1 ILINJECT_HISTOGRAM=1
done
finish
