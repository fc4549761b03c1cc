// Runs the WASI build, where there is no program for the machine: through the C interface of the library of Wasmtime.
// It opens the whole file system for it, as src/platform/wasi/host.h says.
using System;
using System.Collections.Generic;
using System.IO;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Text;

static class Wasi
{
    delegate IntPtr Make();
    delegate IntPtr MakeOf(IntPtr of);
    delegate IntPtr MakeOf3(IntPtr of, IntPtr second, IntPtr third);
    delegate void Change(IntPtr of);
    delegate void ChangeTo(IntPtr of, UIntPtr to);
    delegate IntPtr Fails2(IntPtr first, IntPtr second);
    delegate IntPtr Compile(IntPtr engine, byte[] program, UIntPtr size, out IntPtr module);
    delegate IntPtr Link(IntPtr linker, IntPtr context, byte[] name, UIntPtr size, IntPtr module);
    delegate IntPtr Find(IntPtr linker, IntPtr context, byte[] name, UIntPtr size, byte[] function);
    delegate IntPtr Call(IntPtr context, byte[] function, IntPtr arguments, UIntPtr count, IntPtr results, UIntPtr resultCount,
        out IntPtr trap);
    [return: MarshalAs(UnmanagedType.I1)] delegate bool SetWords(IntPtr to, UIntPtr count, IntPtr[] words);
    [return: MarshalAs(UnmanagedType.I1)] delegate bool SetPairs(IntPtr to, UIntPtr count, IntPtr[] names, IntPtr[] values);
    [return: MarshalAs(UnmanagedType.I1)] delegate bool Open(IntPtr to, byte[] path, byte[] name, UIntPtr folders, UIntPtr files);
    [return: MarshalAs(UnmanagedType.I1)] delegate bool Asks(IntPtr of, out int value);
    delegate void Says(IntPtr of, byte[] text);

    sealed class Failure : Exception
    {
        public Failure(string text) : base(text) { }
    }

    static Type loader;
    static IntPtr library;

    // Returns the exit value of the program.
    public static int Run(string engine, string program, string[] arguments)
    {
        string permissions = null;
        try
        {
            // Younger than what this is compiled against.
            loader = Type.GetType("System.Runtime.InteropServices.NativeLibrary");
            if (loader == null) throw new Failure("it needs .NET Core 3.0 or later");
            try { library = (IntPtr)loader.GetMethod("Load", new[] { typeof(string) }).Invoke(null, new object[] { engine }); }
            catch (TargetInvocationException e) { throw new Failure(e.InnerException.Message); }
            permissions = Path.Combine(Path.GetTempPath(), "ilinject-" + Guid.NewGuid().ToString("N"));
            int value = Start(program, arguments, permissions);
            Permit(permissions);
            return value;
        }
        catch (Failure e)
        {
            Console.Error.WriteLine("ilinject: error: the WASI build cannot be run with " + engine + ": " + e.Message);
            return 1;
        }
        finally
        {
            if (permissions != null && File.Exists(permissions)) File.Delete(permissions);
        }
    }

    static int Start(string program, string[] arguments, string permissions)
    {
        const int stack = 1 << 20;
        IntPtr config = Get<Make>("wasm_config_new")(), trap, module;
        Get<ChangeTo>("wasmtime_config_max_wasm_stack_set")(config, (UIntPtr)stack);
        // Compiled code is kept in the user's cache; where there is none, it is compiled each time.
        Get<Fails2>("wasmtime_config_cache_config_load")(config, IntPtr.Zero);
        IntPtr made = Get<MakeOf>("wasm_engine_new_with_config")(config);
        IntPtr store = Get<MakeOf3>("wasmtime_store_new")(made, IntPtr.Zero, IntPtr.Zero);
        IntPtr context = Get<MakeOf>("wasmtime_store_context")(store);
        IntPtr linker = Get<MakeOf>("wasmtime_linker_new")(made);
        Check(Get<MakeOf>("wasmtime_linker_define_wasi")(linker));
        Check(Get<Fails2>("wasmtime_context_set_wasi")(context, Settings(arguments, permissions)));
        byte[] code = File.ReadAllBytes(program), function = new byte[64], none = new byte[1];
        Check(Get<Compile>("wasmtime_module_new")(made, code, (UIntPtr)(uint)code.Length, out module));
        Check(Get<Link>("wasmtime_linker_module")(linker, context, none, UIntPtr.Zero, module));
        Check(Get<Find>("wasmtime_linker_get_default")(linker, context, none, UIntPtr.Zero, function));
        IntPtr error = Get<Call>("wasmtime_func_call")(context, function, IntPtr.Zero, UIntPtr.Zero, IntPtr.Zero, UIntPtr.Zero, out trap);
        int value = 0;
        if (error != IntPtr.Zero && !Get<Asks>("wasmtime_error_exit_status")(error, out value)) Check(error);
        if (trap != IntPtr.Zero) throw new Failure(Text("wasm_trap_message", trap));
        return value;
    }

    static IntPtr Settings(string[] arguments, string permissions)
    {
        IntPtr settings = Get<Make>("wasi_config_new")();
        bool windows = Environment.OSVersion.Platform != PlatformID.Unix;
        var words = new List<IntPtr> { Words("ilinject") };
        foreach (string argument in arguments) words.Add(Words(argument));
        if (!Get<SetWords>("wasi_config_set_argv")(settings, (UIntPtr)(uint)words.Count, words.ToArray()))
            throw new Failure("an argument is not Unicode");
        var variables = new SortedDictionary<string, string>(StringComparer.Ordinal);
        foreach (System.Collections.DictionaryEntry pair in Environment.GetEnvironmentVariables())
            variables[(string)pair.Key] = (string)pair.Value;
        variables["PWD"] = Guest(Directory.GetCurrentDirectory(), windows);
        string place = Path.GetTempPath();
        variables["TMPDIR"] = Guest(place.Length > 1 ? place.TrimEnd('/', '\\') : place, windows);
        variables.Remove("ILINJECT_WINDOWS");
        variables.Remove("ILINJECT_PERMISSIONS");
        if (windows) variables["ILINJECT_WINDOWS"] = "1";
        else variables["ILINJECT_PERMISSIONS"] = permissions;
        if (!Console.IsOutputRedirected)
        {
            variables["COLUMNS"] = Console.WindowWidth.ToString();
            variables["LINES"] = Console.WindowHeight.ToString();
        }
        var names = new List<IntPtr>();
        var values = new List<IntPtr>();
        foreach (KeyValuePair<string, string> pair in variables)
        {
            names.Add(Words(pair.Key));
            values.Add(Words(pair.Value));
        }
        Get<SetPairs>("wasi_config_set_env")(settings, (UIntPtr)(uint)names.Count, names.ToArray(), values.ToArray());
        foreach (string stream in new[] { "stdin", "stdout", "stderr" })
            Get<Change>("wasi_config_inherit_" + stream)(settings);
        if (!windows) OpenFolder(settings, "/", "/");
        foreach (string drive in windows ? Environment.GetLogicalDrives() : new string[0])
            if (Directory.Exists(drive)) OpenFolder(settings, drive, Guest(drive, true).TrimEnd('/'));
        return settings;
    }

    static void OpenFolder(IntPtr settings, string path, string name)
    {
        const int all = 3; // to read and to write
        if (!Get<Open>("wasi_config_preopen_dir")(settings, Utf8(path), Utf8(name), (UIntPtr)all, (UIntPtr)all))
            throw new Failure(path + " cannot be opened");
    }

    static string Guest(string path, bool windows)
    {
        return !windows ? path : (path.Length > 1 && path[1] == ':' ? "/" : "") + path.Replace('\\', '/');
    }

    // The pairs LIKE, FILE that the program has left; .NET 7 and later know permissions.
    static void Permit(string list)
    {
        MethodInfo get = typeof(File).GetMethod("GetUnixFileMode", new[] { typeof(string) });
        if (get == null || !File.Exists(list)) return;
        MethodInfo set = typeof(File).GetMethod("SetUnixFileMode", new[] { typeof(string), get.ReturnType });
        const int ordinary = 0x1FF; // 0777
        string[] names = Encoding.UTF8.GetString(File.ReadAllBytes(list)).Split('\0');
        for (int i = 0; i + 1 < names.Length; i += 2)
        {
            bool isFolder = Directory.Exists(names[i + 1]), narrows = names[i].StartsWith("&");
            string like = narrows ? names[i].Substring(1) : names[i];
            if (!isFolder && !File.Exists(names[i + 1]) || !File.Exists(like) && !Directory.Exists(like)) continue;
            try
            {
                int mode = Convert.ToInt32(get.Invoke(null, new object[] { like })) & ordinary;
                if (narrows) mode = (mode | 0x1C0) & Convert.ToInt32(get.Invoke(null, new object[] { names[i + 1] })) & ordinary;
                if (isFolder) mode |= 0x1C0; // its owner writes into it
                set.Invoke(null, new object[] { names[i + 1], Enum.ToObject(get.ReturnType, mode) });
            }
            catch (TargetInvocationException e)
            {
                throw new Failure(names[i + 1] + " cannot be given its permissions: " + e.InnerException.Message);
            }
        }
    }

    // ---- The library's functions -----------------------------------------------------------------------------------

    static T Get<T>(string name) where T : class
    {
        var arguments = new object[] { library, name, IntPtr.Zero };
        Type[] parameters = { typeof(IntPtr), typeof(string), typeof(IntPtr).MakeByRefType() };
        if (!(bool)loader.GetMethod("TryGetExport", parameters).Invoke(null, arguments))
            throw new Failure("it has no function " + name);
        return (T)(object)Marshal.GetDelegateForFunctionPointer((IntPtr)arguments[2], typeof(T));
    }

    static void Check(IntPtr error)
    {
        if (error != IntPtr.Zero) throw new Failure(Text("wasmtime_error_message", error));
    }

    // One line of a message, which the function gives as a size and an address.
    static string Text(string function, IntPtr of)
    {
        var vector = new byte[2 * IntPtr.Size];
        Get<Says>(function)(of, vector);
        long size = IntPtr.Size == 8 ? BitConverter.ToInt64(vector, 0) : BitConverter.ToInt32(vector, 0);
        long at = IntPtr.Size == 8 ? BitConverter.ToInt64(vector, 8) : BitConverter.ToInt32(vector, 4);
        var text = new byte[size];
        Marshal.Copy((IntPtr)at, text, 0, text.Length);
        return Encoding.UTF8.GetString(text).TrimEnd('\0').Trim().Replace("\n", " ");
    }

    static byte[] Utf8(string text)
    {
        return Encoding.UTF8.GetBytes(text + "\0");
    }

    static IntPtr Words(string text)
    {
        byte[] bytes = Utf8(text);
        IntPtr copy = Marshal.AllocHGlobal(bytes.Length);
        Marshal.Copy(bytes, 0, copy, bytes.Length);
        return copy;
    }
}
