#!/usr/bin/env -S python3 -B
"""`ilinject serve --rows`: what was acknowledged is in the rows once, whatever stands in the way meanwhile; trackers
that are put off try again."""
import ctypes.util
import itertools
import os
import random
import re
import resource
import signal
import sys
sys.path[0] += "/../.."
sys.path.append(sys.path[0] + "/e2e/lib/py")
import fleet
import otlp
import senders
from served import Served, found_in_rows
from kit import (ILINJECT, check, command, equal, finish, ilinject, mcs, program, read, runtimeconfig, runtimes,
                 scratch, skip, started, true, within)

if not ctypes.util.find_library("microhttpd"):
    skip("rows of all that was acknowledged", "libmicrohttpd is not installed")
    finish()

CLIENTS, RUNS = 16, 8
START = 1764201600_000000000  # 2025-11-27
DAY = 86400_000000000
draw = random.Random(8)
made = fleet.Program(3, 40, 150)


def profiles(client, runs=RUNS, beats=2):
    """Of each run two: the second one has more of it."""
    for run in range(runs):
        for beat in range(beats):
            yield made.run(draw, host=f"h{client}", pid=run + 1, start=START + run % 3 * DAY, wall_ticks=beat + 1)


def recorded_and_bodies(clients=CLIENTS, runs=RUNS):
    """What the last profile of each run recorded, and each client's bodies."""
    expected, bodies = {}, []
    for client in range(clients):
        all_of_it = list(profiles(client, runs))
        bodies.append([data for data, _ in all_of_it])
        for run, (_, figures) in enumerate(all_of_it[1::2]):
            expected[f"h{client}", run + 1] = (sum(c for c, _ in figures.values()), sum(n for _, n in figures.values()))
    return expected, bodies


def are_those_of_report(folder):
    """Each file has what `report` writes of the profile."""
    names = sorted(p for p in os.listdir(folder) if p.endswith(".ilprof"))
    rows = {name[:-len(".ndjson")]: f"{where}/{name}"
            for where, _, found in os.walk(f"{folder}/rows") for name in found}
    equal(sorted(rows), [name[:-len(".ilprof")] for name in names])
    for name in names[::16]:
        equal(read(rows[name[:-len(".ilprof")]]), ilinject(f"report --format=rows {folder}/{name}").out)


def all_is_found():
    expected, bodies = recorded_and_bodies()
    with Served("calm") as server:
        few = senders.send(server.url, [b[:2] for b in bodies])
        before = server.most_memory()
        sent = senders.send(server.url, bodies)
        true(server.most_memory() < before + 4096, f"{before} KiB, then {server.most_memory()} KiB")
        out, err = server.end()
    equal((len(few.acknowledged), len(sent.acknowledged)), (2 * CLIENTS, 2 * CLIENTS * RUNS))
    equal((sent.put_off, sent.others, sent.broken, err), ([], [], [], ""))
    # The first profile of a run that has sent its second one is not taken again.
    true(out.endswith(f"{CLIENTS * (2 * RUNS + 1)} profiles of {CLIENTS * RUNS} runs received\n"), out[-200:])
    equal(found_in_rows("calm"), expected)
    are_those_of_report("calm")


check("each profile that was acknowledged is in the rows once, in memory that does not grow", all_is_found)


def disk_without_room():
    expected, bodies = recorded_and_bodies()
    with Served("full") as server:
        async def fills(sent):
            await senders.until(lambda: len(sent.acknowledged) >= 30)
            server.limit_files(20000)
            before = len(sent.put_off)
            await senders.until(lambda: len(sent.put_off) >= before + 60)
            server.limit_files(resource.RLIM_INFINITY)
        few = senders.send(server.url, [b[:2] for b in bodies])
        before = server.most_memory()
        sent = senders.send(server.url, bodies, pause=0.02, meanwhile=fills)
        true(server.most_memory() < before + 4096, f"{before} KiB, then {server.most_memory()} KiB")
        out, err = server.end()
    equal((len(few.acknowledged), len(sent.acknowledged)), (2 * CLIENTS, 2 * CLIENTS * RUNS))
    equal((set(sent.put_off), sent.others, sent.broken), ({(503, 1)}, [], []))
    true("refused with 503: it cannot be kept now: full/rows/" in err and "File too large" in err, err[:400])
    true(out.endswith(f" of {CLIENTS * RUNS} runs received\n"), out[-200:])
    equal(found_in_rows("full"), expected)
    are_those_of_report("full")


check("without room for rows the answer is 503, and nothing is lost", disk_without_room)


def slow_disk():
    """The server stands still now and then, as while it waits for a disk."""
    expected, bodies = recorded_and_bodies()
    with Served("slow") as server:
        async def stands_still(sent):
            for number in range(1, 6):
                await senders.until(lambda: len(sent.acknowledged) >= 40 * number)
                server.process.send_signal(signal.SIGSTOP)
                await senders.asyncio.sleep(0.3)
                server.process.send_signal(signal.SIGCONT)
        few = senders.send(server.url, [b[:2] for b in bodies])
        before = server.most_memory()
        sent = senders.send(server.url, bodies, meanwhile=stands_still)
        true(server.most_memory() < before + 4096, f"{before} KiB, then {server.most_memory()} KiB")
        server.end()
    equal((len(few.acknowledged), len(sent.acknowledged), sent.others), (2 * CLIENTS, 2 * CLIENTS * RUNS, []))
    equal(found_in_rows("slow"), expected)


check("a server that stands still loses nothing", slow_disk)


def killed():
    expected, bodies = recorded_and_bodies()
    with Served("killed") as first:
        port = first.url.split(":")[2].split("/")[0]
        second = []

        async def kills(sent):
            await senders.until(lambda: len(sent.acknowledged) >= 60)
            first.process.kill()
            first.process.wait()
            second.append(Served("killed", port=port))
            second[0].__enter__()
        sent = senders.send(first.url, bodies, meanwhile=kills)
    try:
        equal((len(sent.acknowledged), sent.others), (2 * CLIENTS * RUNS, []))
        second[0].end()
    finally:
        second[0].__exit__(None, None, None)
    for where, _, names in os.walk("killed/rows"):  # a half-written one has another name
        for name in names:
            if not name.endswith(".ndjson"):
                os.remove(f"{where}/{name}")
    equal(found_in_rows("killed"), expected)


check("a server that was killed and started again loses nothing that it acknowledged", killed)


def refuses_at_once():
    os.makedirs("odd")
    (scratch() / "odd/rows").write_text("")
    ilinject("serve --rows -o odd --listen 127.0.0.1:0", status=1).says("odd/rows cannot be made", lines=1)


check("a file in the place of the rows' folder is an error at once", refuses_at_once)


def links_are_not_followed():
    data = made.run(draw, host="x", pid=1, start=START)[0]
    with Served("linked") as server:
        senders.send(server.url, [[data]])
        (rows,) = (scratch() / "linked/rows/2025-11-27").iterdir()
        expected = rows.read_bytes()
        (scratch() / "victim").write_text("untouched")
        rows.unlink()
        rows.symlink_to(scratch() / "victim")
        equal(len(senders.send(server.url, [[data]]).acknowledged), 1)
        server.end()
    equal((rows.is_symlink(), rows.read_bytes(), read("victim")), (False, expected, "untouched"))


check("a link in the place of rows is replaced", links_are_not_followed)


def full_folder_says_when():
    first, second = (made.run(draw, host=host, pid=1, start=START)[0] for host in "xy")
    with Served("one", "--max-files=1") as server:
        async def makes_room(sent):
            await senders.until(lambda: sent.put_off)
            for name in os.listdir("one"):
                if name.endswith(".ilprof"):
                    os.remove(f"one/{name}")
        sent = senders.send(server.url, [[first, second]], pause=0.05, meanwhile=makes_room)
        server.end()
    equal((len(sent.acknowledged), set(sent.put_off)), (2, {(507, 60)}))
    equal(len(found_in_rows("one")), 2)


check("a folder with as many profiles as it may have takes the next one once there is room", full_folder_says_when)


# ---- Trackers ----------------------------------------------------------------------------------------------------

APP = """
public static class App {
    static int Twice(int i) { return 2 * i; }
    public static void Main() { int s = 0; for (int i = 0; i < 50; i++) s += Twice(i); System.Console.WriteLine(s); }
}
"""
ANSWERS = ["503 Service Unavailable", "429 Too Many Requests", "507 Insufficient Storage"]


def asks_again(runtime):
    with otlp.Receiver(*(otlp.answer(a, b"", "Retry-After: 1") for a in ANSWERS), otlp.answer()) as receiver:
        said = program(runtime, "out/App.exe", env={"ILINJECT_POST": receiver.url, "ILINJECT_POST_WAIT": "30000"})
    equal((said.err, said.status), ("", 0))
    equal(len(receiver.got), 4)
    equal(len(set(body for _, body in receiver.got)), 1)


def waits_no_longer_than_it_may(runtime):
    with otlp.Receiver(otlp.answer(ANSWERS[0], b"", "Retry-After: 60")) as receiver:
        said = program(runtime, "out/App.exe", env={"ILINJECT_POST": receiver.url, "ILINJECT_POST_WAIT": "6000"},
                       seconds=50)
    equal(said.status, 0)
    true(re.fullmatch(r"ilinject: post=.*: the server answers 503\n", said.err), said.err)
    true(said.profile.exists() and receiver.got)


def arrives_once_there_is_room(runtime):
    folder = f"of-{runtime}"
    with Served(folder) as server:
        rows = scratch() / folder / "rows"
        rows.rmdir()
        rows.write_text("in the way")
        with started(["env", f"ILINJECT_POST={server.url}", "ILINJECT_POST_WAIT=30000",
                      f"ILINJECT_OUT=x-{runtime}.ilprof",
                      *({"mono": ["mono"], "dotnet": ["dotnet", "exec"]}[runtime]), "out/App.exe"],
                     out=f"{folder}.app") as app:
            within(100, lambda: "refused with 503" in read(f"{folder}.err"))
            rows.unlink()
            equal(app.wait(timeout=100), 0)
        server.end()
    equal(read(f"{folder}.app"), "2450\n")
    (sums,) = found_in_rows(folder).values()
    equal(sums[0], 51)


HOSTS = [r for r in runtimes() if r in ("mono", "dotnet")]
if HOSTS:
    mcs("in/App.exe", code=APP)
    ilinject("in/App.exe -o out/App.exe")
    if "dotnet" in HOSTS:
        runtimeconfig("out/App.exe")
    for runtime, (sentence, what) in itertools.product(HOSTS, (
            ("a program that is put off sends again until it is taken", asks_again),
            ("but not for longer than its end may wait, which one line says", waits_no_longer_than_it_may),
            ("its profile and its rows are there once there is room", arrives_once_there_is_room))):
        check(f"{runtime}: {sentence}", what, runtime)
else:
    skip("programs that are put off send again", "no runtime is installed")

finish()
