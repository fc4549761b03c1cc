#!/usr/bin/env python3
"""Replays the templates of docs/ci without a forge: the shell steps run, a loopback server stands for the API.

    forge.py action FILE FOLDER EVENT INPUT=VALUE...    a composite action of GitHub's, for a push or a pull_request
    forge.py gitlab FILE FOLDER EVENT NAME=VALUE...     GitLab's jobs, with these variables

FOLDER is the checkout; beside it stand the forge's own things: FOLDER.cache (caches, or the artifacts of the default
branch), FOLDER.artifacts (of this run), FOLDER.comments.json (the API's state) and FOLDER.requests (a line each).
Prints what the steps print, and ends as the job would. INPUT "deny=1" lets the API refuse.
"""
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import urllib.parse
from pathlib import Path

import yaml

TOKEN, JOB_TOKEN = "t0ken", "j0b"  # the first one comments, the second one reads artifacts


class Api(http.server.BaseHTTPRequestHandler):
    """Comments by the rules of the two APIs: GET lists, POST adds, PATCH (GitHub) or PUT (GitLab) changes."""
    def log_message(self, *_):
        pass

    def answer(self, status, body=b"{}"):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do(self):
        forge, path = self.server.forge, urllib.parse.urlsplit(self.path)
        with open(f"{forge['folder']}.requests", "a", encoding="utf-8") as log:
            log.write(f"{self.command} {self.path}\n")
        sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        given = self.headers.get("Authorization") if forge["kind"] == "action" else self.headers.get("PRIVATE-TOKEN")
        if "/raw/" in path.path:
            if self.headers.get("JOB-TOKEN") != JOB_TOKEN:
                return self.answer(401)
        elif given != ("Bearer " + TOKEN if forge["kind"] == "action" else TOKEN):
            return self.answer(401)
        if forge["deny"] and "/raw/" not in path.path:
            return self.answer(403)
        store = Path(f"{forge['folder']}.comments.json")
        comments = json.loads(store.read_text()) if store.exists() else []
        raw = re.fullmatch(r"/projects/42/jobs/artifacts/main%2F1/raw/(.*)", path.path)
        if raw and self.command == "GET" and urllib.parse.parse_qs(path.query)["job"] == ["gate 1"]:
            file = Path(f"{forge['folder']}.cache") / raw[1]
            return self.answer(200, file.read_bytes()) if file.exists() else self.answer(404)
        listed, one = ("/repos/o/r/issues/7/comments", r"/repos/o/r/issues/comments/(\d+)") if forge["kind"] == "action" else \
            ("/projects/42/merge_requests/7/notes", r"/projects/42/merge_requests/7/notes/(\d+)")
        known = re.fullmatch(one, path.path)
        if self.command == "GET" and path.path == listed:
            return self.answer(200, json.dumps(comments).encode())
        if self.command == "POST" and path.path == listed:
            comments.append({"id": 1000 + len(comments), "body": json.loads(sent)["body"]})
        elif known and self.command == ("PATCH" if forge["kind"] == "action" else "PUT"):
            next(c for c in comments if c["id"] == int(known[1]))["body"] = json.loads(sent)["body"]
        else:
            return self.answer(404)
        store.write_text(json.dumps(comments))
        return self.answer(201)

    do_GET = do_POST = do_PATCH = do_PUT = do


def serve(forge):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Api)
    server.forge = forge
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}"


def bash(text, folder, env, options):
    return subprocess.run(["bash", "--noprofile", "--norc", *options, "-c", text], cwd=folder, env=env).returncode


def action(document, folder, event, given):
    known = document["inputs"]
    for name in given:
        if name not in known:
            sys.exit(f"no input {name}")
    for name, its in known.items():
        if its.get("required") and name not in given:
            sys.exit(f"input {name} is required")
    github = {"github.token": TOKEN, "github.event_name": event, "github.base_ref": "main" if event == "pull_request" else "",
              "github.ref_name": "main", "github.run_id": "1", "github.repository": "o/r", "github.event.pull_request.number": "7",
              "github.api_url": serve(FORGE), "runner.os": "Linux", "runner.temp": folder + ".temp"}
    values = dict(github)

    def value(word):
        word = word.strip()
        return word[1:-1] if word.startswith("'") else values[word]

    def filled(text):
        return re.sub(r"\$\{\{ *(.*?) *\}\}", lambda m: value(m[1]), str(text))

    def holds(condition, failed):
        if condition == "!cancelled()":
            return True
        return not failed and all((value(a) == value(b)) == (sign == "==") for a, sign, b in
                                  (re.fullmatch(r"(\S+) (==|!=) (\S+)", part).groups() for part in condition.split(" && ")))

    for name, its in known.items():
        values["inputs." + name] = given.get(name, filled(its.get("default", "")))
    shutil.rmtree(folder + ".temp", ignore_errors=True)
    os.makedirs(folder + ".temp")
    files = {name: f"{folder}.temp/{name}" for name in ("GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    failed = 0
    for step in document["runs"]["steps"]:
        if not holds(step.get("if", "'' == ''"), failed):
            continue
        print("##", step["name"], flush=True)
        if "uses" in step:
            failed = uses(step["uses"], {k: filled(v) for k, v in step["with"].items()}, folder) or failed
            continue
        assert step["shell"] == "bash" and "${{" not in step["run"], "an expression in a script is the pull request's to write"
        env = {**os.environ, **files, **{k: filled(v) for k, v in step.get("env", {}).items()}}
        if os.path.exists(files["GITHUB_PATH"]):
            env["PATH"] = ":".join(Path(files["GITHUB_PATH"]).read_text().split() + [env["PATH"]])
        failed = bash(step["run"], folder, env, ["-e", "-o", "pipefail"]) or failed
        if "id" in step and os.path.exists(files["GITHUB_OUTPUT"]):
            for line in Path(files["GITHUB_OUTPUT"]).read_text().splitlines():
                values[f"steps.{step['id']}.outputs.{line.split('=')[0]}"] = line.split("=", 1)[1]
    return failed


def uses(what, options, folder):
    """The actions that the template uses, as their pages describe them: a cache's key is whole, or a restore-key's beginning."""
    cache = Path(folder + ".cache")
    if what == "actions/cache/restore@v4":
        assert set(options) == {"path", "key", "restore-keys"}
        fits = [c for c in cache.glob("*") if c.name == options["key"] or c.name.startswith(options["restore-keys"])]
        if fits:
            shutil.copytree(fits[-1], Path(folder) / options["path"])
    elif what == "actions/cache/save@v4":
        assert set(options) == {"path", "key"}
        if not (cache / options["key"]).exists():
            shutil.copytree(Path(folder) / options["path"], cache / options["key"])
    elif what == "actions/upload-artifact@v4":
        assert set(options) == {"name", "path", "if-no-files-found"}
        keep(options["path"].split(), folder)
    else:
        sys.exit(f"no {what} here")
    return 0


def keep(paths, folder):
    shutil.rmtree(folder + ".artifacts", ignore_errors=True)
    for path in paths:
        if (Path(folder) / path).exists():
            shutil.copytree(Path(folder) / path, Path(folder + ".artifacts") / path)


def gitlab(document, folder, event, given):
    job, comments = document[".ilinject"], document[".ilinject-comment"]
    assert set(job) == {"variables", "rules", "before_script", "script", "artifacts"}, set(job)
    for name in given:
        if name not in job["variables"]:
            sys.exit(f"no variable {name}")
    env = {**os.environ, **job["variables"], **given, "CI_API_V4_URL": serve(FORGE), "CI_PROJECT_ID": "42", "CI_JOB_NAME": "gate 1",
           "CI_DEFAULT_BRANCH": "main/1", "CI_JOB_TOKEN": JOB_TOKEN}
    if event == "pull_request":
        env.update({"CI_MERGE_REQUEST_IID": "7", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main/1"})
    failed = bash("\n".join(job["before_script"] + job["script"]), folder, env, ["-e", "-o", "pipefail"])
    keep(job["artifacts"]["paths"], folder)
    if event == "pull_request":
        # A variable of an environment is there in jobs of that environment; such a job has the artifacts and nothing else.
        assert set(comments) == {"variables", "environment", "rules", "script"} and comments["rules"][0]["when"] == "always", comments
        assert comments["environment"]["name"] == "ilinject" and comments["variables"]["GIT_STRATEGY"] == "none"
        alone = folder + ".alone"
        shutil.rmtree(alone, ignore_errors=True)
        shutil.copytree(folder + ".artifacts", alone)
        named = {name: given.get(name, value) for name, value in comments["variables"].items()}
        commented = bash("\n".join(comments["script"]), alone, {**env, **named, "ILINJECT_TOKEN": TOKEN}, ["-e", "-o", "pipefail"])
        failed = failed or commented
    if event == "push" and not failed:
        shutil.rmtree(folder + ".cache", ignore_errors=True)
        shutil.copytree(folder + ".artifacts", folder + ".cache")
    return failed


kind, file, where, happened, *rest = sys.argv[1:]
inputs = dict(one.split("=", 1) for one in rest)
FORGE = {"kind": kind, "folder": where, "deny": inputs.pop("deny", "") == "1"}
with open(file, encoding="utf-8") as text:
    sys.exit((action if kind == "action" else gitlab)(yaml.safe_load(text), where, happened, inputs))
