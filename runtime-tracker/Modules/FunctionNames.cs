// From a function's id to its names.
using System.Collections.Generic;
using System.Globalization;

namespace Instrumenter
{
    /// <summary>Names resources are read when they are first asked for, and stay. Used by one thread at a time.</summary>
    internal sealed class FunctionNames
    {
        internal struct Function
        {
            /// <summary>Null when the names cannot be had: then the function is called by what stands in Fallback.</summary>
            internal NamesResource Names;
            internal string Fallback;

            /// <summary>The method that was written, in Names, and its id: of one that runs the steps of another, that other.</summary>
            internal int Owner, OwnerId;
            internal bool IsSteps;
        }

        private readonly Dictionary<ModuleInfo, NamesResource> resources = new Dictionary<ModuleInfo, NamesResource>();
        private ModuleInfo[] modules = new ModuleInfo[0];

        internal Function Find(int id)
        {
            Function found = new Function();
            found.OwnerId = id;
            ModuleInfo module = ModuleOf(id);
            if (module == null)
            {
                // It came since.
                modules = ModuleTable.All();
                module = ModuleOf(id);
            }
            if (module == null)
            {
                found.Fallback = "?0x" + id.ToString("x", CultureInfo.InvariantCulture);
                return found;
            }
            int method = id - module.FirstId;
            NamesResource names;
            if (!resources.TryGetValue(module, out names))
                resources.Add(module, names = NamesResource.Read(module.Names));
            if (names == null || method >= names.MethodCount)
            {
                found.Fallback = module.AssemblyName.Split(',')[0] + "!#" + Host.Number(method);
                return found;
            }
            found.Names = names;
            found.Owner = names.Owner(method);
            found.OwnerId = module.FirstId + found.Owner;
            found.IsSteps = found.Owner != method;
            return found;
        }

        private ModuleInfo ModuleOf(int id)
        {
            foreach (ModuleInfo module in modules)
                if (id >= module.FirstId && id - module.FirstId < module.MethodCount)
                    return module;
            return null;
        }
    }
}
