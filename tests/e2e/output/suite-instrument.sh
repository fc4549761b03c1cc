#!/usr/bin/env bash
# The promises of instrumenting beyond a program that runs: same input, same bytes; copying through;
# running it twice; what is refused; where the output goes and what it keeps; trackers of every
# shape; the edges of locals, overlays, certificates, native resources.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
has mcs && has mono || { skip "instrumenting keeps its promises" "no mono or no mcs"; finish; }
before=$SCRATCH/before after=$SCRATCH/after fixtures=$ROOT/fixtures
cd "$SCRATCH" || exit 1
chmod 755 .
mcs -nologo -out:"$before/app.exe" "$fixtures/cs/TestClass.cs" || exit 1
if can dotnet; then runtimeconfig "$before/app.exe"; fi
app=$before/app.exe

# quietly VALUE arguments…: the program ends with VALUE; what it said is in out.log and err.log.
quietly() {
    local wanted=$1 got
    shift
    "$ILINJECT" "$@" >out.log 2>err.log
    got=$?
    [ "$got" -eq "$wanted" ] || { echo "exit value $got instead of $wanted"; cat out.log err.log; return 1; }
}
one_error() { # TEXT
    [ "$(wc -l <err.log)" -eq 1 ] && grep -q "error ILJ[0-9]*: .*$1" err.log || { echo "not one line with '$1':"; cat err.log; return 1; }
}
mvid() { monodis --module "$1" | sed -n 's/.*{\(.*\)}.*/\1/p'; }

# ---- Same input, same bytes ------------------------------------------------------------------------------------------

"$ILINJECT" -q "$app" -o first.exe
same_bytes() { # command…: what it writes to again.exe
    rm -f again.exe
    "$@" >out.log 2>err.log && cmp first.exe again.exe || { cat err.log; return 1; }
}
elsewhere() { mkdir -p deep/er && cp "$app" deep/er/other.exe && (cd deep/er && "$ILINJECT" other.exe -o ../../again.exe); }
check "the same input gives the same bytes again" same_bytes "$ILINJECT" "$app" -o again.exe
check "under another name, in another folder" same_bytes elsewhere
check "in another time zone" same_bytes env TZ=Pacific/Auckland "$ILINJECT" -v "$app" -o again.exe
# Languages that are not installed are made here: a C library takes an unknown one for C, which would prove nothing.
in_language() { # LOCALE
    [ "$(LOCPATH=$SCRATCH/locales LC_ALL=$1 locale charmap)" = "${1#*.}" ] && same_bytes env LOCPATH="$SCRATCH/locales" LC_ALL="$1" LANGUAGE="${1%%_*}" "$ILINJECT" -v "$app" -o again.exe
}
mkdir locales
for language in tr_TR.UTF-8 ja_JP.EUC-JP; do
    if has localedef && localedef -i "${language%%.*}" -f "${language#*.}" "locales/$language" >/dev/null 2>&1; then
        check "in another language: $language" in_language "$language"
    else
        skip "in another language: $language" "localedef cannot make it"
    fi
done
on_terminal() { script -qec "'$ILINJECT' '$app' -o again.exe" /dev/null >out.log; } # all three are one
without_streams() { "$ILINJECT" "$app" -o again.exe <&- 2>&-; }
if has script; then check "on a terminal" same_bytes on_terminal; else skip "on a terminal" "no script"; fi
check "without standard input and error" same_bytes without_streams
if has taskset; then
    for processor in $(awk '/^processor/ { print $3 }' /proc/cpuinfo | sed -n '1p;$p' | uniq); do
        check "on processor $processor alone" same_bytes taskset -c "$processor" "$ILINJECT" "$app" -o again.exe
    done
else
    skip "on one processor alone" "no taskset"
fi
with_symbols() { # FOLDER: the assembly, its symbols, the tracker
    mkdir -p "$1" && cp "$before/debug.exe" "$before/debug.exe.mdb" "$1/" && (cd "$1" && "$ILINJECT" debug.exe -o out/)
}
mcs -nologo -debug -out:"$before/debug.exe" "$fixtures/cs/TestClass.cs" || exit 1
check "all that is written beside it is the same, too" eval 'with_symbols one && (umask 077 && TZ=Asia/Kolkata with_symbols an/other) && diff -r one/out an/other/out && test "$(ls one/out | wc -l)" -eq 3'
# Under a sanitizer, whose shadow takes terabytes of addresses, only the umask differs.
check "with another umask and little memory" same_bytes bash -c 'umask 077; (ulimit -v 400000; "$0" --version) >/dev/null 2>&1 && ulimit -v 400000; exec "$0" "$@"' "$ILINJECT" "$app" -o again.exe
if [ "$(id -u)" -eq 0 ] && has setpriv; then
    cp "$ILINJECT" program && mkdir -m 777 theirs && cp "$app" theirs/app.exe && chmod 644 theirs/app.exe
    as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups env -i ./program theirs/app.exe -o theirs/again.exe && cp theirs/again.exe .; }
    check "as another user" same_bytes as_nobody
else
    skip "as another user" "not root"
fi

# ---- Copied through --------------------------------------------------------------------------------------------------

copied() { # FILE TEXT
    rm -rf copy
    quietly 0 "$1" -o copy/ && cmp "$1" "copy/$(basename "$1")" && grep -q "info ILJ04[0-9]*: .*$2" err.log && grep -q "copied unchanged" out.log
}
echo 'public interface I { int F(); } public enum E { A, B } public delegate void D();' >types.cs
seq 1000 >text
mcs -nologo -target:library -out:types.dll types.cs
mcs -nologo -target:library -out:text.dll -resource:text types.cs
check "an assembly without bodies is copied through" copied types.dll "no method has a body"
check "one that carries resources, too" copied text.dll "no method has a body"
if has al; then
    al -nologo -target:library -culture:de -embed:text -out:app.resources.dll >/dev/null
    check "a satellite assembly is copied through" copied app.resources.dll "a satellite assembly"
else
    skip "a satellite assembly is copied through" "no al"
fi
check "the tracker itself is copied through" copied ProfileInfoTracker.dll "the tracker itself"
check "an instrumented one is copied through, with the tracker" eval 'copied first.exe "instrumented already" && cmp ProfileInfoTracker.dll copy/ProfileInfoTracker.dll'
echo '[assembly: System.Runtime.CompilerServices.ReferenceAssembly] public class R { public int F() { throw null; } }' >reference.cs
mcs -nologo -target:library -out:reference.dll reference.cs
check "a reference assembly is copied through" copied reference.dll "reference assembly"
check "unless forced" eval 'quietly 0 --force reference.dll -o copy/ && ! cmp -s reference.dll copy/reference.dll'

# ---- Twice -----------------------------------------------------------------------------------------------------------

mkdir twice thrice
check "--force instruments again" eval 'quietly 0 --force first.exe -o twice/app.exe && grep -q "instrumenting itself" out.log && ! cmp -s first.exe twice/app.exe'
check "under the names that the tracker's contract has" eval '"$ILINJECT" list twice/app.exe | grep -q "^class Instrumenter.<ilinject>2  " && "$ILINJECT" dump twice/app.exe | grep -q "ilinject.names.2"'
check "and again" quietly 0 --force twice/app.exe -o thrice/app.exe
names_complete() { # PROFILE TIMES: every function has its name, each as often as it was instrumented
    "$ILINJECT" report --json -o "$1.json" "$1" && ! grep -q '"name": "app!#' "$1.json" &&
        [ "$(grep -o '"name": "Sample.TestClass.PublicVoidFunction()"' "$1.json" | wc -l)" -eq "$2" ] || { "$ILINJECT" report "$1"; return 1; }
}
for runtime in mono dotnet; do
    if ! can "$runtime"; then
        skip "what is instrumented three times runs under $runtime" "$runtime is not there"
        continue
    fi
    if [ "$runtime" = dotnet ]; then runtimeconfig twice/app.exe; runtimeconfig thrice/app.exe; fi
    run_program app "$runtime" "$app"
    for times in twice thrice; do
        run_program "$times" "$runtime" "$times/app.exe"
        check "what is instrumented $times runs under $runtime" same_run app "$times" "$runtime"
        check "its counts agree" profile_agrees "$SCRATCH/said/$times.$runtime.ilprof"
        check "its names are complete" names_complete "$SCRATCH/said/$times.$runtime.ilprof" "$([ "$times" = twice ] && echo 2 || echo 3)"
    done
done

# ---- Identity --------------------------------------------------------------------------------------------------------

if has monodis; then
    check "the output has an MVID of its own" test "$(mvid first.exe)" != "$(mvid "$app")"
    check "--keep-mvid keeps it" eval 'quietly 0 "$app" -o kept.exe --keep-mvid && test -n "$(mvid kept.exe)" -a "$(mvid kept.exe)" = "$(mvid "$app")"'
    check "nothing but the MVID differs then" test "$(cmp -l kept.exe first.exe | wc -l)" -le 16
else
    skip "MVIDs are as asked" "no monodis"
fi
if has sn && has monodis; then
    sn -q -k key.snk >/dev/null
    mcs -nologo -target:library -keyfile:key.snk -out:PlainTracker.dll "$fixtures/cs/PlainTracker.cs"
    token=$(sn -q -T PlainTracker.dll | sed -n 's/.*[Tt]oken: *//p' | tr a-f A-F)
    signed_reference() {
        quietly 0 "$app" -o signed/app.exe --tracker PlainTracker.dll || return 1
        monodis --assemblyref signed/app.exe | grep -A4 'Name=PlainTracker' | grep -q "$(sed 's/../& /g' <<<"$token")" || { echo "token $token"; monodis --assemblyref signed/app.exe; return 1; }
    }
    mkdir signed
    check "a signed tracker is referred to by its token, which sn knows" signed_reference
else
    skip "a signed tracker is referred to by its token" "no sn or no monodis"
fi

# ---- Where the output goes -------------------------------------------------------------------------------------------

mkdir place
cp "$app" place/app.exe
ln place/app.exe place/hard.exe
ln -s app.exe place/soft.exe
same_refused() { quietly 2 place/app.exe -o "$1" && one_error "same file" && cmp "$app" place/app.exe && [ ! -e place/ProfileInfoTracker.dll ]; }
check "the input as output is refused" same_refused place/app.exe
check "by another path" same_refused place/../place//app.exe
check "through a symbolic link" same_refused place/soft.exe
check "through a hard link" same_refused place/hard.exe
listed() { find . -printf '%p %s %T@ %m\n' | grep -v -e '^./out.log ' -e '^./err.log ' -e '^\. ' | sort; }
dry() { # arguments…
    listed >"$SCRATCH/../listed.$$"
    quietly 0 --dry-run "$@" && listed | diff "$SCRATCH/../listed.$$" -
    local got=$?
    rm -f "$SCRATCH/../listed.$$"
    return "$got"
}
check "--dry-run writes nothing" dry "$app" -o place/new.exe
check "--dry-run --in-place writes nothing" dry --in-place place/app.exe
modes() { stat -c '%a' "$@" | tr '\n' ' '; }
check "a new output has the input's permissions" eval 'chmod 750 place/app.exe && quietly 0 place/app.exe -o place/out.exe && test "$(modes place/out.exe)" = "750 "'
check "one that is replaced keeps its own" eval 'echo old >place/old.exe && chmod 604 place/old.exe && quietly 0 place/app.exe -o place/old.exe && test "$(modes place/old.exe)" = "604 " && cmp place/old.exe first.exe'
check "in place through a link the link stays" eval 'quietly 0 --in-place place/soft.exe && test -L place/soft.exe && cmp place/app.exe first.exe && test "$(modes place/app.exe)" = "750 "'
check "and another name of the file keeps the original" cmp place/hard.exe "$app"
check "no temporary file is left" test -z "$(find . -name '.ilinject-*')"

# ---- Other kinds of modules ------------------------------------------------------------------------------------------

cat >part.cs <<'EOF'
public static class Part { public static string Say(int n) { return n == 0 ? "part" : Say(n - 1); } }
EOF
echo 'class Whole { static void Main() { System.Console.WriteLine(Part.Say(3)); } }' >whole.cs
mkdir netmodule
netmodule_runs() {
    mcs -nologo -target:module -out:netmodule/part.netmodule part.cs && quietly 0 --in-place netmodule/part.netmodule &&
        (cd netmodule && mcs -nologo -addmodule:part.netmodule -out:whole.exe ../whole.cs && [ "$(mono whole.exe)" = part ] && "$ILINJECT" report --json -o r.json) &&
        grep -q '"calls": 4' netmodule/r.json || { ls -l netmodule; return 1; }
}
check "a netmodule is instrumented, and the assembly it is linked into runs" netmodule_runs

other_platforms() {
    local platform
    mkdir -p platforms
    for platform in x86 x64 anycpu32bitpreferred arm; do
        mcs -nologo -platform:$platform -out:$platform.exe "$fixtures/cs/TestClass.cs" && quietly 0 $platform.exe -o platforms/ || return 1
        [ "$platform" = arm ] || mono platforms/$platform.exe | cmp - said/app.mono.out || { echo "$platform"; return 1; }
    done
}
run_program app mono "$app"
check "PE32 and PE32+ of every platform are instrumented and run" other_platforms

patch_u32() { # FILE OFFSET VALUE
    local v=$(($3))
    # shellcheck disable=SC2059
    printf "$(printf '\\x%02x' $((v & 255)) $((v >> 8 & 255)) $((v >> 16 & 255)) $((v >> 24 & 255)))" | dd of="$1" bs=1 seek=$(($2)) conv=notrunc status=none
}
u32() { od -An -tu4 -j $(($2)) -N 4 "$1" | tr -d ' '; } # FILE OFFSET
# mcs's images: the PE header at 0x80, after the headers the section of code, which begins with the IAT and the CLI header.
directory=$((0x80 + 24 + 96)) cli=$(($(u32 "$app" $((0x80 + 24 + 60))) + 8))
refused() { # FILE TEXT
    rm -rf none && mkdir none
    quietly 1 "$1" -o none/x.dll && one_error "$2" && [ -z "$(ls -A none)" ]
}
cp "$app" mixed.dll && patch_u32 mixed.dll $((cli + 16)) 0 && patch_u32 mixed.dll $((0x80 + 24 + 32)) 0x200
check "a mixed-mode image that nothing can be added to is refused by name" refused mixed.dll "mixed-mode"
cp "$app" exports.dll && patch_u32 exports.dll $directory 0x2000 && patch_u32 exports.dll $((directory + 4)) 40
check "an image with exports is refused by name" refused exports.dll "data directory EXPORT"
cp "$app" ngen.dll && patch_u32 ngen.dll $((cli + 64)) 0x2000 && patch_u32 ngen.dll $((cli + 68)) 8
check "an image that is precompiled, but not ReadyToRun, is refused by name" refused ngen.dll "managed native header"

# ---- One body for two methods ------------------------------------------------------------------------------------------

cat >two.cs <<'EOF'
class Two
{
    static int First() { return 1111; }
    static int Second() { return 2222; }
    static void Main() { System.Console.WriteLine(First() + " " + Second() + " " + Second()); }
}
EOF
rva_of() { "$ILINJECT" dump two.exe | sed -n "s/^0x06.* RVA=0x0*\([0-9a-f]*\) .*Name=\"$1\".*/0x\1/p"; }
shared_body() {
    local first second place
    mcs -nologo -out:two.exe two.cs && first=$(rva_of First) second=$(rva_of Second) || return 1
    place=$(LC_ALL=C grep -obUaP "$(printf '\\x%02x\\x%02x\\x00\\x00' $((second & 255)) $((second >> 8)))" two.exe | cut -d: -f1)
    [ "$(wc -w <<<"$place")" -eq 1 ] && patch_u32 two.exe "$place" "$first" && [ "$(mono two.exe)" = "1111 1111 1111" ] || { echo "$first $second at $place"; return 1; }
    mkdir -p shared && quietly 0 two.exe -o shared/two.exe && (cd shared && [ "$(mono two.exe)" = "1111 1111 1111" ] && "$ILINJECT" report two.ilprof >report) &&
        grep -q '^ *2 .*Two.Second()' shared/report && grep -q '^ *1 .*Two.First()' shared/report || { cat shared/report; return 1; }
}
check "two methods that share a body behave as before and are counted apart" shared_body

# ---- Around the sections ---------------------------------------------------------------------------------------------

overlay_kept() {
    cp "$app" overlay.exe && printf 'what an installer appended' >>overlay.exe && quietly 0 overlay.exe -o overlaid.exe &&
        cmp <(tail -c 26 overlaid.exe) <(printf 'what an installer appended') && cmp <(head -c -26 overlaid.exe | wc -c) <(wc -c <first.exe) && mono overlaid.exe | cmp - "said/app.mono.out"
}
certificate_dropped() {
    local size
    size=$(wc -c <"$app")
    cp "$app" certified.exe && head -c 512 /dev/urandom >>certified.exe
    patch_u32 certified.exe $((directory + 4 * 8)) "$size" && patch_u32 certified.exe $((directory + 4 * 8 + 4)) 512
    quietly 0 certified.exe -o stripped.exe && [ "$(u32 stripped.exe $((directory + 32)))" -eq 0 ] && [ "$(u32 stripped.exe $((directory + 36)))" -eq 0 ] &&
        [ "$(wc -c <stripped.exe)" -eq "$(wc -c <first.exe)" ]
}
check "bytes behind the last section are kept" overlay_kept
check "an Authenticode signature is dropped, with its directory" certificate_dropped

# Native resources: a version, read by Mono's own reader, and an icon, found by its bytes. 300 methods push the section along.
{
    echo 'using System.Reflection; [assembly: AssemblyFileVersion("3.1.4.1")] [assembly: AssemblyProduct("Pi")] class Many {'
    for i in $(seq 300); do echo "static int F$i(int n) { return n > $i ? n * $i : n - $i; }"; done
    echo 'static void Main() { System.Console.WriteLine(F1(7)); } }'
} >many.cs
head -c 3000 /dev/urandom >pixels
{ printf '\0\0\1\0\1\0\20\20\0\0\1\0\40\0\270\13\0\0\26\0\0\0'; cat pixels; } >many.ico
cat >version.cs <<'EOF'
class Version
{
    static void Main(string[] args)
    {
        var info = System.Diagnostics.FileVersionInfo.GetVersionInfo(args[0]);
        System.Console.WriteLine(info.FileVersion + " " + info.ProductName + " " + info.OriginalFilename);
    }
}
EOF
resources_kept() {
    mcs -nologo -win32icon:many.ico -out:many.exe many.cs && mcs -nologo -out:version.exe version.cs && mkdir -p grown && quietly 0 many.exe -o grown/many.exe || return 1
    local was now
    was=$(u32 many.exe $((directory + 16))) now=$(u32 grown/many.exe $((directory + 16)))
    [ "$now" -gt "$was" ] || { echo "the resources did not move: $was, $now"; return 1; }
    mono version.exe "$PWD/many.exe" >version.before && mono version.exe "$PWD/grown/many.exe" >version.after &&
        grep -q '^3.1.4.1 Pi many.exe$' version.before && cmp version.before version.after || { cat version.before version.after; return 1; }
    cp many.exe grown/plain.exe
    [ "$(leaf many.exe)" = "$(leaf grown/many.exe)" ]
}
# The icon's bytes as the first leaf of the tree gives them: three levels of one first entry each.
leaf() { # FILE
    local sections=$((0x80 + 24 + 224)) rva offset=0 level target data size file_offset i start
    rva=$(u32 "$1" $((directory + 16)))
    file_offset=$(for i in 0 1 2 3; do
        start=$(u32 "$1" $((sections + i * 40 + 12)))
        if [ "$start" -eq "$rva" ]; then u32 "$1" $((sections + i * 40 + 20)); fi
    done)
    for level in 1 2 3; do
        target=$(u32 "$1" $((file_offset + offset + 16 + 4)))
        offset=$((target & 0x7FFFFFFF))
    done
    data=$(u32 "$1" $((file_offset + offset))) size=$(u32 "$1" $((file_offset + offset + 4)))
    tail -c +$((file_offset + data - rva + 1)) "$1" | head -c "$size" | cmp - pixels >&2 && echo "level $level: $size bytes"
}
check "native resources move along and are read as before" resources_kept

# ---- Trackers --------------------------------------------------------------------------------------------------------

tracker_refused() { # TEXT SOURCE [OPTIONS…]: one error, no output
    local text=$1 source=$2
    shift 2
    rm -rf none && mkdir none
    if [ -n "$source" ]; then echo "using System; namespace Instrumenter { $source }" >bad.cs && mcs -nologo -target:library -nowarn:169,649 -out:bad.dll bad.cs || return 1; fi
    quietly "${VALUE:-2}" "$app" -o none/x.exe --tracker bad.dll "$@" && one_error "$text" && [ -z "$(ls -A none)" ]
}
enter='public static void WhenEnteringMethod() { }' leave='public static void WhenLeavingMethod() { }'
VALUE=1 check "a tracker that is missing is refused" tracker_refused "No such file" ""
check "one without the type" tracker_refused "no type Instrumenter.ProfileInfoTracker" "public class Other { $enter $leave }"
check "one without the type asked for" tracker_refused "no type A.B.C" "public class ProfileInfoTracker { $enter $leave }" --tracker-type A.B.C
check "one that is private" tracker_refused "not public" "class ProfileInfoTracker { $enter $leave }"
check "one without leave" tracker_refused "0 WhenLeavingMethod" "public class ProfileInfoTracker { $enter }"
check "one with two overloads" tracker_refused "2 methods WhenEnteringMethod" "public class ProfileInfoTracker { $enter $leave public static void WhenEnteringMethod(int id) { } }"
check "one with instance methods" tracker_refused "WhenEnteringMethod has a shape that is not known" "public class ProfileInfoTracker { public void WhenEnteringMethod() { } $leave }"
check "one with private methods" tracker_refused "WhenLeavingMethod has a shape that is not known" "public class ProfileInfoTracker { $enter static void WhenLeavingMethod() { } }"
check "one that wants two arguments" tracker_refused "has a shape that is not known" "public class ProfileInfoTracker { public static void WhenEnteringMethod(int a, int b) { } $leave }"
check "one that wants a DateTime" tracker_refused "has a shape that is not known" "public class ProfileInfoTracker { public static void WhenEnteringMethod(DateTime a) { } $leave }"
check "one that wants a reference" tracker_refused "has a shape that is not known" "public class ProfileInfoTracker { public static void WhenEnteringMethod(ref int a) { } $leave }"
check "one that is generic" tracker_refused "has a shape that is not known" "public class ProfileInfoTracker { public static void WhenEnteringMethod<T>() { } $leave }"
check "one whose leave returns something" tracker_refused "WhenLeavingMethod has a shape that is not known" "public class ProfileInfoTracker { $enter public static int WhenLeavingMethod() { return 1; } }"
check "one whose token is not given back" tracker_refused "WhenLeavingMethod has a shape that is not known" "public class ProfileInfoTracker { public static int WhenEnteringMethod() { return 1; } $leave }"
check "one whose token has another type" tracker_refused "WhenLeavingMethod has a shape that is not known" "public class ProfileInfoTracker { public static int WhenEnteringMethod() { return 1; } public static void WhenLeavingMethod(long t) { } }"
check "one that registers in its own way" tracker_refused "Register must be" "public class ProfileInfoTracker { public static void WhenEnteringMethod(int id) { } $leave public static int Register(int n) { return n; } }"
registers="public class ProfileInfoTracker { public static void WhenEnteringMethod(int id) { } $leave"
check "one that registers and returns a long" tracker_refused "Register must be" "$registers public static long Register(RuntimeTypeHandle type, int count) { return 0; } }"
check "one that registers and returns an object" tracker_refused "Register must be" "$registers public static object Register(RuntimeTypeHandle type, int count) { return null; } }"
tracks='public static int WhenEnteringMethod(int id) { return 1; } public static void WhenLeavingMethod(int token) { }'
for method in 'WhenSuspending() { }' 'WhenCompleting(long token) { }' 'WhenFailing(int token, object exception) { }' 'WhenFailing(Exception e, int token) { }' \
    'WhenResuming(int token) { }'; do
    check "one with a $method of its own" tracker_refused "${method%%(*} has a shape that is not known" "public class ProfileInfoTracker { $tracks public static void $method }"
done
check "one with two WhenSuspending" tracker_refused "WhenSuspending has a shape that is not known" "public class ProfileInfoTracker { $tracks public static void WhenSuspending(int t) { } public static void WhenSuspending(long t) { } }"
check "one whose state machines get no token" tracker_refused "WhenEnteringStateMachine has a shape that is not known" "public class ProfileInfoTracker { $tracks public static void WhenEnteringStateMachine(int id, int starter) { } }"
check "one with state machines but no token" tracker_refused "beside an int32 WhenEnteringMethod(int32)" "public class ProfileInfoTracker { $enter $leave public static void WhenSuspending(int token) { } }"
check "a generic type" tracker_refused "no type" "public class ProfileInfoTracker<T> { $enter $leave }"
cp "$before/app.exe" bad.dll
check "an assembly that is no tracker" tracker_refused "no type" ""
echo text >bad.dll
VALUE=1 check "a file that is no assembly" tracker_refused "MZ" ""

# Every argument with every token, as types of one assembly. The counts of a tracker: enters and
# leaves, and the sum of the tokens that did not come back; both hand-counted for the program below,
# in which one of eleven calls ends by an exception.
cat >called.cs <<'EOF'
using System;
namespace Space
{
    class Outer<T>
    {
        public class Inner { public U Give<U>(T[] ts, ref U u, params string[] more) { return u; } }
    }
    static class Program
    {
        static int Factorial(int n) { return n <= 1 ? 1 : n * Factorial(n - 1); }
        static void Fail(bool really) { if (really) throw new InvalidOperationException("failed"); }
        static int Main()
        {
            Console.WriteLine(Factorial(5));
            try { Fail(true); } catch (InvalidOperationException e) { Console.WriteLine(e.Message); }
            Fail(false);
            int x = 4;
            Console.WriteLine(new Outer<byte>.Inner().Give(null, ref x));
            return 0;
        }
    }
}
EOF
{
    echo 'using System; public class Counter { static int entered, left; static long sum;
        static Counter() { AppDomain.CurrentDomain.ProcessExit += delegate { Console.Error.WriteLine("entered {0} left {1} sum {2}", entered, left, sum); }; }
        public static int Enter(object what) { if (what != null && Environment.GetEnvironmentVariable("SHOW") != null) Console.Error.WriteLine("> " + what); sum += ++entered; return entered; }
        public static void Leave(object token) { left++; if (token != null) sum -= Convert.ToInt64(token); } }'
    for argument in "" int string RuntimeMethodHandle; do
        for token in void int long string object double; do
            name="With_${argument:-nothing}_$token"
            echo "public static class $name {"
            echo "public static $token WhenEnteringMethod(${argument:+$argument what}) {"
            case $argument,$token in
            ,*) enter='Counter.Enter(null)' ;;
            *) enter='Counter.Enter(what)' ;;
            esac
            case $token in
            void) echo "$enter; } public static void WhenLeavingMethod(${argument:+$argument what}) { Counter.Leave(null); }" ;;
            string) echo "return $enter.ToString(); } public static void WhenLeavingMethod(string token) { Counter.Leave(token); }" ;;
            *) echo "return $enter; } public static void WhenLeavingMethod($token token) { Counter.Leave(token); }" ;;
            esac
            echo "}"
        done
    done
} >shapes.cs
mcs -nologo -out:"$before/called.exe" called.cs && mcs -nologo -target:library -out:shapes.dll shapes.cs || exit 1
if can dotnet; then runtimeconfig "$before/called.exe"; fi
run_shape() { # TYPE RUNTIME EXITS EXPECTED
    local said=$SCRATCH/said/$1.$2
    mkdir -p "$after/$1"
    quietly 0 "$before/called.exe" -o "$after/$1/called.exe" --exits="$3" --tracker shapes.dll --tracker-type "$1" && run_program "$1" "$2" "$after/$1/called.exe" &&
        same_run called "$1" "$2" && grep -qx "entered 10 $4" "$said.err" || { cat "$said.err"; return 1; }
}
for runtime in mono dotnet; do
    if ! can "$runtime"; then
        skip "trackers of every shape are called under $runtime" "$runtime is not there"
        continue
    fi
    run_program called "$runtime" "$before/called.exe"
    for argument in nothing int string RuntimeMethodHandle; do
        for token in void int long string object double; do
            # Without tokens all 55 stay; with them, that of the seventh call, which failed. A guard leaves by a fault clause, too.
            case $runtime,$argument,$token in
            dotnet,int,[ls]* | dotnet,string,[id]* | dotnet,*Handle,[ld]*) continue ;; # a sample is enough here
            *,void) check "a tracker of ($argument) -> $token counts right under $runtime" run_shape "With_${argument}_$token" "$runtime" ret "left 9 sum 55" ;;
            *) check "a tracker of ($argument) -> $token counts right under $runtime" run_shape "With_${argument}_$token" "$runtime" ret "left 9 sum 7" ;;
            esac
            case $runtime,$token in
            mono,void) check "a guarded tracker of ($argument) -> $token counts right" run_shape "With_${argument}_$token" mono guarded "left 10 sum 55" ;;
            mono,*) check "a guarded tracker of ($argument) -> $token counts right" run_shape "With_${argument}_$token" mono guarded "left 10 sum 0" ;;
            esac
        done
    done
done
right_names() {
    SHOW=1 mono "$after/With_string_object/called.exe" 2>&1 >/dev/null | sed -n 's/^> //p' | sort -u >names
    diff - names <<'EOF'
Space.Outer<T>.Inner.Give<U>(T[], ref U, string[])
Space.Outer<T>.Inner.ctor()
Space.Program.Factorial(int)
Space.Program.Fail(bool)
Space.Program.Main()
EOF
}
check "a (string) tracker gets full names" right_names

# ---- Locals ----------------------------------------------------------------------------------------------------------

# locals COUNT: a method with that many, whose last one is used.
locals() {
    echo ".assembly extern mscorlib {} .assembly locals {} .class public Program { .method static int32 Many() { .maxstack 2 .locals init ("
    for ((i = 1; i < $1; i++)); do echo "int32,"; done
    echo "int32) ldc.i4 42 stloc $(($1 - 1)) ldloc $(($1 - 1)) ret }"
    echo '.method static void Main() { .entrypoint call int32 Program::Many() call void [mscorlib]System.Console::WriteLine(int32) ret } }'
}
many_locals() { # COUNT WARNED RUNTIME…
    local count=$1 warned=$2 runtime
    shift 2
    locals "$count" >locals.il && ilasm -quiet -output:"$before/locals.exe" locals.il >/dev/null && quietly 0 "$before/locals.exe" -o "$after/locals.exe" || return 1
    [ "$(grep -c ILJ0301 err.log)" -eq "$warned" ] || { cat err.log; return 1; }
    for runtime; do
        can "$runtime" || continue
        if [ "$runtime" = dotnet ]; then runtimeconfig "$before/locals.exe"; cp "$before/locals.runtimeconfig.json" "$after"; fi
        run_program locals "$runtime" "$before/locals.exe"
        run_program locals-after "$runtime" "$after/locals.exe"
        same_run locals locals-after "$runtime" && profile_agrees "$SCRATCH/said/locals-after.$runtime.ilprof" || return 1
    done
}
if has ilasm; then
    check "256 locals take a two-byte index" many_locals 256 0 mono dotnet
    check "65,534 locals leave room for the token" many_locals 65534 0 mono dotnet
    check "65,535 do not, which is said, and the method is entered only" many_locals 65535 1 mono dotnet
else
    skip "many locals leave room or none" "no ilasm"
fi
finish
