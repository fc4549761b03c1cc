// 8,000 arrays of 20,000 bytes, each in an item, 8,000 boxes, and a method that makes arrays of two types.
using System;

public class Item
{
    public int Id;
    public byte[] Data;
}

public static class Sizes
{
    private static byte[] Read(int size) { return new byte[size]; }
    private static Item Load(int id)
    {
        var item = new Item();
        item.Id = id;
        item.Data = Read(20000);
        return item;
    }
    private static object Box(int id) { return id; }
    private static int[] Both(int size)
    {
        var numbers = new int[size];
        var wide = new long[size];
        wide[0] = numbers.Length;
        return numbers;
    }
    public static int Main()
    {
        long sum = 0;
        for (int i = 0; i < 8000; i++)
        {
            sum += Load(i).Data.Length;
            sum += (int)Box(i);
        }
        for (int i = 0; i < 10; i++)
            sum += Both(100).Length;
        Console.WriteLine(sum);
        return 0;
    }
}
