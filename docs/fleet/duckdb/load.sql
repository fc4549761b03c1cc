-- Loads files of rows; runs that are there already are replaced. SET VARIABLE files = 'rows/*.ndjson' (or .csv; gzip
-- and zstd, too).
CREATE TEMP TABLE incoming AS SELECT * FROM incoming_rows(getvariable('files'));
DELETE FROM node WHERE run_id IN (SELECT run_id FROM incoming WHERE "table" = 'run' INTERSECT SELECT run_id FROM run);
DELETE FROM run WHERE run_id IN (SELECT run_id FROM incoming WHERE "table" = 'run');
INSERT INTO run SELECT DISTINCT ON (run_id) run_id, day, started, service, release, host, program, pid, runtime, clock,
    reason, wall_ns, runs, counted, labels FROM incoming WHERE "table" = 'run';
INSERT INTO method SELECT DISTINCT ON (method_id) method_id, assembly, type, name, file, line, kind FROM incoming
    WHERE "table" = 'method' AND method_id NOT IN (SELECT method_id FROM method);
INSERT INTO path SELECT DISTINCT ON (path_id) path_id, parent_id, method_id, depth FROM incoming
    WHERE "table" = 'path' AND path_id NOT IN (SELECT path_id FROM path);
INSERT INTO node SELECT run_id, path_id, method_id, calls, exclusive_ns, coalesce(low_ns, exclusive_ns),
    coalesce(high_ns, exclusive_ns), coalesce(waiting_ns, 0), coalesce(exceptions, 0), coalesce(bytes, 0),
    coalesce(objects, 0), coalesce(collections, 0), coalesce(pause_ns, 0) FROM incoming WHERE "table" = 'node';
DROP TABLE incoming;
