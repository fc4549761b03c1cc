// The nodes of later slices of async calls: slices of one method below one caller have a node for each place of their calls.

namespace Instrumenter
{
    /// <summary>
    /// Finds nodes by caller, id and place (<see cref="NodeExtra.Place"/>). A method's own node below that caller, which the way in
    /// finds, is another. Used by the tree's own thread only.
    /// </summary>
    internal sealed class PlacedNodes
    {
        private const int Least = 16;

        /// <summary>A hash table of nodes, half of it free; its length is a power of two.</summary>
        private int[] nodes = new int[Least];
        private int count;

        /// <summary>None when there is none; nothing is allocated.</summary>
        internal int Find(NodeTree tree, int caller, int id, int place)
        {
            for (int at = Hash(caller, id, place);; at++)
            {
                int node = nodes[at & (nodes.Length - 1)];
                if (node == NodeTree.None || (tree.PlaceOf(node) == place && tree.Nodes[node].Caller == caller && tree.Nodes[node].Id == id))
                    return node;
            }
        }

        /// <summary>Takes the memory that one more needs.</summary>
        internal void EnsureRoom(NodeTree tree)
        {
            if (count < nodes.Length / 2)
                return;
            int[] old = nodes;
            nodes = new int[old.Length * 2];
            foreach (int node in old)
                if (node != NodeTree.None)
                    Put(tree, node);
        }

        /// <summary>Adds a node, for which there is room.</summary>
        internal void Add(NodeTree tree, int node)
        {
            Put(tree, node);
            count++;
        }

        private void Put(NodeTree tree, int node)
        {
            int at = Hash(tree.Nodes[node].Caller, tree.Nodes[node].Id, tree.PlaceOf(node));
            while (nodes[at & (nodes.Length - 1)] != NodeTree.None)
                at++;
            nodes[at & (nodes.Length - 1)] = node;
        }

        private static int Hash(int caller, int id, int place)
        {
            int hash = unchecked(((caller * 31 + id) * 31 + place) * -1640531527);
            return (hash ^ (hash >> 15)) & 0x3FFFFFFF;
        }
    }
}
