using System.Collections;

public sealed class Level
{
    int seen;

    public void Update(int frame)
    {
        for (int i = 0; i < 200; i++)
            seen += Look(frame, i);
    }

    static int Look(int frame, int i) { return (frame * 31 + i) % 7 == 0 ? 1 : 0; }

    public IEnumerator Spawn()
    {
        for (int i = 0; i < 3; i++)
            yield return i;
    }
}
