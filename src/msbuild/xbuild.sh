#!/bin/sh
# Does for Mono's xbuild what ILInject.MSBuild.Weave.targets does:
#   xbuild.sh ASKED
# The file ASKED has a line NAME=VALUE for each of enabled, assembly, folder, optimize, tool, config, tracker, and one
# argument=VALUE for each argument of the program. Instruments the assembly, in obj, in place; the folder keeps the
# compiler's own output (compiled), what was made of it (woven), and the stamp: what it was made with. Comparing the
# assembly with these two shows which step made it. Messages are left in FOLDER/said; diagnostics go to stderr.
set -eu
asked=$1
has() { sed -n "s/^$1=//p" "$asked"; }
enabled=$(has enabled) assembly=$(has assembly) folder=$(has folder) optimize=$(has optimize)
tool=$(has tool) config=$(has config) tracker=$(has tracker)
name=${assembly##*/}
compiled=$folder/compiled/$name woven=$folder/woven/$name stamp=$folder/$name.stamp
symbols="mdb pdb"

# beside FILE KIND: its symbols, x.dll.mdb or x.pdb
beside() {
    case $2 in
    mdb) echo "$1.mdb" ;;
    pdb) echo "${1%.*}.pdb" ;;
    esac
}
# places FROM TO: symbols first, since the assembly says that the copy is whole; by rename, so that it is there whole or not at all
places() {
    for kind in $symbols; do
        rm -f "$(beside "$2" $kind)"
        if [ -e "$(beside "$1" $kind)" ]; then cp -p "$(beside "$1" $kind)" "$(beside "$2" $kind)"; fi
    done
    cp "$1" "$2.new"
    mv "$2.new" "$2"
}

rm -f "$folder/said" "$folder/failed"
state=new
if cmp -s "$assembly" "$compiled"; then state=compiled; fi
if cmp -s "$assembly" "$woven"; then state=woven; fi

if [ "$enabled" != true ]; then
    if [ $state = woven ]; then places "$compiled" "$assembly"; fi
    rm -rf "$folder"
    exit
fi

mkdir -p "$folder/compiled" "$folder/woven"
if [ $state = new ]; then
    rm -f "$stamp"
    places "$assembly" "$compiled"
fi
{
    has tool
    has argument
    for input in "$tool" "$tracker" "$config"; do
        if [ "$input" ]; then cksum <"$input"; fi
    done
} >"$folder/options"
if [ ! -e "$stamp" ] || ! cmp -s "$folder/options" "$stamp"; then
    rm -f "$stamp"
    if [ $state = woven ]; then places "$compiled" "$assembly"; fi
    if [ "$optimize" != true ]; then
        echo "$name: warning ILJ2003: ILInject: $name is compiled without optimisation: its times are not those of a Release build." >&2
    fi
    rm -rf "$folder/woven"
    mkdir "$folder/woven"
    dotnet= # runs the WASI build
    case $tool in *.dll) dotnet=dotnet ;; esac
    if [ ! -x "$tool" ] && [ ! "$dotnet" ]; then
        cp "$tool" "$folder/ilinject"
        chmod u+x "$folder/ilinject"
        tool=$folder/ilinject
    fi
    has argument >"$folder/arguments"
    if ! $dotnet "$tool" --color=never "--output=$woven" "@$folder/arguments" -- "$compiled" >"$folder/summary"; then
        touch "$folder/failed" # xbuild says more of a command that fails than anybody wants to read
        exit
    fi
    sed -n "s/.*: \([0-9]* methods\{0,1\}\) instrumented, \([0-9]*\) left out.*, \([0-9.]* m\{0,1\}s\)\$/ILInject: $name \1, \2 left out, \3/p
            s/.*\(copied unchanged (.*)\).*/ILInject: $name \1/p" "$folder/summary" >"$folder/said"
    mv "$folder/options" "$stamp"
fi
if ! cmp -s "$assembly" "$woven"; then places "$woven" "$assembly"; fi
