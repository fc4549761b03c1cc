#!/usr/bin/env bash
# Mixed-mode images: what is new goes into a section of its own, and nothing that native code could know moves or changes. Real
# C++/CLI assemblies run on Windows only, so these are C# ones that claim to hold native code, and IL with vtable fixups and exports.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
walker=$SCRATCH/walker.dll

if ! can dotnet || ! "$ROOT/tests/dotnet-csc" "$walker" -optimize -unsafe "$ROOT"/tests/foreign/walker/*.cs || ! has mcs || ! can mono; then
    skip "mixed-mode images run instrumented" "no Mono, or no .NET SDK to judge with"
    finish
fi
seq 300 >"$SCRATCH/kept.a"
within_scratch() { (cd "$SCRATCH" && "$@"); }

# judge NAME: instrumented with one line about it; the old bytes are where they were; it runs as before and its calls are counted
judge() {
    local name=$1
    tells() { "$ILINJECT" "$SCRATCH/before/$name" -o "$SCRATCH/after/$name" 2>&1 | tee "$SCRATCH/told" | grep -q 'info ILJ0117' && ! grep -q ' error ' "$SCRATCH/told"; }
    check "$name is instrumented, in one line about its native code" tells
    check "$name keeps every byte that native code could know" dotnet "$walker" compare "$SCRATCH/before/$name" "$SCRATCH/after/$name"
    run_program "$name" mono "$SCRATCH/before/$name"
    run_program "$name-after" mono "$SCRATCH/after/$name"
    check "$name runs as before" same_run "$name" "$name-after" mono
    check "the profile of $name agrees with itself" profile_agrees "$SCRATCH/said/$name-after.mono.ilprof"
    if has monodis; then
        check "monodis reads $name" env -C "$SCRATCH" monodis --output=listing "after/$name" # it unpacks resources where it stands
    else
        skip "monodis reads $name" "no monodis"
    fi
}
# mixed NAME OPTIONS…: without the flag that says IL only
mixed() {
    local name=$1
    shift
    mcs -nologo -out:"$SCRATCH/$name" -resource:"$SCRATCH/kept.a" "$@" "$ROOT/fixtures/cs/Kept.cs" &&
        dotnet "$walker" cli-flags "$SCRATCH/$name" "$SCRATCH/before/$name" 0 || exit 1
    judge "$name"
}
mixed mixed32.exe
mixed mixed64.exe -platform:x64
printf 'what an installer appended' >>"$SCRATCH/before/mixed64.exe"
overlay() { "$ILINJECT" -q "$SCRATCH/before/mixed64.exe" -o "$SCRATCH/after/mixed64.exe" && cmp <(tail -c 26 "$SCRATCH/after/mixed64.exe") <(printf 'what an installer appended'); }
check "what lies behind the sections stays behind them" overlay
same_bytes() { "$ILINJECT" -q "$SCRATCH/before/mixed32.exe" -o "$SCRATCH/again.exe" && cmp "$SCRATCH/after/mixed32.exe" "$SCRATCH/again.exe"; }
check "the same image gives the same bytes" same_bytes

# A CLI header with too small a size of the resources: Mono goes by their own, and reads them whole.
short() { # NAME FLAGS: with so few bytes less, before and after
    cat >short.cs <<'END'
using System;
using System.IO;
static class Short
{
    static void Main()
    {
        int sum = 0, count = 0;
        using (Stream s = typeof(Short).Assembly.GetManifestResourceStream("kept.a"))
            for (int b; (b = s.ReadByte()) >= 0; count++) sum = sum * 31 + b;
        Console.WriteLine(count + " bytes, " + sum);
    }
}
END
    mcs -nologo -out:whole.exe -resource:kept.a short.cs && dotnet "$walker" cli-flags whole.exe flags.exe "$2" || return
    for less in 8 256 1000; do
        python3 - flags.exe short.exe "$less" <<'END' || return
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
pe = struct.unpack_from("<I", data, 0x3C)[0]
sections, optional_bytes = struct.unpack_from("<H12xH", data, pe + 6)
optional = pe + 24
directories = optional + (96 if struct.unpack_from("<H", data, optional)[0] == 0x10B else 112)
rva = struct.unpack_from("<I", data, directories + 14 * 8)[0]
for i in range(sections):
    size, address, raw_size, raw = struct.unpack_from("<IIII", data, optional + optional_bytes + 40 * i + 8)
    if address <= rva < address + raw_size:
        at = raw + rva - address + 28
        struct.pack_into("<I", data, at, struct.unpack_from("<I", data, at)[0] - int(sys.argv[3]))
open(sys.argv[2], "wb").write(data)
END
        rm -rf cut && "$ILINJECT" -q short.exe -o cut/ && mono short.exe >short.out && mono cut/short.exe | diff short.out - && grep -q '^1092 bytes' short.out || { echo "$less less"; return 1; }
    done
}
check "resources are kept whole where their size is told too small" within_scratch short mixed 0
check "so they are in an image of IL only" within_scratch short il 1

# Symbols go along, embedded ones into the new section. CoreCLR runs mixed mode on Windows only, so this is not run.
symbols() {
    "$ROOT/tests/dotnet-csc" "$SCRATCH/Symbols.dll" -debug:embedded -resource:"$SCRATCH/kept.a" "$ROOT/fixtures/cs/Kept.cs" &&
        dotnet "$walker" cli-flags "$SCRATCH/Symbols.dll" "$SCRATCH/before/Symbols.dll" 0 &&
        "$ILINJECT" "$SCRATCH/before/Symbols.dll" -o "$SCRATCH/after/Symbols.dll" && dotnet "$walker" compare "$SCRATCH/before/Symbols.dll" "$SCRATCH/after/Symbols.dll"
}
check "embedded symbols go along" symbols

# A C++/CLI library of .NET Framework: IL beside native code, and methods with the RVA of native code. It runs on
# Windows only; here it is read. Every method in IL is instrumented, and no byte that was there changes.
wrapper=System.EnterpriseServices.Wrapper.dll
library() {
    local found
    found=$(find "$1/microsoft.netframework.referenceassemblies.net472" -name "$wrapper" | head -n 1)
    cp "$found" "$SCRATCH/before/$wrapper" &&
        "$ILINJECT" "$SCRATCH/before/$wrapper" -o "$SCRATCH/after/$wrapper" >"$SCRATCH/told" 2>&1 || { cat "$SCRATCH/told"; return 1; }
    ! grep -q 'ILJ0300' "$SCRATCH/told" || { cat "$SCRATCH/told"; return 1; }
}
if packages=$("$ROOT/tests/nuget-fetch" Microsoft.NETFramework.ReferenceAssemblies.net472/1.0.3); then
    check "a C++/CLI library is instrumented, no body left out" library "$packages"
    check "it keeps every byte that native code could know" dotnet "$walker" compare "$SCRATCH/before/$wrapper" "$SCRATCH/after/$wrapper"
else
    skip "a C++/CLI library is instrumented" "$packages"
fi

# CoreCLR's ilasm, which writes vtable fixups, exports and the native thunks for them.
if ! packages=$("$ROOT/tests/nuget-fetch" runtime.linux-x64.Microsoft.NETCore.ILAsm/10.0.12); then
    skip "an image with vtable fixups and exports runs as before" "$packages"
elif [ "$(uname -m)" != x86_64 ]; then
    skip "an image with vtable fixups and exports runs as before" "not on x64"
else
    ilasm=$(find "$packages/runtime.linux-x64.microsoft.netcore.ilasm" -name ilasm -type f | head -n 1)
    chmod +x "$ilasm"
    "$ilasm" -quiet -exe -output="$SCRATCH/before/vtable.exe" "$ROOT/fixtures/il/mixed/vtable.il" >/dev/null || exit 1
    judge vtable.exe
fi
finish
