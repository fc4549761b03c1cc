#!/usr/bin/env bash
# The lines of README and docs that install the program, as they are written, from the folder that they name: they give the file
# that was made, not one of that name from elsewhere. The packages are stubs (e2e/full-release and e2e/full-wasi install the real ones).
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!npm_@} ${!NUGET_@}
export HOME=$SCRATCH/home DOTNET_CLI_HOME=$SCRATCH/home NUGET_PACKAGES=$SCRATCH/nuget DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1
version=$("$ILINJECT" --version | cut -d ' ' -f 2)
mkdir -p home top/build/release top/bin

# WORD…: the lines that begin with one of them, in blocks and in the text, each with its file before it.
lines() {
    local IFS='|'
    (cd "$ROOT" && grep -r -o -E "(^    |\`)($*) [^\`]*ilinject[^\`]*" README.md docs --include='*.md') | sed -E 's/:( {4}|`)/:/' | sort -u
}
# COMMAND ARGUMENT…: runs COMMAND for each line on standard input, which is its last argument.
each() {
    local line status=0 some=
    while IFS= read -r line; do
        some=1
        "$@" "${line#*:}" </dev/null >line.log 2>&1 || { echo "$line"; cat line.log; status=1; }
    done
    [ "$some" ] || { echo "there is no such line"; return 1; }
    return $status
}

# ---- npm ---------------------------------------------------------------------------------------------------------------

# Every line, for one that is run alone is only as good as its neighbours: build/NAME.tgz is npm's short form of a repository
# build/NAME.tgz on GitHub, and its owner's code runs.
no_short_form() { ! (cd "$ROOT" && grep -r -n -E '(npm|npx) .*[ =:"]([A-Za-z0-9_][^ /:"$]*/)+[^ /"]*\.tgz' README.md CONTRIBUTING.md docs src Makefile .ci .github .gitlab-ci.yml tests --exclude-dir=vendor --exclude-dir=corpus -I |
    grep -v '^tests/.*make'); }
check "no line hands npm a path that is a repository's short form" no_short_form
if has node && has npm; then
    mkdir package && sed "s/@VERSION@/$version/" "$ROOT/src/npm/package.json" >package/package.json && printf '#!/usr/bin/env node\nconsole.log("ours", ...process.argv.slice(2));\n' >package/ilinject.js
    for file in top/build top/build/release; do tar -czf "$file/ilinject-$version.tgz" package; done
    # A forge is asked by git.
    mkdir git && printf '#!/bin/sh\necho "$*" >>"%s/asked"\nexit 1\n' "$SCRATCH" >git/git && chmod +x git/git && PATH=$SCRATCH/git:$PATH
    export npm_config_offline=true npm_config_update_notifier=false npm_config_audit=false npm_config_fund=false npm_config_cache=$SCRATCH/npm npm_config_prefix=$SCRATCH/prefix
    installs() { rm -rf prefix && (cd top && eval "timeout 100 $1") && [ "$(prefix/bin/ilinject a b)" = "ours a b" ]; }
    check "each line with npm installs the file that it names" eval 'lines "npm install" | each installs'
    runs() { (cd top && eval "timeout 100 $1") | grep -x 'ours bin -o out'; }
    check "each line with npx runs the file that it names" eval 'lines npx | each runs'
    check "none of them asks a forge" test ! -e asked
    file=ilinject-$version.tgz
    short() { (cd top && ! timeout 100 npm install --global "build/$file" >/dev/null 2>&1) && grep "github.com/build/$file" asked; }
    check "… where the path alone is asked of a forge" short
else
    skip "the lines with npm and npx install the files that they name" "no node or npm"
fi

# ---- .NET --------------------------------------------------------------------------------------------------------------

# A stranger has a newer package of each name in a feed that the machine is set up with.
tool() { # FOLDER ID VERSION WORD
    rm -rf tool && mkdir -p tool/tools/net8.0/any && cp "stub.$4/stub.dll" stub.runtimeconfig.json tool/tools/net8.0/any/ &&
        echo '<DotNetCliTool Version="1"><Commands><Command Name="ilinject" EntryPoint="stub.dll" Runner="dotnet"/></Commands></DotNetCliTool>' >tool/tools/net8.0/any/DotnetToolSettings.xml &&
        cat >"tool/$2.nuspec" <<XML && "$ROOT/src/packaging/nupkg" tool "$1/$2.$3.nupkg"
<package xmlns="http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd"><metadata><id>$2</id><version>$3</version><authors>a</authors><description>d</description><packageTypes><packageType name="DotnetTool"/></packageTypes></metadata></package>
XML
}
no_added_source() { ! (cd "$ROOT" && grep -r -n -e --add-source README.md docs src --exclude-dir=vendor -I | grep -v 'would'); }
check "no line adds our feed to those of the machine" no_added_source
stubs() {
    local word
    for word in ours theirs; do
        mkdir "stub.$word" && echo "System.Console.WriteLine(\"$word \" + string.Join(\" \", args));" >stub.cs && "$ROOT/tests/dotnet-csc" "stub.$word/stub.dll" stub.cs || return
    done
    cp stub.cs stub.dll && runtimeconfig stub.dll && rm stub.dll && mkdir theirs && printf '<configuration><packageSources><clear/><add key="theirs" value="%s"/></packageSources></configuration>\n' "$SCRATCH/theirs" >nuget.config &&
        for word in ilinject ilinject.any; do
            tool top/build $word "$version" ours && tool top/build/release $word "$version" ours && tool theirs $word 99.0.0 theirs || return
        done
}
if has dotnet && stubs >log 2>&1; then
    tools() { rm -rf home/.dotnet nuget && (cd top && eval "timeout 200 $1") && [ "$(home/.dotnet/tools/ilinject a b)" = "ours a b" ]; }
    check "each line with dotnet tool install installs what is in the folder that it names" eval 'lines "dotnet tool install" | each tools'
    if dotnet dnx --help >log 2>&1; then
        dnx() { dotnet dnx "$@"; }
        once() { rm -rf home/.dotnet nuget && (cd top && eval "$1") | grep -x 'ours bin -o out'; }
        check "each line with dnx runs what is in the folder that it names" eval 'lines dnx | each once'
    else
        skip "the lines with dnx run what is in the folder that they name" "this SDK has no dnx"
    fi
else
    cat log
    skip "the lines with dotnet install what is in the folder that they name" "no SDK"
fi

# ---- Debian ------------------------------------------------------------------------------------------------------------

# dpkg -i leaves a package without what it needs, and apt takes a name without a slash for one of the archive's.
with_dependencies() { (cd "$ROOT" && ! grep -r -n -E 'dpkg -i' README.md CONTRIBUTING.md docs src --exclude-dir=vendor -I && ! grep -r -n -E 'apt(-get)? install .*[ ][^ ./]+[^ /]*\.deb' README.md CONTRIBUTING.md docs src --exclude-dir=vendor -I); }
check "no line installs a Debian package without what it needs" with_dependencies
if has apt-get && has dpkg-deb; then
    architecture=$(dpkg --print-architecture)
    mkdir -p deb/DEBIAN && printf 'Package: ilinject\nVersion: %s\nArchitecture: %s\nMaintainer: nobody <nobody@localhost>\nDescription: stub\n' "$version" "$architecture" >deb/DEBIAN/control &&
        dpkg-deb -b deb "top/build/ilinject_${version}_amd64.deb" >log 2>&1
    # As apt-get would do it, without doing it.
    mkdir path && printf '#!/bin/sh\nexec /usr/bin/apt-get -s "$@"\n' >path/apt-get && sed 's/-s/-s -q/' path/apt-get >path/apt && chmod +x path/*
    debs() { (cd top && PATH=$SCRATCH/path:$PATH && eval "$1") | grep "^Inst ilinject .*($version"; }
    check "each line with apt installs the package that it names" eval 'lines "apt install" "apt-get install" | each debs'
else
    skip "the lines with apt install the package that they name" "no apt or dpkg-deb"
fi
finish
