// The shape that others weave: each body in a try block with a finally block that calls the tracker; the result is
// kept in a local.
using System;
using System.IO;
using System.Linq;
using Mono.Cecil;
using Mono.Cecil.Cil;

namespace Bench
{
    sealed class TryFinally
    {
        readonly ModuleDefinition module;
        readonly MethodReference enter;
        readonly MethodReference leave;
        readonly FieldDefinition firstId; // null: ids are the module's own
        readonly Instruction idCount;
        int count;

        /// <summary>Calls the tracker in the file: enter(int32) and leave(int32), the latter with what enter returns, if it does.</summary>
        public TryFinally(ModuleDefinition module, string trackerFile)
        {
            this.module = module;
            using var tracker = ModuleDefinition.ReadModule(trackerFile);
            var type = tracker.GetType("Instrumenter.ProfileInfoTracker");
            var name = tracker.Assembly.Name;
            var scope = new AssemblyNameReference(name.Name, name.Version) { PublicKeyToken = name.PublicKeyToken };
            module.AssemblyReferences.Add(scope);
            var reference = new TypeReference(type.Namespace, type.Name, module, scope);
            var int32 = module.TypeSystem.Int32;
            bool hasToken = type.Methods.Single(m => m.Name == "WhenEnteringMethod").ReturnType.MetadataType == MetadataType.Int32;
            enter = Method(reference, "WhenEnteringMethod", hasToken ? int32 : module.TypeSystem.Void, int32);
            leave = Method(reference, "WhenLeavingMethod", module.TypeSystem.Void, int32);
            if (type.Methods.Any(m => m.Name == "Register"))
                firstId = AddHelper(reference, out idCount);
        }

        static MethodReference Method(TypeReference type, string name, TypeReference result, params TypeReference[] parameters)
        {
            var method = new MethodReference(name, result, type);
            foreach (var parameter in parameters)
                method.Parameters.Add(new ParameterDefinition(parameter));
            return method;
        }

        // The type that registers the module and keeps its first id.
        FieldDefinition AddHelper(TypeReference tracker, out Instruction number)
        {
            var system = module.TypeSystem;
            TypeReference handle = module.GetType("System.RuntimeTypeHandle") ??
                new TypeReference("System", "RuntimeTypeHandle", module, system.CoreLibrary, true);
            const TypeAttributes ofHelper = TypeAttributes.Abstract | TypeAttributes.Sealed | TypeAttributes.BeforeFieldInit;
            const FieldAttributes ofField = FieldAttributes.Static | FieldAttributes.Assembly | FieldAttributes.InitOnly;
            const MethodAttributes ofInitializer = MethodAttributes.Static | MethodAttributes.Private |
                MethodAttributes.SpecialName | MethodAttributes.RTSpecialName;
            var helper = new TypeDefinition("", "<Ids>", ofHelper, system.Object);
            var field = new FieldDefinition("First", ofField, system.Int32);
            var initializer = new MethodDefinition(".cctor", ofInitializer, system.Void);
            number = Instruction.Create(OpCodes.Ldc_I4, 0);
            var il = initializer.Body.GetILProcessor();
            il.Emit(OpCodes.Ldtoken, helper);
            il.Append(number);
            il.Emit(OpCodes.Call, Method(tracker, "Register", system.Int32, handle, system.Int32));
            il.Emit(OpCodes.Stsfld, field);
            il.Emit(OpCodes.Ret);
            helper.Fields.Add(field);
            helper.Methods.Add(initializer);
            module.Types.Add(helper);
            return field;
        }

        /// <summary>Rewrites the methods with these tokens (the position of one is its id), or all when `only` is null;
        /// writes to the file `names`, unless that is null, which method each id is, one a line. With `only` a method
        /// keeps its code as it is, in one of its own, where that can be: in a try block the last code of .NET takes
        /// longer for some loops.</summary>
        public int Run(string names, int[] only = null)
        {
            if (only != null)
            {
                MethodDefinition[] methods = only.Select(t => (MethodDefinition)module.LookupToken(t)).ToArray();
                for (; count < methods.Length; count++)
                {
                    if (CanPart(methods[count]))
                        Part(methods[count]);
                    Wrap(methods[count].Body, count);
                }
                idCount.Operand = count;
                return count;
            }
            using var list = names == null ? null : new StreamWriter(names);
            foreach (var type in module.GetTypes().ToList())
                if (type.Name != "<Module>" && type != firstId?.DeclaringType)
                    foreach (var method in type.Methods)
                        if (method.HasBody && method.Body.Instructions.All(i => i.OpCode.Code != Code.Jmp))
                        {
                            list?.WriteLine($"{type.FullName}::{method.Name}");
                            Wrap(method.Body, count++);
                        }
            if (idCount != null)
                idCount.Operand = count;
            return count;
        }

        static bool CanPart(MethodDefinition method)
        {
            bool generic = method.HasGenericParameters;
            for (TypeDefinition type = method.DeclaringType; type != null; type = type.DeclaringType)
                generic |= type.HasGenericParameters;
            return !generic && !method.IsConstructor && method.CallingConvention == MethodCallingConvention.Default;
        }

        // Puts the code into a method of its own, which the method calls with its arguments.
        void Part(MethodDefinition method)
        {
            MethodBody old = method.Body;
            var inner = new MethodDefinition("<" + method.Name + ">", (method.Attributes & MethodAttributes.Static) | MethodAttributes.Private |
                MethodAttributes.HideBySig, method.ReturnType) { HasThis = method.HasThis, NoInlining = true };
            foreach (var parameter in method.Parameters)
                inner.Parameters.Add(new ParameterDefinition(parameter.Name, ParameterAttributes.None, parameter.ParameterType));
            method.DeclaringType.Methods.Add(inner);
            MethodBody body = inner.Body;
            body.InitLocals = old.InitLocals;
            foreach (var variable in old.Variables.ToList())
            {
                old.Variables.Remove(variable);
                body.Variables.Add(variable);
            }
            foreach (var at in old.Instructions)
                if (at.Operand is ParameterDefinition parameter)
                    at.Operand = parameter == old.ThisParameter ? body.ThisParameter : inner.Parameters[parameter.Index];
            foreach (var at in old.Instructions.ToList())
                body.Instructions.Add(at);
            foreach (var handler in old.ExceptionHandlers)
                body.ExceptionHandlers.Add(handler);
            method.Body = new MethodBody(method);
            var il = method.Body.GetILProcessor();
            if (method.HasThis)
                il.Emit(OpCodes.Ldarg_0);
            foreach (var parameter in method.Parameters)
                il.Emit(OpCodes.Ldarg, parameter);
            il.Emit(OpCodes.Call, inner);
            il.Emit(OpCodes.Ret);
        }

        void Wrap(MethodBody body, int id)
        {
            var code = body.Instructions;
            var type = body.Method.ReturnType;
            while (type is IModifierType modified)
                type = modified.ElementType;
            bool hasToken = enter.ReturnType.MetadataType == MetadataType.Int32;
            var token = hasToken ? Add(body, module.TypeSystem.Int32) : null;
            var result = type.MetadataType == MetadataType.Void ? null : Add(body, type);
            var first = code[0];
            var exit = result == null ? Instruction.Create(OpCodes.Ret) : Load(result);

            bool returns = false;
            for (int i = code.Count - 1; i >= 0; i--)
            {
                var at = code[i];
                if (at.OpCode.Code == Code.Tail)
                    at.OpCode = OpCodes.Nop; // what follows is not a tail call any more
                if (at.OpCode.Code != Code.Ret)
                    continue;
                returns = true;
                var leaving = Instruction.Create(OpCodes.Leave_S, exit);
                if (result != null)
                    code.Insert(i + 1, leaving);
                var changed = result == null ? leaving : Store(result);
                at.OpCode = changed.OpCode;
                at.Operand = changed.Operand;
            }

            int end = code.Count;
            code.Add(hasToken ? Load(token) : Injector.LoadId(id));
            if (!hasToken)
                AddFirstId(body, code.Count);
            code.Add(Instruction.Create(OpCodes.Call, leave));
            code.Add(Instruction.Create(OpCodes.Endfinally));
            var handler = code[end];
            foreach (var inner in body.ExceptionHandlers)
                inner.HandlerEnd ??= handler;
            body.ExceptionHandlers.Add(new ExceptionHandler(ExceptionHandlerType.Finally)
            {
                TryStart = first,
                TryEnd = handler,
                HandlerStart = handler,
                HandlerEnd = returns ? exit : null,
            });
            if (returns)
                code.Add(exit);
            if (returns && result != null)
                code.Add(Instruction.Create(OpCodes.Ret));

            int head = 0;
            code.Insert(head++, Injector.LoadId(id));
            head = AddFirstId(body, head);
            code.Insert(head++, Instruction.Create(OpCodes.Call, enter));
            if (hasToken)
                code.Insert(head, Store(token));
            Injector.Widen(body);
        }

        int AddFirstId(MethodBody body, int at)
        {
            if (firstId == null)
                return at;
            body.Instructions.Insert(at, Instruction.Create(OpCodes.Ldsfld, firstId));
            body.Instructions.Insert(at + 1, Instruction.Create(OpCodes.Add));
            return at + 2;
        }

        static VariableDefinition Add(MethodBody body, TypeReference type)
        {
            var variable = new VariableDefinition(type);
            body.InitLocals |= !body.HasVariables;
            body.Variables.Add(variable);
            return variable;
        }

        static Instruction Load(VariableDefinition variable)
        {
            switch (variable.Index)
            {
                case 0: return Instruction.Create(OpCodes.Ldloc_0);
                case 1: return Instruction.Create(OpCodes.Ldloc_1);
                case 2: return Instruction.Create(OpCodes.Ldloc_2);
                case 3: return Instruction.Create(OpCodes.Ldloc_3);
            }
            return Instruction.Create(variable.Index <= byte.MaxValue ? OpCodes.Ldloc_S : OpCodes.Ldloc, variable);
        }

        static Instruction Store(VariableDefinition variable)
        {
            switch (variable.Index)
            {
                case 0: return Instruction.Create(OpCodes.Stloc_0);
                case 1: return Instruction.Create(OpCodes.Stloc_1);
                case 2: return Instruction.Create(OpCodes.Stloc_2);
                case 3: return Instruction.Create(OpCodes.Stloc_3);
            }
            return Instruction.Create(variable.Index <= byte.MaxValue ? OpCodes.Stloc_S : OpCodes.Stloc, variable);
        }
    }
}
