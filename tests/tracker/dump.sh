# shellcheck shell=bash
# dump QUESTION FILE…: what an independent reader (ProfileDump.cs) says of a profile. For suites that have sourced lib.sh; without
# mono and mcs there is none, and `dump` fails. A process of it serves all questions of a suite, of its halves and subshells too:
# starting one takes a tenth of a second. It is no job of the suite's shell, and ends with the suite, as its input does.
dump_folder=$SCRATCH/.dump dump_exe=$BUILD/tests/dump.exe
dump_made() { # compiled once for all suites
    mkdir -p "$dump_folder" "$BUILD/tests" || return
    (
        flock 9
        [ -e "$dump_exe" ] && [ -z "$(find "$ROOT"/tests/tracker/ProfileDump*.cs -newer "$dump_exe")" ] && exit
        mcs -nologo -optimize+ -out:"$dump_exe.new" "$ROOT"/tests/tracker/ProfileDump*.cs && mv "$dump_exe.new" "$dump_exe"
    ) 9>"$dump_exe.lock"
}
dump() {
    local mark=$BASHPID found status=
    {
        flock 9
        printf '%s\0' "$mark" "$dump_folder/$mark" "$PWD" $# "$@" >&"$dump_asks" &&
            while IFS=" " read -r -u "$dump_told" found status && [ "$found" != "$mark" ]; do :; done
    } 9>"$dump_folder/lock"
    cat "$dump_folder/$mark" && rm -f "$dump_folder/$mark" && return "${status:-1}"
}
if has mono && has mcs; then
    dump_made && mkfifo "$dump_folder/asks" "$dump_folder/told" || exit 1
    (exec mono "$dump_exe" serve <"$dump_folder/asks" >"$dump_folder/told" 2>"$dump_folder/errors" &)
    exec {dump_asks}>"$dump_folder/asks" {dump_told}<"$dump_folder/told"
    rm "$dump_folder/asks" "$dump_folder/told"
fi
