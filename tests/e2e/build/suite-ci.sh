#!/usr/bin/env bash
# The templates of docs/ci: their YAML is read by PyYAML, their shell steps run, a loopback server stands for the forge
# (tests/e2e/lib/py/forge.py). The program of the pull request loads its orders twice as often.
. "$(dirname "$0")/../../lib.sh"
cd "$SCRATCH" || exit 1
python=
for one in /usr/bin/python3 python3; do if "$one" -c 'import yaml' 2>/dev/null; then python=$one; break; fi; done
if [ -z "$python" ] || ! has mono || ! has mcs || ! has curl || ! has jq; then
    skip "the templates of docs/ci do what they say" "no Mono, curl, jq, or Python without yaml (Debian: python3-yaml)"
    finish
fi
unset "${!CI_@}" "${!GITHUB_@}" "${!ILINJECT_@}" http_proxy HTTP_PROXY
# Stands for `dotnet tool install`, which e2e/full-release does: it puts this build's program where the argument says. The SDK's version
# is what the file `sdk` says.
mkdir tools && echo 10.0.100 >sdk
cat >tools/dotnet <<X
#!/bin/bash
if [ "\$*" = --version ]; then cat "$SCRATCH/sdk"; exit; fi
echo "\$*" >>"$SCRATCH/dotnet.log"
while [ \$# -gt 0 ]; do case \$1 in --tool-path) mkdir -p "\$2" && ln -sf "$ILINJECT" "\$2/ilinject" && exit ;; esac; shift; done
exit 1
X
chmod +x tools/dotnet
PATH=$SCRATCH/tools:$PATH
cat >Shop.cs <<'CS'
static class Shop
{
    static void Main() { int sum = 0; for (int i = 0; i < LOADS; i++) sum += Load(i); System.Console.WriteLine(sum); }
    static int Load(int order) { return order + 1; }
}
CS
sources() { mkdir -p "$1" && sed "s/LOADS/$2/" Shop.cs >"$1/Shop.cs"; } # FOLDER LOADS
build='mkdir -p bin && mcs -nologo -out:bin/Shop.exe Shop.cs'
run='mono instrumented/Shop.exe'
limit=$'Shop.Load(int): calls > +0\n\nShop: exceptions > 0'
replay() { # KIND EVENT more…
    local kind=$1 event=$2
    shift 2
    case $kind in
    action) "$python" "$ROOT/tests/e2e/lib/py/forge.py" action "$ROOT/docs/ci/action.yml" "$SCRATCH/$kind" "$event" build="$build" run="$run" runs=2 fail-if="$limit" source=feed "$@" ;;
    gitlab) "$python" "$ROOT/tests/e2e/lib/py/forge.py" gitlab "$ROOT/docs/ci/gitlab.yml" "$SCRATCH/$kind" "$event" ILINJECT_BUILD="$build" ILINJECT_RUN="$run" ILINJECT_RUNS=2 ILINJECT_FAIL_IF="$limit" ILINJECT_SOURCE=feed "$@" ;;
    esac
}
ends() { # STATUS command…
    local wanted=$1 status=0
    shift
    "$@" >"$SCRATCH/said" 2>&1 || status=$?
    [ $status -eq "$wanted" ] || { cat "$SCRATCH/said"; echo "it ended with $status"; return 1; }
}
comments() { "$python" -c 'import json, sys; print(*[c["body"] for c in json.load(open(sys.argv[1]))], sep="\n====\n")' "$SCRATCH/$1.comments.json"; }
said() { grep -q -F -- "$1" "$SCRATCH/said"; }

for kind in action gitlab; do
    case $kind in
    action) forge=GitHub changes=PATCH version=(version=1.2.3 source=other-feed) source=source= other="name=other" ;;
    gitlab) forge=GitLab changes=PUT version=(ILINJECT_VERSION=1.2.3 ILINJECT_SOURCE=other-feed) source=ILINJECT_SOURCE= other="ILINJECT_NAME=other" ;;
    esac
    sources $kind 5
    check "$forge: a request before there is a baseline says so, and passes" eval \
        'ends 0 replay $kind pull_request && comments $kind | grep -q "no profile of the target branch yet" && [ "$(comments $kind | grep -c ====)" -eq 0 ]'
    check "$forge: a push to the main branch keeps its profiles" eval 'ends 0 replay $kind push "${version[@]}" && [ "$(find "$kind.cache" -name "?.ilprof" | wc -l)" -eq 2 ]'
    check "$forge: … and asks for the version and the feed that were named" eval 'grep -q -- "--source other-feed --version 1.2.3$" dotnet.log && ! head -n 1 dotnet.log | grep -q -e --version'
    # On the feeds of the machine the name may be a stranger's.
    check "$forge: no feed but the one that was named is asked" eval '! grep -v -- "--source [a-z]" dotnet.log && : >dotnet.log && ! replay $kind push "$source" >said 2>&1 && said "names the feed" && [ ! -s dotnet.log ]'
    check "$forge: an SDK before .NET 10's gets the package that it knows" eval '! grep -v "^tool install ilinject --tool-path" dotnet.log && echo 9.0.308 >sdk && ends 0 replay $kind push &&
        tail -n 1 dotnet.log | grep -q "^tool install ilinject.any --tool-path"; status=$?; echo 10.0.100 >sdk; sed -i "/ilinject.any/d" dotnet.log; [ $status -eq 0 ]'
    check "$forge: the same program passes" ends 0 replay $kind pull_request
    check "$forge: its comment takes the place of the first one" eval \
        'comments $kind | head -n 2 | grep -q "### Profile comparison" && [ "$(comments $kind | grep -c ====)" -eq 0 ] && grep -q "^$changes " "$kind.requests"'
    sources $kind 10
    check "$forge: one that calls a method more often fails with the status of the gate" ends 4 replay $kind pull_request
    check "$forge: … which the log tells" said "error ILJ0608: Shop.Load(int): 5 -> 10 (2.0x)"
    check "$forge: … and the comment, with the table" eval 'comments $kind >all; grep -q "error ILJ0608: Shop.Load(int): 5 -> 10" all && grep -q "^| .* 5 | 10 | .Shop.Load(int). |" all'
    check "$forge: the profiles, the page and the comment are kept for whoever looks" eval \
        '[ "$(cd "$kind.artifacts" && find . -type f | grep -v status | sort | tr "\n" " ")" = "./ilinject-after/1.ilprof ./ilinject-after/2.ilprof ./ilinject-report/comment.md ./ilinject-report/gate.txt ./ilinject-report/page.html " ]'
    check "$forge: another gate of the same request has a comment of its own" eval 'ends 0 replay $kind pull_request "$other" deny=0 || ends 4 replay $kind pull_request "$other"; [ "$(comments $kind | grep -c ====)" -eq 1 ]'
    check "$forge: without the right to comment the gate alone decides" eval 'ends 4 replay $kind pull_request deny=1 && said "cannot comment"'
    (cd $kind && sed -i 's/i < 10/i < 5/' Shop.cs)
    check "$forge: … and passes" ends 0 replay $kind pull_request deny=1
    echo broken >$kind/Shop.cs
    check "$forge: a build that fails ends it" eval 'ends 1 replay $kind pull_request && said "Shop.cs(1,"'
    sources $kind 5
    # What the request's own code could read: its environment, and what the checkout has left.
    check "$forge: the code of the request has no token that comments" eval 'old_build=$build; build="env >\"$SCRATCH/$kind.env\"; $build"; ends 0 replay $kind pull_request; status=$?; build=$old_build
        [ $status -eq 0 ] && grep -q "^PATH=" "$kind.env" && ! grep t0ken "$kind.env"'
    check "$forge: so does a run without a profile" eval 'run=true; ends 1 replay $kind push && said "run 1 has left no profile"'
    run='mono instrumented/Shop.exe'
done

# The steps of the two templates are the same text.
steps() { # which
    "$python" - "$ROOT/docs/ci" "$1" <<'X'
import sys, yaml
action = {s["name"]: s["run"] for s in yaml.safe_load(open(sys.argv[1] + "/action.yml"))["runs"]["steps"] if "run" in s}
job = yaml.safe_load(open(sys.argv[1] + "/gitlab.yml"))[".ilinject"]["script"]
sys.exit(0 if action[sys.argv[2]] in job else 1)
X
}
for step in Build Instrument Run Compare; do check "both templates have one text for the step $step" steps $step; done
# As its page says it is used.
check "the workflows of docs/ci/README.md are YAML with the inputs that there are" "$python" - "$ROOT/docs/ci" <<'X'
import re, sys, yaml
page = open(sys.argv[1] + "/README.md").read()
blocks = [yaml.safe_load(b) for b in re.findall(r"```yaml\n(.*?)```", page, re.S)]
assert len(blocks) == 2, len(blocks)
known = yaml.safe_load(open(sys.argv[1] + "/action.yml"))["inputs"]
steps = [s for job in blocks[0]["jobs"].values() for s in job["steps"] if "docs/ci" in s.get("uses", "")]
assert len(steps) == 1 and set(steps[0]["with"]) <= set(known), steps
variables = yaml.safe_load(open(sys.argv[1] + "/gitlab.yml"))[".ilinject"]["variables"]
jobs = [j for j in blocks[1].values() if isinstance(j, dict) and j.get("extends") == ".ilinject"]
assert [j["needs"] for j in blocks[1].values() if isinstance(j, dict) and j.get("extends") == ".ilinject-comment"] == [["profile"]]
assert len(jobs) == 1 and set(jobs[0]["variables"]) <= set(variables), jobs
# Each input and each variable has a row of the page's table.
for name in [*known, *variables]:
    assert f"`{name}`" in page, name
X
finish
