#!/usr/bin/env bash
# The cost of instrumenting in a build: the package's hook beside Fody's with a weaver that puts in
# the same two calls (tests/bench/fody), and AspectInjector's with an aspect that times them.
#   tests/bench/build.sh [--build DIR] [--runs N] [--methods N]
# One project of N methods (3,000), once for each. In turns, N times (5), each is edited and built, then built again with nothing to do. Least
# times in ms: the whole build; of it, what MSBuild spent in the hook's own targets; the same of a build that finds nothing to do. The
# ratios are to ILInject's. Exits 77 without the SDK, 1 when something is not built.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=build runs=5 methods=3000
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2; shift 2 ;;
    --runs) runs=$2; shift 2 ;;
    --methods) methods=$2; shift 2 ;;
    *) echo "usage: tests/bench/build.sh [--build DIR] [--runs N] [--methods N]" >&2; exit 2 ;;
    esac
done
export ROOT=$PWD BUILD=$PWD/$build
ILINJECT=$BUILD/ilinject
. tests/e2e/lib/sh/package.sh
. tests/bench/raw.sh
raw_begin build "tests/bench/build.sh --runs $runs"
has() { command -v "$1" >/dev/null; }
has dotnet && [ -n "$(dotnet --list-sdks 2>/dev/null)" ] || { echo "skipped: what a hook costs a build: no .NET SDK"; exit 77; }
if missing=$(package_missing); then echo "skipped: what a hook costs a build: $missing"; exit 77; fi
make_package || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_SKIP_FIRST_TIME_EXPERIENCE=1 MSBUILDDISABLENODEREUSE=1
export NUGET_PACKAGES=$BUILD/tests/packages-bench
mkdir -p "$work/feed" "$NUGET_PACKAGES" && rm -rf "$NUGET_PACKAGES/ilinject.msbuild" && cp "$package" "$work/feed" || exit 1
framework=net$(dotnet --version | cut -d . -f 1).0

# Ten methods a class: arithmetic, a loop, two returns, a guarded call, an iterator.
sources() {
    awk -v classes=$((methods / 10)) 'BEGIN {
        for (c = 0; c < classes; c++) {
            printf "public class C%d {\n    private int sum;\n", c
            for (m = 0; m < 10; m++) {
                if (m % 5 == 0) printf "    public int M%d(int x) { return x * %d + sum; }\n", m, c + m
                if (m % 5 == 1) printf "    public int M%d(int x) { for (int i = 0; i < x; i++) sum += i ^ %d; return sum; }\n", m, c
                if (m % 5 == 2) printf "    public string M%d(int x) { if (x > %d) return \"large\"; sum++; return x.ToString(); }\n", m, c
                if (m % 5 == 3) printf "    public int M%d(string x) { try { return int.Parse(x); } catch (System.FormatException) { return %d; } finally { sum++; } }\n", m, c
                if (m % 5 == 4) printf "    public void M%d() { M%d(M%d(sum)); }\n", m, m - 4, m - 3
            }
            print "}"
        }
    }'
}
# project NAME ITEMS: the same sources with one hook
project() {
    mkdir -p "$work/$1" && sources >"$work/$1/Classes.cs" || exit 1
    echo 'public static class App { public static void Main() { System.Console.WriteLine(new C0().M1(5) + 0); } }' >"$work/$1/App.cs"
    cat >"$work/$1/$1.csproj" <<XML
<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType><TargetFramework>$framework</TargetFramework><UseAppHost>false</UseAppHost>
<RestoreAdditionalProjectSources>$work/feed</RestoreAdditionalProjectSources></PropertyGroup><ItemGroup>$2</ItemGroup></Project>
XML
}
variants= left_out=
restored() { # NAME
    local try
    for try in 1 2 3; do
        if dotnet restore "$work/$1" -v q --disable-build-servers >"$work/log" 2>&1; then variants+=" $1"; return; fi
    done
    raw_missing "$1" "$(grep -o -m 1 'NU[0-9]*: .*' "$work/log" | cut -c 1-100)"
    left_out+="$1: $(grep -o -m 1 'NU[0-9]*: .*' "$work/log" | cut -c 1-100)"$'\n'
    return 1
}
project Plain "" && restored Plain || { cat "$work/log"; exit 1; }
project ByILInject "<PackageReference Include=\"ILInject.MSBuild\" Version=\"$version\" />" && restored ByILInject
project ByFody "<PackageReference Include=\"Fody\" Version=\"[6.9.3]\" /><WeaverFiles Include=\"$work/weaver/Timed.Fody.dll\" />"
cp tests/bench/fody/Timed.cs "$work/ByFody" && echo '<Weavers><Timed /></Weavers>' >"$work/ByFody/FodyWeavers.xml" && mkdir "$work/source" && cp tests/bench/fody/{ModuleWeaver.cs,Timed.Fody.csproj} "$work/source"
if ! dotnet build "$work/source" -c Release -v q --disable-build-servers -p:UseSharedCompilation=false -o "$work/weaver" >"$work/log" 2>&1; then
    raw_missing Fody "no weaver"
    left_out+="Fody: no weaver: $(grep -o -m 1 'error .*' "$work/log" | cut -c 1-100)"$'\n'
else
    restored ByFody
fi
project ByAspectInjector '<PackageReference Include="AspectInjector" Version="[2.7.3]" />' && cp tests/bench/ProbeAspect.cs "$work/ByAspectInjector" && restored ByAspectInjector

# builds NAME LABEL: a line of NAME LABEL, the whole and the hook's own targets
builds() {
    local start=$EPOCHREALTIME end
    dotnet build "$work/$1" -c Release -v q --no-restore --disable-build-servers -p:UseSharedCompilation=false -p:ILInjectEnabled=true \
        '-clp:PerformanceSummary;Verbosity=quiet' >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
    end=$EPOCHREALTIME
    awk -v name="$1" -v label="$2" -v whole=$(((${end/./} - ${start/./}) / 1000)) '
        /Target Performance Summary/ { targets = 1 } /Task Performance Summary/ { targets = 0 }
        targets && $2 == "ms" && $3 ~ /ILInject|Fody|[Ii]njectAspect|AspectInjector/ { own += $1 }
        END { print name, label, whole, own + 0 }' "$work/log"
}
for ((run = 0; run < runs; run++)); do
    for name in $variants; do
        sed -i "s/(5)[^)]*)/(5) + $run)/" "$work/$name/App.cs"
        builds "$name" edited || exit 1
        builds "$name" same || exit 1
    done
done >"$work/figures"
awk -v OFS='\t' '{ print $2, $1, "whole", $3; if ($1 != "Plain") print $2, $1, "own", $4 }' "$work/figures" | raw_lines
for name in $variants; do
    [ "$name" = Plain ] && continue
    out=$work/$name/bin/Release/$framework/$name.dll
    [ "$(stat -c %s "$out")" -gt "$(stat -c %s "$work/Plain/bin/Release/$framework/Plain.dll")" ] || { echo "$name has woven nothing" >&2; exit 1; }
done

echo "on $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) processors; SDK $(dotnet --version), $("$ILINJECT" --version)"
echo "a project of $methods methods, least of $runs builds, in ms"
printf '%-16s %8s %12s %7s %10s %12s\n' '' build 'own targets' ratio 'no change' 'own targets'
awk -v order="$variants" '
    function low(key, value) { if (!(key in least) || value < least[key]) least[key] = value }
    { low($1 $2, $3); low($1 $2 "own", $4) }
    END {
        n = split(order, names, " ")
        for (i = 1; i <= n; i++) {
            name = names[i]
            ratio = name == "Plain" || !least["ByILInjecteditedown"] ? "" : sprintf("%.2f", least[name "editedown"] / least["ByILInjecteditedown"])
            printf "%-16s %8d %12d %7s %10d %12d\n", substr(name, name ~ /^By/ ? 3 : 1), least[name "edited"], least[name "editedown"], ratio, least[name "same"], least[name "sameown"]
        }
    }' "$work/figures"
printf '%s' "$left_out" | sed 's/^/left out: /'
