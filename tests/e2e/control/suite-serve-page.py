#!/usr/bin/env -S python3 -B
"""`serve --page`: what readers see of the profiles that come, and Prometheus' figures, judged by promtool."""
import contextlib
import http.client
import re
import signal
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit
sys.path[0] += "/../.."
from kit import (ILINJECT, check, command, equal, finish, has, ilinject, mcs, program, report, skip, started, true,
                 within)

SENDER, READER = "sender-0123456789", "reader-0123456789"
SOURCE = r"""
using System;
class P {
    static int Add(int a, int b) { return a + b; }
    static void Main(string[] args) {
        int sum = 0;
        for (int i = 0; i < int.Parse(args[0]); i++) sum = Add(sum, i);
        Console.WriteLine(sum);
    }
}
"""
LINE = re.compile(r'([a-z_]+)(?:\{assembly="((?:[^"\\\n]|\\[\\"n])*)",method="((?:[^"\\\n]|\\[\\"n])*)"\})? ([0-9.]+)')


def samples(text):
    """By family and method: the value, as text."""
    rows = [LINE.fullmatch(line) for line in text.splitlines() if not line.startswith("#")]
    true(all(rows), text)
    found = {(row[1], row[3]): row[4] for row in rows}
    equal(len(found), len(rows))
    return found


def judged(text):
    if has("promtool"):
        done = subprocess.run(["promtool", "check", "metrics"], input=text, text=True, capture_output=True, check=False)
        equal((done.returncode, done.stderr), (0, ""))


def is_an_export(profile):
    text = ilinject("report --format=prometheus", profile).out
    judged(text)
    found, told = samples(text), report(profile)
    timed = told["totals"]["exclusive_ns"] > 0  # where all of it was waiting there are no times
    for f in told["functions"]:
        equal(found["ilinject_method_calls_total", f["name"]], str(f["calls"]))
        if timed:
            equal(found["ilinject_method_own_seconds", f["name"]],
                  f"{f['exclusive_ns'] // 10**9}.{f['exclusive_ns'] % 10**9:09}")
    equal(found["ilinject_calls_total", None], str(told["totals"]["enters"]))
    equal(found["ilinject_runs", None], "1")
    one = samples(ilinject("report --format=prometheus --top=1", profile).out)
    equal(len([family for family, method in one if method]), 1 + timed)


def has_bound():
    """Without --top 20 methods, whatever there is; never more than 1,000."""
    for many in 1500, 1:
        body = "".join(f"static void M{i}() {{}}\n" for i in range(many))
        calls = "".join(f"M{i}();" for i in range(many))
        mcs("Many.exe", code=f"class Many {{ {body} static void Main() {{ {calls} }} }}")
        ilinject("-q Many.exe -o many/")
        profile = program("mono", "many/Many.exe", status=0).profile
        for top, expected in ("", min(20, many + 1)), ("--top=5000", min(1000, many + 1)):
            text = ilinject(f"report --format=prometheus {top}", profile).out
            judged(text)
            equal(len([1 for f, m in samples(text) if m and f == "ilinject_method_calls_total"]), expected)


class Server:
    def __init__(self, said):
        self.said = said
        self.host = urlsplit(re.search(r"http://[^\s;]*", said)[0]).netloc

    def ask(self, path, method="GET", body=None):
        connection = http.client.HTTPConnection(self.host, timeout=100)
        connection.request(method, path, body)
        answer = connection.getresponse()
        content = answer.read().decode("utf-8", "replace")
        connection.close()
        return {"status": answer.status, "headers": dict(answer.getheaders()), "text": content}


@contextlib.contextmanager
def serving(*options):
    out = Path("out.txt")
    with started(ILINJECT, "serve", "--listen", "127.0.0.1:0", "-o", "kept", *options) as process:
        lines = 1 + (f"--page={READER}" in options)
        within(100, lambda: out.read_text(encoding="utf-8").count("\n") == lines)
        yield Server(out.read_text(encoding="utf-8"))
        process.send_signal(signal.SIGINT)
        equal(process.wait(100), 0)


def shows(profiles):
    with serving("--token", SENDER, f"--page={READER}") as server:
        true(f"http://{server.host}/TOKEN/; " in server.said and READER not in server.said, server.said)
        shell = server.ask(f"/{READER}/")
        true("frame-ancestors 'none'" in shell["headers"]["Content-Security-Policy"] and "live.js" in shell["text"])
        equal([server.ask(f"/{READER}/{name}")["status"] for name in ("version", "report.html", "metrics", "none")],
              [200, 404, 404, 404])
        for count, profile in enumerate(profiles, 1):
            equal(server.ask(f"/{SENDER}", "POST", Path(profile).read_bytes())["status"], 200)
            true(within(100, lambda: server.ask(f"/{READER}/version")["text"] == f"{count}\n"))
            metrics = server.ask(f"/{READER}/metrics")
            true(within(100, lambda: samples(server.ask(f"/{READER}/metrics")["text"])["ilinject_runs", None] ==
                        str(count)))
            equal(metrics["headers"]["Content-Type"], "text/plain; version=0.0.4; charset=utf-8")
            judged(metrics["text"])
        equal(server.ask(f"/{READER}/metrics")["text"], ilinject("report --format=prometheus", *profiles).out)
        page = server.ask(f"/{READER}/report.html")
        true('id="profile"' in page["text"] and '"calls":[' in page["text"])
        for answer in shell, page, metrics:
            equal([answer["headers"].get(name) for name in
                   ("Access-Control-Allow-Origin", "Cache-Control", "Referrer-Policy")],
                  [None, "no-store", "no-referrer"])


def keeps_apart(profile):
    """The senders' token reads nothing, the readers' sends nothing; half of one, or a longer one, is none."""
    with serving("--token", SENDER, f"--page={READER}") as server:
        for path in (f"/{SENDER}/", f"/{SENDER}/metrics", f"/{READER}", f"/{READER[:-1]}/", f"/{READER}x/",
                     f"//{READER}/"):
            equal((path, server.ask(path)["status"]), (path, 403))
        for path in f"/{READER}/", f"/{READER}":
            equal(server.ask(path, "POST", Path(profile).read_bytes())["status"], 403)
        equal(server.ask(f"/{READER}/", "HEAD")["status"], 200)
    for option in "--page=short", f"--page={SENDER}":
        ilinject("serve --listen 127.0.0.1:0 -o kept --token", SENDER, option,
                 status=2).says("readers have another one")


def is_nothing_without(profile):
    with serving("--token", SENDER) as server:
        equal([server.ask(path)["status"] for path in ("/", f"/{READER}/", "/metrics")], [403, 403, 403])


if not has("mono", "mcs"):
    skip("a page for readers", "mono and mcs are not all there")
    finish()
mcs("P.exe", code=SOURCE)
ilinject("-q P.exe -o made/")
first, second = (program("mono", "made/P.exe", count, name=name, status=0).profile
                 for count, name in (("1000", "one.ilprof"), ("2000", "two.ilprof")))
if not has("promtool"):
    skip("promtool takes the figures", "promtool (Debian's package prometheus) is not installed")
check("a report for Prometheus has calls and own time of each method", is_an_export, first)
check("its methods are bounded", has_bound)
if "libmicrohttpd.so.12 " in command("/sbin/ldconfig -p").out:
    check("readers see each report that is new, and the figures of all runs", shows, (first, second))
    check("readers cannot send, senders cannot read", keeps_apart, first)
    check("without the option nothing can be read", is_nothing_without, first)
else:
    skip("readers see each report that is new", "libmicrohttpd is not installed")
finish()
