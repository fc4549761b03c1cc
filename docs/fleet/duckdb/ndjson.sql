-- How load.sql reads what `--format=rows` has written.
CREATE OR REPLACE TEMP MACRO incoming_rows(files) AS TABLE SELECT * FROM read_json(files, format = 'newline_delimited', columns = {"table": 'VARCHAR', run_id: 'UBIGINT', path_id: 'UBIGINT', parent_id: 'UBIGINT', method_id: 'UBIGINT',
    depth: 'UINTEGER', assembly: 'VARCHAR', type: 'VARCHAR', name: 'VARCHAR', file: 'VARCHAR', line: 'UBIGINT',
    kind: 'VARCHAR', day: 'DATE', started: 'TIMESTAMP', service: 'VARCHAR', release: 'VARCHAR', host: 'VARCHAR',
    program: 'VARCHAR', pid: 'UBIGINT', runtime: 'VARCHAR', clock: 'VARCHAR', reason: 'VARCHAR', wall_ns: 'UBIGINT',
    runs: 'UBIGINT', counted: 'UBIGINT', labels: 'JSON', calls: 'UBIGINT', exclusive_ns: 'BIGINT', low_ns: 'BIGINT',
    high_ns: 'BIGINT', waiting_ns: 'UBIGINT', exceptions: 'UBIGINT', bytes: 'UBIGINT', objects: 'UBIGINT',
    collections: 'UBIGINT', pause_ns: 'UBIGINT'});
