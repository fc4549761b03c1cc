// One measured scope of the program's own code.
using System.Collections.Generic;
using System.Diagnostics;

namespace Instrumenter
{
    [DebuggerDisplay("{Name} in {Ticks}")]
    public class PerfMeasurement
    {
        public string Name { get; set; }

        /// <summary>The scopes directly inside, in the order of their starts; null when there were none.</summary>
        public List<PerfMeasurement> Children;

        /// <summary>
        /// The time it took, with its children's, in ticks of the registered clock; without one in nanoseconds. Once the scope
        /// around all has ended, the cost of reading the clock in the children is taken off.
        /// </summary>
        public long Ticks { get; set; }

        /// <summary>The number of scopes inside it, at whatever depth.</summary>
        public int AllChildren
        {
            get { return MeasurementTree.InPreOrder(this).Count - 1; }
        }
    }
}
