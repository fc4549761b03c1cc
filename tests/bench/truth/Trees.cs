// A balanced tree with a comparer, a game of life on a board with an accessor, and a sieve.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;

namespace TreesWork
{
    sealed class Node
    {
        public int Key, Priority;
        public Node Left, Right;
    }

    sealed class Tree
    {
        readonly IComparer<int> order;
        Node root;
        uint random = 1;

        public Tree(IComparer<int> order) { this.order = order; }

        static Node RotateRight(Node node)
        {
            Node left = node.Left;
            node.Left = left.Right;
            left.Right = node;
            return left;
        }

        static Node RotateLeft(Node node)
        {
            Node right = node.Right;
            node.Right = right.Left;
            right.Left = node;
            return right;
        }

        Node Insert(Node node, int key)
        {
            if (node == null)
            {
                random = random * 1664525 + 1013904223;
                return new Node { Key = key, Priority = (int)(random >> 8) };
            }
            if (order.Compare(key, node.Key) < 0)
            {
                node.Left = Insert(node.Left, key);
                return node.Left.Priority > node.Priority ? RotateRight(node) : node;
            }
            node.Right = Insert(node.Right, key);
            return node.Right.Priority > node.Priority ? RotateLeft(node) : node;
        }

        public void Add(int key) { root = Insert(root, key); }

        public bool Has(int key)
        {
            Node node = root;
            while (node != null && node.Key != key)
                node = order.Compare(key, node.Key) < 0 ? node.Left : node.Right;
            return node != null;
        }
    }

    sealed class ByBits : IComparer<int>
    {
        public int Compare(int a, int b) { return (a ^ 0x5555).CompareTo(b ^ 0x5555); }
    }

    sealed class Board
    {
        readonly int size;
        byte[] cells, next;

        public Board(int size)
        {
            this.size = size;
            cells = new byte[size * size];
            next = new byte[size * size];
            for (int i = 0; i < cells.Length; i++) cells[i] = (byte)((i * 7 + i / 3) % 3 == 0 ? 1 : 0);
        }

        int At(int x, int y) { return x < 0 || y < 0 || x >= size || y >= size ? 0 : cells[y * size + x]; }

        [MethodImpl(MethodImplOptions.NoInlining)]
        public int Step()
        {
            int alive = 0;
            for (int y = 0; y < size; y++)
                for (int x = 0; x < size; x++)
                {
                    int near = At(x - 1, y) + At(x + 1, y) + At(x, y - 1) + At(x, y + 1);
                    near += At(x - 1, y - 1) + At(x + 1, y + 1) + At(x + 1, y - 1) + At(x - 1, y + 1);
                    next[y * size + x] = (byte)(near == 3 || (near == 2 && At(x, y) == 1) ? 1 : 0);
                    alive += next[y * size + x];
                }
            (cells, next) = (next, cells);
            return alive;
        }
    }

    static class Program
    {
        [MethodImpl(MethodImplOptions.NoInlining)]
        static int Build(int count)
        {
            var tree = new Tree(new ByBits());
            uint x = 3;
            for (int i = 0; i < count; i++)
            {
                x = x * 22695477 + 1;
                tree.Add((int)(x >> 16));
            }
            int found = 0;
            for (int i = 0; i < count * 2; i++)
                if (tree.Has(i * 31 & 0xffff)) found++;
            return found;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static int Sieve(byte[] composite)
        {
            Array.Clear(composite);
            int primes = 0;
            for (int i = 2; i < composite.Length; i++)
            {
                if (composite[i] != 0) continue;
                primes++;
                for (int k = i * 2; k < composite.Length; k += i) composite[k] = 1;
            }
            return primes;
        }

        static void Main(string[] args)
        {
            int size = Truth.Size(args, 160);
            var board = new Board(96);
            var composite = new byte[60000];
            long sum = 0;
            for (int i = 0; i < size; i++)
            {
                sum += Build(2500);
                for (int k = 0; k < 14; k++) sum += board.Step();
                for (int k = 0; k < 8; k++) sum += Sieve(composite);
            }
            Console.WriteLine(sum);
        }
    }
}
