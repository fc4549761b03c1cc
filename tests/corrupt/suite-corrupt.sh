#!/usr/bin/env bash
# Broken input: damaged assemblies by the ten thousand in memory, a sample of them and all that is no assembly through the program.
# Expected is one error line that names the file, exit 1, and a folder that looks as before.
. "$(dirname "$0")/../lib.sh"
has mcs || { skip "broken input is refused" "no mcs"; finish; }
. "$(dirname "$0")/inputs.sh"
fast=$SCRATCH/files
if [ -w /dev/shm ]; then
    fast=$(mktemp -d /dev/shm/ilinject-test.XXXXXX)
    trap 'rm -rf "$SCRATCH" "$fast"' EXIT
fi
mkdir -p "$fast/case"
cd "$SCRATCH" || exit 1

# ---- Damage ---------------------------------------------------------------------------------------------------------

for file in "${inputs[@]}"; do
    check "damage in $(basename "$file") is refused or survived" "$BUILD/tests/corrupt" --seed 20 --flips 1200 --folder "$fast/case" "$file"
done

check "so are changes where the structure is" "$BUILD/tests/mutants" --seed 1 --count 4000 "${inputs[@]}"

# ---- Through the program --------------------------------------------------------------------------------------------

program=("$ILINJECT")
# One error line with FILE and TEXT; exit 1; nothing but the old output in `out`.
refused() { # TEXT FILE
    rm -rf out && mkdir out && echo old >out/x.dll && chmod 777 out
    timeout 60 "${program[@]}" "$2" -o out/x.dll >said 2>err </dev/null
    local got=$?
    [ "$got" -eq 1 ] || { echo "exit value $got"; cat err; return 1; }
    [ "$(grep -c ': error ' err)" -eq 1 ] && grep -q "^$2: error ILJ[0-9]\{4\}: .*$1" err || { echo "not one error line with '$1'"; cat err; return 1; }
    [ ! -s said ] || { echo "standard output:"; cat said; return 1; }
    [ "$(ls -A out)" = x.dll ] && [ "$(cat out/x.dll)" = old ] || { echo "left behind:"; ls -lA out; return 1; }
}
# Every cut at 64 bytes: refused like the others. (Cut after the last section's content, it may be whole enough.)
every_cut() { # FILE
    local size
    for ((size = 0; size < $(wc -c <"$1") - 512; size += 64)); do
        head -c "$size" "$1" >cut.dll
        refused "" cut.dll || { echo "cut to $size bytes"; return 1; }
    done
}
check "an assembly cut at every 64 bytes is refused" every_cut "$folder/small.exe"
check "a large one, too" every_cut "$folder/Kept.exe"

echo "This is text, long enough to hold a DOS header of sixty-four bytes, but is none." >text.dll
: >empty.dll
cp "$folder/small.exe" native.exe
printf '\0\0\0\0\0\0\0\0' | dd of=native.exe bs=1 seek=$((0x80 + 24 + 96 + 14 * 8)) conv=notrunc status=none
cp "$folder/small64.exe" native64.exe
printf '\0\0\0\0\0\0\0\0' | dd of=native64.exe bs=1 seek=$((0x80 + 24 + 112 + 14 * 8)) conv=notrunc status=none
cp "$(type -P true)" elf.dll
mkfifo pipe.dll
ln -s loop.dll loop.dll
ln -s /nowhere/at/all dangling.dll
check "a text file is refused" refused "MZ" text.dll
check "an empty file is refused" refused "empty" empty.dll
check "a native ELF program is refused" refused "ELF" elf.dll
check "a native PE image is refused" refused "native" native.exe
check "a native PE32+ image is refused" refused "native" native64.exe
check "a pipe is refused without waiting" refused "pipe" pipe.dll
check "a device is refused" refused "device" /dev/zero
check "a missing file is refused" refused "No such file" missing.dll
check "a link to nothing is refused" refused "No such file" dangling.dll
check "a link to itself is refused" refused "cannot be read" loop.dll
check "a file as a folder is refused" refused "Not a directory" text.dll/x.dll
sample=small.exe
cp "$folder/small.exe" "$sample"

# ---- Without rights -------------------------------------------------------------------------------------------------

cp "$ILINJECT" ilinject
chmod 755 . ilinject
cp "$sample" secret.dll && chmod 000 secret.dll
if [ "$(id -u)" -ne 0 ]; then
    nobody=()
elif has setpriv && setpriv --reuid=65534 --regid=65534 --clear-groups ./ilinject --version >/dev/null 2>&1; then
    nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
else
    nobody=(none)
fi
# It cannot write in the folder OUT, which stays as it is.
unwritable() { # OUT
    local before after
    before=$(ls -lA "$1")
    "${nobody[@]}" ./ilinject "$sample" -o "$1/x.dll" >said 2>err
    local got=$?
    after=$(ls -lA "$1")
    [ "$got" -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q "^$sample: error ILJ[0-9]*: .*Permission denied" err && [ "$before" = "$after" ] ||
        { echo "exit value $got"; cat err; ls -lA "$1"; return 1; }
}
in_place_unwritable() {
    mkdir -p closed && cp "$sample" closed/ && chmod 555 closed
    "${nobody[@]}" ./ilinject --in-place "closed/$sample" >said 2>err
    local got=$?
    chmod 755 closed
    [ "$got" -eq 1 ] && [ "$(grep -c ': error ' err)" -eq 1 ] && cmp "$sample" "closed/$sample" && [ "$(ls -A closed)" = "$sample" ] ||
        { echo "exit value $got"; cat err; return 1; }
}
if [ "${nobody[*]}" = none ]; then
    skip "a file without permission is refused" "root, and no way to be another user"
    skip "a folder that cannot be written is told" "root, and no way to be another user"
    skip "in place, a folder that cannot be written is told" "root, and no way to be another user"
else
    program=("${nobody[@]}" ./ilinject)
    check "a file without permission is refused" refused "Permission denied" secret.dll
    program=("$ILINJECT")
    mkdir shut && echo old >shut/x.dll && chmod 555 shut
    check "a folder that cannot be written is told" unwritable shut
    check "in place, a folder that cannot be written is told" in_place_unwritable
    chmod 755 shut
fi

# ---- Full disk ------------------------------------------------------------------------------------------------------

# One line, exit 1, no output, no temporary file; the tracker may have found room before.
disk_full() { # FOLDER command…
    local out=$1
    shift
    "$@" 2>&1 >/dev/null | cat >err
    local got=${PIPESTATUS[0]}
    [ "$got" -eq 0 ] && return 9
    [ "$got" -eq 1 ] && [ "$(grep -c ': error ' err)" -eq 1 ] && grep -q "^$sample: error ILJ[0-9]*: " err || { echo "exit value $got"; cat err; return 1; }
    [ "$(cat "$out/x.dll")" = old ] && [ -z "$(find "$out" -mindepth 1 ! -name x.dll ! -name ProfileInfoTracker.dll ! -name filler)" ] ||
        { echo "left behind:"; ls -lA "$out"; return 1; }
}
limit_reached() { # BLOCKS
    rm -rf limited && mkdir limited && echo old >limited/x.dll
    disk_full limited bash -c 'trap "" XFSZ; ulimit -f "$0"; exec "$@"' "$1" "$ILINJECT" "$sample" -o limited/x.dll
}
limits_reached() {
    local blocks got failures=0
    for blocks in 0 1 2 3 4 8 16 64 128 256 512; do # of 1,024 bytes
        limit_reached "$blocks"
        got=$?
        [ "$got" -eq 9 ] && break
        [ "$got" -eq 0 ] || { echo "with $blocks blocks"; return 1; }
        failures=$((failures + 1))
    done
    [ "$failures" -gt 2 ] && [ "$got" -eq 9 ] || { echo "$failures failures"; return 1; }
}
disk_fills() {
    local left got failures=0 tracker
    tracker=$((($(stat -c %s "$BUILD/ProfileInfoTracker.dll") + 4095) / 4096))
    for left in 0 1 2 3 6 10 $((tracker / 2)) $((tracker - 1)) $tracker $((tracker + 1)) $((tracker + 2)) $((tracker + 3)) $((tracker + 20)); do # pages of 4,096 bytes
        rm -rf full/* && echo old >full/x.dll && head -c $(((255 - left) * 4096)) /dev/zero >full/filler
        disk_full full "$ILINJECT" "$sample" -o full/x.dll
        got=$?
        [ "$got" -eq 9 ] && break
        [ "$got" -eq 0 ] || { echo "with $left pages left"; return 1; }
        failures=$((failures + 1))
    done
    [ "$failures" -gt 2 ] && [ "$got" -eq 9 ] || { echo "$failures failures"; return 1; }
}
check "an output past the size limit leaves nothing" limits_reached
mkdir full
if mount -t tmpfs -o size=1m none full 2>/dev/null; then
    check "a full disk leaves nothing" disk_fills
    umount full
else
    skip "a full disk leaves nothing" "no right to mount one"
fi
finish
