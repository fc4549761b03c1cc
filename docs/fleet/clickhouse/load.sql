-- Loads files of rows: files is 'rows/*.ndjson', rows JSONEachRow or, of CSV, CSVWithNames. On a server they lie below
-- its user_files, or come by INSERT INTO incoming FROM INFILE.
TRUNCATE TABLE incoming;
SET input_format_json_read_objects_as_strings = 1, input_format_json_read_arrays_as_strings = 1,
    input_format_skip_unknown_fields = 1, input_format_csv_empty_as_default = 1;
INSERT INTO incoming SELECT * FROM file({files:String}, {rows:String}, '`table` String, run_id UInt64, path_id UInt64,
    parent_id UInt64, method_id UInt64, depth UInt32, assembly String, type String, name String, file String,
    line UInt64, kind String, day Date, started String, service String, release String, host String, program String,
    pid UInt64, runtime String, clock String, reason String, wall_ns UInt64, runs UInt64, counted UInt64,
    labels String, calls UInt64, exclusive_ns Int64, low_ns Nullable(Int64), high_ns Nullable(Int64),
    waiting_ns UInt64, exceptions UInt64, bytes UInt64, objects UInt64, collections UInt64, pause_ns UInt64');
INSERT INTO run SELECT run_id, day, parseDateTime64BestEffort(started, 6, 'UTC'), service, release, host, program, pid,
    runtime, clock, reason, wall_ns, runs, counted, labels FROM incoming WHERE `table` = 'run';
INSERT INTO method SELECT method_id, assembly, type, name, file, line, kind FROM incoming
    WHERE `table` = 'method' LIMIT 1 BY method_id;
INSERT INTO path SELECT path_id, parent_id, method_id, depth FROM incoming WHERE `table` = 'path' LIMIT 1 BY path_id;
INSERT INTO node SELECT r.day, r.service, r.release, n.run_id, n.path_id, n.method_id, n.calls, n.exclusive_ns,
    coalesce(n.low_ns, n.exclusive_ns), coalesce(n.high_ns, n.exclusive_ns), n.waiting_ns, n.exceptions, n.bytes,
    n.objects, n.collections, n.pause_ns
FROM (SELECT * FROM incoming WHERE `table` = 'node') n
JOIN (SELECT run_id, day, service, release FROM incoming WHERE `table` = 'run') r USING (run_id)
SETTINGS max_partitions_per_insert_block = 1000;
TRUNCATE TABLE incoming;
