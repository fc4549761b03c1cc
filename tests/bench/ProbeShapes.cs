// Jobs of a probe's benchmark (Probe.cs) that leave and enter methods in other ways: exceptions, async methods, iterators.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading.Tasks;

namespace Bench
{
    /// <summary>Exceptions that leave five frames each.</summary>
    static class Exceptions
    {
        private static int Throw(int depth)
        {
            if (depth == 0)
                throw new InvalidOperationException("thrown to be caught");
            return Throw(depth - 1) + 1;
        }

        private static int Catch(int n)
        {
            try
            {
                return Throw(4);
            }
            catch (InvalidOperationException)
            {
                return n;
            }
        }

        public static int Run()
        {
            int sum = 0;
            for (int i = 0; i < 10; i++)
                sum += Catch(i);
            return sum;
        }
    }

    /// <summary>Async methods wait for this here: the job itself lets them go on, so that all of it
    /// happens on one thread.</summary>
    sealed class Gate : INotifyCompletion
    {
        private Action waiting;

        public Gate GetAwaiter()
        {
            return this;
        }

        public bool IsCompleted
        {
            get { return false; }
        }

        public int GetResult()
        {
            return 1;
        }

        public void OnCompleted(Action continuation)
        {
            waiting = continuation;
        }

        public void Open()
        {
            waiting();
        }
    }

    /// <summary>Async methods; each waits once and goes on.</summary>
#if ASPECT
    [AspectInjector.Broker.SkipInjection] // it takes no async methods that mcs compiled
#endif
    static class Async
    {
        private static async Task<int> Leaf(Gate gate, int n)
        {
            int result = await gate;
            return result + n;
        }

        private static async Task<int> Sum(Gate gate, int count)
        {
            int sum = 0;
            for (int i = 0; i < count; i++)
                sum += await Leaf(gate, i);
            return sum;
        }

        public static int Run()
        {
            Gate gate = new Gate();
            Task<int> sum = Sum(gate, 100);
            while (!sum.IsCompleted)
                gate.Open();
            return sum.Result;
        }
    }

    /// <summary>An iterator that goes through another.</summary>
    static class Iterators
    {
        private static IEnumerable<int> Numbers(int count)
        {
            for (int i = 0; i < count; i++)
                yield return i;
        }

        private static IEnumerable<int> Odd(IEnumerable<int> numbers)
        {
            foreach (int n in numbers)
                if ((n & 1) != 0)
                    yield return n;
        }

        public static int Run()
        {
            int sum = 0;
            foreach (int n in Odd(Numbers(500)))
                sum += n;
            return sum;
        }
    }
}
