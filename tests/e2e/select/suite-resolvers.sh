#!/usr/bin/env bash
# Programs that find assemblies by themselves: the tracker is a resource of the program, and no file, as Costura.Fody has it
# (e2e/full-costura runs that one). It is found by a handler that runs before anything may call it.
. "$(dirname "$0")/../../lib.sh"
. "$(dirname "$0")/../lib/sh/ladder.sh"
cd "$SCRATCH" || exit 1
tracker=$BUILD/ProfileInfoTracker.dll
run() { "$ILINJECT" "$@" >out 2>err; }
# What is left out of the program, a line each.
left_out() { "$ILINJECT" list "$1" | sed -n -E 's/^ *0x[0-9a-f]{8} +[0-9]+  assembly resolver +[a-z ]+  +(.*)$/\1/p'; }
# FILE COMMAND…: instruments it, takes the tracker away, runs it.
runs_alone() {
    local file=$1
    shift
    rm -rf alone && run "$file" -o alone/ && rm alone/ProfileInfoTracker.dll && (cd alone && "$@" "$file" >said 2>&1 && [ "$(cat said)" = 5 ] && [ -s "${file%.*}.ilprof" ]) || { cat err alone/said; return 1; }
}

# ---- The module's initializer, on Mono ----------------------------------------------------------------------------------

# Attach hooks; Note runs before that and is no resolver; Steps is initialized by a field that Attach reads.
module() { # HOOKS
    cat <<IL
.assembly extern mscorlib { .ver 4:0:0:0 .publickeytoken = (B7 7A 5C 56 19 34 E0 89) }
.assembly Embedded {}
.module Embedded.exe
.mresource public 'x.profileinfotracker.dll' { }
.method private static specialname rtspecialname void .cctor() cil managed { call void Loader::Note() call void Loader::Attach() ret }
.class private Loader {
  .method public static void Note() cil managed { ldc.i4.1 pop ret }
  .method public static void Attach() cil managed { .maxstack 8
    ldsfld int32 Steps::count pop
    $1 ret }
  .method public static class [mscorlib]System.Reflection.Assembly Find(object s, class [mscorlib]System.ResolveEventArgs e) cil managed { .maxstack 8 .locals init (class [mscorlib]System.IO.Stream s, uint8[] b)
    call class [mscorlib]System.Reflection.Assembly [mscorlib]System.Reflection.Assembly::GetExecutingAssembly()
    ldstr "x.profileinfotracker.dll" callvirt instance class [mscorlib]System.IO.Stream [mscorlib]System.Reflection.Assembly::GetManifestResourceStream(string) stloc.0
    ldloc.0 callvirt instance int64 [mscorlib]System.IO.Stream::get_Length() conv.i4 newarr [mscorlib]System.Byte stloc.1
    ldloc.0 ldloc.1 call void Loader::Fill(class [mscorlib]System.IO.Stream, uint8[])
    ldloc.1 call class [mscorlib]System.Reflection.Assembly [mscorlib]System.Reflection.Assembly::Load(uint8[]) ret }
  .method public static void Fill(class [mscorlib]System.IO.Stream s, uint8[] b) cil managed { .maxstack 8
    ldarg.0 ldarg.1 ldc.i4.0 ldarg.1 ldlen conv.i4 callvirt instance int32 [mscorlib]System.IO.Stream::Read(uint8[], int32, int32) pop ret }
  .method public static void Unused() cil managed { ldc.i4.2 pop ret }
}
.class private Steps {
  .field public static int32 count
  .method private static specialname rtspecialname void .cctor() cil managed { ldc.i4.3 stsfld int32 Steps::count ret }
}
.class private Program {
  .method public static int32 Add(int32 a) cil managed { .maxstack 8 ldarg.0 ldc.i4.1 add ret }
  .method public static void Main() cil managed { .entrypoint .maxstack 8 ldc.i4.4 call int32 Program::Add(int32) call void [mscorlib]System.Console::WriteLine(int32) ret }
}
IL
}
hook='call class [mscorlib]System.AppDomain [mscorlib]System.AppDomain::get_CurrentDomain() ldnull ldftn class [mscorlib]System.Reflection.Assembly Loader::Find(object, class [mscorlib]System.ResolveEventArgs)
    newobj instance void [mscorlib]System.ResolveEventHandler::.ctor(object, native int) callvirt instance void [mscorlib]System.AppDomain::add_AssemblyResolve(class [mscorlib]System.ResolveEventHandler)'
if can mono && has ilasm; then
    mkdir il && cp "$tracker" il/x.profileinfotracker.dll
    module "$hook" >il/Embedded.il && (cd il && ilasm /out:../Embedded.exe Embedded.il) >log 2>&1 || { cat log; exit 1; }
    check "a program that finds the tracker in itself runs and is measured, on Mono" runs_alone Embedded.exe mono
    check "… without what its module's initializer calls, sets and hands over" diff <(left_out Embedded.exe | sort) <(printf '%s\n' '.cctor()' '.cctor()' 'Attach()' 'Fill(Stream, byte[])' 'Find(object, ResolveEventArgs)' 'Note()' | sort)
    check "… which is told" eval 'grep -q "^Embedded.exe: info ILJ0490: 6 methods" err && ! grep -q ILJ0491 err && grep -q "left out (6 assembly resolver)" out'
    check "… and no rule takes them back" eval 'run Embedded.exe -o all.exe --include "**" && grep -q "left out (6 assembly resolver)" out'
    check "… and list says why" eval '"$ILINJECT" list Embedded.exe --explain "Loader.Attach" >out && grep -q "left out, assembly resolver: it finds assemblies" out'
    module 'call class [mscorlib]System.AppDomain [mscorlib]System.AppDomain::get_CurrentDomain() pop' >il/Plain.il && (cd il && ilasm /out:../Plain.exe Plain.il) >log 2>&1 || { cat log; exit 1; }
    check "an initializer that adds no handler is instrumented like all" eval 'run Plain.exe -o plain/ && ! grep -q ILJ049 err && [ -z "$(left_out Plain.exe)" ] && [ "$(mono plain/Plain.exe)" = 5 ]'
else
    skip "a program that finds the tracker in itself runs and is measured, on Mono" "no mono or ilasm"
fi

# ---- A handler of the program's own --------------------------------------------------------------------------------------

own() { # ATTRIBUTE: Main adds it
    cat <<CS
using System;
using System.Reflection;
namespace Instrumenter { class NoProfileAttribute : Attribute { } }
static class Program
{
    $1 static Assembly Find(object sender, ResolveEventArgs e)
    {
        if (!e.Name.StartsWith("ProfileInfoTracker,")) return null;
        using (var stream = Assembly.GetExecutingAssembly().GetManifestResourceStream("ProfileInfoTracker.dll"))
        {
            var bytes = new byte[stream.Length];
            stream.Read(bytes, 0, bytes.Length);
            return Assembly.Load(bytes);
        }
    }
    $1 static void Main() { AppDomain.CurrentDomain.AssemblyResolve += Find; Run(); }
    static void Run() { Console.WriteLine(Add(4)); }
    static int Add(int a) { return a + 1; }
}
CS
}
halves_own() {
    local compile=(mcs -nologo "-out:own.exe" "-resource:$tracker,ProfileInfoTracker.dll" own.cs) file=own.exe run=(mono)
    mkdir "$runtime" && cd "$runtime" || return
    if [ "$runtime" = dotnet ]; then compile=("$ROOT/tests/dotnet-csc" own.dll "-resource:$tracker,ProfileInfoTracker.dll" own.cs) file=own.dll run=(dotnet); fi
    own '' >own.cs && "${compile[@]}" >log 2>&1 || { cat log; return 1; }
    [ "$runtime" = mono ] || runtimeconfig own.dll
    check "a handler that an instrumented method adds is named, with what to do, on $runtime" eval 'run $file -o named/ && grep -q "^$file: warning ILJ0491: .*ProfileInfoTracker.dll.* Program.Main() .*NoProfile" err'
    own '[Instrumenter.NoProfile]' >own.cs && "${compile[@]}" >log 2>&1 || { cat log; return 1; }
    check "… and what it says helps, on $runtime" runs_alone "$file" "${run[@]}"
    check "… without a word, on $runtime" eval '! grep -q ILJ049 err'
}
if can mono && has mcs; then halves halves_own; else skip "a handler of one's own is named" "no mono or mcs"; fi

# .NET's own module initializer.
if can dotnet; then
    cat >Initialized.cs <<'CS'
using System;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
static class Program
{
    [ModuleInitializer] internal static void Attach() { AssemblyLoadContext.Default.Resolving += (context, name) => name.Name == "ProfileInfoTracker" ? Find(context) : null; }
    static Assembly Find(AssemblyLoadContext context) { return context.LoadFromStream(typeof(Program).Assembly.GetManifestResourceStream("ProfileInfoTracker.dll")); }
    static void Main() { Console.WriteLine(Add(4)); }
    static int Add(int a) { return a + 1; }
}
CS
    "$ROOT/tests/dotnet-csc" Initialized.dll "-resource:$tracker,ProfileInfoTracker.dll" Initialized.cs >log 2>&1 || cat log
    runtimeconfig Initialized.dll
    check "a module initializer of C#'s that finds the tracker is left out, and the program runs on .NET" runs_alone Initialized.dll dotnet
    check "… and Main is measured" eval '"$ILINJECT" report --format=csv alone/Initialized.ilprof | grep -q "Program.Main" && left_out Initialized.dll | grep -q "Attach()" && ! left_out Initialized.dll | grep -q "Main()"'
else
    skip "a module initializer of C#'s that finds the tracker is left out, and the program runs on .NET" "no .NET"
fi
finish
