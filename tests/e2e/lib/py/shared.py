#!/usr/bin/env python3
"""shared.py OUT METHODS NAME_BYTES BODY_BYTES [ends]: writes a module of so many methods in one class, all
of which have one name of NAME_BYTES and one body of BODY_BYTES; with `ends` the names are ends of that name,
the next a byte shorter each. It is as ECMA-335 has it (II.24,
II.25), so nothing refuses it for its form; whoever copies what each method names writes out
METHODS times that."""
import struct
import sys

out, methods, name_bytes, body_bytes = sys.argv[1], *map(int, sys.argv[2:5])
ends = "ends" in sys.argv[5:]


def pad(b, n=4):
    return b + b"\0" * (-len(b) % n)


strings = bytearray(b"\0")


def string(text):
    at = len(strings)
    strings.extend(text + b"\0")
    return at


wide = name_bytes > 60000
index = "<I" if wide else "<H"
names = {n: string(n) for n in (b"<Module>", b"shared", b"shared.dll", b"mscorlib", b"System", b"Object", b"C")}
shared = string(b"m" * name_bytes)
S = lambda n: struct.pack(index, n)
s = lambda n: S(names[n] if n else 0)
u16 = lambda n: struct.pack("<H", n)
u32 = lambda n: struct.pack("<I", n)

guid = bytes(range(16))
blob = pad(b"\0\3\0\0\1")  # at 1: a static method without parameters that returns void

text_rva, file_at = 0x2000, 0x200
cli_size = 72
code = b"\0" * (body_bytes - 1) + b"\x2a"
body = pad(b"\x03\x30" + u16(8) + u32(len(code)) + u32(0) + code)
body_rva = text_rva + cli_size
meta_rva = body_rva + len(body)

rows = {
    0x00: [u16(0) + s(b"shared.dll") + u16(1) + u16(0) + u16(0)],
    0x01: [u16(1 << 2 | 2) + s(b"Object") + s(b"System")],
    0x02: [u32(0) + s(b"<Module>") + s(None) + u16(0) + u16(1) + u16(1),
           u32(0x100001) + s(b"C") + s(None) + u16(1 << 2 | 1) + u16(1) + u16(1)],
    0x06: [u32(body_rva) + u16(0) + u16(0x96) + S(shared + i * ends) + u16(1) + u16(1) for i in range(methods)],
    0x20: [u32(0x8004) + u16(1) * 1 + u16(0) * 3 + u32(0) + u16(0) + s(b"shared") + s(None)],
    0x23: [u16(4) + u16(0) * 3 + u32(0) + u16(0) + s(b"mscorlib") + s(None) + u16(0)],
}
valid = sum(1 << t for t in rows)
tables = u32(0) + bytes([2, 0, 1 if wide else 0, 1]) + struct.pack("<QQ", valid, 0)
tables += b"".join(u32(len(rows[t])) for t in sorted(rows))
tables = pad(tables + b"".join(b"".join(rows[t]) for t in sorted(rows)))
streams = [(b"#~", tables), (b"#Strings", pad(bytes(strings))), (b"#GUID", guid), (b"#Blob", blob)]
version = pad(b"v4.0.30319\0")
root = b"BSJB" + u16(1) + u16(1) + u32(0) + u32(len(version)) + version + u16(0) + u16(len(streams))
at = len(root) + sum(8 + len(pad(n + b"\0")) for n, _ in streams)
for n, data in streams:
    root += u32(at) + u32(len(data)) + pad(n + b"\0")
    at += len(data)
metadata = root + b"".join(data for _, data in streams)

cli = u32(72) + u16(2) + u16(5) + u32(meta_rva) + u32(len(metadata)) + u32(1) + u32(0)
content = pad(cli.ljust(cli_size, b"\0") + body + metadata, 0x200)
memory = (len(content) + 0x1FFF) & ~0x1FFF
dos = b"MZ".ljust(0x3C, b"\0") + u32(0x80)
pe = dos.ljust(0x80, b"\0") + b"PE\0\0" + u16(0x14C) + u16(1) + u32(0) * 3 + u16(0xE0) + u16(0x2102)
pe += u16(0x10B) + bytes([8, 0]) + u32(len(content)) + u32(0) * 2 + u32(0) + u32(text_rva) + u32(0)
pe += u32(0x400000) + u32(0x2000) + u32(0x200) + u16(4) + u16(0) + u16(0) * 2 + u16(4) + u16(0) + u32(0)
pe += u32(text_rva + memory) + u32(0x200) + u32(0) + u16(3) + u16(0x8540)
pe += u32(0x100000) + u32(0x1000) + u32(0x100000) + u32(0x1000) + u32(0) + u32(16)
pe += b"".join(u32(text_rva) + u32(cli_size) if i == 14 else u32(0) * 2 for i in range(16))
pe += b".text\0\0\0" + u32(len(content)) + u32(text_rva) + u32(len(content)) + u32(file_at)
pe += u32(0) * 2 + u16(0) * 2 + u32(0x60000020)
open(out, "wb").write(pe.ljust(file_at, b"\0") + content)
