#!/usr/bin/env python3
"""Does a Dockerfile's steps without an engine, as root: replay.py CONTEXT ROOT ARCH [--volume FOLDER] ARGUMENT...

FROM scratch begins with the empty folder ROOT, COPY takes from CONTEXT, and the entry point runs with the arguments in
a chroot there, in its WORKDIR. FOLDER is what stands in WORKDIR, as -v would mount it. Without arguments nothing runs.
"""
import json
import os
import shutil
import sys
from pathlib import Path

context, root, arch, *arguments = sys.argv[1:]
context, root, volume = Path(context), Path(root), None
if arguments[:1] == ["--volume"]:
    volume, arguments = arguments[1], arguments[2:]
workdir, entry, known = "/", None, []
for line in (context / "Dockerfile").read_text().splitlines():
    if not line or line.startswith("#"):
        continue
    word, rest = line.split(" ", 1)
    if "TARGETARCH" in known:
        rest = rest.replace("${TARGETARCH}", arch)
    if word == "FROM":
        assert rest == "scratch" and not root.exists(), line
        root.mkdir()
        root.chmod(0o755)
    elif word == "ARG":
        known.append(rest)
    elif word == "COPY":
        *sources, target = rest.split()
        assert target.startswith("/") and "$" not in rest, line
        for source in sources:
            to = root / target[1:]
            to = to / Path(source).name if target.endswith("/") else to
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(context / source, to)
    elif word == "WORKDIR":
        workdir = rest
        (root / rest[1:]).mkdir(parents=True, exist_ok=True)
    elif word == "ENTRYPOINT":
        entry = json.loads(rest)
    else:
        sys.exit(f"no step {word} here")
if volume:
    (root / workdir[1:]).rmdir()
    shutil.copytree(volume, root / workdir[1:])
if arguments:
    os.chroot(root)
    os.chdir(workdir)
    os.execve(entry[0], entry + arguments, {})
