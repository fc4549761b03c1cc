// A service looks at every type of its plug-ins before it answers. Planted: PluginScanner.Scan.
using System;
using System.Collections.Generic;

namespace Shop
{
    class PluginScanner
    {
        public int Scan(string folder)
        {
            uint found = 17;
            for (int i = 0; i < 1200 * 1000 * 1000; i++)
                found = found * 31 + (uint)i;
            return folder.Length + (int)(found & 7);
        }
    }

    class Settings
    {
        readonly Dictionary<string, string> values = new Dictionary<string, string>();

        public void Read(string text)
        {
            foreach (string line in text.Split('\n'))
                ReadLine(line);
        }

        void ReadLine(string line)
        {
            int at = line.IndexOf('=');
            if (at > 0)
                values[line.Substring(0, at)] = line.Substring(at + 1);
        }

        public string Get(string name)
        {
            string value;
            return values.TryGetValue(name, out value) ? value : "";
        }
    }

    class Host
    {
        readonly Settings settings = new Settings();
        int plugins;
        public long Answers;

        public void Start()
        {
            settings.Read("plugins=/srv/plugins\nport=8080\nname=shop");
            plugins = new PluginScanner().Scan(settings.Get("plugins"));
        }

        public void Serve(int requests)
        {
            for (int i = 0; i < requests; i++)
                Answer("/orders/" + i);
        }

        void Answer(string path)
        {
            Answers += Route(path) + Body(path).Length;
        }

        int Route(string path)
        {
            return path.Split('/').Length + plugins;
        }

        string Body(string path)
        {
            return "{\"name\":\"" + settings.Get("name") + "\",\"path\":\"" + path + "\"}";
        }
    }

    static class Program
    {
        static void Main()
        {
            Host host = new Host();
            host.Start();
            host.Serve(100000);
            Console.WriteLine(host.Answers + " characters");
        }
    }
}
