// For .NET's startup hooks (DOTNET_STARTUP_HOOKS): with the tracker as hook, a program finds it without having it in its deps.json.

/// <summary>The host asks for a class of this name, without a namespace, and for this method. There is nothing to do.</summary>
internal static class StartupHook
{
    public static void Initialize()
    {
    }
}
