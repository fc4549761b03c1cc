// ProfiledWindow.cs: return one of these from App.CreateWindow. It writes the profile when the app goes into the background or ends.
using System.IO;
using Instrumenter;
using Microsoft.Maui.Controls;
using Microsoft.Maui.Storage;

public class ProfiledWindow : Window
{
    public ProfiledWindow(Page page) : base(page)
    {
    }

    protected override void OnStopped()
    {
        base.OnStopped();
        Keep();
    }

    protected override void OnDestroying()
    {
        base.OnDestroying();
        Keep();
    }

    private static void Keep()
    {
        byte[] profile = ProfileInfoTracker.Snapshot();
        if (profile.Length > 0)
            File.WriteAllBytes(Path.Combine(FileSystem.AppDataDirectory, "app.ilprof"), profile);
    }
}
