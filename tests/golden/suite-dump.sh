#!/usr/bin/env bash
# The output of `ilinject dump`: of the sample, the whole text of tables and IL, looked through by
# hand; of real assemblies, that row counts, method names and every instruction are monodis's, and
# tables System.Reflection.Metadata's. `UPDATE=1` writes the expected text again.
. "$(dirname "$0")/../lib.sh"
golden=$ROOT/tests/golden

# Compiled twice, only the MVID differs.
dumps_as_expected() {
    mcs -nologo -out:"$SCRATCH/TestClass.exe" "$ROOT/fixtures/cs/TestClass.cs" &&
        "$ILINJECT" dump --tables --il "$SCRATCH/TestClass.exe" >"$SCRATCH/whole" || return 1
    sed 's/Mvid={[-0-9a-f]*}/Mvid={…}/' "$SCRATCH/whole" >"$SCRATCH/TestClass.dump"
    [ -z "${UPDATE:-}" ] || cp "$SCRATCH/TestClass.dump" "$golden/TestClass.dump"
    diff -u "$golden/TestClass.dump" "$SCRATCH/TestClass.dump"
}

all_parts_are_the_sum_of_each() {
    local part
    for part in headers tables heaps il; do "$ILINJECT" dump --$part "$SCRATCH/TestClass.exe" || return 1; done >"$SCRATCH/parts"
    "$ILINJECT" dump "$SCRATCH/TestClass.exe" | cmp - "$SCRATCH/parts"
}

# A byte of the first method's name in #Strings made to lie outside: reported in its place, the rest still shown, exit 1.
broken_parts_are_shown_as_such() {
    local from at size
    cp "$SCRATCH/TestClass.exe" "$SCRATCH/broken.exe"
    # Cut the #Strings stream down to 1 byte in its header: every name but the empty one is then outside.
    at=$(LC_ALL=C grep -obUa '#Strings' "$SCRATCH/broken.exe" | head -n 1 | cut -d: -f1)
    printf '\001\000\000\000' | dd of="$SCRATCH/broken.exe" bs=1 seek=$((at - 4)) conv=notrunc 2>/dev/null
    "$ILINJECT" dump --tables "$SCRATCH/broken.exe" >"$SCRATCH/broken" 2>"$SCRATCH/said"
    [ $? -eq 1 ] || return 1
    local count
    count=$(grep -o '<bad ' "$SCRATCH/broken" | wc -l)
    [ "$(wc -l <"$SCRATCH/said")" -eq 1 ] && grep -q "broken.exe: error ILJ0209: $count places .* the first: string 0x" "$SCRATCH/said" || return 1
    grep -q '^0x06000001 .* Name=<bad string 0x' "$SCRATCH/broken" &&
        [ "$(wc -l <"$SCRATCH/broken")" -eq "$("$ILINJECT" dump --tables "$SCRATCH/TestClass.exe" | wc -l)" ]
}

# A portable PDB's rows name methods of its image, as many as its #Pdb stream says; the row after the last one is a bad one.
pdb_is_dumped() {
    local methods at
    "$ROOT/tests/dotnet-csc" "$SCRATCH/Pdb.dll" -target:library -debug:portable "$ROOT/fixtures/cs/TestClass.cs" >/dev/null &&
        "$ILINJECT" dump "$SCRATCH/Pdb.pdb" >"$SCRATCH/pdb" || return 1
    methods=$("$ILINJECT" dump --tables "$SCRATCH/Pdb.dll" | sed -n 's/^table MethodDef .*, \([0-9]*\) rows.*/\1/p')
    grep -q "^0x32[0-9a-f]* Method=0x06" "$SCRATCH/pdb" && ! grep -q '<bad' "$SCRATCH/pdb" &&
        [ "$(grep -c '^0x31' "$SCRATCH/pdb")" -eq "$methods" ] || return 1
    # One method less in the #Pdb stream: the last one's scopes then name no row.
    python3 - "$SCRATCH" <<'PYTHON' || return 1
import struct, sys
data = bytearray(open(sys.argv[1] + "/Pdb.pdb", "rb").read())
(stream,) = struct.unpack_from("<I", data, data.index(b"#Pdb") - 8)
(tables,) = struct.unpack_from("<Q", data, stream + 24)
rows = stream + 32 + 4 * bin(tables & 0x3F).count("1")
struct.pack_into("<I", data, rows, struct.unpack_from("<I", data, rows)[0] - 1)
open(sys.argv[1] + "/less.pdb", "wb").write(data)
PYTHON
    "$ILINJECT" dump "$SCRATCH/less.pdb" 2>"$SCRATCH/said" >"$SCRATCH/pdb"
    [ $? -eq 1 ] && grep -q 'less.pdb: error ILJ0209: [1-9][0-9]* places .* the first: row 0x6' "$SCRATCH/said"
}

row_counts_agree() { # file
    "$ILINJECT" dump --tables "$1" | sed -n 's/^table \([A-Za-z]*\) .*, \([0-9]*\) rows.*/\1 \2/p' | sort >"$SCRATCH/all"
    local option table failed=0
    while read -r option table; do
        theirs=$(monodis --"$option" "$1" | grep -a -o '^[0-9]*: ' | sort -n | tail -n 1)
        ours=$(sed -n "s/^$table //p" "$SCRATCH/all")
        [ "${theirs%: }" = "$ours" ] || { echo "$table: monodis ${theirs%: }, ours $ours"; failed=1; }
    done <<'TABLES'
typeref TypeRef
typedef TypeDef
memberref MemberRef
method MethodDef
param Param
interface InterfaceImpl
constant Constant
customattr CustomAttribute
nested NestedClass
genericpar GenericParam
property Property
methodsem MethodSemantics
fieldrva FieldRVA
methodspec MethodSpec
standalonesig StandAloneSig
implmap ImplMap
TABLES
    return $failed
}

method_names_agree() { # file; expects $SCRATCH/monodis
    awk '/^ *\/\/ method line / { row = $4 } /\/\/ end of (global )?method / { sub(/^.*\/\/ end of (global )?method /, ""); sub(/^.*::/, ""); printf "0x%08x %s\n", 100663296 + row, $0 }' "$SCRATCH/monodis" | sort -u >"$SCRATCH/theirs"
    "$ILINJECT" dump --tables "$1" | sed -n 's/^\(0x06[0-9a-f]*\) .* Name="\([^"]*\)" Signature=.*/\1 \2/p' | sed 's/ .*::/ /' | sort -u >"$SCRATCH/ours"
    [ -s "$SCRATCH/ours" ] && diff "$SCRATCH/theirs" "$SCRATCH/ours"
}

instructions_agree() { # file; expects $SCRATCH/monodis
    awk '/^ *\/\/ method line / { row = $4 } /^[ \t]+IL_[0-9a-f]+: / { printf "0x%08x %s %s\n", 100663296 + row, $1, $2 }' "$SCRATCH/monodis" | LC_ALL=C sort -u >"$SCRATCH/theirs"
    "$ILINJECT" dump --il "$1" | awk '/^method / { row = $2 } /^  IL_/ { print row, $1, $2 }' | LC_ALL=C sort -u >"$SCRATCH/ours"
    [ -s "$SCRATCH/ours" ] && diff "$SCRATCH/theirs" "$SCRATCH/ours"
}

# Lists of members are left out, which that reader gives as lists, and the namespaces of TypeDef, where it looks through nesting.
tables_agree() { # file
    dotnet "$SCRATCH/Tables.dll" "$1" >"$SCRATCH/theirs" || return 1
    "$ILINJECT" dump --tables "$1" | sed -n -e 's/^\(table .* bytes\).*/\1/p' -e '/^0x0[1246ac]/{
        s/ FieldList=.*//; s/ ParamList=.*//; s/^\(0x02.*\) TypeNamespace="[^"]*"/\1/; p
        }' >"$SCRATCH/ours"
    [ "$(wc -l <"$SCRATCH/ours")" -gt 1000 ] && diff <(LC_ALL=C sort "$SCRATCH/theirs") <(LC_ALL=C sort "$SCRATCH/ours") | head -n 20 >"$SCRATCH/differ"
    [ -s "$SCRATCH/ours" ] && [ ! -s "$SCRATCH/differ" ] || { cat "$SCRATCH/differ"; return 1; }
}

if has dotnet && has python3; then
    check "a portable PDB is dumped, and its methods are those of its image" pdb_is_dumped
else
    skip "a portable PDB is dumped, and its methods are those of its image" "the .NET SDK or Python is missing"
fi
if has mcs; then
    check "tables and IL of the sample read as expected" dumps_as_expected
    check "the whole dump is the sum of its parts" all_parts_are_the_sum_of_each
    check "a name outside its heap is shown as such, the dump goes on and exits 1" broken_parts_are_shown_as_such
else
    skip "tables and IL of the sample read as expected" "mcs is missing"
fi

for file in mscorlib.dll System.Core.dll mcs.exe; do
    path=/usr/lib/mono/4.5/$file
    if has monodis && [ -f "$path" ]; then
        monodis "$path" >"$SCRATCH/monodis"
        check "row counts of $file are monodis's" row_counts_agree "$path"
        check "method names of $file are monodis's" method_names_agree "$path"
        check "every instruction of $file is monodis's" instructions_agree "$path"
    else
        skip "rows, names and instructions of $file are monodis's" "Mono is missing"
    fi
done
reason=$("$ROOT/tests/dotnet-csc" "$SCRATCH/Tables.dll" "$ROOT/tests/golden/Tables.cs" 2>&1)
if [ $? -eq 77 ]; then
    skip "tables are as System.Reflection.Metadata reads them" "$reason"
else
    for file in mscorlib.dll System.Core.dll mcs.exe; do
        path=/usr/lib/mono/4.5/$file
        [ -f "$path" ] || { skip "tables of $file are as System.Reflection.Metadata reads them" "Mono is missing"; continue; }
        check "tables of $file are as System.Reflection.Metadata reads them" tables_agree "$path"
    done
fi
finish
