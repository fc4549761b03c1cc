"""PE images, read and changed by the standard's numbers alone, for suites."""
import re
import struct
from pathlib import Path


class Image:
    """The bytes of an image. Its directories, sections and native resources by ECMA-335, II.25.2."""

    def __init__(self, file):
        self.data = Path(file).read_bytes()
        self.pe = self.u32(0x3C)
        self.optional = self.pe + 24
        self.directories = self.optional + (112 if self.u16(self.optional) == 0x20B else 96)

    def u16(self, at):
        return struct.unpack_from("<H", self.data, at)[0]

    def u32(self, at):
        return struct.unpack_from("<I", self.data, at)[0]

    def directory(self, number):
        """Its address and size."""
        return self.u32(self.directories + 8 * number), self.u32(self.directories + 8 * number + 4)

    def offset_of(self, rva):
        """The place in the file of an address."""
        first = self.optional + self.u16(self.pe + 20)
        for header in range(first, first + 40 * self.u16(self.pe + 6), 40):
            start = self.u32(header + 12)
            if start <= rva < start + self.u32(header + 16):
                return rva - start + self.u32(header + 20)
        raise ValueError(f"no section has the address {rva:#x}")

    def native_resources(self):
        """The path (type, name, language) and the bytes of each leaf of directory 2."""
        root = self.offset_of(self.directory(2)[0])

        def walk(at, path):
            for entry in range(self.u16(at + 12) + self.u16(at + 14)):
                name, to = self.u32(at + 16 + 8 * entry), self.u32(at + 20 + 8 * entry)
                if to >> 31:
                    yield from walk(root + (to & 0x7FFFFFFF), (*path, name))
                else:
                    start = self.offset_of(self.u32(root + to))
                    yield (*path, name), self.data[start:start + self.u32(root + to + 4)]
        return dict(walk(root, ()))


def u32(*values):
    """Their bytes in a file."""
    return struct.pack(f"<{len(values)}I", *values)


def mvid(monodis_module):
    """The MVID that `monodis --module` prints."""
    return re.search(r"\{(.*)\}", monodis_module)[1]
