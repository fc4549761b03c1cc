"""What a suite in Python starts with: checks, commands, compilers, runtimes, profiles.

    #!/usr/bin/env -S python3 -B
    import sys
    sys.path[0] += "/../.."
    from kit import check, finish, ilinject

    check("one profile is not enough",
          lambda: ilinject("diff a", status=2).says("two profiles are needed"))
    finish()

A check passes when its function returns and has raised nothing. A suite runs in an empty folder of
its own (`scratch()`), without the variables ILINJECT_... of whoever has started it. With CHECK=WORDS
in the environment the checks whose sentence has these words count; those before the first one are
done in silence, as it may need what they leave, and those after it are not done, unless the suite
cannot go on without what they leave: then it begins again, and does all. tests/lib.sh is the same
for suites in bash.
"""
import atexit
import contextlib
import difflib
import fcntl
import filecmp
import functools
import glob
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import types
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("BUILD") or ROOT / "build")
ILINJECT = os.environ.get("ILINJECT") or str(BUILD / "ilinject")
FIXTURES = ROOT / "fixtures/cs"
LIB = ROOT / "tests/e2e/lib"
DATA = ROOT / "tests/data"
FULL = bool(os.environ.pop("FULL", ""))  # in make check-full: what is long and rarely breaks is done there alone

sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape", line_buffering=True)
_begun = [sys.executable, "-B", os.path.abspath(sys.argv[0])], dict(os.environ)
_words, _all = os.environ.pop("CHECK", ""), os.environ.pop("CHECK_ALL", "")
_consistent = os.environ.pop("CONSISTENT", "") and (ROOT / "tests/keep-profiles").exists()
for _name in [name for name in os.environ if name.startswith("ILINJECT_")]:
    del os.environ[_name]
# A build's helpers end with it: none of them waits for the builds of other suites.
os.environ["MSBUILDDISABLENODEREUSE"] = "1"
os.environ["MONO_DEBUG"] = "no-gdb-backtrace"  # as tests/lib.sh says
_state = types.SimpleNamespace(passed=0, failed=0, skipped=0, owner=os.getpid(),
                               scratch=Path(tempfile.mkdtemp(prefix="ilinject-test.")))
_kept = Path(f"{_state.scratch}.kept")
os.chdir(_state.scratch)


def scratch():
    """The suite's folder, or its half's: the working folder."""
    return _state.scratch


@atexit.register
def _clean():
    if os.getpid() != _state.owner:
        return
    for log in sorted(_state.scratch.glob("half.*.log")):  # how far halves came in a suite that is ended
        print(log.read_text(errors="replace"), end="")
    subprocess.run(["rm", "-rf", _state.scratch, _kept], check=False)


def _lacks_nothing():
    """False where checks were left out, so that the suite may lack what they leave."""
    return not _words or _all


def _once_more():
    print("# once more, with the checks between")
    _clean()
    os.chdir("/")
    os.execve(_begun[0][0], _begun[0], {**_begun[1], "CHECK_ALL": "1"})


def _stopped(kind, error, trace):
    """An error outside of checks ends the suite."""
    if not _lacks_nothing():
        _once_more()
    sys.__excepthook__(kind, error, trace)


sys.excepthook = _stopped


def _ended(number, _):
    signal.signal(number, signal.SIG_DFL)
    sys.exit(128 + number)


for _number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(_number, _ended)
if _consistent:
    subprocess.Popen([ROOT / "tests/keep-profiles", _state.scratch, _kept], start_new_session=True,
                     stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not (_kept / "ready").exists():
        time.sleep(0.02)


# ---- Checks ----------------------------------------------------------------------------------------


class Wrong(Exception):
    """Something is not as it has to be; the text says how it is."""


def _fault(function, arguments):
    """Calls the function; returns what is wrong, or None."""
    try:
        function(*arguments)
        return None
    except Exception as error:  # a fault of the suite itself, too, fails the check
        frames = [f"{Path(f.filename).name}:{f.lineno}" for f in traceback.extract_tb(error.__traceback__)
                  if f.filename != __file__]
        kind = "" if isinstance(error, Wrong) else f"{type(error).__name__}: "
        return f"{kind}{error}\nat {', '.join(frames)}"


def check(sentence, function=None, *arguments):
    """Counts one check: a sentence about behaviour, and a function that raises unless it is so.
    Without a function: a decorator of one."""
    if function is None:
        return lambda body: check(sentence, body)
    if _words not in sentence:
        before = _state.passed + _state.failed == 0
        if (before or _all) and _fault(function, arguments) is not None and before:
            print(f"not counted, but it failed: {sentence}")
        return None
    fault = _fault(function, arguments)
    if fault is None:
        _state.passed += 1
        print(f"ok: {sentence}")
    else:
        _state.failed += 1
        print(f"FAILED: {sentence}", *(f"    {line}" for line in fault.splitlines()[-30:]), sep="\n")
    return None


def skip(sentence, reason):
    if _words in sentence:
        _state.skipped += 1
        print(f"skipped: {sentence}: {reason}")


def finish():
    """Ends the suite, with the line that tests/run counts."""
    if _consistent:
        (_state.scratch / ".end").touch()
        while not (_kept / "ended").exists():
            time.sleep(0.02)
        if any(_kept.rglob("*.ilprof")):
            check("no figure of a report of its profiles contradicts another", _consistent_profiles)
    if _words and _state.passed + _state.failed + _state.skipped == 0:
        print(f"no check's sentence contains '{_words}'\n0 passed, 0 failed, 0 skipped")
        sys.exit(1)
    print(f"{_state.passed} passed, {_state.failed} failed, {_state.skipped} skipped")
    sys.exit(1 if _state.failed else 0)


def _consistent_profiles():
    """No report of a kept profile holds figures that contradict each other. A profile that no report
    is made of was damaged on purpose; one of a name with "odd" in it is made up."""
    reader, page, seen, bad = BUILD / "ilinject", scratch() / ".report.json", set(), []
    for file in sorted(_kept.rglob("*.ilprof")):
        data = file.read_bytes()
        if "odd" in file.name or data in seen:
            continue
        seen.add(data)
        for options in ([], ["--physical"]):
            with open(page, "wb") as out, contextlib.suppress(subprocess.TimeoutExpired):
                if subprocess.run([reader, "report", "--json", *options, file], stdout=out, timeout=20,
                                  stderr=subprocess.DEVNULL, check=False).returncode != 0:
                    break
                said = command(ROOT / "tests/consistent", page, status=None)
                bad += [f"{file.name} {options}: {said}"] if said.status else []
    print(f"# {len(seen)} profiles were checked, {(_kept / 'ended').read_text()}", end="")
    true(not bad, "\n".join(bad))


def true(holds, text="it is not so"):
    if not holds:
        raise Wrong(text)


def equal(found, expected):
    """Both are equal; of texts and lists the lines that differ are shown."""
    if found == expected:
        return
    lines = [value.splitlines() if isinstance(value, str) else value for value in (expected, found)]
    if all(isinstance(value, list) for value in lines) and max(map(len, lines)) > 1:
        told = difflib.unified_diff(*[[str(row) for row in value] for value in lines],
                                    "expected", "found", lineterm="", n=1)
        raise Wrong("\n".join(told))
    raise Wrong(f"{found!r}, expected {expected!r}")


def same(one, other):
    """Two files have the same bytes."""
    true(filecmp.cmp(one, other, shallow=False), f"{one} and {other} differ")


def differ(one, other):
    true(not filecmp.cmp(one, other, shallow=False), f"{one} and {other} are the same")


def within(seconds, function, *arguments):
    """Calls the function again and again until it returns something true."""
    end = time.monotonic() + seconds
    while not (found := function(*arguments)):
        true(time.monotonic() < end, f"{function} did not come about in {seconds} s")
        time.sleep(0.05)
    return found


def cases(file):
    """The rows of a table of tests/data, a line each, cells between " | ". A line that begins with
    a blank goes on with the one before it. # begins a comment."""
    text = re.sub(r"^#.*\n", "", (DATA / file).read_text(encoding="utf-8"), flags=re.M)
    for line in re.sub(r"\n[ \t]+", " ", text).splitlines():
        if line:
            yield [cell.strip() for cell in line.split(" | ")]


def refusals(file, refused):
    """A check for each row of a table: its sentence, and refused(cells…), which calls the program
    and looks at what it says."""
    for sentence, *cells in cases(file):
        check(sentence, refused, *cells)


def has(*tools):
    return all(shutil.which(tool) for tool in tools)


def halves(function, rest=None):
    """Calls function("mono"), function("dotnet") and rest() at the same time, each in a copy of the
    folder as it is now. What they say comes one after the other, and their checks count."""
    parts = {"mono": lambda: function("mono"), "dotnet": lambda: function("dotnet")}
    if rest:
        parts["rest"] = rest
    whole, started = scratch(), {}
    entries = [path for path in whole.iterdir() if not path.name.startswith("half.")]
    for name, part in parts.items():
        half = whole / f"half.{name}"
        half.mkdir()
        if entries:
            subprocess.run(["cp", "-a", "-t", half, *entries], check=True)
        sys.stdout.flush()
        pid = os.fork()
        if pid == 0:
            _half(half, part)
        started[name] = pid
    for pid in started.values():
        os.waitpid(pid, 0)
    if not _lacks_nothing() and not all((whole / f"half.{name}.counts").exists() for name in started):
        _once_more()
    for name in started:
        log, counts = whole / f"half.{name}.log", whole / f"half.{name}.counts"
        print(log.read_text(encoding="utf-8", errors="replace"), end="")
        log.unlink()
        if not counts.exists():  # one that does not come to its end has failed
            print(f"FAILED: the half of {name} ended too early")
            counts.write_text("0 1 0")
        passed, failed, skipped = map(int, counts.read_text().split())
        _state.passed, _state.failed, _state.skipped = (
            _state.passed + passed, _state.failed + failed, _state.skipped + skipped)


def _half(half, part):
    """The child process of a half; does not return."""
    log = os.open(f"{half}.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(log, 1)
    os.dup2(log, 2)
    whole, _state.scratch = str(_state.scratch), half
    _state.passed = _state.failed = _state.skipped = 0
    for variable in ("TMPDIR", "HOME"):
        if os.environ.get(variable, "").startswith(whole):
            os.environ[variable] = str(half) + os.environ[variable].removeprefix(whole)
    os.chdir(half)
    try:
        part()
        Path(f"{half}.counts").write_text(f"{_state.passed} {_state.failed} {_state.skipped}")
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(0)


# ---- Commands --------------------------------------------------------------------------------------


def like(pattern):
    """A regular expression in place of a text; ^ and $ are ends of lines."""
    return re.compile(pattern, re.M)


def _stands_in(what, text):
    return what.search(text) if isinstance(what, re.Pattern) else what in text


class Said:
    """How a command has ended, and what it has printed. Each question returns the object itself."""

    def __init__(self, status, out, err):
        self.status, self.out, self.err, self.profile = status, out, err, None

    def __str__(self):
        return f"{self.out}{self.err}"

    def says(self, *texts, lines=None):
        """Each text or like(…) stands on standard error, which has so many lines."""
        for text in texts:
            true(_stands_in(text, self.err), f"not said: {text}\n{self.err}")
        true(lines is None or self.err.count("\n") == lines, f"not {lines} lines:\n{self.err}")
        return self

    def shows(self, *texts):
        """Each text or like(…) stands on standard output."""
        for text in texts:
            true(_stands_in(text, self.out), f"not shown: {text}\n{self.out}{self.err}")
        return self

    def lacks(self, *texts):
        """None of them stands in either."""
        for text in texts:
            true(not _stands_in(text, str(self)), f"there is {text}:\n{self}")
        return self

    def silent(self):
        return self.says(lines=0)

    def json(self):
        return json.loads(self.out)


def words(line, *more):
    """The words of a line, as a shell splits it, and those after it: names, and lists of names."""
    flat = shlex.split(line) if isinstance(line, str) else list(line) if isinstance(line, (list, tuple)) else [line]
    for argument in more:
        flat += argument if isinstance(argument, (list, tuple)) else [argument]
    return [str(word) for word in flat]


def command(line, *more, status=0, env=None, cwd=None, stdin=None, seconds=None):
    """Runs a command and looks at its exit value (None: any). A signal is 128 more, as in a shell.
    A line is split as a shell does it. Its input: a text, through a pipe; a Path; none."""
    arguments = words(line, *more)
    given = {"input": stdin.encode()} if isinstance(stdin, str) else {"stdin": open(stdin or os.devnull, "rb")}
    try:
        done = subprocess.run(arguments, cwd=cwd, env={**os.environ, **(env or {})}, timeout=seconds, **given,
                              capture_output=True, check=False)
    except subprocess.TimeoutExpired as late:
        raise Wrong(f"not done after {seconds} s: {arguments}") from late
    finally:
        if "stdin" in given:
            given["stdin"].close()
    said = Said(128 - done.returncode if done.returncode < 0 else done.returncode,
                *(text.decode("utf-8", "surrogateescape") for text in (done.stdout, done.stderr)))
    true(status is None or said.status == status,
         f"exit value {said.status} instead of {status}: {shlex.join(arguments)}\n{said}")
    return said


def fails(line, *more, **options):
    """A command that says no."""
    said = command(line, *more, status=None, **options)
    true(said.status != 0, f"no failure: {line} {more}")
    return said


def ilinject(line, *more, **options):
    """The program under test; otherwise as command()."""
    return command(Path(ILINJECT), words(line, *more), **options)


@contextlib.contextmanager
def started(line, *more, env=None, cwd=None, out="out.txt", err=None):
    """A command that runs meanwhile, its output in files; it is killed at the end."""
    with open(out, "wb") as to, open(err or os.devnull, "wb") as errors:
        process = subprocess.Popen(words(line, *more), env={**os.environ, **(env or {})}, cwd=cwd,
                                   stdin=subprocess.DEVNULL, stdout=to,
                                   stderr=errors if err else subprocess.STDOUT)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


# ---- Files -----------------------------------------------------------------------------------------


def write(path, content):
    """Makes the file, and its folder."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content, encoding="utf-8", newline="")
    return path


def read(path):
    return Path(path).read_bytes().decode("utf-8", "surrogateescape")


def put(path, offset, data):
    """Other bytes in the midst of a file."""
    with open(path, "r+b") as file:
        file.seek(offset)
        file.write(data)


def copied(source, to, *patches):
    """A copy of a file, or of a folder with its times and links; patches are (offset, bytes)."""
    subprocess.run(["cp", "-a", source, to], check=True)
    for offset, data in patches:
        put(to, offset, data)
    return Path(to)


def fresh(*folders):
    """Each is an empty folder."""
    for folder in folders:
        subprocess.run(["rm", "-rf", folder], check=True)
        Path(folder).mkdir(parents=True)
    return Path(folders[0])


def names_in(folder):
    return sorted(os.listdir(folder))


@contextlib.contextmanager
def locked(path):
    """One suite at a time: for what all of them share below build/."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with open(path, "wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


# ---- Programs --------------------------------------------------------------------------------------

KINDS = {".dll": ["-target:library"], ".netmodule": ["-target:module"]}
RUNNERS = {"mono": ["mono"], "interpreter": ["mono", "--interpreter"], "dotnet": ["dotnet"]}


def mcs(out, *sources_and_options, code=None):
    """Compiles C# with Mono's compiler; `code` is put beside the output."""
    out = Path(out)
    out.parent.mkdir(parents=True, exist_ok=True)
    more = [] if code is None else [write(out.with_suffix(".cs"), code)]
    command("mcs -nologo", f"-out:{out}", KINDS.get(out.suffix, []), *sources_and_options, more)
    return out


@functools.cache
def _framework():
    """The newest version of .NET's runtime, or None."""
    if not has("dotnet"):
        return None
    said = command("dotnet --list-runtimes", status=None).out
    found = re.findall(r"^Microsoft\.NETCore\.App (\S+)", said, re.M)
    return found[-1] if found else None


def can(runtime):
    return _framework() is not None if runtime == "dotnet" else has("mono")


def runtimes():
    return [runtime for runtime in RUNNERS if can(runtime)]


def runtimeconfig(file):
    """Makes FILE runnable by `dotnet FILE`, where there is dotnet."""
    if can("dotnet"):
        framework = {"name": "Microsoft.NETCore.App", "version": _framework()}
        write(Path(file).with_suffix(".runtimeconfig.json"),
              json.dumps({"runtimeOptions": {"framework": framework}}))
    return Path(file)


def csc(out, *sources_and_options):
    """Compiles C# with .NET's compiler; False where there is none."""
    done = command(ROOT / "tests/dotnet-csc", out, *sources_and_options, status=None)
    true(done.status in (0, 77), f"{out}: {done}")
    return done.status == 0


def build_options():
    """Those of `dotnet build`: the server of the compilers that all suites share, or none of the SDK's servers."""
    server = command(ROOT / "tests/compile-server", status=None).out.strip()
    return ["-p:UseSharedCompilation=true", f"-p:SharedCompilationId={server}"] if server else [
        "--disable-build-servers", "-p:UseSharedCompilation=false"]


def program(runtime, file, *arguments, name=None, status=None, seconds=150, env=None, **options):
    """Runs a program on a runtime. Its profile is said/NAME.RUNTIME.ilprof, the .profile of the result."""
    profile = scratch() / "said" / f"{name or Path(file).stem}.{runtime}.ilprof"
    profile.parent.mkdir(exist_ok=True)
    said = command(RUNNERS[runtime][0], RUNNERS[runtime][1:], file, *arguments, status=status,
                   seconds=seconds, env={"ILINJECT_OUT": str(profile), **(env or {})}, **options)
    said.profile = profile
    return said


def same_run(before, after):
    """Both runs have printed the same and ended alike, and the first one did something at all."""
    true(before.out, f"the original printed nothing\n{before.err}")
    true((before.out, before.status) == (after.out, after.status),
         f"{before.status}: {before.out}\nand then {after.status}: {after}")


def profile_agrees(profile, counts=None):
    """The report's totals agree, and its counts are the hand-counted ones, where these are given."""
    page = f"{profile}.json"
    ilinject("report --format=json -o", page, profile)
    expected = [] if counts is None else [write(f"{profile}.expected", counts)]
    command(BUILD / "tests/counts", page, expected)


def report(profile, *options):
    """The JSON of its report."""
    return ilinject("report --format=json", *options, profile).json()


def tracker_sources():
    made = glob.glob(str(BUILD / "runtime-tracker/facts/*.cs"))
    return sorted(glob.glob(str(ROOT / "runtime-tracker/*/*.cs"))) + made


@functools.cache
def _dumper(_):
    """What answers questions about profiles: ProfileDump.cs, compiled once for all suites. A half has its own."""
    made = BUILD / "tests/dump.exe"
    with locked(f"{made}.lock"):
        sources = sorted(glob.glob(str(ROOT / "tests/tracker/ProfileDump*.cs")))
        if not made.exists() or made.stat().st_mtime < max(os.stat(source).st_mtime for source in sources):
            mcs(f"{made}.new.exe", "-optimize+", sources).replace(made)
    return subprocess.Popen(["mono", made, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def dump(*arguments, status=0):
    """The lines that an independent reader of profiles (tests/tracker/ProfileDump.cs) prints."""
    server, answer = _dumper(os.getpid()), scratch() / ".dump"
    asked = ["dump", str(answer), os.getcwd(), str(len(arguments)), *map(str, arguments)]
    server.stdin.write("".join(f"{word}\0" for word in asked).encode())
    server.stdin.flush()
    mark, ended = server.stdout.readline().decode().split() or (None, None)
    text = read(answer)
    true(mark == "dump" and status in (None, int(ended)), f"exit value {ended} of dump {arguments}\n{text}")
    return text.splitlines()
