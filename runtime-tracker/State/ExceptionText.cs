// The text that is kept of an exception itself. No code of the program is run for it.
using System;
using System.Reflection;
using System.Runtime.CompilerServices;

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
                if (!Settings.KeepsMessages)
                    return null;
                Exception real = exception as Exception;
                string message = real == null ? null : MessageOf(real);
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

        private static string MessageOf(Exception exception)
        {
            if (!Features.DynamicCode)
                return exception.GetType().Assembly == typeof(object).Assembly ? exception.Message : StoredThere(exception);
            MethodInfo getter = exception.GetType().GetMethod("get_Message", Type.EmptyTypes);
            return getter == null || getter.DeclaringType.Assembly != typeof(object).Assembly ? null : exception.Message;
        }

        /// <summary>Mono names an internal call that it has not as soon as it compiles a method that calls it.</summary>
        [MethodImpl(MethodImplOptions.NoInlining)]
        private static string StoredThere(Exception exception)
        {
            return Stored(exception);
        }

        /// <summary>
        /// The field that holds the message it was made with. NativeAOT's compiler makes a body for this method, which no other
        /// host calls. A method without a body has to be an internal call or something of the kind (ECMA-335 II.22.26).
        /// </summary>
        [MethodImpl(MethodImplOptions.InternalCall), UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_message")]
        private static extern ref string Stored(Exception exception);
    }
}

// Attributes that .NET's compilers look for by name, from .NET 8 on.
namespace System.Runtime.CompilerServices
{
    internal enum UnsafeAccessorKind
    {
        Field = 3
    }

    /// <summary>The method gets at a member of the type of its first parameter.</summary>
    [AttributeUsage(AttributeTargets.Method)]
    internal sealed class UnsafeAccessorAttribute : Attribute
    {
        internal readonly UnsafeAccessorKind Kind;

        public string Name { get; set; }

        public UnsafeAccessorAttribute(UnsafeAccessorKind kind)
        {
            Kind = kind;
        }
    }
}
