#!/usr/bin/env bash
# level: full
# The test files that other readers of PE, zip and XML bring along, in the source packages of Debian, through all commands: each is understood or
# refused. READERS names the packages; what was fetched stays in build/tests/readers.
. "$(dirname "$0")/../lib.sh"
for tool in apt-get mcs python3 tar xz; do
    has $tool || { skip "test files of other readers are understood or refused" "$tool is not installed"; finish; }
done
store=$ROOT/build/tests/readers
mkdir -p "$store" "$SCRATCH/apt/parts" "$SCRATCH/apt/state/lists/partial" "$SCRATCH/apt/cache/archives/partial" "$SCRATCH/made"

# apt-get with a configuration of its own: nothing of the machine's changes.
apt() {
    apt-get -qq -o Dir::State="$SCRATCH/apt/state" -o Dir::State::status=/var/lib/dpkg/status -o Dir::Cache="$SCRATCH/apt/cache" -o Dir::Etc::sourcelist=/dev/null \
        -o Dir::Etc::sourceparts="$SCRATCH/apt/parts" -o APT::Sandbox::User=root -o Acquire::Retries=2 "$@"
}
fetched() { compgen -G "$store/$1/$1_*.orig.tar.*" >/dev/null; }
fetch() { # PACKAGE
    if fetched "$1"; then return; fi
    if [ ! -e "$SCRATCH/apt/updated" ]; then
        local file
        for file in /etc/apt/sources.list.d/*.sources; do [ -e "$file" ] && sed 's/^Types:.*/Types: deb-src/' "$file" >"$SCRATCH/apt/parts/${file##*/}"; done
        cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null | sed -n 's/^deb /deb-src /p' >"$SCRATCH/apt/parts/own.list"
        apt update && : >"$SCRATCH/apt/updated" || return
    fi
    mkdir -p "$store/$1" && (cd "$store/$1" && apt source --download-only --only-source "$1") && fetched "$1"
}
mcs -nologo -target:library -out:"$SCRATCH/T.dll" "$ROOT/fixtures/cs/TestClass.cs" || exit 1

# Files that are no text, all of the tests of binutils' own programs and of PE, and those that a reader of XML or zip is tested with.
chosen() { # PACKAGE
    case $1 in
    binutils)
        find "$1" -path '*testsuite*' -type f -size -1024k -size +0 | while IFS= read -r file; do
            case $file in
            */binutils/testsuite/* | */ld-pe/* | */gas/pe/*) echo "$file" ;;
            *) LC_ALL=C grep -q -a -P '\x00' "$file" && echo "$file" ;;
            esac
        done ;;
    mono*) find "$1" -type f -size -4096k -size +0 \( -name '*.dll' -o -name '*.exe' -o -name '*.netmodule' -o -name '*.zip' -o -name '*.nupkg' -o -name '*.snk' -o -name '*.pfx' -o -name '*.p12' -o -name '*.pdb' -o -name '*.mdb' -o -name '*.resources' -o -path '*/tests/*.xml' -o -path '*/Test/*.xml' -o -path '*/Test/*.config' \) ;;
    # Debian's package is without its folder of tests.
    libxml2) find "$1" -type f -size -1024k -size +0 \( -path '*/test/*' -o -path '*/fuzz/*' -o -name '*.xml' -o -name '*.html' -o -name '*.xsl' -o -name '*.xsd' -o -name '*.rng' -o -name '*.dtd' \) ;;
    *) find "$1" -type f -size -4096k -size +0 \( -name '*.zip' -o -name '*.zi*' -o -path '*regress*' -o -path '*test*' \) ;;
    esac
}
for package in ${READERS:-binutils libzip unzip libxml2 mono}; do
    if ! (fetch "$package" || fetch "$package") >"$SCRATCH/said" 2>&1; then
        skip "test files of $package are understood or refused" "its source can't be had: $(tail -n 1 "$SCRATCH/said" | cut -c 1-100)"
        continue
    fi
    (cd "$SCRATCH" && mkdir "$package" && for archive in "$store/$package/${package}"_*.orig*.tar.*; do [[ $archive == *.asc ]] || tar -xf "$archive" -C "$package"; done && chosen "$package" >"$package.names")
    through() { (cd "$SCRATCH" && "$ROOT/tests/foreign/readers.py" "$ILINJECT" T.dll made "$package.names") >"$SCRATCH/$package.said" || { grep -v '^lost' "$SCRATCH/$package.said"; grep -m 20 '^lost' "$SCRATCH/$package.said"; return 1; }; }
    check "$(wc -l <"$SCRATCH/$package.names") test files of $package are understood or refused" through
    sed 's/^/    /' "$SCRATCH/$package.said" | grep -v ' lost: '
    rm -rf "${SCRATCH:?}/$package"
done
finish
