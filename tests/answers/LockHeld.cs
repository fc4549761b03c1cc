// All workers write to one log, which writes to a disk while its lock is held. Planted: AuditLog.Write.
using System;
using System.Collections.Generic;
using System.Threading;
using Data;

namespace Shop
{
    class AuditLog
    {
        readonly object gate = new object();
        readonly Disk disk = new Disk();

        public void Write(string line)
        {
            lock (gate)
                disk.Write(Format(line));
        }

        static string Format(string line)
        {
            return "audit: " + line;
        }

        public int Lines()
        {
            return disk.Writes;
        }
    }

    class Worker
    {
        readonly AuditLog log;
        readonly int number;
        public long Sum;

        public Worker(AuditLog log, int number)
        {
            this.log = log;
            this.number = number;
        }

        public void Run()
        {
            for (int i = 0; i < 60; i++)
                Handle(i);
        }

        void Handle(int request)
        {
            string body = ReadBody(request);
            if (!IsValid(body))
                return;
            Sum += Price(body);
            log.Write("worker " + number + " did " + request);
        }

        static string ReadBody(int request)
        {
            return "{\"request\":" + request + ",\"items\":[1,2,3,4,5,6,7,8]}";
        }

        static bool IsValid(string body)
        {
            return body.StartsWith("{") && body.EndsWith("}");
        }

        static long Price(string body)
        {
            long sum = 0;
            for (int round = 0; round < 200; round++)
                foreach (char c in body)
                    sum = sum * 31 + c;
            return sum & 0xFFFF;
        }
    }

    static class Program
    {
        static void Main()
        {
            AuditLog log = new AuditLog();
            List<Thread> threads = new List<Thread>();
            for (int i = 0; i < 4; i++)
                threads.Add(new Thread(new Worker(log, i).Run));
            foreach (Thread thread in threads)
                thread.Start();
            foreach (Thread thread in threads)
                thread.Join();
            Console.WriteLine(log.Lines() + " lines");
        }
    }
}
