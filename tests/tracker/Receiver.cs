// Takes what is posted to it, on a loopback port of the system's choice, and keeps it.
//   receiver FOLDER [STATUS [DELAY [UNANSWERED]]]    FOLDER/port appears once it listens; a request's body becomes FOLDER/N.ilprof, its head FOLDER/N.txt, N from 1
// A body that came with the Content-Encoding gzip is inflated.
// Ends the first UNANSWERED connections when it has their request. Answers the others with STATUS (200), DELAY milliseconds after a request has come;
// 0: never. Ends after two minutes, if it is not ended before.
using System;
using System.IO;
using System.IO.Compression;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Threading;

static class Receiver
{
    static string folder;
    static int status = 200, delay = 1, unanswered, requests;

    static void Main(string[] args)
    {
        folder = args[0];
        if (args.Length > 1) status = int.Parse(args[1]);
        if (args.Length > 2) delay = int.Parse(args[2]);
        if (args.Length > 3) unanswered = int.Parse(args[3]);
        TcpListener listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        Write("port", Encoding.ASCII.GetBytes(((IPEndPoint)listener.LocalEndpoint).Port.ToString()));
        for (int waited = 0; waited < 120000; waited += 10)
            if (listener.Pending())
            {
                TcpClient client = listener.AcceptTcpClient();
                Thread thread = new Thread(delegate() { Serve(client); });
                thread.IsBackground = true;
                thread.Start();
            }
            else
                Thread.Sleep(10);
    }

    // Whole or not at all.
    static void Write(string name, byte[] bytes)
    {
        string path = Path.Combine(folder, name);
        File.WriteAllBytes(path + ".tmp", bytes);
        File.Move(path + ".tmp", path);
    }

    static void Serve(TcpClient client)
    {
        try
        {
            Stream stream = client.GetStream();
            StringBuilder head = new StringBuilder();
            while (!head.ToString().EndsWith("\r\n\r\n"))
            {
                int b = stream.ReadByte();
                if (b < 0) return;
                head.Append((char)b);
            }
            int length = 0;
            foreach (string line in head.ToString().Split('\n'))
            {
                if (line.StartsWith("Content-Length:", StringComparison.OrdinalIgnoreCase)) length = int.Parse(line.Substring(15).Trim());
                if (line.StartsWith("Expect:", StringComparison.OrdinalIgnoreCase)) Say(stream, "HTTP/1.1 100 Continue\r\n\r\n");
            }
            byte[] body = new byte[length];
            for (int got = 0; got < length;)
            {
                int read = stream.Read(body, got, length - got);
                if (read <= 0) return;
                got += read;
            }
            int request = Interlocked.Increment(ref requests);
            string name = request.ToString();
            Write(name + ".txt", Encoding.ASCII.GetBytes(head.ToString()));
            Write(name + ".ilprof", head.ToString().IndexOf("\r\nContent-Encoding: gzip\r\n") < 0 ? body : Inflated(body));
            if (request <= unanswered) return;
            Thread.Sleep(delay == 0 ? 120000 : delay);
            Say(stream, "HTTP/1.1 " + status + " " + (status == 200 ? "OK" : "No") + "\r\nContent-Length: 5\r\nConnection: close\r\n\r\ndone\n");
        }
        catch (IOException)
        {
        }
        finally
        {
            client.Close();
        }
    }

    static byte[] Inflated(byte[] body)
    {
        MemoryStream plain = new MemoryStream();
        using (GZipStream stream = new GZipStream(new MemoryStream(body), CompressionMode.Decompress)) stream.CopyTo(plain);
        return plain.ToArray();
    }

    static void Say(Stream stream, string text)
    {
        byte[] bytes = Encoding.ASCII.GetBytes(text);
        stream.Write(bytes, 0, bytes.Length);
    }
}
