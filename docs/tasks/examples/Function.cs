// A function and its host: each line is an event. When there are no more, the host is killed, as a platform for functions does it.
using System;
using System.Diagnostics;

namespace Shop
{
    public class Function
    {
        public int Handle(int order)
        {
            int total = 0;
            for (int line = 0; line < 3; line++)
                total += Price(order, line);
            return total;
        }

        private static int Price(int order, int line)
        {
            return order * line;
        }
    }

    public static class Host
    {
        public static void Main()
        {
            Function function = new Function();
            for (string line; (line = Console.ReadLine()) != null;)
                function.Handle(int.Parse(line));
            Process.GetCurrentProcess().Kill();
        }
    }
}
