#!/usr/bin/env -S python3 -B
"""The six questions of docs/fleet, asked about 200 runs of 40 hosts in DuckDB; e2e/full-fleet asks about 5,000."""
import os
import sys
sys.path[0] += "/../.."
sys.path.append(sys.path[0] + "/e2e/lib/py")
from kit import finish

for name, value in {"RUNS": "200", "PATHS": "300", "METHODS": "100", "PERCENT": "20", "ENGINES": "duckdb"}.items():
    os.environ.setdefault(name, value)
import fleet_questions  # noqa: E402, F401

finish()
