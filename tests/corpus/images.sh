#!/usr/bin/env bash
# Lists the corpus: every IL-only managed image under Mono's library folders, links resolved, each file once, in a fixed order.
#   images.sh all | sample
# The sample is every 40th of them and those that are known to be hard.
set -u
cd "$(dirname "$0")/../.." || exit 1
folders=()
for folder in /usr/lib/mono /usr/local/lib/mono /usr/lib/cli; do
    [ -d "$folder" ] && folders+=("$folder")
done
[ ${#folders[@]} -gt 0 ] || exit 0
all() {
    find -L "${folders[@]}" -type f \( -name '*.dll' -o -name '*.exe' \) -print0 | xargs -0 -r realpath -z -- | LC_ALL=C sort -zu |
        xargs -0 -r "${BUILD:-build}/tests/identity" --il-only
}
case ${1:-} in
all) all ;;
sample) all | awk 'NR % 40 == 1 || /\/4\.5\/(mscorlib|mcs|csc|csharp|Facades\/netstandard)\.(dll|exe)$/ || /\/(System\.Core|System\.Reflection\.Emit|IKVM\.Reflection)\.dll$/ && /4\.[05]/' ;;
*) echo "usage: images.sh all|sample" >&2; exit 2 ;;
esac
