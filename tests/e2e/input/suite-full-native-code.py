#!/usr/bin/env -S python3 -B
# level: full
"""What suite-native-code.py says, of all ReadyToRun images of the shared frameworks and the SDK."""
import os
import runpy
import sys
from pathlib import Path

os.environ["EXTENT"] = "all"
runpy.run_path(str(Path(sys.argv[0]).parent / "suite-native-code.py"), run_name="__main__")
