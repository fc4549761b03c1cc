#!/usr/bin/env bash
# Calls with their values, where they show: the call logs, the table's filters, stacks of
# exceptions, the page's data. Which parts of a value are seen: suite-capture.sh; the page in a
# browser: suite-full-page.sh.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
cd "$SCRATCH" || exit 1
unset "${!ILINJECT_@}" LOG_FILENAME
if ! has mcs || ! has mono; then
    skip "where calls with their values show" "no mono or no mcs"
    finish
fi

# Neither constructors nor lambdas: of those the two logs have other names.
cat >Shop.cs <<'END'
using System;
using System.Collections.Generic;
using System.Threading;
struct Order { public int Id; public string Note; }
static class Shop
{
    static int Fib(int n) { return n < 2 ? n : Fib(n - 1) + Fib(n - 2); }
    static Order Find(int id, string password, ref int hits, out string text)
    {
        hits++;
        text = "line\nnext\t\x1b[0m";
        if (id == 3) throw new InvalidOperationException("no order " + id, new Exception("inner one"));
        Order order; order.Id = id; order.Note = "</script><img src=x onerror=document.title='run'>"; return order;
    }
    static void All(List<string> list, Dictionary<string, int> map, object boxed, string cut, int[] many, KeyValuePair<int, Tuple<int, string>> pair, string nothing) { }
    static void Quiet(int i) { }
    static void Plain() { Fib(1); }
    static void Inner() { throw new Exception("the cause"); }
    static void Outer() { try { Inner(); } catch (Exception e) { throw new InvalidOperationException("around it", e); } }
    static void Work() { Fib(2); Quiet(9); }
    static void Main(string[] args)
    {
        int hits = 0; string text;
        if (args.Length > 0) { Fib(int.Parse(args[0])); return; }
        Fib(3);
        for (int i = 1; i < 5; i++) try { Find(i, "hunter2", ref hits, out text); Quiet(i); Plain(); } catch (InvalidOperationException) { }
        All(new List<string> { "a", null }, new Dictionary<string, int> { { "one", 1 }, { "password", 2 } }, new Order(), new string('x', 100), new int[1000],
            new KeyValuePair<int, Tuple<int, string>>(1, Tuple.Create(2, "t")), null);
        try { Outer(); } catch (InvalidOperationException) { }
        Thread thread = new Thread(Work); thread.Name = "worker"; thread.Start(); thread.Join();
        Console.WriteLine(hits);
    }
}
END
mcs -nologo -out:Shop.exe Shop.cs || exit 1
log=ILInjectCallbackLog.log
runs() { # DIRECTORY SETTINGS… -- OPTIONS…
    local directory=$1 settings=()
    shift
    while [ "$1" != -- ]; do settings+=("$1"); shift; done
    shift
    rm -rf "$directory" && mkdir "$directory" && "$ILINJECT" -q Shop.exe -o "$directory/" "$@" &&
        (cd "$directory" && timeout -k 1 150 env "${settings[@]}" mono Shop.exe >out.txt 2>err.txt && [ ! -s err.txt ]) || { cat "$directory"/*.txt; return 1; }
}
calllog() { "$ILINJECT" report --format=calllog "$1/Shop.ilprof"; }
table() { local directory=$1; shift; "$ILINJECT" report --calls --width=0 --top=0 "$@" "$directory/Shop.ilprof" | sed '0,/Calls with their values$/d'; }
has_line() { grep -q -x -F -- "$1" "$2" || { echo "no line '$1'"; grep -n -F -- "${1:0:12}" "$2" | head -n 20; return 1; }; }

# ---- The call logs ----------------------------------------------------------------------------------------------------

rules=(--capture 'Shop.Fib: args, return' --capture 'Shop.Find' --capture 'Shop.Quiet: args' --capture 'Shop.All: args' --capture 'Shop.Outer: exception')
check "a program writes its log with values" runs live ILINJECT_LOG=1 ILINJECT_TIMELINE=1 -- "${rules[@]}"
head_of_log() {
    head -n 15 live/$log | diff - <(
        cat <<'END'
Shop.Main, id=16777224, call count = 1
 Shop.Fib(n: 3), id=16777216, call count = 1
  Shop.Fib(n: 2), id=16777216, call count = 2
   Shop.Fib(n: 1), id=16777216, call count = 3
#    Shop.Fib, call 3 → 1
   Shop.Fib(n: 0), id=16777216, call count = 4
#    Shop.Fib, call 4 → 0
#   Shop.Fib, call 2 → 1
  Shop.Fib(n: 1), id=16777216, call count = 5
#   Shop.Fib, call 5 → 1
#  Shop.Fib, call 1 → 2
 Shop.Find(id: 1, password: ***, hits: 0, text), id=16777217, call count = 1
#  Shop.Find, call 1 → Order { Id = 1, Note = "</script><img src=x onerror=document.title='run'>" } hits ⇒ 1 text ⇒ "line next �[0m"
 Shop.Quiet(i: 1), id=16777219, call count = 1
 Shop.Plain, id=16777220, call count = 1
END
    )
}
check "arguments stand behind names, results where calls end" head_of_log
check "each kind of value is text there" has_line ' Shop.All(list: List<string>(2) { "a", null }, map: Dictionary<string, int>(2) { "one" = 1, "password" = *** }, boxed: Order { Id = 0, Note = null }, cut: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"…(100), many: int[1000] { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, … }, pair: KeyValuePair<int, Tuple<int, string>> { key = 1, value = (2, "t") }, nothing: null), id=16777218, call count = 1' live/$log
check "so are exceptions with what caused them" has_line '#  Shop.Find, call 3 threw InvalidOperationException: no order 3 ← Exception: inner one' live/$log
check "the report makes the same log of the timeline" diff <(calllog live) <(grep -v '^Thread' live/$log)
# As the logger of old wrote it: what others read it by still fits.
historic() {
    runs plain ILINJECT_LOG=1 -- && diff <(sed -E '/^#/d; s/^( *[^ (,:]+)\(.*\), id=/\1, id=/' live/$log) plain/$log
}
check "without values it is the log that it has always been" historic
secret() { ! grep -l hunter2 live/$log live/Shop.ilprof; }
check "what is masked is in no log" secret
late() {
    runs late ILINJECT_LOG=1 -- --capture 'Shop.Find: args, throws' --capture 'Shop.Fib: args; slower=1000s' &&
        diff <(sed '/^#/d' late/$log) plain/$log &&
        diff <(grep '^#' late/$log) - <<<'#  Shop.Find(id: 3, password: ***, hits: 2, text) threw InvalidOperationException: no order 3 ← Exception: inner one'
}
check "what is kept only when it is over stands with its arguments at its end" late
limited() { runs limited ILINJECT_LOG=1 ILINJECT_TIMELINE=1 -- --capture 'Shop.Fib: args; first=2' && [ "$(grep -c 'Fib(' limited/$log)" -eq 2 ] && diff <(calllog limited) <(grep -v '^Thread' limited/$log); }
check "calls past a limit have none" limited
sums() {
    runs sums -- "${rules[@]}" && calllog sums >sums.log && has_line ' Shop.Fib, id=16777216, call count = 1' sums.log &&
        has_line '# Shop.Find(id: 2, password: ***, hits: 1 ⇒ 2, text: ⇒ "line next �[0m") → Order { Id = 2, Note = "</script><img src=x onerror=document.title='"'run'"'>" }' sums.log
}
check "without a timeline they stand behind the paths" sums
# The timeline keeps the last events alone: what it has of a call is never given to another. Values and places prove each other: Fib(n)
# calls Fib(n - 1) and Fib(n - 2).
lost() {
    runs lost ILINJECT_TIMELINE=1 -- --capture 'Shop.Fib: args, return; every=3' &&
        (cd lost && ILINJECT_TIMELINE=1 ILINJECT_EVENTS=1000 within 60 mono Shop.exe 17) && calllog lost >lost.log &&
        grep -q '^# Earlier calls that were not kept' lost.log && grep -q '^# Calls with their values that are none of those above:' lost.log &&
        awk '/^ *Shop.Fib/ {
                depth = match($0, /S/); n = -1
                if (match($0, /n: [0-9]+/)) { n = substr($0, RSTART + 3, RLENGTH - 3) + 0; placed++ }
                if (n >= 0 && of[depth - 1] > 0 && n != of[depth - 1] - 1 && n != of[depth - 1] - 2) { print "under " of[depth - 1] ": " $0; bad++ }
                of[depth] = n
             }
             /^#.*, call .* → / { ends++ }
             /^# Shop.Fib\(n: / { lone++ }
             END { print placed, ends, lone; exit bad || placed < 100 || placed != ends || placed + lone != kept }' kept="$(table lost | grep -c 'Shop.Fib(n: ')" lost.log
}
check "a call that the timeline has not kept gives its values to no other" lost

# The same source under .NET: ids are the compiler's, and so is where the runtime's own frames are.
under_dotnet() {
    mkdir -p net/out && compiled csc net/Shop.dll Shop.cs && "$ILINJECT" -q net/Shop.dll -o net/out/ "${rules[@]}" && cp net/Shop.runtimeconfig.json net/out/ &&
        (cd net/out && ILINJECT_LOG=1 ILINJECT_TIMELINE=1 timeout -k 1 150 dotnet Shop.dll >out.txt 2>err.txt && [ ! -s err.txt ]) || { cat net/out/*.txt; return 1; }
    diff <(sed '/^Thread/d; /^$/,$d; s/id=[0-9]*/id/' live/$log) <(sed '/^Thread/d; /^$/,$d; s/id=[0-9]*/id/' net/out/$log) && diff <("$ILINJECT" report --format=calllog net/out/Shop.ilprof) <(grep -v '^Thread' net/out/$log)
}
if has dotnet && [ -n "$(dotnet --list-sdks 2>/dev/null)" ]; then check "the log is the same under .NET" under_dotnet; else skip "the log is the same under .NET" "no .NET SDK"; fi

# ---- The table --------------------------------------------------------------------------------------------------------

count() { [ "$(table live "${@:2}" | grep -Ec '^ *[0-9].*Shop\.')" -eq "$1" ] || { table live "${@:2}"; return 1; }; }
check "--thrown leaves what an exception left" count 2 --thrown
check "together with a method" count 1 --thrown --filter=Shop.Outer
check "--value goes by the line" count 4 --value='password: ***'
check "and with --slower nothing may be left" count 0 --thrown --slower=1000s
stacks() {
    table live --thrown --filter=Shop.Outer >stacks && grep -q 'threw InvalidOperationException: around it ← Exception: the cause$' stacks &&
        [ "$(grep -Ec '^ {8,}(at Shop.Outer|← System.Exception|at Shop.Inner)' stacks)" -ge 3 ]
}
check "an exception has its stack, its cause its own" stacks
stacks_in_json() {
    "$ILINJECT" report --json live/Shop.ilprof | grep '"thrown": true' | grep '"message": "around it"' >json &&
        grep -q '"stack": "at Shop.Outer[^}]*"inner": {"kind": "exception", "type": "System.Exception", "message": "the cause", "stack": "at Shop.Inner' <(sed 's/, "fields": {}//g' json)
}
check "so in the JSON" stacks_in_json
refused() { ! "$ILINJECT" report --thrown live/Shop.ilprof 2>err.txt && grep -q -e '--thrown are for --calls' err.txt; }
check "--thrown is for these calls alone" refused

# ---- The page's data --------------------------------------------------------------------------------------------------

# The element that the page reads them from: two tags, and no other < between them.
# The element's lines; of a large page those that its data inflate to.
page() {
    "$ILINJECT" report --html "$1.html" "$1/Shop.ilprof" && python3 -c '
import base64, re, sys, zlib
start, data, end = re.search(rb"(<script type=\"[^\"]*\" id=\"profile\">)(.*?)(</script>\n)", sys.stdin.buffer.read(), re.S).groups()
sys.stdout.buffer.write(start + (zlib.decompress(base64.b64decode(data)) if b"text/plain" in start else data) + end)' <"$1.html" >"$1.data" &&
        [ "$(tr -cd '<' <"$1.data" | wc -c)" -eq 2 ]
}
check "no value can end the element around it" page live
in_page() {
    grep -q '"name":"Shop.Find","signature":"Shop.Find(int, string, ref int, out string)","seen":4,"has_arguments":true,"parameters":\["id","password","hits","text"\]' live.data &&
        grep -q '"caller":"Shop.Main(string\[\])","arguments":\["2","\*\*\*",\["1","2"\],\[null,"\\"line next �\[0m\\""\]\],"result":"Order { Id = 2, Note = \\"\\u003c/script>\\u003cimg' <(sed 's/\\u0022/\\"/g' live.data) &&
        grep -q '"exception":"InvalidOperationException: around it ← Exception: the cause","chain":\[\["System.InvalidOperationException","around it","at Shop.Outer' live.data
}
check "the page has them" in_page
# Fib(20) is 21,891 calls.
page_of_many() {
    runs many -- --capture 'Shop.Fib: args; bytes=64m' && (cd many && within 60 mono Shop.exe 20) && page many && grep -q '^"calls":{"left_out":1891,' many.data &&
        [ "$(grep -c '^{"method":' many.data)" -eq 19999 ] && grep -q '^"list":\[{"method":.*"arguments":\["20"\]' <(sed 's/^\],"list/"list/' many.data)
}
check "of many calls the page has the slowest" page_of_many
page_without() { runs bare -- && page bare && grep -q '^"calls":{"left_out":0,"methods":\[\],' bare.data; }
check "a page of a profile without any has none" page_without
finish
