// Checks strong-name signatures as a loader does, without the program's own code: SignatureCheck FILE... says "signed" when the
// signature matches and the flag is set, else why not. It knows PE32+ and the SHA-2 family, which Mono's sn does not.
using System;
using System.Collections.Generic;
using System.IO;
using System.Reflection;
using System.Security.Cryptography;

static class SignatureCheck
{
    static byte[] file;

    static int U16(int at) { return BitConverter.ToUInt16(file, at); }
    static int I32(int at) { return BitConverter.ToInt32(file, at); }

    static int Main(string[] paths)
    {
        int bad = 0;
        foreach (string path in paths)
        {
            string said = Check(path);
            Console.WriteLine(path + ": " + said);
            if (said != "signed")
                bad = 1;
        }
        return bad;
    }

    static string Check(string path)
    {
        file = File.ReadAllBytes(path);
        byte[] identity = AssemblyName.GetAssemblyName(path).GetPublicKey();
        if (identity == null || identity.Length == 0)
            return "no public key";
        int pe = I32(0x3C), optional = pe + 24, sections = optional + U16(pe + 20), count = U16(pe + 6);
        int directories = optional + (U16(optional) == 0x20B ? 112 : 96);
        Func<int, int> offset = delegate(int rva)
        {
            for (int i = 0; i < count; i++)
            {
                int header = sections + i * 40, start = I32(header + 12);
                if (rva >= start && rva < start + I32(header + 16))
                    return rva - start + I32(header + 20);
            }
            return -1;
        };
        int cli = offset(I32(directories + 14 * 8)), flags = I32(cli + 16), size = I32(cli + 36);
        if ((flags & 8) == 0)
            return "not marked as signed";
        if (size == 0)
            return "no signature";
        int signature = offset(I32(cli + 32));
        byte[] reversed = new byte[size];
        Array.Copy(file, signature, reversed, 0, size);
        Array.Reverse(reversed);

        List<byte> covered = new List<byte>();
        byte[] headers = new byte[sections + count * 40];
        Array.Copy(file, headers, headers.Length);
        Array.Clear(headers, optional + 64, 4);
        Array.Clear(headers, directories + 4 * 8, 8);
        covered.AddRange(headers);
        for (int i = 0; i < count; i++)
            for (int at = I32(sections + i * 40 + 20), end = at + I32(sections + i * 40 + 16); at < end; at++)
                if (at < signature || at >= signature + size)
                    covered.Add(file[at]);

        byte[] blob = new byte[identity.Length - 12];
        Array.Copy(identity, 12, blob, 0, blob.Length);
        int algorithm = BitConverter.ToInt32(identity, 4);
        string name = algorithm == 0x800C ? "SHA256" : algorithm == 0x800D ? "SHA384" : algorithm == 0x800E ? "SHA512" : "SHA1";
        using (RSACryptoServiceProvider rsa = new RSACryptoServiceProvider())
        {
            rsa.ImportCspBlob(blob);
            byte[] hash = HashAlgorithm.Create(name).ComputeHash(covered.ToArray());
            return rsa.VerifyHash(hash, CryptoConfig.MapNameToOID(name), reversed) ? "signed" : "the signature does not match";
        }
    }
}
