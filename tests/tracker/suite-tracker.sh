#!/usr/bin/env bash
# The tracker by itself: a driver program that calls it as injected code would, and a reader of profiles that was written
# from the format's description alone. Everything on Mono, and on .NET where dotnet is there.
. "$(dirname "$0")/../lib.sh"
cd "$SCRATCH" || exit 1
unset "${!ILINJECT_@}"
export TMPDIR=$SCRATCH/tmp
mkdir "$TMPDIR"

cp "$BUILD/ProfileInfoTracker.dll" . &&
    mcs -nologo -out:dump.exe "$ROOT/tests/tracker/ProfileDump.cs" &&
    mono dump.exe names names.bin Main Outer Inner 'Inner(int)' Recurse Throws Work Sleep &&
    mcs -nologo -nowarn:414 -out:driver.exe -resource:names.bin,ilinject.names -r:ProfileInfoTracker.dll "$ROOT/tests/tracker/Driver.cs" || exit 1
cat >driver.runtimeconfig.json <<'EOF'
{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App","version":"10.0.0"},"rollForward":"Major"}}
EOF

# The driver in an empty folder. ENV… before the scenario are settings.
fresh() { rm -rf run tmp/*; mkdir run; }
drive() {
    local settings=()
    while [[ $1 == *=* ]]; do settings+=("$1"); shift; done
    (cd run && exec env ${settings[@]+"${settings[@]}"} $runtime ../driver.exe "$@") >out.txt 2>err.txt
}
dump() { mono dump.exe "$@"; }
sums_are() { # FILE, then lines "name calls resynchronised open" with names without their type
    local file=$1
    shift
    diff <(printf 'N.T.%s\n' "$@") <(dump sums "$file")
}
silent() { [ ! -s out.txt ] && [ ! -s err.txt ]; }

counts() { fresh; drive nested && sums_are run/driver.ilprof 'Main() 1 0 0' 'Outer() 10 0 0' 'Inner() 30 0 0' 'Inner(int) 10 0 0'; }

for runtime in mono dotnet; do
    if ! has "$runtime"; then
        skip "the tracker works on $runtime" "$runtime is not installed"
        continue
    fi
    check "$runtime: nested calls and overloads are counted exactly" counts
    check "$runtime: nothing is printed" silent
done
finish
