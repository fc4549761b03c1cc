using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Reports;

namespace ILInject
{
    /// <summary>A column of the summary.</summary>
    sealed class CountMetric : IMetricDescriptor
    {
        internal static readonly CountMetric
            Calls = new CountMetric("ILInjectCalls", "Calls/op", "Calls of instrumented methods in an operation", 0),
            Bytes = new CountMetric("ILInjectBytes", "Bytes/op", "Bytes that these methods allocated in an operation", 1);

        CountMetric(string id, string displayName, string legend, int priority)
        {
            Id = id;
            DisplayName = displayName;
            Legend = legend;
            PriorityInCategory = priority;
        }

        public string Id { get; }
        public string DisplayName { get; }
        public string Legend { get; }
        public int PriorityInCategory { get; }
        public string NumberFormat { get { return "#0.###"; } }
        public UnitType UnitType { get { return UnitType.Dimensionless; } }
        public string Unit { get { return "Count"; } }
        public bool TheGreaterTheBetter { get { return false; } }
        public bool GetIsAvailable(Metric metric) { return true; }
    }
}
