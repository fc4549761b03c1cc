"""A fleet: runs of many hosts and ten releases, one method slower in the last one by PERCENT. Rows that ilinject writes are
loaded into DuckDB and into ClickHouse (chdb) by the files of docs/fleet, which have to answer the six questions.

A suite says in the environment how large it is (RUNS, PATHS, METHODS, PERCENT) and which ENGINES it asks, and imports this, which
does it. Sizes and times are printed."""
import json
import os
import random
import subprocess
import time
import fleet
from kit import BUILD, LIB, ROOT, check, command, equal, has, ilinject, scratch, skip, true, write

RUNS, PATHS, METHODS, PERCENT = (int(os.environ[name]) for name in ("RUNS", "PATHS", "METHODS", "PERCENT"))
ENGINES, RELEASES = os.environ["ENGINES"].split(), 10
HOSTS, DAY = RUNS // 5, 86400_000000000
FIRST_DAY = (int(time.time()) // 86400 - RELEASES - 1) * DAY + 36000_000000000  # nodes go after 30 days
FLEET = ROOT / "docs/fleet"

draw = random.Random(11)
made = fleet.Program(5, METHODS, PATHS)
by_calls = sorted(range(METHODS), key=lambda m: -sum(k == m for k in made.keys[1:]))
SLOWER, GONE = by_calls[METHODS // 20], by_calls[3]  # called in several places; not called later
CALLED = sorted({made.keys[n] for n in range(1, PATHS + 1)})
ODD = 7
host_factor = [draw.lognormvariate(0, 0.02) for _ in range(HOSTS)]
host_factor[ODD] = 1.6

# A profile a run; what each recorded is kept in sums.
started = time.monotonic()
recorded, profile_bytes, node_count = {}, 0, 0
(scratch() / "profiles").mkdir()
for number in range(RUNS):
    release, host = number * RELEASES // RUNS, number % HOSTS
    slower = {SLOWER: 1 + PERCENT / 100} if release == RELEASES - 1 else {}
    data, figures = made.run(draw, slower, host_factor[host], 0.999, host=f"host-{host}", pid=1000 + number,
                             start=FIRST_DAY + release * DAY + number, labels={"release": f"r{release}"})
    (scratch() / f"profiles/{number:05}.ilprof").write_bytes(data)
    profile_bytes, node_count = profile_bytes + len(data), node_count + len(figures)
    for node, (calls, ns) in figures.items():
        key = made.keys[node]
        runs, all_calls, all_ns = recorded.get(key, (set(), 0, 0))
        runs.add(number)
        recorded[key] = (runs, all_calls + calls, all_ns + ns)
print(f"# {RUNS} runs, {HOSTS} hosts, {node_count} nodes, {profile_bytes / 1e6:.1f} MB of profiles, "
      f"made in {time.monotonic() - started:.0f} s")
names = {m: made.method_name(m) for m in range(METHODS)}

started = time.monotonic()
ilinject("report profiles --format=rows -o rows.ndjson")
print(f"# rows: {(scratch() / 'rows.ndjson').stat().st_size / 1e6:.1f} MB in {time.monotonic() - started:.1f} s")
ilinject("report profiles --format=rows-csv -o rows.csv")


def caller_counts(method):
    found = {}
    sums = {}
    for node in range(1, PATHS + 1):
        if made.keys[node] == method:
            above = made.parents[node]
            sums.setdefault(names[made.keys[above]] if above else "(nobody that is instrumented)", []).append(node)
    for name, nodes in sums.items():
        found[name] = nodes
    return found


def questions(engine, folder, quote):
    """The steps of a job that asks all six."""
    day = "DATE '{}'" if engine == "duckdb" else "'{}'"
    text = "'{}'"
    return [{"set": {"before": text.format("r8"), "after": text.format("r9"), "method": text.format(names[SLOWER]),
                     "days": "3", "today": day.format("2030-01-01")}},
            *({"ask": str(folder / f"{q}.sql"), "as": q}
              for q in ("top", "slower", "callers", "trend", "uncalled", "hosts"))]


def ask(engine, modules, steps, name):
    job = write(f"{name}.json", json.dumps(steps))
    said = command("node", LIB / "js/fleet.mjs", engine, modules, scratch() / f"{name}.db", job, seconds=3600)
    answers = json.loads(said.out.strip().splitlines()[-1])
    took = {**answers["seconds"], **{k: v["seconds"] for k, v in answers.items() if k != "seconds"}}
    print(f"# {name}: " + ", ".join(f"{k} {v:.1f} s" for k, v in took.items()))
    return answers


def near(found, expected):
    true(abs(float(found) - expected) <= max(1e-6 * abs(expected), 0.02), f"{found} instead of {expected}")


def answers_are_right(answers):
    top = answers["top"]["rows"]
    expected = sorted(recorded, key=lambda m: (-recorded[m][2], names[m]))[:20]
    equal([r["name"] for r in top], [names[m] for m in expected])
    for row, method in zip(top, expected):
        equal((int(row["runs"]), int(row["calls"])), (len(recorded[method][0]), recorded[method][1]))
        near(row["seconds"], recorded[method][2] / 1e9)
    slower = answers["slower"]["rows"]
    print("# slower: " + "; ".join(f"{r['name']} {r['percent']} %, t {r['t']}" for r in slower[:2]))
    equal(slower[0]["name"], names[SLOWER])
    true(0.7 * PERCENT < float(slower[0]["percent"]) < 1.3 * PERCENT and
         float(slower[0]["t"]) > float(slower[1]["t"]) + 0.5, str(slower[:2]))
    callers = {r["caller"]: int(r["calls"]) for r in answers["callers"]["rows"]}
    true(set(callers) <= set(caller_counts(SLOWER)) and callers, str(callers))
    if len(callers) < 20:
        equal(sum(callers.values()), recorded[SLOWER][1])
    trend = answers["trend"]["rows"]
    equal((len(trend), sum(int(r["runs"]) for r in trend), sum(int(r["calls"]) for r in trend)),
          (RELEASES, len(recorded[SLOWER][0]), recorded[SLOWER][1]))
    true(float(trend[-1]["median_ns"]) > 1.02 * min(float(r["median_ns"]) for r in trend[:-1]))
    equal(sorted(r["name"] for r in answers["uncalled"]["rows"]), sorted(names[m]
          for m in range(METHODS) if m not in CALLED))
    hosts = answers["hosts"]["rows"]
    equal(hosts[0]["host"], f"host-{ODD}")
    true(float(hosts[0]["z"]) > 4 > abs(float(hosts[1]["z"])), str(hosts[:2]))


SUMS = """SELECT count(*) AS nodes, sum(calls) AS calls, sum(exclusive_ns) AS ns,
    sum(path_id % 1000003) AS mark FROM node"""


def duckdb(modules):
    folder = FLEET / "duckdb"
    steps = [{"run": str(folder / "schema.sql")}, {"run": str(folder / "ndjson.sql")},
             {"set": {"files": "'rows.ndjson'"}, "run": str(folder / "load.sql"), "as": "load"},
             {"ask_sql": SUMS, "as": "sums"}, *questions("duckdb", folder, '"'),
             {"set": {"files": "'rows.ndjson'"}, "run": str(folder / "load.sql"), "as": "load again"},
             {"ask_sql": SUMS, "as": "again"}, {"run": str(folder / "csv.sql")},
             {"set": {"files": "'rows.csv'"}, "run": str(folder / "load.sql"), "as": "load csv"},
             {"ask_sql": SUMS, "as": "csv"}, {"run": str(folder / "rollup.sql"), "as": "roll-up"},
             {"run": str(folder / "rollup.sql"), "as": "roll-up again"},
             {"ask_sql": "SELECT sum(calls) AS calls, sum(exclusive_ns) AS ns FROM path_day", "as": "rolled"},
             {"set": {"today": "(SELECT max(day) FROM run)"}, "run": str(folder / "retention.sql")},
             {"ask_sql": "SELECT count(DISTINCT day) AS days FROM run", "as": "left"}]
    return ask("duckdb", modules, steps, "duckdb")


def both_sums(answers):
    equal(int(answers["sums"]["rows"][0]["nodes"]), node_count)
    equal(int(answers["sums"]["rows"][0]["calls"]), sum(r[1] for r in recorded.values()))
    equal(int(answers["sums"]["rows"][0]["ns"]), sum(r[2] for r in recorded.values()))


def merged_sums():
    """The same sums from merge: own time and calls of every method."""
    ilinject("merge -o all.ilprof", sorted((scratch() / "profiles").iterdir()))
    functions = json.loads(ilinject("report --json all.ilprof").out)["functions"]
    equal({f["name"]: (f["calls"], f["exclusive_ns"]) for f in functions},
          {names[m]: (recorded[m][1], recorded[m][2]) for m in recorded})


check("merging all profiles gives the sums that the runs recorded", merged_sums)


def fetched(package):
    """The folder of a package's own, as another one would be taken out of a shared one; None with a reason."""
    folder = BUILD / "tests" / ("duckdb" if "duckdb" in package else "chdb")
    said = subprocess.run([ROOT / "tests/npm-fetch", package], env={**os.environ, "BUILD": str(folder)}, cwd=ROOT,
                          capture_output=True, text=True, check=False)
    return (said.stdout.strip(), "") if said.returncode == 0 else (None, said.stdout.strip())


modules, reason = fetched("@duckdb/node-api@1.5.6-r.1") if has("node") else (None, "no node is installed")
if modules:
    answers = duckdb(modules)
    check("DuckDB has the sums that the runs recorded", both_sums, answers)
    check("DuckDB's answers to the six questions are those that were planted", answers_are_right, answers)
    check("a file that is loaded again replaces its runs; CSV gives the same",
          lambda: equal((answers["again"]["rows"], answers["csv"]["rows"]), (answers["sums"]["rows"],) * 2))
    check("a day's roll-up has the same sums, and comes in once", lambda: equal(
        {k: int(v) for k, v in answers["rolled"]["rows"][0].items()},
        {k: int(answers["sums"]["rows"][0][k]) for k in ("calls", "ns")}))
    check("retention leaves the newest days", lambda: equal(int(answers["left"]["rows"][0]["days"]), 4))
    print(f"# duckdb: {(scratch() / 'duckdb.db').stat().st_size / 1e6:.1f} MB")
else:
    skip("DuckDB answers the six questions", reason)


def chdb(modules):
    folder = FLEET / "clickhouse"
    shards = []
    for number in (1, 2):  # the runs of even and of odd hosts
        shards += [{"sql": f"CREATE DATABASE shard{number}; USE shard{number};"}, {"run": str(folder / "schema.sql")},
                   {"set": {"files": f"'{scratch()}/shard{number}.ndjson'", "rows": "'JSONEachRow'"},
                    "run": str(folder / "load.sql"), "as": f"load shard {number}"}]
    together = "; ".join(f"CREATE TABLE {t} AS shard1.{t} ENGINE = Merge(REGEXP('^shard'), '^{t}$')"
                         for t in ("run", "method", "path", "node"))
    steps = [{"sql": "CREATE DATABASE one; USE one;"}, {"run": str(folder / "schema.sql")},
             {"set": {"files": f"'{scratch()}/rows.ndjson'", "rows": "'JSONEachRow'"},
              "run": str(folder / "load.sql"), "as": "load"},
             {"ask_sql": SUMS, "as": "sums"}, *questions("chdb", folder, '`'),
             {"run": str(folder / "load.sql"), "as": "load again"},
             {"ask_sql": SUMS.replace("FROM node", "FROM node FINAL"), "as": "again"},
             {"set": {"files": f"'{scratch()}/rows.csv'", "rows": "'CSVWithNames'"},
              "run": str(folder / "load.sql"), "as": "load csv"},
             {"ask_sql": SUMS.replace("FROM node", "FROM node FINAL"), "as": "csv"},
             {"run": str(folder / "rollup.sql"), "as": "roll-up"}, {"run": str(folder / "rollup.sql"),
              "as": "roll-up again"},
             {"ask_sql": "SELECT sum(calls) AS calls, sum(exclusive_ns) AS ns FROM path_day", "as": "rolled"},
             *shards, {"sql": f"CREATE DATABASE cluster; USE cluster; {together};"},
             {"ask_sql": SUMS, "as": "sharded"},
             *({**q, "as": "sharded " + q["as"]} for q in questions("chdb", folder, '`')[1:])]
    return ask("chdb", modules, steps, "chdb")


modules, reason = None, "no node is installed"
if has("node") and "chdb" in ENGINES:
    modules, reason = fetched("chdb@3.4.0")
if "chdb" not in ENGINES:
    pass
elif modules:
    files = sorted((scratch() / "profiles").iterdir())
    for number in (1, 2):
        ilinject(f"report --format=rows -o shard{number}.ndjson", files[number - 1::2])
    answers = chdb(modules)
    check("ClickHouse has the sums that the runs recorded", both_sums, answers)
    check("ClickHouse's answers to the six questions are those that were planted", answers_are_right, answers)
    check("a file that is loaded again replaces its runs in ClickHouse; CSV gives the same",
          lambda: equal((answers["again"]["rows"], answers["csv"]["rows"]), (answers["sums"]["rows"],) * 2))
    check("ClickHouse's roll-up of a day has the same sums, and comes in once", lambda: equal(
        {k: int(v) for k, v in answers["rolled"]["rows"][0].items()},
        {k: int(answers["sums"]["rows"][0][k]) for k in ("calls", "ns")}))

    def as_one():
        equal(answers["sharded"]["rows"], answers["sums"]["rows"])
        answers_are_right({q: answers["sharded " + q]
                          for q in ("top", "slower", "callers", "trend", "uncalled", "hosts")})
        for q in ("top", "slower", "callers", "trend", "uncalled", "hosts"):
            equal(answers["sharded " + q]["rows"], answers[q]["rows"])

    check("two shards, by run, answer as one does", as_one)
else:
    skip("ClickHouse answers the six questions", reason)
