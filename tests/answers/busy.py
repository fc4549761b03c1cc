"""Loops that take the processors beside a suite's programs."""
import contextlib
import subprocess
import sys

LOOPS = 8


@contextlib.contextmanager
def busy():
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(LOOPS)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
