#!/usr/bin/env python3
"""Any files through all commands: readers.py ILINJECT ASSEMBLY FOLDER FILE-OF-NAMES

Each file named is an input of each command: an assembly, a profile, a configuration, an archive, a key. A run survives when it
ends with 0, or refuses: another exit value, at least one line with `error`, and nothing left behind. It is lost when a
signal ends it, it takes more than ten seconds of processor time or 2 GiB of addresses, says nothing, or puts control
characters out. Prints a table of the commands, and each lost run; the exit value is 1 when there was one. FOLDER is for what is made.
"""
import collections
import concurrent.futures
import os
import re
import resource
import shutil
import subprocess
import sys
import threading

program, assembly, folder, names = sys.argv[1:]
SECONDS, ADDRESSES = 10, 2 << 30
CONTROLS = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]")

# What takes a file, and whether it leaves something in the output's folder when it ends well.
COMMANDS = {
    "dump": lambda file, out: ["dump", file],
    "list": lambda file, out: ["list", file],
    "instrument": lambda file, out: ["-q", file, "-o", out + "/made.dll"],
    "report": lambda file, out: ["report", "-o", out + "/report", file],
    "merge": lambda file, out: ["merge", file, file, "-o", out + "/merged.ilprof"],
    "diff": lambda file, out: ["diff", file, file],
    "as a configuration": lambda file, out: ["-q", assembly, "--config", file, "-o", out + "/made.dll"],
    "as a XAP": lambda file, out: ["-q", file, "-o", out + "/made.xap"],
    "as a key": lambda file, out: ["-q", assembly, "--key", file, "-o", out + "/made.dll"],
}
MADE = {"instrument", "report", "merge", "as a configuration", "as a XAP", "as a key"}


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(command, file, out):
    """None when it was done, "" when it was refused, else why it is lost."""
    os.makedirs(out)
    given = file
    if command == "as a XAP":  # an archive is known by its name
        given = out + ".xap"
        shutil.copyfile(file, given)
    try:
        ended = subprocess.run([program, *COMMANDS[command](given, out)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               preexec_fn=limit, timeout=600, check=False)
    except subprocess.TimeoutExpired:
        return "does not end"
    finally:
        if given != file:
            os.unlink(given)
    left = os.listdir(out)
    if ended.returncode < 0:
        return f"signal {-ended.returncode}"
    if CONTROLS.search(ended.stderr) or CONTROLS.search(ended.stdout):
        return "control characters"
    if ended.returncode == 0:
        return None if left or command not in MADE else "nothing was made"
    if b"error" not in ended.stderr:
        return f"exit value {ended.returncode}, and no error"
    return f"left {left}" if left else ""


own = threading.local()
done, refused, lost = (collections.Counter() for _ in range(3))
count = 0


def work(file):
    own.number = getattr(own, "number", None) or f"{folder}/{threading.get_ident()}"
    results = {}
    for command in COMMANDS:
        out = own.number
        shutil.rmtree(out, ignore_errors=True)
        results[command] = run(command, file, out)
        shutil.rmtree(out, ignore_errors=True)
    return file, results


with open(names, encoding="utf-8", errors="surrogateescape") as listed, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    for file, results in pool.map(work, listed.read().splitlines()):
        count += 1
        for command, result in results.items():
            {None: done, "": refused}.get(result, lost)[command] += 1
            if result:
                print(f"lost: {command} {file}: {result}")
print(f"{count} files")
for command in COMMANDS:
    print(f"{command}: tried {count}, done {done[command]}, refused {refused[command]}, lost {lost[command]}")
sys.exit(count == 0 or sum(lost.values()) != 0)
