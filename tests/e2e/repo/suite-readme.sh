#!/usr/bin/env bash
# README's recipes, word for word, on small programs. (Its first two commands: suite-full-fresh.)
. "$(dirname "$0")/../../lib.sh"
cd "$SCRATCH" || exit 1
unset NO_COLOR COLUMNS "${!ILINJECT_@}"

# The indented lines below the heading that starts so, as a script.
recipe() { awk -v heading="**$1" 'index($0, heading) == 1 { on = 1; next } on && /^    / { print substr($0, 5); seen = 1; next } seen { exit }' "$ROOT/README.md"; }
follow() { # heading folder expected method
    local script output
    script=$(recipe "$1")
    [ "$(wc -l <<<"$script")" -eq 3 ] || { echo "not three lines: $script"; return 1; }
    mkdir -p "$2/build" && ln -sf "$ILINJECT" "$2/build/ilinject"
    output=$(cd "$2" && bash -e -c "$script" 2>&1) || { echo "$output"; return 1; }
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

if has mcs && has mono; then
    mkdir mono
    mcs -nologo -target:library -out:mono/Some.Library.dll lib/Library.cs &&
        mcs -nologo -out:mono/app.exe -r:mono/Some.Library.dll app/App.cs || exit 1
    check "the recipe for Mono works as written" follow Mono mono "Some.Library.Calculator.Add(int, int)"
else
    skip "the recipe for Mono works as written" "mono is not installed"
fi

# Its first line goes on running, and says what ADDRESS is in the second one.
follow_post() { # folder expected method
    local script server
    script=$(recipe "Where no file")
    [ "$(wc -l <<<"$script")" -eq 3 ] || { echo "not three lines: $script"; return 1; }
    mkdir -p "$1/build" && ln -sf "$ILINJECT" "$1/build/ilinject" && cd "$1" || return
    : >served
    $(sed -n 1p <<<"$script") --listen 127.0.0.1:0 >served 2>&1 &
    server=$!
    within 100 grep -q 'post=http' served &&
        bash -e -c "$(sed -n 2p <<<"$script" | sed "s|ADDRESS|$(sed -n 's/.*post=//p' served)|")" &&
        within 100 eval 'mono out/app.dll >said && grep -q -x 42 said && ls profiles/*.ilprof' &&
        bash -e -c "$(sed -n 3p <<<"$script")" | grep -F "$2"
    local status=$?
    kill "$server" && wait "$server" && return $status
}
if ! has mcs || ! has mono; then
    skip "the recipe for profiles by HTTP works as written" "mono is not installed"
elif ! PATH=$PATH:/usr/sbin:/sbin ldconfig -p | grep -q 'libmicrohttpd\.so\.12 '; then
    skip "the recipe for profiles by HTTP works as written" "libmicrohttpd is not installed"
else
    mkdir post
    mcs -nologo -target:library -out:post/Some.Library.dll lib/Library.cs &&
        mcs -nologo -out:post/app.dll -r:post/Some.Library.dll app/App.cs && mkdir post/out && cp post/Some.Library.dll post/out/ || exit 1
    check "the recipe for profiles by HTTP works as written" follow_post post "App.Compute()"
fi

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
        mkdir -p given && cp -r own/bin/. given
        check "the recipe for one's own .NET app works as written" follow "Your own .NET app" own "App.Compute()"
        check "it leaves the app itself as it was" cmp own/bin/app.dll given/app.dll
        check "the recipe for a DLL without source works as written" follow "A DLL without source" given "Some.Library.Calculator.Add(int, int)"
    else
        cat log
        skip "the recipes for .NET work as written" "dotnet cannot build here"
    fi
else
    skip "the recipes for .NET work as written" "dotnet is not installed"
fi
finish
