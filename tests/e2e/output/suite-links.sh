#!/usr/bin/env bash
# Where profiles and call logs go when another user has been there before: no link is followed, nothing is written into another
# user's file, and no profile is lost. The names are predictable, so in a folder of all users any of them can prepare them.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
has mono && has mcs || { skip "profiles follow no link" "mono and mcs are not installed"; finish; }
if [ "$(id -u)" -ne 0 ] || ! has setpriv || ! setpriv --reuid=65534 --regid=65534 --clear-groups true 2>/dev/null; then
    skip "profiles follow no link of another user" "only root can become two other users"
    finish
fi
other() { (umask 0 && exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"); }
chmod 755 . && mkdir app logs home && chmod 777 home || exit 1
cat >app.cs <<'END'
using System;
public static class App
{
    static string Secret(string s) { return s + "!"; }
    public static void Main() { Console.WriteLine(Secret("password of mine")); }
}
END
mcs -nologo -out:app.exe app.cs && "$ILINJECT" -q app.exe -o app/ && "$ILINJECT" -q '--capture=App.Secret: args' app.exe -o logs/ || exit 1
chmod -R a+rX app logs
if can dotnet; then runtimeconfig app/app.exe && runtimeconfig logs/app.exe; fi
# A folder of all users, where each removes only what is his own.
fresh() { rm -rf shared secret home/* && mkdir -m 1777 shared && mkdir -m 777 secret; }
# The program as a user of its own; what it says goes to the files told and err.
run_there() { # FOLDER NAME=VALUE…
    local folder=$1
    shift
    setpriv --reuid=65533 --regid=65533 --clear-groups env HOME="$SCRATCH/home" TMPDIR="$SCRATCH/shared" "$@" "$runtime" "$folder/app.exe" >told 2>err </dev/null &&
        grep -q -x 'password of mine!' told || { cat told err; return 1; }
}
only_profile() { # prints the one that belongs to the user
    local found
    found=$(find shared -name '*.ilprof' -user 65533)
    [ "$(wc -l <<<"$found")" -eq 1 ] && [ "$found" ] && [ "$(stat -c %a "$found")" = 600 ] && "$ILINJECT" report --json "$found" | grep -q '"enters": 2,' || { ls -la shared; cat err; return 1; }
}
elsewhere() { # the profile is there, under another name, which is said in a line
    only_profile && [ "$(stat -c %u shared/p.ilprof)" != 65533 ] &&
        [ "$(wc -l <err)" -eq 1 ] && grep -q "^ilinject: .*/shared/p.ilprof can't be written (.*); the profile is at .*/shared/p.*.ilprof\$" err || { cat err; return 1; }
}
no_leftovers() { [ -z "$(find shared -name '*.tmp' -user 65533)" ] || { ls -la shared; return 1; }; }

own_link() {
    fresh && setpriv --reuid=65533 --regid=65533 --clear-groups ln -s "$SCRATCH/secret/made" shared/p.ilprof || return
    run_there app ILINJECT_OUT="$SCRATCH/shared/p.ilprof" && only_profile && [ ! -e secret/made ] && [ ! -L shared/p.ilprof ] && [ -s shared/p.ilprof ] && [ ! -s err ] && no_leftovers
}
dangling() {
    fresh && other ln -s "$SCRATCH/secret/made" shared/p.ilprof || return
    run_there app ILINJECT_OUT="$SCRATCH/shared/p.ilprof" && [ ! -e secret/made ] && elsewhere && [ -L shared/p.ilprof ] && no_leftovers
}
to_a_file() {
    fresh && setpriv --reuid=65533 --regid=65533 --clear-groups sh -c 'echo mine >secret/file' && other ln -s "$SCRATCH/secret/file" shared/p.ilprof || return
    run_there app ILINJECT_OUT="$SCRATCH/shared/p.ilprof" && [ "$(cat secret/file)" = mine ] && elsewhere && no_leftovers
}
a_file() {
    fresh && other sh -c 'echo theirs >shared/p.ilprof' || return
    run_there app ILINJECT_OUT="$SCRATCH/shared/p.ilprof" && [ "$(cat shared/p.ilprof)" = theirs ] && elsewhere && no_leftovers
}
unfinished() {
    fresh && other sh -c 'echo theirs >shared/p.ilprof.tmp' || return
    run_there app ILINJECT_OUT="$SCRATCH/shared/p.ilprof" && only_profile && [ -s shared/p.ilprof ] && [ "$(cat shared/p.ilprof.tmp)" = theirs ] && [ ! -s err ] && no_leftovers
}
unfinished_link() {
    fresh && other ln -s "$SCRATCH/secret/made" shared/p.ilprof.tmp || return
    run_there app ILINJECT_OUT="$SCRATCH/shared/p.ilprof" && only_profile && [ -s shared/p.ilprof ] && [ ! -e secret/made ] && no_leftovers
}
# Nowhere but the temporary folder may it write, and there another user waits for it.
temporary() {
    fresh && other ln -s "$SCRATCH/secret/made" shared/app.ilprof || return
    run_there app && [ ! -e secret/made ] && only_profile && grep -q "the profile is at .*/shared/app\..*ilprof\$" err
}
log_alone() { # the call log is there, its owner's alone, and nothing of it is elsewhere
    local found
    found=$(find shared -name 'calls*' -user 65533 -type f)
    [ "$(wc -l <<<"$found")" -eq 1 ] && [ "$found" ] && [ "$(stat -c %a "$found")" = 600 ] && grep -q 'password of mine' "$found" || { ls -la shared; cat err; return 1; }
}
log_link() {
    fresh && other ln -s "$SCRATCH/secret/made" shared/calls.log || return
    run_there logs ILINJECT_OUT="$SCRATCH/shared/p.ilprof" ILINJECT_LOG=1 LOG_FILENAME="$SCRATCH/shared/calls.log" && [ ! -e secret/made ] && log_alone
}
log_file() {
    fresh && other sh -c ': >shared/calls.log' || return
    run_there logs ILINJECT_OUT="$SCRATCH/shared/p.ilprof" ILINJECT_LOG=1 LOG_FILENAME="$SCRATCH/shared/calls.log" && [ ! -s shared/calls.log ] && log_alone
}
for runtime in mono dotnet; do
    can $runtime || { skip "$runtime: profiles follow no link" "$runtime is not installed"; continue; }
    check "$runtime: a link of one's own gives way to the profile, and its target is not made" own_link
    check "$runtime: another user's link to nothing is not followed, and the profile has another name" dangling
    check "$runtime: nor is one to a file of the user's" to_a_file
    check "$runtime: another user's file stays, and the profile has another name" a_file
    check "$runtime: another user's unfinished file is in nobody's way" unfinished
    check "$runtime: nor is a link in its place" unfinished_link
    check "$runtime: in the temporary folder, where it goes when it can go nowhere else, it is the same" temporary
    check "$runtime: a call log follows no link" log_link
    check "$runtime: and is not written into another user's file" log_file
done
finish
