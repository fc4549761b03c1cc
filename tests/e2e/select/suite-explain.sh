#!/usr/bin/env bash
# `list --explain` explains single methods, `dump --plan` shows where the pieces of an output come to lie: both beside what
# monodis reads in input and output, and what the source says.
. "$(dirname "$0")/../../lib.sh"
cd "$SCRATCH" || exit 1

if ! has mcs || ! has monodis; then
    skip "what instrumenting does is explained" "Mono is missing"
    finish
fi

cat >Shop.cs <<'CS'
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Threading.Tasks;
namespace Instrumenter { class NoProfileAttribute : System.Attribute { } }
namespace Shop
{
    public delegate void Bell();
    public abstract class Shelf
    {
        public abstract void Move();
        [DllImport("c")] public static extern int getpid();
        public static int Quiet(int a) { return a + 1; }
        public static int Calm(int a) { return ((a + 1) * 3 + 5) * 7 + ((a + 2) * 9 + 11) * 13; }
        public static int Ways(int a) { if (a > 3) return Quiet(a); if (a < 0) return Quiet(-a); return 0; }
        public static void Stop() { throw new System.Exception(); }
        [Instrumenter.NoProfile] public static void Hidden() { Quiet(1); }
        public static async Task Wait() { await Task.Delay(1); }
        public static IEnumerable<int> Count() { yield return Quiet(1); }
        public static int Safe(string s) { try { return int.Parse(s); } finally { Quiet(2); } }
    }
    class Program { static void Main() { Shelf.Ways(1); } }
}
CS
cat >rules.xml <<'XML'
<ilinject>
  <selection>
    <exclude pattern="Shop.Shelf.Ways" />
  </selection>
</ilinject>
XML
mcs -nologo -optimize- -out:Shop.exe Shop.cs && "$ILINJECT" -q Shop.exe -o out.exe || exit 1

explain() { "$ILINJECT" list Shop.exe --explain "$@"; }
says() { # TEXT METHOD OPTIONS…: a line of what is said of it
    local text=$1
    shift
    explain "$@" >said 2>&1
    grep -q -F -x -e "$text" said || { cat said; return 1; }
}

# ---- Decisions ------------------------------------------------------------------------------------------------------

decision() { local text=$1; shift; says "  decision      $text" "$@"; }
check "no rule, and a body" decision "instrument: it has a body, and no rule leaves it out" Shop.Shelf.Ways
check "a rule of the command line" decision "left out, by rule: --exclude '**.Ways'" Shop.Shelf.Ways --exclude '**.Ways'
check "of two rules the one that decides" decision "instrument: it has a body, and no rule leaves it out; --include 'Shop.Shelf.Ways'" \
    Shop.Shelf.Ways --exclude '**.Ways' --include Shop.Shelf.Ways
if [ -e /usr/lib/x86_64-linux-gnu/libxml2.so.2 ] || PATH=$PATH:/usr/sbin:/sbin ldconfig -p | grep -q 'libxml2\.so'; then
    check "a rule of a file, with its line" decision "left out, by rule: rules.xml:3 exclude 'Shop.Shelf.Ways'" Shop.Shelf.Ways --config rules.xml
else
    skip "a rule of a file, with its line" "libxml2 is missing"
fi
check "an attribute" decision "left out, by rule: [NoProfile] of the method" Shop.Shelf.Hidden
check "an abstract method" decision "left out, abstract: it has no body (MethodDef.Flags, II.23.1.10)" Shop.Shelf.Move
check "P/Invoke" decision "left out, extern: P/Invoke: its code is native (II.23.1.10)" Shop.Shelf.getpid
check "a delegate's method" decision "left out, runtime: the runtime supplies its body, as for a delegate (II.23.1.11)" Shop.Bell.Invoke
check "a small method" decision "left out, too small: it has fewer bytes of IL than --min-il-size asks for" Shop.Shelf.Quiet --min-il-size=20

# ---- Names ----------------------------------------------------------------------------------------------------------

token=$("$ILINJECT" list Shop.exe | sed -n 's/^ *\(0x06[0-9a-f]*\) .* Ways(int)$/\1/p')
by_token() { explain "$token" >said && explain Shop.Shelf.Ways | cmp - said && [ "$(head -n 1 said)" = "$token Shop.Shelf.Ways(int)" ]; }
check "a token names what its name does" by_token
count() { [ "$(explain "$1" | grep -c '^0x')" -eq "$2" ] || { explain "$1"; return 1; }; }
check "a pattern names each method that matches" count 'Shop.Shelf.Wa*' 2
check "a type's name stands for all methods in it" count 'Shop.Bell' 4
refuses() { # EXIT-VALUE TEXT OPTIONS…
    local wanted=$1 text=$2 got
    shift 2
    "$ILINJECT" "$@" >said 2>&1
    got=$?
    [ "$got" -eq "$wanted" ] && grep -q -F -e "$text" said || { echo "exit value $got"; cat said; return 1; }
}
check "a name that no method has is refused, with the one that was meant" refuses 2 "ILJ0440: no method matches 'Shop.Shelf.Way'; did you mean 'Shop.Shelf.Ways" list Shop.exe --explain Shop.Shelf.Way
check "so is a token that is none" refuses 2 "ILJ0440: no method matches '0x0600ffff'" list Shop.exe --explain 0x0600ffff
check "so is what is no pattern" refuses 2 "ILJ0430" list Shop.exe --explain 'Shop.('
check "shapes are for explaining" refuses 2 "--exits needs --explain" list Shop.exe --exits=ret
check "leaves are for explaining, too" refuses 2 "--leaves needs --explain" list Shop.exe --leaves
check "and so are objects" refuses 2 "--allocations needs --explain" list Shop.exe --allocations
check "calls that are counted alone have no leaves" refuses 2 "--counts and --leaves exclude each other" list Shop.exe --explain '**' --counts --leaves
check "there is no JSON of it" refuses 2 "--explain writes text alone" list Shop.exe --explain '**' --json

# ---- The emitted code, beside monodis ---------------------------------------------------------------------------------

# "RVA, code size, locals, rets, calls of the tracker, fault" of each method, by its row.
monodis_facts() { # FILE
    monodis "$1" | awk '
        function flush() { if (row) printf "%d %s %d %d%s|%s|%s\n", row, rva, size, locals, rets, calls, fault; row = 0 }
        /\/\/ method line / { flush(); row = $NF; rva = ""; size = locals = 0; rets = calls = fault = "" }
        /Method begins at RVA/ { rva = $NF }
        /Code size/ { size = $4 }
        /^\t\.locals/ { inside = 1 }
        inside && /V_[0-9]+/ { locals += gsub(/V_[0-9]+/, "") }
        inside && /\)$/ { inside = 0 }
        /IL_[0-9a-f]+: +ret *$/ { rets = rets " " substr($1, 1, 7) }
        /IL_[0-9a-f]+: +call .*(<ilinject>|ProfileInfoTracker)/ { calls = calls " " substr($1, 1, 7) }
        /^[ \t]*}? *fault/ { fault = "fault" }
        END { flush() }'
}
monodis_facts Shop.exe >before
monodis_facts out.exe >after
fact() { awk -v row="$2" '$1 == row' "$1"; }
agrees() {
    local line row now methods=0
    explain '**' >said || return 1
    while read -r line; do
        row=$((16#$(cut -c 5-10 <<<"$line")))
        now=$(awk -v head="$line" '$0 == head { on = 1; next } /^0x/ { on = 0 } on' said)
        grep -q '^  shape ' <<<"$now" || continue
        methods=$((methods + 1))
        read -r _ _ old_size old_locals rest <<<"$(fact before $row | tr '|' ' ')"
        read -r _ _ new_size new_locals _ <<<"$(fact after $row | tr '|' ' ')"
        grep -q -F ": IL $old_size, now $new_size; " <<<"$now" &&
            grep -q -E "^  locals        $old_locals before, $new_locals now(:|$)" <<<"$now" &&
            [ "$(grep -o 'ret at IL_[0-9a-f]*' <<<"$now" | cut -d ' ' -f 3 | paste -s -d ' ')" = "$(fact before $row | cut -d '|' -f 1 | cut -d ' ' -f 5-)" ] &&
            [ "$(sed -n 's/^ \( calls\|      \)  *\(IL_[0-9a-f]*\) .*/\2/p' <<<"$now" | paste -s -d ' ')" = "$(fact after $row | cut -d '|' -f 2 | cut -c 2-)" ] || {
            printf '%s\n%s\n' "$line" "$now"
            fact before $row
            fact after $row
            return 1
        }
    done < <(grep '^0x06' said)
    [ "$methods" -ge 10 ] || { echo "$methods methods"; return 1; }
}
check "sizes, locals, ways out and calls are what monodis reads in input and output" agrees
guards() { [ "$(explain '**' | grep -c '^  shape         guarded: ')" -eq "$(grep -c '|fault$' after)" ] && ! grep -q '|fault$' before; }
check "the guarded shape is a fault block more" guards
check "what cannot throw has none" says "  shape         ret: none of its instructions can throw" Shop.Shelf.Calm
check "small code is only visited" says "  shape         visited: a call at the head alone; its time is its callers'" Shop.Shelf.Quiet
check "nor has what was asked for otherwise" says "  shape         ret: as was asked for" Shop.Shelf.Ways --exits=ret
check "counting has a call at the head alone" says "  shape         count: a call at the head alone" Shop.Shelf.Ways --counts
check "a method that never returns has no way out" says "  ways out      none: its own code never returns" Shop.Shelf.Stop

machine() { # METHOD KIND: its state machine, from both sides
    local move_next
    explain "$1" >said || return 1
    move_next=$(sed -n "s/^  state machine $2; the code runs in .*MoveNext() (\(0x06[0-9a-f]*\))\$/\1/p" said)
    [ "$move_next" ] && explain "$move_next" >moves && grep -q "^  state machine $2, of $1() (0x06" moves || { cat said moves; return 1; }
}
check "an async method has its state machine, and that its method" machine Shop.Shelf.Wait async
check "a state machine says where it is suspended and where it ends" grep -q -E '; suspends at IL_[0-9a-f]{4}|; it .*suspends at IL_[0-9a-f]{4}' moves
cp moves moves_wait
check "an iterator has its state machine" machine Shop.Shelf.Count iterator

# ---- Leaves and objects -----------------------------------------------------------------------------------------------

cat >Outgoing.il <<'IL'
.assembly extern mscorlib { .ver 4:0:0:0 }
.assembly Outgoing { }
.module Outgoing.exe
.class public Calls extends [mscorlib]System.Object
{
  .method static pinvokeimpl("c" winapi) int32 getpid() cil managed preservesig { }
  .method static void Sleeps() cil managed
  {
    .entrypoint
    ldc.i4.0
    call void [mscorlib]System.Threading.Thread::Sleep(int32)
    ldc.i4.0
    call void [mscorlib]System.Threading.Thread::SpinWait(int32)
    call int32 Calls::getpid()
    pop
    call void Calls::Ends()
    call void Calls::Ends()
    ret
  }
  .method static void Tail(int32 n) cil managed
  {
    ldarg.0
    tail. call void [mscorlib]System.Threading.Thread::Sleep(int32)
    ret
  }
  .method static void Pointer() cil managed
  {
    ldftn void Calls::Sleeps()
    calli void()
    ret
  }
  .method static object Made() cil managed
  {
    ldnull
    ldftn void Calls::Sleeps()
    newobj instance void [mscorlib]System.Threading.ThreadStart::.ctor(object, native int)
    newobj instance void [mscorlib]System.Threading.Thread::.ctor(class [mscorlib]System.Threading.ThreadStart)
    dup
    callvirt instance void [mscorlib]System.Threading.Thread::Start()
    ret
  }
  .method static int32 Grid() cil managed
  {
    ldc.i4.1
    ldc.i4.1
    newobj instance void int32[0...,0...]::.ctor(int32, int32)
    pop
    ldc.i4.2
    newarr int32
    ldlen
    conv.i4
    ldtoken Calls
    call class [mscorlib]System.Type [mscorlib]System.Type::GetTypeFromHandle(valuetype [mscorlib]System.RuntimeTypeHandle)
    pop
    ldc.i4.5
    box int32
    pop
    ldc.i4.5
    box int32
    brtrue more
  more:
    ret
  }
  .method static void Ends() cil managed
  {
    .try
    {
      ldc.i4.0
      call void [mscorlib]System.Threading.Thread::Sleep(int32)
      leave done
    }
    catch [mscorlib]System.Object
    {
      pop
      ldstr "x"
      call void [mscorlib]System.Environment::FailFast(string)
    }
  done:
    ret
  }
}
IL
explained() { # TEXT METHOD OPTIONS…: the same of that program; TEXT has no more than one space in a row
    local text=$1
    shift
    "$ILINJECT" list Outgoing.exe --explain "$@" >said 2>&1
    sed -E 's/^ +(leaves +|objects +)?//' said | grep -q -F -x -e "$text" || { cat said; return 1; }
}
sleeps="System.Threading.Thread.Sleep(int)"
if has ilasm && ilasm /quiet /output:Outgoing.exe Outgoing.il >/dev/null; then
    check "a leaf has the pattern of the default set, with its reason" explained "IL_0001 $sleeps: a leaf by default 'System.Threading.Thread.Sleep' (nothing but time)" Calls.Sleeps --leaves
    check "native code has its word" explained "IL_000c Calls.getpid(): a leaf by --leaves 'native'" Calls.Sleeps --leaves=System.Threading,native
    check "of two patterns the last one decides" explained "IL_0001 $sleeps: a leaf by --leaves '*'" Calls.Sleeps "--leaves=default,*"
    check "what a pattern takes out is no leaf" explained "IL_0007 System.Threading.Thread.SpinWait(int): no leaf: --leaves '!**.SpinWait' takes it out" Calls.Sleeps "--leaves=*,!**.SpinWait"
    check "nor is what none names" explained "IL_0001 $sleeps: no leaf: no pattern names it" Calls.Sleeps --leaves=native
    check "calls within the module are counted" explained "2 calls of methods of this module: no leaves" Calls.Sleeps --leaves
    check "a tail. call is none" explained "IL_0003 $sleeps: no leaf: --leaves '*' names it, but tail.: the method's frame is gone before it runs" Calls.Tail "--leaves=*"
    check "nor is one by a pointer" explained "IL_0006 calli: no leaf: it names no method" Calls.Pointer "--leaves=*"
    check "nor is the making of a delegate" explained "IL_0007 System.Threading.ThreadStart.ctor(object, nint): no leaf: --leaves '*' names it, but it takes what the instruction before it gives, a method's address" Calls.Made "--leaves=*"
    check "nor is what takes a token" explained "IL_0015 System.Type.GetTypeFromHandle(RuntimeTypeHandle): no leaf: --leaves '*' names it, but it takes the token that the instruction before it gives" Calls.Grid "--leaves=*"
    check "nor is an array's method" explained "IL_0002 int[,].ctor(int, int): no leaf: an array's method, or one that is not understood" Calls.Grid "--leaves=*"
    check "nor is a call that a region ends behind" explained "IL_0011 System.Environment.FailFast(string): no leaf: --leaves '*' names it, but a protected region ends after it: it never returns" Calls.Ends "--leaves=*"
    check "objects are counted by what makes them" explained "counted at 1 of 1 newobj, 1 of 1 newarr, 1 of 2 box" Calls.Grid --allocations
    check "delegates are, too" explained "counted at 2 of 2 newobj, 0 of 0 newarr, 0 of 0 box" Calls.Made --allocations
    check "with leaves they are the same" explained "counted at 2 of 2 newobj, 0 of 0 newarr, 0 of 0 box" Calls.Made --allocations "--leaves=*"
else
    skip "calls that are no leaves have reasons" "ilasm is missing"
fi
said_nothing() { explain '**' "$@" >said && ! grep -q -E '^  (leaves|objects) ' said; }
check "of neither is anything said when it was not asked for" said_nothing
check "nor where calls are counted alone" said_nothing --counts
check "a method without calls has no leaves" says "  leaves        none: it calls nothing" Shop.Shelf.Quiet --leaves
check "what a compiler puts in for itself is none" eval 'explain "Shop.Shelf.Wait" "--leaves=*" | grep -q -E "MethodBuilder\.Create\(\): no leaf: compilers put such calls in for themselves$"'
check "in an async method await's calls are none, the awaited one is" eval 'explain "$(sed -n "1s/ .*//p" moves_wait)" "--leaves=*" >said && grep -q "GetResult(): no leaf: await asks it for what is there" said && grep -q "Task\.Delay(int): a leaf by --leaves" said'
cat >leaves.xml <<'XML'
<ilinject>
  <leaves>
    <leaf pattern="System.Int32" />
  </leaves>
</ilinject>
XML
if [ -e /usr/lib/x86_64-linux-gnu/libxml2.so.2 ] || PATH=$PATH:/usr/sbin:/sbin ldconfig -p | grep -q 'libxml2\.so'; then
    check "a pattern of a file has its line" eval 'explain Shop.Shelf.Safe --config leaves.xml | grep -q "Parse(string): a leaf by leaves.xml:3 leaf .System.Int32.$"'
else
    skip "a pattern of a file has its line" "libxml2 is missing"
fi

# Calls of a method in what monodis reads: "row count".
calls_by_monodis() { # FILE PATTERN
    monodis "$1" | awk -v of="$2" '/\/\/ method line / { row = $NF } /IL_[0-9a-f]+: +call / && $0 ~ of { count[row]++ } END { for (row in count) print row, count[row] }' | sort -n
}
lines_by_row() { # PATTERN: "row count" of the lines that are said, which match it
    awk -v of="$1" '/^0x06/ { row = substr($1, 5) } $0 ~ of { count[row]++ } END { for (row in count) print row, count[row] }' said |
        while read -r row count; do echo "$((16#$row)) $count"; done | sort -n
}
# A leaf is one call of Enter, or Visit, more than the method has without leaves.
leaves_agree() { # FILE
    "$ILINJECT" -q "$1" -o without.exe && "$ILINJECT" -q "$1" "--leaves=*" -o with.exe && "$ILINJECT" list "$1" --explain '**' "--leaves=*" >said || return 1
    join -a 2 -e 0 -o 0,1.2,2.2 <(calls_by_monodis without.exe '<ilinject>.::(Enter|Visit)' | sort -k 1,1) <(calls_by_monodis with.exe '<ilinject>.::(Enter|Visit)' | sort -k 1,1) |
        awk '$3 > $2 { print $1, $3 - $2 }' | sort -n >wanted
    lines_by_row ': a leaf by ' | diff wanted - && [ "$(wc -l <wanted)" -ge 4 ]
}
objects_agree() { # FILE
    "$ILINJECT" -q "$1" --allocations "--leaves=*" -o with.exe && "$ILINJECT" list "$1" --explain '**' --allocations "--leaves=*" >said || return 1
    calls_by_monodis with.exe '::.?(Allocating|WhenBoxing)' | awk '{ sum += $2 } END { print sum + 0 }' >wanted
    sed -n 's/^  objects *counted at \([0-9]*\) of [0-9]* newobj, \([0-9]*\) of [0-9]* newarr, \([0-9]*\) of .*/\1 \2 \3/p' said |
        awk '{ sum += $1 + $2 + $3 } END { print sum + 0 }' | diff wanted - && [ "$(cat wanted)" -ge 1 ]
}
mcs -nologo -target:library -out:LeavesOutside.dll "$ROOT/fixtures/cs/LeavesOutside.cs" &&
    mcs -nologo -r:LeavesOutside.dll -out:Leaves.exe "$ROOT/fixtures/cs/Leaves.cs" || exit 1
check "leaves are the calls of Enter that monodis reads beside those without" leaves_agree Shop.exe
check "so they are in a program with every kind of them" leaves_agree Leaves.exe
check "objects are the calls that monodis reads" objects_agree Leaves.exe

# ---- The plan ---------------------------------------------------------------------------------------------------------

"$ILINJECT" dump --plan Shop.exe >plan || exit 1
# The RVAs of the bodies, by the methods' rows.
planned() { sed -n 's/^  \(0x[0-9a-f]*\) 0x[0-9a-f]*  \(0x[0-9a-f]*\) .*  body \([^ ].*([^ ]*.*\)$/\1 \2 \3/p' plan; }
plan_agrees() {
    local old new name row count=0
    : >were >olds
    while read -r old new name; do
        row=$((16#$("$ILINJECT" dump --il Shop.exe | grep -F " $name rva " | cut -c 12-17)))
        fact before $row | cut -d ' ' -f 2 >>were
        printf '0x%x\n' "$old" >>olds
        [ "$(fact after $row | cut -d ' ' -f 2)" = "$(printf '0x%x' "$new")" ] || {
            echo "$name, planned from $old to $new"
            fact before $row
            fact after $row
            return 1
        }
        count=$((count + 1))
    done < <(planned)
    # A small body may stand in the padding after an earlier one, and the old place is that one then.
    diff <(sort were) <(sort olds) || return
    "$ILINJECT" list Shop.exe | grep -q ": $count to instrument, " || { echo "$count bodies"; return 1; }
}
check "the bodies' old and new RVAs are those that monodis reads" plan_agrees
check "the output has the size that was planned" grep -q -x "file $(stat -c %s Shop.exe) bytes, now $(stat -c %s out.exe)" plan
# Pieces ascend and do not overlap, neither in the old nor in the new image.
tiles() { # FIELD of the RVA, FIELD of the size
    local rva size end=0 count=0
    while read -r rva size; do
        [ $((rva)) -ge "$end" ] || { echo "$rva is before $end"; return 1; }
        end=$((rva + size)) count=$((count + 1))
    done < <(sed '1,/^pieces/d; /^  0x/!d' plan | awk -v at="$1" -v size="$2" '{ print $at, $size }')
    [ "$count" -ge 10 ]
}
check "the old pieces follow each other" tiles 1 5
check "the new pieces do, too" tiles 3 6
check "a dump of the image itself has no plan" eval '! grep -q "^layout " <("$ILINJECT" dump Shop.exe)'
# The flag that says IL only (II.25.3.3.1) cleared: then native code may be anywhere.
mixed_keeps_its_place() {
    local at
    at=$("$ILINJECT" dump --headers Shop.exe | sed -n 's/^CLI header at //p')
    cp Shop.exe mixed.exe && printf '\0' | dd of=mixed.exe bs=1 seek=$((at + 16)) conv=notrunc 2>/dev/null
    "$ILINJECT" -q dump --plan mixed.exe >plan && grep -q -x 'layout append: what was there keeps its RVA' plan &&
        [ "$(sed -n '/^sections/,/^file/p' plan | awk '/^  0x/ && $1 != $3 { print $NF }')" = added ] &&
        [ "$(planned | wc -l)" -gt 10 ] && ! planned | awk '$1 == $2' | grep .
}
check "of a mixed-mode image the sections stay, and new bodies stand in another one" mixed_keeps_its_place
api=$(ls -d /usr/lib/mono/4.*-api/System.dll 2>/dev/null | tail -n 1)
if [ -n "$api" ]; then
    check "what is copied through has no layout" eval '"$ILINJECT" dump --plan "$api" 2>err | grep -q -x "no layout: the file is copied through: reference assembly"'
else
    skip "what is copied through has no layout" "Mono's reference assemblies are missing"
fi
finish
