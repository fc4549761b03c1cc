#!/usr/bin/env bash
# Assemblies with metadata as the standard or a runtime allows and no compiler makes it: instrumented, read back by
# System.Reflection.Metadata, run where they load as they were.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/e2e/lib/sh/ladder.sh"
has mcs || { skip "odd metadata is kept" "no mcs"; finish; }
before=$SCRATCH/before after=$SCRATCH/after
mcs -nologo -out:"$SCRATCH/Kept.exe" "$ROOT/fixtures/cs/Kept.cs" && mcs -nologo -out:"$SCRATCH/TestClass.exe" "$ROOT/fixtures/cs/TestClass.cs" || exit 1
walker=
if can dotnet && "$ROOT/tests/dotnet-csc" "$SCRATCH/walker.dll" -unsafe -optimize "$ROOT"/tests/foreign/walker/*.cs; then walker=$SCRATCH/walker.dll; fi

# The variant does what the program did (a runtime that refuses it proves nothing), and instrumented the same.
runs_as_before() { # VARIANT RUNTIME PROGRAM
    run_program "$3" "$2" "$SCRATCH/$3.exe"
    run_program "$1" "$2" "$before/$1.exe"
    run_program "$1-after" "$2" "$after/$1.exe"
    if [ "$1" = streams ]; then sed -i '/^Unknown heap type: #Unknown$/,+1d' "$SCRATCH/said/$1"*.mono.out; fi # Mono says so
    # Mono reads members through pointers in its own way; what it made of the original has to stay.
    case $1,$2 in pointers,mono) ;; *) same_run "$3" "$1" "$2" || return 1 ;; esac
    same_run "$1" "$1-after" "$2" && profile_agrees "$SCRATCH/said/$1-after.$2.ilprof"
}
# odd VARIANT PROGRAM RUNTIMES: those that load it
odd() {
    local variant=$1 runtime
    "$BUILD/tests/odd_metadata" "$variant" "$SCRATCH/$2.exe" "$before/$variant.exe" || exit 1
    if can dotnet; then
        runtimeconfig "$before/$variant.exe"
        cp "$before/$variant.runtimeconfig.json" "$after"
        cp "$before/$variant.runtimeconfig.json" "$SCRATCH/$2.runtimeconfig.json"
    fi
    check "metadata with odd $variant is instrumented" "$ILINJECT" "$before/$variant.exe" -o "$after/$variant.exe"
    check "and is read back" "$ILINJECT" list "$after/$variant.exe"
    if [ "$walker" ]; then check "it differs only where planned" dotnet "$walker" compare "$before/$variant.exe" "$after/$variant.exe"; fi
    for runtime in $3; do
        if can "$runtime"; then
            check "it runs as before under $runtime" runs_as_before "$variant" "$runtime" "$2"
        else
            skip "odd $variant runs as before under $runtime" "$runtime is not there"
        fi
    done
}
odd pointers TestClass "mono dotnet"
if [ "$walker" ]; then check "each kind of damage to it is seen" dotnet "$walker" prove "$before/pointers.exe" "$after/pointers.exe"; fi
odd extra Kept dotnet # Mono stops at the flag
odd edited Kept dotnet # and at these tables
odd unsorted TestClass "mono dotnet"
odd twice TestClass "mono dotnet"
for variant in strings blobs guids typerefs memberrefs typedefs assemblyrefs signatures text streams; do
    odd "$variant" Kept "mono dotnet"
done

# The names that a (string) tracker gets would not fit: said before anything is written.
mcs -nologo -target:library -nowarn:169,414 -define:NAME -out:"$SCRATCH/Names.dll" "$ROOT/fixtures/cs/ShapedTracker.cs" || exit 1
too_much_text() {
    mkdir -p "$SCRATCH/none"
    ! "$ILINJECT" "$before/text.exe" -o "$SCRATCH/none/text.exe" --tracker "$SCRATCH/Names.dll" 2>"$SCRATCH/err" || return 1
    grep -q 'would grow past what its indexes can name' "$SCRATCH/err" && [ -z "$(ls -A "$SCRATCH/none")" ] || { cat "$SCRATCH/err"; ls -A "$SCRATCH/none"; return 1; }
}
check "names past 16 MiB of #US are refused before anything is written" too_much_text
# After the one local that it counts, a signature names one more type, which no runtime reads.
cat >"$SCRATCH/longer.cs" <<'END'
static class Longer
{
    static decimal Half(decimal of) { string said = "half of"; for (; of > 100; of /= 2) System.Console.WriteLine(said); return of; }
    static int Main() { System.Console.WriteLine(Half(900)); return 0; }
}
END
longer() { # it runs as before with what stands there
    mcs -nologo -optimize- -out:"$SCRATCH/Longer.exe" "$SCRATCH/longer.cs" && "$ILINJECT" dump --tables "$SCRATCH/Longer.exe" | grep -q 'Signature=\[07 01 0e\]' || return 1
    # 07 01 0e, with its length before it, is all of a blob; the byte after it is the next one's length.
    python3 - "$SCRATCH/Longer.exe" "$before/longer.exe" <<'PY' || return 1
import sys
data = open(sys.argv[1], "rb").read()
blob = b"\x03\x07\x01\x0e"
assert data.count(blob) == 1
at = data.index(blob)
length = data[at + 4]
# The local's signature takes the length byte of the blob after it for a type: 4 bytes instead of 3.
open(sys.argv[2], "wb").write(data[:at] + b"\x04" + data[at + 1:])
print("then", length)
PY
    "$ILINJECT" -q "$before/longer.exe" -o "$after/longer.exe" || return 1
    for runtime in mono dotnet; do
        can "$runtime" || continue
        runtimeconfig "$before/longer.exe" && cp "$before/longer.runtimeconfig.json" "$after"
        cp "$before/longer.runtimeconfig.json" "$SCRATCH/Longer.runtimeconfig.json"
        runs_as_before longer "$runtime" Longer || return 1
    done
}
if has python3; then
    check "what stands behind the last type of a signature of locals does not become a local's" longer
else
    skip "what stands behind the last type of a signature of locals does not become a local's" "no python3"
fi
stream_kept() { "$ILINJECT" dump "$after/streams.exe" | grep -q '#Unknown' && grep -q 'what nobody knows' "$after/streams.exe"; }
check "a stream that nobody knows is kept" stream_kept
finish
