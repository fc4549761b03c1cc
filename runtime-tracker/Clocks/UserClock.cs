// A clock of the program's own for the call trees, named in the settings (clock=type:NAME): found by reflection, never trusted.
using System;
using System.Reflection;
using System.Threading;

namespace Instrumenter
{
    /// <summary>
    /// Its code may be instrumented: while it is read the thread is inside the tracker, so its calls are not recorded. When it throws,
    /// wall time goes on from where it stood.
    /// </summary>
    internal static class UserClock
    {
        private const int WarmUps = 10, Readings = 1000;
        private const long Nanoseconds = 1000000000;

        private delegate long Reading();

        /// <summary>Where wall time took over.</summary>
        private sealed class End
        {
            internal readonly long Ticks, Wall;

            internal End(long ticks, long wall)
            {
                Ticks = ticks;
                Wall = wall;
            }
        }

        private static IHighResolution source;
        private static Reading reading;
        private static string typeName;
        private static End end;

        /// <summary>The latest time that it gave: where it stands when it throws; and by how much it was set back.</summary>
        private static long last, setBack;

        internal static long TicksPerSecond;

        /// <summary>The cost of one reading: as the clock says itself, else the mean of many; 0: not known.</summary>
        internal static long ReadPicoseconds;

        /// <summary>Takes the clock; null when it can be used, else why not. May throw whatever the program's code throws.</summary>
        internal static string Problem(string name)
        {
            Type type = Find(name);
            if (type == null)
                return "there is no such type";
            typeName = type.FullName;
            if (typeof(IHighResolution).IsAssignableFrom(type))
            {
                ConstructorInfo constructor = type.IsAbstract ? null : type.GetConstructor(Type.EmptyTypes);
                if (constructor == null && !type.IsValueType)
                    return "it has no public constructor without parameters";
                try
                {
                    source = (IHighResolution)Activator.CreateInstance(type);
                }
                catch (TargetInvocationException e)
                {
                    return "its constructor has thrown " + e.InnerException.GetType().FullName;
                }
            }
            else
            {
                reading = StaticReading(type);
                if (reading == null)
                    return "it is no Instrumenter.IHighResolution, and has no public static long Ticks";
            }
            try
            {
                TicksPerSecond = StatedRate(type);
                for (int i = 0; i < WarmUps; i++)
                    last = Read();
            }
            catch (Exception e)
            {
                return "it has thrown " + (e is TargetInvocationException ? e.InnerException : e).GetType().FullName;
            }
            if (TicksPerSecond <= 0)
                return "its TicksPerSecond is not above 0";
            ReadPicoseconds = ReadingCost();
            return null;
        }

        private static long ReadingCost()
        {
            try
            {
                double ticks = source == null ? 0 : source.Avg;
                if (ticks <= 0)
                {
                    long start = Read();
                    for (int i = 0; i < Readings; i++)
                        Read();
                    ticks = (double)(Read() - start) / Readings;
                }
                double picoseconds = ticks * 1e12 / TicksPerSecond;
                return picoseconds > 0 && picoseconds < long.MaxValue ? (long)picoseconds : 0;
            }
            catch (Exception)
            {
                // It has been read, so it is used; when it throws again, that is said.
                return 0;
            }
        }

        /// <summary>"Name, Assembly", or a name in any assembly that is loaded.</summary>
        private static Type Find(string name)
        {
            Type type = Type.GetType(name, false);
            if (type != null || name.IndexOf(',') >= 0)
                return type;
            foreach (Assembly assembly in AppDomain.CurrentDomain.GetAssemblies())
            {
                type = assembly.GetType(name, false);
                if (type != null)
                    return type;
            }
            return null;
        }

        private static Reading StaticReading(Type type)
        {
            PropertyInfo ticks = type.GetProperty("Ticks", BindingFlags.Public | BindingFlags.Static);
            MethodInfo getter = ticks == null || ticks.PropertyType != typeof(long) ? null : ticks.GetGetMethod();
            return getter == null ? null : (Reading)Delegate.CreateDelegate(typeof(Reading), getter);
        }

        /// <summary>Its public long TicksPerSecond, a field or property, of the instance or static; else it counts ns.</summary>
        private static long StatedRate(Type type)
        {
            const BindingFlags any = BindingFlags.Public | BindingFlags.Static | BindingFlags.Instance | BindingFlags.FlattenHierarchy;
            PropertyInfo property = type.GetProperty("TicksPerSecond", any);
            if (property != null && property.PropertyType == typeof(long) && property.CanRead)
                return (long)property.GetValue(source, null);
            FieldInfo field = type.GetField("TicksPerSecond", any);
            return field != null && field.FieldType == typeof(long) ? (long)field.GetValue(source) : Nanoseconds;
        }

        private static long Read()
        {
            return source != null ? source.Ticks : reading();
        }

        internal static long Now()
        {
            End fallen = end;
            if (fallen != null)
                return fallen.Ticks + WallTime.Convert(WallTime.Now() - fallen.Wall, TicksPerSecond);
            bool entered = Guard.Enter();
            try
            {
                return SteadyTime.Of(Read(), TicksPerSecond, ref last, ref setBack);
            }
            catch (Exception e)
            {
                if (Interlocked.CompareExchange(ref end, new End(Counter.Read(ref last), WallTime.Now()), null) == null)
                    Host.Say("the clock " + typeName + " has thrown " + e.GetType().FullName + "; going on in wall time");
                return end.Ticks;
            }
            finally
            {
                if (entered)
                    Guard.Leave();
            }
        }
    }
}
