#!/usr/bin/env bash
# The shown names of methods that compilers have named, by each compiler: of fixtures, all names,
# looked through by hand. `UPDATE=1 tests/golden/suite-names.sh` writes the expected ones again, for
# a review of the change.
. "$(dirname "$0")/../lib.sh"
golden=$ROOT/tests/golden/names
mkdir -p "$SCRATCH/out"

named_as_expected() { # name, compiled file
    "$ILINJECT" "$2" -o "$SCRATCH/out/" && "$BUILD/tests/shown_names" "$SCRATCH/out/$(basename "$2")" >"$SCRATCH/all" || return 1
    LC_ALL=C sort "$SCRATCH/all" >"$SCRATCH/$1.names"
    [ -z "${UPDATE:-}" ] || cp "$SCRATCH/$1.names" "$golden/"
    diff -u "$golden/$1.names" "$SCRATCH/$1.names"
}

if has mcs; then
    mcs -nologo -out:"$SCRATCH/mcs.exe" "$ROOT/fixtures/cs/Names.cs"
    check "names by mcs are as people write them" named_as_expected mcs "$SCRATCH/mcs.exe"
else
    skip "names by mcs are as people write them" "no mcs"
fi

by_sdk() { # name, compiler, source, options…
    local name=$1 compiler=$2 source=$3 file=$SCRATCH/${made:-$1}.dll out
    shift 3
    out=$("$ROOT/tests/dotnet-compile" "$compiler" "$file" "$@" "$ROOT/fixtures/$source" 2>&1)
    case $? in
    77) skip "names by $name are as people write them" "$out" ;;
    *) check "names by $name are as people write them" named_as_expected "$name" "$file" ;;
    esac
}
by_sdk csc csc cs/Names.cs -optimize+
by_sdk csc-newer csc cs/NewerNames.cs -optimize+
by_sdk vbc vbc vb/Shapes.vb
# As e2e/fixtures compiles it: once for both.
made=FsOptimized by_sdk fsc fsc fs/Shapes.fs --optimize+ --tailcalls+
finish
