#!/usr/bin/env bash
# Replacing a file keeps what it has beside its content, or says what is lost; a run that fails leaves nothing.
. "$(dirname "$0")/../../lib.sh"
cd "$SCRATCH" || exit 1
mkdir in && mcs -nologo -target:library -out:in/T.dll "$ROOT/fixtures/cs/TestClass.cs" || exit 1
place() { "$ILINJECT" "$@" --in-place >said 2>&1; }

cp in/T.dll own.dll
if has python3 && python3 -c 'import os; os.setxattr("own.dll", "user.note", b"kept")' 2>/dev/null; then
    value() { python3 -c 'import os, sys; sys.stdout.write(os.getxattr(sys.argv[1], sys.argv[2]).decode())' "$@"; }
    check "a file with an attribute of its user is instrumented in place" place own.dll
    check "the attribute is kept" eval '[ "$(value own.dll user.note)" = kept ]'
    check "nothing is lost, so nothing is told" eval '! grep -q ILJ0469 said'
else
    skip "extended attributes are kept" "no python3, or the file system has none"
fi
cp in/T.dll acl.dll
if has setfacl && setfacl -m u:1:r acl.dll 2>/dev/null; then
    before=$(getfacl -c acl.dll)
    check "a file with an access control list is instrumented in place" place acl.dll
    check "the list is kept" eval '[ "$(getfacl -c acl.dll)" = "$before" ]'
else
    skip "access control lists are kept" "no setfacl, or the file system has none"
fi

# A run that fails in its last step: nothing of it stays, and what stood there is as it was.
mkdir -p blocked/T.dll replaced/T.dll && echo '{}' >in/T.runtimeconfig.json && echo '{"old": 1}' >replaced/T.runtimeconfig.json && echo old >replaced/ProfileInfoTracker.dll
check "an output that cannot be written is an error" eval '! "$ILINJECT" in/T.dll -o blocked/ >said 2>&1 && grep -q "T.dll cannot be written" said'
check "nothing is left beside it" eval '[ "$(ls blocked)" = T.dll ]'
check "so it is where a tracker and a configuration stood" eval '! "$ILINJECT" in/T.dll -o replaced/ >said 2>&1'
check "they are as they were" eval '[ "$(cat replaced/ProfileInfoTracker.dll replaced/T.runtimeconfig.json)" = "$(printf "old\n{\"old\": 1}")" ] && [ "$(ls replaced | wc -l)" -eq 3 ]'

cp in/T.dll one.dll && ln one.dll other.dll
check "a file of two names is instrumented in place" place one.dll
check "that the other name keeps the old content is told" grep -q 'warning ILJ0469: .*it had 2 names' said
check "so it does" cmp in/T.dll other.dll
cp in/T.dll set.dll && chmod 4755 set.dll
check "a file with a set-id bit is instrumented in place" place set.dll
check "that the bit is dropped is told" grep -q 'warning ILJ0469: .*set-id bits are dropped' said
check "so it is" eval '[ "$(stat -c %a set.dll)" = 755 ]'
cp in/T.dll plain.dll
check "of a plain file" place plain.dll
check "nothing is told" eval '! grep -q ILJ0469 said'
finish
