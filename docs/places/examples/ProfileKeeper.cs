// Assets/ProfileKeeper.cs: writes the profile when the game is paused, loses the focus or quits, and tells where it lies.
using System.IO;
using Instrumenter;
using UnityEngine;

public class ProfileKeeper : MonoBehaviour
{
    [RuntimeInitializeOnLoadMethod]
    private static void Begin()
    {
        GameObject keeper = new GameObject("ProfileKeeper");
        keeper.AddComponent<ProfileKeeper>();
        DontDestroyOnLoad(keeper);
    }

    private void OnApplicationPause(bool paused)
    {
        if (paused)
            Keep();
    }

    private void OnApplicationFocus(bool focused)
    {
        if (!focused)
            Keep();
    }

    private void OnApplicationQuit()
    {
        Keep();
    }

    private static void Keep()
    {
        string path = Path.Combine(Application.persistentDataPath, Application.productName + ".ilprof");
        byte[] profile = ProfileInfoTracker.Snapshot();
        if (profile.Length == 0)
            return;
        File.WriteAllBytes(path + ".new", profile);
        File.Delete(path);
        File.Move(path + ".new", path);
        Debug.Log("profile: " + path);
    }
}
