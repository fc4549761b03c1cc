// Async methods as compilers make them, "instrumented" by hand: for AsyncDriver.cs.
using System;
using System.Runtime.CompilerServices;
using System.Threading.Tasks;
using Instrumenter;

// The steps of an async method: the task to await at its next step; null at its end. It may throw.
// The machines are suspended by every task but Done, be it there already or not: so how often they
// are is no matter of luck.
delegate Task Step(int step);

// An async method as an optimizing compiler makes it: a struct, known by its builder's task.
struct TaskMachine : IAsyncStateMachine
{
    internal AsyncTaskMethodBuilder<int> Builder;
    internal int Mover, Starter, Next;
    internal Step Step;
    private TaskAwaiter awaiter;

    internal static Task<int> Run(int starter, Step step)
    {
        int token = Helper.Enter(starter);
        TaskMachine machine = new TaskMachine();
        machine.Builder = AsyncTaskMethodBuilder<int>.Create();
        machine.Starter = starter;
        machine.Mover = starter + 1;
        machine.Step = step;
        machine.Builder.Start(ref machine);
        ProfileInfoTracker.WhenLeavingMethod(token);
        return machine.Builder.Task;
    }

    public void MoveNext()
    {
        int token = ProfileInfoTracker.WhenEnteringStateMachine(Helper.Id(Mover), Helper.Id(Starter));
        if (ProfileInfoTracker.WantsIdentity(token)) ProfileInfoTracker.WhenIdentified(Builder.Task, token);
        try
        {
            if (Next > 0) awaiter.GetResult();
            for (;;)
            {
                Task task = Step(Next++);
                if (task == null) break;
                awaiter = task.GetAwaiter();
                if (task != AsyncDriver.Done)
                {
                    ProfileInfoTracker.WhenSuspending(token);
                    Builder.AwaitUnsafeOnCompleted(ref awaiter, ref this);
                    if (ProfileInfoTracker.WantsIdentity(token)) ProfileInfoTracker.WhenIdentified(Builder.Task, token);
                    ProfileInfoTracker.WhenLeavingMethod(token);
                    return;
                }
                awaiter.GetResult();
            }
        }
        catch (Exception e)
        {
            ProfileInfoTracker.WhenFailing(e, token);
            Builder.SetException(e);
            ProfileInfoTracker.WhenLeavingMethod(token);
            return;
        }
        ProfileInfoTracker.WhenCompleting(token);
        Builder.SetResult(Next);
        ProfileInfoTracker.WhenLeavingMethod(token);
    }

    public void SetStateMachine(IAsyncStateMachine machine) { Builder.SetStateMachine(machine); }
}

// The same as a debugging compiler makes it: an object, known by itself.
class ClassMachine : IAsyncStateMachine
{
    internal AsyncTaskMethodBuilder Builder;
    internal int Mover, Starter, Next;
    internal Step Step;
    private TaskAwaiter awaiter;

    internal static Task Run(int starter, Step step)
    {
        int token = Helper.Enter(starter);
        ClassMachine machine = new ClassMachine();
        machine.Builder = AsyncTaskMethodBuilder.Create();
        machine.Starter = starter;
        machine.Mover = starter + 1;
        machine.Step = step;
        machine.Builder.Start(ref machine);
        ProfileInfoTracker.WhenLeavingMethod(token);
        return machine.Builder.Task;
    }

    void IAsyncStateMachine.MoveNext()
    {
        int token = ProfileInfoTracker.WhenEnteringStateMachine(Helper.Id(Mover), Helper.Id(Starter));
        ProfileInfoTracker.WhenIdentified(this, token);
        try
        {
            if (Next > 0) awaiter.GetResult();
            for (;;)
            {
                Task task = Step(Next++);
                if (task == null) break;
                awaiter = task.GetAwaiter();
                if (task != AsyncDriver.Done)
                {
                    ProfileInfoTracker.WhenSuspending(token);
                    ClassMachine self = this;
                    Builder.AwaitUnsafeOnCompleted(ref awaiter, ref self);
                    ProfileInfoTracker.WhenLeavingMethod(token);
                    return;
                }
                awaiter.GetResult();
            }
        }
        catch (Exception e)
        {
            ProfileInfoTracker.WhenFailing(e, token);
            Builder.SetException(e);
            ProfileInfoTracker.WhenLeavingMethod(token);
            return;
        }
        ProfileInfoTracker.WhenCompleting(token);
        Builder.SetResult();
        ProfileInfoTracker.WhenLeavingMethod(token);
    }

    void IAsyncStateMachine.SetStateMachine(IAsyncStateMachine machine) { }
}

// async void in a struct: nothing says which call a later slice belongs to.
struct VoidMachine : IAsyncStateMachine
{
    internal AsyncVoidMethodBuilder Builder;
    internal int Mover, Starter, Next;
    internal Step Step;
    private TaskAwaiter awaiter;

    internal static void Run(int starter, Step step)
    {
        int token = Helper.Enter(starter);
        VoidMachine machine = new VoidMachine();
        machine.Builder = AsyncVoidMethodBuilder.Create();
        machine.Starter = starter;
        machine.Mover = starter + 1;
        machine.Step = step;
        machine.Builder.Start(ref machine);
        ProfileInfoTracker.WhenLeavingMethod(token);
    }

    public void MoveNext()
    {
        int token = ProfileInfoTracker.WhenEnteringStateMachine(Helper.Id(Mover), Helper.Id(Starter));
        if (Next > 0) awaiter.GetResult();
        for (;;)
        {
            Task task = Step(Next++);
            if (task == null) break;
            awaiter = task.GetAwaiter();
            if (task != AsyncDriver.Done)
            {
                ProfileInfoTracker.WhenSuspending(token);
                Builder.AwaitUnsafeOnCompleted(ref awaiter, ref this);
                ProfileInfoTracker.WhenLeavingMethod(token);
                return;
            }
            awaiter.GetResult();
        }
        ProfileInfoTracker.WhenCompleting(token);
        Builder.SetResult();
        ProfileInfoTracker.WhenLeavingMethod(token);
    }

    public void SetStateMachine(IAsyncStateMachine machine) { Builder.SetStateMachine(machine); }
}
