#!/usr/bin/env bash
# README's recipe, word for word, on a small program. (Its first two commands: suite-full-fresh; `run`: tests/e2e/control;
# the commands of its table: suite-pages.)
. "$(dirname "$0")/../../lib.sh"
cd "$SCRATCH" || exit 1
unset NO_COLOR COLUMNS "${!ILINJECT_@}"

# The indented lines below the heading that starts so, as a script.
recipe() { awk -v heading="**$1" 'index($0, heading) == 1 { on = 1; next } on && /^    / { print substr($0, 5); seen = 1; next } seen { exit }' "$ROOT/README.md"; }
follow() { # heading folder expected method
    local script output
    script=$(recipe "$1")
    [ "$(wc -l <<<"$script")" -eq 3 ] || { echo "not three lines: $script"; return 1; }
    mkdir -p "$2/path" && ln -sf "$ILINJECT" "$2/path/ilinject"
    output=$(cd "$2" && PATH=$PWD/path:$PATH bash -e -c "$script" 2>&1) || { echo "$output"; return 1; }
    grep -q -x 42 <<<"$output" && grep -q -F "$3" <<<"$output" || { echo "$output"; return 1; }
}

mkdir app lib
cat >lib/Library.cs <<'CS'
namespace Some.Library
{
    public static class Calculator
    {
        public static int Twice(int x) { return Add(x, x); }
        static int Add(int a, int b) { return a + b; }
    }
}
CS
cat >app/App.cs <<'CS'
static class App
{
    static void Main() { System.Console.WriteLine(Compute()); }
    static int Compute() { return Some.Library.Calculator.Twice(21); }
}
CS

if has dotnet; then
    export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 DOTNET_CLI_HOME=$SCRATCH/home MSBUILDDISABLENODEREUSE=1 UseSharedCompilation=false
    version=$(dotnet --version | cut -d. -f1)
    project() { # name, more
        cat <<XML
<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><TargetFramework>net$version.0</TargetFramework><UseAppHost>false</UseAppHost>$1
<RestoreSources>$SCRATCH/empty</RestoreSources></PropertyGroup>$2</Project>
XML
    }
    mkdir empty
    project "" "" >lib/Some.Library.csproj
    project "<OutputType>Exe</OutputType>" '<ItemGroup><ProjectReference Include="../lib/Some.Library.csproj" /></ItemGroup>' >app/app.csproj
    if dotnet build app -o own/bin -v quiet >log 2>&1; then
        mkdir given && cp own/bin/app.dll given
        check "the recipe for one's own .NET app works as written" follow "Your own .NET app" own "App.Compute()"
        check "it leaves the app itself as it was" cmp own/bin/app.dll given/app.dll
        # Its first block, as a page of the sample: other words or counts than those are a fault.
        # shellcheck disable=SC2016
        printf '%s\n' '<!-- before: cp "$EXAMPLES/Shop.cs" "$EXAMPLES/Shop.csproj" . && dotnet build -c Release -o bin -v quiet &&' \
            'ilinject -q bin -o out && dotnet out/Shop.dll -->' '    $ ilinject report' "$(awk '/^    /{ on = 1 } on && /^[^ ]/ { exit } on' "$ROOT/README.md")" '    …' >page.md
        shows() { env SCRATCH="$SCRATCH" ILINJECT="$ILINJECT" "$ROOT/tests/pages" page.md; }
        if [ "$version" = 10 ]; then check "README shows what the report of the sample says" shows; else skip "README shows what the report of the sample says" "the sample is for .NET 10"; fi
    else
        cat log
        skip "the recipe for .NET works as written" "dotnet cannot build here"
    fi
else
    skip "the recipe for .NET works as written" "dotnet is not installed"
fi
finish
