// The text that is kept of an exception itself. No code of the program is run for it.
using System;
using System.Reflection;

namespace Instrumenter
{
    internal static class ExceptionText
    {
        private const int LongestMessage = 200;

        /// <summary>The full name of its type; null when there is none.</summary>
        internal static string TypeName(object exception)
        {
            return exception == null ? null : exception.GetType().FullName;
        }

        /// <summary>
        /// Its message, cut; null when it is not to be had. A type of the program's own that makes the message itself is not
        /// asked: that would run the program's code where it is not expected.
        /// </summary>
        internal static string Message(object exception)
        {
            try
            {
                Exception real = exception as Exception;
                MethodInfo getter = real == null ? null : real.GetType().GetMethod("get_Message", Type.EmptyTypes);
                if (getter == null || getter.DeclaringType.Assembly != typeof(object).Assembly)
                    return null;
                string message = real.Message;
                if (message == null || message.Length <= LongestMessage)
                    return message;
                // Not between the two halves of one character.
                int length = char.IsHighSurrogate(message[LongestMessage - 1]) ? LongestMessage - 1 : LongestMessage;
                return message.Substring(0, length);
            }
            catch (Exception)
            {
                return null;
            }
        }
    }
}
