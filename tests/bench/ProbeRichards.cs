// Richards: Martin Richards's simulation of the kernel of an operating system, small methods that call each other through a table.
using System;

namespace Bench
{
    sealed class Packet
    {
        public Packet Link;
        public int Id;
        public readonly int Kind;
        public int First;
        public readonly int[] Data = new int[4];

        public Packet(Packet link, int id, int kind)
        {
            Link = link;
            Id = id;
            Kind = kind;
        }

        public Packet AppendTo(Packet queue)
        {
            Link = null;
            if (queue == null)
                return this;
            Packet last = queue;
            while (last.Link != null)
                last = last.Link;
            last.Link = this;
            return queue;
        }
    }

    abstract class Work
    {
        protected readonly Scheduler Scheduler;

        protected Work(Scheduler scheduler)
        {
            Scheduler = scheduler;
        }

        public abstract Task Run(Packet packet);
    }

    sealed class Idle : Work
    {
        private int seed = 1;
        private int left;

        public Idle(Scheduler scheduler, int count) : base(scheduler)
        {
            left = count;
        }

        public override Task Run(Packet packet)
        {
            if (--left == 0)
                return Scheduler.HoldCurrent();
            if ((seed & 1) == 0)
            {
                seed >>= 1;
                return Scheduler.Release(Scheduler.DeviceA);
            }
            seed = (seed >> 1) ^ 0xD008;
            return Scheduler.Release(Scheduler.DeviceB);
        }
    }

    sealed class Worker : Work
    {
        private int destination = Scheduler.HandlerA;
        private int letter;

        public Worker(Scheduler scheduler) : base(scheduler)
        {
        }

        public override Task Run(Packet packet)
        {
            if (packet == null)
                return Scheduler.SuspendCurrent();
            destination = destination == Scheduler.HandlerA ? Scheduler.HandlerB : Scheduler.HandlerA;
            packet.Id = destination;
            packet.First = 0;
            for (int i = 0; i < packet.Data.Length; i++)
                packet.Data[i] = NextLetter();
            return Scheduler.Queue(packet);
        }

        private int NextLetter()
        {
            letter = letter == 26 ? 1 : letter + 1;
            return letter;
        }
    }

    sealed class Handler : Work
    {
        private Packet works, devices;

        public Handler(Scheduler scheduler) : base(scheduler)
        {
        }

        public override Task Run(Packet packet)
        {
            if (packet != null)
            {
                if (packet.Kind == Scheduler.WorkKind)
                    works = packet.AppendTo(works);
                else
                    devices = packet.AppendTo(devices);
            }
            if (works != null)
            {
                Packet work = works;
                if (work.First >= work.Data.Length)
                {
                    works = work.Link;
                    return Scheduler.Queue(work);
                }
                if (devices != null)
                {
                    Packet device = devices;
                    devices = device.Link;
                    device.First = work.Data[work.First++];
                    return Scheduler.Queue(device);
                }
            }
            return Scheduler.SuspendCurrent();
        }
    }

    sealed class Device : Work
    {
        private Packet pending;

        public Device(Scheduler scheduler) : base(scheduler)
        {
        }

        public override Task Run(Packet packet)
        {
            if (packet != null)
            {
                pending = packet;
                return Scheduler.HoldCurrent();
            }
            if (pending == null)
                return Scheduler.SuspendCurrent();
            Packet done = pending;
            pending = null;
            return Scheduler.Queue(done);
        }
    }

    sealed class Task
    {
        private const int Running = 0, Runnable = 1, Suspended = 2, Held = 4;

        public readonly Task Link;
        public readonly int Id;
        public readonly int Priority;
        private readonly Work work;
        private Packet queue;
        private int state;

        public Task(Task link, int id, int priority, Packet queue, Work work)
        {
            Link = link;
            Id = id;
            Priority = priority;
            this.queue = queue;
            this.work = work;
            state = queue == null ? Suspended : Suspended | Runnable;
        }

        public bool IsHeldOrSuspended
        {
            get { return (state & Held) != 0 || state == Suspended; }
        }

        public void SetRunning()
        {
            state = Running;
        }

        public void Hold()
        {
            state |= Held;
        }

        public void Suspend()
        {
            state |= Suspended;
        }

        public void Release()
        {
            state &= ~Held;
        }

        public Task Run()
        {
            Packet packet = null;
            if (state == (Suspended | Runnable))
            {
                packet = queue;
                queue = packet.Link;
                state = queue == null ? Running : Runnable;
            }
            return work.Run(packet);
        }

        public Task CheckPriority(Task current, Packet packet)
        {
            if (queue == null)
            {
                queue = packet;
                state |= Runnable;
                return Priority > current.Priority ? this : current;
            }
            queue = packet.AppendTo(queue);
            return current;
        }
    }

    sealed class Scheduler
    {
        public const int HandlerA = 2, HandlerB = 3, DeviceA = 4, DeviceB = 5, DeviceKind = 0, WorkKind = 1;

        private readonly Task[] tasks = new Task[6];
        private Task list, current;
        private int queued, held;

        public void Add(int id, int priority, Packet queue, Work work, bool runs)
        {
            list = tasks[id] = new Task(list, id, priority, queue, work);
            if (runs)
                list.SetRunning();
        }

        public Task HoldCurrent()
        {
            held++;
            current.Hold();
            return current.Link;
        }

        public Task SuspendCurrent()
        {
            current.Suspend();
            return current;
        }

        public Task Release(int id)
        {
            Task task = tasks[id];
            task.Release();
            return task.Priority > current.Priority ? task : current;
        }

        public Task Queue(Packet packet)
        {
            Task task = tasks[packet.Id];
            queued++;
            packet.Link = null;
            packet.Id = current.Id;
            return task.CheckPriority(current, packet);
        }

        public int Schedule()
        {
            current = list;
            while (current != null)
                current = current.IsHeldOrSuspended ? current.Link : current.Run();
            return queued * 1000 + held;
        }
    }

    static class Richards
    {
        private static Packet Packets(int id, int kind)
        {
            return new Packet(new Packet(new Packet(null, id, kind), id, kind), id, kind);
        }

        public static int Run()
        {
            Scheduler s = new Scheduler();
            s.Add(0, 0, null, new Idle(s, 100), true);
            s.Add(1, 1000, new Packet(new Packet(null, 1, Scheduler.WorkKind), 1, Scheduler.WorkKind), new Worker(s), false);
            s.Add(Scheduler.HandlerA, 2000, Packets(Scheduler.DeviceA, Scheduler.DeviceKind), new Handler(s), false);
            s.Add(Scheduler.HandlerB, 3000, Packets(Scheduler.DeviceB, Scheduler.DeviceKind), new Handler(s), false);
            s.Add(Scheduler.DeviceA, 4000, null, new Device(s), false);
            s.Add(Scheduler.DeviceB, 5000, null, new Device(s), false);
            return s.Schedule();
        }
    }
}
