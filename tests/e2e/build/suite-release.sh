#!/usr/bin/env bash
# `make release` says first whether the tree is of the version that is asked for, and names each place that is not.
# (The release itself: e2e/full-release.)
. "$(dirname "$0")/../../lib.sh"
cd "$SCRATCH" || exit 1
unset MAKEFLAGS MAKELEVEL
version=$("$ILINJECT" --version | cut -d ' ' -f 2)
released() { make -s -C "$ROOT" release BUILD="$SCRATCH/none" "$@" >out 2>err; } # into a folder that stays away
lines() { [ "$(grep -c '^release: ' err)" -eq "$1" ]; }
check "another version than the change log's is refused in one line" eval '! released VERSION=9.9.9 && lines 1 && grep -q "^release: CHANGELOG.md.s first heading is of version $version, not 9.9.9$" err && [ ! -e none ]'
check "so is none" eval '! released && lines 1 && grep -q "say which version it is: make release VERSION=$version$" err'
check "a VERSION of the environment is none" eval '! VERSION=9.9.9 released && grep -q "say which version" err'
check "no other rule takes a version that it is told" eval '[ "$(make -s -C "$ROOT" -p -n nothing VERSION=9.9.9 2>/dev/null | sed -n "s/^VERSION := //p")" = "$version" ]'

# A machine with little more than a shell.
mkdir bare && for tool in bash sh env dirname uname make sed awk grep cat tr ls find sort head cut id mkdir rm; do ln -s "$(command -v $tool)" "bare/$tool"; done
lacking() {
    PATH=$SCRATCH/bare "$ROOT/src/packaging/pack" tools 2>err && return 1
    for tool in 'dpkg-deb (dpkg)' 'rpmbuild (rpm)' 'zip (zip)' 'musl-gcc (musl-tools)' 'x86_64-w64-mingw32-gcc (gcc-mingw-w64-x86-64)' 'clang for WebAssembly'; do
        grep -q -F -- "$tool" err || { echo "$tool"; cat err; return 1; }
    done
    [ "$(wc -l <err)" -eq 1 ]
}
check "all that a release lacks is named at once" lacking
check "where there is no compiler yet, make says nothing of it before it has one installed" eval '! PATH=$SCRATCH/bare make -n -C "$ROOT" demo BUILD="$SCRATCH/none" 2>&1 | grep "No such file"'

# A copy of the files that name it, with one of them off.
mkdir -p whole/{src,include,runtime-tracker/Host} && cp -r "$ROOT"/src/packaging whole/src/ && cp -r "$ROOT"/{docs,CHANGELOG.md} whole/ &&
    cp "$ROOT"/include/ilinject.h whole/include/ && cp "$ROOT"/runtime-tracker/Host/AssemblyFacts.cs whole/runtime-tracker/Host/ || exit 1
agrees() { tree/src/packaging/agree tree "$version" 2>err; }
fresh() { rm -rf tree && cp -r whole tree; }
fresh
check "the tree agrees with itself" agrees
off() { # FILE SED [HOW OFTEN]
    fresh && sed -i "$2" "tree/$1" && ! cmp -s "tree/$1" "whole/$1" && ! agrees && lines "${3:-1}" &&
        grep -q "^release: $1 says 7.7.7, not $version$" err || { cat err; return 1; }
}
check "the header is named when it is off" off include/ilinject.h 's/ILJ_VERSION ".*"/ILJ_VERSION "7.7.7"/'
check "the manual page is" off docs/ilinject.1 "s/$version\\./7.7.7./"
check "the tracker is" off runtime-tracker/Host/AssemblyFacts.cs "s/\"$version\"/\"7.7.7\"/"
check "the page about MSBuild is, each place" off docs/msbuild.md "s/$version/7.7.7/" 2
check "the page about NativeAOT is" off docs/tasks/nativeaot.md "s/$version/7.7.7/"
check "a manual without a version is" eval 'fresh && sed -i "/this page describes/d" tree/docs/ilinject.1 && ! agrees && grep -q "docs/ilinject.1 says no version" err'
check "what is not released yet is said, and refused no more than that" eval \
    'fresh && sed -i "s/^## $version.*/## $version, not released yet/" tree/CHANGELOG.md && agrees >out && grep -q "not released yet" out && sed -i "s/, not released yet/, 2027-01-01/" tree/CHANGELOG.md && agrees >out && [ ! -s out ]'

# The list refuses a file that it knows nothing of, instead of leaving its libraries out.
if has python3; then
    check "a file of which nobody said what is in it is refused by name" eval \
        'mkdir odd && : >odd/ilinject.whl && ! "$ROOT/src/packaging/spdx" "$version" 0 "$SCRATCH/odd" >out 2>err && lines 1 && grep -q "which programs are in ilinject.whl" err'
else
    skip "a file of which nobody said what is in it is refused by name" "no python3"
fi
finish
