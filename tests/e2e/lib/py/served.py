"""`ilinject serve --rows` while it runs, and what it has written."""
import json
import os
import re
import resource
import signal

from kit import ILINJECT, equal, read, scratch, started, true, within

TOKEN = "0123456789abcdefghij"


class Served:
    """A server of the folder; `again` on the same port."""

    def __init__(self, folder, *options, port=0):
        self.folder = folder
        self.run = started([ILINJECT, "serve", "-o", folder, "--rows", "--rate=1000000", "--max-files=10000",
                            "--listen", f"127.0.0.1:{port}", "--token", TOKEN, *options],
                           out=f"{folder}.out", err=f"{folder}.err")

    def __enter__(self):
        self.process = self.run.__enter__()
        within(100, lambda: "post=" in read(f"{self.folder}.out"))
        self.url = read(f"{self.folder}.out").split("post=")[1].split("/TOKEN")[0] + "/" + TOKEN
        return self

    def __exit__(self, *error):
        return self.run.__exit__(*error)

    def most_memory(self):
        """KiB"""
        return int(re.search(r"VmHWM:\s*(\d+)", read(f"/proc/{self.process.pid}/status"))[1])

    def limit_files(self, most_bytes):
        """As a disk without room: larger files cannot be written. The profiles are smaller, the rows are not."""
        resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE, (most_bytes, resource.RLIM_INFINITY))

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        equal(self.process.wait(timeout=100), 0)
        return read(f"{self.folder}.out"), read(f"{self.folder}.err")


def found_in_rows(folder):
    """Of each run's rows the calls and the own time; a run that comes twice is an error, and so is another file."""
    runs, sums = {}, {}
    for where, _, names in os.walk(scratch() / folder / "rows"):
        for name in names:
            true(name.endswith(".ndjson"), f"{where}/{name}")
            for line in read(f"{where}/{name}").splitlines():
                row = json.loads(line)
                if row["table"] == "run":
                    true(row["run_id"] not in runs, f"twice: {row}")
                    equal(os.path.basename(where), row["day"])
                    runs[row["run_id"]] = (row["host"], row["pid"])
                elif row["table"] == "node":
                    calls, ns = sums.get(row["run_id"], (0, 0))
                    sums[row["run_id"]] = (calls + row["calls"], ns + row["exclusive_ns"])
    return {runs[run]: sums[run] for run in runs}
