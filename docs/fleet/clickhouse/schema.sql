-- The tables of a fleet in ClickHouse: docs/fleet/rows.md, says what the columns are. On a cluster each
-- shard has them, and cluster.sql makes what stands before them.
CREATE TABLE incoming (`table` LowCardinality(String), run_id UInt64, path_id UInt64, parent_id UInt64,
    method_id UInt64, depth UInt32, assembly String, type String, name String, file String, line UInt64,
    kind LowCardinality(String), day Date, started String, service LowCardinality(String),
    release LowCardinality(String), host String, program String, pid UInt64, runtime String, clock String,
    reason String, wall_ns UInt64, runs UInt64, counted UInt64, labels String, calls UInt64, exclusive_ns Int64,
    low_ns Nullable(Int64), high_ns Nullable(Int64), waiting_ns UInt64, exceptions UInt64, bytes UInt64,
    objects UInt64, collections UInt64, pause_ns UInt64) ENGINE = MergeTree ORDER BY (`table`, run_id);
CREATE TABLE run (run_id UInt64, day Date, started DateTime64(6, 'UTC'), service LowCardinality(String),
    release LowCardinality(String), host String, program String, pid UInt64, runtime String, clock String,
    reason String, wall_ns UInt64, runs UInt64, counted UInt64, labels String)
    ENGINE = ReplacingMergeTree ORDER BY run_id;
CREATE TABLE method (method_id UInt64, assembly LowCardinality(String), type String, name String, file String,
    line UInt64, kind LowCardinality(String)) ENGINE = ReplacingMergeTree ORDER BY method_id;
CREATE TABLE path (path_id UInt64, parent_id UInt64, method_id UInt64, depth UInt32)
    ENGINE = ReplacingMergeTree ORDER BY path_id;
-- A run that comes again replaces its rows. Nodes go after 30 days.
CREATE TABLE node (day Date, service LowCardinality(String), release LowCardinality(String), run_id UInt64,
    path_id UInt64, method_id UInt64, calls UInt64, exclusive_ns Int64, low_ns Int64, high_ns Int64,
    waiting_ns UInt64, exceptions UInt64, bytes UInt64, objects UInt64, collections UInt64, pause_ns UInt64)
    ENGINE = ReplacingMergeTree PARTITION BY day ORDER BY (service, method_id, path_id, run_id)
    TTL day + INTERVAL 30 DAY;
-- Sums by release, path and day: rollup.sql fills it.
CREATE TABLE path_day (service LowCardinality(String), release LowCardinality(String), day Date, path_id UInt64,
    method_id UInt64, runs UInt64, calls UInt64, exclusive_ns Int64, squares Float64,
    least_ns SimpleAggregateFunction(min, Int64), most_ns SimpleAggregateFunction(max, Int64), waiting_ns UInt64,
    exceptions UInt64, bytes UInt64)
    ENGINE = SummingMergeTree PARTITION BY toYYYYMM(day) ORDER BY (service, method_id, path_id, release, day);
