#!/usr/bin/env bash
# `ilinject run`: what a program is and does stays as it was, and the report comes by itself.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
app=$SCRATCH/app
export TMPDIR=$SCRATCH/tmp
mkdir -p "$SCRATCH/net" "$app" "$TMPDIR" "$SCRATCH/here"
cd "$SCRATCH/here" || exit 1
echo data >"$app/data.txt"

if has mcs; then mcs -nologo -out:"$app/Launched.exe" "$ROOT/tests/e2e/lib/cs/Launched.cs"; fi
run() { "$ILINJECT" run "$@" 2>err; }
leaves_nothing() { ! compgen -G "$TMPDIR/ilinject-run.*"; } # .NET itself leaves pipes when it is killed
says() { grep -q -F -e "$1" err || { cat err; return 1; }; }
ends_with() { # CODE COMMAND…
    local code=$1 got
    shift
    "$@"
    got=$?
    [ $got -eq "$code" ] || { echo "exit value $got"; cat err; return 1; }
}
counts() { # CALLS METHOD PROFILE
    "$ILINJECT" report "$3" --format=csv 2>/dev/null | grep -F "$2" | grep -q ",$1," || { "$ILINJECT" report "$3"; return 1; }
}
one_file() { [ "$(ls "$1"/*.ilprof | wc -l)" -eq 1 ]; }

kinds() { # RUNTIME PROGRAM FILES: their lengths and kinds are those of the files of the program
    diff <("$1" "$2" kinds "$3") <(run -q "$2" kinds "$3")
}
cases() { # RUNTIME PROGRAM NAME
    local runtime=$1 program=$2 name=$3
    rm -f ./*.ilprof
    check "$runtime: a program that is not instrumented runs and reports" ends_with 7 run "$program" code 7
    check "$runtime: the report is on standard error" says "Launched.Work(int)"
    check "$runtime: the profile stands in the current folder" counts 8 "Launched.Work(int)" "$name.ilprof"
    check "$runtime: nothing of the copy is left" leaves_nothing
    check "$runtime: beside the program nothing is new" test "$(ls "$app" | grep -c -E 'ilprof|Tracker')" -eq 0
    check "$runtime: arguments and input go to the program as they are" test "$(echo line | run "$program" echo -o --top=1 'a b' '')" = "-o|--top=1|a b||line"
    check "$runtime: standard output is the program's alone" test "$(run "$program" beside)" = True
    head -c 5000 /dev/zero >"$4/System.Beside.dll"
    check "$runtime: files beside the program look as they do without" kinds "$runtime" "$program" data.txt,System.Beside.dll
    rm -rf "$SCRATCH/tool" && mkdir -p "$SCRATCH/tool/net" && cp -r "$4" "$SCRATCH/tool/net/any" && echo above >"$SCRATCH/tool/above.txt"
    local installed=$SCRATCH/tool/net/any/${program##*/}
    check "$runtime: files above its folder are there, by relative paths" test "$(run -q "$installed" reads ../../above.txt)" = above
    check "$runtime: a price counts where they are, too" test "$(run -q --overhead=10% "$installed" reads ../../above.txt)" = above
    check "$runtime: … and none of them goes away with the copy" test -e "$SCRATCH/tool/above.txt"
    if [ "$(stat -c %d /dev/shm 2>/dev/null)" != "$(stat -c %d "$4")" ] && TMPDIR=/dev/shm mktemp -q -d >elsewhere; then
        TMPDIR=$(cat elsewhere) check "$runtime: where the copy is in another file system assemblies do" kinds "$runtime" "$program" System.Beside.dll
        rm -r "$(cat elsewhere)"
    else
        skip "a copy in another file system" "/dev/shm is none"
    fi
    check "$runtime: --set reaches the tracker" test "$(run --set beat=3 "$program" setting)" = 3
    check "$runtime: a clock that needs a library has it" ends_with 1 run -q --set clock=fast -o fast.ilprof "$program" code 1
    check "$runtime: and nothing is said" test ! -s err
    check "$runtime: its time is in the profile" bash -c '"$1" report fast.ilprof --json | grep -q -E "\"clock\": \"fast\""' bash "$ILINJECT"
    check "$runtime: -o names the profile" ends_with 3 run -q -o "named.ilprof" -- "$program" code 3
    check "$runtime: it is there" counts 4 "Launched.Work(int)" named.ilprof
    check "$runtime: -q reports nothing" test ! -s err
    check "$runtime: rules of selection hold" ends_with 2 run --exclude '**.Main(**)' -o selected.ilprof "$program" code 2
    check "$runtime: what they leave out is not there" bash -c '! "$1" report selected.ilprof 2>&1 | grep -q "Launched.Main"' bash "$ILINJECT"
    check "$runtime: --html writes a page" ends_with 1 run -q --html page.html "$program" code 1
    check "$runtime: a whole one" grep -q '</html>' page.html
    check "$runtime: a folder with one program is run" ends_with 2 run -q "$4" code 2
    signalled "$runtime" "$program"
    check "$runtime: an exception that nobody catches ends it as without" ends_with "$(uninstrumented "$runtime" "$program" throw)" run "$program" throw
    check "$runtime: and is in the report" says "System.InvalidOperationException"
}
uninstrumented() { # RUNTIME PROGRAM ARGS…
    { (ulimit -c 0; "$@" >/dev/null 2>&1); } 2>/dev/null
    echo $?
}
# A signal that is sent to `run` ends the program; what it has recorded is reported.
signalled() {
    local runtime=$1 program=$2 code
    rm -f started
    "$ILINJECT" run "$program" wait "$PWD/started" 2>err &
    local pid=$!
    check "$runtime: the program has started" within 100 test -e started
    kill -TERM $pid
    wait $pid
    code=$?
    check "$runtime: SIGTERM goes to the program, and its end is told" test "$code" -eq 143
    check "$runtime: nothing of the copy is left then" leaves_nothing
}

# ---- Places that cannot be written: /proc, even for root ------------------------------------------------------------------

left_elsewhere() { # TEXT: the line says where, and the profile is there with its 6 calls
    local path
    says "$1" || return 1
    path=$(sed -n "s|.*; the profile is \\($TMPDIR/ilinject-profile\\..*/$2\\)\$|\\1|p" err)
    [ -n "$path" ] && counts 6 "Launched.Work(int)" "$path"
}
in_proc() { (cd /proc && "$ILINJECT" run "$@" 2>"$SCRATCH/here/err"); }
elsewhere() { # RUNTIME PROGRAM
    check "$1: where the current folder cannot be written the program runs all the same" ends_with 5 in_proc "$2" code 5
    check "$1: a line says where the profile is" left_elsewhere "ilinject: warning: Launched.ilprof cannot be written here: " Launched.ilprof
    check "$1: also with -q" ends_with 5 in_proc -q "$2" code 5
    check "$1: in that line alone" eval 'left_elsewhere "ilinject: warning: " Launched.ilprof && test "$(wc -l <err)" -eq 1'
    check "$1: where --output cannot be written a line says so" ends_with 5 run -q -o nowhere/x.ilprof "$2" code 5
    check "$1: and where the profile is" left_elsewhere "ilinject: error: nowhere/x.ilprof cannot be written: No such file or directory; " x.ilprof
    check "$1: the exit value is not 0 then" ends_with 1 run -q -o nowhere/x.ilprof "$2" code 0
}

mode() { stat -c %a "$1"; }
is_private() { for file; do [ "$(mode "$file")" = 600 ] || { ls -l "$file"; return 1; }; done; }
captures() { # the profile, and all that is made of it, is the owner's alone, whatever stood there
    local RUN=(run -q --capture 'Launched.Work' "$1" code 2)
    umask 022
    rm -f ./*.ilprof && ends_with 2 "${RUN[@]}" && is_private Launched.ilprof || return
    chmod 644 Launched.ilprof && touch page.html && chmod 644 page.html || return
    ends_with 2 "${RUN[@]:0:2}" --html page.html "${RUN[@]:2}" && "$ILINJECT" report Launched.ilprof --calls | grep -q 'Work(n: 1) → 1' && is_private Launched.ilprof page.html
}
made_of_private() { # Launched.ilprof is private
    umask 022
    rm -f plain.ilprof made.* && ends_with 2 run -q -o plain.ilprof "$1" code 2 && [ "$(mode plain.ilprof)" = 644 ] || return
    echo old >made.json && chmod 664 made.json
    "$ILINJECT" report Launched.ilprof --json -o made.json && "$ILINJECT" report Launched.ilprof --html made.html && "$ILINJECT" report plain.ilprof --before Launched.ilprof --html made.before.html &&
        "$ILINJECT" merge plain.ilprof Launched.ilprof -o made.ilprof && "$ILINJECT" diff Launched.ilprof -- plain.ilprof -o made.diff || return
    is_private made.json made.html made.before.html made.ilprof made.diff
}
made_of_public() { # plain.ilprof is not
    umask 022
    rm -f made.* && echo old >made.old && chmod 640 made.old && "$ILINJECT" report plain.ilprof -o made.txt && "$ILINJECT" report plain.ilprof -o made.old && "$ILINJECT" merge plain.ilprof -o made.ilprof &&
        "$ILINJECT" report Launched.ilprof --format=suggestions -o made.xml && [ "$(mode made.txt) $(mode made.old) $(mode made.ilprof) $(mode made.xml)" = "644 640 644 644" ]
}
no_link() { # a link that nobody named is replaced, one that was named is followed
    rm -f ./*.ilprof && echo precious >precious && ln -s precious Launched.ilprof && ends_with 2 run -q "$1" code 2 && [ "$(cat precious)" = precious ] && [ ! -L Launched.ilprof ] && counts 3 "Launched.Work(int)" Launched.ilprof || return
    ln -s precious named.ilprof && ends_with 2 run -q -o named.ilprof "$1" code 2 && [ -L named.ilprof ] && counts 3 "Launched.Work(int)" precious
}
no_pipe() { # nor is anything else that nobody named written to
    rm -f ./*.ilprof && mkfifo Launched.ilprof && ends_with 5 timeout -s KILL 60 "$ILINJECT" run -q "$1" code 5 2>err && [ -p Launched.ilprof ] && left_elsewhere "Launched.ilprof cannot be written here: File exists; " Launched.ilprof && rm Launched.ilprof
}

check "without a command it is wrong usage" ends_with 2 run
check "a command that is not there is not started" ends_with 125 run no-such-command
check "which is said" says "no-such-command cannot be started"
check "a file that is no program is said" ends_with 125 run "$SCRATCH/here"
check "with what was expected" says "ILJ0700"
check "where nothing can be shown the exit value is not 0" ends_with 1 run sh -c 'exit 0'
check "and one line says why" eval 'says "no profile was written" && test "$(wc -l <err)" -eq 1'
check "a command of the system runs" ends_with 3 run sh -c 'exit 3'
check "that it left no profile is said" says "no profile was written"
check "so is a signal that ended it" ends_with 137 run sh -c 'kill -9 $$'
check "then it is not said that nothing was called" eval '! grep -q "nothing that is instrumented" err && says "was ended by signal 9 before the first one"'
check "only of a command it is said how" says "; 'ilinject run APP.dll' instruments a copy of it first"
mkdir sh
check "a command is one even where a folder has its name" ends_with 3 run sh -c 'exit 3'
rmdir sh
check "a setting that is none is wrong usage" ends_with 2 run --set nothing=1 sh -c 'exit 3'
check "--set out= is wrong usage: there is --output" ends_with 2 run --set out=x sh -c 'exit 3'

if can mono; then
    cases mono "$app/Launched.exe" Launched "$app"
    elsewhere mono "$app/Launched.exe"
    check "mono: a profile with captured values is its owner's alone, and so is its page" captures "$app/Launched.exe"
    check "mono: and so is what is made of it, with others or over an older file" made_of_private "$app/Launched.exe"
    check "mono: what is made of a profile that others may read, they may; so they may a choice of methods" made_of_public
    check "mono: a link in the place of the profile is replaced, unless it was named" no_link "$app/Launched.exe"
    check "mono: a pipe there is left alone" no_pipe "$app/Launched.exe"
    check "mono: a host that is given a program that is not instrumented leaves no profile" ends_with 1 run mono --debug "$app/Launched.exe" code 0
    check "mono: the command that instruments it is said" says "; 'ilinject run $app/Launched.exe' instruments a copy of it first"
    "$ILINJECT" -q "$app/Launched.exe" -o "$SCRATCH/made/"
    rm -f ./*.ilprof
    mkdir -p "$SCRATCH/named" && { [ -s "$SCRATCH/pair.snk" ] || sn -q -k "$SCRATCH/pair.snk"; } >/dev/null && mcs -nologo -keyfile:"$SCRATCH/pair.snk" -out:"$SCRATCH/named/Launched.exe" "$ROOT/tests/e2e/lib/cs/Launched.cs"
    check "mono: a program with a strong name runs" ends_with 4 run "$SCRATCH/named/Launched.exe" code 4
    check "mono: a copy that is removed needs no word about its signature" eval '! grep -q ILJ0 err'
    check "mono: an output that stays does" eval '"$ILINJECT" "$SCRATCH/named/Launched.exe" -o "$SCRATCH/named/out/" 2>err; says ILJ0410'
    check "mono: a program that is instrumented already runs where it stands" ends_with 4 run "$SCRATCH/made/Launched.exe" code 4
    check "mono: it leaves no profile there" test ! -e "$SCRATCH/made/Launched.ilprof"
    check "mono: so does one that a command starts" ends_with 5 run mono "$SCRATCH/made/Launched.exe" code 5
    check "mono: its profile is named by the program" counts 6 "Launched.Work(int)" Launched.ilprof
    check "mono: the profiles of several processes are merged" run -q -o all.ilprof sh -c 'mono "$0" code 3; mono "$0" code 4; true' "$SCRATCH/made/Launched.exe"
    check "mono: with the calls of all" counts 9 "Launched.Work(int)" all.ilprof

    # A folder of many assemblies; the program can load few of them: it says which of them call the tracker.
    mkdir "$SCRATCH/many" && cd "$SCRATCH/many" || exit 1
    cat >Lib.cs <<'CS'
public interface IPlugin { void Go(); }
public static class Lib { public static string Name() { return "ByName, Version=0.0.0.0"; } }
CS
    cat >Many.cs <<'CS'
using System; using System.IO; using System.Linq; using System.Text;
static class Many
{
    static void Main()
    {
        Lib.Name();
        foreach (string file in Directory.GetFiles(AppDomain.CurrentDomain.BaseDirectory).OrderBy(f => f, StringComparer.Ordinal))
            if ((file.EndsWith(".dll") || file.EndsWith(".exe")) && !file.EndsWith("Tracker.dll") && Encoding.ASCII.GetString(File.ReadAllBytes(file)).Contains("ProfileInfoTracker"))
                Console.WriteLine(Path.GetFileName(file));
    }
}
CS
    library() { mcs -nologo -target:library -out:"$1.dll" "${@:2}"; }
    library Lib Lib.cs && echo 'class Plugin : IPlugin { public void Go() { } }' >p.cs && library Plugin -r:Lib.dll p.cs && echo 'class Woven_ProcessedByFody { void Go() { } }' >w.cs && library Woven w.cs &&
        echo 'class Other { static void Main() { Lib.Name(); } }' >o.cs && mcs -nologo -out:Other.exe -r:Lib.dll o.cs && mcs -nologo -out:Many.exe -r:Lib.dll Many.cs &&
        echo 'class Any { void Go() { } }' >a.cs && library ByName a.cs && for name in Configured Argued Unused{1..20}; do cp ByName.dll $name.dll; done &&
        echo '<configuration><appSettings><add key="type" value="Any, Configured"/></appSettings></configuration>' >Many.exe.config && cd "$SCRATCH/here" || exit 1
    loads() { run -q "$SCRATCH/many/Many.exe" "${@:2}" >loaded && diff loaded - <<<"$1"; }
    check "run instruments what the program refers to and names, and the plug-ins of these, and nothing else" loads $'ByName.dll\nConfigured.dll\nLib.dll\nMany.exe\nPlugin.dll'
    check "… and says nothing of the rest" eval 'run "$SCRATCH/many/Many.exe" >/dev/null; ! grep -q -e Fody -e Woven -e Unused err'
    check "… and what its arguments name" loads $'Argued.dll\nByName.dll\nConfigured.dll\nLib.dll\nMany.exe\nPlugin.dll' some/where/Argued.dll
    check "… and with --all, all of them" eval 'run -q --all "$SCRATCH/many/Many.exe" >loaded; [ "$(wc -l <loaded)" -eq 28 ]'
else
    skip "run with Mono" "no mono"
fi
if can dotnet && compiled csc "$SCRATCH/net/Launched.dll" "$ROOT/tests/e2e/lib/cs/Launched.cs"; then
    runtimeconfig "$SCRATCH/net/Launched.dll"
    cp "$app/data.txt" "$SCRATCH/net/"
    app=$SCRATCH/net
    cases dotnet "$app/Launched.dll" Launched "$app"
    mkdir "$SCRATCH/commands" && printf '\177ELF\0../tool/net/any/Launched.dll\0' >"$SCRATCH/commands/launched" && chmod +x "$SCRATCH/commands/launched"
    rm -f ./*.ilprof
    check "dotnet: the launcher of an installed tool is its program" ends_with 4 run "$SCRATCH/commands/launched" code 4
    check "dotnet: … with its calls" counts 5 "Launched.Work(int)" Launched.ilprof
    check "dotnet: so is the command that it is" eval 'PATH=$SCRATCH/commands:$PATH ends_with 6 run launched code 6'
    check "dotnet: … with its calls, too" counts 7 "Launched.Work(int)" Launched.ilprof
    mkdir "$SCRATCH/bare"
    "$ILINJECT" -q "$app/Launched.dll" -o "$SCRATCH/bare/"
    rm "$SCRATCH/bare/ProfileInfoTracker.dll"
    rm -f ./*.ilprof
    mkdir -p "$SCRATCH/unstarted" && cp "$app/Launched.dll" "$SCRATCH/unstarted/" &&
        echo '{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App","version":"999.0.0"}}}' >"$SCRATCH/unstarted/Launched.runtimeconfig.json"
    check "dotnet: a program whose framework is not there ends as its host does" ends_with "$(uninstrumented dotnet "$SCRATCH/unstarted/Launched.dll")" run "$SCRATCH/unstarted/Launched.dll"
    check "dotnet: the host says why, and ours that it did not start" eval 'says "999.0.0" && says "Launched.dll did not start, and its host says above why" && ! grep -q FailFast err'
    check "dotnet: with a price it is run twice" ends_with 150 run --overhead=10% "$SCRATCH/unstarted/Launched.dll"
    check "dotnet: the counts are no matter then" eval 'says "999.0.0" && [ "$(grep -c "^ilinject: " err)" -eq 2 ] && ! grep -q count err'
    check "dotnet: a command finds the tracker where the program has none" ends_with 5 run dotnet "$SCRATCH/bare/Launched.dll" code 5
    check "dotnet: and its profile" counts 6 "Launched.Work(int)" Launched.ilprof
    without_it() { # the same without run: .NET's own words, which docs/diagnostics.md explains
        (ulimit -c 0; dotnet "$SCRATCH/bare/Launched.dll" code 5 2>&1) | grep -q -F "Could not load file or assembly 'ProfileInfoTracker, Version=" &&
            grep -q "^## Could not load file or assembly 'ProfileInfoTracker" "$ROOT/docs/diagnostics.md"
    }
    check "dotnet: without run it ends as the document says" without_it
    rm -f ./*.ilprof
    check "dotnet: so does a program that was instrumented before" ends_with 5 run "$SCRATCH/bare/Launched.dll" code 5
    check "dotnet: and its profile is there" counts 6 "Launched.Work(int)" Launched.ilprof
    elsewhere dotnet "$app/Launched.dll"
    "$ILINJECT" -q "$app/Launched.dll" -o "$SCRATCH/whole/"
    rm -f ./*.ilprof
    check "dotnet: one that stands beside the program does not come in its way" ends_with 5 run dotnet "$SCRATCH/whole/Launched.dll" code 5
    check "dotnet: its profile is there too" counts 6 "Launched.Work(int)" Launched.ilprof
else
    skip "run with .NET" "no dotnet with csc"
fi
finish
