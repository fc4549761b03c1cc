// How the machine was during the run: what the process got of its processors, and who else used
// them.
using System;
using System.Collections.Generic;

namespace Instrumenter
{
    /// <summary>
    /// Figures are differences of what stood when the run, or the last Reset, began and what stands
    /// now. The tracker's thread begins; on a host without it there are none. Called inside of the
    /// guard. Nothing throws out of here.
    /// </summary>
    internal static class MachineFacts
    {
        /// <summary>
        /// A reading is as good for that many milliseconds: a program that calls Reset all the time
        /// shall not read all the time.
        /// </summary>
        private const int Fresh = 10;

        /// <summary>Below that many units the machine's times say nothing.</summary>
        private const long LeastUnits = 10;

        private const long NanosecondsPerMillisecond = 1000000;

        /// <summary>
        /// A process that had taken no more processor time, in ns, when the session began has run the runtime's start alone, and the
        /// runtime's counts from noughts on are the run's.
        /// </summary>
        private const long LongestHostStart = 500 * NanosecondsPerMillisecond;

        private static SpinLock reading;
        private static MachineSources sources;

        // When the generation with that number began, and the last one.
        private static MachineReading first, last;
        private static int generation, lastAt;

        // For the young and the old generation, when the session began; for the young one more, 0
        // while that is not known.
        private static int youngAtStart, oldAtStart;

        // In milliseconds.
        private static int startTook;

        // What the process had taken when the session began, in ns; below 0: not known.
        private static long cpuAtStart;

        /// <summary>
        /// The session begins, on a thread of the program's: what costs nothing to read. A short
        /// program may end, or collect, before the tracker's thread begins.
        /// </summary>
        internal static void Start()
        {
            cpuAtStart = -1;
            oldAtStart = GC.CollectionCount(1);
            youngAtStart = GC.CollectionCount(0) + 1;
            if (!Host.IsWindows)
                cpuAtStart = NativeFile.ProcessorTime();
        }

        /// <summary>
        /// The tracker's thread begins, when the program has run for a while: reads all that is found quickly, for which .NET
        /// and Mono compile some fifty methods.
        /// </summary>
        internal static void Begin()
        {
            using (SpinLock.Of(ref reading).Enter())
            {
                if (sources == null)
                    sources = new MachineSources();
                sources.Threads.LeaveOutThis();
                BeginGeneration();
                if (generation == 0)
                {
                    first.Collections = CollectionsAtStart();
                    if (cpuAtStart >= 0)
                        TakeOffSinceStart(first);
                    // The thread's start counts, too.
                    first.Tracker = Math.Min(first.Tracker, 0);
                    // What is fresh would be this one.
                    last = null;
                }
            }
        }

        /// <summary>What was read late becomes what it was when the session began: the program's threads ran when the tracker's did not.</summary>
        private static void TakeOffSinceStart(MachineReading reading)
        {
            long since = Math.Max(reading.Cpu - cpuAtStart, 0);
            if (reading.Ran >= 0)
                reading.Ran = Math.Max(reading.Ran - Math.Max(since - Math.Max(reading.Tracker, 0), 0), 0);
            if (reading.Cpu >= 0)
                reading.Cpu = cpuAtStart;
        }

        private static long CollectionsAtStart()
        {
            return youngAtStart == 0 ? -1 : MachineReading.AllCollections(youngAtStart - 1, oldAtStart);
        }

        /// <summary>A Reset; nothing before the tracker's thread has begun. Never throws.</summary>
        internal static void BeginAnew()
        {
            if (reading == null)
                return;
            try
            {
                using (reading.Enter())
                    if (first != null)
                        BeginGeneration();
            }
            catch (Exception)
            {
                // No memory: of another generation than the run's, so nothing is said.
            }
        }

        private static void BeginGeneration()
        {
            int number = Control.Current.Generation.Number;
            first = Read();
            generation = number;
        }

        /// <summary>
        /// Reads what is lost when a thread ends; the first time the runtime's counts begin. By the tracker's thread, now and then.
        /// </summary>
        internal static void Sample()
        {
            if (reading == null)
                return;
            using (reading.Enter())
            {
                if (sources == null)
                    return;
                sources.Threads.Read();
                if (first != null && sources.FindCounts())
                    BeginCounts();
            }
        }

        /// <summary>What a session that came late, or a Reset, has missed is in no run.</summary>
        private static void BeginCounts()
        {
            if (generation != 0 || first.Cpu < 0 || first.Cpu > LongestHostStart)
                first.ReadRuntime();
            else
                first.JitMethods = first.JitTime = first.CollectionTime = 0;
            // One that is fresh knows none of them.
            last = null;
        }

        /// <summary>
        /// The tracker's thread ends: its time is read while the system still has it.
        /// </summary>
        internal static void EndOwnThread()
        {
            if (reading == null)
                return;
            using (reading.Enter())
                if (sources != null)
                    sources.Threads.TimeLeftOut();
        }

        /// <summary>The tracker's start took a thread of the program's that many milliseconds.</summary>
        internal static void StartTook(int milliseconds)
        {
            startTook = milliseconds;
        }

        /// <summary>
        /// The processor time that the process has taken, in ns; below 0 where it is not known. Never throws but for
        /// want of memory.
        /// </summary>
        internal static long CpuTime()
        {
            using (SpinLock.Of(ref reading).Enter())
            {
                if (sources == null)
                    sources = new MachineSources();
                return MachineReading.CpuOf(sources);
            }
        }

        /// <summary>The processor time that the tracker's own threads have taken, in ns; 0 where it is not known.</summary>
        internal static long TrackerTime()
        {
            using (SpinLock.Of(ref reading).Enter())
                return sources == null ? 0 : Math.Max(sources.Threads.TimeLeftOut(), 0);
        }

        private static MachineReading Read()
        {
            int now = Environment.TickCount;
            if (last == null || (uint)unchecked(now - lastAt) >= Fresh)
            {
                last = new MachineReading(sources);
                lastAt = now;
            }
            return last;
        }

        /// <summary>
        /// The keys and values of the section RUN (docs/profile-format.md, section 3), for the
        /// generation with that number.
        /// </summary>
        internal static void AddTo(List<string> pairs, int number)
        {
            TryAdd(pairs, AddProcessors);
            MachineReading from = null, to = null;
            if (reading != null)
                using (reading.Enter())
                    if (first != null && generation == number)
                    {
                        from = first;
                        to = Read();
                    }
            if (from != null)
                AddAll(pairs, number, from, to);
            else if (first == null && number == 0)
            {
                TryAdd(pairs, AddStart);
                TryAdd(pairs, AddCollections);
                TryAdd(pairs, AddCpu);
            }
        }

        private static void TryAdd(List<string> pairs, Action<List<string>> add)
        {
            try
            {
                add(pairs);
            }
            catch (Exception)
            {
                // The host does not say.
            }
        }

        // These three where the program ended before the tracker's thread began.
        private static void AddStart(List<string> pairs)
        {
            Add(pairs, RunKey.tracker_ns, startTook * NanosecondsPerMillisecond);
        }

        private static void AddCpu(List<string> pairs)
        {
            if (cpuAtStart >= 0)
                AddDifference(pairs, RunKey.cpu_ns, cpuAtStart, NativeFile.ProcessorTime());
        }

        private static void AddCollections(List<string> pairs)
        {
            AddDifference(pairs, RunKey.collections, CollectionsAtStart(), MachineReading.AllCollections(GC.CollectionCount(0), GC.CollectionCount(1)));
        }

        private static void AddAll(List<string> pairs, int number, MachineReading from, MachineReading to)
        {
            AddDifference(pairs, RunKey.cpu_ns, from.Cpu, to.Cpu);
            AddDifference(pairs, RunKey.ready_ns, from.Ready, to.Ready);
            AddDifference(pairs, RunKey.ran_ns, from.Ran, to.Ran);
            AddDifference(pairs, RunKey.slices, from.Slices, to.Slices);
            long stolen = to.Stolen - from.Stolen, busy = to.Busy - from.Busy + stolen;
            long all = busy + to.Idle - from.Idle;
            if (from.Busy >= 0 && to.Busy >= 0 && stolen >= 0 && busy >= LeastUnits)
                Add(pairs, RunKey.stolen_permille, stolen * 1000 / busy);
            if (from.Busy >= 0 && to.Busy >= 0 && busy >= 0 && all >= LeastUnits)
                Add(pairs, RunKey.load_permille, busy * 1000 / all);
            AddDifference(pairs, RunKey.jit_methods, from.JitMethods, to.JitMethods);
            AddDifference(pairs, RunKey.jit_ns, from.JitTime, to.JitTime);
            AddDifference(pairs, RunKey.collections, from.Collections, to.Collections);
            AddDifference(pairs, RunKey.collection_ns, from.CollectionTime, to.CollectionTime);
            long tracker = to.Tracker;
            if (tracker >= 0 && number == 0)
                tracker += startTook * NanosecondsPerMillisecond;
            AddDifference(pairs, RunKey.tracker_ns, from.Tracker, tracker);
        }

        private static void AddProcessors(List<string> pairs)
        {
            Add(pairs, RunKey.processors, Environment.ProcessorCount);
        }

        private static void AddDifference(List<string> pairs, string key, long from, long to)
        {
            if (from >= 0 && to >= 0)
                Add(pairs, key, Math.Max(to - from, 0));
        }

        private static void Add(List<string> pairs, string key, long value)
        {
            pairs.Add(key);
            pairs.Add(Host.Number(value));
        }
    }
}
