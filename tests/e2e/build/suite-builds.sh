#!/usr/bin/env bash
# As a step of a build: --depfile says what an output depends on, so that make, ninja and CMake do the step again when that changes and
# not otherwise; response files (@FILE) hold arguments.
. "$(dirname "$0")/../../lib.sh"
has mcs && has mono || { skip "a step of a build" "no mono or no mcs"; finish; }
cd "$SCRATCH" || exit 1
cat >lib.cs <<'CS'
public static class Lib { public static int Twice(int n) { return 2 * n; } }
CS
cat >app.cs <<'CS'
class Program { static void Main() { System.Console.WriteLine(Lib.Twice(21)); } }
CS
mcs -nologo -target:library -out:lib.dll lib.cs && mcs -nologo -debug -r:lib.dll -out:app.exe app.cs || exit 1
echo '{}' >app.runtimeconfig.json
echo '<configuration/>' >app.exe.config
echo '<ilinject><selection min-il-size="1"></selection></ilinject>' >rules.xml
run() { # VALUE arguments…
    local wanted=$1 got
    shift
    "$ILINJECT" "$@" >said.out 2>said.err
    got=$?
    [ "$got" -eq "$wanted" ] || { echo "exit value $got instead of $wanted"; cat said.out said.err; return 1; }
}
told() { grep -qF -- "$1" said.out said.err || { echo "not said: $1"; cat said.out said.err; return 1; }; }

# ---- The list -----------------------------------------------------------------------------------------------------------------------

sources() { sed -n '1,/[^\\]$/p' "$1" | sed '1d; s/^ *//; s/ \\$//'; }
check "the rule names all that is read" eval 'run 0 app.exe -o out/ --config rules.xml --depfile app.d && head -n 1 app.d | grep -qx "out/app.exe: ." && diff <(sources app.d) <(printf "%s\n" app.exe app.exe.config app.exe.mdb app.runtimeconfig.json rules.xml)'
check "and each but the input may be gone one day" diff <(sources app.d | sed 1d) <(sed -n 's/^\([^ ]*\):$/\1/p' app.d)
check "several outputs are one rule" eval 'run 0 app.exe lib.dll -o out/ --depfile both.d && head -n 1 both.d | grep -qx "out/app.exe out/lib.dll: ." && sources both.d | grep -qx lib.dll'
check "a target can be given" eval 'run 0 app.exe -o out/ --depfile app.d --depfile-target stamp && head -n 1 app.d | grep -qx "stamp: ."'
check "a key and a tracker of one's own are named" eval '"$ILINJECT" -q lib.dll -o other/ && run 0 lib.dll -o out/ --tracker other/ProfileInfoTracker.dll --depfile app.d && sources app.d | grep -qx other/ProfileInfoTracker.dll'
mkdir 'odd $x #1' && cp app.exe 'odd $x #1/a b.exe' && cp lib.dll 'odd $x #1/'
check "spaces, dollars and hashes are written as make reads them" eval 'run 0 "odd \$x #1/a b.exe" -o "odd \$x #1/out/" --depfile odd.d && head -n 1 odd.d | grep -qxF "odd\\ \$\$x\\ \\#1/out/a\\ b.exe: \\"'
check "a folder with all that is in it" eval 'mkdir -p bin/de && cp app.exe lib.dll bin/ && run 0 bin -o bin-prof --depfile bin.d && diff <(sources bin.d) <(printf "%s\n" bin bin/app.exe bin/de bin/lib.dll)'
check "the same bytes every time" eval 'cp app.exe again.exe && run 0 again.exe -o out/ --depfile a.d && run 0 again.exe -o out/ --depfile b.d && cmp a.d b.d'
check "nothing is written when an input fails" eval 'echo x >bad.dll && run 1 bad.dll lib.dll -o out/ --depfile bad.d && [ ! -e bad.d ]'
check "nor by a dry run" eval 'run 0 lib.dll -o out/ --dry-run --depfile dry.d && [ ! -e dry.d ]'
check "one that cannot be written fails" eval 'run 1 lib.dll -o out/ --depfile missing/x.d && told "missing/x.d cannot be written"'
check "not with --in-place" eval 'run 2 lib.dll --in-place --depfile x.d && told "--depfile needs --output"'
check "a target needs a file" eval 'run 2 lib.dll -o out/ --depfile-target x && told "needs --depfile"'

# ---- Its readers --------------------------------------------------------------------------------------------------------------------

# triggers COMMAND…: the step is done once, not again; again when what it read has changed, or is gone; and is then at rest.
steps() { wc -l <steps.log; }
later() { sleep 0.05 && touch "$@"; } # later than all that was written
triggers() {
    local n wanted=1
    : >steps.log
    "$@" && "$@" && [ "$(steps)" -eq 1 ] || { echo "$(steps) steps instead of 1"; return 1; }
    for file in 'in $1/app.exe' 'in $1/app.exe.mdb' 'in $1/app.exe.config' 'in $1/my rules.xml'; do
        later "$file" && "$@" && wanted=$((wanted + 1)) && [ "$(steps)" -eq "$wanted" ] || { echo "$file: $(steps) steps instead of $wanted"; return 1; }
        "$@" && [ "$(steps)" -eq "$wanted" ] || { echo "$file: does not rest"; return 1; }
    done
    rm 'in $1/app.exe.config' && "$@" && [ "$(steps)" -eq $((wanted + 1)) ] || { echo "a file that is gone: $(steps)"; return 1; }
}
fresh() { rm -rf 'in $1' out build && mkdir 'in $1' && cp app.exe app.exe.mdb app.exe.config 'in $1/' && cp rules.xml 'in $1/my rules.xml'; }
cat >step <<'SH'
#!/bin/sh
echo step >>"$STEPS"
exec "$ILINJECT" -q "$@"
SH
chmod +x step
export STEPS=$SCRATCH/steps.log ILINJECT

cat >Makefile <<'MAKE'
out/app.exe: in\ $$1/app.exe
	./step '$<' -o $@ --config 'in $$1/my rules.xml' --depfile app.d
-include app.d
MAKE
mkdir -p out
check "make does the step when something has changed, and only then" eval 'fresh && mkdir out && rm -f app.d && triggers make -s'
if has ninja; then
    cat >build.ninja <<'NINJA'
rule inject
  command = ./step $in -o $out --config 'in $$1/my rules.xml' --depfile $out.d
  depfile = $out.d
build out/app.exe: inject in$ $$1/app.exe
NINJA
    sed -i "s/step \$in/step 'in \$\$1\/app.exe'/" build.ninja
    check "ninja, too" eval 'fresh && triggers ninja --quiet'
else
    skip "ninja does the step when something has changed, and only then" "there is no ninja"
fi
if has cmake && [ "$(cmake --version | sed -n '1s/.* 3\.\([0-9]*\).*/\1/p')" -ge 20 ] 2>/dev/null; then
    cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.20)
project(sample NONE)
set(in "${CMAKE_SOURCE_DIR}/in $1")
add_custom_command(OUTPUT app.exe
    COMMAND "${CMAKE_SOURCE_DIR}/step" "${in}/app.exe" -o app.exe --config "${in}/my rules.xml" --depfile app.d
    DEPENDS "${in}/app.exe" DEPFILE app.d VERBATIM)
add_custom_target(prof ALL DEPENDS app.exe)
CMAKE
    check "CMake, too" eval 'fresh && cmake -S . -B build -G "Unix Makefiles" >/dev/null && triggers cmake --build build >/dev/null'
else
    skip "CMake does the step when something has changed, and only then" "there is no cmake of 3.20 or later"
fi

# ---- Response files ---------------------------------------------------------------------------------------------------------------

check "a response file holds arguments, one a line" eval 'printf "%s\n" app.exe lib.dll -o "with space/" "--include=**" >args && run 0 @args && [ -e "with space/app.exe" ] && [ -e "with space/lib.dll" ]'
check "as they are: quotes, backslashes, tabs" eval 'cp lib.dll "a \"b\" \\c.dll" && printf "%s\n" "a \"b\" \\c.dll" >args && run 0 @args -o quoted/ && [ -e "quoted/a \"b\" \\c.dll" ]'
check "with line ends of Windows, a mark, empty lines, and no end" eval 'printf "\357\273\277app.exe\r\n\r\n\n-o\r\ncrlf/" >args && run 0 @args && [ -e crlf/app.exe ]'
check "several, among other arguments" eval 'echo app.exe >one && echo lib.dll >two && run 0 -q @one @two -o among/ && [ -e among/app.exe ] && [ -e among/lib.dll ]'
check "a command may stand in it" eval 'printf "%s\n" list lib.dll >args && run 0 @args && told Twice'
check "long ones" eval '{ for i in $(seq 20000); do echo "--exclude=Nowhere.N$i"; done; echo lib.dll; } >args && run 0 list @args && told Twice'
check "the value of an option is none" eval 'run 0 list --include @My.Attribute lib.dll && run 0 list lib.dll --include=@My.Attribute'
check "nor is it in one" eval 'printf "%s\n" list lib.dll --include @My.Attribute >args && run 0 @args'
check "an empty one is none" eval ': >args && run 0 list @args lib.dll'
check "one names others" eval 'echo app.exe >one && printf "%s\n" @one lib.dll >two && run 0 @two -o nested/ && [ -e nested/app.exe ] && [ -e nested/lib.dll ]'
check "… but not itself" eval 'echo @args >args && run 2 @args -o x/ && told "the response file args names another one, too deep"'
check "a missing one is said, with the way out" eval 'run 2 @missing -o x/ && told "missing cannot be read" && told "./@"'
check "a folder is none" eval 'run 2 @in\ \$1 -o x/ && told "cannot be read"'
check "a zero byte is said" eval 'printf "app.exe\0-o" >args && run 2 @args && told "zero byte"'
check "a file whose name begins with @ stays within reach" eval 'cp lib.dll @x && run 0 ./@x -o at/ && [ -e at/@x ] && run 0 -o at2/ -- @x && [ -e at2/@x ]'
check "so it does in a response file" eval 'echo ./@x >args && run 0 @args -o at3/ && [ -e at3/@x ] && printf "%s\n" -o at4/ -- @x >args && run 0 @args && [ -e at4/@x ]'
check "arguments of a program that is run are its own" eval 'echo "class P { static void Main(string[] a) { System.Console.WriteLine(a[0]); } }" >say.cs && mcs -nologo say.cs && run 0 run -q say.exe @missing && told @missing'
finish
