"""Compares the CPU time of two builds of `skillful`, alternating, over one home of generated skills.

    python3 benches/versions.py OLD NEW [--skills 1000] [--rounds 15]

Prints one row for each question: the least user and system time of both, and the ratio. A row of the floor, `find` and
`cat` of every SKILL.md, stands beside the cold list.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import resource
import subprocess
import tempfile

WORDS = "report invoice deploy review translate summarise table chart release migrate audit schedule".split()


def home(folder: pathlib.Path, skills: int) -> None:
    for number in range(skills):
        word = WORDS[number % len(WORDS)]
        place = folder / ".agents" / "skills" / f"{word}-{number}"
        place.mkdir(parents=True)
        body = "\n".join(f"{line}. Look at the {word} and write down what changed in part {line}." for line in range(40))
        (place / "SKILL.md").write_text(
            f"---\nname: {word}-{number}\ndescription: Use this to {word} the papers of project {number}; it knows tables "
            f"and dates.\n---\n# {word.title()}\n\n{body}\n"
        )


def cpu(command: list[str], folder: pathlib.Path, extra: dict[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {"HOME": str(folder), "PATH": os.environ["PATH"], **extra}
    work = folder / "work"
    work.mkdir(exist_ok=True)
    done = subprocess.run(command, cwd=work, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{command} failed: {done.stderr.decode()}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--skills", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    questions = {
        "start-up": ["--version"],
        "list, cold": ["--no-cache", "list"],
        "list --json, cold": ["--no-cache", "list", "--json"],
        "list, warm": ["list"],
        "list --json, warm": ["list", "--json"],
        "ask": ["ask", "deploy the release notes"],
    }
    with tempfile.TemporaryDirectory() as base:
        homes = {}
        for name, program in (("old", options.old), ("new", options.new)):
            homes[name] = pathlib.Path(base) / name
            homes[name].mkdir()
            home(homes[name], options.skills)
            for line in (["list"], ["ask", "deploy"]):
                cpu([program, *line], homes[name], {})
        floor = ["sh", "-c", f"find {homes['new']}/.agents/skills -name SKILL.md -print0 | xargs -0 cat"]
        least_floor = min(cpu(floor, homes["new"], {}) for _ in range(options.rounds))
        print(f"floor (find, cat): {least_floor:.1f} ms CPU")
        print(f"{'question':20} {'old ms':>8} {'new ms':>8} {'new/old':>8} {'new/floor':>10}")
        for title, line in questions.items():
            old, new = [], []
            for _ in range(options.rounds):
                old.append(cpu([options.old, *line], homes["old"], {}))
                new.append(cpu([options.new, *line], homes["new"], {}))
            a, b = min(old), min(new)
            print(f"{title:20} {a:8.1f} {b:8.1f} {b / a:8.2f} {b / least_floor:10.2f}")


if __name__ == "__main__":
    main()
