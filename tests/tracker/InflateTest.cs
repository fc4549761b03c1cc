// The tracker's own inflater beside System.IO.Compression's: what that has deflated, blocks made by hand, and broken streams.
using System;
using System.IO;
using System.IO.Compression;
using Instrumenter;

static class InflateTest
{
    static readonly Random random = new Random(12345);
    static int accepted, refused;

    static int Main()
    {
        for (int i = 0; i < 400; i++)
        {
            byte[] plain = Plain(i);
            byte[] deflated = Deflated(plain);
            Expect(Fills(plain, deflated), "stream " + i + " is refused");
            Expect(!Inflate.Fill(new byte[plain.Length + 1], deflated, 0, deflated.Length), "stream " + i + " fills more than it has");
            Expect(plain.Length == 0 || !Inflate.Fill(new byte[plain.Length - 1], deflated, 0, deflated.Length), "stream " + i + " fills less than it has");
            for (int cut = 0; cut < Math.Min(deflated.Length, 40); cut++)
                Expect(!Inflate.Fill(new byte[plain.Length], deflated, 0, cut), "stream " + i + " is taken without its end");
            Break(plain.Length, deflated);
        }
        Stored();
        ByHand();
        Expect(accepted > 100 && refused > 1000, "broken streams: " + accepted + " taken, " + refused + " refused");
        Console.WriteLine("{0} broken streams taken, {1} refused", accepted, refused);
        return 0;
    }

    // Text, noise, runs, long matches, nothing.
    static byte[] Plain(int kind)
    {
        byte[] plain = new byte[kind == 0 ? 0 : random.Next(1, kind % 20 == 0 ? 300000 : 3000)];
        int letters = kind % 5 == 0 ? 256 : kind % 5 == 1 ? 1 : kind % 5 == 2 ? 4 : 30;
        for (int i = 0; i < plain.Length; i++)
            plain[i] = kind % 3 == 0 && i > 100 && random.Next(4) != 0 ? plain[i - random.Next(1, Math.Min(i, 33000))] : (byte)random.Next(letters);
        return plain;
    }

    static byte[] Deflated(byte[] plain)
    {
        MemoryStream to = new MemoryStream();
        using (DeflateStream stream = new DeflateStream(to, CompressionMode.Compress, true))
            stream.Write(plain, 0, plain.Length);
        byte[] deflated = to.ToArray();
        return deflated.Length == 0 ? new byte[] { 3, 0 } : deflated; // of nothing some make nothing
    }

    static bool Fills(byte[] plain, byte[] deflated)
    {
        byte[] output = new byte[plain.Length], inside = new byte[deflated.Length + 7];
        Array.Copy(deflated, 0, inside, 5, deflated.Length);
        if (!Inflate.Fill(output, inside, 5, deflated.Length))
            return false;
        for (int i = 0; i < plain.Length; i++)
            if (output[i] != plain[i])
                return false;
        return true;
    }

    // A changed stream may still be one: then both make the same of it.
    static void Break(int length, byte[] deflated)
    {
        for (int attempt = 0; attempt < 20; attempt++)
        {
            byte[] broken = (byte[])deflated.Clone();
            for (int changes = random.Next(1, 4); changes > 0; changes--)
                broken[random.Next(Math.Min(broken.Length, attempt < 10 ? 60 : broken.Length))] ^= (byte)(1 << random.Next(8));
            byte[] output = new byte[length];
            if (!Inflate.Fill(output, broken, 0, broken.Length))
            {
                refused++;
                continue;
            }
            accepted++;
            byte[] other = new byte[length];
            int read = 0;
            using (DeflateStream stream = new DeflateStream(new MemoryStream(broken), CompressionMode.Decompress))
                for (int got; read < length && (got = stream.Read(other, read, length - read)) > 0;)
                    read += got;
            Expect(read == length, "a stream is taken that the other refuses");
            for (int i = 0; i < length; i++)
                Expect(output[i] == other[i], "a stream gives other bytes");
        }
    }

    static void Stored()
    {
        byte[] stream = { 0, 3, 0, 0xFC, 0xFF, 1, 2, 3, 1, 0, 0, 0xFF, 0xFF };
        Expect(Fills(new byte[] { 1, 2, 3 }, stream), "stored blocks");
        stream[3] = 0xFB;
        Expect(!Inflate.Fill(new byte[3], stream, 0, stream.Length), "a stored block whose length is wrong");
    }

    static void ByHand()
    {
        Expect(!Inflate.Fill(new byte[0], new byte[] { 7 }, 0, 1), "a block of the fourth kind");
        Expect(!Inflate.Fill(new byte[0], new byte[0], 0, 0), "an empty stream");
        // Fixed codes: a match before there is anything, distance 1 length 3; and the length symbol 286, which there is none of.
        Expect(!Inflate.Fill(new byte[3], new byte[] { 3, 2, 0 }, 0, 3), "a match that reaches before the start");
        Expect(!Inflate.Fill(new byte[3], new byte[] { 0x1B, 3, 0, 0 }, 0, 4), "a length that there is none of");
        // Its own codes, all of length 0.
        Expect(!Inflate.Fill(new byte[1], new byte[] { 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }, 0, 14), "a block without codes");
    }

    static void Expect(bool holds, string what)
    {
        if (holds)
            return;
        Console.WriteLine("FAILED: " + what);
        Environment.Exit(1);
    }
}
