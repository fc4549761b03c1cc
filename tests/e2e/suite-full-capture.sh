#!/usr/bin/env bash
# Calls with their values in programs of others' making: whole libraries captured run and compile as before, and what is kept stays bounded
# however many calls there are.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/ladder.sh"
cd "$SCRATCH" || exit 1
unset "${!ILINJECT_@}"
all='**: args, return, this, exception'

# ---- Mono ---------------------------------------------------------------------------------------------------------------

mcs=/usr/lib/mono/4.5/mcs.exe
if can mono && [ -f "$mcs" ]; then
    cat >hello.cs <<'END'
static class Hello { static void Main() { System.Console.WriteLine("hello"); } }
END
    compiles() {
        "$ILINJECT" -q "$mcs" -o mcs/ --capture "$all; first=1; bytes=64m" && mono --compile-all=1 mcs/mcs.exe && ILINJECT_OUT=$PWD/mcs.ilprof mono mcs/mcs.exe -out:hello.exe hello.cs &&
            mono hello.exe | grep -qx hello && "$ILINJECT" report --calls --filter=Mono.CSharp.Driver mcs.ilprof | grep -q 'hello.cs'
    }
    check "mcs compiles while all of its methods are captured" compiles
    loops() {
        cat >Many.cs <<'END'
static class Many
{
    static int Work(int i, string text) { return i + text.Length; }
    static void Main() { long sum = 0; for (int i = 0; i < 10000000; i++) sum += Work(i, "text"); System.Console.WriteLine(sum); }
}
END
        mcs -nologo -out:Many.exe Many.cs && "$ILINJECT" -q Many.exe -o many/ --capture 'Many.Work: args, return; bytes=64k' &&
            ILINJECT_OUT=$PWD/many.ilprof mono many/Many.exe && [ "$(stat -c %s many.ilprof)" -lt 80000 ] &&
            "$ILINJECT" report --calls --top=0 --width=0 many.ilprof | grep -q 'Many.Work(i: 9999999, text: "text") → 10000003$'
    }
    check "10,000,000 calls take no more than the limit" loops
else
    skip "mcs compiles while all of its methods are captured" "no Mono with mcs.exe"
fi

# ---- CoreCLR ------------------------------------------------------------------------------------------------------------

if ! can dotnet || ! compiled csc walker.dll -unsafe -optimize "$ROOT"/tests/foreign/walker/*.cs; then
    skip "libraries are captured under CoreCLR" "no .NET SDK"
    finish
fi
framework=$(dotnet --list-runtimes | sed -n 's/^Microsoft\.NETCore\.App \([^ ]*\) \[\(.*\)\]$/\2\/\1/p' | tail -n 1)
# A call for a type that turns out to be a ref struct stands in a method of its own, which nothing enters.
prepares() { # ASSEMBLY
    "$ILINJECT" -q "$1" -o prepared/ --capture "$all" && dotnet walker.dll prepare "prepared/$(basename "$1")" >prepared.out 2>&1
    tail -n 1 prepared.out | grep -q ' prepared, .* faults$' && ! grep -v -e ' prepared, ' -e '<ilinject>::Void CallValue(' prepared.out
}
for name in System.Linq System.Text.Json System.Private.Xml; do
    check "$name compiles with all of its methods captured" prepares "$framework/$name.dll"
done
if ! packages=$("$ROOT/tests/nuget-fetch" Newtonsoft.Json/13.0.3); then
    skip "Newtonsoft.Json works while it is captured" "$packages"
    finish
fi
json=$packages/newtonsoft.json/13.0.3/lib/net6.0/Newtonsoft.Json.dll
mkdir json && cp "$json" json/ && compiled csc json/JsonCaptured.dll -r:json/Newtonsoft.Json.dll "$ROOT/fixtures/net/JsonCaptured.cs" || exit 1
run_program json dotnet json/JsonCaptured.dll
works() { # NAME RULE
    mkdir -p "$1" && cp json/JsonCaptured.* "$1/" && "$ILINJECT" -q json/Newtonsoft.Json.dll -o "$1/" --capture "$2" && LIMIT=300 run_program "$1" dotnet "$1/JsonCaptured.dll" && same_run json "$1" dotnet
}
check "Newtonsoft.Json deserialises a large document with JsonConvert captured" works convert 'Newtonsoft.Json.JsonConvert: args, return; bytes=16m'
convert_calls() {
    "$ILINJECT" report --calls --top=0 --width=0 said/convert.dotnet.ilprof >calls &&
        grep -q 'JsonConvert.DeserializeObject<T>(value: "{ \\*"Id\\*": 7, ' calls && grep -q 'JsonConvert.ToString(value: "item 20000") → "\\*"item 20000\\*""$' calls && return
    tail -n 5 calls
    return 1
}
check "its calls have the right arguments" convert_calls
check "and so it does with all of its methods captured" works whole "$all; every=100, depth=1"
finish
