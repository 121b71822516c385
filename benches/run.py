"""The bench: `python3 benches/run.py` measures, prints and writes RESULTS.md."""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

import against
import goals
import others
import ours
import questions
import table
import turn
import agent
import trees
import work
from peers import REPOSITORY

BENCH = REPOSITORY / "target" / "bench"
HERE = Path(__file__).resolve().parent

QUESTIONS = {
    "goals": goals.goals,
    "start-up": questions.start_up,
    "cold": questions.cold,
    "warm": questions.warm,
    "growth": questions.growth,
    "memory": questions.memory,
    "check": against.check,
    "others": against.lists,
    "turn": turn.ask,
    "work": work.work,
    "agent": agent.agent,
}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure skillful against floors and other programs.")
    parser.add_argument("--binary", type=Path, help="measure this program instead of building one")
    parser.add_argument("--before", type=Path, help="compare the goals with this earlier program")
    parser.add_argument("--quick", action="store_true", help="no 100,000 skills, fewer rounds")
    parser.add_argument("--rounds", type=int, help="at most so many rounds; the results say so")
    parser.add_argument("--install", action="store_true", help="install the other programs first")
    parser.add_argument("--only", action="append", choices=QUESTIONS, help="only this question; repeatable")
    parser.add_argument("--output", type=Path, help="write here instead of benches/RESULTS.md")
    return parser.parse_args()


def _built() -> Path:
    """The program that ships, as the packages hold it."""
    sys.path.insert(0, str(REPOSITORY / "packaging"))
    import build

    return build.static(platform.machine(), REPOSITORY / "target" / "packages-build")


def _said(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (FileNotFoundError, subprocess.CalledProcessError):
        return f"no {command[0]}"


def _machine(binary: Path) -> str:
    """What the figures depend on, without a date: a run on the same machine gives the same text."""
    disk = _said("stat", "--file-system", "--format=%T", str(BENCH))
    find = _said("find", "--version").splitlines()[0]
    return (
        f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()} {platform.release()}, {disk}, "
        f"{_said('rustc', '--version')}, {find}; `{_said(str(binary), '--version')}`, "
        f"{binary.stat().st_size / 1e6:.1f} MB."
    )


def _load(began: float, rounds: int | None) -> str:
    """How busy the machine was, as the system counts it."""
    few = f" Each command ran at most {rounds} times." if rounds else ""
    return f"Load of the machine: {began:.1f} at the start of the run, {os.getloadavg()[0]:.1f} at its end.{few}"


def main() -> int:
    arguments = _arguments()
    if arguments.install:
        others.install_all()
    binary = arguments.binary.resolve() if arguments.binary else _built()
    BENCH.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=BENCH) as scratch:
        # A copy: somebody may build while we measure.
        copy = Path(scratch) / "skillful"
        copy.write_bytes(binary.read_bytes())
        copy.chmod(0o755)
        floor = ours.compile_stat_floor(HERE / "stat_floor.rs", BENCH / "stat_floor")
        before = ours.Ours(arguments.before.resolve(), floor, ".cache-before") if arguments.before else None
        bench = questions.Bench(ours.Ours(copy, floor), BENCH / "trees", arguments.quick, before, arguments.rounds)
        began = os.getloadavg()[0]
        sections = [QUESTIONS[name](bench) for name in QUESTIONS if not arguments.only or name in arguments.only]
    text = "\n".join(
        [
            "# Speed",
            "",
            "Written by `python3 benches/run.py`; [README.md](README.md) says how to read it.",
            "",
            _machine(binary),
            trees.origin(),
            bench.busy(),
            _load(began, arguments.rounds),
            "",
            "## Goals",
            "",
            table.goals(sections),
            *(section.markdown() for section in sections),
        ]
    )
    print(text)
    # A part of the questions is for looking, not for keeping.
    output = arguments.output or (None if arguments.only or arguments.quick else HERE / "RESULTS.md")
    if output:
        output.write_text(text)
        print(f"written to {output}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
