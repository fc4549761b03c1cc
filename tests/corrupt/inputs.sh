# tests/corrupt/inputs.sh - small real assemblies of every kind, compiled into $SCRATCH/inputs. Sourced after tests/lib.sh.
# Sets `inputs` (those to damage); needs mcs.
folder=$SCRATCH/inputs fixtures=$ROOT/fixtures
mkdir -p "$folder"
seq 30 >"$SCRATCH/kept.a"
seq 17 >"$SCRATCH/kept.b"
cat >"$SCRATCH/small.cs" <<'EOF'
class Small
{
    static string Which(int n) { if (n > 3) return "many"; else return null; }
    static int Main()
    {
        try { System.Console.WriteLine(Which(9)); } finally { Which(1); }
        return 0;
    }
}
EOF
mcs -nologo -out:"$folder/small.exe" "$SCRATCH/small.cs" &&
    mcs -nologo -platform:x64 -out:"$folder/small64.exe" "$SCRATCH/small.cs" &&
    mcs -nologo -target:module -out:"$folder/small.netmodule" "$SCRATCH/small.cs" &&
    mcs -nologo -out:"$folder/Kept.exe" -resource:"$SCRATCH/kept.a" -resource:"$SCRATCH/kept.b" "$fixtures/cs/Kept.cs" &&
    mcs -nologo -platform:x64 -target:library -out:"$folder/library64.dll" "$fixtures/cs/TestClass.cs" || exit 1
inputs=("$folder"/small.exe "$folder"/small64.exe "$folder"/small.netmodule "$folder"/Kept.exe "$folder"/library64.dll)
if has ilasm; then
    for name in regions sizes tail; do
        ilasm -quiet -output:"$folder/$name.exe" "$fixtures/il/$name.il" >/dev/null || exit 1
        inputs+=("$folder/$name.exe")
    done
else
    skip "damage in what ilasm makes" "no ilasm"
fi
if has dotnet && "$ROOT/tests/dotnet-csc" "$folder/TestCore.dll" -optimize -debug:embedded "$fixtures/cs/TestClass.cs" >/dev/null 2>&1; then
    rm -f "$folder/TestCore.runtimeconfig.json"
    inputs+=("$folder/TestCore.dll")
else
    skip "damage in what csc makes" "no .NET SDK"
fi
