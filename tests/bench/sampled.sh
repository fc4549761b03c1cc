#!/usr/bin/env bash
# Objects by type as --allocations counts them, beside those that the runtime's own events estimate: tests/bench/sampled.sh [PERCENT]
# Program: Newtonsoft.Json's round trip (tests/bench/price/Json.cs) on .NET, 200 trips a percent (1000).
#   counted   Newtonsoft.Json.dll and the program instrumented with --allocations: what instrumented code allocates, each object
#   EventPipe AllocationSampled of the program as it was, one byte of 102,400 (tests/bench/Sampled.cs): where the code of these two
#             allocates, and where any code does
# Prints the ten types with the most objects, a trip, the same by EventPipe with the error that chance has, and the
# places there. Then the bytes of the whole: alloc=bytes, and EventPipe. Needs NuGet (Newtonsoft.Json,
# TraceEvent); exits 77 without.
set -eu
ROOT=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=${BUILD:-$ROOT/build} percent=${1:-1000}
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
command -v dotnet >/dev/null && packages=$("$ROOT/tests/nuget-fetch" Newtonsoft.Json/13.0.3 Microsoft.Diagnostics.Tracing.TraceEvent/3.2.5) ||
    { echo "skipped: ${packages:-no dotnet}"; exit 77; }
events=$packages/microsoft.diagnostics.tracing.traceevent/3.2.5/lib/netstandard2.0
mkdir plain tool
cp "$packages/newtonsoft.json/13.0.3/lib/net6.0/Newtonsoft.Json.dll" plain
cp "$events"/*.dll tool
"$ROOT/tests/dotnet-csc" plain/Main.exe -nowarn:1701,1702 -optimize+ -r:plain/Newtonsoft.Json.dll "$ROOT/tests/bench/price/Json.cs"
"$ROOT/tests/dotnet-csc" tool/Sampled.dll -nowarn:1701,1702 -r:"$events/Microsoft.Diagnostics.Tracing.TraceEvent.dll" \
    -r:"$events/Microsoft.Diagnostics.FastSerialization.dll" "$ROOT/tests/bench/Sampled.cs"
cp -r plain counted
cp -r plain bytes
for file in Main.exe Newtonsoft.Json.dll; do "$BUILD/ilinject" -q plain/$file --allocations -o counted/; done
"$BUILD/ilinject" -q plain/Main.exe --set alloc=bytes -o bytes/
DOTNET_EnableEventPipe=1 DOTNET_EventPipeOutputPath=$PWD/events.nettrace DOTNET_EventPipeCircularMB=512 \
    DOTNET_EventPipeConfig='Microsoft-Windows-DotNETRuntime:0x80000000001:5' dotnet plain/Main.exe "$percent" >/dev/null
dotnet tool/Sampled.dll events.nettrace Main Newtonsoft.Json >sampled
# A tenth of the trips: each trip allocates the same, and every call of Newtonsoft.Json is recorded.
ILINJECT_OUT=counted.ilprof dotnet counted/Main.exe $((percent / 10)) >/dev/null
ILINJECT_OUT=bytes.ilprof dotnet bytes/Main.exe "$percent" >/dev/null
for way in counted bytes; do "$BUILD/ilinject" report --format=json -o $way.json $way.ilprof; done
python3 - "$percent" <<'PY'
import json
import math
import re
import sys

trips = int(sys.argv[1]) * 200
counted, sampled = {}, {}
with open("counted.json", encoding="utf-8") as file:
    for site in json.load(file)["objects"]:
        name = site["type"] + (" (boxed)" if site["kind"] == "box" and "(boxed)" not in site["type"] else "")
        counted[name] = counted.get(name, 0) + site["objects"] / (trips / 10)
KEYWORDS = {"System.String": "string", "System.Double": "double", "System.Int32": "int", "System.Char": "char",
            "System.Object": "object", "System.Int64": "long", "System.Boolean": "bool", "System.Decimal": "decimal"}


def shown(name):
    """The name as reports show it, of what the runtime writes: List`1[System.Int32][]."""
    name = re.sub(r"`\d+\[", "<", name)
    arrays = len(re.search(r"((?:\[\])*)$", name).group(1)) // 2
    base = name[:len(name) - 2 * arrays] if arrays else name
    base = base.replace("]", ">").replace(",", ", ")
    base = re.sub(r"[\w.]+", lambda m: KEYWORDS.get(m.group(0), m.group(0)), base)
    return base + "[]" * arrays


with open("sampled", encoding="utf-8") as file:
    lines = [line.rstrip("\n").split("\t") for line in file]
for all_objects, size, samples, objects, own_samples, name in lines[1:]:
    sampled[shown(name)] = (float(objects) / trips, int(own_samples), float(all_objects) / trips)
whole = sum(int(line[1]) for line in lines[1:])
places = sorted(sampled, key=lambda name: -sampled[name][0])
print("| type | counted, a trip | EventPipe, a trip | place there | EventPipe, of all code |\n|---|---:|---:|---:|---:|")
for name in sorted(counted, key=lambda name: -counted[name])[:10]:
    plain = name.removesuffix(" (boxed)")
    objects, samples, everywhere = sampled.get(plain, (0, 0, 0))
    error = objects / math.sqrt(samples) if samples else 0
    place = places.index(plain) + 1 if samples else "-"
    print(f"| `{plain}`{name[len(plain):]} | {counted[name]:.2f} | {objects:.2f} ± {error:.2f} | {place} | {everywhere:.2f} |")
with open("bytes.json", encoding="utf-8") as file:
    total = json.load(file)["totals"]["exclusive_bytes"]
print(f"bytes of the whole: {total:,} by alloc=bytes, {whole:,} by EventPipe ({100 * whole / total - 100:+.1f} %; "
      f"{lines[0][2]} samples, whose chance is ± {100 / math.sqrt(int(lines[0][2])):.1f} %)")
PY
