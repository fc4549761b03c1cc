#!/usr/bin/env -S python3 -B
"""Tests whose methods the governor switches off: which tests call a method is known, by a list made by hand."""
import sys
sys.path[0] += "/../.."
from kit import check, csc, equal, finish, has, ilinject, mcs, program, report, runtimeconfig, skip, true

METHODS, TESTS = 24, 12


def calls(test, method):
    """Does it? As Code.Calls."""
    return (test * 7 + method * 5) % 3 == 0


SOURCE = """\
using System;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
namespace Xunit { public class FactAttribute : Attribute { } }
namespace Suite {
    using Xunit;
    public static class Code {
%s
        static readonly Action[] all = { %s };
        public static void Calls(int test, int times) {
            for (int j = 0; j < all.Length; j++)
                for (int k = 0; (test * 7 + j * 5) %% 3 == 0 && k < times; k++)
                    all[j]();
        }
        public static async Task Later(int test) { await Task.Delay(2); Calls(test, 20); }
        public static async Task Early(int test) { await new Elsewhere(); Calls(test, 20); }
    }
    // What is awaited goes on on another thread, and has ended there before this one knows that it was suspended.
    class Elsewhere : INotifyCompletion {
        public Elsewhere GetAwaiter() { return this; }
        public bool IsCompleted { get { return false; } }
        public void OnCompleted(Action rest) { var thread = new Thread(() => rest()); thread.Start(); thread.Join(); }
        public void GetResult() { }
    }
    public class Plain {
%s    }
    public class Async {
%s    }
    public class Awaits {
%s    }
    public class Ahead {
%s    }
    static class Runner {
        static void Run(Type of) {
            foreach (var test in of.GetMethods())
                if (test.GetCustomAttributes(typeof(FactAttribute), false).Length > 0) {
                    var task = test.Invoke(Activator.CreateInstance(of), null) as Task;
                    if (task != null) task.Wait();
                }
        }
        static int Main(string[] arguments) {
            // Before all tests: what is called most is switched off.
            for (int i = 0; i < int.Parse(arguments[1]); i++) {
                for (int test = 0; test < 3; test++) Code.Calls(test, 4000);
                Thread.Sleep(10);
            }
            Type[] types = { typeof(Plain), typeof(Async), typeof(Awaits), typeof(Ahead) };
            if (arguments[0] == "one")
                foreach (var type in types) Run(type);
            else
                for (int round = 0; round < 3; round++) {
                    var threads = new Thread[types.Length];
                    for (int i = 0; i < types.Length; i++) {
                        var type = types[i];
                        threads[i] = new Thread(() => Run(type));
                        threads[i].Start();
                    }
                    foreach (var thread in threads) thread.Join();
                }
            return 0;
        }
    }
}
""" % ("".join(f"        static void M{j}() {{ }}\n" for j in range(METHODS)),
       ", ".join(f"M{j}" for j in range(METHODS)),
       "".join(f"        [Fact] public void P{i}() {{ Code.Calls({i}, 20); }}\n" for i in range(TESTS)),
       "".join(f"        [Fact] public async Task A{i}() "
               f"{{ Code.Calls({i}, 1); await Task.Delay(1); Code.Calls({i + 1}, 20); }}\n" for i in range(TESTS)),
       "".join(f"        [Fact] public void W{i}() {{ Code.Later({i}).Wait(); Code.Calls({i + 1}, 20); }}\n"
               for i in range(TESTS)),
       "".join(f"        [Fact] public void E{i}() {{ Code.Early({i}).Wait(); Code.Calls({i + 1}, 20); }}\n"
               for i in range(TESTS)))


def switched_off(runtime, how, settings):
    """The governor looks by the time on the wall: where other programs run, it needs more of it."""
    for rounds in (60, 300, 1500):
        of = program(runtime, "out/Tests.dll" if runtime == "dotnet" else "out/Tests.exe", how, rounds, name=how,
                     status=0, env={"ILINJECT_COVERS": "1", "ILINJECT_OVERHEAD": "1%", **settings}).profile
        off = {of["name"] for of in report(of).get("switched", [])}
        if len([name for name in off if ".Code.M" in name]) > METHODS // 2:
            return of
    raise AssertionError(f"switched off: {off}")


def known(runtime, how, *settings):
    named(switched_off(runtime, how, dict(settings)))


def all_on(runtime):
    """Without a setting, too, slices that come before their call is known stand in their tests."""
    named(program(runtime, "out/Tests.dll" if runtime == "dotnet" else "out/Tests.exe", "several", 0,
                  name="on", status=0).profile)


def folded(runtime):
    """Nor does it matter that there is no room for their trees."""
    for nodes in (3, 40, 120, 400):
        named(program(runtime, "out/Tests.dll" if runtime == "dotnet" else "out/Tests.exe", "one", 0, name="folded",
                      status=0, env={"ILINJECT_COVERS": "1", "ILINJECT_NODES": str(nodes)}).profile)


def named(of):
    for method in range(METHODS):
        said = ilinject(f"report --covers=Suite.Code.M{method}", of)
        expected = [f"Suite.Plain.P{i}" for i in range(TESTS) if calls(i, method)] + \
            [f"Suite.{t}{i}" for t in ("Async.A", "Awaits.W", "Ahead.E") for i in range(TESTS)
             if calls(i, method) or calls(i + 1, method)]
        equal(sorted(said.out.split()), sorted(expected))
        equal(said.err, "")


def by_hand(runtime):
    """Who switches a method off wants nothing of it: the list says so."""
    of = program(runtime, "out/Tests.exe", "one", 60, name="hand", status=0, env={
        "ILINJECT_COVERS": "1", "ILINJECT_OVERHEAD": "1%", "ILINJECT_OFF": "Suite.Code.M0"}).profile
    said = ilinject("report --covers=Suite.Code.M0", of)
    true("ILJ0617: Suite.Code.M0() was switched off" in said.err and said.out == "", said)
    said = ilinject("report --covers=Suite.Code.M1", of)
    true(said.err == "" and "Suite.Plain.P1\n" in said.out, said)


def on(runtime):
    for how, sentence in (("one", "one after another"), ("several", "several at the same time")):
        check(f"{runtime}: what tests call is known of methods that are off, {sentence}", known, runtime, how)
    check(f"{runtime}: so it is by the stopwatch", known, runtime, "several", ("ILINJECT_CLOCK", "stopwatch"))
    check(f"{runtime}: what tests call is known of methods that are on", all_on, runtime)
    check(f"{runtime}: what tests call is known of calls that are folded", folded, runtime)


if has("mcs", "mono"):
    mcs("Tests.exe", code=SOURCE)
    ilinject("-q Tests.exe -o out/Tests.exe")
    on("mono")
    check("a method that was switched off by hand is named as missing", by_hand, "mono")
else:
    skip("methods that are off, on Mono", "no mono or no mcs")
if has("dotnet") and csc("Tests.dll", "-target:exe", "Tests.cs"):
    ilinject("-q Tests.dll -o out/Tests.dll")
    runtimeconfig("out/Tests.dll")
    on("dotnet")
else:
    skip("methods that are off, on .NET", "no dotnet")
finish()
