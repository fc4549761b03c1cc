#!/usr/bin/env python3
"""Adds up the profiles of runs and holds a merged one against the sums, to the count and the nanosecond. Written from
docs/profile-format.md, section 3, alone: it shares no line with the program that merges.

    merged.py MERGED RUN…

The runs' clocks have to have ticks of whole nanoseconds. Says what differs and exits with 1, else says how many paths
and threads were compared.
"""
import struct, sys, zlib


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def bytes(self, count):
        assert count <= len(self.data) - self.at, "a value runs past its end"
        self.at += count
        return self.data[self.at - count:self.at]

    def varuint(self):
        value = shift = 0
        while True:
            b = self.bytes(1)[0]
            value |= (b & 0x7F) << shift
            shift += 7
            if b < 0x80:
                return value

    def str(self):
        return self.bytes(self.varuint())


def sections(path):
    with open(path, "rb") as f:
        data = f.read()
    assert data[:8] == b"ILPROF\r\n" and struct.unpack_from("<HHI", data, 8) == (1, 0, 0), "header"
    at, found = 16, []
    while not found or found[-1][0] != b"END ":
        kind, crc, size = struct.unpack_from("<4sIQ", data, at)
        payload = data[at + 16:at + 16 + size]
        assert len(payload) == size and zlib.crc32(payload) == crc, "size or CRC of %s" % kind
        found.append((kind, Reader(payload)))
        at += 16 + size
    assert at == len(data), "bytes behind END"
    return found


def read_run(r):
    return {k.decode(): v.decode("utf-8", "replace") for k, v in [(r.str(), r.str()) for _ in range(r.varuint())]}


def read_modules(r):
    """Range of ids → what tells the module from others."""
    found = []
    for _ in range(r.varuint()):
        base, count = r.varuint(), r.varuint()
        name, mvid, names = r.str(), r.bytes(16), r.str()
        found.append((base, count, (mvid, count, name, names)))
    for one, next_one in zip(found, found[1:]):
        assert one[0] + one[1] <= next_one[0], "modules overlap"
    assert not found or found[0][0] >= 1 << 24
    return found


def method(modules, number):
    for base, count, module in modules:
        if base <= number < base + count:
            return module, number - base
    return None, number


def read_tree(r, modules, fields):
    """Pre-order list of (path, its children's positions, the fields)."""
    nodes, open_ones = [], []
    for position in range(r.varuint()):
        while open_ones and open_ones[-1][1] == 0:
            open_ones.pop()
        children, number = r.varuint(), r.varuint()
        above = nodes[open_ones[-1][0]][0] if open_ones else ()
        if open_ones:
            nodes[open_ones[-1][0]][1].append(position)
            open_ones[-1][1] -= 1
        nodes.append((above + (method(modules, number),), [], [r.varuint() for _ in range(fields)]))
        open_ones.append([position, children])
    assert all(left == 0 for _, left in open_ones), "children are missing"
    return nodes


def add(sums, thread, path, figures):
    known = sums.setdefault((thread, path), [0] * len(figures))
    for i, figure in enumerate(figures):
        known[i] += figure


def add_up(paths):
    sums, threads, facts = {}, {}, {"wall_ticks": 0, "folded": 0, "folded_async": 0, "dropped": 0, "stopped_ticks": 0, "merged": 0}
    for path in paths:
        run, modules = None, None
        for kind, r in sections(path):
            if kind == b"RUN ":
                run = read_run(r)
                rate = int(run["ticks_per_second"])
                assert 10**9 % rate == 0, "a tick is no whole nanoseconds"
                each = 10**9 // rate
                facts["start"] = min(facts.get("start", 1 << 64), int(run["start"]))
                facts["end"] = max(facts.get("end", 0), int(run["start"]) + int(run["wall_ticks"]) * each)
                facts["merged"] += 1
                for key in ("folded", "folded_async", "dropped"):
                    facts[key] += int(run.get(key, 0))
                for key in ("wall_ticks", "stopped_ticks"):
                    facts[key] += int(run.get(key, 0)) * each
            elif kind == b"MODS":
                modules = read_modules(r)
            elif kind == b"SWCH":
                sys.exit("a run with methods that were switched off")
            elif kind == b"THRD":
                r.varuint()
                name, count = r.str(), r.varuint()
                threads[name] = threads.get(name, 0) + count
                nodes = read_tree(r, modules, 5)
                inclusive, own = [0] * len(nodes), [0] * len(nodes)
                for i in reversed(range(len(nodes))):
                    path_of, children, (calls, ticks, folded, resynchronised, still_open) = nodes[i]
                    root = i == 0
                    left = ticks - sum(nodes[c][2][1] for c in children) - folded
                    own[i] = 0 if root or path_of[-1] == (None, 1) else max(0, left)
                    below = [c for c in children if not (root and nodes[c][0][-1] == (None, 1))]
                    inclusive[i] = own[i] + (0 if root else folded) + sum(inclusive[c] for c in below)
                    # By ticks callees may seem to take longer than their caller: its time is what it says.
                    if left < 0 and not root and run.get("clock") in ("mixed", "ticking"):
                        inclusive[i] = ticks
                for i, (path_of, _, (calls, _, _, resynchronised, still_open)) in enumerate(nodes):
                    add(sums, name, path_of, [calls, inclusive[i] * each, own[i] * each, resynchronised, still_open])
    return sums, threads, facts


def read_merged(path):
    sums, threads, modules, last = {}, {}, None, None
    for kind, r in sections(path):
        if kind == b"RUN ":
            run = read_run(r)
        elif kind == b"MODS":
            modules = read_modules(r)
        elif kind == b"TREE":
            name, count = r.str(), r.varuint()
            assert last is None or last < name, "threads are not in the order of their names"
            last = name
            threads[name] = count
            for path_of, _, figures in read_tree(r, modules, 5):
                add(sums, name, path_of, figures)
        else:
            assert kind != b"THRD", "THRD in a merged profile"
    facts = {key: int(run.get(key, 0)) for key in ("start", "end", "wall_ticks", "folded", "folded_async", "dropped", "stopped_ticks", "merged")}
    assert run["ticks_per_second"] == "1000000000"
    return sums, threads, facts


def main():
    merged, runs = sys.argv[1], sys.argv[2:]
    wrong = 0
    for what, ours, theirs in zip(("path", "thread", "fact"), add_up(runs), read_merged(merged)):
        for key in ours.keys() | theirs.keys():
            if ours.get(key) != theirs.get(key):
                wrong += 1
                shown = key if what != "path" else (key[0], [m and (m[0] and m[0][2], m[1]) for m in key[1]])
                print("%s %s: %s in the runs, %s merged" % (what, shown, ours.get(key), theirs.get(key)))
        if what == "path":
            print(len(ours), "paths")
    return 1 if wrong or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
