#!/usr/bin/env bash
# The pages of docs/tasks, command by command: each does what it says and prints what is shown.
. "$(dirname "$0")/../../lib.sh"
export SCRATCH ILINJECT
cd "$SCRATCH" || exit 1

# A page that takes what a machine does not have ends with 77.
page() { # name
    local sentence="the commands of docs/tasks/$1.md print what it shows" said status
    case " $lacking " in *" $1 "*) skip "$sentence" "$reason"; return ;; esac
    said=$("$ROOT/tests/pages" "$ROOT/docs/tasks/$1.md" 2>&1)
    status=$?
    if [ "$status" -eq 77 ]; then skip "$sentence" "$said"; else check "$sentence" eval 'echo "$said"; [ "$status" -eq 0 ]'; fi
}
lacking=" " reason=
if ! PATH=$PATH:/usr/sbin:/sbin ldconfig -p | grep -q 'libmicrohttpd\.so\.12 '; then
    lacking="browser silverlight" reason="libmicrohttpd is not installed"
fi
if has dotnet && [ "$(dotnet --version | cut -d. -f1)" != 10 ]; then
    lacking="$lacking quick-start aspnet" reason="their examples are for .NET 10"
fi
for file in "$ROOT"/docs/tasks/*.md; do page "$(basename "$file" .md)"; done

# The judge itself: what it lets pass, and what it does not.
said() { printf '# A page\n\n    $ %s\n' "$1" >page.md && shift && printf '    %s\n' "$@" >>page.md && "$ROOT/tests/pages" page.md; }
check "figures of time may differ" said "echo 3 calls, 12.5 ms" "3 calls, 7.1 µs"
check "counts may not" eval '! said "echo 3 calls, 12.5 ms" "4 calls, 12.5 ms"'
check "counts may where the page says so" bash -c 'printf "<!-- counts vary: threads -->\n    \$ echo 3 calls\n    4 calls\n" >page.md && "$1/tests/pages" page.md' bash "$ROOT"
check "words may not" eval '! said "echo one" "two"'
check "a line that is not shown is a fault" eval '! said "echo one; echo two" "one"'
check "unless the page leaves lines out" said "echo one; echo two" "one" "…"
check "a command that fails is a fault" eval '! said "false" ""'
check "a block that is neither commands nor marked is a fault" eval '! { printf "    one\n" >page.md && "$ROOT/tests/pages" page.md; }'
check "commands that are not run have a reason" eval '! { printf "<!-- not run -->\n    \$ one\n" >page.md && "$ROOT/tests/pages" page.md; }'
check "each task page has at most 600 words" bash -c 'for f in "$1"/docs/tasks/*.md; do [ "$(wc -w <"$f")" -le 600 ] || { wc -w "$f"; exit 1; }; done' bash "$ROOT"
check "the pages about installing and builds keep their bounds" bash -c 'cd "$1/docs" && [ "$(wc -w <install.md)" -le 900 ] && [ "$(wc -w <msbuild.md)" -le 1500 ] && [ "$(wc -w <ci/README.md)" -le 400 ]' bash "$ROOT"
check "each page of docs is in the index" bash -c 'cd "$1/docs" && for f in *.md */*.md; do case $f in README.md | decisions/[0-9]*) continue ;; esac; grep -q -F "]($f)" README.md || { echo "$f"; exit 1; }; done' bash "$ROOT"
check "the documents link to files that exist" bash -c 'cd "$1" && git ls-files "docs/*.md" | while read -r f; do grep -o -E "\]\([^)#: ]*" "$f" | tr -d "](" | grep -v "^https*$" | while read -r to; do [ -z "$to" ] || [ -e "$(dirname "$f")/$to" ] || echo "$f: $to"; done; done >"$2"; cat "$2"; [ ! -s "$2" ]' bash "$ROOT" "$SCRATCH/lost"
finish
