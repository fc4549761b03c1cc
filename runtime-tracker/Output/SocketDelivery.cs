// By a plain connection: Mono, to addresses that begin with http://.
using System;
using System.IO;
using System.Text;

namespace Instrumenter
{
    /// <summary>
    /// WebRequest works by the thread pool there, and Mono that has begun with its pool shortly before its end was seen to wait a minute for it. Runs
    /// on a thread of its own, which it holds up.
    /// </summary>
    internal sealed class SocketDelivery : Delivery
    {
        internal const string TypeName = "System.Net.Sockets.TcpClient";
        private const int LongestLine = 200;

        private readonly Type type;
        private volatile IDisposable client;

        internal SocketDelivery(Type type, string url, byte[] body) : base(url, body)
        {
            this.type = type;
        }

        protected override void Send()
        {
            Type uriType = ReflectedTypes.OfFramework("System.Uri");
            object uri = Activator.CreateInstance(uriType, new object[] { Url });
            string host = (string)ReflectedTypes.Get(uri, uriType, "DnsSafeHost"), path = (string)ReflectedTypes.Get(uri, uriType, "PathAndQuery");
            client = (IDisposable)Activator.CreateInstance(type);
            string line;
            try
            {
                ReflectedTypes.Set(client, type, "SendTimeout", Post.LongestDelivery);
                ReflectedTypes.Set(client, type, "ReceiveTimeout", Post.LongestDelivery);
                ReflectedTypes.Call(client, type, "Connect", new Type[] { typeof(string), typeof(int) }, host, (int)ReflectedTypes.Get(uri, uriType, "Port"));
                Stream stream = (Stream)ReflectedTypes.Call(client, type, "GetStream", new Type[0]);
                byte[] head = Encoding.UTF8.GetBytes("POST " + path + " HTTP/1.1\r\nHost: " + (string)ReflectedTypes.Get(uri, uriType, "Authority") + "\r\nContent-Type: " + ContentType +
                                                     "\r\nContent-Length: " + Host.Number(Body.Length) + "\r\nConnection: close\r\n\r\n");
                stream.Write(head, 0, head.Length);
                stream.Write(Body, 0, Body.Length);
                line = ReadLine(stream);
            }
            finally
            {
                Abandon();
            }
            string[] words = line.Split(' ');
            if (line.Length == 0)
                End("the connection ended without an answer", false);
            else if (words.Length < 2 || !words[0].StartsWith("HTTP/", StringComparison.Ordinal))
                End("what answers is no web server", true);
            else
                EndBy(words[1]);
        }

        private static string ReadLine(Stream stream)
        {
            byte[] line = new byte[LongestLine], one = new byte[1];
            int length = 0;
            while (length < line.Length && stream.Read(one, 0, 1) == 1 && one[0] != '\r' && one[0] != '\n')
                line[length++] = one[0];
            return Encoding.UTF8.GetString(line, 0, length);
        }

        internal override void Abandon()
        {
            try
            {
                IDisposable going = client;
                if (going != null)
                    going.Dispose();
            }
            catch (Exception)
            {
            }
        }
    }
}
