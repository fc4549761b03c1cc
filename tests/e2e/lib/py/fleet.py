"""Profiles as trackers write them, made from docs/profile-format.md alone: trees of any size, labels, a whole fleet.

    profile(run, modules, threads, labels) -> bytes
    a module: (base, assembly's full name, MVID, names resource), names(...) makes the last
    a thread: (id, name, nodes), a node: (children, id, calls, ticks, folded ticks) in pre-order
"""
import random
import struct
import zlib

FIRST_ID = 1 << 24


def varuint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def text(value):
    data = value.encode()
    return varuint(len(data)) + data


def section(kind, payload):
    return kind.encode() + struct.pack("<IQ", zlib.crc32(payload), len(payload)) + payload


def names(assembly, mvid, space, types, methods):
    """`methods`: (type's position, name, parameters); all static, rows from 1."""
    deflate = zlib.compressobj(6, zlib.DEFLATED, -15)
    z = lambda s: s.encode() + b"\0"
    steps, last = [], 0
    for kind, _, _ in methods:
        step = kind - last
        steps.append(varuint(2 * step if step >= 0 else -2 * step - 1))
        last = kind
    data = b"".join([
        z(assembly + ".dll"), z(assembly), varuint(len(types)), varuint(len(methods)),
        b"\0" * len(types), z(space) * len(types), b"".join(map(z, types)), b"\0" * len(types),
        b"".join(steps), b"\1" * len(methods), b"\x20" * len(methods), b"\1" * len(methods),
        b"".join(z(name) for _, name, _ in methods), b"\0" * len(methods),
        b"".join(z(parameters) for _, _, parameters in methods), b"\0" * len(methods), b"\0"])
    packed = deflate.compress(data) + deflate.flush()
    return b"ILJN" + struct.pack("<HHIII", 1, 0, len(methods), len(data), len(packed)) + mvid + packed


def profile(run, modules, threads, labels=None):
    pairs = {"ticks_per_second": 1000000000, "clock": "stopwatch", "runtime": "made", "reason": "exit", **run}
    out = [b"ILPROF\r\n" + struct.pack("<HHI", 1, 0, 0),
           section("RUN ", varuint(len(pairs)) + b"".join(text(k) + text(str(v)) for k, v in pairs.items())),
           section("MODS", varuint(len(modules)) + b"".join(
               varuint(base) + varuint(struct.unpack_from("<I", resource, 8)[0]) + text(assembly) + mvid +
               varuint(len(resource)) + resource for base, assembly, mvid, resource in modules))]
    for number, name, nodes in threads:
        body = bytearray()
        for children, method, calls, ticks, folded in nodes:
            for value in (children, method, calls, ticks, folded):
                if value < 0x80:
                    body.append(value)
                else:
                    body += varuint(value)
            body += b"\0\0"
        out.append(section("THRD", varuint(number) + text(name) + b"\1" + varuint(len(nodes)) + bytes(body)))
    if labels:
        out.append(section("LABL", b"\0" + varuint(len(labels)) + b"".join(
            text(k) + b"\1" + text(v) + b"\1\0" for k, v in sorted(labels.items()))))
    return b"".join(out) + section("END ", b"")


class Program:
    """One program of many methods whose calls form a tree of `paths` nodes, the same in each of its runs."""

    def __init__(self, seed, methods, paths, name="Shop"):
        draw = random.Random(seed)
        self.name, self.count = name, methods
        types = max(1, methods // 20)
        self.methods = [(m % types, f"M{m}", "int, string" if m % 3 else "") for m in range(methods)]
        self.mvid = draw.randbytes(16)
        self.types = [f"T{t}" for t in range(types)]
        resource = names(name, self.mvid, name, self.types, self.methods)
        self.modules = [(FIRST_ID, f"{name}, Version=1.0.0.0, Culture=neutral, PublicKeyToken=null", self.mvid, resource)]
        # Each node's parent is one of the last 40, so that trees are deep and broad; a method by a skewed choice.
        parents, keys, self.children = [0], [0], [[]]
        taken = set()
        while len(parents) <= paths:
            parent = max(0, len(parents) - 1 - int(draw.random() ** 2 * 40))
            method = int(draw.random() ** 1.5 * methods)
            if (parent, method) in taken:
                continue
            taken.add((parent, method))
            self.children[parent].append(len(parents))
            self.children.append([])
            parents.append(parent)
            keys.append(method)
        self.parents, self.keys = parents, keys
        self.own = [0] + [int(draw.paretovariate(1.2) * 200) for _ in range(paths)]
        self.order = []
        stack = [0]
        while stack:
            node = stack.pop()
            self.order.append(node)
            stack += reversed(self.children[node])

    def method_name(self, method):
        kind, name, parameters = self.methods[method]
        return f"{self.name}.{self.types[kind]}.{name}({parameters})"

    def run(self, draw, slower=None, host_factor=1.0, share=1.0, **facts):
        """A run's bytes: each path with a chance of `share`, times with noise, `slower`: {method: factor}."""
        slower = slower or {}
        count = len(self.parents)
        here = [True] * count
        if share < 1:
            for node in range(1, count):
                here[node] = here[self.parents[node]] and draw.random() < share
        calls, own, total = [0] * count, [0] * count, [0] * count
        whole = host_factor * draw.lognormvariate(0, 0.05)
        for node in range(1, count):
            if here[node]:
                calls[node] = draw.randint(1, 20)
                own[node] = max(1, int(self.own[node] * calls[node] * whole * slower.get(self.keys[node], 1.0) *
                                       draw.lognormvariate(0, 0.1)))
        for node in range(count - 1, 0, -1):
            total[node] += own[node]
            total[self.parents[node]] += total[node]
        nodes = []
        for node in self.order:
            if here[node]:
                nodes.append((sum(here[c] for c in self.children[node]), FIRST_ID + self.keys[node] if node else 0,
                              calls[node], total[node] if node else 0, 0))
        labels = facts.pop("labels", None)
        data = profile({"name": self.name, "wall_ticks": total[0], **facts}, self.modules, [(1, "main", nodes)], labels)
        return data, {n: (calls[n], own[n]) for n in range(1, count) if here[n]}
