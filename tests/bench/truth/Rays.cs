// A ray tracer: structs of three doubles, passed and returned by value.
using System;
using System.Runtime.CompilerServices;

namespace RaysWork
{
    readonly struct Vector
    {
        public readonly double X, Y, Z;
        public Vector(double x, double y, double z) { X = x; Y = y; Z = z; }
        public static Vector operator +(Vector a, Vector b)
        {
            return new Vector(a.X + b.X, a.Y + b.Y, a.Z + b.Z);
        }
        public static Vector operator -(Vector a, Vector b)
        {
            return new Vector(a.X - b.X, a.Y - b.Y, a.Z - b.Z);
        }
        public static Vector operator *(Vector a, double k)
        {
            return new Vector(a.X * k, a.Y * k, a.Z * k);
        }
        public double Dot(Vector b) { return X * b.X + Y * b.Y + Z * b.Z; }
        public Vector Normal() { return this * (1 / Math.Sqrt(Dot(this))); }
    }

    struct Sphere
    {
        public Vector Centre;
        public double Radius;
        public double Shine;
    }

    static class Program
    {
        static Sphere[] spheres;

        [MethodImpl(MethodImplOptions.NoInlining)]
        static int Nearest(Vector from, Vector direction, out double distance)
        {
            int nearest = -1;
            distance = 1e9;
            for (int i = 0; i < spheres.Length; i++)
            {
                Vector to = spheres[i].Centre - from;
                double along = to.Dot(direction);
                double rest = spheres[i].Radius * spheres[i].Radius - to.Dot(to) + along * along;
                if (rest < 0) continue;
                double d = along - Math.Sqrt(rest);
                if (d > 1e-6 && d < distance) { distance = d; nearest = i; }
            }
            return nearest;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static Vector Sky(Vector direction)
        {
            double height = direction.Y;
            for (int i = 0; i < 25; i++)
                height = height - height * height * height / 6 + 0.1 * direction.X;
            return new Vector(0.3, 0.5, 0.7 + 0.2 * height);
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static Vector Light(Vector at, Vector normal)
        {
            Vector sum = new Vector(0.05, 0.05, 0.05);
            for (int i = 0; i < 16; i++)
            {
                Vector lamp = (new Vector(i - 8, 9, i * 0.5 - 12) - at).Normal();
                sum += new Vector(0.1, 0.1, 0.08) * Math.Max(0, lamp.Dot(normal));
            }
            return sum;
        }

        static Vector Trace(Vector from, Vector direction, int depth)
        {
            int hit = Nearest(from, direction, out double distance);
            if (hit < 0) return Sky(direction);
            Vector at = from + direction * distance;
            Vector normal = (at - spheres[hit].Centre).Normal();
            Vector colour = Light(at, normal);
            if (depth == 0) return colour;
            Vector mirrored = direction - normal * (2 * direction.Dot(normal));
            double shine = spheres[hit].Shine;
            return colour * (1 - shine) + Trace(at, mirrored, depth - 1) * shine;
        }

        static void Main(string[] args)
        {
            int lines = Truth.Size(args, 600);
            spheres = new Sphere[24];
            for (int i = 0; i < spheres.Length; i++)
            {
                var centre = new Vector(i % 6 - 2.5, i / 6 - 1.5, 6 + i % 3);
                spheres[i] = new Sphere { Centre = centre, Radius = 0.45, Shine = 0.3 };
            }
            Vector sum = new Vector();
            for (int y = 0; y < lines; y++)
                for (int x = 0; x < 640; x++)
                {
                    var direction = new Vector((x - 320) / 640.0, (y % 250 - 125) / 640.0, 1);
                    sum += Trace(new Vector(0, 0, -4), direction.Normal(), 3);
                }
            Console.WriteLine($"{sum.X:F3} {sum.Y:F3} {sum.Z:F3}");
        }
    }
}
