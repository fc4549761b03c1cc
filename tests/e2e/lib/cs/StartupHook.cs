// Loaded before the program (DOTNET_STARTUP_HOOKS): names each exception that is thrown in the process, caught or not.
using System;

internal class StartupHook
{
    public static void Initialize()
    {
        AppDomain.CurrentDomain.FirstChanceException += (domain, e) => Console.Error.WriteLine("thrown: " + e.Exception.GetType().Name + ": " + e.Exception.Message + e.Exception.StackTrace);
    }
}
