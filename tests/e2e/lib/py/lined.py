"""Programs whose methods begin at marked lines: of C#, F# and Visual Basic on .NET, of C# on Mono with its .mdb."""
from pathlib import Path

from kit import ROOT, command, equal, fresh, ilinject, mcs, program, runtimeconfig, write

HEAD = "using System; using System.Collections.Generic; using System.Linq; using System.Threading.Tasks;\n"
# Its time is far above what is taken off for probes: each method above it has some.
SPIN = ("static class S { public static int Spin(int n) { int s = 0; for (int i = 0; i < 400000; i++) s += i ^ n; "
        "return s; } }\n")
PLAIN = "static class P { static void Main() { for (int i = 0; i < 20; i++) Console.WriteLine(Run(i)); }\n"
# A line that ends with "// @ NAME" is where the method with that name begins.
PROGRAMS = {
    "plain": HEAD + PLAIN + """static int Run(int i)
{
    int s = i;

    return S.Spin(s); } // @ -
static int Twice(int i) => S.Spin(i) + S.Spin(i); }
""" + SPIN.replace("int s = 0;", "\nint s = 0; // @ S.Spin\n"),
    "iterator": HEAD + PLAIN + """static int Run(int i) =>
    All(i).Sum(); // @ P.Run
static IEnumerable<int> All(int n)
{
    int s = S.Spin(n); // @ P.All
    yield return s;
    yield return n;
} }
""" + SPIN,
    "async": HEAD + PLAIN + """static int Run(int i) => Later(i).Result;
static async Task<int> Later(int i)
{
    int s = S.Spin(i); // @ P.Later
    await Task.Yield();
    return s + S.Spin(i);
} }
""" + SPIN,
    "lambda": HEAD + PLAIN + """static int Run(int i)
{
    Func<int, int> f = k =>
        S.Spin(k) + i; // @ P.Run.lambda#1
    return f(i);
} }
""" + SPIN,
    "local": HEAD + PLAIN + """static int Run(int i)
{
    return Inner(2); // @ P.Run
    int Inner(int k)
    {
        return S.Spin(k) + i; // @ P.Run.Inner
    }
} }
""" + SPIN,
    "primary": HEAD + PLAIN + """static int Run(int i) => new Q(i).Value; }
class Q(
    int start)
{
    public int Value =>
        S.Spin(start); // @ Q.Value.get
}
""" + SPIN,
    "generic": HEAD + PLAIN + """static int Run(int i) => new Box<string>().Take(i, "a"); }
class Box<T>
{
    public int Take<K>(int i, K k)
    {
        return S.Spin(i); // @ Box<T>.Take<K>
    }
}
""" + SPIN,
    "exceptions": HEAD + PLAIN + """static int Run(int i)
{
    try
    {
        return Fail(i); // @ P.Run
    }
    catch (Exception) { return S.Spin(i); }
}
static int Fail(int i)
{
    throw new InvalidOperationException(S.Spin(i).ToString()); // @ P.Fail
} }
""" + SPIN,
}
FSHARP = """module M
let spin n =
    let mutable s = 0 // @ M.spin
    for i in 0 .. 400000 do s <- s + (i ^^^ n)
    s
let run n =
    spin (n + 1) // @ M.run
[<EntryPoint>]
let main _ =
    for i in 0 .. 20 do printfn "%d" (run i)
    0
"""
BASIC = """Imports System
Module M
    Function Spin(n As Integer) As Integer
        Dim s As Integer = 0 ' // @ M.Spin
        For i As Integer = 0 To 400000
            s = s Xor (i + n)
        Next
        Return s
    End Function
    Sub Main()
        For i As Integer = 0 To 20
            Console.WriteLine(Spin(i))
        Next
    End Sub
End Module
"""
# Its compiler begins a method at the brace.
MONO = HEAD + PLAIN + """static int Run(int i)
{ // @ P.Run
    return S.Spin(i); } }
static class S { public static int Spin(int n)

{ // @ S.Spin
    int s = 0; for (int i = 0; i < 400000; i++) s += i ^ n;
    return s; } }
"""


def built(name):
    """The instrumented program, optimised, and its source."""
    fresh("made")
    if name == "mono":
        source = write("mono.cs", MONO)
        mcs("mono.exe", "-debug", source)
        ilinject("-q mono.exe -o made/mono.exe")
        return program("mono", "made/mono.exe", status=0).profile, source.read_text().splitlines()
    out = f"{name}.dll"
    if name == "fsharp":
        source = write("fsharp.fs", FSHARP)
        done = command(ROOT / "tests/dotnet-compile", "fsc", out, "--target:exe", "--debug:portable", "--optimize-",
                       source, status=None)
    elif name == "basic":
        source = write("basic.vb", BASIC)
        done = command(ROOT / "tests/dotnet-compile", "vbc", out, "-target:exe", "-debug:portable", "-optimize+",
                       source, status=None)
    else:
        source = write(f"{name}.cs", PROGRAMS[name])
        done = command(ROOT / "tests/dotnet-compile", "csc", out, "-target:exe", "-debug:portable", "-optimize+",
                       source, status=None)
    equal(done.status, 0)
    ilinject("-q", out, "-o", f"made/{out}")
    runtimeconfig(f"made/{out}")
    if name == "fsharp":
        command("cp", "FSharp.Core.dll", "made/")
    return program("dotnet", f"made/{out}", name=name, status=0).profile, Path(source).read_text().splitlines()


def marked(source):
    return {line.split("// @ ")[1].strip(): (i + 1, line) for i, line in enumerate(source)
            if "// @ " in line and not line.endswith("-")}
