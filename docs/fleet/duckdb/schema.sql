-- The tables of a fleet in DuckDB: docs/fleet/rows.md, says what the columns are.
CREATE TABLE run (run_id UBIGINT, day DATE, started TIMESTAMP, service VARCHAR, release VARCHAR, host VARCHAR,
    program VARCHAR, pid UBIGINT, runtime VARCHAR, clock VARCHAR, reason VARCHAR, wall_ns UBIGINT, runs UBIGINT,
    counted UBIGINT, labels JSON);
CREATE TABLE method (method_id UBIGINT, assembly VARCHAR, type VARCHAR, name VARCHAR, file VARCHAR, line UBIGINT,
    kind VARCHAR);
CREATE TABLE path (path_id UBIGINT, parent_id UBIGINT, method_id UBIGINT, depth UINTEGER);
CREATE TABLE node (run_id UBIGINT, path_id UBIGINT, method_id UBIGINT, calls UBIGINT, exclusive_ns BIGINT,
    low_ns BIGINT, high_ns BIGINT, waiting_ns UBIGINT, exceptions UBIGINT, bytes UBIGINT, objects UBIGINT,
    collections UBIGINT, pause_ns UBIGINT);
-- Sums by release, path and day: rollup.sql fills it.
CREATE TABLE path_day (service VARCHAR, release VARCHAR, day DATE, path_id UBIGINT, method_id UBIGINT, runs UBIGINT,
    calls HUGEINT, exclusive_ns HUGEINT, squares DOUBLE, least_ns BIGINT, most_ns BIGINT, waiting_ns HUGEINT,
    exceptions HUGEINT, bytes HUGEINT);
