#!/usr/bin/env bash
# The selection by rules, attributes and the configuration file: against reflection, in running
# programs, in exit values.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/ladder.sh"
cd "$SCRATCH" || exit 1
unset "${!ILINJECT_@}"

if ! has mcs; then
    skip "methods are selected" "no mcs"
    finish
fi
mcs -nologo -out:Selected.exe "$ROOT/fixtures/cs/Selected.cs" || exit 1

run() { # value arguments…: output in out, diagnostics in err
    local wanted=$1
    shift
    "$ILINJECT" "$@" >out 2>err
    local got=$?
    [ "$got" -eq "$wanted" ] || { echo "exit value $got instead of $wanted"; cat out err; return 1; }
}
tells() { grep -q -x -F -- "$1" err || { echo "not told: $1"; cat err; return 1; }; }
silent() { [ ! -s err ] || { cat err; return 1; }; }
# The names of the methods that would be instrumented, in one line. Shorten carries [Profile]: a first include does not leave it out.
selected() { # expected arguments…
    local expected=$1 got
    shift
    run 0 list Selected.exe "$@" || return 1
    got=$(sed -n -E 's/^ *0x06[0-9a-f]* +[0-9]+  instrument .{34}([^ (]*)\(.*/\1/p' out | tr '\n' ' ')
    [ "$got" = "$expected " ] || { echo "$got"; return 1; }
}

# The methods that a foreign disassembler finds in a guard, in one line; what their heads ask for with a filter around it, too.
guards() { # expected arguments…
    local expected=$1 got
    shift
    run 0 Selected.exe -o guarded.exe "$@" || return 1
    got=$(monodis guarded.exe | awk '/\.method/ { name = "" } name == "" && match($0, /[A-Za-z_.]+\047? \(/) { name = substr($0, RSTART, RLENGTH); gsub(/[^A-Za-z_.]/, "", name) }
        /^[ \t]*fault +\{/ { print name } /^[ \t]*filter +\{/ { print "?" }' | tr '\n' ' ')
    [ "$got" = "$expected " ] || { echo "$got"; return 1; }
}

# ---- Shapes ---------------------------------------------------------------------------------------------------------

check "what can throw is guarded" guards "Add Pay Shorten" --include Shop.Till --include 'Shop.Basket.Add(int)'
check "without guards there is none" eval 'run 0 Selected.exe -o guarded.exe --exits=ret; ! monodis guarded.exe | grep -E "^\s*(fault|filter) *\{"'
check "with the search pass there are filters" guards "Pay ? Shorten ?" --include Shop.Till --exceptions=full
check "which needs guards" eval 'run 2 Selected.exe -o guarded.exe --exits=ret --exceptions=full; grep -q "exceptions=full needs --exits=guarded" err'
mcs -nologo -target:library -out:Plain.dll "$ROOT/fixtures/cs/PlainTracker.cs" || exit 1
check "and a tracker that hears of it" eval 'run 2 Selected.exe -o guarded.exe --exceptions=full --tracker Plain.dll; grep -q "ILJ.*WhenExceptionPasses" err'

# ---- Rules ----------------------------------------------------------------------------------------------------------

check "a type stands for all in it" selected ".ctor Pay Check Shorten" --include Shop.Till
check "the last rule that matches decides" selected ".ctor Pay Shorten" --include Shop.Till --exclude '**.Check'
check "the order is that of the command line" selected ".ctor Pay Check" --exclude '**.Check' --exclude Shop --include Shop.Till --exclude Program --exclude Instrumenter
check "overloads are told apart" selected "Add Shorten" --include 'Shop.Basket.Add(string, *)'
check "an attribute selects" selected ".ctor Pay Check Shorten" --include @Shop.Hot
check "an assembly selects" selected ".ctor Pay Check Shorten" --include '[Select*]Shop.Till'
check "[Profile] and [NoProfile] come before the rules" selected "Shorten Main" --include Program
check "a rule overrules them" selected ".ctor Write Shorten" --include Shop.Log
check "accessors of a field can be left out" selected "get_Total" --include 'Shop.Basket.get_*' --include 'Shop.Basket.set_*' --exclude Shop.Log --skip-trivial-accessors
check "small methods can be left out" selected "Add" --include 'Shop.Basket.Add' --exclude Shop.Log --min-il-size=14
check "what the compiler made can be left out" selected "All .ctor Text" --include '**.All' --include 'Shop.Basket.<*' --include Shop.Basket.Label --exclude Shop.Log --compiler-generated=no

decided() { # method rule arguments…
    local method=$1 rule=$2
    shift 2
    run 0 list Selected.exe "$@" && grep -q -E -e " $method\(.*\)  <- $(sed 's/[][*.$^]/\\&/g' <<<"$rule")$" out || { grep -F " $method(" out; return 1; }
}
check "list names the rule that decided" decided Pay "--include 'Shop.Till'" --include Shop.Till
check "list names an attribute that decided" decided Write "[NoProfile] of the type"
check "list says when no rule includes a method" decided Main "no include names it" --include Shop.Till
check "the JSON of list has the rule" eval 'run 0 list Selected.exe --json --exclude Shop.Till && grep -q "\"name\":\"Pay(Basket)\".*\"reason\":\"by rule\",\"rule\":\"--exclude .Shop.Till.\"" out'
agree() { # arguments…
    run 0 list Selected.exe "$@" && tail -n 1 out | sed -E 's/.*: ([0-9]+) to instrument.*/\1/' >listed &&
        run 0 --dry-run --json Selected.exe "$@" && sed -n '/"total"/,$s/.*"instrumented": \([0-9]*\),.*/\1/p' out | diff listed -
}
check "instrumenting does what the listing says" agree --include Shop --exclude '**.Add(**)' --min-il-size 8
check "the summary counts by reason" eval 'run 0 --dry-run Selected.exe --exclude Shop.Till --min-il-size 8 && grep -q -E "left out \([0-9]+ by rule, [0-9]+ too small\)" out'

# ---- Exit values and what is told ------------------------------------------------------------------------------------

check "an include without a match is told with the near name" eval 'run 0 --dry-run Selected.exe --include Shop.Bsaket --include Program && tells "command line: warning ILJ0431: include '"'Shop.Bsaket' matches no method; did you mean 'Shop.Basket'?"'"'
check "--strict makes it 3" run 3 --dry-run Selected.exe --include Shop.Bsaket --include Program --strict
check "--strict is content when all matched" eval 'run 0 --dry-run Selected.exe --include Shop.Basket --strict && silent'
check "an exclude without a match is no failure" eval 'run 0 --dry-run Selected.exe --exclude Nothing --strict && tells "command line: info ILJ0432: exclude '"'Nothing' matches no method"'"'
check "a rule needs to match in one of several inputs only" eval 'cp Selected.exe Copy.exe && mcs -nologo -target:library -out:Other.dll "$ROOT/fixtures/cs/PlainTracker.cs" && run 0 --dry-run Selected.exe Other.dll --include Shop.Till --strict'
check "a wrong pattern is wrong usage" eval 'run 2 --dry-run Selected.exe --include Shop..; tells "command line: error ILJ0430: include '"'Shop..': a name is empty"'"'
check "a choice that is none is wrong usage" run 2 --dry-run Selected.exe --compiler-generated=maybe
check "when all is left out, the input goes through unchanged" eval 'run 0 Selected.exe -o none.exe --exclude "**" && cmp Selected.exe none.exe && grep -q "ILJ0435" err'
mvid() { "$ILINJECT" list --json "$1" | sed -n '1s/.*"mvid":"\([^"]*\)".*/\1/p'; }
check "the same selection in other words gives the same bytes" eval 'run 0 Selected.exe -o a/ --include Shop.Till --exclude Shop.Log && run 0 Selected.exe -o b/ --include @Shop.Hot --exclude Shop.Log && cmp a/Selected.exe b/Selected.exe'
check "another selection gives another MVID" eval 'run 0 Selected.exe -o c/ --include Shop.Till --exclude Shop.Log --exclude "**.Check" && [ -n "$(mvid a/Selected.exe)" ] && [ "$(mvid a/Selected.exe)" != "$(mvid c/Selected.exe)" ]'

# ---- The file -------------------------------------------------------------------------------------------------------

cat >rules.xml <<'XML'
<ilinject>
  <selection min-il-size="1">
    <include pattern="Shop.Till"/>
    <exclude pattern="**.Check"/>
  </selection>
</ilinject>
XML
sed 's/min-il-size="1"/compiler-generated="never"/; s/exclude /exlude /' rules.xml >wrong.xml
if "$ILINJECT" list Selected.exe --config rules.xml 2>&1 | grep -q ILJ0434; then
    skip "a configuration file selects" "libxml2 is not installed"
else
    check "a configuration file selects" selected ".ctor Pay Shorten" --config rules.xml
    cat >exits.xml <<'XML'
<ilinject exits="ret" exceptions="full">
  <selection>
    <include pattern="Shop.Till"/>
    <include pattern="Shop.Basket.Add(**)" exits="guarded"/>
    <include pattern="Shop.Basket.Add(int)" exits="ret"/>
  </selection>
</ilinject>
XML
    check "a rule in it chooses the shape" guards "Add ?" --config exits.xml
    check "the command line's shape is for what no rule says" guards "Add Pay Shorten" --config exits.xml --exits=guarded --exceptions=paths
    sed 's/exits="ret" exc/exits="both" exc/' exits.xml >wrong-exits.xml
    check "a shape there is not is told" eval 'run 2 --dry-run Selected.exe --config wrong-exits.xml; grep -q "ILJ0433.*exits" err'
    check "the command line comes after it" selected ".ctor Pay Check Shorten" --include Shop.Till.Check --config rules.xml
    check "list names the line that decided" decided Check "rules.xml:4 exclude '**.Check'" --config rules.xml
    check "a wrong value is told with its line" eval 'run 2 --dry-run Selected.exe --config wrong.xml; grep -q -E "^wrong.xml\(2\): error ILJ0433: Element .selection., attribute .compiler-generated." err'
    check "an element that is not known is told with its line" eval 'grep -q -E "^wrong.xml\(4\): error ILJ0433: Element .exlude.: This element is not expected" err'
    check "a file that is missing is told" eval 'run 1 --dry-run Selected.exe --config missing.xml; grep -q "^missing.xml: error ILJ0900: " err'
    check "the example of the documentation is read" eval 'sed -n "/^    <?xml/,/^    <.ilinject>/p" "$ROOT/docs/configuration.md" | sed "s/^    //" >example.xml && test -s example.xml && run 0 list Selected.exe --config example.xml'
    if has xmllint; then
        check "another validator takes the schema, and judges the same" eval 'xmllint --nonet --noout --schema "$ROOT/docs/ilinject-config.xsd" rules.xml && ! xmllint --nonet --noout --schema "$ROOT/docs/ilinject-config.xsd" wrong.xml'
    else
        skip "another validator takes the schema, and judges the same" "xmllint is not installed"
    fi
    check "the library that reads it is loaded only then" eval 'LD_DEBUG=files run 0 --dry-run Selected.exe --include Shop && ! grep -q libxml2 err && LD_DEBUG=files run 0 --dry-run Selected.exe --config rules.xml && grep -q libxml2 err'
    check "without the library there is one line" eval 'mkdir -p lacking && : >lacking/libxml2.so.2 && : >lacking/libxml2.so.16 && LD_LIBRARY_PATH=$PWD/lacking run 1 --dry-run Selected.exe --config rules.xml; [ "$(wc -l <err)" -eq 1 ] && grep -q ILJ0434 err'
    # The library under its newer name, as far as the name goes: what stands first under the older one cannot be loaded.
    library=$(LD_DEBUG=files "$ILINJECT" --dry-run Selected.exe --config rules.xml 2>&1 | sed -n 's/.*calling init: \(.*libxml2\.so\.[0-9]*\)$/\1/p' | head -n 1)
    check "the library's newer name serves, too" eval 'mkdir -p newer && : >newer/libxml2.so.2 && ln -s "$library" newer/libxml2.so.16 && LD_LIBRARY_PATH=$PWD/newer run 0 --dry-run Selected.exe --config rules.xml && silent'
fi
case $BUILD in
*/san) skip "the program needs the C library only" "sanitizers bring their own" ;;
*) check "the program needs the C library only" test "$(ldd "$ILINJECT" | grep -c -v -E 'linux-vdso|ld-linux|libc\.so\.6')" -eq 0 ;;
esac

# ---- Against reflection ---------------------------------------------------------------------------------------------

selects_as_reflection() { # assembly question arguments…
    local assembly=$1 question=$2
    shift 2
    "$ILINJECT" list "$assembly" "$@" 2>/dev/null | sed -n -E 's/^ *(0x06[0-9a-f]*) +[0-9]+  instrument .*/\1/p' | sort >ours
    sed -n "s/^$question //p" theirs.all | sort >theirs
    [ -s theirs ] && diff theirs ours
}
core=/usr/lib/mono/4.5/System.Core.dll
if has mono && [ -f "$core" ] && mcs -nologo -r:System.Core -out:Selecting.exe "$ROOT/tests/e2e/lib/Selecting.cs" && mono Selecting.exe "$core" >theirs.all; then
    check "a namespace is what reflection says it is" selects_as_reflection "$core" namespace --include System.Linq
    check "methods by their names are" selects_as_reflection "$core" getters --include '**.get_*(**)'
    check "what is left out and taken back is" selects_as_reflection "$core" but --exclude System.Linq --include '**.Enumerable.Select*'
    check "what carries an attribute is" selects_as_reflection "$core" attribute --include @System.Runtime.CompilerServices.CompilerGeneratedAttribute
    check "what has a size is" selects_as_reflection "$core" size --min-il-size 50
    check "what the compiler made is" selects_as_reflection "$core" source --compiler-generated=no
    check "an overload is" selects_as_reflection "$core" overload --include '**.Sum(IEnumerable<int>)'
    check "constructors are" selects_as_reflection "$core" constructors --include '**..ctor'
else
    skip "selections are what reflection says they are" "Mono or its System.Core is missing"
fi

# ---- In running programs --------------------------------------------------------------------------------------------

cp Selected.exe "$SCRATCH/before/"
if can dotnet; then runtimeconfig "$SCRATCH/before/Selected.exe"; fi
shows_only() { # name runtime expected arguments…
    local name=$1 runtime=$2
    printf '%s\n' "$3" >"$name.expected"
    shift 3
    mkdir -p "$SCRATCH/after/$name"
    "$ILINJECT" "$SCRATCH/before/Selected.exe" -o "$SCRATCH/after/$name/Selected.exe" "$@" || return 1
    run_program Selected "$runtime" "$SCRATCH/before/Selected.exe"
    run_program "$name" "$runtime" "$SCRATCH/after/$name/Selected.exe"
    same_run Selected "$name" "$runtime" && profile_agrees "$SCRATCH/said/$name.$runtime.ilprof" "$name.expected"
}
# Bodies that stay between bodies that change: the lines of stack traces are those of the original.
same_lines() { # arguments…
    "$ILINJECT" lines/Symbols.dll -o lines.out/ "$@" && (cd lines && dotnet Symbols.dll >../lines.before 2>/dev/null)
    (cd lines.out && dotnet Symbols.dll >../lines.after 2>/dev/null)
    grep -q 'Symbols.cs:[1-9]' lines.before && diff lines.before lines.after
}
mkdir lines
if can dotnet && "$ROOT/tests/dotnet-csc" lines/Symbols.dll -debug:portable "$ROOT/fixtures/cs/Symbols.cs"; then
    check "with half of the methods selected, traces name the same lines" same_lines --include '**.*a*(**)' --exclude '**.*e' --strict
    check "without what the compiler made, traces name the same lines" same_lines --compiler-generated=no
else
    skip "with half of the methods selected, traces name the same lines" "no .NET SDK"
fi
for runtime in mono dotnet; do
    if can "$runtime"; then
        check "a profile shows the selected methods alone under $runtime" shows_only till "$runtime" $'1 Shop.Till::Pay*\n1 Shop.Till::Check*\n1 Shop.Till::Till*\n1 Shop.Log.Writer::Shorten*' --include Shop.Till
        check "a profile lacks what was left out under $runtime" shows_only less "$runtime" $'6 Shop.Basket::Add*\n? Shop.Till::*\n? Shop.Basket*::*\n1 Shop.Log.Writer::Shorten*' --exclude Program --exclude 'Shop.Basket.Add(string, int)'
    else
        skip "a profile shows the selected methods alone under $runtime" "$runtime is not there"
    fi
done
finish
