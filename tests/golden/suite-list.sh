#!/usr/bin/env bash
# The output of `ilinject list`: of fixtures, the whole text, looked through by hand; of real
# assemblies, that its methods and IL sizes are monodis's. `UPDATE=1 tests/golden/suite-list.sh`
# writes the expected texts again, for a review of the change.
. "$(dirname "$0")/../lib.sh"
golden=$ROOT/tests/golden

lists_as_expected() { # name, options of mcs…
    local name=$1
    shift
    mcs -nologo -nowarn:67,169,414,626,649,659,661 "$@" -out:"$SCRATCH/$name.dll" "$ROOT/fixtures/cs/$name.cs" &&
        "$ILINJECT" list "$SCRATCH/$name.dll" >"$SCRATCH/$name.list" || return 1
    [ -z "${UPDATE:-}" ] || cp "$SCRATCH/$name.list" "$golden/$name.list"
    diff -u "$golden/$name.list" "$SCRATCH/$name.list"
}

shows() { # file, fixed strings that must each stand in one line of its listing
    local file=$1 listing line
    shift
    listing=$("$ILINJECT" list "$file") || return 1
    for line; do
        grep -qF -- "$line" <<<"$listing" || { echo "not listed: $line"; return 1; }
    done
}

newer_members() {
    "$ROOT/tests/dotnet-csc" "$SCRATCH/Newer.dll" -target:library -unsafe "$ROOT/fixtures/cs/Newer.cs" || return 1
    shows "$SCRATCH/Newer.dll" \
        'abstract            getter                   get_Zero()' \
        'abstract            operator                 op_Addition(T, T)' \
        'instrument          method                   Defaulted()' \
        'instrument          local function           <PublicVoidFunction>g__Local|0(int)' \
        'instrument          lambda                   <PublicVoidFunction>b__1(int)' \
        'instrument          async                    MoveNext()' \
        'instrument          iterator                 MoveNext()' \
        'setter                   set_Initialised(int)' \
        'Pointers(delegate*<int, string, void>, delegate* unmanaged[Stdcall]<byte*, int>, in decimal, ReadOnlySpan<char?>, ValueTuple<int, string>[], nint)'
}

# The order of the listing is by type; monodis names each method's row and its code size.
rows_and_sizes_agree() { # file
    monodis "$1" >"$SCRATCH/monodis" || return 1
    awk '/^ *\/\/ method line / { row = $4 } /^\t\/\/ Code size / { print row, $4 }' "$SCRATCH/monodis" | sort -n -u >"$SCRATCH/theirs"
    "$ILINJECT" list "$1" | sed -n 's/^ *0x06\([0-9a-f]*\)  *\([1-9][0-9]*\) .*/\1 \2/p' |
        while read -r row size; do echo "$((16#$row)) $size"; done | sort -n -u >"$SCRATCH/ours"
    [ -s "$SCRATCH/ours" ] && diff "$SCRATCH/theirs" "$SCRATCH/ours"
}

json_says_what_the_text_says() { # file
    "$ILINJECT" list --json "$1" >"$SCRATCH/json" || return 1
    python3 - "$SCRATCH/json" >"$SCRATCH/from-json" <<'PYTHON' || return 1
import json, sys
for type in json.load(open(sys.argv[1], encoding="utf-8"))["types"]:
    for m in type["methods"]:
        action = m["action"] if m["action"] == "instrument" else m["reason"]
        print("%s|%d|%s|%s|%s" % (m["token"], m["il_size"], action, m["kind"], m["name"]))
PYTHON
    "$ILINJECT" list "$1" | sed -n 's/^ *\(0x06[0-9a-f]*\) *\([0-9]*\)  \(.\{18\}\)  \(.\{23\}\)  /\1|\2|\3|\4|/p' |
        sed 's/ *|/|/g' >"$SCRATCH/from-text"
    [ -s "$SCRATCH/from-text" ] && diff "$SCRATCH/from-json" "$SCRATCH/from-text"
}

# "44 to instrument, 3 abstract, …" beside the summary of a dry run.
list_and_instrument_agree() { # file
    "$ILINJECT" --dry-run --json "$1" -o "$SCRATCH/dry" | sed -n '/"total"/,$p' |
        sed -n 's/.*"instrumented": \([0-9]*\),.*/\1 to instrument/p; s/.*"left_out": {\(.*\)}.*/\1/p' |
        sed 's/"\([^"]*\)": \([0-9]*\)/\2 \1/g' | paste -s -d, | sed 's/, */, /g; s/, $//' >"$SCRATCH/done"
    "$ILINJECT" list "$1" | sed -n '$s/.* methods: //p' >"$SCRATCH/said"
    [ -s "$SCRATCH/said" ] && diff "$SCRATCH/done" "$SCRATCH/said"
}

if has mcs; then
    check "the sample of the article lists with all its members, private ones too" lists_as_expected TestClass
    check "every kind of member has its kind word, name and fate" lists_as_expected Members -unsafe -target:library
    check "instrumenting does what the listing says" list_and_instrument_agree "$SCRATCH/Members.dll"
    if has python3; then
        check "JSON says what the text says" json_says_what_the_text_says "$SCRATCH/Members.dll"
    else
        skip "JSON says what the text says" "python3 is missing"
    fi
else
    skip "every kind of member has its kind word, name and fate" "mcs is missing"
fi

reason=$("$ROOT/tests/dotnet-csc" "$SCRATCH/probe.dll" -target:library "$ROOT/fixtures/cs/Newer.cs" 2>&1)
if [ $? -eq 77 ]; then
    skip "local functions, async iterators and static abstracts are known" "$reason"
else
    check "local functions, async iterators and static abstracts are known" newer_members
fi

for file in mscorlib.dll System.Core.dll mcs.exe; do
    path=/usr/lib/mono/4.5/$file
    sentence="methods with IL, and its sizes, are monodis's in $file"
    if has monodis && [ -f "$path" ]; then
        check "$sentence" rows_and_sizes_agree "$path"
        check "instrumenting $file does what the listing says" list_and_instrument_agree "$path"
    else
        skip "$sentence" "Mono is missing"
    fi
done

api=$(ls -d /usr/lib/mono/4.*-api/System.dll 2>/dev/null | tail -n 1)
if [ -n "$api" ]; then
    check "methods of a reference assembly are left out as such" shows "$api" "  reference assembly  " ": 0 to instrument"
else
    skip "methods of a reference assembly are left out as such" "Mono's reference assemblies are missing"
fi
finish
