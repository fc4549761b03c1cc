// Work on a whole tree of measurements. Never recursive: the program decides how deep it is.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace Instrumenter
{
    internal static class MeasurementTree
    {
        private const int SpacesPerLevel = 4, MostLevels = 100;

        internal struct Place
        {
            internal PerfMeasurement Measurement;
            internal int Depth;

            /// <summary>Position of the parent in the list; -1 for the first one.</summary>
            internal int Parent;
        }

        /// <summary>The measurement and all below it, each before its children. A measurement that
        /// the program has made null is passed over.</summary>
        internal static List<Place> InPreOrder(PerfMeasurement root)
        {
            List<Place> places = new List<Place>();
            List<Place> pending = new List<Place>();
            Place first = new Place();
            first.Measurement = root;
            first.Parent = -1;
            pending.Add(first);
            while (pending.Count > 0)
            {
                Place place = pending[pending.Count - 1];
                pending.RemoveAt(pending.Count - 1);
                int position = places.Count;
                places.Add(place);
                List<PerfMeasurement> children = place.Measurement.Children;
                for (int i = children == null ? 0 : children.Count; i-- > 0;)
                {
                    if (children[i] == null)
                        continue;
                    Place child = new Place();
                    child.Measurement = children[i];
                    child.Depth = place.Depth + 1;
                    child.Parent = position;
                    pending.Add(child);
                }
            }
            return places;
        }

        /// <summary>Takes from each measurement two average readings of the clock for each scope inside it; what would be below 0 is 0.</summary>
        internal static void Offset(PerfMeasurement root, long average)
        {
            List<Place> places = InPreOrder(root);
            int[] inside = new int[places.Count];
            for (int i = places.Count; i-- > 0;)
            {
                if (i > 0)
                    inside[places[i].Parent] += inside[i] + 1;
                PerfMeasurement m = places[i].Measurement;
                m.Ticks = Math.Max(m.Ticks - inside[i] * 2 * average, 0);
            }
        }

        /// <summary>A line for each, "NAME took 1,234", four spaces further in than its parent's; the same in every culture.</summary>
        internal static void Print(PerfMeasurement root, StringBuilder text, int depth)
        {
            foreach (Place place in InPreOrder(root))
            {
                text.Append(' ', Math.Max(Math.Min(depth + place.Depth, MostLevels), 0) * SpacesPerLevel);
                text.Append(place.Measurement.Name);
                text.Append(" took ");
                text.Append(place.Measurement.Ticks.ToString("#,##0", CultureInfo.InvariantCulture));
                text.Append(Environment.NewLine);
            }
        }
    }
}
