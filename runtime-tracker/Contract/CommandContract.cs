// The part of the contract for the texts of ADO.NET's commands (docs/leaves.md).
using System;

namespace Instrumenter
{
    public static partial class ProfileInfoTracker
    {
        /// <summary>
        /// True if the text of the command is requested; its call is the leaf with this token. If so,
        /// <see cref="WhenCommandHasText"/> has to come, and nothing is recorded until then: the command's code may be
        /// instrumented.
        /// </summary>
        public static bool WantsCommandText(int token)
        {
            return token > 0 && Settings.MostCommandTexts > 0 && Guard.Enter();
        }

        /// <summary>The text, as the program has it; null when it could not be had.</summary>
        public static void WhenCommandHasText(object command, string text, int token)
        {
            try { } finally { TakeTextUnbroken(command, text, token); }
        }

        private static void TakeTextUnbroken(object command, string text, int token)
        {
            int id = 0;
            try
            {
                if (command != null)
                    id = CommandTexts.IdOf(command, text);
            }
            catch (Exception)
            {
                // Out of memory: the leaf stands without a text.
            }
            finally
            {
                Guard.Leave();
            }
            CommandTexts.Begin(id, token);
        }

        /// <summary><see cref="WhenLeavingMethod"/> of such a leaf: the frame of its text ends with it.</summary>
        public static void WhenLeavingCommand(int token)
        {
            CommandTexts.Leave(token);
            WhenLeavingMethod(token);
        }
    }
}
