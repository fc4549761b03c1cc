// Every part of a search makes the same text plain again. Planted: Words.Normalize.
using System;
using System.Collections.Generic;
using System.Text;

namespace Shop
{
    static class Words
    {
        public static string Normalize(string text)
        {
            StringBuilder made = new StringBuilder(text.Length);
            foreach (char c in text)
                if (char.IsLetterOrDigit(c))
                    made.Append(char.ToLowerInvariant(c));
            return made.ToString();
        }
    }

    class Article
    {
        public string Title, Maker, Group;
    }

    class TitleMatch
    {
        public bool Is(Article article, string word)
        {
            return Words.Normalize(article.Title).Contains(Words.Normalize(word));
        }
    }

    class MakerMatch
    {
        public bool Is(Article article, string word)
        {
            return Words.Normalize(article.Maker) == Words.Normalize(word);
        }
    }

    class GroupMatch
    {
        public bool Is(Article article, string word)
        {
            return Words.Normalize(article.Group).StartsWith(Words.Normalize(word));
        }
    }

    class Ranking
    {
        public int Score(Article article, string word)
        {
            int score = Distance(article.Title, word) + Distance(article.Maker, word);
            return score + Bonus(article);
        }

        static int Distance(string text, string word)
        {
            return Math.Abs(Words.Normalize(text).Length - Words.Normalize(word).Length);
        }

        static int Bonus(Article article)
        {
            return Words.Normalize(article.Group).Length % 5;
        }
    }

    class Suggest
    {
        readonly HashSet<string> seen = new HashSet<string>();

        public void Learn(Article article)
        {
            seen.Add(Words.Normalize(article.Title));
            seen.Add(Words.Normalize(article.Group));
        }

        public int Count()
        {
            return seen.Count;
        }
    }

    class Search
    {
        readonly List<Article> articles = new List<Article>();
        readonly TitleMatch title = new TitleMatch();
        readonly MakerMatch maker = new MakerMatch();
        readonly GroupMatch group = new GroupMatch();
        readonly Ranking ranking = new Ranking();
        readonly Suggest suggest = new Suggest();

        public void Fill(int count)
        {
            for (int i = 0; i < count; i++)
                articles.Add(new Article { Title = "The Garden Chair No. " + i, Maker = "Maker & Sons " + i % 9, Group = "Garden / Chairs" });
        }

        public int Find(string word)
        {
            int best = 0;
            foreach (Article article in articles)
            {
                suggest.Learn(article);
                if (title.Is(article, word) || maker.Is(article, word) || group.Is(article, word))
                    best = Math.Max(best, ranking.Score(article, word));
            }
            return best + suggest.Count();
        }
    }

    static class Program
    {
        static void Main()
        {
            Search search = new Search();
            search.Fill(800);
            int found = 0;
            foreach (string word in new[] { "chair no. 7", "Maker & Sons 3", "garden", "a lamp" })
                for (int i = 0; i < 200; i++)
                    found += search.Find(word);
            Console.WriteLine(found + " found");
        }
    }
}
