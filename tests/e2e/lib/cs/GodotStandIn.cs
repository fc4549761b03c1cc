// As much of Godot as docs/places/examples asks for; a game that is closed.
using System;

namespace Godot
{
    public class Node
    {
        public const long NotificationWMCloseRequest = 1006, NotificationWMGoBackRequest = 1007, NotificationApplicationPaused = 2015;
        public virtual void _Notification(int what) { }
        public virtual void _ExitTree() { }
    }
    public static class OS { public static string GetUserDataDir() { return Environment.GetEnvironmentVariable("USER_DATA"); } }
    public static class GD { public static void Print(params object[] what) { Console.WriteLine(string.Concat(what)); } }
}
static class StandIn
{
    static void Main()
    {
        new Level().Update(0);
        new ProfileKeeper()._Notification((int)Godot.Node.NotificationWMCloseRequest);
    }
}
