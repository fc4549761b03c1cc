#!/usr/bin/env -S python3 -B
# level: full
"""`ilinject serve --rows` at full rate: a thousand clients that send one profile after another, each of several runs in
turn. MINUTES (10), CLIENTS (1000) and RUNS (20, of a client) say how long and how many; what was done is printed."""
import ctypes.util
import json
import os
import random
import resource
import struct
import subprocess
import sys
import time
sys.path[0] += "/../.."
sys.path.append(sys.path[0] + "/e2e/lib/py")
os.environ.pop("CONSISTENT", None)  # the profiles are the same few, a hundred thousand times
import fleet
import senders
from kit import BUILD, LIB, ROOT, check, command, equal, finish, has, scratch, skip, true, write
from served import Served, found_in_rows

if not ctypes.util.find_library("microhttpd"):
    skip("a thousand clients lose nothing", "libmicrohttpd is not installed")
    finish()

MINUTES, CLIENTS, RUNS = (float(os.environ.get(name, of)) for name, of in
                          (("MINUTES", 10), ("CLIENTS", 1000), ("RUNS", 20)))
CLIENTS, RUNS = int(CLIENTS), int(RUNS)
START, HEAD = 1764201600_000000000, 16
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 2 * CLIENTS + 100)), hard))

draw = random.Random(9)
made = fleet.Program(3, 10, 12)
bodies = []  # without what says whose they are, and what is recorded in each
for _ in range(50):
    data, figures = made.run(draw, start=START)
    run_bytes = 16 + struct.unpack_from("<Q", data, HEAD + 8)[0]
    bodies.append((data[HEAD + run_bytes:], sum(c for c, _ in figures.values()), sum(n for _, n in figures.values())))
last = {}  # by run: which of the bodies it has sent last


def clients(end):
    def one(client):
        for beat in range(1 << 30):
            run = beat % RUNS
            which = (client + beat) % len(bodies)
            if time.monotonic() > end and beat >= RUNS:
                return
            whole = fleet.profile({"name": "Shop", "host": f"h{client}", "pid": run + 1, "start": START,
                                   "wall_ticks": beat + 1}, [], [])
            size = 16 + struct.unpack_from("<Q", whole, HEAD + 8)[0]
            last[f"h{client}", run + 1] = which
            yield whole[:HEAD + size] + bodies[which][0]
    return [one(client) for client in range(CLIENTS)]


with Served("out", "--max-files=1000000", "--quiet") as server:
    begun = time.monotonic()
    memory = []

    async def looks(sent):
        await senders.asyncio.sleep(MINUTES * 6)
        memory.append((len(sent.acknowledged), server.most_memory()))
    sent = senders.send(server.url, clients(begun + MINUTES * 60), meanwhile=looks)
    took = time.monotonic() - begun
    memory.append((len(sent.acknowledged), server.most_memory()))
    server.process.terminate()
    server.process.wait()
print(f"# {len(sent.acknowledged)} profiles of {len(last)} runs and {CLIENTS} clients in {took:.0f} s, "
      f"{len(sent.acknowledged) / took:.0f} a second; {len(sent.put_off)} put off, {len(sent.broken)} connections "
      f"ended without an answer; memory {memory[0][1]} KiB after {memory[0][0]} profiles, "
      f"{memory[1][1]} KiB at the end")
expected = {run: bodies[which][1:] for run, which in last.items()}

check("each profile was acknowledged", lambda: equal((sent.others, len(last)), ([], CLIENTS * RUNS)))
check("memory stays as it was after a tenth of the time",
      lambda: true(memory[1][1] <= memory[0][1] + 8192, str(memory)))
check("the last profile of each run is in the rows, once", lambda: equal(found_in_rows("out"), expected))


def by_sql(modules):
    folder = ROOT / "docs/fleet/duckdb"
    job = write("job.json", json.dumps([
        {"run": str(folder / "schema.sql")}, {"run": str(folder / "ndjson.sql")},
        {"set": {"files": f"'{scratch()}/out/rows/*/*.ndjson'"},
         "ask_sql": """SELECT count(*) AS n, count(DISTINCT run_id) AS runs FROM incoming_rows(getvariable('files'))
                       WHERE "table" = 'run'""", "as": "runs"},
        {"run": str(folder / "load.sql")},
        {"ask_sql": "SELECT sum(calls) AS calls, sum(exclusive_ns) AS ns FROM node", "as": "sums"}]))
    said = command("node", LIB / "js/fleet.mjs", "duckdb", modules, scratch() / "rows.db", job, seconds=3600)
    answers = json.loads(said.out.strip().splitlines()[-1])
    (runs,), (sums,) = answers["runs"]["rows"], answers["sums"]["rows"]
    equal((int(runs["n"]), int(runs["runs"])), (CLIENTS * RUNS,) * 2)
    equal((int(sums["calls"]), int(sums["ns"])), tuple(sum(e[i] for e in expected.values()) for i in (0, 1)))


sentence = "DuckDB counts in the rows what was sent"
if has("node"):
    fetched = subprocess.run([ROOT / "tests/npm-fetch", "@duckdb/node-api@1.5.6-r.1"], cwd=ROOT, capture_output=True,
                             env={**os.environ, "BUILD": str(BUILD / "tests/duckdb")}, text=True, check=False)
    if fetched.returncode == 0:
        check(sentence, by_sql, fetched.stdout.strip())
    else:
        skip(sentence, fetched.stdout.strip())
else:
    skip(sentence, "no node is installed")
finish()
