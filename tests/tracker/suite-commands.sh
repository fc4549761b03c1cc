#!/usr/bin/env bash
# Texts of commands without their values: a table that was written by hand, and texts that are made around secrets, and no secret
# may be left.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../e2e/lib/sh/ladder.sh"
cd "$SCRATCH" || exit 1
sources=("$ROOT"/tests/tracker/Command{Masks,Statements}.cs "$ROOT"/runtime-tracker/Commands/Sql*.cs)
if ! has mono || ! has mcs; then
    skip "commands' texts under mono" "mono and mcs are not installed"
else
    mcs -nologo -out:masks.exe "${sources[@]}" || exit 1
    check "texts are masked as the table says, under mono" timeout 300 mono masks.exe table
    check "no secret is left in a text, under mono" timeout 300 mono masks.exe secrets 7 20000
    mcs -nologo -out:fuzz.exe "$ROOT/tests/fuzz/fuzz_sql.cs" "$ROOT"/runtime-tracker/Commands/Sql*.cs || exit 1
    check "nor is one in statements that are torn apart" timeout 300 mono fuzz.exe 2 11
fi
if can dotnet && compiled csc masks.dll "${sources[@]}"; then
    check "texts are masked as the table says, under dotnet" timeout 300 dotnet masks.dll table
    check "no secret is left in a text, under dotnet" timeout 300 dotnet masks.dll secrets 8 20000
else
    skip "commands' texts under dotnet" "no .NET SDK"
fi
finish
