#!/usr/bin/env bash
# level: full
# Calls with their values in programs of others' making: whole libraries captured run and compile as before, and what is kept stays bounded
# however many calls there are.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
cd "$SCRATCH" || exit 1
unset "${!ILINJECT_@}"
all='**: args, return, this, exception'

# ---- However many calls ---------------------------------------------------------------------------------------------------

# Objects that are alive after a million calls and after ten; the profile holds the newest ones, and
# no more than the limit.
cat >Many.cs <<'END'
static class Many
{
    static int Work(int i, string text, int[] numbers) { return i + text.Length + numbers.Length; }
    static void Main()
    {
        long sum = 0, alive = 0;
        int[] numbers = new int[3];
        for (int i = 0; i < 10000000; i++)
        {
            if (i == 1000000) alive = System.GC.GetTotalMemory(true);
            sum += Work(i, "text", numbers);
        }
        long grown = System.GC.GetTotalMemory(true) - alive;
        System.Console.WriteLine(grown < 1 << 20 ? "bounded" : "grown by " + grown + " bytes");
        System.Console.WriteLine(sum);
    }
}
END
loops() { # RUNTIME
    LIMIT=600 run_program many "$1" many/Many.exe && grep -qx bounded said/many."$1".out && [ "$(stat -c %s said/many."$1".ilprof)" -lt 80000 ] &&
        "$ILINJECT" report --calls --top=0 --width=0 said/many."$1".ilprof | grep -q 'Many.Work(i: 9999999, text: "text", numbers: int\[3\] { 0, 0, 0 }) → 10000006$' && return
    cat said/many."$1".out said/many."$1".err
    return 1
}
if has mcs && mcs -nologo -out:Many.exe Many.cs && "$ILINJECT" -q Many.exe -o many/ --capture 'Many.Work: args, return; bytes=64k'; then
    for runtime in mono dotnet; do
        [ "$runtime" != dotnet ] || ! can dotnet || runtimeconfig many/Many.exe
        if can "$runtime"; then check "10,000,000 calls take no more than the limit under $runtime" loops "$runtime"; else skip "10,000,000 calls take no more than the limit under $runtime" "$runtime is not there"; fi
    done
else
    skip "10,000,000 calls take no more than the limit" "no mcs"
fi

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

# ---- Published: trimmed, and compiled ahead of time -----------------------------------------------------------------------

# suite-capture.sh's fixture, published into NAME/out; 77 when a package cannot be had.
publish() { # NAME FRAMEWORK OPTIONS…
    local name=$1 framework=$2 folder
    shift 2
    mkdir -p "$name" "$name-other" && cp "$ROOT/fixtures/cs/Captured.cs" "$name/" && cp "$ROOT/fixtures/cs/CapturedOther.cs" "$name-other/" && cp "$BUILD/ProfileInfoTracker.dll" .
    for folder in "$name" "$name-other"; do
        cat >"$folder/Directory.Build.props" <<END
<Project><PropertyGroup><TargetFramework>$framework</TargetFramework><RestorePackagesPath>$BUILD/tests/published</RestorePackagesPath><InvariantGlobalization>true</InvariantGlobalization>
<AllowUnsafeBlocks>true</AllowUnsafeBlocks><LangVersion>latest</LangVersion></PropertyGroup></Project>
END
    done
    echo '<Project Sdk="Microsoft.NET.Sdk" />' >"$name-other/Other.csproj"
    cat >"$name/Captured.csproj" <<END
<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><OutputType>Exe</OutputType></PropertyGroup>
  <ItemGroup><Reference Include="ProfileInfoTracker"><HintPath>$SCRATCH/ProfileInfoTracker.dll</HintPath></Reference><ProjectReference Include="../$name-other/Other.csproj" /></ItemGroup>
  <Target Name="Ilinject" AfterTargets="CoreCompile">
    <Exec Command="&quot;$ILINJECT&quot; &quot;@(IntermediateAssembly->'%(FullPath)')&quot; --in-place --quiet --capture 'Captured: args, return, exception' --capture 'Person: args, return, this' --capture 'Point: args, return, this' --capture 'Box*: args, return, this' --capture 'Captured.Later: args' --capture 'Captured.Numbers: args' --capture 'Slice: args, return, this'" />
  </Target>
</Project>
END
    (cd "$name" && timeout 600 dotnet publish -c Release -r linux-x64 -o out --disable-build-servers -p:UseSharedCompilation=false "$@" >log.txt 2>&1) && return
    if grep -q -E 'NU1101|NU1102|NU1301|NU1801|unable to load the service index' "$name/log.txt"; then return 77; fi
    grep -E 'error|Unhandled' "$name/log.txt" | sort -u | head -n 10 | cut -c 1-300
    return 1
}
published_calls() { # NAME WARNINGS…
    local name=$1
    shift
    (cd "$name/out" && timeout 60 ./Captured >../said.txt 2>../errors.txt) && [ "$(cat "$name/said.txt")" = 72 ] && [ ! -s "$name/errors.txt" ] || { cat "$name"/*.txt | tail -n 20; return 1; }
    "$ILINJECT" report --calls --top=0 --width=0 "$name/out/Captured.ilprof" |
        sed -E '0,/Calls with their values$/d; /^ {8,}(at|←) /d; s/^ *[^ ]+ +[^ ]+ +[^ ]+ +[^ ]+ +([0-9.,]+ (ns|µs|ms|s) +)?[0-9,]+  //' >"$name.calls"
    diff <(grep -o 'warning IL[0-9]*' "$name/log.txt" | sort -u | sed 's/.* //') <(printf '%s\n' "$@")
}
expected() { sed 's/^core: //' "$ROOT/fixtures/cs/Captured.calls"; }
as_ever() { published_calls trimmed IL2091 && diff <(expected) trimmed.calls; }
# Each call is there, in its order; values of the kinds that the documentation names are as ever.
as_told() {
    published_calls ahead IL2091 && diff <(expected | sed 's/[( ].*//') <(sed 's/[( ].*//' ahead.calls) || return
    ! grep -E 'hunter2|Bearer' ahead.calls || return
    local method
    for method in Integers Reals Others.yes..true Enums Structs Known Arrays 'Generic<T>.value..Point' Pick Pointers Secrets Spans Cut; do
        diff <(expected | grep "^Captured\.$method") <(grep "^Captured\.$method" ahead.calls) || return
    done
    diff <(expected | grep '^Point') <(grep '^Point' ahead.calls) &&
        grep -q '^Captured.Collections(list: List<string>(2) { "a", "b" }, map: Dictionary<string, int>(2) { "one" = 1, "password" = \*\*\* }' ahead.calls &&
        grep -q 'person: Person { Name = "Ann", Age = 30, .* password = \*\*\*, Height = 1.7 }' ahead.calls && grep -q ' this: {Box<string>}$' ahead.calls &&
        grep -q '^Captured.Fails(code: 3) threw Failure: it failed ← ArgumentException: the cause$' ahead.calls
}
way() { # SENTENCE CHECK NAME FRAMEWORK OPTIONS…
    local sentence=$1 check=$2 said
    shift 2
    said=$(publish "$@" 2>&1)
    case $? in
    0) check "$sentence" "$check" ;;
    77) skip "$sentence" "the package feed has not all of it: $(grep -o -E -m 1 'Unable to find package [^ ]*|NU[0-9]*' "$1/log.txt" | head -n 1)" ;;
    *) check "$sentence" eval "echo '${said//\'/}'; false" ;;
    esac
}
if [ -z "$(dotnet --list-sdks)" ]; then
    skip "published programs' calls are seen" "no .NET SDK"
else
    export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1
    way "the calls of a program that is trimmed as far as can be are seen as ever" as_ever trimmed net10.0 --self-contained -p:PublishTrimmed=true -p:TrimMode=full
    way "those of one that NativeAOT compiled as static types tell" as_told ahead net9.0 -p:PublishAot=true
fi

# ---- Newtonsoft.Json ------------------------------------------------------------------------------------------------------

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
