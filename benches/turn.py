"""The turn: what `ask` costs beside `list`, and composing once everything is warm."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import measure
from peers import REPOSITORY
from questions import TIMES, Bench, say
from table import Section, costs, number, times

MESSAGE = "turn my notes into the weekly report"


def ask(bench: Bench) -> Section:
    section = Section(
        "8. The turn",
        "`skillful ask` beside `skillful list`, both warm, in turns; below, composing inside one process: selection, "
        "ranking by the router and writing of the menu, with catalog and index open (least of 101 runs).",
        ("skills", "command", *TIMES, "× `list` (wall)", "× `list` (CPU)", "goal", "reached"),
    )
    example = _example()
    for size in [size for size in bench.sizes if 1_000 <= size <= 10_000]:
        tree = bench.tree(size)
        say(f"ask over {tree.title}")
        bench.ours.warm_up(tree)
        commands = [
            bench.ours.command(tree, "list"),
            bench.ours.command(tree, "ask", MESSAGE),
            bench.ours.command(tree, "ask", MESSAGE, "--json"),
            bench.ours.command(tree, "search", "weekly report"),
        ]
        measure.rounds(commands, 1)
        found = measure.rounds(commands, bench.rounds(size))
        for command, cost in zip(commands, found, strict=True):
            wall, cpu = cost.wall / found[0].wall, cost.cpu / found[0].cpu
            goal = ("", "")
            if size == 1_000 and command is commands[1]:
                goal = section.goal("ask over 1,000", "≤ 2×", times(wall, cpu), wall <= 2, cpu <= 2)
            section.add(tree.title, command.label, *costs(cost), number(wall), number(cpu), *goal)
        inside = json.loads(
            subprocess.run(
                [example, tree.home, tree.work, MESSAGE], capture_output=True, text=True, check=True
            ).stdout
        )
        least = inside["compose"]["least"]
        goal = ("", "")
        if size == 1_000:
            measured = f"{number(least)} ms"
            goal = section.goal("composing over 1,000", "≤ 3 ms", measured, least <= 3, least <= 3)
        median = number(inside["compose"]["median"])
        section.add(tree.title, "composing, in one process", median, number(least), "", "", "", *goal)
        section.add(tree.title, "opening the index again", "", number(inside["index"]), "", "", "")
    return section


def _example() -> Path:
    subprocess.run(
        ["cargo", "build", "--release", "-p", "skillful-runtime", "--example", "turn"], cwd=REPOSITORY, check=True
    )
    target = os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target")
    return Path(target).resolve() / "release" / "examples" / "turn"
