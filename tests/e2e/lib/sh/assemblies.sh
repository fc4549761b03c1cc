# tests/e2e/lib/sh/assemblies.sh - many assemblies, and whether another program writes what this system's does: for suites that source
# tests/lib.sh first.

# 300 assemblies of the machine, of every size.
mapfile -t assemblies < <(find /usr/lib/mono/4.5 /usr/share/dotnet/shared /usr/share/dotnet/sdk -name '*.dll' -size +3k 2>/dev/null |
    LC_ALL=C sort -u | awk '{ all[NR] = $0 } END { step = NR > 300 ? NR / 300 : 1; for (i = 1; i <= NR; i += step) print all[int(i)] }')
# same PROGRAM…: their outputs are those of this system's program; how many, in $compared.
same() {
    local file compared_now=0 differs=0 mine its
    for file in "${assemblies[@]}"; do
        "$ILINJECT" -q "$file" -o "$SCRATCH/mine.dll" >/dev/null 2>&1
        mine=$?
        "$@" -q "$file" -o "$SCRATCH/its.dll" >/dev/null 2>&1
        its=$?
        if [ $mine -ne $its ]; then echo "$file: exit value $its, here $mine"; differs=1; continue; fi
        [ $mine -eq 0 ] || continue
        cmp "$SCRATCH/mine.dll" "$SCRATCH/its.dll" || differs=1
        compared_now=$((compared_now + 1))
    done
    echo "# $compared_now of ${#assemblies[@]} assemblies compared" >&2
    [ $differs -eq 0 ] && [ $compared_now -ge 100 ]
}
