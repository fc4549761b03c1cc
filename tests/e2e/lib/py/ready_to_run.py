"""The tables of a ReadyToRun image, read by another reader than ilinject's, from the format's description
(docs/design/coreclr/botr/readytorun-format.md of dotnet/runtime). It believes what it reads."""
import struct
from pathlib import Path

METHODS, INSTANCES, INLINING = 103, 109, 119


class NotReadyToRun(Exception):
    """The file is no ReadyToRun image."""


class Image:
    """Offsets are those in memory (RVAs) until a byte is read."""

    def __init__(self, file):
        self.data = Path(file).read_bytes()
        self.inlined = None
        pe = self.word(0x3C)
        if self.data[:2] != b"MZ" or self.data[pe:pe + 2] != b"PE":
            raise NotReadyToRun(file)
        count, optional = self.half(pe + 6), pe + 24
        directories = optional + (112 if self.half(optional) == 0x20B else 96)
        headers = optional + self.half(pe + 20)
        self.sections = [struct.unpack_from("<IIII", self.data, headers + 40 * i + 8) for i in range(count)]
        cli = self.offset(self.word(directories + 14 * 8)) if self.word(directories + 14 * 8) else None
        if cli is None or not self.word(cli + 64):
            raise NotReadyToRun(file)
        at = self.offset(self.word(cli + 64))
        self.version, self.flags = struct.unpack_from("<HH", self.data, at + 4), self.word(at + 8)
        self.tables = {}
        for i in range(self.word(at + 12)):
            kind, rva, size = struct.unpack_from("<III", self.data, at + 16 + 12 * i)
            if size:
                self.tables[kind] = rva

    def half(self, at):
        return struct.unpack_from("<H", self.data, at)[0]

    def word(self, at):
        return struct.unpack_from("<I", self.data, at)[0]

    def offset(self, rva):
        for size, start, raw, at in self.sections:
            if start <= rva < start + max(size, raw):
                return rva - start + at
        raise IndexError(hex(rva))

    def number(self, rva):
        """The number there, how many bits its form has, and the RVA after it."""
        at = self.offset(rva)
        first, more = self.data[at], 0
        while more < 4 and first >> more & 1:
            more += 1
        if more == 4:
            return self.word(at + 1), 32, rva + 5
        value = int.from_bytes(self.data[at:at + more + 1], "little")
        return value >> (more + 1), 7 * (more + 1), rva + more + 1

    def compressed(self, rva):
        at = self.offset(rva)
        first = self.data[at]
        if first < 0x80:
            return first, rva + 1
        if first < 0xC0:
            return (first & 0x3F) << 8 | self.data[at + 1], rva + 2
        return int.from_bytes(self.data[at:at + 4], "big") & 0x1FFFFFFF, rva + 4

    def little(self, rva, width):
        at = self.offset(rva)
        return int.from_bytes(self.data[at:at + width], "little")

    def entry(self, rva):
        """(function, RVA of the list of slots or 0)"""
        value, _, rva = self.number(rva)
        if not value & 1:
            return value >> 1, 0
        return value >> 2, rva - (self.number(rva)[0] if value & 2 else 0)

    def methods(self):
        """{row: entry}"""
        found = {}
        if METHODS not in self.tables:
            return found
        head, _, base = self.number(self.tables[METHODS])
        width = 1 << (head & 3)
        for index in range(head >> 2):
            rva, bit, there = base + self.little(base + index // 16 * width, width), 8, True
            while bit:
                value, _, after = self.number(rva)
                if index & bit and value & 2:
                    rva += value >> 2
                elif not index & bit and value & 1:
                    rva = after
                else:
                    there, rva = value & 3 == 0 and value >> 2 == index % 16, after
                    break
                bit //= 2
            if there:
                found[index + 1] = self.entry(rva)
        return found

    def hashed(self, kind):
        """(bucket, low byte of the hash, RVA of the content) of each entry of a hash table"""
        if kind not in self.tables:
            return
        head = self.little(self.tables[kind], 1)
        base, width = self.tables[kind] + 1, 1 << (head & 3)
        for bucket in range(1 << (head >> 2)):
            rva, end = (base + self.little(base + (bucket + i) * width, width) for i in range(2))
            while rva < end:
                low, at = self.little(rva, 1), rva + 1
                value, bits, rva = self.number(at)
                yield bucket, low, at + (value - (1 << 32) if bits == 32 and value >> 31 else value)

    def past_type(self, rva):
        kind, rva = self.little(rva, 1) & 0x7F, rva + 1
        if kind in (0x0F, 0x10, 0x1D, 0x45):
            return self.past_type(rva)
        if kind in (0x11, 0x12, 0x13, 0x1E):
            return self.compressed(rva)[1]
        if kind == 0x14:
            rank, rva = self.compressed(self.past_type(rva))
            for _ in range(2 if rank else 0):
                count, rva = self.compressed(rva)
                for _ in range(count):
                    rva = self.compressed(rva)[1]
            return rva
        if kind == 0x15:
            count, rva = self.compressed(self.past_type(rva))
            for _ in range(count):
                rva = self.past_type(rva)
            return rva
        if kind == 0x1B:
            count, rva = self.compressed(rva + 1)
            for _ in range(count + 1):
                rva = self.past_type(rva)
            return rva
        if kind == 0x3F:
            return self.past_type(self.compressed(rva)[1])
        return rva

    def instances(self):
        """[(bucket, low hash, RVA, row, entry)]"""
        found = []
        for bucket, low, start in self.hashed(INSTANCES):
            flags, rva = self.compressed(start)
            if flags & 0x80:
                rva = self.compressed(rva)[1]
            if flags & 0x40:
                rva = self.past_type(rva)
            row, rva = self.compressed(rva)
            if flags & 4:
                count, rva = self.compressed(rva)
                for _ in range(count):
                    rva = self.past_type(rva)
            found.append((bucket, low, start, row, self.entry(rva)))
        return found

    def inliners(self):
        """{row of an inlinee: [rows that it was put into]}, of an image of one module"""
        if self.inlined is not None:
            return self.inlined
        self.inlined = found = {}
        for _, _, rva in self.hashed(INLINING):
            left, _, rva = self.number(rva)
            first, _, rva = self.number(rva)
            module, _, rva = self.number(rva)
            if first & 3 or module:
                raise ValueError("methods of other modules")
            row, found[first >> 2] = 0, []
            for _ in range(left - 2):
                delta, _, rva = self.number(rva)
                row += delta >> 1
                found[first >> 2].append(row)
        return found

    def with_inliners(self, rows):
        """The rows, those that have inlined one of them, and so on."""
        inliners, gone, waiting = self.inliners(), set(rows), list(rows)
        while waiting:
            for row in inliners.get(waiting.pop(), ()):
                if row not in gone:
                    gone.add(row)
                    waiting.append(row)
        return gone
