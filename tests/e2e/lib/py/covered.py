"""Cobertura files of ours beside coverlet's: whether they call the same methods hit."""
import collections
import re
from xml.etree import ElementTree

Method = collections.namedtuple("Method", "type name parameters file lines hit inner")


def count(signature):
    depth, found = 0, 1 if signature.strip("() ") else 0
    for c in signature:
        depth += (c in "<[") - (c in ">]")
        found += c == "," and depth == 0
    return found


def methods(path, library):
    """Of the library; a state machine is its method, as in a report; what closures have is inner."""
    found = []
    for package in ElementTree.parse(path).getroot().iter("package"):
        for of in package.iter("class") if package.get("name") == library else []:
            name, machine = of.get("name"), re.search(r"/<(\w+)>d__", of.get("name"))
            for m in of.iter("method"):
                lines = {int(line.get("number")): int(line.get("hits")) for line in m.iter("line")}
                own = machine.group(1) if machine and m.get("name") == "MoveNext" else m.get("name")
                inner = "<" in own or "lambda" in own or (".local" in own) or ("/<" in name and not machine)
                found.append(Method(name.split("/<")[0], own, None if machine else count(m.get("signature")),
                                    of.get("filename").split("/")[-1], lines, any(lines.values()), inner))
    return found


def compared(theirs, ours):
    """(methods that agree, groups that differ, ours alone, theirs alone). Where coverlet has several methods of a line in
    one entry, one of them that is hit is a hit of all."""
    by_name, by_line = collections.defaultdict(list), collections.defaultdict(list)
    for m in theirs:
        by_name[m.type, m.name].append(m)
    for m in ours:
        by_line[m.file, min(m.lines)].append(m)
    wrong, agreed, absent, seen = [], 0, [], set()
    for group in by_line.values():
        group = [m for m in group if not m.inner]
        found = [t for m in group for t in by_name[m.type, m.name] if t.parameters in (None, m.parameters)]
        exact = [t for t in found if any(min(m.lines) in t.lines for m in group)]
        found = exact or found
        seen.update(map(id, found))
        if not found:
            absent += group
        elif any(t.hit for t in found) != any(m.hit for m in group):
            wrong.append((group, found))
        else:
            agreed += len(group)
    left = [t for t in theirs if not t.inner and id(t) not in seen]
    return agreed, wrong, absent, left
