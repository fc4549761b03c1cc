// As much of MAUI as docs/places/examples asks for; an app that goes into the background.
using System;

namespace Microsoft.Maui.Controls
{
    public class Page { }
    public class Window
    {
        public Window(Page page) { }
        protected virtual void OnStopped() { }
        protected virtual void OnDestroying() { }
        public void Stop() { OnStopped(); }
    }
}
namespace Microsoft.Maui.Storage
{
    public static class FileSystem { public static string AppDataDirectory { get { return Environment.GetEnvironmentVariable("USER_DATA"); } } }
}
static class StandIn
{
    static void Main()
    {
        new Level().Update(0);
        new ProfiledWindow(new Microsoft.Maui.Controls.Page()).Stop();
    }
}
