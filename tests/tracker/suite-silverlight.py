#!/usr/bin/env -S python3 -B
"""Hosts without files, environment, Stopwatch or full trust, Silverlight above all: what the tracker
needs there, where its profile goes, and the profile by HTTP (the setting post), which every host has.
There is no Silverlight here: Mono runs a tracker whose every reference to what Silverlight lacks, or
refuses to applications, leads nowhere (Lacking.cs, silverlight.txt), and programs built for
Silverlight by a host (SilverlightHost.cs)."""
import contextlib
import os
import re
import shutil
import sys
from pathlib import Path
sys.path[0] += "/.."
from kit import (BUILD, FIXTURES, ILINJECT, ROOT, Wrong, can, check, command, copied, dump, equal,
                 finish, fresh, halves, has, ilinject, like, mcs, names_in, read, runtimeconfig, same, scratch, skip,
                 started, true, within, write)

HERE = ROOT / "tests/tracker"
TRACKER = BUILD / "ProfileInfoTracker.dll"
if not has("mono", "mcs"):
    skip("a tracker without files and by HTTP", "mono and mcs are not installed")
    finish()
os.environ.update(TMPDIR=str(fresh(scratch() / "tmp")), XDG_CONFIG_HOME="", XDG_DATA_HOME="")
mcs("receiver.exe", HERE / "Receiver.cs")
mcs("host.exe", HERE / "SilverlightHost.cs")
copied(TRACKER, fresh("plain"))
mcs("plain/post.exe", "-r:plain/ProfileInfoTracker.dll", HERE / "PostDriver.cs")
ilinject("plain/post.exe -o app/ --quiet")
runtimeconfig("app/post.exe")

# ---- A receiver, and what is said ------------------------------------------------------------------

said = None  # of the last run
port = ""  # of the last receiver
runtime = ""  # of the half


@contextlib.contextmanager
def receiver(status=200, delay=1, unanswered=0):
    """Receiver.cs on `port`, in an empty folder got; the program's is run. It ends with the block."""
    global port
    fresh("got", "run")
    with started("mono receiver.exe got", status, delay, unanswered):
        within(100, os.path.exists, "got/port")
        port = read("got/port")
        yield


def address():
    return f"http://127.0.0.1:{port}/s3cret"


def ran(line, *more, **options):
    """Runs a program, whatever its exit value, and keeps what it has said."""
    global said
    said = command(line, *more, status=None, seconds=100, **options)
    return said


def run(*scenario, status=0, temporary=None, **settings):
    """PostDriver.cs in the folder run, with settings; it posts where the receiver is, which is given half a minute for
    its answer on a busy machine (POST_WAIT=None: as long as by default)."""
    settings = {"POST": address(), "POST_WAIT": "30000", **settings}
    env = {f"ILINJECT_{name}": value for name, value in settings.items() if value is not None}
    env["TMPDIR"] = temporary or os.environ["TMPDIR"]
    ran(runtime, scratch() / "app/post.exe", *scenario, cwd="run", env=env)
    true(said.status == status if status is not None else said.status != 0, f"exit value {said.status}: {said}")
    return said


def patiently(function):
    """A program that ends waits two seconds for the answer, which may be too few here: then once more."""
    def again():
        for _ in range(10):
            try:
                return function()
            except Wrong:
                if not said or "no answer within" not in said.err:
                    raise
        raise Wrong("no answer, ten times")
    return again


def posted():
    """How often a complete profile has come."""
    return len(list(Path("got").glob("*.ilprof")))


def sums_are(file, *rows):
    equal(dump("sums", file), [f"App.{row}" for row in rows])


def outer(file, count):
    true(f"App.Outer() {count} 0 0" in dump("sums", file))


def reason(file, expected):
    equal(dump("run", file, "reason"), [expected])


def failed_post(text=""):
    """The address is named without its token."""
    return like(rf"^ilinject: post=http://127.0.0.1:{port}/\.\.\.: {text}")


NESTED = ("Main(string[]) 1 0 0", "Outer() 10 0 0", "Inner() 30 0 0")
AT_BEAT = ("Main(string[]) 1 0 1", "Outer() 1 0 0", "Inner() 3 0 0", "Await(string) 1 0 1")
AT_END = ("Main(string[]) 1 0 0", "Outer() 1 0 0", "Inner() 3 0 0", "Await(string) 1 0 0")

# ---- The profile by HTTP ---------------------------------------------------------------------------


def at_exit():
    with receiver():
        run("nested", BEAT="0").silent()
    equal(posted(), 1)
    same("got/1.ilprof", "run/post.ilprof")
    sums_are("got/1.ilprof", *NESTED)
    reason("got/1.ilprof", "exit")
    ilinject("report got/1.ilprof")
    # The length that was sent, beside that of what came out of it.
    head = read("got/1.txt")
    true(head.startswith("POST /s3cret HTTP/1.1"), head)
    fields = dict(re.findall(r"^([\w-]+): (.*)\r$", head, re.M))
    fields = {name.lower(): content for name, content in fields.items()}
    equal(fields["content-type"].lower(), "application/octet-stream")
    equal(fields.get("content-encoding"), "gzip" if runtime == "dotnet" else None)
    sent, size = int(fields["content-length"]), os.path.getsize("got/1.ilprof")
    true(sent < size if runtime == "dotnet" else sent == size, f"{sent} bytes of {size}")


def at_beat():
    with receiver():
        run("beat", "../got/1.ilprof")
    reason("got/1.ilprof", "beat")
    sums_are("got/1.ilprof", *AT_BEAT)
    last = f"got/{posted()}.ilprof"
    sums_are(last, *AT_END)
    reason(last, "exit")


def at_flush():
    with receiver():
        equal(run("flush", "../got/1.ilprof", BEAT="0").out, "True\n")
    reason("got/1.ilprof", "request")
    outer("got/1.ilprof", 1)
    outer("got/2.ilprof", 2)


def unhandled():
    with receiver():
        run("throws", status=None, BEAT="0")
    reason("got/1.ilprof", "unhandled")
    outer("got/1.ilprof", 1)


def refused():
    """Without files a program that waits for the answer can tell."""
    with receiver(403):
        equal(run("twice", BEAT="0", OUT="/proc/none", temporary="/proc/none").out, "False False\n")
    equal(posted(), 3)
    said.says(like("^ilinject: the profile can't be written: /proc/none"), failed_post(".*403"), lines=2)


def each_refused():
    with receiver(500):
        run("twice", BEAT="0", VERBOSE="1")
    equal(len(failed_post(".*500").findall(said.err)), 3)
    said.lacks("s3cret")


def unanswered_once():
    with receiver(200, 1, 1):
        run("nested", BEAT="0").silent()
    equal(posted(), 2)
    same("got/2.ilprof", "run/post.ilprof")


def unanswered_twice():
    with receiver(200, 1, 2):
        run("nested", BEAT="0").says(failed_post(), lines=1)
    equal(posted(), 2)
    sums_are("run/post.ilprof", *NESTED)


def nobody():
    global port
    fresh("run")
    port = 1
    run("nested").says(failed_post(), lines=1)
    sums_are("run/post.ilprof", *NESTED)


def never_answered():
    with receiver(200, 0):
        run("nested", BEAT="0", POST_WAIT=None)
        within(100, Path("got/1.ilprof").exists)
    equal(said.err, f"ilinject: post=http://127.0.0.1:{port}/...: no answer within 2 seconds\n")
    sums_are("got/1.ilprof", *NESTED)
    sums_are("run/post.ilprof", *NESTED)


def no_address():
    fresh("run")
    equal(run("nested", POST="shop.example/x").err, "ilinject: ILINJECT_POST: expected an address that begins with "
          'http:// or https://, found "shop.example/x"\n')


def text():
    fresh("run")
    ran(runtime, scratch() / "app/post.exe", "text", cwd="run", env={"ILINJECT_CLOCK": "none"})
    equal(said.status, 0)
    said.shows(like("^calls 6, open 2, functions 4, threads 1$"))
    true("True" in said.out.splitlines()[-1], said.out)


def posting(name):
    global runtime
    runtime = name
    if not can(runtime):
        skip(f"the profile is posted on {runtime}", f"{runtime} is not installed")
        return
    for sentence, function in (
            ("a profile is posted when the program ends, as it stands in the file, compressed by .NET", at_exit),
            ("it is posted while the program runs", at_beat),
            ("and when the program asks for it", at_flush),
            ("and when an unhandled exception ends the program", unhandled),
            ("what a server refuses is told once, without the token, and Flush knows", refused),
            ("with verbose each time", each_refused),
            ("a connection that ends without an answer is made once more", unanswered_once),
            ("and no third time", unanswered_twice)):
        check(f"{sentence} ({runtime})", patiently(function))
    for sentence, function in (
            ("where nobody listens the program ends as ever, and the file is written", nobody),
            ("a server that does not answer is waited for a bounded time", never_answered),
            ("what is no address is named, and the program runs", no_address),
            ("the program gets its profile as the text that Report writes, and as bytes", text)):
        check(f"{sentence} ({runtime})", function)


# ---- Without what Silverlight lacks ----------------------------------------------------------------


def bare(settings, *scenario):
    """PostDriver.cs with that tracker, its settings in it."""
    fresh("run", "home")
    shutil.rmtree("bared", ignore_errors=True)
    copied("bare", "bared")
    copied("network/System.Net.dll", "bared/")
    ilinject("plain/post.exe -o bared/post.exe --quiet --set", settings)
    copied("bare/ProfileInfoTracker.dll", "bared/")
    ran("mono", scratch() / "bared/post.exe", *scenario, cwd="run",
        env={"AT_ONCE": "1", "HOME": str(scratch() / "home")})
    equal(said.status, 0)
    return said


def isolated():
    [file] = Path("home").rglob("post.ilprof")
    return file


def by_beat():
    with receiver():
        bare(f"post={address()}", "beat", "../got/1.ilprof").silent()
    equal(names_in("run"), [])
    sums_are("got/1.ilprof", *AT_BEAT)
    reason("got/1.ilprof", "beat")
    equal(dump("run", "got/1.ilprof", "name"), ["post"])
    is_silverlight("got/1.ilprof")
    sums_are(isolated(), *AT_BEAT)


def is_silverlight(file):
    [name] = dump("run", file, "runtime")
    true(name.startswith("Silverlight"), name)


def by_flush():
    equal(bare("beat=0", "twice").silent().out, "True True\n")
    equal(names_in("run"), [])
    true("App.Main(string[]) 1 0 1" in dump("sums", isolated()))


def refused_there():
    with receiver(403):
        # A slow machine: no answer within two seconds would be said first, and the beat would send another profile.
        bare([f"post={address()}", "--set", "post_wait=30000", "--set", "beat=0"], "messages").shows("403")
    equal(posted(), 1)


def put_off_there():
    """The same profile comes once more; the next one has another time."""
    with receiver(503):
        bare(f"post={address()}", "beat", "../got/2.ilprof")
    same("got/1.ilprof", "got/2.ilprof")


def kept():
    global port
    port = 1
    bare("post=http://127.0.0.1:1/x", "messages").silent().shows(failed_post())
    equal(said.out.count("\n"), 1)


# ---- Libraries that were built for Silverlight -----------------------------------------------------

LIBRARIES = ("NLog.dll", "Newtonsoft.Json.dll")
# What the program does, counted by hand.
COUNTS = """App.AndBack(int) 20
App.Main() 1
Lines.Write(LogEventInfo) 57
NLog.Logger.Debug(string) 30
NLog.Logger.Info(string) 50
NLog.Logger.Warn(string) 7
Newtonsoft.Json.JsonConvert.SerializeObject(object) 20
Newtonsoft.Json.Linq.JArray.Parse(string) 1
Order.get_Number() 40
Order.set_Number(int) 40""".splitlines()
MANIFEST = """<Deployment xmlns="http://schemas.microsoft.com/client/2007/deployment"
    xmlns:x="http://schemas.microsoft.com/winfx/2006/xaml"
    EntryPointAssembly="app" EntryPointType="App" RuntimeVersion="5.0.61118.0">
  <Deployment.Parts>
    <AssemblyPart x:Name="app" Source="app.dll" />
    <AssemblyPart x:Name="NLog" Source="NLog.dll" />
    <AssemblyPart x:Name="Newtonsoft.Json" Source="Newtonsoft.Json.dll" />
  </Deployment.Parts>
</Deployment>
"""
packages = ""  # the folder that nuget-fetch names


def hosted(folder, *arguments, program="app.exe"):
    """As the plug-in would run it; the program's exit value is 3."""
    ran("mono host.exe", program, *arguments, cwd=folder, env={"HOME": str(fresh(scratch() / "home"))})
    equal(said.status, 3)
    return said


def prepared(version):
    """The program and its libraries in the folder sl, and what it prints there."""
    fresh("sl", "out")
    [json] = Path(packages, f"newtonsoft.json/{version}/lib").glob("portable-net40+sl5*/Newtonsoft.Json.dll")
    for file in (f"{packages}/nlog/4.7.13/lib/sl5/NLog.dll", json, "host.exe"):
        copied(file, "sl/")
    mcs("sl/app.exe", *(f"-r:sl/{name}" for name in LIBRARIES), HERE / "SilverlightApp.cs")
    plain = hosted("sl").out
    lines = plain.splitlines()
    equal([lines[0], lines[-2]], ["57 Info|shop|order 0 Warn|shop|late 6",
                                  '{"Number":19,"Customer":"c19","Prices":[1.5,19.0]} 19 c19 19'])
    return plain


def into_out(post, *tracker):
    """Instrumented, beside the host; with another tracker where one is given."""
    ilinject("sl/app.exe", [f"sl/{name}" for name in LIBRARIES], "-o out/ --quiet --set beat=0 --set".split(), post)
    for file in ("host.exe", "network/System.Net.dll", *tracker):
        copied(file, "out/")


def counts(file):
    wanted = (r"App\.(Main|AndBack)|Lines\.Write|NLog\.Logger\.(Info|Debug|Warn)\(string\)|Order\.[gs]et_Number|"
              r"Newtonsoft\.Json\.(JsonConvert\.SerializeObject\(object\)|Linq\.JArray\.Parse\(string\))")
    found = [" ".join(line.split(" ")[:2]) for line in dump("sums", file) if re.match(wanted, line)]
    equal(sorted(found), COUNTS)


def as_ever(version):
    with receiver():
        plain = prepared(version)
        into_out(f"post={address()}", "plain/ProfileInfoTracker.dll")
        equal(hosted("out").silent().out, plain)
    counts("got/1.ilprof")


def bare_too(version):
    with receiver():
        plain = prepared(version)
        into_out(f"post={address()}", "bare/ProfileInfoTracker.dll")
        equal(hosted("out", "../got/1.ilprof").out, plain)
    equal(said.err, "True\n")
    counts("got/1.ilprof")
    is_silverlight("got/1.ilprof")


def as_xap(version):
    """As its user has it: one archive in, one out, settings baked in."""
    with receiver():
        plain = prepared(version)
        os.rename("sl/app.exe", "app.dll")
        write("manifest.xaml", MANIFEST)
        for archive in ("shop.xap", "shop.prof.xap"):
            Path(archive).unlink(missing_ok=True)
        command(BUILD / "tests/zips", "make", "shop.xap", "AppManifest.xaml=manifest.xaml", "app.dll=app.dll",
                [f"{name}=sl/{name}" for name in LIBRARIES])
        ilinject("shop.xap -o shop.prof.xap --quiet --set beat=0 --set", f"post={address()}")
        shutil.rmtree("unpacked", ignore_errors=True)
        command("mono entries.exe shop.prof.xap unpacked")
        part = '<AssemblyPart x:Name="ProfileInfoTracker" Source="ProfileInfoTracker.dll" />'
        true(part in read("unpacked/AppManifest.xaml"), read("unpacked/AppManifest.xaml"))
        copied("host.exe", "unpacked/")
        equal(hosted("unpacked", program="app.dll").silent().out, plain)
    counts("got/1.ilprof")


def by_serve(version):
    """`ilinject serve` in the receiver's place, whose address and token are baked in."""
    plain = prepared(version)
    fresh("got")
    with started(Path(ILINJECT), "serve -o got --listen 127.0.0.1:0".split(), out="serve.txt") as server:
        within(100, lambda: "post=http" in read("serve.txt"))
        into_out(re.search("post=http[^ \n]*", read("serve.txt"))[0])
        equal(hosted("out").silent().out, plain)
        server.terminate()
        equal(server.wait(100), 0)
    [file] = Path("got").rglob("*.ilprof")
    counts(file)


def silverlight():
    global packages
    cecil = sorted(Path("/usr/lib/mono/gac/Mono.Cecil").rglob("Mono.Cecil.dll"))
    if not cecil:
        skip("the tracker runs without what Silverlight lacks", "Mono.Cecil is not installed")
        return
    copied(cecil[-1], ".")
    # System.Net of Silverlight, with the one type that matters.
    mcs("network/System.Net.dll", code="""[assembly: System.Reflection.AssemblyVersion("5.0.5.0")]
[assembly: System.Runtime.CompilerServices.TypeForwardedTo(typeof(System.Net.WebRequest))]
""")
    mcs("lacking.exe", "-r:Mono.Cecil.dll", HERE / "Lacking.cs")
    os.mkdir("bare")
    known = f"@{HERE}/silverlight.txt"
    command("mono lacking.exe", TRACKER, "bare/ProfileInfoTracker.dll", known)
    check("all that the tracker uses is known to be in Silverlight's core library, or to be missing there",
          command, "mono lacking.exe", TRACKER, "-", known)
    check("without what is missing there the profile goes to isolated storage and by HTTP while the program runs",
          by_beat)
    check("and to isolated storage when the program asks for it", by_flush)
    check("the program has it as bytes and text", lambda: bare("clock=none", "text").silent().shows(
        like("^calls 6, open 2, functions 4, threads 1$")))
    check("an answer that says no is not asked for again there", refused_there)
    check("one that says later is, with the same profile", put_off_there)
    check("what could not be said on standard error can be asked for", kept)
    for wanted in (["NLog/4.7.13", "Newtonsoft.Json/9.0.1"], ["Newtonsoft.Json/12.0.3"]):
        fetched = command(ROOT / "tests/nuget-fetch", wanted, status=None)
        if fetched.status != 0:
            skip("libraries for Silverlight run instrumented, and their profile arrives",
                 str(fetched).splitlines()[-1])
            return
        packages = packages or fetched.out.strip()
    for version in ("9.0.1", "12.0.3"):
        check(f"NLog for Silverlight 5 and Newtonsoft.Json {version} work instrumented as ever, "
              "and every call arrives by HTTP", patiently(lambda: as_ever(version)))
        check(f"and do with nothing that Silverlight lacks (Newtonsoft.Json {version})", bare_too, version)
    mcs("entries.exe", "-r:System.IO.Compression.dll", "-r:System.IO.Compression.FileSystem.dll",
        FIXTURES.parent / "xap/Entries.cs")
    check("a XAP of these is instrumented as one, runs, and its profile arrives", patiently(lambda: as_xap("9.0.1")))
    if "libmicrohttpd" in command("ldconfig -p", status=None).out:
        check("and the profile arrives at ilinject serve", patiently(lambda: by_serve("12.0.3")))
    else:
        skip("and the profile arrives at ilinject serve", "libmicrohttpd is not installed")


halves(posting, silverlight)
finish()
