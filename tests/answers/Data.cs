// Stands for a package that is not instrumented, as a database's driver: each question is a round trip.
using System.Threading;

namespace Data
{
    public class Connection
    {
        public int Questions;

        public int[] Query(string table, int from, int count)
        {
            Questions++;
            Thread.Sleep(2);
            int[] keys = new int[count];
            for (int i = 0; i < count; i++)
                keys[i] = from + i;
            return keys;
        }
    }

    public class Disk
    {
        public int Writes;

        public void Write(string line)
        {
            Thread.Sleep(5);
            Writes++;
        }
    }
}
