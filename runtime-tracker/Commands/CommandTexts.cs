// The ids that stand for commands' texts in the call tree.
using System;
using System.Collections.Generic;

namespace Instrumenter
{
    /// <summary>
    /// In the profile each text is a module of its own, as that of a scope is: so a report on several runs knows it again. A text is
    /// kept masked, never as it was.
    /// </summary>
    internal static class CommandTexts
    {
        private const string Others = "(other texts)", Assembly = "ilinject commands";

        private static SpinLock gate;
        private static Dictionary<string, int> ids;
        private static int others;
        private static bool isCompiled;

        // Most calls find their text here, without a lock.
        [ThreadStatic]
        private static Dictionary<string, int> known;

        [ThreadStatic]
        private static Type lastType;
        [ThreadStatic]
        private static int lastDialects;

        /// <summary>The id of the command's text; 0: it has none.</summary>
        internal static int IdOf(object command, string text)
        {
            if (string.IsNullOrEmpty(text))
                return 0;
            Type type = command.GetType();
            if (type != lastType)
            {
                lastDialects = SqlDialect.Of(type.FullName ?? "");
                lastType = type;
            }
            string masked = SqlMask.Of(text, lastDialects);
            if (masked.Length == 0)
                return 0;
            int id;
            if (known == null)
                known = new Dictionary<string, int>(StringComparer.Ordinal);
            if (known.TryGetValue(masked, out id))
                return id;
            id = Find(masked);
            if (known.Count < Settings.MostCommandTexts)
                known.Add(masked, id);
            return id;
        }

        private static int Find(string masked)
        {
            using (SpinLock.Of(ref gate).Enter())
            {
                if (ids == null)
                    ids = new Dictionary<string, int>(StringComparer.Ordinal);
                int id;
                if (ids.TryGetValue(masked, out id))
                    return id;
                if (ids.Count < Settings.MostCommandTexts)
                {
                    ids.Add(masked, id = Add(masked));
                    return id;
                }
                if (others == 0)
                    others = Add(Others);
                return others;
            }
        }

        private static int Add(string text)
        {
            return ModuleTable.Add(ScopeNames.ModuleOf(text, Assembly, NameFlag.SCOPE | NameFlag.COMMAND));
        }

        /// <summary>
        /// The call begins now: what the tracker has done for its text, and compiled for that, is no time of the leaf's. It is its caller's.
        /// Opens a frame for the text, if there is one, on that of the leaf.
        /// </summary>
        internal static void Begin(int id, int leafToken)
        {
            ThreadTree tree = ThreadTree.Current;
            if (tree == null || leafToken != tree.Depth)
                return;
            if (!isCompiled)
            {
                // The call that ends the text's frame must not be compiled within it.
                isCompiled = true;
                ProfileInfoTracker.WhenLeavingCommand(0);
            }
            tree.BeginAgain();
            if (id == 0)
                return;
            int token = ProfileInfoTracker.WhenEnteringMethod(id);
            if (token == leafToken + 1)
                tree.Nodes[tree.Frames[token].Node].Flags |= Node.Command;
        }

        /// <summary>
        /// Closes that frame, if there is one, and remembers the owner of the text: the call's task may be awaited.
        /// </summary>
        internal static void Leave(int leafToken)
        {
            ThreadTree tree = ThreadTree.Current;
            if (leafToken <= 0 || tree == null)
                return;
            tree.CommandLeaf = 0;
            if (tree.Depth <= leafToken)
                return;
            int text = tree.Frames[leafToken + 1].Node;
            if ((tree.Nodes[text].Flags & Node.Command) == 0)
                return;
            tree.CommandLeaf = tree.Nodes[tree.Frames[leafToken].Node].Id;
            tree.CommandText = tree.Nodes[text].Id;
            ProfileInfoTracker.WhenLeavingMethod(leafToken + 1);
        }
    }
}
