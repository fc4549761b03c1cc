#!/usr/bin/env bash
# Names of a program that steer terminals, end strings or are no UTF-8: nothing that is printed has them raw, what is XML
# is well-formed, and what is suggested means the methods it was made of.
. "$(dirname "$0")/../../lib.sh"
has ilasm && has mono || { skip "hostile names" "no mono or no ilasm"; finish; }
cd "$SCRATCH" || exit 1
cat >hostile.il <<'IL'
.assembly extern mscorlib {}
.assembly hostile {}
.module hostile.exe
.class private auto ansi 'P1Q2' extends [mscorlib]System.Object {}
.class private auto ansi 'Q1' extends [mscorlib]System.Object {
  .method public static void 'A1B2C'(int32 x) cil managed { .maxstack 8
    nop
    ret }
  .method public static void 'AxB(y)'(class 'P1Q2') cil managed { .maxstack 8
    ret }
  .method public static void 'Z<&>"]]>Z'() cil managed { .maxstack 8
    ret }
  .method public static void Main() cil managed { .entrypoint .maxstack 8 .locals init (int32)
    ldc.i4 200000
    stloc.0
  L: ldc.i4.1
    call void 'Q1'::'A1B2C'(int32)
    ldnull
    call void 'Q1'::'AxB(y)'(class 'P1Q2')
    call void 'Q1'::'Z<&>"]]>Z'()
    ldloc.0
    ldc.i4.1
    sub
    dup
    stloc.0
    brtrue L
    ret }
}
IL
# ESC and BEL; a byte that is no UTF-8 before an ESC; U+009B in UTF-8, which starts sequences on some terminals.
ilasm -quiet -output:made.exe hostile.il >/dev/null &&
    LC_ALL=C sed -e 's/A1B2C/A\x1bB\x07C/; s/P1Q2/P\xffQ\x1b/; s/\x00Q1\x00/\x00\xc2\x9b\x00/' made.exe >hostile.exe || exit 1
check "the names are hostile" eval 'LC_ALL=C grep -q -a -P "A\x1bB\x07C" hostile.exe && LC_ALL=C grep -q -a -P "\x00\xc2\x9b\x00" hostile.exe'
mkdir made && "$ILINJECT" -q hostile.exe -o made/ && (cd made && ILINJECT_TIMELINE=1 ILINJECT_OUT=../hostile.ilprof mono hostile.exe) || exit 1

# Lines of CSV end in \r\n.
harmless() { # FILE
    [ -s "$1" ] || { echo "nothing is printed"; return 1; }
    sed 's/\r$//' "$1" | LC_ALL=C grep -n -a -P '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]|\xd8\x9c' >raw && { cat -v raw; return 1; }
    iconv -f utf-8 -t utf-16 "$1" >/dev/null || { echo "not UTF-8"; return 1; }
}
prints() { # ARGUMENTS… of a run whatever its end
    "$ILINJECT" "$@" >printed 2>&1
    harmless printed
}
for format in text calltree tree calllog json csv speedscope chrome collapsed callgrind html suggestions; do
    check "a report as $format is harmless" prints report "--format=$format" hostile.ilprof
done
for view in functions tree callers hot exceptions; do
    check "so is the view $view" prints report "--view=$view" hostile.ilprof
done
check "so is a comparison" eval 'prints diff hostile.ilprof hostile.ilprof && prints diff --json hostile.ilprof hostile.ilprof'
check "so are lists" eval 'prints list hostile.exe && prints list --json hostile.exe && prints dump --tables hostile.exe'
check "so is a rule that is nearly right" prints '--include=**.AxB(' hostile.exe -o other/
mkdir $'fold\033\302\233er' && cp hostile.exe $'fold\033\302\233er/na\007m\342\200\256e.exe'
check "so are files' names" prints fold*er -o folder
check "so are they in errors" eval 'printf x >$'"'bad\\033\\302\\233.dll'"' && prints bad*.dll -o other/'

"$ILINJECT" report --suggest=less.xml hostile.ilprof >/dev/null
check "what is suggested is harmless" harmless less.xml
if has xmllint; then
    check "it is well-formed, and what the schema asks for" xmllint --noout --schema "$ROOT/docs/ilinject-config.xsd" less.xml
else
    skip "it is well-formed" "no xmllint"
fi
check "it names the three methods" eval '[ "$(grep -c "<exclude pattern=" less.xml)" -ge 3 ]'
check "which --config then leaves out, and no other" eval '"$ILINJECT" --config less.xml hostile.exe -o less/ >printed && grep -q "1 method instrumented, 3 left out (3 by rule)" printed'

# U+202E and U+200F turn the direction of writing; a type with a name that a spreadsheet would compute.
cat >turned.il <<'IL'
.assembly extern mscorlib {}
.assembly turned {}
.module turned.exe
.class private auto ansi '=1+2!' extends [mscorlib]System.Object {
  .method public static void 'TUR'() cil managed { .maxstack 8
    ret }
  .method public static void 'ALM'() cil managed { .maxstack 8
    ret }
  .method public static void Main() cil managed { .entrypoint .maxstack 8
    call void '=1+2!'::'TUR'()
    call void '=1+2!'::'ALM'()
    ret }
}
IL
ilasm -quiet -output:made.exe turned.il >/dev/null &&
    LC_ALL=C sed -e 's/\x00TUR\x00/\x00\xe2\x80\xae\x00/; s/\x00ALM\x00/\x00\xe2\x80\x8f\x00/' made.exe >turned.exe &&
    "$ILINJECT" -q turned.exe -o made/ && (cd made && ILINJECT_TIMELINE=1 ILINJECT_OUT=../turned.ilprof mono turned.exe) || exit 1
for format in text calltree tree calllog json csv speedscope chrome collapsed callgrind html; do
    check "no direction is turned in a report as $format" prints report "--format=$format" turned.ilprof
done
check "nor in a list or a dump" eval 'prints list turned.exe && prints list --json turned.exe && prints dump turned.exe'
check "nor by --json of a run" prints --json turned.exe -o other/
check "the CSV has the type as a text" eval '"$ILINJECT" report --format=csv turned.ilprof >cells && grep -q "\"'"'"'=1+2!" cells'
check "no cell of it begins a formula" eval '! grep -E "(^|,)\"?[=+@-][^0-9]" cells'

# The page names the hash of its scripts, which is all that it may run.
"$ILINJECT" report --html=turned.html turned.ilprof
if has python3; then
    check "the page's policy allows its own scripts alone" python3 - turned.html <<'PY'
import base64, hashlib, re, sys
page = open(sys.argv[1], "rb").read().decode()
policy = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page).group(1)
scripts = re.findall(r"<script>(.*?)</script>", page, re.S)
assert len(scripts) == 1, len(scripts)
hash = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
assert "default-src 'none'" in policy and f"script-src 'sha256-{hash}';" in policy, policy
assert "script-src" not in policy.replace(f"script-src 'sha256-{hash}'", ""), policy
PY
else
    skip "the page's policy allows its own scripts alone" "no python3"
fi
finish
