# tests/corrupt/seeds.sh - sixty small assemblies, by all compilers that there are, into $SCRATCH/seeds. Sourced after tests/lib.sh and
# inputs.sh. Sets `seeds`, the smallest ones of them.
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
mapfile -t seeds < <(find "$folder" "$SCRATCH/seeds" -type f \( -name '*.exe' -o -name '*.dll' -o -name '*.netmodule' \) -size +0 -printf '%s %p\n' | sort -n | head -n 60 | cut -d ' ' -f 2-)
