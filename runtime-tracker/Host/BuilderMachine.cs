// By what a state machine that is a struct is known again: an object that its builder has, and that no other call's builder has.
using System;
using System.Collections.Generic;
using System.Reflection;

namespace Instrumenter
{
    /// <summary>
    /// The first suspension puts such a machine into an object, and the builder, which is a field of the
    /// machine, keeps that object or the task. The builder's fields are read, and no code of the program's runs.
    /// </summary>
    internal static class BuilderMachine
    {
        private const int MostNested = 3;

        private const string Namespace = "System.Runtime.CompilerServices", MachineName = Namespace + ".IAsyncStateMachine";

        /// <summary>A field that may have it; a struct has fields of its own.</summary>
        private struct Place
        {
            internal FieldReader Read;
            internal bool IsStruct;
        }

        /// <summary>Those of one type.</summary>
        [ThreadStatic]
        private static Dictionary<Type, Place[]> known;

        /// <summary>The types of objects that are, or are not, one call's alone, whatever holds them.</summary>
        [ThreadStatic]
        private static Dictionary<Type, bool> machines;

        /// <summary>Null: nothing that is surely this call's.</summary>
        internal static object Of(object builder)
        {
            return Of(builder, 0);
        }

        private static object Of(object holder, int nested)
        {
            Type type = holder.GetType();
            foreach (Place place in PlacesOf(type))
            {
                object value = place.Read(holder);
                if (value == null)
                    continue;
                if (!place.IsStruct)
                {
                    if (IsOneCalls(value, type))
                        return value;
                    continue;
                }
                object found = nested < MostNested ? Of(value, nested + 1) : null;
                if (found != null)
                    return found;
            }
            return null;
        }

        private static Place[] PlacesOf(Type type)
        {
            Place[] places;
            if (known == null)
                known = new Dictionary<Type, Place[]>();
            if (known.TryGetValue(type, out places))
                return places;
            List<Place> found = new List<Place>();
            Type definition = type.IsGenericType ? type.GetGenericTypeDefinition() : type;
            const BindingFlags own = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;
            foreach (FieldInfo field in type.GetFields(own))
            {
                Type of = field.FieldType;
                FieldInfo declared = definition.GetField(field.Name, own);
                bool isResult = declared != null && declared.FieldType.IsGenericParameter;
                if (isResult || of.IsPrimitive || of.IsEnum || of.IsPointer || of == typeof(string) || of.IsArray)
                    continue;
                Place place = new Place();
                place.Read = FieldReaders.Of(field);
                place.IsStruct = of.IsValueType;
                found.Add(place);
            }
            places = found.ToArray();
            if (!ReflectedTypes.IsCollectible(type))
                known[type] = places;
            return places;
        }

        /// <summary>The machine in its object, an object around the machine, or the task that the core library makes for it.</summary>
        private static bool IsOneCalls(object value, Type holder)
        {
            Type type = value.GetType();
            if (HasMachine(type))
                return true;
            if (holder.Namespace != Namespace)
                return false;
            for (Type at = type; at != null; at = at.BaseType)
                if (at.FullName == "System.Threading.Tasks.Task")
                    return true;
            return false;
        }

        private static bool HasMachine(Type type)
        {
            bool has;
            if (machines == null)
                machines = new Dictionary<Type, bool>();
            if (machines.TryGetValue(type, out has))
                return has;
            has = IsMachine(type);
            if (type.IsGenericType)
                foreach (Type argument in type.GetGenericArguments())
                    has |= IsMachine(argument);
            if (!ReflectedTypes.IsCollectible(type))
                machines[type] = has;
            return has;
        }

        private static bool IsMachine(Type type)
        {
            foreach (Type one in type.GetInterfaces())
                if (one.FullName == MachineName)
                    return true;
            return false;
        }
    }
}
