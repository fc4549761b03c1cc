#!/usr/bin/env bash
# A run that ended before anything could be written leaves the profile of its start: the report says so, and how to see more.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
cd "$SCRATCH" || exit 1
# shellcheck disable=SC2086
unset ${!ILINJECT_*}
can dotnet && has mcs || { skip "a report says that only the run's start is there" "no .NET runtime, or no mcs"; finish; }
cat >app.cs <<'END'
using System;
using System.IO;
using System.Threading;
public static class App
{
    static int Down(int n) { return n < 0 ? 0 : Down(n + 1) + Down(n + 2); }
    public static int Main(string[] args)
    {
        if (args[0] == "waits") { while (!File.Exists("app.ilprof") || new FileInfo("app.ilprof").Length == 0) Thread.Sleep(1); }
        if (args[0] == "waits" || args[0] == "at-once") Environment.FailFast("on purpose");
        return args[0] == "overflow" ? Down(1) : 0;
    }
}
END
mkdir app && mcs -nologo -out:app.exe app.cs && "$ILINJECT" -q app.exe -o app/ && runtimeconfig app/app.exe || exit 1

# Without a beat nothing is written after the start. The runtime's own words on a stack that overflows are thousands of lines.
dies() { # HOW
    (cd app && ulimit -c 0 && ILINJECT_BEAT=0 exec timeout -k 5 150 dotnet app.exe "$1") >out 2>&1 </dev/null
    [ $? -eq 134 ]
}
tells() { # the report has the line
    "$ILINJECT" report app/app.ilprof >report 2>err && [ ! -s err ] && tr '\n' ' ' <report | grep -q "This is the profile of the run's start\..*beat=1" || { cat report err; return 1; }
}
says_so() { # HOW
    rm -f app/app.ilprof
    dies "$1" && tells || { tail -n 3 out; return 1; }
}
# The program does not wait for the profile of its start.
at_once() {
    rm -f app/app.ilprof
    dies at-once || return
    if [ -s app/app.ilprof ]; then tells; return; fi
    "$ILINJECT" report app/app.ilprof >report 2>err
    [ $? -eq 1 ] && [ ! -s report ] && [ "$(wc -l <err)" -eq 1 ] && grep -q '^app/app.ilprof: error ' err || { cat report err; return 1; }
}
says_not() { (cd app && dotnet app.exe returns) >out 2>&1 && "$ILINJECT" report app/app.ilprof >report && grep -q 'App\.Main' report && ! grep "the run's start" report; }
check "a program that fails fast before the first beat" says_so waits
check "one that does so at once may leave none, which is one line" at_once
check "a program that overflows its stack" says_so overflow
check "a program that returns has all of its calls, and no such line" says_not
finish
