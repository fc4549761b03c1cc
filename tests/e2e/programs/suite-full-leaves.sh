#!/usr/bin/env bash
# level: full
# Every call of what is not instrumented as a leaf (--leaves='*'), over whole programs and libraries of others: no verifier
# and no compiler finds a new fault, and the programs do what they did. Files grow by the default leaves as far as
# the bound allows. Queries against SQLite are counted.
. "$(dirname "$0")/../../corpus/many.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
extent=${EXTENT:-all}
. "$(dirname "$0")/../lib/sh/option.sh"
every=$ROOT/tests/ilinject-leaves

grown() {
    sizes_with --leaves '--leaves=*' >"$SCRATCH/sizes" && awk '{
        if (!$2) exit 1
        printf "%d files: %.2f %% without leaves, %.2f %% with the default ones, %.2f %% with every call\n", $1, ($3 - $2) * 100 / $2,
            ($4 - $2) * 100 / $2, ($5 - $2) * 100 / $2
        printf "the default leaves alone: %.2f %% of an instrumented file\n", ($4 - $3) * 100 / $3
        exit ($4 - $3) * 100 / $3 >= 15 }' "$SCRATCH/sizes"
}
if libraries_with "$every" "with every call"; then
    check "the default leaves add less than 15 % to files" eval 'grown >"$SCRATCH/grown" || { cat "$SCRATCH/grown"; false; }'
    cat "$SCRATCH/grown"
fi
programs_with "$every" "with every call"

# ---- Queries ----
queries() { # RUNTIME FOLDER FILE
    run_program "sql" "$1" "$2/before/$3"
    run_program "sql-after" "$1" "$2/after/$3"
    same_run sql sql-after "$1" || return
    [ "$(cat "$SCRATCH/said/sql.$1.out")" -eq 5525 ] || return # 1 + 4 + 9 … + 625
    "$ILINJECT" report --format=json -o "$SCRATCH/sql.json" "$SCRATCH/said/sql-after.$1.ilprof" &&
        python3 "$ROOT/tests/e2e/lib/py/leaves.py" counts "$SCRATCH/sql.json" "$SCRATCH/sql.counts"
}
# Each customer is inserted by one command; each reader ends with one Read that finds nothing. Where a
# method overrides another one, compilers name the latter.
cat >"$SCRATCH/sql.counts" <<'END'
26 Mono.Data.Sqlite.SqliteCommand.ExecuteReader(
26 System.Data.Common.DbCommand.ExecuteNonQuery(
76 System.Data.Common.DbDataReader.Read(
END
mkdir -p "$SCRATCH"/mono/{before,after} "$SCRATCH"/net/{before,after}
if has mono && has mcs && mcs -nologo -define:MONO -r:Mono.Data.Sqlite -r:System.Data -out:"$SCRATCH/mono/before/LeavesSql.exe" "$ROOT/fixtures/cs/LeavesSql.cs" >"$SCRATCH/mcs" 2>&1 &&
    mono "$SCRATCH/mono/before/LeavesSql.exe" >"$SCRATCH/mcs" 2>&1; then
    check "a program of queries gets the default leaves" "$ILINJECT" -q "$SCRATCH/mono/before/LeavesSql.exe" --leaves -o "$SCRATCH/mono/after/"
    check "1 + 25 queries are 1 + 25, under mono" queries mono "$SCRATCH/mono" LeavesSql.exe
else
    skip "1 + 25 queries are 1 + 25, under mono" "$(tail -n 1 "$SCRATCH/mcs")"
fi
cat >"$SCRATCH/sql.counts" <<'END'
26 Microsoft.Data.Sqlite.SqliteCommand.ExecuteReader(
26 System.Data.Common.DbCommand.ExecuteNonQuery(
76 System.Data.Common.DbDataReader.Read(
END
pins=(Microsoft.Data.Sqlite.Core/9.0.0 SQLitePCLRaw.core/2.1.13 SQLitePCLRaw.provider.sqlite3/2.1.11)
if ! can dotnet || ! packages=$("$ROOT/tests/nuget-fetch" "${pins[@]}"); then
    skip "1 + 25 queries are 1 + 25, under dotnet" "${packages:-no .NET SDK}"
else
    libraries=("$packages"/microsoft.data.sqlite.core/9.0.0/lib/net8.0/Microsoft.Data.Sqlite.dll
        "$packages"/sqlitepclraw.core/2.1.13/lib/netstandard2.0/SQLitePCLRaw.core.dll
        "$packages"/sqlitepclraw.provider.sqlite3/2.1.11/lib/net6.0/SQLitePCLRaw.provider.sqlite3.dll)
    cp "${libraries[@]}" "$SCRATCH/net/before/" && cp "${libraries[@]}" "$SCRATCH/net/after/"
    if compiled csc "$SCRATCH/net/before/LeavesSql.dll" -nowarn:1701,1702 "${libraries[@]/#/-r:}" "$ROOT/fixtures/cs/LeavesSql.cs" &&
        dotnet "$SCRATCH/net/before/LeavesSql.dll" >"$SCRATCH/csc" 2>&1; then
        cp "$SCRATCH/net/before/LeavesSql.runtimeconfig.json" "$SCRATCH/net/after/"
        check "so it does for .NET" "$ILINJECT" -q "$SCRATCH/net/before/LeavesSql.dll" --leaves -o "$SCRATCH/net/after/"
        check "1 + 25 queries are 1 + 25, under dotnet" queries dotnet "$SCRATCH/net" LeavesSql.dll
    else
        skip "1 + 25 queries are 1 + 25, under dotnet" "$(tail -n 1 "$SCRATCH/csc")"
    fi
fi
finish
