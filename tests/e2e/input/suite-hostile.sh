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
    sed 's/\r$//' "$1" | LC_ALL=C grep -n -a -P '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' >raw && { cat -v raw; return 1; }
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
mkdir $'fold\033\302\233er' && cp hostile.exe $'fold\033\302\233er/na\007me.exe'
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
finish
