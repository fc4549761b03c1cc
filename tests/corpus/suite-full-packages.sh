#!/usr/bin/env bash
# level: full
# Assemblies of well-known packages, for every framework that they are built for: instrumented, read by foreign readers, compiled
# by Mono and CoreCLR method by method, verified by peverify, and a few of them compiled ahead by crossgen2; all as before.
. "$(dirname "$0")/many.sh"
fetch_packages || finish
package_images >"$SCRATCH/images"
count=$(wc -l <"$SCRATCH/images")
instrument_all "$SCRATCH/images" out
check "each of $count images is instrumented, copied through or refused by name" none_refused out "$count"
check "fewer than 1 in 10,000 methods are left out although they have a body" "$BUILD/tests/left_out" "$SCRATCH/left-out" packages="$SCRATCH/out.json"
"$BUILD/tests/left_out" "$SCRATCH/left-out" packages="$SCRATCH/out.json"

# neighbours FOLDER FRAMEWORK…: of each package the assemblies for the first of these frameworks that it has
neighbours() {
    local folder=$1 package framework found
    shift
    mkdir -p "$folder"
    for package in "${here[@]}"; do
        for framework in "$@"; do
            found=$(find "$package/lib" -maxdepth 1 -iname "$framework" 2>/dev/null)
            [ -n "$found" ] && cp -n "$found"/*.dll "$folder/" 2>/dev/null && break
        done
    done
}

# ---- Mono -----------------------------------------------------------------------------------------------------------

neighbours "$SCRATCH/for-mono" net472 net471 net47 net462 net461 net46 net45 net40 netstandard2.0 netstandard1.6 netstandard1.3 netstandard1.1
export NEIGHBOURS=$SCRATCH/for-mono
# Images for .NET Framework and its relatives, and those for all.
grep -i -E '/lib/(net[2-4][0-9]*|net[2-4]0-client|netstandard[0-9.]*|portable-[^/]*|sl[0-9]|wp8)/[^/]*$' "$SCRATCH/images" >"$SCRATCH/mono-images"
judge_all "$SCRATCH/mono-images" "$SCRATCH/judged"
on_mono=$(($(wc -l <"$SCRATCH/mono-images") - $(grep -c '^ok copied' "$SCRATCH/verdicts")))
judged mono compile "$on_mono" "mono --compile-all finds no new fault in $on_mono outputs"
judged peverify verify "$on_mono" "peverify finds no new fault in $on_mono outputs"

# ---- CoreCLR --------------------------------------------------------------------------------------------------------

if ! has_walker; then
    skip "System.Reflection.Metadata and CoreCLR find only planned differences" "no .NET SDK"
    finish
fi
check "System.Reflection.Metadata finds only planned differences in $count outputs" compared out
tail -n 1 "$SCRATCH/out.compared"
check "each body is instrumented" all_bodies out
neighbours "$SCRATCH/for-net" net10.0 net9.0 net8.0 net7.0 net6.0 net5.0 netcoreapp3.1 netcoreapp3.0 netcoreapp2.1 netstandard2.1 netstandard2.0 netstandard1.{6,5,3,1,0}
grep -E '/lib/(net([5-9]|10)\.0|netcoreapp[0-9.]*|netstandard[0-9.]*)/[^/]*	' "$SCRATCH/out.pairs" >"$SCRATCH/net-pairs"
check "CoreCLR compiles each method of $(wc -l <"$SCRATCH/net-pairs") images as before" prepared "$SCRATCH/net-pairs" --beside "$SCRATCH/for-net"
prepared_sum "$SCRATCH/net-pairs"

# ---- crossgen2 ------------------------------------------------------------------------------------------------------

if [ "$(uname -m)" != x86_64 ]; then
    skip "crossgen2 finds no new fault" "not on x64"
    finish
fi
if ! fetched=$("$ROOT/tests/nuget-fetch" Microsoft.NETCore.App.Crossgen2.linux-x64/10.0.12); then
    skip "crossgen2 finds no new fault" "$fetched"
    finish
fi
crossgen=$(find "$fetched/microsoft.netcore.app.crossgen2.linux-x64" -name crossgen2 -type f | head -n 1)
chmod +x "$crossgen"
framework=$(dotnet --list-runtimes | sed -n 's/^Microsoft\.NETCore\.App \([^ ]*\) \[\(.*\)\]$/\2\/\1/p' | tail -n 1)
# The compiler's messages about methods that it does not compile, but for what any change of
# inlining changes: that code waits for the runtime.
compiles_ahead() { # IMAGE LOG
    timeout 300 "$crossgen" "$1" -o "$SCRATCH/ahead.dll" -r "$framework/*.dll" -r "$framework/../../Microsoft.AspNetCore.App/${framework##*/}/*.dll" \
        -r "$SCRATCH/for-net/*.dll" -r "$SCRATCH/tracker/*.dll" --targetos linux --targetarch x64 --verbose >"$2.all" 2>&1 || { tail -n 3 "$2.all"; return 1; }
    grep -E '^(Info|Warning): Method .* was not compiled because' "$2.all" | grep -v -e 'requires runtime JIT$' -e 'because it is skipped\.$' -e 'non version resilient' | LC_ALL=C sort >"$2"
}
# Which instantiations and stubs of P/Invokes there are depends on what is inlined; of other methods hardly one may be missing (of
# the core library it was one constructor and five stubs).
compiled_ahead() { grep '^Compiling ' "$1" | grep -v -e '`' -e '[A-Za-z0-9_]<' | LC_ALL=C sort -u; }
compiles_ahead_as_before() { # BEFORE AFTER
    compiles_ahead "$1" "$SCRATCH/ahead-before" && compiles_ahead "$2" "$SCRATCH/ahead-after" || return 1
    compiled_ahead "$SCRATCH/ahead-before.all" >"$SCRATCH/compiled-before"
    compiled_ahead "$SCRATCH/ahead-after.all" >"$SCRATCH/compiled-after"
    LC_ALL=C comm -23 "$SCRATCH/compiled-before" "$SCRATCH/compiled-after" >"$SCRATCH/compiled-lost"
    [ $(($(wc -l <"$SCRATCH/compiled-lost") * 500)) -lt "$(wc -l <"$SCRATCH/compiled-before")" ] || { echo "no longer compiled:"; cat "$SCRATCH/compiled-lost"; return 1; }
    LC_ALL=C comm -13 "$SCRATCH/ahead-before" "$SCRATCH/ahead-after" >"$SCRATCH/ahead-new"
    [ ! -s "$SCRATCH/ahead-new" ] || { cat "$SCRATCH/ahead-new"; return 1; }
}
mkdir -p "$SCRATCH/tracker"
cp "$(find "$SCRATCH/out" -name ProfileInfoTracker.dll -print -quit)" "$SCRATCH/tracker/"
for image in newtonsoft.json/13.0.3/lib/net6.0/Newtonsoft.Json.dll system.reactive/6.0.1/lib/net6.0/System.Reactive.dll \
    fsharp.core/10.0.111/lib/netstandard2.1/FSharp.Core.dll system.text.json/8.0.5/lib/net8.0/System.Text.Json.dll \
    autofac/9.3.3/lib/net8.0/Autofac.dll dapper/2.0.123/lib/net5.0/Dapper.dll yamldotnet/16.3.0/lib/net8.0/YamlDotNet.dll; do
    after=$(awk -F '\t' -v image="$packages/$image" '$1 == image { print $2 }' "$SCRATCH/out.pairs")
    [ -n "$after" ] || continue # it was not to be had
    check "crossgen2 finds no new fault in $(basename "$image")" compiles_ahead_as_before "$packages/$image" "$after"
    grep -c '^Compiling ' "$SCRATCH/ahead-after.all" | sed "s,\$, methods of $(basename "$image")\, $(wc -l <"$SCRATCH/ahead-before") not compiled before and after,"
done
# The core library cannot be loaded beside itself, and is precompiled: with one method instrumented it is what it was, as IL.
core=$framework/System.Private.CoreLib.dll
core_library() {
    "$ILINJECT" -q --include System.Object.ToString "$core" -o "$SCRATCH/core-before/" && "$ILINJECT" -q "$core" -o "$SCRATCH/core-after/" || return 1
    compiles_ahead_as_before "$SCRATCH/core-before/System.Private.CoreLib.dll" "$SCRATCH/core-after/System.Private.CoreLib.dll"
}
check "crossgen2 finds no new fault in the core library" core_library
# The judge is judged: too much on the stack.
if has ilasm; then
    cat >"$SCRATCH/faulty.il" <<'EOF'
.assembly extern mscorlib {}
.assembly faulty {}
.class public auto ansi T extends [mscorlib]System.Object
{
  .method public static int32 M() cil managed
  {
    .maxstack 1
    .locals init (int32 i)
    ldc.i4.1
    ldc.i4.2
    add
    ret
  }
}
EOF
    ilasm -quiet -dll -output:"$SCRATCH/faulty.dll" "$SCRATCH/faulty.il" >/dev/null || exit 1
    compiles_ahead "$SCRATCH/faulty.dll" "$SCRATCH/ahead-faulty"
    check "crossgen2's refusal of a body is a fault" grep 'T\.M.*Invalid IL' "$SCRATCH/ahead-faulty"
else
    skip "crossgen2's refusal of a body is a fault" "no ilasm"
fi
finish
