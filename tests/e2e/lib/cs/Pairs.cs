// Secrets under names that are values themselves: in pairs, in lists of pairs, as arguments. Each secret holds zq7, all else is shown.
using System;
using System.Collections;
using System.Collections.Generic;
using System.Threading.Tasks;

public enum Header { Accept, Authorization }
public struct Field { public string Name; public object Value; public Field(string name, object value) { Name = name; Value = value; } }
public class Claim { private readonly string _key; public string Val { get; set; } public Claim(string key, string val) { _key = key; Val = val; } public override string ToString() { return _key; } }

public class Program
{
    static int calls;
    static void Send(object form) { calls++; }
    static void Put(string key, string value) { calls++; }
    static string Get(string name) { calls++; return "zq7"; }
    static string Fetch(string name) { calls++; return "seen-fetched"; }
    static async Task<string> Later(string name) { await Task.Delay(1); calls++; return name == "dsn" ? "zq7" : "seen-later"; }
    static KeyValuePair<string, string> Pair(string key, string value) { return new KeyValuePair<string, string>(key, value); }

    public static void Main()
    {
        Send(Pair("password", "zq7"));
        Send(Pair("city", "seen-pair"));
        Send(new List<KeyValuePair<string, string>> { Pair("Authorization", "Bearer zq7"), Pair("Accept", "seen-listed") });
        Send(new[] { Pair("api_key", "zq7"), Pair("compass", "seen-array") });
        Send(new Dictionary<string, string> { { "session", "zq7" }, { "author", "seen-map" } });
        Send(new Dictionary<Header, string> { { Header.Authorization, "zq7" }, { Header.Accept, "seen-enum" } });
        Send(new DictionaryEntry("Cookie", "zq7"));
        Send(new DictionaryEntry("passenger", "seen-entry"));
        Send(Tuple.Create("otp", "zq7"));
        Send(Tuple.Create("spinner", "seen-tuple"));
        Send(new Field("pin", "zq7"));
        Send(new Field("pinned", "seen-field"));
        Send(new Claim("connStr", "zq7"));
        Send(new Claim("bearing", "seen-claim"));
        Send(new KeyValuePair<string, string[]>("X-Auth", new[] { "zq7", "zq7" }));
        Send(new object[] { "--token", "zq7", "--city", "seen-option" });
        Send(new List<string[]> { new[] { "credential", "zq7" }, new[] { "street", "seen-inner" } });
        Put("db_pass", "zq7");
        Put("street", "seen-argument");
        Get("jwt");
        Fetch("city");
        Later("dsn").Wait();
        Later("town").Wait();
        Console.WriteLine(calls);
    }
}
