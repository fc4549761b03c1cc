#!/usr/bin/env bash
# `list --explain` tells of single methods, `dump --plan` of where the pieces of an output come to lie: both beside what
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
check "what cannot throw has none" says "  shape         ret: none of its instructions can throw" Shop.Shelf.Quiet
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
check "an iterator has its state machine" machine Shop.Shelf.Count iterator

# ---- The plan ---------------------------------------------------------------------------------------------------------

"$ILINJECT" dump --plan Shop.exe >plan || exit 1
# The RVAs of the bodies, by the methods' rows.
planned() { sed -n 's/^  \(0x[0-9a-f]*\) 0x[0-9a-f]*  \(0x[0-9a-f]*\) .*  body \([^ ].*([^ ]*.*\)$/\1 \2 \3/p' plan; }
plan_agrees() {
    local old new name row count=0
    while read -r old new name; do
        row=$((16#$("$ILINJECT" dump --il Shop.exe | grep -F " $name rva " | cut -c 12-17)))
        [ "$(fact before $row | cut -d ' ' -f 2)" = "$(printf '0x%x' "$old")" ] && [ "$(fact after $row | cut -d ' ' -f 2)" = "$(printf '0x%x' "$new")" ] || {
            echo "$name, planned from $old to $new"
            fact before $row
            fact after $row
            return 1
        }
        count=$((count + 1))
    done < <(planned)
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
