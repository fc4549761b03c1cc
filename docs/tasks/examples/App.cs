static class App
{
    static void Main()
    {
        int sum = 0;
        for (int i = 0; i < 3; i++)
            sum += Some.Library.Calculator.Twice(i);
        System.Console.WriteLine(sum);
    }
}
