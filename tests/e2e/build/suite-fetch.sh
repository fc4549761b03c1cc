#!/usr/bin/env bash
# The sources of the static programs' libraries: Debian's pool first, then its archive of snapshots, and by a sum from either.
# No network: what stands for curl has the files in folders.
. "$(dirname "$0")/../../lib.sh"
has xz || { skip "the sources of libraries come from where they are, by their sums" "no xz"; finish; }
cd "$SCRATCH" || exit 1
# A source of two bytes for that of cmocka, which comes alone.
mkdir cmocka-1.1.7 bin && echo x >cmocka-1.1.7/x && tar -cJf source.tar.xz cmocka-1.1.7 && rm -r cmocka-1.1.7 || exit 1
sed "s/^    get [0-9a-f]* \(c\/cmocka\)/    get $(sha256sum source.tar.xz | cut -d ' ' -f 1) \1/" "$ROOT/src/platform/fetch-sources" >fetch && chmod +x fetch || exit 1
cat >bin/curl <<'CURL'
#!/usr/bin/env bash
while [ $# -gt 1 ]; do if [ "$1" = -o ]; then out=$2; fi; shift; done
echo "$1" >>"$SERVED.asked"
[ ! -f "$SERVED/${1#http://}" ] || exec cp "$SERVED/${1#http://}" "$out"
exit 22
CURL
printf '#!/bin/sh\n' >bin/sleep
chmod +x bin/curl bin/sleep
pool=deb.debian.org/debian/pool/main/c/cmocka/cmocka_1.1.7.orig.tar.xz
day=$(sed -n 's/^day=//p' fetch)
snapshot=snapshot.debian.org/archive/debian/$day/pool/main/c/cmocka/cmocka_1.1.7.orig.tar.xz
serve() { mkdir -p "$1/$(dirname "$2")" && cp "$3" "$1/$2"; } # FOLDER URL FILE
fetched() { SERVED=$SCRATCH/$1 PATH=$SCRATCH/bin:$PATH ./fetch "$SCRATCH/$1.out" windows-tests 2>err; } # FOLDER
echo other >other
serve in-pool "$pool" source.tar.xz
check "a file that is in the pool comes from there, asked for once" eval 'fetched in-pool && [ "$(cat in-pool.out/cmocka-1.1.7/x)" = x ] && [ "$(cat in-pool.asked)" = "http://$pool" ]'
check "what is there is not fetched again" eval 'fetched in-pool && [ "$(wc -l <in-pool.asked)" -eq 1 ]'
serve left "$snapshot" source.tar.xz
check "one that has left the pool comes out of the snapshot of a day" eval 'fetched left && [ "$(cat left.out/cmocka-1.1.7/x)" = x ] && [ "$(wc -l <left.asked)" -eq 2 ]'
serve changed "$pool" other && serve changed "$snapshot" source.tar.xz
check "so does one for which the pool has other bytes" eval 'fetched changed && [ "$(cat changed.out/cmocka-1.1.7/x)" = x ]'
serve bad "$pool" other && serve bad "$snapshot" other
check "other bytes than those of the sum are taken from nowhere" eval '! fetched bad && [ "$(wc -l <err)" -eq 1 ] && grep -q "^cmocka_1.1.7.orig.tar.xz cannot be had from .*, nor from .* as of $day" err && [ ! -e bad.out/cmocka-1.1.7 ] && [ "$(wc -l <bad.asked)" -eq 6 ]'
check "a file of security updates has a snapshot of its own" eval 'grep -q "^get [0-9a-f]* o/openssl/.* \"\$updates\"$" fetch && sed -n "/^updates=/p; /^pool=/p; /^mirror=/p; /^snapshot=/p; /^day=/p; /^is()/p; /^get()/,/^}/p" fetch >part &&
    (SERVED=$SCRATCH/none PATH=$SCRATCH/bin:$PATH; export SERVED; . ./part; get 0 o/x.tar "$updates") 2>err; grep -q -x "http://snapshot.debian.org/archive/debian-security/$day/pool/updates/main/o/x.tar" none.asked'
finish
