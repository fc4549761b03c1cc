// The part of ProfileDump.cs that answers one question after another, so that a suite pays for its start once.
//   ProfileDump serve     reads questions from standard input: a mark, the file for the answer, the folder that names of
//                         files are relative to, the number of arguments, and these, each with a 0 at its end. When a
//                         question has been answered, a line says its mark and what the exit value would be.
using System;
using System.Collections.Generic;
using System.IO;
using System.Text;

static partial class ProfileDump
{
    static int Serve()
    {
        Stream asked = new BufferedStream(Console.OpenStandardInput());
        StreamWriter told = new StreamWriter(Console.OpenStandardOutput());
        for (string mark; (mark = Word(asked)) != null; )
        {
            string answer = Word(asked), folder = Word(asked);
            string[] arguments = new string[int.Parse(Word(asked))];
            for (int i = 0; i < arguments.Length; i++) arguments[i] = Word(asked);
            int status = 1;
            using (StreamWriter output = new StreamWriter(answer, false, new UTF8Encoding(false)))
            {
                Console.SetOut(output);
                try
                {
                    Directory.SetCurrentDirectory(folder);
                    status = Answer(arguments);
                }
                catch (Exception e)
                {
                    Console.WriteLine("ProfileDump: " + e);
                }
            }
            told.Write(mark + " " + status + "\n");
            told.Flush();
        }
        return 0;
    }

    static string Word(Stream from)
    {
        List<byte> bytes = new List<byte>();
        for (int b; (b = from.ReadByte()) != 0; bytes.Add((byte)b))
            if (b < 0) return null;
        return Encoding.UTF8.GetString(bytes.ToArray());
    }

    static byte[] known; // the file that has been read as it is

    static void ReadAgain(byte[] file)
    {
        bool same = known != null && known.Length == file.Length;
        for (int i = 0; same && i < file.Length; i++) same = known[i] == file[i];
        if (same) return;
        Forget();
        Read(file);
        known = file;
    }

    static void Forget()
    {
        known = null;
        run.Clear(); names.Clear(); threads.Clear(); asyncPaths.Clear(); switches.Clear(); asyncIds.Clear();
        lines.Clear(); paths.Clear(); streams.Clear(); samples.Clear(); histograms.Clear(); folds.Clear();
    }
}
