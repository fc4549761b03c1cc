"""OTLP profiles as protoc decodes them: read, checked by the rules of the format, and held against pprof; and a receiver
on the loopback that answers as it is said to.

Messages are dicts of lists; protoc's text names each field, so nothing here knows a number."""
import gzip
import re
import socket
import subprocess
import threading
from pathlib import Path

PROTO = Path(__file__).resolve().parents[3] / "data/proto"
ZERO_LINK = {"trace_id": [b"\0" * 16], "span_id": [b"\0" * 8]}
ESCAPES = {"n": b"\n", "r": b"\r", "t": b"\t", '"': b'"', "'": b"'", "\\": b"\\"}


def unquote(value):
    data, at = b"", 1
    while at < len(value) - 1:
        c = value[at]
        if c != "\\":
            data, at = data + c.encode(), at + 1
        elif value[at + 1] in ESCAPES:
            data, at = data + ESCAPES[value[at + 1]], at + 2
        else:
            data, at = data + bytes([int(value[at + 1:at + 4], 8)]), at + 4
    return data


def decode(data, message, proto):
    done = subprocess.run(["protoc", f"-I{PROTO}", f"--decode={message}", proto], input=data, capture_output=True,
                          check=False)
    if done.returncode != 0 or b"warning" in done.stderr.lower():
        raise ValueError(done.stderr.decode())
    stack = [{}]
    for line in done.stdout.decode().splitlines():
        line = line.strip()
        if line == "}":
            stack.pop()
        elif line.endswith(" {"):
            inner = {}
            stack[-1].setdefault(line[:-2], []).append(inner)
            stack.append(inner)
        else:
            name, value = line.split(": ", 1)
            if re.fullmatch(r"\d+", name):
                raise ValueError(f"a field without a name: {line}")
            known = unquote(value) if value[0] == '"' else value == "true" if value in ("true", "false") else int(value)
            stack[-1].setdefault(name, []).append(known)
    return stack[0]


def request(data):
    return decode(data, "otlp.ExportProfilesServiceRequest", "otlp-profiles.proto")


def one(message, field, otherwise=0):
    return message.get(field, [otherwise])[0]


class Document:
    """A request, with its tables looked up."""

    def __init__(self, data):
        self.root = request(data)
        self.tables = self.root["dictionary"][0]
        self.strings = [s.decode() for s in self.tables["string_table"]]
        self.resources = self.root["resource_profiles"]
        self.profiles = [p for r in self.resources for s in r["scope_profiles"] for p in s.get("profiles", [])]

    def text(self, message, field):
        return self.strings[one(message, field)]

    def value(self, any_value):
        for kind, found in any_value.items():
            if kind == "array_value":
                return [self.value(v) for v in found[0].get("values", [])]
            return found[0].decode() if kind == "string_value" else found[0]
        return None

    def resource(self):
        """The attributes of the only one."""
        (resource,) = self.resources
        found = [(a["key"][0].decode(), self.value(a["value"][0])) for a in resource["resource"][0]["attributes"]]
        assert len(dict(found)) == len(found), found
        return dict(found)

    def attributes(self, message):
        found = [self.tables["attribute_table"][i] for i in message.get("attribute_indices", [])]
        pairs = [(self.text(a, "key_strindex"), self.value(a["value"][0])) for a in found]
        assert len(dict(pairs)) == len(pairs), pairs
        return dict(pairs)

    def frame(self, location):
        line = one(self.tables["location_table"][location], "lines")
        function = self.tables["function_table"][one(line, "function_index")]
        assert one(line, "line") == one(function, "start_line")
        return self.text(function, "name_strindex"), self.text(function, "filename_strindex"), one(line, "line")

    def types(self):
        return [(self.text(one(p, "sample_type"), "type_strindex"), self.text(one(p, "sample_type"), "unit_strindex"))
                for p in self.profiles]

    def stacks(self, kind):
        """{names from the leaf on: value}"""
        found = {}
        for p in self.profiles:
            if self.text(one(p, "sample_type"), "type_strindex") != kind:
                continue
            for s in p["samples"]:
                locations = self.tables["stack_table"][one(s, "stack_index")].get("location_indices", [])
                names = tuple(self.frame(i)[0] for i in locations)
                found[names] = found.get(names, 0) + s["values"][0]
        return found

    def faults(self):
        """What breaks a rule of the format, or of its own checker: a line each."""
        t, bad, used = self.tables, [], {}
        zeros = {"mapping_table": {}, "location_table": {}, "function_table": {}, "link_table": ZERO_LINK,
                 "string_table": b"", "attribute_table": {}, "stack_table": {}}

        def uses(table, numbers, whose):
            for number in numbers:
                used.setdefault(table, set()).add(number)
                if not 0 <= number < len(t[table]):
                    bad.append(f"{whose} names entry {number} of {table}")

        def strings(message, whose, *fields):
            uses("string_table", [one(message, f) for f in fields], whose)

        for table, zero in zeros.items():
            entries = t.get(table, [])
            if not entries or entries[0] != zero:
                bad.append(f"{table} does not begin with the zero value: {entries[:1]}")
            if len({repr(e) for e in entries}) != len(entries):
                bad.append(f"{table} has an entry twice")
        ids = [one(p, "profile_id", b"") for p in self.profiles]
        if len(set(ids)) != len(ids) or any(len(i) != 16 or not any(i) for i in ids):
            bad.append(f"ids of profiles: {ids}")
        for p in self.profiles:
            if one(p, "sample_type") != one(p, "period_type") or one(p, "period") != 1 or not p.get("samples"):
                bad.append("a Profile's period is not of its type, or it has no samples")
            strings(one(p, "sample_type"), "a type", "type_strindex", "unit_strindex")
            uses("attribute_table", p.get("attribute_indices", []), "a Profile")
            seen = set()
            for s in p.get("samples", []):
                uses("stack_table", [one(s, "stack_index")], "a sample")
                uses("attribute_table", s.get("attribute_indices", []), "a sample")
                self.attributes(s)
                seen.add((one(s, "stack_index"), tuple(sorted(s.get("attribute_indices", [])))))
                if len(s["values"]) != 1 or s["values"][0] <= 0 or "timestamps_unix_nano" in s or "link_index" in s:
                    bad.append(f"a sample is not one value: {s}")
            if len(seen) != len(p.get("samples", [])):
                bad.append("two samples have the same stack and attributes")
        for i in range(1, len(t["stack_table"])):
            uses("location_table", t["stack_table"][i].get("location_indices", []), "a stack")
        for m in t["location_table"][1:]:
            uses("mapping_table", [one(m, "mapping_index")], "a location")
            uses("attribute_table", m.get("attribute_indices", []), "a location")
            uses("function_table", [one(line, "function_index") for line in m["lines"]], "a location")
        for m in t["function_table"][1:]:
            strings(m, "a function", "name_strindex", "system_name_strindex", "filename_strindex")
        for m in t["mapping_table"][1:]:
            strings(m, "a mapping", "filename_strindex")
            uses("attribute_table", m.get("attribute_indices", []), "a mapping")
        for m in t["attribute_table"][1:]:
            strings(m, "an attribute", "key_strindex", "unit_strindex")
        for table in zeros:
            orphans = set(range(1, len(t[table]))) - used.get(table, set())
            if orphans:
                bad.append(f"nothing names {sorted(orphans)[:5]} of {table}")
        return bad


def pprof_stacks(data, kind):
    """The same of a pprof file."""
    root = decode(gzip.decompress(data), "pprof.Profile", "pprof.proto")
    text = [s.decode() for s in root["string_table"]]
    functions = {one(f, "id"): text[one(f, "name")] for f in root["function"]}
    locations = {one(m, "id"): functions[one(one(m, "line"), "function_id")] for m in root["location"]}
    column = [text[one(v, "type")] for v in root["sample_type"]].index(kind)
    found = {}
    for s in root["sample"]:
        names = tuple(locations[i] for i in s["location_id"])
        if s["value"][column]:
            found[names] = found.get(names, 0) + s["value"][column]
    return found


def answer(status="200 OK", body=b"", *headers):
    head = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


def partial(rejected, message):
    """An ExportProfilesServiceResponse, by protoc."""
    text = f'partial_success {{ rejected_profiles: {rejected} error_message: "{message}" }}'
    return subprocess.run(["protoc", f"-I{PROTO}", "--encode=otlp.ExportProfilesServiceResponse", "otlp-profiles.proto"],
                          input=text.encode(), stdout=subprocess.PIPE, check=True).stdout


class Receiver:
    """Answers the requests as `answers` has them, the last one for all others: bytes, or a function of the connection.
    `got` has their heads, and their bodies as they were before gzip."""

    def __init__(self, *answers):
        self.answers, self.got = list(answers), []
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        threading.Thread(target=self.serve, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def serve(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.one, args=(connection,), daemon=True).start()

    def one(self, connection):
        reply = self.answers[0] if len(self.answers) == 1 else self.answers.pop(0)
        with connection:
            if callable(reply):
                self.got.append((["early"], b""))
                reply(connection)
                return
            file = connection.makefile("rb")
            head = []
            while line := file.readline().strip():
                head.append(line.decode())
            sizes = [int(line.split(":")[1]) for line in head if line.lower().startswith("content-length:")]
            body = file.read(sizes[0])
            self.got.append((head, gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body))
            connection.sendall(reply)
