#!/usr/bin/env bash
# The report's views of a program that ran, and that what `--suggest` writes is what `--config` reads: instrumented again with it, the
# methods that it names are in no count.
. "$(dirname "$0")/../../lib.sh"
if ! has mcs || ! has mono; then
    skip "the report's views" "no mcs or mono"
    finish
fi
cat >"$SCRATCH/Small.cs" <<'CS'
using System;
using System.Collections.Generic;
struct Vector {
    readonly int x;
    public Vector(int x) { this.x = x; }
    public static Vector operator +(Vector a, Vector b) { return new Vector(a.x + b.x); }
    public int X { get { return x; } }
}
static class Program {
    static IEnumerable<int> Count(int n) { for (int i = 0; i < n; i++) yield return i; }
    static int Walk(int steps) {
        Vector at = new Vector(0);
        foreach (int i in Count(steps)) at += new Vector(1);
        return at.X;
    }
    static void Main() { Console.WriteLine(Walk(3000)); }
}
CS
mcs -nologo -optimize -out:"$SCRATCH/Small.exe" "$SCRATCH/Small.cs" || exit 1
run() { # FOLDER options…: instruments into it, runs, leaves the profile Small.ilprof there
    local folder=$SCRATCH/$1
    shift
    "$ILINJECT" "$SCRATCH/Small.exe" -o "$folder/" "$@" >"$folder.told" && (cd "$folder" && mono Small.exe >out && grep -qx 3000 out)
}
report() { # [PROFILE] options…
    local profile=Small.ilprof
    case ${1:-} in *.ilprof) profile=$1; shift ;; esac
    (cd "$SCRATCH/first" && "$ILINJECT" report "$profile" --width=0 "$@")
}
check "the program runs" run first
# Walk's own vector, one a step, and one for each sum.
check "the table counts its calls" grep -qE '^ *6,001 .* Vector\.Vector\(int\)$' <(report --view=functions)
check "operators are called as they are written" grep -qE '^ *3,000 .* Vector\.operator \+\(Vector, Vector\)$' <(report --view=functions)
check "an iterator's steps are its own" grep -qE '^ *1 +3,001 .* Program\.Count\(int\) \[iterator\]$' <(report --view=functions)
check "its plumbing is one line" grep -qE "^… [0-9]+ compiler helpers, 3,00[0-9] calls" <(report --view=functions)
# By calls: of little time, on a busy machine, the one or the other is not shown.
check "the program runs without a clock" bash -c 'cd "$0" && ILINJECT_CLOCK=none ILINJECT_OUT=calls.ilprof mono Small.exe' "$SCRATCH/first"
check "callers are told from below" grep -qE '^ *3,000 .* ← Vector\.operator \+\(Vector, Vector\)$' <(report calls.ilprof --view=callers --filter='Vector..ctor')
check "the hot path starts at Main" grep -qE '  Program\.Main\(\)$' <(report --view=hot)
check "types are summed up" grep -qE '^ *3 +9,002 .* Vector$' <(report --view=functions --by=type)
check "the longest call of each is known" grep -qE '^ *1 +[0-9.,]+ +(ns|µs|ms|s) +Program\.Walk\(int\)$' <(report --view=functions --columns=calls,max)
check "--suggest writes a configuration" report --suggest=less.xml -o "$SCRATCH/report.txt"
check "which --config reads" run second --config "$SCRATCH/first/less.xml"
check "with it Vector's constructor is left out" grep -qE '[1-9][0-9]* left out \([0-9]+ by rule\)' "$SCRATCH/second.told"
check "and in no count" bash -c '! "$0" report "$1/second/Small.ilprof" --width=0 | grep -q "Vector.Vector"' "$ILINJECT" "$SCRATCH"
check "the head says what was left out" grep -qE '^Methods  .* left out: [0-9]+ by rule$' <("$ILINJECT" report -v "$SCRATCH/second/Small.ilprof" --width=0)
# The head's line, given to a shell as it stands there. The profile: tests/unit/report/test_trust.c.
pasted() {
    local line
    mkdir "$SCRATCH/paste" && cd "$SCRATCH/paste" && "$BUILD/tests/unit/test_trust" uneven "it's \$1.ilprof" || return 1
    line=$("$ILINJECT" report -v "it's \$1.ilprof" --width=50 | sed -n 's/^ *ilinject report --suggest=/report --suggest=/p')
    [ -n "$line" ] && eval "\"\$ILINJECT\" $line" >/dev/null && [ "$(grep -c '<exclude ' less.xml)" -eq 2 ] &&
        grep -qF '"N.T.m1()"' less.xml && grep -qF '"N.T.m2()"' less.xml
}
check "the head's command can be pasted whatever the profile is called" pasted
refused() { # MESSAGE options…
    local message=$1
    shift
    report "$@" >"$SCRATCH/refused" 2>&1
    [ $? -eq 2 ] && grep -qF -- "$message" "$SCRATCH/refused"
}
check "--by wants the table" refused "--by is for the table" --by=type --view=tree
check "--columns wants the table" refused "--columns is for the table" --columns=calls --json
check "--filter wants the text" refused "--filter is for the text and calltree formats" --filter=Vector --json
finish
