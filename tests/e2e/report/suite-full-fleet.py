#!/usr/bin/env -S python3 -B
# level: full
"""The six questions of docs/fleet, asked about 5,000 runs of a thousand hosts in DuckDB and in ClickHouse,
which has them in one database and in two shards. RUNS=1000 PATHS=2340 makes it the size of docs/fleet."""
import os
import sys
sys.path[0] += "/../.."
sys.path.append(sys.path[0] + "/e2e/lib/py")
from kit import finish

for name, value in {"RUNS": "5000", "PATHS": "600", "METHODS": "400", "PERCENT": "5",
                    "ENGINES": "duckdb chdb"}.items():
    os.environ.setdefault(name, value)
import fleet_questions  # noqa: E402, F401

finish()
