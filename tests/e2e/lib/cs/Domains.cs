// The same code in three AppDomains: two calls of Leaf in the first one, three and four in further ones, which are unloaded one after the other.
using System;
using System.Runtime.CompilerServices;

public class Domains : MarshalByRefObject
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Leaf() { GC.KeepAlive(null); }

    public void Run(int times) { for (int i = 0; i < times; i++) Leaf(); }

    static void Main()
    {
        new Domains().Run(2);
        for (int i = 1; i <= 2; i++)
        {
            AppDomain domain = AppDomain.CreateDomain("further " + i);
            ((Domains)domain.CreateInstanceAndUnwrap(typeof(Domains).Assembly.FullName, "Domains")).Run(2 + i);
            AppDomain.Unload(domain);
        }
    }
}
