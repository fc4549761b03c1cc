// The peer in the rewriting benchmark: the job of `ilinject --tracker IntTracker.dll`, done with Mono.Cecil.
//
//   dotnet rewrite.dll [--try-finally TRACKER [--names FILE] [--only FILE]] IN OUT
//   dotnet rewrite.dll [--try-finally TRACKER] --list FILE [FOLDER]
//
// The second form rewrites each file that FILE names, one a line, in memory, and prints for each the size of what came of it and
// the file, or 0 and the file when Mono.Cecil cannot rewrite it; with a FOLDER it writes them there instead, one after another. With --try-finally each body goes into a try block with the calls of
// the tracker in the file TRACKER (TryFinally.cs); --names writes the method of each id to FILE, one a line; --only takes the methods
// alone with tokens that FILE has, one a line. Without --try-finally:
//
// At each method's head `ldc.i4 id; call WhenEnteringMethod(int32)`, before each ret `ldc.i4 id; call
// WhenLeavingMethod(int32)`. The old ret is rewritten in place, so that what jumped to it lands on the leave.
using System;
using System.IO;
using System.Linq;
using Mono.Cecil;
using Mono.Cecil.Cil;

namespace Bench
{
    static class Program
    {
        static string names;
        static int[] only;

        static int Main(string[] args)
        {
            string tracker = null;
            if (args.Length > 1 && args[0] == "--try-finally")
            {
                tracker = args[1];
                args = args[2..];
            }
            if (tracker != null && args.Length > 1 && args[0] == "--names")
            {
                names = args[1];
                args = args[2..];
            }
            if (tracker != null && args.Length > 1 && args[0] == "--only")
            {
                only = File.ReadLines(args[1]).Select(token => Convert.ToInt32(token, 16)).ToArray();
                args = args[2..];
            }
            if (args.Length != 2 && !(args.Length == 3 && args[0] == "--list"))
            {
                Console.Error.WriteLine("usage: rewrite [--try-finally TRACKER [--names FILE] [--only FILE]] IN OUT | rewrite [--try-finally TRACKER] --list FILE [FOLDER]");
                return 2;
            }
            if (args[0] == "--list")
            {
                foreach (var file in File.ReadLines(args[1]))
                    Console.WriteLine($"{SizeOfOutput(file, tracker, args.Length > 2 ? args[2] : null)} {file}");
                return 0;
            }
            using var output = File.Create(args[1]);
            Console.WriteLine($"{Rewrite(args[0], output, tracker)} methods");
            return 0;
        }

        static long SizeOfOutput(string file, string tracker, string folder)
        {
            try
            {
                using Stream output = folder == null ? new MemoryStream() : File.Create(Path.Combine(folder, Path.GetFileName(file)));
                Rewrite(file, output, tracker);
                return output.Length;
            }
            catch (Exception e)
            {
                Console.Error.WriteLine($"{file}: {e.Message}");
                return 0;
            }
        }

        static int Rewrite(string file, Stream output, string tracker)
        {
            using var resolver = new DefaultAssemblyResolver();
            resolver.AddSearchDirectory(Path.GetDirectoryName(Path.GetFullPath(file)));
            var parameters = new ReaderParameters(ReadingMode.Deferred)
            {
                ReadSymbols = false,
                AssemblyResolver = resolver,
            };
            using var module = ModuleDefinition.ReadModule(file, parameters);
            MakeIlOnly(module);
            int count = tracker == null ? new Injector(module, "IntTracker").Run() : new TryFinally(module, tracker).Run(names, only);
            module.Write(output, new WriterParameters { WriteSymbols = false });
            return count;
        }

        // A ReadyToRun image loses its native code when it is written; its flags and machine have to say so.
        static void MakeIlOnly(ModuleDefinition module)
        {
            const ModuleAttributes ilLibrary = (ModuleAttributes)4;
            if ((module.Attributes & (ModuleAttributes.ILOnly | ilLibrary)) != ilLibrary)
                return;
            module.Attributes = (module.Attributes | ModuleAttributes.ILOnly) & ~ilLibrary;
            module.Architecture = TargetArchitecture.I386;
        }
    }

    sealed class Injector
    {
        readonly ModuleDefinition module;
        readonly MethodReference enter;
        readonly MethodReference leave;
        int count;

        public Injector(ModuleDefinition module, string assembly)
        {
            this.module = module;
            var scope = new AssemblyNameReference(assembly, new Version(0, 0, 0, 0));
            module.AssemblyReferences.Add(scope);
            var tracker = new TypeReference("Instrumenter", "ProfileInfoTracker", module, scope);
            enter = Method(tracker, "WhenEnteringMethod");
            leave = Method(tracker, "WhenLeavingMethod");
        }

        MethodReference Method(TypeReference tracker, string name)
        {
            var method = new MethodReference(name, module.TypeSystem.Void, tracker);
            method.Parameters.Add(new ParameterDefinition(module.TypeSystem.Int32));
            return method;
        }

        public int Run()
        {
            foreach (var type in module.Types)
                if (type.Name != "<Module>")
                    Visit(type);
            return count;
        }

        void Visit(TypeDefinition type)
        {
            foreach (var method in type.Methods)
                if (method.HasBody)
                    Inject(method.Body, count++);
            if (type.HasNestedTypes)
                foreach (var nested in type.NestedTypes)
                    Visit(nested);
        }

        void Inject(MethodBody body, int id)
        {
            var code = body.Instructions;
            bool shortBranches = false;
            for (int i = code.Count - 1; i >= 0; i--)
            {
                var at = code[i];
                if (at.OpCode.OperandType == OperandType.ShortInlineBrTarget)
                    shortBranches = true;
                if (at.OpCode.Code == Code.Tail || at.OpCode.Code == Code.Jmp)
                    LeaveBefore(body, i, id);
                else if (at.OpCode.Code == Code.Ret && !AfterTailCall(body, i))
                    LeaveBefore(body, i, id);
            }
            code.Insert(0, Instruction.Create(OpCodes.Call, enter));
            code.Insert(0, LoadId(id));
            if (shortBranches)
                Widen(body);
        }

        static bool AfterTailCall(MethodBody body, int ret)
        {
            return ret >= 2 && body.Instructions[ret - 2].OpCode.Code == Code.Tail;
        }

        // Turns the instruction at `index` into the leave's first one and puts a copy of it after the call.
        void LeaveBefore(MethodBody body, int index, int id)
        {
            var code = body.Instructions;
            var at = code[index];
            var copy = Instruction.Create(OpCodes.Nop);
            copy.OpCode = at.OpCode;
            copy.Operand = at.Operand;
            var load = LoadId(id);
            at.OpCode = load.OpCode;
            at.Operand = load.Operand;
            code.Insert(index + 1, copy);
            code.Insert(index + 1, Instruction.Create(OpCodes.Call, leave));
        }

        internal static Instruction LoadId(int id)
        {
            switch (id)
            {
                case 0: return Instruction.Create(OpCodes.Ldc_I4_0);
                case 1: return Instruction.Create(OpCodes.Ldc_I4_1);
                case 2: return Instruction.Create(OpCodes.Ldc_I4_2);
                case 3: return Instruction.Create(OpCodes.Ldc_I4_3);
                case 4: return Instruction.Create(OpCodes.Ldc_I4_4);
                case 5: return Instruction.Create(OpCodes.Ldc_I4_5);
                case 6: return Instruction.Create(OpCodes.Ldc_I4_6);
                case 7: return Instruction.Create(OpCodes.Ldc_I4_7);
                case 8: return Instruction.Create(OpCodes.Ldc_I4_8);
            }
            return id <= sbyte.MaxValue ? Instruction.Create(OpCodes.Ldc_I4_S, (sbyte)id) : Instruction.Create(OpCodes.Ldc_I4, id);
        }

        // Makes short branches long where they no longer reach, until all do; offsets are laid out again each round.
        internal static void Widen(MethodBody body)
        {
            for (bool changed = true; changed;)
            {
                int offset = 0;
                foreach (var at in body.Instructions)
                {
                    at.Offset = offset;
                    offset += at.GetSize();
                }
                changed = false;
                foreach (var at in body.Instructions)
                {
                    if (at.OpCode.OperandType != OperandType.ShortInlineBrTarget)
                        continue;
                    int distance = ((Instruction)at.Operand).Offset - (at.Offset + 2);
                    if (distance >= sbyte.MinValue && distance <= sbyte.MaxValue)
                        continue;
                    at.OpCode = Long(at.OpCode.Code);
                    changed = true;
                }
            }
        }

        static OpCode Long(Code code)
        {
            switch (code)
            {
                case Code.Br_S: return OpCodes.Br;
                case Code.Brfalse_S: return OpCodes.Brfalse;
                case Code.Brtrue_S: return OpCodes.Brtrue;
                case Code.Beq_S: return OpCodes.Beq;
                case Code.Bge_S: return OpCodes.Bge;
                case Code.Bgt_S: return OpCodes.Bgt;
                case Code.Ble_S: return OpCodes.Ble;
                case Code.Blt_S: return OpCodes.Blt;
                case Code.Bne_Un_S: return OpCodes.Bne_Un;
                case Code.Bge_Un_S: return OpCodes.Bge_Un;
                case Code.Bgt_Un_S: return OpCodes.Bgt_Un;
                case Code.Ble_Un_S: return OpCodes.Ble_Un;
                case Code.Blt_Un_S: return OpCodes.Blt_Un;
                case Code.Leave_S: return OpCodes.Leave;
            }
            throw new InvalidOperationException("not a short branch: " + code);
        }
    }
}
