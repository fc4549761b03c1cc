// Where the methods of a .mdb stand in their source, by Mono's own reader: a line "0x06000001 LINE FILE" for each method with a line.
// The first row that is not hidden. Argument: the .mdb.
using System;
using Mono.CompilerServices.SymbolWriter;

static class MdbLines
{
    static void Main(string[] args)
    {
        MonoSymbolFile file = MonoSymbolFile.ReadSymbolFile(args[0]);
        foreach (MethodEntry method in file.Methods)
            foreach (LineNumberEntry line in method.GetLineNumberTable().LineNumbers)
                if (!line.IsHidden)
                {
                    Console.WriteLine("0x{0:x8} {1} {2}", method.Token, line.Row, file.GetSourceFile(line.File).FileName);
                    break;
                }
    }
}
