#!/usr/bin/env bash
# Calls of ADO.NET's commands by their texts (--command-texts): each text stands below its leaf, with the time of its calls by
# a clock that the program moves, without a value of it; programs behave as before.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
if ! has mono || ! has mcs; then
    skip "texts of commands stand below their leaves" "no mono or no mcs"
    finish
fi
fixtures=$ROOT/fixtures/cs
python=$ROOT/tests/e2e/lib/py/commands.py
export PYTHONDONTWRITEBYTECODE=1
clock="type:Outside.Clock, LeavesOutside"

mkdir -p "$SCRATCH/mono" "$SCRATCH/dotnet"
mcs -nologo -target:library -out:"$SCRATCH/mono/LeavesOutside.dll" "$fixtures/LeavesOutside.cs" &&
    mcs -nologo -target:library -r:"$SCRATCH/mono/LeavesOutside.dll" -r:System.Data -out:"$SCRATCH/mono/CommandsOutside.dll" "$fixtures/CommandsOutside.cs" &&
    mcs -nologo -r:"$SCRATCH"/mono/LeavesOutside.dll -r:"$SCRATCH"/mono/CommandsOutside.dll -r:System.Data -out:"$SCRATCH/mono/Commands.exe" "$fixtures/Commands.cs" || exit 1
if can dotnet && compiled csc "$SCRATCH/dotnet/LeavesOutside.dll" -target:library "$fixtures/LeavesOutside.cs" &&
    compiled csc "$SCRATCH/dotnet/CommandsOutside.dll" -nowarn:CS8765 -target:library -r:"$SCRATCH/dotnet/LeavesOutside.dll" "$fixtures/CommandsOutside.cs"; then
    compiled csc "$SCRATCH/dotnet/Commands.dll" -r:"$SCRATCH"/dotnet/LeavesOutside.dll -r:"$SCRATCH"/dotnet/CommandsOutside.dll "$fixtures/Commands.cs" || exit 1
fi

# By hand from Commands.cs: calls, nanoseconds in the calls themselves, text. Own's 7 are those of its own method.
cat >"$SCRATCH/texts" <<'END'
3 6   SELECT a FROM t WHERE who = ? AND b = ?
2 31  SELECT b = ?
2 302 SELECT c = ?
2 82  SELECT d = ?
1 2   SELECT e = ?
1 70  DROP TABLE t; SELECT ?
1 0   ?
1 0   UPDATE own SET a = ?
3 6   SELECT f = ?
END
# In the ret shape nothing but a leave below it shows an exception: what Throws does after its handler, 5, counts there.
sed 's/^1 70 /1 75 /' "$SCRATCH/texts" >"$SCRATCH/texts-ret"
# Without, and by address, a leaf has none.
cat >"$SCRATCH/leaves" <<'END'
8 System.Data.Common.DbCommand.ExecuteNonQuery(
3 System.Data.Common.DbCommand.ExecuteScalar(
1 System.Data.Common.DbCommand.ExecuteReader()
3 System.Data.Common.DbCommand.ExecuteReader(
1 System.Data.IDbCommand.ExecuteNonQuery(
1 System.Data.IDbCommand.ExecuteScalar(
1 System.Data.IDbCommand.ExecuteReader(
1 System.Data.Common.DbCommand.ExecuteNonQueryAsync(
1 System.Data.Common.DbCommand.ExecuteScalarAsync(
1 System.Data.Common.DbCommand.ExecuteReaderAsync(
END

made() { # RUNTIME TO OPTIONS…
    local from=$SCRATCH/$1 to=$SCRATCH/after/$2 file
    shift 2
    for file in Commands.exe Commands.dll; do [ ! -f "$from/$file" ] || break; done
    mkdir -p "$to" && cp "$from"/*Outside.dll "$to" && "$ILINJECT" -q "$@" "$from/$file" -o "$to/" &&
        { [ ! -f "$from/Commands.runtimeconfig.json" ] || cp "$from/Commands.runtimeconfig.json" "$to"; }
}
program() { echo "$1"/Commands.*[el]; } # .exe or .dll
report() { "$ILINJECT" report --format=json --physical -o "$2" "$1"; }
ran() { # RUNTIME NAME
    run_program "$2" "$1" "$(program "$SCRATCH/after/$2")" && same_run before "$2" "$1" && report "$SCRATCH/said/$2.$1.ilprof" "$SCRATCH/said/$2.json"
}
texts() { python3 "$python" texts "$SCRATCH/said/$1.json" "$SCRATCH/texts${2:-}"; }
leaves() { python3 "$ROOT/tests/e2e/lib/py/leaves.py" counts "$SCRATCH/said/$1.json" "$SCRATCH/leaves"; }
consistent() { "$ROOT/tests/consistent" "$SCRATCH/said/$1.json"; }
values_gone() { ! grep -q -a -e secret -e "b -- 4711" -e "a''" "$1" && grep -q -a 'SELECT a FROM' "$1"; }
awaited() { "$ILINJECT" report --format=json -o "$SCRATCH/awaited.json" "$1" && python3 "$python" awaited "$SCRATCH/awaited.json" 'SELECT f = ?' 3 600; }
own_is_quiet() { python3 "$python" absent "$SCRATCH/said/$1.json" 'Own.CommandText.get'; }
export ILINJECT_CLOCK=$clock
for runtime in mono dotnet; do
    if [ ! -f "$(program "$SCRATCH/$runtime")" ]; then
        skip "texts of commands stand below their leaves, under $runtime" "no .NET SDK"
        continue
    fi
    run_program before $runtime "$(program "$SCRATCH/$runtime")"
    for exits in guarded ret; do
        name=$runtime-$exits
        check "$name is instrumented" made $runtime $name --leaves --command-texts --exits=$exits
        check "$name does what it did" ran $runtime $name
        check "$name: each text has its calls and their time" texts $name "$([ $exits = guarded ] || echo -ret)"
        check "$name: the leaves have theirs" leaves $name
        check "$name: its figures agree with each other" consistent $name
        check "$name: no value is in the profile" values_gone "$SCRATCH/said/$name.$runtime.ilprof"
        check "$name: what is awaited is a text, too" awaited "$SCRATCH/said/$name.$runtime.ilprof"
        [ $exits = ret ] || check "$name: asking a command of the program's own is no call" own_is_quiet $name
    done
    check "$runtime with objects and bytes is instrumented" made $runtime $runtime-both --leaves='*' --allocations --set alloc=bytes --command-texts
    check "$runtime with objects and bytes does what it did" ran $runtime $runtime-both
    check "$runtime with objects and bytes has the same texts" texts $runtime-both
done

# ---- Asking and masking ----
# By a clock of what the thread allocates, to which each asking adds a thousand: nothing of it is the leaf's, at its first call neither.
masked_made() { # RUNTIME FILE
    mkdir -p "$SCRATCH/masked/$1" && cp "$SCRATCH/$1/MaskedOutside.dll" "$SCRATCH/masked/$1" &&
        "$ILINJECT" -q --leaves --command-texts "$SCRATCH/$1/$2" -o "$SCRATCH/masked/$1/" &&
        { [ ! -f "$SCRATCH/$1/Masked.runtimeconfig.json" ] || cp "$SCRATCH/$1/Masked.runtimeconfig.json" "$SCRATCH/masked/$1"; }
}
masked_ran() { # RUNTIME FILE
    ILINJECT_CLOCK="type:Outside.AllocatedClock, MaskedOutside" run_program masked "$1" "$SCRATCH/masked/$1/$2"
    [ "$(cat "$SCRATCH/said/masked.$1.out")" = 101 ] && report "$SCRATCH/said/masked.$1.ilprof" "$SCRATCH/said/masked.json" &&
        python3 "$python" masked "$SCRATCH/said/masked.json"
}
mcs -nologo -target:library -r:System.Data -out:"$SCRATCH/mono/MaskedOutside.dll" "$fixtures/MaskedOutside.cs" &&
    mcs -nologo -r:"$SCRATCH/mono/MaskedOutside.dll" -r:System.Data -out:"$SCRATCH/mono/Masked.exe" "$fixtures/Masked.cs" || exit 1
masked_made mono Masked.exe || exit 1
check "asking and masking are time of the leaf's caller, under mono" masked_ran mono Masked.exe
if [ -f "$SCRATCH/dotnet/Commands.dll" ]; then
    compiled csc "$SCRATCH/dotnet/MaskedOutside.dll" -nowarn:CS8765 -target:library "$fixtures/MaskedOutside.cs" &&
        compiled csc "$SCRATCH/dotnet/Masked.dll" -r:"$SCRATCH/dotnet/MaskedOutside.dll" "$fixtures/Masked.cs" && masked_made dotnet Masked.dll || exit 1
    check "asking and masking are time of the leaf's caller, under dotnet" masked_ran dotnet Masked.dll
else
    skip "asking and masking are time of the leaf's caller, under dotnet" "no .NET SDK"
fi

none() { ran mono mono-guarded && python3 "$python" none "$SCRATCH/said/mono-guarded.json" && leaves mono-guarded; }
others() { ran mono mono-guarded && python3 "$python" others "$SCRATCH/said/mono-guarded.json"; }
profile=$SCRATCH/first.ilprof
cp "$SCRATCH/said/mono-guarded.mono.ilprof" "$profile"
cp "$SCRATCH/said/mono-guarded.json" "$SCRATCH/first.json"
ILINJECT_COMMAND_TEXTS=0 check "with command_texts=0 there are leaves alone" none
ILINJECT_COMMAND_TEXTS=2 check "texts above command_texts are one" others
unset ILINJECT_CLOCK

# ---- Files ----
verifies() {
    "$ROOT/tests/verify" "$SCRATCH/mono/Commands.exe" >"$SCRATCH/v.before" 2>&1
    "$ROOT/tests/verify" "$SCRATCH/after/$1/Commands.exe" >"$SCRATCH/v.after" 2>&1
    new_lines "$SCRATCH/v.before" "$SCRATCH/v.after"
}
if has peverify; then
    for name in mono-guarded mono-ret mono-both; do check "peverify finds no new fault, $name" verifies $name; done
else
    skip "peverify finds no new fault" "no peverify"
fi
same_as() { # FOLDER OPTIONS…: the same file as that one
    local like=$1
    shift
    rm -rf "$SCRATCH/o" && "$ILINJECT" -q "$@" "$SCRATCH/mono/Commands.exe" -o "$SCRATCH/o/" && cmp "$SCRATCH/o/Commands.exe" "$SCRATCH/after/$like/Commands.exe"
}
differs_from() { ! same_as "$@"; }
made mono plain --leaves || exit 1
check "without the option there is nothing of it" differs_from mono-guarded --leaves
check "where no command is a leaf, nothing changes" eval 'made mono sleeps --leaves=System.Threading && same_as sleeps --leaves=System.Threading --command-texts'
cat >"$SCRATCH/rules.xml" <<'END'
<ilinject command-texts="yes"><leaves><leaf pattern="default"/></leaves></ilinject>
END
check "a file asks for it, too" same_as mono-guarded --config="$SCRATCH/rules.xml"
refused() { # STATUS WORDS OPTIONS…
    local status=$1 words=$2
    shift 2
    "$ILINJECT" "$SCRATCH/mono/Commands.exe" -o "$SCRATCH/r/" "$@" >"$SCRATCH/err" 2>&1
    [ $? -eq "$status" ] && grep -qF -e "$words" "$SCRATCH/err" && [ ! -e "$SCRATCH/r/Commands.exe" ] || { cat "$SCRATCH/err"; return 1; }
}
check "texts need leaves" refused 2 "--command-texts needs --leaves" --command-texts
printf '<ilinject/>' >"$SCRATCH/empty.xml"
check "and with a file without any, too" refused 2 "texts of commands need leaves (--leaves)" --command-texts --config="$SCRATCH/empty.xml"
printf 'using System; namespace Instrumenter { public static class ProfileInfoTracker { public static int Register(RuntimeTypeHandle h, int n) { return 0; }
    public static int WhenEnteringMethod(int id) { return 1; } public static void WhenLeavingMethod(int t) { } } }' >"$SCRATCH/Small.cs"
mcs -nologo -target:library -out:"$SCRATCH/Small.dll" "$SCRATCH/Small.cs" || exit 1
check "a tracker without the methods is refused" refused 2 "the tracker has no methods WantsCommandText" --leaves --command-texts --tracker="$SCRATCH/Small.dll"

# ---- Reports ----
shown() { # FORMAT WORDS
    "$ILINJECT" report --format="$1" -o "$SCRATCH/shown" "$profile" || return
    [ "$1" != pprof ] || { gzip -dc <"$SCRATCH/shown" >"$SCRATCH/shown.pb" && mv "$SCRATCH/shown.pb" "$SCRATCH/shown"; }
    grep -qaF -e "$2" "$SCRATCH/shown"
}
for format in text calltree callgrind collapsed speedscope pprof html csv; do
    check "$format has a text" shown $format 'SELECT d = ?'
done
check "the JSON says what it is" python3 "$python" said "$SCRATCH/first.json"
by() { "$ILINJECT" report --by="$1" "$profile" | grep -qF '(commands)'; }
check "groups have the texts apart" by namespace
merged() {
    "$ILINJECT" merge "$profile" "$SCRATCH/said/mono-ret.mono.ilprof" -o "$SCRATCH/merged.ilprof" && report "$SCRATCH/merged.ilprof" "$SCRATCH/merged.json" &&
        python3 "$python" calls "$SCRATCH/merged.json" 'SELECT f = ?' 6 && python3 "$python" calls "$SCRATCH/merged.json" 'DROP TABLE t; SELECT ?' 2
}
check "merged, a text is one" merged
compared() {
    "$ILINJECT" diff --json -o "$SCRATCH/diff.json" "$profile" "$SCRATCH/said/mono-ret.mono.ilprof" && python3 "$python" matched "$SCRATCH/diff.json" 9
}
check "compared, texts are matched" compared

# ---- A database ----
queries() {
    run_program sql mono "$SCRATCH/sql/LeavesSql.exe"
    [ "$(cat "$SCRATCH/said/sql.mono.out")" -eq 5525 ] && report "$SCRATCH/said/sql.mono.ilprof" "$SCRATCH/said/sql.json" &&
        python3 "$python" counts "$SCRATCH/said/sql.json" "$SCRATCH/sql.counts"
}
cat >"$SCRATCH/sql.counts" <<'END'
1  SELECT id FROM customers
25 SELECT sum FROM orders WHERE customer = ?
25 INSERT INTO customers VALUES (?); INSERT INTO orders VALUES (?, ?)
1  CREATE TABLE customers ?; CREATE TABLE orders ?
END
mkdir -p "$SCRATCH/sql"
if mcs -nologo -define:MONO -r:Mono.Data.Sqlite -r:System.Data -out:"$SCRATCH/LeavesSql.exe" "$fixtures/LeavesSql.cs" >"$SCRATCH/mcs" 2>&1 &&
    mono "$SCRATCH/LeavesSql.exe" >"$SCRATCH/mcs" 2>&1; then
    "$ILINJECT" -q "$SCRATCH/LeavesSql.exe" --leaves --command-texts -o "$SCRATCH/sql/" || exit 1
    check "1 + 25 queries of SQLite are two texts, of 1 and 25" queries
else
    skip "1 + 25 queries of SQLite are two texts" "$(tail -n 1 "$SCRATCH/mcs")"
fi
finish
