#!/usr/bin/env bash
# level: full
# Every image of Mono, of .NET's frameworks and SDK, and of packages: instrumented, copied through or refused, each for a reason
# that is counted; read back by a foreign reader; what is .NET's, compiled method by method. Prints the table of
# docs/how-good.md, and writes the images and methods that were left out to build/left-out/.
. "$(dirname "$0")/many.sh"
lists=$BUILD/left-out
rm -rf "$lists"
mkdir -p "$lists"

images_under() { # FOLDER…: managed or not, links resolved, each once
    find -L "$@" -type f \( -name '*.dll' -o -name '*.exe' -o -name '*.winmd' -o -name '*.netmodule' \) -print0 2>/dev/null |
        xargs -0 -r realpath -z -- | LC_ALL=C sort -zu | tr '\0' '\n'
}
groups=()
group() { # NAME; its images on stdin
    cat >"$SCRATCH/$1.images"
    [ ! -s "$SCRATCH/$1.images" ] || groups+=("$1")
}
group Mono < <(images_under /usr/lib/mono /usr/local/lib/mono /usr/lib/cli)
if has dotnet; then
    root=$(dirname "$(realpath "$(command -v dotnet)")")
    group frameworks < <(images_under "$root/shared")
    group SDK < <(images_under "$root/sdk" "$root/sdk-manifests")
    group packs < <(images_under "$root/packs")
fi
if fetch_packages; then group packages < <(package_images); fi
[ ${#groups[@]} -gt 0 ] || { skip "every image comes through whole" "neither Mono nor .NET on this machine"; finish; }

columns=()
for name in "${groups[@]}"; do
    count=$(wc -l <"$SCRATCH/$name.images")
    instrument_all "$SCRATCH/$name.images" "$name"
    columns+=("$name=$SCRATCH/$name.json")
    check "each of $count images of $name is instrumented, copied through or refused by name" none_refused "$name" "$count"
done

# ---- Methods that were left out -------------------------------------------------------------------------------------

# Names the methods of LIST's images that were left out although they have a body.
methods_of() { # LIST
    local reason count image
    while IFS=$'\t' read -r reason count image; do
        case $reason in 'reference assembly' | 'satellite assembly' | 'nothing to instrument' | refused) continue ;; esac
        "$ILINJECT" list -q --json "$image" | grep -F "\"reason\":\"$reason\"" | sed "s,^,$image: ,"
    done <"$1"
}
check "fewer than 1 in 10,000 methods are left out although they have a body" "$BUILD/tests/left_out" "$lists/images" "${columns[@]}"
"$BUILD/tests/left_out" "$lists/images" "${columns[@]}"
LC_ALL=C sort -o "$lists/images" "$lists/images"
methods_of "$lists/images" >"$lists/methods"
for name in "${groups[@]}"; do
    grep -h ': error ' "$SCRATCH/$name.said" # those that were refused
done
head -n 20 "$lists/methods"

# The judge is judged. An opcode that there is not: the method is left out, counted and named.
if has ilasm; then
    cat >"$SCRATCH/bad.il" <<'IL'
.assembly extern mscorlib {}
.assembly bad {}
.class public auto ansi T extends [mscorlib]System.Object
{
  .method public static void Whole() cil managed { ret }
  .method public static void NotUnderstood() cil managed
  {
    .emitbyte 0x24
    ret
  }
}
IL
    ilasm -quiet -dll -output:"$SCRATCH/bad.dll" "$SCRATCH/bad.il" >/dev/null || exit 1
    bad_body() {
        "$ILINJECT" --json "$SCRATCH/bad.dll" -o "$SCRATCH/bad/" >"$SCRATCH/bad.json" 2>"$SCRATCH/bad.said"
        ! "$BUILD/tests/left_out" "$SCRATCH/bad.list" bad="$SCRATCH/bad.json" && grep -q "^bad body	1	" "$SCRATCH/bad.list" &&
            methods_of "$SCRATCH/bad.list" | grep 'bad\.dll: .*NotUnderstood' && [ "$(methods_of "$SCRATCH/bad.list" | wc -l)" -eq 1 ]
    }
    check "a method that is left out although it has a body is named, and 1 of 2 is too many" bad_body
else
    skip "a method that is left out although it has a body is named" "no ilasm"
fi
summary() { printf '{"files":[{"input":"a.dll","outcome":"instrumented","skip_reason":null,"methods":%d,"instrumented":%d,"left_out":{"%s":%d}}]}' "$@"; }
bounds() {
    "$BUILD/tests/left_out" /dev/null a=<(summary 10001 10000 'bad body' 1) && ! "$BUILD/tests/left_out" /dev/null a=<(summary 10000 9999 'bad body' 1) &&
        "$BUILD/tests/left_out" /dev/null a=<(summary 10 1 abstract 9) && ! "$BUILD/tests/left_out" /dev/null a=<(summary 10 1 abstract 8)
}
check "1 in 10,000 is too many, methods without a body are not, and each has to have its reason" bounds

# ---- Foreign readers ------------------------------------------------------------------------------------------------

if ! has_walker; then
    skip "System.Reflection.Metadata and CoreCLR find only planned differences" "no .NET SDK"
    finish
fi
for name in "${groups[@]}"; do
    check "System.Reflection.Metadata finds only planned differences in the outputs of $name" compared "$name"
    tail -n 1 "$SCRATCH/$name.compared"
    check "each body of $name is instrumented" all_bodies "$name"
done
cat "$SCRATCH"/{frameworks,SDK,packs}.pairs >"$SCRATCH/net-pairs" 2>/dev/null
if [ -s "$SCRATCH/net-pairs" ]; then
    beside=()
    for folder in "$root"/sdk/*/ "$root"/sdk/*/Roslyn/bincore "$root"/sdk/*/FSharp; do beside+=(--beside "$folder"); done
    check "CoreCLR compiles each method of .NET's own images as before" prepared "$SCRATCH/net-pairs" "${beside[@]}"
    grep ': not loaded: ' "$SCRATCH/net-pairs.said"
    prepared_sum "$SCRATCH/net-pairs"
fi
finish
