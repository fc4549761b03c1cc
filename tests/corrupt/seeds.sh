# tests/corrupt/seeds.sh - sixty small assemblies, by all compilers that there are, into $SCRATCH/seeds. Sourced after tests/lib.sh and
# inputs.sh. Sets `seeds`: a dozen precompiled ones, two of them made by hand, and the smallest of the others.
mkdir -p "$SCRATCH/seeds"
for source in "$fixtures"/il/*.il; do
    if has ilasm; then ilasm -quiet -output:"$SCRATCH/seeds/$(basename "$source" .il).il.exe" "$source" >/dev/null 2>&1; fi
done
for source in "$fixtures"/cs/*.cs; do
    name=$(basename "$source" .cs)
    mcs -nologo -warn:0 -out:"$SCRATCH/seeds/$name.mcs.exe" "$source" >/dev/null 2>&1 ||
        mcs -nologo -warn:0 -target:library -out:"$SCRATCH/seeds/$name.mcs.dll" "$source" >/dev/null 2>&1
    if has dotnet; then
        "$ROOT/tests/dotnet-csc" "$SCRATCH/seeds/$name.csc.dll" -target:library -nowarn:CS8632,CS1685 "$source" >/dev/null 2>&1
    fi
done
rm -f "$SCRATCH"/seeds/*.json "$SCRATCH"/seeds/*.pdb
mkdir -p "$SCRATCH/precompiled"
(cd "$SCRATCH/precompiled" && "$BUILD/tests/unit/test_fuzz_instrument" seeds . && rm -f sample-[012]) >/dev/null 2>&1
# Of the runtime's own, those that have methods and not only names of others.
if has dotnet; then
    find "$(dirname "$(readlink -f "$(command -v dotnet)")")/shared/Microsoft.NETCore.App" -name '*.dll' -size -120k -printf '%s %p\n' | sort -n | cut -d ' ' -f 2- |
        while read -r file && [ "$(find "$SCRATCH/precompiled" -type f | wc -l)" -lt 12 ]; do
            if "$ILINJECT" -q "$file" -o "$SCRATCH/tried.dll" --force 2>/dev/null && ! cmp -s "$file" "$SCRATCH/tried.dll" &&
                "$ILINJECT" dump --headers "$file" | grep -q 'ManagedNativeHeader rva 0x[1-9a-f]'; then
                cp "$file" "$SCRATCH/precompiled/"
            fi
        done
fi
mapfile -t seeds < <(find "$SCRATCH/precompiled" -type f
    find "$folder" "$SCRATCH/seeds" -type f \( -name '*.exe' -o -name '*.dll' -o -name '*.netmodule' \) -size +0 -printf '%s %p\n' | sort -n | cut -d ' ' -f 2-)
seeds=("${seeds[@]:0:60}")
