"""What a command costs: wall time, CPU time of all its processes, peak memory.

The machine may be busy with other things.  Commands that are compared run in
turns, round after round.  Of CPU time the least is taken, since other work can
only add to it.  Of wall time the median: on a busy machine the least is a
matter of luck, and two medians of the same rounds were disturbed alike.
"""

from __future__ import annotations

import os
import shutil
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path


@dataclass(frozen=True)
class Command:
    """Something to run, and how."""

    label: str
    argv: Sequence[str | Path]
    env: dict[str, str]
    cwd: Path
    codes: tuple[int, ...] = (0,)
    """Exit codes that mean it did its work."""
    stdin: Path = Path(os.devnull)
    without: Path | None = None
    """A folder that is removed before each run, such as a cache."""


@dataclass
class Cost:
    """What several runs of one command cost, in milliseconds."""

    walls: list[float] = field(default_factory=list)
    cpus: list[float] = field(default_factory=list)

    def add(self, wall: float, cpu: float) -> None:
        self.walls.append(wall * 1000)
        self.cpus.append(cpu * 1000)

    @property
    def wall(self) -> float:
        return statistics.median(self.walls)

    @property
    def least(self) -> float:
        return min(self.walls)

    @property
    def cpu(self) -> float:
        return min(self.cpus)


class Failed(Exception):
    """A command that did not do what is measured."""


def once(command: Command, output: Path = Path(os.devnull)) -> tuple[float, float]:
    """Run it; wall and CPU seconds of the process and of all it waited for."""
    # posix_spawn has no working folder of its own; nothing else runs in this process.
    os.chdir(command.cwd)
    if command.without:
        shutil.rmtree(command.without, ignore_errors=True)
    argv = [os.fspath(part) for part in command.argv]
    create = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, command.stdin, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, output, create, 0o644),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    start = time.perf_counter()
    pid = os.posix_spawnp(argv[0], argv, command.env, file_actions=actions)
    _, status, usage = os.wait4(pid, 0)
    wall = time.perf_counter() - start
    code = os.waitstatus_to_exitcode(status)
    if code not in command.codes:
        raise Failed(f"{command.label}: exit {code} of {' '.join(argv)}")
    return wall, usage.ru_utime + usage.ru_stime


def rounds(commands: Sequence[Command], count: int) -> list[Cost]:
    """Run the commands in turns, `count` times after one that does not count."""
    costs = [Cost() for _ in commands]
    for turn in range(count + 1):
        for command, cost in zip(commands, costs, strict=True):
            spent = once(command)
            if turn > 0:
                cost.add(*spent)
    return costs


# A process inherits the peak of whoever starts it: a bare interpreter is the least there is here.
_METER = """
import os, sys
pid = os.fork()
if pid == 0:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.execvpe(sys.argv[2], sys.argv[2:], os.environ)
_, _, usage = os.wait4(pid, 0)
with open(sys.argv[1], "w") as out:
    out.write(str(usage.ru_maxrss))
"""


def peak(command: Command, scratch: Path, count: int = 3) -> float:
    """Peak resident memory in MB: the least of several runs."""
    found: list[int] = []
    answer = scratch / "peak"
    for _ in range(count):
        meter = [sys.executable, "-I", "-S", "-c", _METER, answer, *command.argv]
        once(replace(command, argv=meter))
        found.append(int(answer.read_text()))
    return min(found) * 1024 / 1e6


def of_process(pid: int) -> tuple[float, float]:
    """CPU seconds and peak MB of a process that is still running."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    cpu = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    status = Path(f"/proc/{pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
    return cpu, int(line.split()[1]) * 1024 / 1e6
