#!/usr/bin/env -S python3 -B
"""OTLP profiles: report --format=otlp and --post, serve --otlp. protoc decodes what is written, by the published
numbers of the format's fields; sums are held against pprof's and JSON's; the collector is a socket here that answers
as it is said to."""
import os
import random
import signal
import socket
import sys
import time
import urllib.request
sys.path[0] += "/../.."
sys.path.append(sys.path[0] + "/e2e/lib/py")
import fleet
import otlp
from kit import (ILINJECT, can, check, differ, equal, finish, has, ilinject, like, mcs, program, read, report, same,
                 scratch, skip, started, true, within)

SENTENCE = "profiles are written as OTLP"
if not has("protoc"):
    skip(SENTENCE, "protoc is not installed (Debian: protobuf-compiler)")
    finish()

made = fleet.Program(3, 60, 300)
draw = random.Random(4)
FACTS = [{"host": f"h{i}", "pid": 10 + i % 2, "start": 1764201600_000000000 + i * 86400_000000000,
          "labels": {"release": f"1.{i % 2}", "service.name": "shop", "tier": "a b"}} for i in range(3)]
recorded = []
for number, of in enumerate(FACTS):
    data, figures = made.run(draw, share=0.9, **of)
    (scratch() / f"{number}.ilprof").write_bytes(data)
    recorded.append(figures)
FILES = [f"{i}.ilprof" for i in range(3)]
(scratch() / "bare.ilprof").write_bytes(made.run(draw, host="h9", pid=7, start=5_000_000_000)[0])

SOURCE = """using System;
using System.Threading;
using System.Threading.Tasks;
static class Mill {
    static int Grind(int n) {
        return n < 2 ? n : Grind(n - 1) + Grind(n - 2);
    }
    static void Fail() { try { throw new InvalidOperationException("x"); } catch (InvalidOperationException) { } }
    static async Task Later() { await Task.Delay(30); Grind(3); }
    static void Main() {
        for (int i = 0; i < 3; i++) Fail();
        var ground = new ManualResetEvent(false);
        var t = new Thread(() => { Grind(8); ground.Set(); Thread.Sleep(Timeout.Infinite); });
        t.Name = "miller"; t.IsBackground = true;
        t.Start(); ground.WaitOne();
        Later().Wait();
        Grind(6);
    }
}
"""


def written(*arguments):
    ilinject("report --format=otlp -o out.otlp", *arguments)
    return otlp.Document((scratch() / "out.otlp").read_bytes())


# pprof's names of the same types of measure.
NAMES = {"wall": "exclusive"}


def agrees(*arguments):
    """Each stack has what it has in pprof, in each type, and none breaks a rule."""
    found = written(*arguments)
    equal("\n".join(found.faults()), "")
    ilinject("report --format=pprof -o out.pb.gz", *arguments)
    pprof = (scratch() / "out.pb.gz").read_bytes()
    types = [kind for kind, _ in found.types()]
    for kind in types:
        equal(found.stacks(kind), otlp.pprof_stacks(pprof, NAMES.get(kind, kind)))
    for kind in ("calls", "exclusive", "exceptions"):
        true(kind in [NAMES.get(t, t) for t in types] or not otlp.pprof_stacks(pprof, kind), f"{kind} is missing")
    return found


def totals(found, *profiles):
    """Sums are JSON's: calls of functions, times of nodes."""
    page = ilinject("report --json", profiles).json()
    nodes = [node for thread in page["threads"] for node in thread["tree"]]
    equal(sum(found.stacks("calls").values()), sum(f["calls"] for f in page["functions"]))
    equal(sum(found.stacks("wall").values()), sum(n["exclusive_ns"] + n.get("waiting_ns", 0) for n in nodes))


def has_what_was_recorded():
    found = agrees("0.ilprof")
    equal(found.types(), [("calls", "count"), ("wall", "nanoseconds")])
    totals(found, "0.ilprof")
    equal(sum(found.stacks("calls").values()), sum(calls for calls, _ in recorded[0].values()))
    equal(sum(found.stacks("wall").values()), sum(own for _, own in recorded[0].values()))
    (p, _) = found.profiles
    equal((otlp.one(p, "time_unix_nano"), otlp.one(p, "duration_nano")),
          (FACTS[0]["start"], sum(own for _, own in recorded[0].values())))


def has_labels():
    equal(written("0.ilprof").resource(),
          {"release": "1.0", "service.name": "shop", "tier": "a b", "host.name": "h0",
           "process.executable.name": "Shop", "process.runtime.name": "made", "process.pid": 10})
    bare = written("bare.ilprof").resource()
    equal((bare["service.name"], bare["host.name"], bare["process.pid"]), ("Shop", "h9", 7))


def odd_texts():
    """Texts of a profile that are no UTF-8, or steer a terminal, are texts of a message all the same."""
    whole = fleet.text
    fleet.text = lambda value: whole(value) if "odd" not in value else fleet.varuint(6) + b"odd\xff\x1b\xe2"
    try:
        of = {**FACTS[0], "host": "odd", "labels": {"odd": "x", "release": "odd", "tier": ""}}
        (scratch() / "odd.ilprof").write_bytes(made.run(draw, **of)[0])
    finally:
        fleet.text = whole
    found = agrees("odd.ilprof").resource()
    clean = "odd\ufffd\ufffd\ufffd"
    equal((found["release"], found["host.name"], found[clean]), (clean, clean, "x"))


def sums_runs():
    found = agrees(FILES)
    totals(found, *FILES)
    resource = found.resource()
    equal((resource["release"], resource["service.name"], "host.name" in resource), (["1.0", "1.1"], "shop", False))
    # Threads of one name in processes of one number (a container's 1) are one: the first file's and the third's.
    equal({str(found.attributes(s)) for p in found.profiles for s in p["samples"]},
          {str({"thread.name": "main", "thread.id": 1, "process.pid": pid}) for pid in (10, 11)})
    (first, _) = found.profiles
    end = FACTS[2]["start"] + sum(own for _, own in recorded[2].values())
    equal(otlp.one(first, "time_unix_nano") + otlp.one(first, "duration_nano"), end)
    ilinject("merge -o all.ilprof", FILES)
    merged = agrees("all.ilprof")
    equal(merged.stacks("wall"), found.stacks("wall"))
    equal(merged.resource()["release"], ["1.0", "1.1"])


def is_the_same_again():
    for name in "ab":
        ilinject(f"report 0.ilprof --format=otlp -o {name}.otlp")
    same("a.otlp", "b.otlp")
    ilinject("report 1.ilprof --format=otlp -o c.otlp")
    differ("a.otlp", "c.otlp")
    ids = [otlp.one(p, "profile_id") for f in "ac" for p in written(f"{'0' if f == 'a' else '1'}.ilprof").profiles]
    equal(len(set(ids)), 4)


def has_threads_and_lines():
    mcs("in/Mill.exe", "-debug", code=SOURCE)
    ilinject("in/Mill.exe -o out/ -q")
    profile = program("mono", "out/Mill.exe", status=0).profile
    found = agrees(profile)
    totals(found, profile)
    true({("exceptions", "count"), ("awaiting", "nanoseconds")} <= set(found.types()), found.types())
    equal(sum(found.stacks("exceptions").values()), sum(e["count"] for e in report(profile)["exceptions"]))
    equal(sum(found.stacks("awaiting").values()), sum(a["awaiting_ns"] for a in report(profile)["async"]))
    frames = [found.frame(i) for i in range(1, len(found.tables["location_table"]))]
    (grind,) = [f for f in frames if f[0] == "Mill.Grind(int)"]
    equal((grind[1].endswith("in/Mill.cs"), grind[2]), (True, 6 if grind[2] == 6 else 5))
    threads = {found.attributes(s).get("thread.name") for p in found.profiles for s in p["samples"]}
    true("miller" in threads, threads)
    kinds = {found.attributes(m).get("profile.frame.type") for m in found.tables["location_table"][1:]}
    true("dotnet" in kinds, kinds)
    true(any(s[0] == "(waiting)" for s in found.stacks("wall")), "waits are in the time")
    mapping = [found.text(m, "filename_strindex") for m in found.tables["mapping_table"][1:]]
    equal(mapping, ["Mill.exe"])


def only_counts():
    """A program of which calls were only counted has no times."""
    ilinject("in/Mill.exe -o counts/ -q --set clock=none")
    found = agrees(program("mono", "counts/Mill.exe", name="counts", status=0).profile)
    true("calls" in dict(found.types()) and "wall" not in dict(found.types()), found.types())


check("each stack has the values that it has in pprof, and the sums are JSON's and those recorded",
      has_what_was_recorded)
check("labels are attributes of the resource, and there is always a service", has_labels)
check("texts that no message can hold are made such", odd_texts)
check("several runs become one, merged before or not", sums_runs)
check("the same profile gives the same bytes, and ids of its own", is_the_same_again)
if can("mono") and has("mcs"):
    check("threads, lines, exceptions, waits and awaits of a program are there", has_threads_and_lines)
    check("without times there is no type for them", only_counts)
else:
    skip("threads, lines, exceptions, waits and awaits of a program are there", "Mono is not installed")


# ---- Sending ---------------------------------------------------------------------------------------


def post(receiver, *arguments, **options):
    return ilinject("report 0.ilprof --post", receiver.url, *arguments, **options)


def is_sent():
    ilinject("report 0.ilprof --format=otlp -o 0.otlp")
    with otlp.Receiver(otlp.answer()) as receiver:
        post(receiver).silent()
    ((head, body),) = receiver.got
    equal(body, (scratch() / "0.otlp").read_bytes())
    equal(head[0], "POST /v1development/profiles HTTP/1.1")
    for line in ("Content-Type: application/x-protobuf", "Content-Encoding: gzip",
                 "OTLP-Profiles-Development-Version: 1", f"Host: {receiver.url[7:]}"):
        equal(head.count(line), 1)
    with otlp.Receiver(otlp.answer()) as receiver:
        ilinject("report 0.ilprof --post", f"{receiver.url}/other?a=b").silent()
    equal(receiver.got[0][0][0], "POST /other?a=b HTTP/1.1")


def has_headers():
    env = {"OTEL_EXPORTER_OTLP_HEADERS": "api-key=s3cr%2Cet, X-Tenant = a b"}
    with otlp.Receiver(otlp.answer()) as receiver:
        post(receiver, env=env).silent()
    equal([line for line in receiver.got[0][0] if line.startswith(("api-key", "X-Tenant"))],
          ["api-key: s3cr,et", "X-Tenant: a b"])
    with otlp.Receiver(otlp.answer()) as receiver:
        for text in ("a=s3cret%0aB", "s3cret", "Host=s3cret"):
            said = post(receiver, status=2, env={"OTEL_EXPORTER_OTLP_HEADERS": text})
            said.says("headers: error ILJ0728: header 1", lines=1)
            said.lacks("s3cret")
    equal(receiver.got, [])


def answers_in_pieces():
    """Chunks, an answer before the answer, one without a length, and one that comes byte by byte."""
    body = otlp.partial(2, "no such type")
    half = len(body) // 2
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:half], body[half:])) + b"0\r\n\r\n"
    for whole in (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks,
                  b"HTTP/1.0 200 OK\r\n\r\n" + body):
        with otlp.Receiver(whole) as receiver:
            said = post(receiver, status=1)
            said.says("ILJ0726: the receiver has not taken 2 of the profiles: no such type", lines=1)


def is_partly_taken():
    with otlp.Receiver(otlp.answer("200 OK", otlp.partial(1, "too old"))) as receiver:
        post(receiver, status=1).says("error ILJ0726: the receiver has not taken 1 of the profiles: too old", lines=1)
    with otlp.Receiver(otlp.answer("200 OK", otlp.partial(0, "be careful"))) as receiver:
        post(receiver).says("warning ILJ0727: the receiver says: be careful", lines=1)
    equal(len(receiver.got), 1)


def is_tried_again():
    for status in ("429 Too Many Requests", "502 Bad Gateway", "503 Service Unavailable", "504 Gateway Timeout"):
        with otlp.Receiver(otlp.answer(status, b"", "Retry-After: 0"), otlp.answer()) as receiver:
            post(receiver).silent()
        equal(len(receiver.got), 2)
        equal(receiver.got[0], receiver.got[1])
    with otlp.Receiver(otlp.answer("503 Service Unavailable", b"full\nup", "Retry-After: 0")) as receiver:
        said = post(receiver, status=1)
        said.says("error ILJ0725: the answer is 503 Service Unavailable, asked 5 times: full", lines=1)
    equal(len(receiver.got), 5)
    with otlp.Receiver(otlp.answer("400 Bad Request", b"no\x1b[31m"), otlp.answer()) as receiver:
        said = post(receiver, status=1).says("the answer is 400 Bad Request: no", lines=1)
        true("\x1b" not in said.err)
    equal(len(receiver.got), 1)


def closes_early():
    with otlp.Receiver(lambda connection: None) as receiver:
        post(receiver, status=1).says("error ILJ0725: it cannot be sent: ", lines=1)
    equal(len(receiver.got), 1)
    with otlp.Receiver(b"SSH-2.0-x\r\n") as receiver:
        post(receiver, status=1).says("what came back is no answer of HTTP", lines=1)

    # It answers before it has read anything, and reads no more.
    def refuses(connection):
        connection.sendall(otlp.answer("413 Content Too Large", b"", "Connection: close"))
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(65536):
            pass
    with otlp.Receiver(refuses) as receiver:
        post(receiver, status=1).says("the answer is 413 Content Too Large", lines=1)


def is_slow():
    """One that takes a second is waited for; one that never answers is not."""
    def late(connection):
        connection.recv(65536)
        time.sleep(1)
        connection.sendall(otlp.answer())
    with otlp.Receiver(late) as receiver:
        post(receiver).silent()
    with otlp.Receiver(lambda connection: time.sleep(60)) as receiver:
        post(receiver, status=1, seconds=120).says("it cannot be sent: it takes too long", lines=1)


def wrong_urls():
    for url, said in (("https://x/y", "https is not spoken here"), ("ftp://x", "found another beginning"),
                      ("x:80", "found another beginning"), ("http://", "found no host"),
                      ("http://:80", "found no host"), ("http://x:0", "found no port"),
                      ("http://x:65536", "found no port"), ("http://x:y", "found no port"),
                      ("http://[::1", "found no host"), ("http://[::1]x", "found no port"),
                      ("http://u:p@x", "password"), ("http://x/ y", "a character"),
                      ("http://x/\r\nHost: z", "a character"), ("http://x/#y", "a character"),
                      ("http://" + "x" * 300, "too long"), ("http://x/" + "y" * 2000, "too long")):
        ilinject("report 0.ilprof", f"--post={url}", status=2).says("error ILJ0724: ", said, lines=1)
        ilinject("serve -o none --listen 127.0.0.1:0", f"--otlp={url}", status=2).says("error ILJ0724: ", said, lines=1)
    ilinject("report 0.ilprof --post=http://localhost:1 --format=json", status=2).says("--post is for --format=otlp")
    ilinject("report 0.ilprof --post=http://localhost:1 -o x", status=2).says("--post sends the report")
    refused = ilinject("report 0.ilprof --post=http://127.0.0.1:1", status=1)
    refused.says("ILJ0725: it cannot be sent: Connection refused", lines=1)
    ilinject("report 0.ilprof --post=http://nowhere.invalid", status=1).says("ILJ0725: it cannot be sent: ", lines=1)


check("a report is sent whole, compressed, with the format's headers", is_sent)
check("headers of the environment are sent, and their values stand in no message", has_headers)
check("an answer is read however it is framed", answers_in_pieces)
check("what the receiver did not take is an error, what it says of the rest a warning", is_partly_taken)
check("answers that ask for it are tried again, five times in all", is_tried_again)
check("a connection that ends, an answer that is none or comes early is one line", closes_early)
check("a slow receiver is waited for, though not for ever", is_slow)
check("a URL that nothing can be sent to is one line", wrong_urls)


# ---- Forwarding ------------------------------------------------------------------------------------

TOKEN = "0123456789abcdefghij"


class Served:
    """A server that forwards to a URL."""

    def __init__(self, url, name):
        self.folder, self.name = name, name
        self.run = started([ILINJECT, "serve", "-o", name, "--listen", "127.0.0.1:0", "--token", TOKEN, "--otlp", url],
                           out=f"{name}.out", err=f"{name}.err", env={"OTEL_EXPORTER_OTLP_HEADERS": "key=of%20mine"})

    def __enter__(self):
        self.process = self.run.__enter__()
        within(60, lambda: "post=" in read(f"{self.name}.out"))
        self.url = read(f"{self.name}.out").split("post=")[1].split("/TOKEN")[0] + "/" + TOKEN
        return self

    def __exit__(self, *error):
        return self.run.__exit__(*error)

    def send(self, file):
        with urllib.request.urlopen(self.url, (scratch() / file).read_bytes(), timeout=60) as got:
            equal(got.status, 200)
            return got.read().decode().strip()

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        equal(self.process.wait(timeout=60), 0)
        return read(f"{self.name}.out"), read(f"{self.name}.err")


def is_forwarded():
    with otlp.Receiver(otlp.answer("503 Service Unavailable", b"", "Retry-After: 0"), otlp.answer()) as receiver:
        with Served(receiver.url, "in1") as server:
            for file in FILES:
                name = server.send(file)
                same(file, f"in1/{name}")
            within(60, lambda: len(receiver.got) == 4)
            out, err = server.end()
    equal(err, "")
    true(out.endswith("3 profiles of 3 runs received\n3 profiles forwarded, 0 dropped\n"), out)
    bodies = []
    for file in FILES:
        ilinject(f"report {file} --format=otlp -o x.otlp")
        bodies.append((scratch() / "x.otlp").read_bytes())
    equal([body for _, body in receiver.got], [bodies[0], *bodies])
    equal([head.count("key: of mine") for head, _ in receiver.got], [1] * 4)


def nothing_is_lost(url, name):
    with Served(url, name) as server:
        names = {server.send(file) for _ in range(3) for file in FILES}
        out, err = server.end()
    equal(len(names), 3)
    for file in FILES:
        true(any((scratch() / name / n).read_bytes() == (scratch() / file).read_bytes() for n in names), file)
    true(like(r"^9 profiles of 3 runs received\n0 profiles forwarded, [1-9]\d* dropped$").search(out), out)
    true(like(rf"^ilinject: warning: \d+ profiles? w(as|ere) not forwarded to {url}, and kept here: ").search(err), err)
    true(err.count("\n") <= 2, err)


def survives_dead_collectors():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        nothing_is_lost(f"http://127.0.0.1:{taken.getsockname()[1]}", "dead")
    with otlp.Receiver(lambda connection: time.sleep(60)) as receiver:
        nothing_is_lost(receiver.url, "silent")


def forwarder_is_confined():
    """Its thread may connect, and neither starts programs nor writes."""
    with otlp.Receiver(otlp.answer()) as receiver, Served(receiver.url, "shut") as server:
        server.send(FILES[0])
        within(60, lambda: receiver.got)
        for task in os.listdir(f"/proc/{server.process.pid}/task"):
            status = read(f"/proc/{server.process.pid}/task/{task}/status")
            true(like(r"^Seccomp:\s+2$").search(status) and like(r"^NoNewPrivs:\s+1$").search(status), status)
        equal(len(os.listdir(f"/proc/{server.process.pid}/task")), 2)
        server.end()


def costs_nothing_when_off():
    with started([ILINJECT, "serve", "-o", "off", "--listen", "127.0.0.1:0"], out="off.out") as process:
        within(60, lambda: "post=" in read("off.out"))
        equal(len(os.listdir(f"/proc/{process.pid}/task")), 1)


if "libmicrohttpd" in os.popen("PATH=$PATH:/usr/sbin:/sbin ldconfig -p").read():
    check("serve forwards each profile that it has kept, and tries again", is_forwarded)
    check("a collector that is dead or silent costs no profile and no end", survives_dead_collectors)
    check("what forwards is confined, too", forwarder_is_confined)
    check("without --otlp there is no thread for it", costs_nothing_when_off)
else:
    skip("serve forwards each profile that it has kept, and tries again", "libmicrohttpd is not installed")
finish()
