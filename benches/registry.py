#!/usr/bin/env python3
"""Installing and verifying: what `skillful add` and `skillful verify` cost beside the least that could do it.

    python3 benches/registry.py [--binary PATH] [--skills N] [--rounds N] [--npm FOLDER | --install] [--scratch FOLDER]

Generates a library of N skills (1,000: `SKILL.md` of 5 KB, a script, a reference; three folders each) and runs, in
turns, each into a project and a home of its own:

- `cp -r` of the library, which neither checks nor remembers anything and leaves the rest to the system;
- `cp -r` and `sync -f`, which returns when the files are on the disk, as `skillful add` does;
- `skillful add --yes`, as copies and as links into the store;
- npm `skills add`, when it is there (`--install` puts it and the Node it needs below `target/bench/npm`);
- `skillful verify` of what was added, and `sha256sum` of the same files.

Before each run the disk is made quiet, outside the clock. Wall is the median, since compared commands are disturbed
alike; CPU the least, since other work can only add to it. `--scratch` says where everything is written: a folder on
a memory disk takes the disk out of the comparison, which is not what a person has. Standard library only.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

import measure
from measure import Command, Cost
from peers import REPOSITORY
from table import Section, costs, goals, number, times

SKILLS_PACKAGE = "skills@1.7.4"
NODE_PACKAGE = "node@22"
LINES = 60
CP, SYNCED, ADD, LINK, NPM, SHA, VERIFY = (
    "`cp -r`",
    "`cp -r`, then `sync -f`",
    "`skillful add`",
    "`skillful add --link`",
    f"npm `{SKILLS_PACKAGE} add`",
    "`sha256sum` of the same files",
    "`skillful verify`",
)


def generate(top: Path, count: int) -> None:
    """The library; made once."""
    if (top / "made").exists():
        return
    shutil.rmtree(top, ignore_errors=True)
    for number_ in range(count):
        name = f"skill-{number_:05}"
        folder = top / "skills" / name
        (folder / "scripts").mkdir(parents=True)
        (folder / "references").mkdir()
        steps = "".join(
            f"Step {line}: do the thing number {number_} carefully, then look at `references/REFERENCE.md`.\n"
            for line in range(LINES)
        )
        header = f"---\nname: {name}\ndescription: Does thing {number_}. Use it when thing {number_} is asked for.\n---\n"
        (folder / "SKILL.md").write_text(f"{header}# Skill {number_}\n\n{steps}")
        (folder / "scripts/run.sh").write_text(f"#!/bin/sh\necho {number_}\n")
        (folder / "scripts/run.sh").chmod(0o755)
        (folder / "references/REFERENCE.md").write_text(f"# Reference {number_}\n\n" + f"line {number_}\n" * 20)
    (top / "made").touch()


class Bench:
    """One run: a scratch folder, and a new project and home for everything that is measured."""

    def __init__(self, scratch: Path, binary: Path, npm: Path, count: int) -> None:
        self.scratch, self.binary, self.npm, self.count = scratch, binary, npm, count
        self.library = scratch / f"library-{count}"
        self.made: list[Path] = []
        self.last: Path = scratch
        generate(self.library, count)

    def project(self) -> tuple[Path, dict[str, str]]:
        """An empty project, and the environment of a person who has nothing else."""
        top = self.scratch / "runs" / str(len(self.made))
        self.made.append(top)
        work, home = top / "project", top / "home"
        (work / ".git").mkdir(parents=True)
        home.mkdir()
        path = f"{self.npm / 'node_modules/.bin'}:{os.environ['PATH']}"
        quiet = {"CI": "1", "NO_COLOR": "1", "DISABLE_TELEMETRY": "1", "DO_NOT_TRACK": "1"}
        return work, {"PATH": path, "HOME": str(home), "LANG": "C.UTF-8", **quiet}

    def command(self, label: str) -> Command:
        work, env = self.project()
        skills = self.library / "skills"
        argv: list[str | Path]
        if label == CP:
            argv = ["cp", "-r", skills, work / "skills"]
        elif label == SYNCED:
            argv = ["sh", "-c", 'cp -r "$1" "$2" && sync -f "$2"', "sh", skills, work / "skills"]
        elif label in (ADD, LINK):
            argv = [self.binary, "add", skills, "--yes", *(["--link"] if label == LINK else [])]
        else:
            argv = ["skills", "add", self.library, "-s", "*", "-a", "claude-code", "-y"]
        return Command(label, argv, env, work)

    def run(self, label: str, cost: Cost) -> None:
        command = self.command(label)
        os.sync()
        # The program of npm is found by the PATH of this process.
        os.environ["PATH"] = command.env["PATH"]
        cost.add(*measure.once(command))
        found = {CP: "skills", SYNCED: "skills", NPM: ".claude/skills"}.get(label, ".agents/skills")
        there = sum(1 for _ in (command.cwd / found).glob("*/SKILL.md"))
        if there != self.count:
            raise measure.Failed(f"{label} installed {there} of {self.count} skills")
        if label == ADD:
            self.last = command.cwd

    def verify(self, rounds: int) -> list[Cost]:
        """Over what the last `add` installed."""
        env = {"PATH": os.environ["PATH"], "HOME": str(self.last.parent / "home"), "LANG": "C.UTF-8"}
        hashing = "find .agents/skills -type f -print0 | xargs -0 sha256sum"
        return measure.rounds(
            [
                Command(SHA, ["sh", "-c", hashing], env, self.last),
                Command(VERIFY, [self.binary, "verify"], env, self.last),
            ],
            rounds,
        )

    def clean(self) -> None:
        # Trees of the store are read-only, also for whoever removes them.
        subprocess.run(["chmod", "-R", "u+w", self.scratch / "runs"], check=False)
        shutil.rmtree(self.scratch / "runs", ignore_errors=True)


def install_section(bench: Bench, rounds: int, labels: list[str]) -> Section:
    section = Section(
        f"Installing {bench.count:,} skills",
        "Each into a new project, in turns. Ratios are to `cp -r`; npm's to `skillful add` is the last line.",
        ("command", "wall ms (median)", "least", "CPU ms (least)", "× `cp -r` (wall)", "× `cp -r` (CPU)", "goal", "reached"),
    )
    spent = {label: Cost() for label in labels}
    for round_ in range(rounds):
        for label in labels:
            print(f"round {round_ + 1} of {rounds}: {label}", file=sys.stderr, flush=True)
            bench.run(label, spent[label])
    floor = spent[CP]
    for label, cost in spent.items():
        wall, cpu = cost.wall / floor.wall, cost.cpu / floor.cpu
        goal = ("", "")
        if label == ADD:
            goal = section.goal("add", "≤ 1.5× `cp -r`", times(wall, cpu), wall <= 1.5, cpu <= 1.5)
        section.add(label, *costs(cost), number(wall), number(cpu), *goal)
    if NPM in spent:
        wall, cpu = spent[NPM].wall / spent[ADD].wall, spent[NPM].cpu / spent[ADD].cpu
        goal = section.goal("add beside npm", "≥ 7× faster", times(wall, cpu), wall >= 7, cpu >= 7)
        section.add(f"{NPM} ÷ {ADD}", number(wall), "", number(cpu), "", "", *goal)
    wall = spent[ADD].wall / spent[SYNCED].wall
    cpu = spent[ADD].cpu / spent[SYNCED].cpu
    section.notes.append(f"Beside `cp -r` and `sync -f`, which promises the same: {times(wall, cpu)}.\n")
    return section


def verify_section(bench: Bench, rounds: int) -> Section:
    section = Section(
        f"Verifying {bench.count:,} skills",
        "Every byte is read and hashed by both; `sha256sum` compares nothing and reads no lock.",
        ("command", "wall ms (median)", "least", "CPU ms (least)", "× (wall)", "× (CPU)", "goal", "reached"),
    )
    hashing, ours = bench.verify(rounds)
    wall, cpu = ours.wall / hashing.wall, ours.cpu / hashing.cpu
    section.add(SHA, *costs(hashing), "1", "1")
    goal = section.goal("verify", "≤ 2× `sha256sum`", times(wall, cpu), wall <= 2, cpu <= 2)
    section.add(VERIFY, *costs(ours), number(wall), number(cpu), *goal)
    return section


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, default=REPOSITORY / "target/release/skillful")
    parser.add_argument("--skills", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--npm", type=Path, default=REPOSITORY / "target/bench/npm")
    parser.add_argument("--install", action="store_true")
    parser.add_argument("--scratch", type=Path, default=REPOSITORY / "target/bench/registry")
    options = parser.parse_args()
    binary = options.binary.resolve()
    if not binary.is_file():
        raise SystemExit(f"{binary} is not there; `cargo build --release -p skillful-cli` builds it")
    npm = options.npm.resolve()
    if options.install:
        npm.mkdir(parents=True, exist_ok=True)
        packages = [NODE_PACKAGE, SKILLS_PACKAGE]
        subprocess.run(["npm", "install", "--prefix", npm, "--no-audit", "--no-fund", "--silent", *packages], check=True)
    labels = [CP, SYNCED, ADD, LINK]
    if (npm / "node_modules/.bin/skills").exists():
        labels.append(NPM)
    else:
        print(f"{NPM}: not installed, left out; --install installs it", file=sys.stderr)
    scratch = options.scratch.resolve()
    scratch.mkdir(parents=True, exist_ok=True)
    bench = Bench(scratch, binary, npm, options.skills)
    try:
        sections = [install_section(bench, options.rounds, labels), verify_section(bench, options.rounds)]
    finally:
        os.chdir(REPOSITORY)
        bench.clean()
    print("\n".join([goals(sections), *(section.markdown() for section in sections)]))


if __name__ == "__main__":
    main()
