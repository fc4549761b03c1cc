#!/usr/bin/env python3
"""Which libraries are in a program, told from its bytes and from its linker.

linked.py FILE...            a line for each program among the files that has, statically, a library that may not be inside
                             (LGPL: the GNU C library, libmicrohttpd), or asks for a shared one that nobody has named;
                             a line '# N programs' at the end of the errors. Exit value 1 when there is a fault.
linked.py --map MAP PROGRAM  the linker's map of a program has the libraries that src/packaging/libraries.tsv names for it,
                             and no others.
"""
import os
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
# Texts that these libraries have, however they are stripped: glibc's tunables (elf/dl-tunables.list), and what
# libmicrohttpd writes into its log.
MARKS = [
    ("the GNU C library", [b"glibc.malloc.", b"GLIBC_TUNABLES", b"GNU C Library"]),
    ("libmicrohttpd", [b"Closing connection (application reported error generating data)", b"Failed to remove FD from epoll set",
                       b"Failed to send the response headers for the request"]),
]
# Shared libraries that a program may ask the loader for: the C library's parts, and for libilinject.so its libraries (all MIT,
# BSD or zlib). Windows's own, and of macOS those that Wasmtime asks for, are the system's.
SHARED = {"libc.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "libdeflate.so.0", "libjansson.so.4", "libxxhash.so.0",
          "libz.so.1"}
WINDOWS = {"kernel32.dll", "msvcrt.dll", "ws2_32.dll", "advapi32.dll", "shell32.dll", "bcrypt.dll", "crypt32.dll", "ntdll.dll",
           "user32.dll", "ncrypt.dll", "secur32.dll", "httpapi.dll", "ole32.dll", "userenv.dll"}


def said(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def faults_of(path, data):
    elf = data[:4] == b"\x7fELF"
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", said("readelf", "-W", "-d", path))) if elf else set()
    # A program that names a shared C library has it not inside.
    for library, marks in MARKS:
        if any(mark in data for mark in marks):
            yield f"{path}: {library} is inside"
    for one in sorted(needed - SHARED):
        yield f"{path}: it asks for {one}"
    if data[:2] == b"MZ" and b"BSJB" not in data:
        for one in re.findall(r"DLL Name: (\S+)", said("x86_64-w64-mingw32-objdump", "-p", path)):
            if one.lower() not in WINDOWS:
                yield f"{path}: it asks for {one}"


def check(files):
    bad = programs = 0
    for path in files:
        with open(path, "rb") as file:
            data = file.read()
        if data[:4] not in (b"\x7fELF", b"\0asm", b"\xcf\xfa\xed\xfe") and data[:2] != b"MZ":
            continue
        programs += 1
        for fault in faults_of(path, data):
            print(fault)
            bad = 1
    print(f"# {programs} programs", file=sys.stderr)
    sys.exit(bad)


def in_map(path):
    """The libraries whose parts a map of GNU ld's has, by the names of libraries.tsv."""
    names = {"libdeflate": "libdeflate", "xxHash": "xxHash", "jansson": "Jansson", "zlib": "zlib"}
    found, own = set(), re.compile(r"^(build/[a-z0-9-]+/)?(src/|ecma335/|libilinject\.a|[a-z-]+\.o$)")
    for line in open(path, encoding="utf-8", errors="replace"):
        loaded = re.match(r"LOAD (\S+)", line) or re.match(r" \.\S+ +0x\w+ +0x[1-9a-f]\w* (\S+)", line) or \
            re.match(r" +0x\w+ +0x[1-9a-f]\w* (\S+)", line)
        if not loaded or line.startswith("LOAD") and loaded[1].endswith(".a") or own.match(loaded[1]):
            continue
        place = loaded[1]
        archive, _, member = place.rstrip(")").partition("(")
        base = os.path.basename(archive)
        if base == "libforeign.a":
            source = re.match(r"build_sources_([A-Za-z]+)-", member)
            found.add(names[source[1]] if source else "libxml2")
        elif base == "libcrypto.a":
            found.add("OpenSSL")
        elif base.startswith(("libgcc", "crtbegin", "crtend")):
            found.add("libgcc")
        elif "musl" in os.path.realpath(archive) and base in ("libc.a", "rcrt1.o", "crti.o", "crtn.o"):
            found.add("musl")
        elif "/" in archive or base.endswith(".a"):
            found.add(place)
    return found


def compare(path, program):
    rows = [line.rstrip("\n").split("\t") for line in open(os.path.join(ROOT, "src/packaging/libraries.tsv")) if line[0] != "#"]
    named = {row[0] for row in rows if program in row[5].split(",")}
    found = in_map(path)
    for one in sorted(found - named):
        print(f"{path}: {one} is linked, and libraries.tsv does not name it for {program}")
    for one in sorted(named - found):
        print(f"{path}: libraries.tsv names {one} for {program}, and it is not linked")
    sys.exit(found != named)


if sys.argv[1:2] == ["--map"]:
    compare(*sys.argv[2:])
check(sys.argv[1:])
