#!/usr/bin/env bash
# A tracker of one's own gets a method's arguments and its result by what its own methods take: which values, of each kind of type; that such code
# compiles and is no worse for a verifier; and which shapes are refused.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
cd "$SCRATCH" || exit 1
fixtures=$ROOT/fixtures/cs
if ! has mcs || ! can mono; then
    skip "a tracker of one's own gets values" "no mono or no mcs"
    finish
fi

mcs -nologo -define:MONO -target:library -out:before/Other.dll "$fixtures/CapturedOther.cs" &&
    mcs -nologo -define:MONO -unsafe -optimize -r:before/Other.dll -out:before/Captured.exe "$fixtures/Captured.cs" || exit 1
mkdir core
programs=(mono before/Captured.exe)
if can dotnet && compiled csc core/Other.dll -target:library "$fixtures/CapturedOther.cs"; then
    compiled csc core/Captured.dll -unsafe -optimize -r:core/Other.dll "$fixtures/Captured.cs"
    programs+=(dotnet core/Captured.dll)
else
    skip "a tracker of one's own gets values under dotnet" "no .NET SDK"
fi

# The fixture's calls by hand: those marked are for what mcs cannot compile. Names of state machines
# are the compilers' own, and an async method's second slice comes when it likes.
expected_for() { # RUNTIME
    if [ "$1" = dotnet ]; then sed 's/^core: //' "$fixtures/Captured.values"; else grep -v '^core: ' "$fixtures/Captured.values"; fi
}
plain() { grep -a -v -e '<Later>' -e '\.Later(' -e '<Numbers>' "$1"; }
# For calls without names, with typed results: what a name and a type are is left out.
as_untyped() { sed -E 's/^[^(]*\(/(/; s/ -> exception$/ -> null/; s/ -> [^ :]+: / -> /'; }
instrumented() { # NAME PROGRAM OPTIONS…
    local name=$1 program=$2
    shift 2
    mkdir -p "after/$name" && cp "$(dirname "$program")"/Other.dll "$(dirname "$program")"/*.runtimeconfig.json "after/$name/" 2>/dev/null
    "$ILINJECT" -q "$program" -o "after/$name/" "$@"
}
ran() { # NAME RUNTIME PROGRAM SHAPE OPTIONS…
    local name=$1 runtime=$2 program=$3 shape=$4
    shift 4
    instrumented "$name" "$program" --tracker "$shape.dll" "$@" && run_program "$name" "$runtime" "after/$name/$(basename "$program")" &&
        same_run before "$name" "$runtime"
}
named() { # NAME RUNTIME PROGRAM OPTIONS…
    local name=$1 runtime=$2 program=$3
    shift 3
    ran "$name" "$runtime" "$program" OBJECT "$@" && diff <(expected_for "$runtime") <(plain "said/$name.$runtime.err")
}
# Without a guard a call that an exception leaves is not reported, and stays open below the next ones.
named_but_thrown() { # NAME RUNTIME PROGRAM
    ran "$1" "$2" "$3" OBJECT --exits=ret && diff <(expected_for "$2" | sed 's/ -> .*//' | grep -v -e '\.Fails(Int32 3' -e '\.Passes(' | sort) \
        <(plain "said/$1.$2.err" | sed 's/ -> .*//' | grep -a -v -e '\.Fails(Int32 3' -e '\.Passes(' | sort | sed '/^Captured\.Main()/d; $a Captured.Main()' | sort)
}
alike() { # NAME RUNTIME PROGRAM SHAPE
    ran "$@" && diff <(as_untyped <"said/OBJECT-$2.$2.err" | sort) <(as_untyped <"said/$1.$2.err" | sort)
}
typed() { # RUNTIME
    local wanted
    for wanted in '(Int32 1, Int32[1], List`1) -> Int32: Int32 1' '("s", String[1], null) -> String: "s"' '(Size, Size, null) -> Size: Size' '(Size[1]) -> Size: Size' \
        '(null, null) -> Object: null' '(Int32 3) -> IEnumerable`1: ' '() -> Boolean: Boolean False'; do
        grep -a -q -F -- "$wanted" "said/TYPED-$1.$1.err" || { echo "no call $wanted"; return 1; }
    done
    grep -a -q '^(Int32 21) -> Task`1: ' "said/TYPED-$1.$1.err"
}
# The method that starts a machine has what was written; MoveNext has no argument, and returns to its caller.
machines() { # RUNTIME
    local said=said/OBJECT-$1.$1.err
    grep -a -q '^Captured\.Numbers(Int32 3) -> <Numbers>' "$said" && [ "$(grep -a -c '<Numbers>.*MoveNext() -> Boolean True$' "$said")" -eq 3 ] &&
        grep -a -q '^Captured\.Later(Int32 21) -> ' "$said" && [ "$(grep -a -c '<Later>.*MoveNext() -> null$' "$said")" -eq 2 ]
}
for shape in OBJECT ALONE TYPED REGISTERED; do mcs -nologo -target:library -out:$shape.dll -define:$shape "$fixtures/ValuesTracker.cs" || exit 1; done
for ((i = 0; i < ${#programs[@]}; i += 2)); do
    runtime=${programs[i]} program=${programs[i + 1]}
    run_program before "$runtime" "$program"
    check "arguments and results are those of the call under $runtime" named "OBJECT-$runtime" "$runtime" "$program"
    check "state machines are told of like other methods under $runtime" machines "$runtime"
    check "and so they are before each return alone under $runtime" named_but_thrown "ret-$runtime" "$runtime" "$program"
    for shape in ALONE TYPED REGISTERED; do
        check "the shape $shape gets the same under $runtime" alike "$shape-$runtime" "$runtime" "$program" $shape
    done
    check "a generic leave gets results in their own types under $runtime" typed "$runtime"
done

# ---- For those who judge code ------------------------------------------------------------------------------------------

compiles_ahead() { mono --compile-all=1 "after/$1-mono/Captured.exe"; }
verifies() { new_lines <("$ROOT/tests/verify" before/Captured.exe | sed 's/ at 0x[0-9a-f]*$//') <("$ROOT/tests/verify" "after/$1-mono/Captured.exe" | sed 's/ at 0x[0-9a-f]*$//'); }
for shape in OBJECT ALONE TYPED REGISTERED ret; do
    check "mono compiles all methods with $shape" compiles_ahead $shape
    if has peverify; then check "a verifier has nothing new to say of $shape" verifies $shape; else skip "a verifier has nothing new to say of $shape" "no peverify"; fi
done
# A type that turns out to be a ref struct is boxed by a method of its own, which is never entered.
if can dotnet && compiled csc walker.dll -unsafe -optimize "$ROOT"/tests/foreign/walker/*.cs; then
    prepares() { # SHAPE
        dotnet walker.dll prepare "after/$1-dotnet/Captured.dll" >prepared.out 2>&1
        tail -n 1 prepared.out | grep -q ' prepared, .* faults$' && ! grep -v -e ' prepared, ' -e '<ilinject>::.*\(Box\|Leave\)Value(' prepared.out
    }
    for shape in OBJECT TYPED REGISTERED; do check "CoreCLR prepares all methods with $shape" prepares $shape; done
fi

# ---- Shapes ------------------------------------------------------------------------------------------------------------

refused() { # METHODS
    echo "namespace Instrumenter { public static class ProfileInfoTracker { $1 } }" >Odd.cs && mcs -nologo -target:library -out:Odd.dll Odd.cs || return
    ! "$ILINJECT" -q before/Captured.exe -o after/refused/ --tracker Odd.dll 2>refused.err && grep -q 'ILJ0404: .*has a shape that is not known' refused.err && return
    cat refused.err
    return 1
}
check "a generic enter is refused" refused 'public static void WhenEnteringMethod<T>(T x) { } public static void WhenLeavingMethod() { }'
check "so are an object[] before the id" refused 'public static void WhenEnteringMethod(object[] x, int id) { } public static void WhenLeavingMethod() { }'
check "a leave with a constraint" refused 'public static void WhenEnteringMethod() { } public static void WhenLeavingMethod<T>(T x) where T : struct { }'
check "one whose type parameter is no parameter's" refused 'public static void WhenEnteringMethod() { } public static void WhenLeavingMethod<T>(object x) { }'
check "and one that leaves out the token" refused 'public static int WhenEnteringMethod() { return 1; } public static void WhenLeavingMethod(object result) { }'
# A leave with one object after an enter that returns one takes that: the token, as ever.
token_it_is() {
    echo 'namespace Instrumenter { public static class ProfileInfoTracker { public static object WhenEnteringMethod() { return "t"; }
        public static void WhenLeavingMethod(object t) { if (!"t".Equals(t)) System.Console.WriteLine("no token"); } } }' >Token.cs &&
        mcs -nologo -target:library -out:Token.dll Token.cs && ran token mono before/Captured.exe Token
}
check "a single object behind an enter that returns one is the token" token_it_is
finish
