// What suites make spans of: calls, exceptions, async methods of each kind, iterators. Without a telemetry of its own.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Orchard
{
    public static class Work
    {
        public static int Add(int a, int b)
        {
            return Twice(a) + b;
        }

        public static int Twice(int a)
        {
            return a + a;
        }

        public static void Fail(int n)
        {
            Twice(n);
            throw new InvalidOperationException("on purpose");
        }

        public static void Pass(int n)
        {
            Fail(n);
        }

        public static bool Catch()
        {
            try
            {
                Pass(1);
                return false;
            }
            catch (InvalidOperationException)
            {
                return Twice(2) == 4;
            }
        }

        public static async Task<int> LeafAsync(int n)
        {
            if (n % 3 != 0)
                await Task.Delay(3 * (n % 3));
            return Twice(n);
        }

        public static async Task<int> AllAsync(int n)
        {
            Task<int>[] all = new Task<int>[n];
            for (int i = 0; i < n; i++)
                all[i] = LeafAsync(i);
            int sum = 0;
            foreach (int value in await Task.WhenAll(all))
                sum = Add(sum, value);
            return sum;
        }

        public static async ValueTask<int> NestAsync(int n)
        {
            if (n == 0)
                return Twice(0);
            await Task.Yield();
            int below = await NestAsync(n - 1);
            Twice(below);
            return below + 1;
        }

        [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
        public static async ValueTask<int> PooledAsync(int n)
        {
            await Task.Delay(1);
            return await LeafAsync(n);
        }

        public static async Task FailAsync()
        {
            await Task.Delay(1);
            Fail(3);
        }

        public static async Task CancelAsync(CancellationToken token)
        {
            await Task.Delay(100000, token);
        }

        public static async void VoidAsync(TaskCompletionSource<int> done)
        {
            await Task.Delay(2);
            done.SetResult(Twice(5));
        }

        public static IEnumerable<int> Each()
        {
            yield return Twice(1);
            yield return Twice(2);
        }

        public static async IAsyncEnumerable<int> EachAsync()
        {
            await Task.Yield();
            yield return Twice(3);
        }

        // With `more`, also methods without a task: a profile cannot always tie their slices together.
        public static async Task<int> RunAsync(bool more)
        {
            int sum = Add(1, 2) + (Catch() ? 1 : 0);
            sum += await AllAsync(7);
            sum += await NestAsync(3);
            try
            {
                await FailAsync();
            }
            catch (InvalidOperationException)
            {
                sum += Twice(1);
            }
            using (CancellationTokenSource source = new CancellationTokenSource())
            {
                Task cancelled = CancelAsync(source.Token);
                source.Cancel();
                try
                {
                    await cancelled;
                }
                catch (OperationCanceledException)
                {
                    sum++;
                }
            }
            if (more)
            {
                TaskCompletionSource<int> done = new TaskCompletionSource<int>();
                VoidAsync(done);
                sum += await done.Task + await PooledAsync(4);
            }
            foreach (int i in Each())
                sum += Add(i, i);
            await foreach (int i in EachAsync())
                sum += i;
            foreach (int value in await Task.WhenAll(AllAsync(2), AllAsync(5)))
                sum += value;
            return sum;
        }
    }
}
