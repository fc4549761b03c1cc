# tests/e2e/lib/sh/archives.sh - for the suites of archives, after lib.sh: runs of the program, archives looked into by readers that are not its own.
zips=$BUILD/tests/zips
tracker=ProfileInfoTracker.dll

told() { # TEXT…: the last run said each of them
    local text
    for text; do grep -qF -- "$text" said.out said.err || { echo "not said: $text"; cat said.out said.err; return 1; }; done
}
run() { # VALUE arguments…
    local wanted=$1 got
    shift
    "$ILINJECT" "$@" >said.out 2>said.err
    got=$?
    [ "$got" -eq "$wanted" ] || { echo "exit value $got instead of $wanted"; cat said.out said.err; return 1; }
}
# BEFORE AFTER NAME…: but for the entries of these names, which are new, other or gone, all bytes are what they were, in their order;
# those with other content have their old stamps.
others_are_raw() {
    local before=$1 after=$2 differing names stamps
    shift 2
    "$zips" raw "$before" >raw.before && "$zips" raw "$after" >raw.after || return 1
    differing=$(diff raw.before raw.after | sed -nE 's/^[<>] (order |stamp )?(.*)$/\2/p' | sed -E 's/: (local .*|[0-9a-f]{8} .*)//' | sort -u)
    stamps=$(diff <(grep '^stamp' raw.before) <(grep '^stamp' raw.after) | sed -nE 's/^[<>] stamp (.*): .*/\1/p' | sort | uniq -d)
    [ -z "$stamps" ] || { echo "other stamps: $stamps"; return 1; }
    names=$(printf '%s\n' "$@" | sort -u)
    [ "$differing" = "$names" ] || { diff <(echo "$names") <(echo "$differing"); return 1; }
    # The same by Python's reader, where there is one.
    ! has python3 || python3 - "$before" "$after" "$@" <<'PY'
import sys, zipfile
def raw(path):
    whole, entries = open(path, 'rb').read(), {}
    with zipfile.ZipFile(path) as z:
        infos = sorted(z.infolist(), key=lambda i: i.header_offset)
        for i, info in enumerate(infos):
            end = infos[i + 1].header_offset if i + 1 < len(infos) else z.start_dir
            entries[info.orig_filename] = (whole[info.header_offset:end], info.date_time, info.external_attr, info.comment,
                                           info.compress_type, info.flag_bits, info.CRC)
        return entries, z.comment
(before, first), (after, second) = raw(sys.argv[1]), raw(sys.argv[2])
changed = set(sys.argv[3:])
assert first == second, 'the comment'
for name, bytes_ in before.items():
    assert name in changed or after[name] == bytes_, name
    assert name not in after or after[name][1] == bytes_[1], name + ': another time'
assert [n for n in before if n in after] == [n for n in after if n in before], 'the order'
PY
}
# ARCHIVE [FOLDER]: what other readers make of it. Where a name has backslashes in the directory and slashes in the local header, unzip warns
# ($unzip_value 1), and Python reads all but that entry.
readers_take() {
    mono entries.exe "$@" || return 1
    if has unzip; then
        unzip -tq "$1" >unzip.log 2>&1
        [ $? -le "${unzip_value:-0}" ] || { tail -3 unzip.log; return 1; }
    fi
    ! has python3 || python3 - "$1" <<'PY'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as z:
    for info in z.infolist():
        if '\\' not in info.orig_filename:
            z.read(info)
PY
}
instrumented() { for f; do "$ILINJECT" dump --tables "$f" | grep -q ProfileInfoTracker || { echo "$f is not instrumented"; return 1; }; done; }
# Nothing is left where it unpacks.
left_nothing() { [ -z "$(ls -A "$TMPDIR")" ] || { find "$TMPDIR"; return 1; }; }
mkdir -p "$SCRATCH/unpacking" && export TMPDIR=$SCRATCH/unpacking
mcs -nologo -r:System.IO.Compression.dll -r:System.IO.Compression.FileSystem.dll -out:"$SCRATCH/entries.exe" "$ROOT/fixtures/xap/Entries.cs" || exit 1
