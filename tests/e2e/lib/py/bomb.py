"""bomb.py MODULES METHODS OUT: a profile whose modules each claim METHODS methods of no name, in as few bytes as deflate can do:
117 KB for 15,000,000 (docs/profile-format.md, sections 2 and 3)."""
import struct
import sys
import zlib


def varuint(n):
    made = b""
    while n > 127:
        made, n = made + bytes([n & 127 | 128]), n >> 7
    return made + bytes([n])


def text(s):
    return varuint(len(s)) + s.encode()


def section(kind, payload):
    return kind + struct.pack("<IQ", zlib.crc32(payload), len(payload)) + payload


modules, methods = int(sys.argv[1]), int(sys.argv[2])
columns = b"".join(value * methods for value in (b"\0", b"\1", b"\0", b"\0", b"\0", b"\0", b"\0", b"\0"))
data = b"\0\0" + varuint(1) + varuint(methods) + b"\0" + b"\0" + b"T\0" + b"\0" + columns + b"\0"
deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
packed = deflate.compress(data) + deflate.flush()
mods = varuint(modules)
for i in range(modules):
    names = b"ILJN" + struct.pack("<HHIII", 1, 0, methods, len(data), len(packed)) + struct.pack("<IIII", i, 0, 0, 1) + packed
    mods += varuint((1 << 24) + i * methods) + varuint(methods) + text("Bomb%d" % i) + bytes(16) + varuint(len(names)) + names
run = varuint(2) + text("name") + text("Bomb") + text("ticks_per_second") + text("1000000000")
thread = varuint(0) + text("") + varuint(1) + varuint(0)
with open(sys.argv[3], "wb") as out:
    out.write(b"ILPROF\r\n" + struct.pack("<HHI", 1, 0, 0) + section(b"RUN ", run) + section(b"MODS", mods) + section(b"END ", b""))
