#!/usr/bin/env bash
# The cost of fixed jobs in instructions, as callgrind counts them: the same on a machine that is
# busy. Bounds are a tenth above what was counted with Debian 12's gcc; who makes a job dearer on
# purpose raises its bound here and says why. (The walk that finds what a guard would hide,
# ecma335/il/walk.c, is 3 to 7 % of the guarded jobs. Data of fields that reaches into bodies, and the second type
# for what is switched off, have made the first job 0.8 % dearer, calls before ret 0.5 %. Handlers that only hold an
# exception, `new T()` and attributes of new types: 1.4 % of outputs. Costs of folded calls, ranges of averages and what a
# merged run says of itself: 3 to 7 % of reports. Nodes in columns: 3 to 5 % of merging and of trees, 10 % of comparing, for a
# sixth of the memory, and so less time.)
. "$(dirname "$0")/../../lib.sh"
mono=/usr/lib/mono/4.5
cannot=
has valgrind || cannot="no valgrind"
[ "$(uname -m)" = x86_64 ] || cannot="bounds are for x86-64"
head -c 4 "$ILINJECT" | grep -q ELF || cannot="the program is called through another one"
if grep -q __asan_init "$ILINJECT" || grep -q 'clang version' "$ILINJECT"; then cannot="bounds are for gcc without sanitizers"; fi
[ -f $mono/mscorlib.dll ] && [ "$(stat -Lc %s $mono/mscorlib.dll)" -eq 4811264 ] || cannot="bounds are for the libraries of Mono 6.8"
has mcs && [ -x "$BUILD/tests/large_profile" ] || cannot="no mcs, or the program that makes profiles is missing"
if [ "$cannot" ]; then
    skip "jobs cost what they did" "$cannot"
    finish
fi
cd "$SCRATCH" || exit 1
unset "${!ILINJECT_@}"

count() { # ARGUMENTS…: instructions of one run
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$ILINJECT" "$@" 2>&1 >/dev/null | sed -n 's/^==[0-9]*== I *refs: *//p' | tr -d ,
}
costs() { # MILLIONS ARGUMENTS…
    local most=$1 counted
    shift
    counted=$(count "$@")
    [ "${counted:-0}" -gt 0 ] || { echo "nothing was counted"; return 1; }
    echo "$((counted / 100000))/10 million instructions; the bound is $most"
    awk -v counted="$counted" -v most="$most" 'BEGIN { exit counted > most * 1e6 }'
}

mcs -nologo -target:library -out:tiny.dll "$ROOT/fixtures/cs/TestClass.cs" || exit 1
mkdir many
for i in $(seq 20); do cp -L $mono/Mono.Posix.dll "many/$i.dll"; done
"$BUILD/tests/large_profile" large.ilprof 20000 2000 && "$BUILD/tests/large_profile" other.ilprof 21000 2100 || exit 1

# A part of it is the start of the program: hardened, it resolves all symbols then.
# Another part goes by the tracker's size, which is copied.
check "a file of 6 KB" costs 1.15 -q tiny.dll -o out/
check "a library of 228 KB" costs 14.8 -q $mono/Mono.Posix.dll -o out/
check "one of 3.4 MB" costs 196 -q $mono/System.Xml.dll -o out/
check "the same, calls before ret alone" costs 160 -q --exits=ret $mono/System.Xml.dll -o out/
# Of each file the tracker is read, which has grown by what masks the texts of commands.
check "twenty files in one run, as often as one" costs 289 -q -j 1 many/*.dll -o files/
check "a folder of them" costs 291 -q -j 1 many -o folder
check "a list of methods" costs 21.1 list $mono/Mono.Posix.dll
check "a report of 20,000 nodes" costs 71 report large.ilprof
check "the same as JSON, with each node" costs 135 report --format=json large.ilprof
check "and as a tree, fitted to columns" costs 150 report --format=calltree large.ilprof
check "it and another one, merged" costs 162 merge large.ilprof other.ilprof -o merged.ilprof
check "a report of both" costs 120 report merged.ilprof
check "one compared with the other" costs 228 diff large.ilprof other.ilprof

# What a node more takes, at the peak: of profiles that are not small, so that what any run takes does not count.
"$BUILD/tests/large_profile" some.ilprof 100000 2000 && "$BUILD/tests/large_profile" more.ilprof 300000 2000 || exit 1
kib() { "$BUILD/tests/measure" "$ILINJECT" "$@" | tail -n 1 | cut -d ' ' -f 2; }
node_takes() { # BYTES COMMAND OPTION…: of each profile, before the options
    local most=$1 some more
    shift
    some=$(kib "$@" some.ilprof) more=$(kib "$@" more.ilprof)
    echo "$(((more - some) * 1024 / 200000)) bytes a node; the bound is $most"
    [ "${some:-0}" -gt 0 ] && [ $(((more - some) * 1024 / 200000)) -le "$most" ]
}
if [ -x "$BUILD/tests/measure" ]; then
    check "a node of a report takes at most 100 bytes" node_takes 100 report
    check "one as JSON 120" node_takes 120 report --json
    check "one that is merged 180" node_takes 180 merge -o some.merged
else
    skip "the memory that a node takes" "the program that measures is missing"
fi

# Rules that name methods, by the thousand: nothing for each method and rule, only for each method and each rule. The
# first two differ by what reading the names, finding those of each method and asking their patterns cost.
"$ILINJECT" list --json $mono/mscorlib.dll | awk '
    match($0, /^\{"name":"[^"<\\]*"/) { type = substr($0, 10, RLENGTH - 10); next }
    /^\{/ { type = "" }
    type != "" && match($0, /^  \{"name":"[^"<\\]*"/) {
        name = substr($0, 12, RLENGTH - 12)
        if (++count % 4) sub(/\(.*/, "", name)
        print "--include\n" type "." name
        if (count == 10000) exit
    }' >names
sed '/^--/!s/^/Elsewhere./' names >elsewhere
check "there are ten thousand names" eval '[ $(wc -l <names) -eq 20000 ]'
check "a library of 4.8 MB, by a rule" costs 273 -q $mono/mscorlib.dll -o ruled/ --include '**'
check "by ten thousand that name its methods, too" costs 350 -q $mono/mscorlib.dll -o ruled/ --include '**' @names
check "by ten thousand that name nothing in it" costs 441 -q $mono/mscorlib.dll -o ruled/ --include '**' @elsewhere

# Fresh pages are what the kernel's part of a large file is; how many are mapped at a time with one that is read is the kernel's choice.
faults() { # MOST ARGUMENTS…
    local most=$1 counted
    shift
    counted=$("$BUILD/tests/measure" -f "$ILINJECT" "$@" | tail -n 1 | cut -d ' ' -f 3)
    echo "${counted:-nothing} page faults; the bound is $most"
    [ "${counted:-0}" -gt 0 ] && [ "$counted" -le "$most" ]
}
if [ "$(getconf PAGE_SIZE)" -eq 4096 ] && [ -x "$BUILD/tests/measure" ] && ! grep -q '\[always\]' /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null; then
    check "an output is not put together in memory" faults 3800 -q --exits=ret $mono/mscorlib.dll -o pages/
else
    skip "an output is not put together in memory" "bounds are for pages of 4 KiB"
fi
finish
