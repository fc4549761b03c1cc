// The cheapest way to pack a cart is looked for once more for each rest. Planted: Packing.BestFrom.
using System;
using System.Collections.Generic;

namespace Shop
{
    class Parcel
    {
        public int Number, Weight, Volume;
    }

    class Packing
    {
        readonly List<Parcel> parcels;

        public Packing(List<Parcel> parcels)
        {
            this.parcels = parcels;
        }

        public int BestFrom(int first, int room)
        {
            if (first == parcels.Count)
                return Waste(room);
            int best = BestFrom(first + 1, room);
            if (parcels[first].Volume <= room)
                best = Math.Min(best, BestFrom(first + 1, room - parcels[first].Volume));
            int load = 0;
            for (int i = first; i < parcels.Count; i++)
                load += parcels[i].Weight * parcels[i].Volume;
            return load < 0 ? load : best;
        }

        static int Waste(int room)
        {
            return room * room;
        }
    }

    class Shipment
    {
        public int Cost(int order)
        {
            List<Parcel> parcels = Read(order);
            return Weigh(parcels) + new Packing(parcels).BestFrom(0, 400);
        }

        static List<Parcel> Read(int order)
        {
            List<Parcel> parcels = new List<Parcel>();
            for (int i = 0; i < 19; i++)
                parcels.Add(new Parcel { Number = i, Weight = (order + i) % 7, Volume = 20 + (order * 31 + i * 17) % 40 });
            return parcels;
        }

        static int Weigh(List<Parcel> parcels)
        {
            int weight = 0;
            foreach (Parcel parcel in parcels)
                weight += parcel.Weight;
            return weight;
        }
    }

    static class Program
    {
        static void Main()
        {
            Shipment shipment = new Shipment();
            long cost = 0;
            for (int order = 0; order < 12; order++)
                cost += shipment.Cost(order);
            Console.WriteLine("cost " + cost);
        }
    }
}
