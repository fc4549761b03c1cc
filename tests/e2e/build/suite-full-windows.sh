#!/usr/bin/env bash
# level: full
# Suites with ilinject.exe in place of this system's program, under Wine. tests/data/on-windows says which, and what is left out for what
# reason. `serve` receives with a libmicrohttpd that is a file of its own. e2e/full-windows-unit has the unit programs.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/windows.sh"
cd "$ROOT" || exit 1
all="the suites pass on Windows"
if ! has x86_64-w64-mingw32-gcc; then skip "$all" "x86_64-w64-mingw32-gcc is not installed"; finish; fi
windows_ready "$all"
# One server for all: each suite has a temporary folder of its own, where else a server would put its files.
TMPDIR=/tmp "$wineserver" -p

# ---- The list --------------------------------------------------------------------------------------------------------

# A suite that was not tried with ilinject.exe has no reason to be left out.
listed() {
    local file name missing=0
    for file in tests/e2e/*/suite-*.{sh,py}; do
        name=${file##*/suite-}
        name=e2e/${name%.*}
        if [[ $name != e2e/full-* ]] && ! grep -q -E "(^|^-| -)$name( |\$)" tests/data/on-windows; then
            echo "$name is not in tests/data/on-windows"
            missing=1
        fi
    done
    return "$missing"
}
check "each suite of e2e is run, or left out for a reason" listed

# ---- Suites ----------------------------------------------------------------------------------------------------------

suites=$SCRATCH/suites
mkdir "$suites"
suite() { # NAME: but for the checks that tests/data/on-windows names
    local file failed log=$suites/${1//\//-}.log
    file=$(compgen -G "tests/${1%%/*}/suite-${1##*/}.*"; compgen -G "tests/${1%%/*}/*/suite-${1##*/}.*")
    env -u CHECK -u CONSISTENT ILINJECT="$ROOT/tests/ilinject-wine" BUILD="$BUILD" TMPDIR=/tmp timeout -k 10 2400 "$file" >"$log" 2>&1 </dev/null
    if ! grep -q -E '^[1-9][0-9]* passed, [0-9]+ failed, [0-9]+ skipped$' "$log"; then tail -n 5 "$log" >"$log.failed"; return; fi
    failed=$(sed -n 's/^FAILED: //p' "$log" | grep -v -x -F -f <(sed -n "s,^$1: \(.*\) -- .*,\1,p" tests/data/on-windows))
    [ -z "$failed" ] || grep -A 4 '^FAILED' "$log" >"$log.failed"
}
suite_passed() { # NAME
    local log=$suites/${1//\//-}.log
    tail -n 1 "$log" >&3
    [ ! -e "$log.failed" ] || { cat "$log.failed"; return 1; }
}
# They use programs of the tests' own.
make_alone tests >"$SCRATCH/tests.log" 2>&1 || { tail -n 5 "$SCRATCH/tests.log"; exit 1; }
exec 3>&1
names=()
while read -r name; do
    if [[ "$name passes" == *"$words_wanted"* ]]; then names+=("$name"); fi
done < <(grep -E '^[a-z0-9]+/[a-z0-9-]+$' tests/data/on-windows)
export -f suite
export suites ROOT BUILD
printf '%s\n' "${names[@]}" | xargs -r -P 2 -n 1 bash -c 'suite "$0"'
for name in "${names[@]}"; do check "$name passes" suite_passed "$name"; done

# ---- Receiving -------------------------------------------------------------------------------------------------------

# Beside the program, which looks for it there.
if make_alone windows-serve >"$SCRATCH/serve.log" 2>&1; then
    mkdir "$SCRATCH/serve" && cd "$SCRATCH/serve" || exit 1
    cp "$exe" "$BUILD/windows/libmicrohttpd-12.dll" .
    mkdir got alone && cp "$exe" alone/
    check "without libmicrohttpd serve says so" eval '! "$wine" alone/ilinject.exe serve --listen 127.0.0.1:0 -o got 2>err; [ "$(wc -l <err)" -eq 1 ] && grep -q "ILJ0720.*libmicrohttpd-12.dll" err'
    if has curl && has mono && has mcs; then
        mcs -nologo -out:Demo.exe "$ROOT/fixtures/cs/Demo.cs" && "$ILINJECT" -q Demo.exe -o out/ && (cd out && mono Demo.exe >/dev/null) || exit 1
        timeout 300 "$wine" ./ilinject.exe serve --listen 127.0.0.1:0 -o got >serve.out 2>&1 </dev/null &
        server=$!
        # A child that is ended before it is the program would end as this shell does, and take the folder away.
        within 100 grep -q http: serve.out
        posts() {
            local address i
            address=$(grep -o 'http://[^ ]*' serve.out | head -n 1) || return
            for i in 1 2 3 4 5 6; do
                [ "$(curl -s -m 100 -o said."$i" -w '%{http_code}' --data-binary @out/Demo.ilprof "${address%$'\r'}")" = 200 ] || return
            done
            [ "$(ls got | wc -l)" -eq 1 ] && cmp out/Demo.ilprof "$(echo got/*.ilprof)"
        }
        check "serve takes profiles, as they are" posts
        check "a wrong token is refused" eval '[ "$(curl -s -m 100 -o no -w "%{http_code}" --data-binary @out/Demo.ilprof "$(sed -n "s,.*\(http://[^/]*\)/.*,\1/none,p" serve.out | head -n 1)")" = 403 ]'
        kill "$server"
        wait "$server" 2>/dev/null
    else
        skip "serve takes profiles" "curl or Mono is not installed"
    fi
else
    skip "serve takes profiles" "$(tail -n 1 "$SCRATCH/serve.log")"
fi
finish
