#!/usr/bin/env -S python3 -B
# level: full
"""docs/fleet/slurm.sh on a cluster of three nodes that live on this machine: a batch that loses a node makes the bytes
that one machine makes. RUNS says how many profiles."""
import os
import random
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
sys.path[0] += "/../.."
sys.path.append(sys.path[0] + "/e2e/lib/py")
import fleet
from kit import ILINJECT, ROOT, check, command, equal, finish, has, ilinject, scratch, skip, true, within, write

RUNS, PARTS = int(os.environ.get("RUNS", 600)), 12
SENTENCE = "a batch by Slurm that loses one of three nodes has the bytes of one machine's"
TOOLS = ("slurmctld", "slurmd", "sbatch", "sinfo")
os.environ["PATH"] += ":/usr/sbin"
if not has(*TOOLS) or os.getuid() != 0:
    skip(SENTENCE, "no slurm-wlm is installed" if not has(*TOOLS) else "Slurm's daemons want root")
    finish()
    sys.exit()

made, draw = fleet.Program(9, 200, 900), random.Random(2)
base = [made.run(draw, host=f"h{n}", pid=n, start=n)[0] for n in range(40)]
(scratch() / "in").mkdir()
for number in range(RUNS):
    (scratch() / f"in/{number}.ilprof").write_bytes(base[number % len(base)])
write("list", "".join(f"{scratch()}/in/{n}.ilprof\n" for n in range(RUNS)))
started = time.monotonic()
ilinject("merge @list -o whole.ilprof")
print(f"# {RUNS} profiles by one machine: {time.monotonic() - started:.1f} s")


def free_ports(count):
    held = [socket.socket() for _ in range(count)]
    for one in held:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


ports = free_ports(4)
folder = scratch() / "slurm"
for name in ("state", "spool.n1", "spool.n2", "spool.n3"):
    (folder / name).mkdir(parents=True)
conf = write(folder / "slurm.conf", f"""ClusterName=test
SlurmctldHost={socket.gethostname()}(127.0.0.1)
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SlurmUser=root
SlurmctldPort={ports[0]}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/ctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/ctld.log
SlurmdLogFile={folder}/%n.log
ReturnToService=2
SlurmdTimeout=10
MpiDefault=none
""" + "".join(f"NodeName=n{i} NodeHostname={socket.gethostname()} NodeAddr=127.0.0.1 Port={ports[i]} "
    f"CPUs=1 RealMemory=1000\n"
              for i in (1, 2, 3)) + "PartitionName=all Nodes=n[1-3] Default=YES State=UP OverSubscribe=FORCE:4\n")
env = {**os.environ, "SLURM_CONF": str(conf)}


def daemon(*arguments):
    return subprocess.Popen(arguments, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL, start_new_session=True)


daemons = {"ctld": daemon("slurmctld", "-D", "-f", str(conf))}
daemons.update({f"n{i}": daemon("slurmd", "-D", "-N", f"n{i}", "-f", str(conf)) for i in (1, 2, 3)})


def idle():
    return command("sinfo -h -t idle -o %D", env=env, status=None).out.strip() == "3"


def running():
    return command("squeue -h -t running -o %N", env=env, status=None).out.split()


def loses_a_node():
    within(100, idle)
    # Parts that begin before a node is lost wait until it is, and fail: they are for a second try.
    slow = write("slow.sh", f"""#!/bin/sh
[ -e {scratch()}/lost ] && exec {ILINJECT} "$@"
i=0
while [ ! -e {scratch()}/lost ] && [ $i -lt 1000 ]; do i=$((i + 1)); sleep 0.3; done
exit 9
""")
    os.chmod(slow, 0o755)
    (scratch() / "shared").mkdir()
    job = subprocess.Popen([ROOT / "docs/fleet/slurm.sh",
    "merge",
    "list",
    str(scratch() / "slurm.ilprof"),
    str(scratch() / "shared"),
    str(PARTS)],
    env={**env,
    "ILINJECT": str(scratch() / "slow.sh")},
    cwd=scratch(),
    stdout=subprocess.PIPE,
     stderr=subprocess.STDOUT)
    within(100, lambda: "n2" in running())
    os.killpg(daemons["n2"].pid, signal.SIGKILL)
    (scratch() / "lost").touch()
    command("scontrol update NodeName=n2 State=DOWN Reason=lost", env=env)
    said = job.communicate(timeout=1000)[0].decode()
    equal((job.returncode, said), (0, ""))
    equal((scratch() / "slurm.ilprof").read_bytes(), (scratch() / "whole.ilprof").read_bytes())
    equal(len(list((scratch() / "shared").glob("done.*"))), PARTS)


def end_steps():
    """What the daemons have left running, known by the variable that names their configuration."""
    for name in os.listdir("/proc"):
        try:
            if name.isdigit() and f"SLURM_CONF={conf}\0".encode() in Path(f"/proc/{name}/environ").read_bytes() and \
                    int(name) != os.getpid():
                os.kill(int(name), signal.SIGKILL)
        except OSError:
            pass


try:
    check(SENTENCE, loses_a_node)
finally:
    for name in ("n1", "n2", "n3", "ctld"):
        try:
            os.killpg(daemons[name].pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        daemons[name].wait()
    end_steps()
    print(f"# logs: {sorted(p.name for p in folder.glob('*.log'))}")
finish()
