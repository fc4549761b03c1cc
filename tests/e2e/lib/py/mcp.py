"""A client of `ilinject mcp`, and a judge of JSON by JSON Schema."""
import json
import re
import subprocess

from kit import ILINJECT, Wrong, true


def misfit(schema, value, at="$"):
    """What of a value does not fit a schema of 2020-12, or None; keywords that are not known are a fault, too."""
    known = {"type", "properties", "required", "additionalProperties", "items", "enum", "minimum", "maximum",
             "minItems", "maxItems", "maxLength", "description", "title"}
    if set(schema) - known:
        return f"{at}: keywords {set(schema) - known}"
    kinds = {"object": dict, "array": list, "string": str, "boolean": bool, "number": (int, float), "integer": int}
    wanted = schema.get("type", list(kinds))
    wanted = [wanted] if isinstance(wanted, str) else wanted
    if not any(isinstance(value, kinds[k]) and (k == "boolean" or not isinstance(value, bool)) for k in wanted):
        return f"{at}: {value!r} is no {wanted}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{at}: {value!r} is none of {schema['enum']}"
    if isinstance(value, dict):
        missing = [name for name in schema.get("required", []) if name not in value]
        more = [] if schema.get("additionalProperties", True) else set(value) - set(schema.get("properties", {}))
        if missing or more:
            return f"{at}: without {missing}, with {more}"
        parts = [misfit(schema.get("properties", {}).get(name, {}), of, f"{at}.{name}") for name, of in value.items()]
    elif isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            return f"{at}: {len(value)} elements"
        parts = [misfit(schema.get("items", {}), of, f"{at}[{i}]") for i, of in enumerate(value)]
    else:
        parts = [f"{at}: too long"] if isinstance(value, str) and len(value) > schema.get("maxLength", 10**9) else []
    return next((part for part in parts if part), None)


class Client:
    """One server. `modern`: requests name the revision of 2026-07-28, and there is no handshake."""

    def __init__(self, root, *options, modern=False, handshake=True, env=None):
        self.server = subprocess.Popen([ILINJECT, "mcp", f"--root={root}", *options], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
        self.number, self.modern = 0, modern
        if handshake and not modern:
            self.ask("initialize", protocolVersion="2025-11-25", capabilities={},
                     clientInfo={"name": "suite", "version": "1"})
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.tools = {tool["name"]: tool for tool in self.ask("tools/list")["result"]["tools"]} if handshake else {}

    def send(self, message):
        text = message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
        self.server.stdin.write(text)
        self.server.stdin.flush()

    def read(self):
        line = self.server.stdout.readline()
        if not line.endswith(b"\n"):
            raise Wrong(f"no line: {line!r} {self.server.stderr.read1()!r}")
        return json.loads(line)

    def request(self, method, **params):
        self.number += 1
        if self.modern:
            params["_meta"] = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                               "io.modelcontextprotocol/clientCapabilities": {}}
        return {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}

    def ask(self, method, **params):
        self.send(self.request(method, **params))
        answer = self.read()
        true(answer["jsonrpc"] == "2.0" and answer["id"] == self.number, f"{answer}")
        return answer

    def result(self, tool, **arguments):
        """The whole result of a call: its text is the structured part, which fits the tool's schema and is small."""
        result = self.ask("tools/call", name=tool, arguments=arguments)["result"]
        text = result["content"][0]["text"]
        true(result["content"][0]["type"] == "text" and len(result["content"]) == 1, f"{result}")
        true(len(text.encode()) <= 8192, f"{tool}: {len(text.encode())} bytes")
        if not result["isError"]:
            true(json.loads(text) == result["structuredContent"], f"{tool}: the text is another one")
            fault = misfit(self.tools[tool]["outputSchema"], result["structuredContent"])
            true(not fault, f"{tool}: {fault}")
        return result

    def call(self, tool, **arguments):
        result = self.result(tool, **arguments)
        true(not result["isError"], f"{tool}: {result['content'][0]['text']}")
        return result["structuredContent"]

    def refusal(self, tool, **arguments):
        """The sentence of a call that is refused."""
        result = self.result(tool, **arguments)
        true(result["isError"] and "structuredContent" not in result, f"{result}")
        return result["content"][0]["text"]

    def all_pages(self, tool, rows, **arguments):
        """The rows of all answers, one after another."""
        found, cursor = [], {}
        while True:
            answer = self.call(tool, **arguments, **cursor)
            found += [row for name in rows for row in answer[name]]
            if "next" not in answer:
                return found
            cursor = {"cursor": answer["next"]}

    def close(self):
        """Ends the input; returns the exit value, what else came, and what was said."""
        self.server.stdin.close()
        rest, said = self.server.stdout.read(), self.server.stderr.read()
        return self.server.wait(), rest, said.decode()


def objects(value):
    """All objects in a JSON value."""
    if isinstance(value, dict):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
        yield from objects(part)


def places_of(answers, method):
    """The (id, file, line) with which the answers name a method, `Type.Name`."""
    return {(row["method"], row.get("file"), row.get("line")) for answer in answers for row in objects(answer)
            if re.search(rf"(^|\.){re.escape(method)}(\(|$)", row.get("name", "")) and "method" in row}
