#!/usr/bin/env bash
# Names in a comparison's Markdown: code, whatever they hold.
. "$(dirname "$0")/../../lib.sh"
cd "$SCRATCH" || exit 1

run() { # STATUS ARGUMENTS…: the outputs are in `out` and `err`
    local expected=$1 status
    shift
    "$ILINJECT" "$@" >out 2>err
    status=$?
    [ "$status" -eq "$expected" ] && return
    echo "exit $status, not $expected"
    cat out err
    return 1
}
shows() { grep -q -E -e "$1" out || { cat out; return 1; }; }

# Names that a forge would make mentions, links and markup of; a rule of its own reads the code spans away (CommonMark 6.1, and GFM 4.10 for cells).
odd_names() { # WHAT: the methods that are called
    printf '.assembly extern mscorlib {}\n.assembly Odd {}\n.class public Odd extends [mscorlib]System.Object\n{\n'
    printf "  .method static void '%s'() cil managed { ret }\n" '@team/all' 'http://ex' 'a`b`' '``' 'x|y' 'Größe' '#12' '<img src=x>' '*b*'
    printf '  .method static void Main() cil managed {\n    .entrypoint\n'
    [ "$1" = none ] || printf "    call void Odd::'%s'()\n" '@team/all' 'http://ex' 'a`b`' '``' 'x|y' 'Größe' '#12' '<img src=x>' '*b*'
    printf '    ret\n  }\n}\n'
}
odd_profile() { odd_names "$1" >"odd$1.il" && ilasm -quiet -output:Odd.exe "odd$1.il" && "$ILINJECT" -q Odd.exe -o odd/ && (cd odd && mono Odd.exe) && mv odd/Odd.ilprof "odd$1.ilprof"; }
cat >spans.py <<'END'
import re, sys
text, shown = open(sys.argv[1], encoding="utf-8").read(), []
def span(m):
    inner = m.group(2).replace("\n", " ").replace("\\|", "|")
    if inner[0] == " " == inner[-1] and inner.strip():
        inner = inner[1:-1]
    shown.append(inner)
    return "code"
rest = re.sub(r"(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)", span, text)
for line in rest.split("\n"):
    assert not line.startswith("| ") or line.count("|") - line.count("\\|") == 9, line
assert not re.search(r"[@`<]|www|#\d|http|\*b", rest), rest
for name in ["@team/all", "http://ex", "a`b`", "``", "x|y", "Gr\u00f6\u00dfe", "#12", "<img src=x>", "*b*"]:
    assert any(("Odd." + name if sys.argv[2] == "method" else name) in s for s in shown), (name, shown)
END
odd_markdown() { odd_profile none && odd_profile all && for by in method path; do run 0 diff --format=markdown --by=$by --top=0 oddnone.ilprof oddall.ilprof && python3 spans.py out $by || { cat out; return 1; }; done; }
odd_gate() { run 4 diff --format=markdown --fail-if '**.@team: calls > +0' oddnone.ilprof oddall.ilprof && shows '^- `.*@team.*`: \*\*failed'; }
if has ilasm && has python3; then
    check "in Markdown names are code, whatever they hold, and letters are themselves" odd_markdown
    check "and so are conditions" odd_gate
else
    skip "in Markdown names are code" "no ilasm or no python3"
fi
finish
