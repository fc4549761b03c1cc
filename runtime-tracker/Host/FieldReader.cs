// Fields of objects, known only as a FieldInfo, read as quickly as the runtime can.
using System;
using System.Reflection;

namespace Instrumenter
{
    /// <summary>The value of a field in this object.</summary>
    internal delegate object FieldReader(object of);

    internal static class FieldReaders
    {
        /// <summary>
        /// Mono's GetValue asks each time whether the object has such a field, for longer than it
        /// takes to read it. The method that it calls then is found by its name; elsewhere this is
        /// GetValue itself.
        /// </summary>
        internal static FieldReader Of(FieldInfo field)
        {
            MethodInfo read = field.GetType().GetMethod("GetValueInternal", BindingFlags.Instance | BindingFlags.NonPublic, null,
                                                        new[] { typeof(object) }, null);
            try
            {
                if (read != null)
                    return (FieldReader)Delegate.CreateDelegate(typeof(FieldReader), field, read);
            }
            catch (Exception)
            {
                // Another runtime's method of that name.
            }
            return field.GetValue;
        }
    }
}
