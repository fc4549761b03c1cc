// ProfileKeeper.cs, an autoload (Project Settings, Globals): writes the profile when the game is paused or closed.
using System.IO;
using Godot;
using Instrumenter;

public partial class ProfileKeeper : Node
{
    public override void _Notification(int what)
    {
        if (what == NotificationWMCloseRequest || what == NotificationApplicationPaused || what == NotificationWMGoBackRequest)
            Keep();
    }

    public override void _ExitTree()
    {
        Keep();
    }

    private static void Keep()
    {
        byte[] profile = ProfileInfoTracker.Snapshot();
        if (profile.Length == 0)
            return;
        string path = Path.Combine(OS.GetUserDataDir(), "game.ilprof");
        File.WriteAllBytes(path, profile);
        GD.Print("profile: " + path);
    }
}
