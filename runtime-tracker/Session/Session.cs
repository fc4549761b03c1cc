// One run of the program: what is fixed at its start, and when a profile is written.
using System;
using System.Threading;

namespace Instrumenter
{
    internal static class Session
    {
        /// <summary>
        /// Milliseconds until the machine's facts are read, from then on until the end is asked for, and until signals and unloading are, which
        /// takes .NET longer than a short program runs; until the first writing while the program runs; until the probes are calibrated first; and how
        /// long a writing waits for one that is under way.
        /// </summary>
        private const int BeforeFacts = 40, BeforeEnds = 20, BeforeSignals = 40, FirstBeat = 1000, FirstCalibration = 200, LongestWait = 5000;

        /// <summary>
        /// Besides what is written they are calibrated again and again, each time after half of
        /// the time so far, but after that many milliseconds at the latest: what calls cost on
        /// average is known by that, where other programs come and go meanwhile.
        /// </summary>
        private const int LongestCalibration = 1000;

        /// <summary>How often the thread finds out how fast the machine is.</summary>
        private const int MostSpeeds = 3;

        /// <summary>Milliseconds that other threads wait for the session to have begun.</summary>
        private const int LongestBeginning = 1000;

        /// <summary>The outermost call of the method that the setting flush names has ended.</summary>
        internal const string FlushReason = "flush";

        private static int begun;
        private static volatile bool ready;
        private static Thread beginner;
        private static SpinLock writing;

        private static Signal end;

        private static ExitHandler exit;

        private static bool unhandled;
        private static volatile bool ended;

        /// <summary>True if the host says when the program ends.</summary>
        private static volatile bool hearsExit;

        private static Thread beat;

        internal static bool IsReady
        {
            get { return ready; }
        }

        /// <summary>
        /// Begins the session, once; called at the first enter of all. Not at the first registration, since that runs
        /// in a type initializer: starting a thread there could wait for itself. False when another thread is at it for
        /// too long, or this one: nothing can be recorded before the settings have chosen the clock.
        /// </summary>
        internal static bool Start()
        {
            if (ready)
                return true;
            if (begun == 0 && Interlocked.Exchange(ref begun, 1) == 0)
            {
                beginner = Thread.CurrentThread;
                try
                {
                    Begin();
                }
                finally
                {
                    ready = true;
                    beginner = null;
                }
                return true;
            }
            Pauses pauses = new Pauses();
            for (int waited = 0; waited < LongestBeginning && !ready && beginner != Thread.CurrentThread; waited++)
                pauses.Sleep(1);
            pauses.End();
            return ready;
        }

        private static void Begin()
        {
            int began = Environment.TickCount;
            writing = new SpinLock();
            end = new Signal(false);
            StackRoom.Begin();
            Settings.Load();
            Clock.Choose(Settings.Clock, Settings.ShowsCalls, Settings.TickMicroseconds);
            if (Clock.IsMixed)
                MethodPaces.Begin();
            Registry.BeginNodes();
            Settings.FitClock();
            WaitClock.Begin();
            AllocatedBytes.Begin(Settings.Alloc);
            CollectionCount.Begin(Settings.Collections);
            RunName.StartTime = Control.Current.Generation.StartTime;
            Schedule.Begin();
            if (Settings.Covers)
                Try(Roots.Begin);
            Counting.CheckSettings();
            if (Features.Control)
                Try(SwitchRules.Begin);
            RunName.Directory = Host.CurrentDirectory();
            if (Features.Timeline && (Settings.Timeline || Clock.Kind == Clock.Ticking))
                Timeline.Begin(!Settings.Timeline);
            if (Settings.Log && Features.Log)
            {
                ThreadTree.LogMaker = CallLog.AddStream;
                Try(CallLog.Begin);
            }
            Try(MachineFacts.Start);
            if (Settings.Overhead != 0 && Features.Overhead)
                Try(Governor.Begin);
            Hook();
            StartBeat();
            MachineFacts.StartTook(unchecked(Environment.TickCount - began));
        }

        private static void Hook()
        {
            // A step that is not allowed, or not there, is left to the beat.
            Try(HookExit);
            if (Features.OldHosts && Host.IsFurtherDomain())
                Try(HookUnload);
            Try(Unhandled.Install);
            if (Features.DynamicCode)
                Try(HearUnloadingOfPlugin);
        }

        private sealed class ExitHandler
        {
            internal void Told(object domain, EventArgs nothing)
            {
                Write("exit");
                Try(delegate { LateCalls.AwaitHandlers("exit"); });
                Try(Clock.EndWithProcess);
            }
        }

        private static void HookExit()
        {
            HearExitLast();
            hearsExit = true;
        }

        /// <summary>
        /// Handlers run in the order of their registration: this one from now on after all that there are.
        /// </summary>
        internal static void HearExitLast()
        {
            ExitHandler next = new ExitHandler();
            try
            {
                // The one before goes first: for two handlers .NET compiles code of its own.
                HearExitNoMore(Interlocked.Exchange(ref exit, next));
            }
            finally
            {
                AppDomain.CurrentDomain.ProcessExit += next.Told;
            }
        }

        private static void HearExitNoMore(ExitHandler before)
        {
            if (before != null)
                AppDomain.CurrentDomain.ProcessExit -= before.Told;
        }

        private static void HookUnload()
        {
            AppDomain.CurrentDomain.DomainUnload += delegate
            {
                Write("domain");
                Try(delegate { LateCalls.AwaitHandlers("domain"); });
            };
        }

        private static void StartBeat()
        {
            try
            {
                beat = new Thread(Beat);
                beat.IsBackground = true;
                beat.Name = "ilinject";
                beat.Start();
            }
            catch (Exception)
            {
                BeginWithoutThreads();
            }
        }

        /// <summary>A runtime without threads: the end has to do.</summary>
        private static void BeginWithoutThreads()
        {
            ModuleTable.Settle();
            beat = null;
            Schedule.GiveUp();
            if (Settings.Overhead != 0 && Features.Overhead)
                Governor.BeginAlone();
            if (Settings.Post != null && Features.Http && Settings.Beat != 0)
                Try(BeatTimer.Start);
            if (Settings.Post != null && Features.Http)
                Try(BeginPage);
        }

        private static void BeginPage()
        {
            BrowserPage.Begin(delegate { Write(BrowserPage.LeaveReason); });
        }

        /// <summary>The tracker's own thread. Work that can wait is done here, so that the program
        /// starts sooner.</summary>
        private static void Beat()
        {
            if (!Guard.Enter())
                return;
            try
            {
                LookAtPrice();
                if (!EndsWithin(BeforeFacts))
                    BeatOn();
            }
            catch (Exception)
            {
                // The end of the domain, or of memory: what is written at the end has to do.
            }
            finally
            {
                Guard.Leave();
            }
        }

        /// <summary>The rest, which no short program compiles.</summary>
        private static void BeatOn()
        {
            try
            {
                Try(MachineFacts.Begin);
                LookAtPrice();
                if (EndsWithin(BeforeEnds))
                    return;
                if (Features.DynamicCode)
                    Try(LoadContext.HearEnd);
                if (EndsWithin(BeforeSignals))
                    return;
                LookAtPrice();
                if (Features.DynamicCode)
                    Try(HearUnloading);
                Try(IdentifyAlone);
                ModuleTable.Settle();
                LookAtPrice();
                // The name is taken last: once the file is there, signals are heard.
                if (Features.Signals)
                    Try(Signals.Install);
                LookAtPrice();
                Try(OpenFile);
                Watch(Settings.Control && Features.Control ? ControlRequests.Open() : null);
            }
            finally
            {
                Try(MachineFacts.EndOwnThread);
            }
        }

        private static void HearUnloadingOfPlugin()
        {
            if (LoadContext.IsPlugins())
                HearUnloading();
        }

        private static void HearUnloading()
        {
            if (LoadContext.HearUnloading())
                Unload();
        }

        /// <summary>
        /// The load context that the tracker is in is to go: the last profile is written, and nothing outside leads to the tracker
        /// any more. The profile's name stays this process's, or the next tracker would write over it.
        /// </summary>
        internal static void Unload()
        {
            Write("domain");
            Try(delegate { HearExitNoMore(Interlocked.Exchange(ref exit, null)); });
            Try(Unhandled.Remove);
            Try(LoadContext.Remove);
            if (Features.Signals)
                Try(Signals.Remove);
            Try(OutputFile.Close);
            Try(Clock.End);
            Try(delegate { LateCalls.AwaitFinalizers("domain"); });
        }

        private static void LookAtPrice()
        {
            if (Settings.Overhead != 0 && Features.Overhead)
                Try(Governor.Look);
        }

        /// <summary>A step that the host lacks is left out, and the rest is done.</summary>
        private static void Try(ThreadStart part)
        {
            try
            {
                part();
            }
            catch (Exception)
            {
            }
        }

        private static void IdentifyAlone()
        {
            using (writing.Enter())
                RunName.Identify();
        }

        private static void OpenFile()
        {
            using (writing.Enter())
                Output.Open();
        }

        /// <summary>Until the end of the run: writes, starts and stops when it is time, and answers who asks from outside.</summary>
        private static void Watch(ControlRequests control)
        {
            try
            {
                int now = Environment.TickCount, interval = FirstCalibration / 2;
                int beat = unchecked(now + FirstBeat), calibration = unchecked(now + FirstCalibration), speeds = 0;
                // Compiled now: .NET puts off the program's last tier for 100 ms each time something new is called.
                if (Features.Control)
                    control = LookAt(control);
                for (;;)
                {
                    int wait = Schedule.Look(now);
                    if (Settings.Overhead != 0 && Features.Overhead)
                        wait = Math.Min(wait, Governor.Look(now));
                    wait = Math.Min(wait, Math.Max(unchecked(calibration - now), 0));
                    if (Settings.Beat != 0)
                        wait = Math.Min(wait, Math.Max(unchecked(beat - now), 0));
                    if (control != null)
                        wait = Math.Min(wait, ControlRequests.Period);
                    if (EndsWithin(wait))
                        return;
                    if (Features.Control)
                        control = LookAt(control);
                    now = Environment.TickCount;
                    if (unchecked(now - calibration) >= 0)
                    {
                        Calibration.Refresh(false);
                        MachineFacts.Sample();
                        if (speeds++ < MostSpeeds)
                            MachineSpeed.StepPicoseconds(true);
                        now = Environment.TickCount;
                        calibration = unchecked(now + interval);
                        interval = Math.Min(interval + interval / 2, LongestCalibration);
                    }
                    if (Settings.Beat != 0 && unchecked(now - beat) >= 0)
                    {
                        WriteGuarded("beat");
                        now = Environment.TickCount;
                        beat = unchecked(now + Settings.Beat * 1000);
                    }
                }
            }
            finally
            {
                if (control != null)
                    control.Close();
            }
        }

        /// <summary>Answers who asks from outside; null when that is no longer possible.</summary>
        private static ControlRequests LookAt(ControlRequests control)
        {
            if (control != null && !control.TryLook())
                control = null;
            SwitchRules.Look();
            return control;
        }

        /// <summary>
        /// Waits until the end of the run, at most that many milliseconds. The thread is woken at the end, and does not
        /// count on being aborted: Mono was seen to lose an abort, and then waits for the thread for ever. Where the
        /// host does not report the end, the thread looks for it.
        /// </summary>
        internal static bool EndsWithin(int milliseconds)
        {
            if (ended || end.Wait(hearsExit ? milliseconds : Math.Min(milliseconds, ControlRequests.Period)))
                return true;
            return ended || (!hearsExit && Host.IsEnding());
        }

        private static void End()
        {
            ended = true;
            end.Set();
            BeatTimer.Stop();
        }

        /// <summary>
        /// Lets the tracker's thread come to its end. Mono stops the threads that are left when a program ends, and was seen to
        /// wait for ever for one that was about to enter a monitor.
        /// </summary>
        private static void AwaitBeat()
        {
            if (beat != null && beat != Thread.CurrentThread)
                Pauses.Join(beat, LongestWait);
        }

        /// <summary>Writes the profile as it stands. Never throws.</summary>
        internal static bool Write(string reason)
        {
            bool written = false;
            try { } finally { written = WriteUnbroken(reason); }
            return written;
        }

        private static bool WriteUnbroken(string reason)
        {
            bool written = false;
            bool entered = Guard.Enter();
            try
            {
                bool last = !ended && (reason == "exit" || reason == "domain");
                if (last || reason == "unhandled")
                    Registry.Close();
                if (last)
                {
                    End();
                    Schedule.End();
                    if (Features.Control)
                        SwitchRules.End();
                }
                written = WriteGuarded(reason);
                if (last)
                    AwaitBeat();
                // The runtime has closed the log's file when it finalizes the last objects.
                if (Settings.Log && Features.Log && !ProcessEnd.AreThreadsStopped)
                {
                    if (GoesOn(reason))
                        CallLog.Flush();
                    else
                        CallLog.End(last);
                }
            }
            catch (Exception)
            {
                // Out of memory: the last beat's profile stays.
            }
            finally
            {
                if (entered)
                    Guard.Leave();
            }
            return written;
        }

        /// <summary>True if the program goes on after this writing as if it had not been requested.</summary>
        private static bool GoesOn(string reason)
        {
            return reason == "request" || reason == BrowserPage.LeaveReason || reason == FlushReason;
        }

        /// <summary>A writing by the beat, by whatever it is reported. Never throws.</summary>
        internal static void WriteBeat()
        {
            bool entered = Guard.Enter();
            try
            {
                WriteGuarded("beat");
            }
            catch (Exception)
            {
                // Out of memory: the last profile stays.
            }
            finally
            {
                if (entered)
                    Guard.Leave();
            }
        }

        /// <summary>The profile as it stands.</summary>
        internal static byte[] Snapshot()
        {
            using (writing.Enter())
                RunName.Identify();
            Calibration.RefreshToWrite(true);
            ByteWriter profile = ProfileWriter.Write("snapshot");
            byte[] bytes = new byte[profile.Count];
            Buffer.BlockCopy(profile.Bytes, 0, bytes, 0, bytes.Length);
            return bytes;
        }

        /// <summary>
        /// Waits for a writing that is under way for as long as it comes forward: on a busy machine the tracker's thread can take ten
        /// seconds for the first one, and the last one must not be lost for that.
        /// </summary>
        private static bool EnterWriting()
        {
            int steps;
            do
            {
                steps = ByteWriter.Steps;
                if (writing.TryEnter(LongestWait))
                    return true;
            }
            while (ByteWriter.Steps != steps);
            return false;
        }

        private static bool WriteGuarded(string reason)
        {
            if (!EnterWriting())
            {
                Output.TellLoss("one that is under way stands still");
                return false;
            }
            try
            {
                if (reason == "beat" && ended)
                    return false;
                RunName.Identify();
                // An unhandled exception stays the reason, whatever else the runtime reports on its way out.
                unhandled |= reason == "unhandled";
                Calibration.RefreshToWrite(reason == "beat" || GoesOn(reason));
                // Without threads of its own the host has none that could meanwhile send anything.
                return Output.Write(ProfileWriter.Write(unhandled ? "unhandled" : reason), reason, reason != "beat" && beat != null && !Host.IsSilverlight);
            }
            finally
            {
                writing.Leave();
            }
        }
    }
}
