#!/usr/bin/env python3
"""Another user of the machine, who wants what is not theirs: attacker.py DIR FOLDER USER

Until the file DIR/enough is there, tries to open each file of FOLDER, of the folders in it, and of every process, for
reading and for writing. Each of the files of that user which could be opened is a line of DIR/opened; DIR/tries says how
often it was tried, and how often refused.
"""
import os
import stat
import sys

own, folder, victim = sys.argv[1], sys.argv[2], int(sys.argv[3])
opened, tries, refused = set(), 0, 0


def attempt(path):
    global tries, refused
    for flags in (os.O_RDONLY, os.O_RDWR):
        try:
            file = os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY)
        except PermissionError:
            tries += 1
            refused += 1
            continue
        except OSError:
            continue
        tries += 1
        status = os.fstat(file)
        # With an empty file of that name the runtimes find out whether the system distinguishes A from a.
        probe = os.path.basename(path).startswith("CASESENSITIVETEST")
        if stat.S_ISREG(status.st_mode) and status.st_uid == victim and not probe:
            opened.add(f"{os.path.basename(os.path.realpath(path))} flags {flags} mode {status.st_mode:o}")
        os.close(file)


def files(path, depth):
    try:
        entries = list(os.scandir(path))
    except OSError:
        return
    for entry in entries:
        try:
            inside = depth > 0 and entry.is_dir(follow_symlinks=False)
        except OSError:
            continue
        if inside:
            yield from files(entry.path, depth - 1)
        else:
            yield entry.path


rounds = 0
open(f"{own}/ready", "w").close()
while not os.path.exists(f"{own}/enough"):
    for path in files(folder, 1):
        attempt(path)
    if rounds % 50 == 0:
        for process in filter(str.isdecimal, os.listdir("/proc")):
            for path in files(f"/proc/{process}/fd", 0):
                attempt(path)
    rounds += 1
with open(f"{own}/opened", "w") as file:
    file.writelines(f"{line}\n" for line in sorted(opened))
with open(f"{own}/tries", "w") as file:
    print(tries, refused, file=file)
