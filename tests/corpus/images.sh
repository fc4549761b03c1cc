#!/usr/bin/env bash
# Lists the corpus: every IL-only managed image under Mono's library folders, links resolved, each file once, in a fixed order.
#   images.sh all | sample
# The sample is every 16th and those that are known to be hard; of reference assemblies, which are copied through, every 160th.
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
sample)
    all | awk '
        /-api\// { if (++references % 160 == 1) print; next }
        ++others % 16 == 1 || /\/4\.5\/(mscorlib\.dll|mcs\.exe|Facades\/netstandard\.dll)$/ || /\/(System\.Core|System\.Data|I18N)\/4\./'
    ;;
*) echo "usage: images.sh all|sample" >&2; exit 2 ;;
esac
