"""The questions, each with how it is measured and the goal it has."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path

import measure
import others
import ours
from measure import Command, Cost
from ours import Ours
from table import NOT_INSTALLED, Section, costs, number, times
from trees import FLAT, GROUPED, Tree, ensure

TIMES = ("wall ms", "least", "CPU ms")


@dataclass
class Bench:
    """What all questions share."""

    ours: Ours
    trees: Path
    quick: bool
    before: Ours | None = None
    """An earlier program to compare with."""
    most: int | None = None
    """The most rounds, for a machine that is needed for other things."""
    lists: dict[tuple[str, int], dict[str, Cost]] = field(default_factory=dict)
    """Costs by tree and command: measured once, together, for every question that needs them."""
    made: dict[tuple[str, int], Tree] = field(default_factory=dict)

    def tree(self, size: int, shape: str = FLAT) -> Tree:
        # Once a run: it also clears the home of what earlier runs left there.
        if (shape, size) not in self.made:
            self.made[shape, size] = ensure(self.trees, shape, size)
        return self.made[shape, size]

    @property
    def sizes(self) -> list[int]:
        return [100, 1_000, 10_000] + ([] if self.quick else [100_000])

    def rounds(self, size: int) -> int:
        full = 25 if size <= 1_000 else 11 if size <= 10_000 else 5
        count = max(3, full // 3) if self.quick else full
        return min(count, self.most) if self.most else count

    def busy(self) -> str:
        """How far the machine was from quiet: what a process that never waits had to wait."""
        cost = self.lists.get((FLAT, 1_000), {}).get("tight")
        if cost is None:
            return ""
        share = cost.wall / cost.cpu
        advice = "wall times can be trusted" if share < 1.5 else "the machine was busy; trust CPU before wall"
        return f"A process that never waits took {number(share)}× its CPU time: {advice}."

    def list_costs(self, size: int, shape: str = FLAT) -> dict[str, Cost]:
        """Floors and lists of one tree, cold and warm, in turns."""
        key = (shape, size)
        if key not in self.lists:
            tree = self.tree(size, shape)
            say(f"list of {tree.title}")
            self.ours.refuse_unless_complete(tree, "--no-cache")
            self.ours.warm_up(tree)
            commands = {
                "read": ours.read_floor(tree),
                "find": ours.find_floor(tree),
                "stat": ours.stat_floor(tree),
                "tight": self.ours.tight_stat(tree),
                "cold": self.ours.command(tree, "list", "--no-cache"),
                "cold json": self.ours.command(tree, "list", "--no-cache", "--json"),
                "warm": self.ours.command(tree, "list"),
                "warm json": self.ours.command(tree, "list", "--json"),
            }
            present = {name: command for name, command in commands.items() if command}
            found = measure.rounds(list(present.values()), self.rounds(size))
            self.lists[key] = dict(zip(present, found, strict=True))
        return self.lists[key]


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def start_up(bench: Bench) -> Section:
    section = Section(
        "1. Start-up",
        "Each command in an empty home and an empty repository, in turns; `true` is what starting any process costs.",
        ("command", *TIMES, "× `skillful --version` (CPU)", "goal", "reached"),
    )
    tree = bench.tree(0)
    say("start-up")
    mine = [bench.ours.command(tree, "--version"), bench.ours.command(tree, "list")]
    env = ours.environment(tree)
    small = [Command(f"`{' '.join(argv)}`", argv, env, tree.work) for argv in (["true"], ["git", "--version"])]
    cheap = measure.rounds(small + mine, bench.rounds(100))
    for command, cost in zip(small + mine, cheap, strict=True):
        goal = ("", "")
        if command in mine:
            measured = f"{number(cost.wall)} ms wall, {number(cost.cpu)} ms CPU"
            goal = section.goal(command.label, "≤ 10 ms", measured, cost.wall <= 10, cost.cpu <= 10)
        section.add(command.label, *costs(cost), number(cost.cpu / cheap[2].cpu), *goal)
    slow = [other.version_command(tree) for other in others.listing() if other.installed]
    slow += [others.codex_version_command(tree)] if others.has_codex() else []
    for command, cost in zip(slow, measure.rounds(slow, 3 if bench.quick else 5), strict=True):
        section.add(command.label, *costs(cost), number(cost.cpu / cheap[2].cpu))
    for other in others.listing():
        if not other.installed:
            section.add(f"`{other.name} --version`", NOT_INSTALLED)
    return section


def _shapes(bench: Bench) -> list[tuple[str, int]]:
    return [(FLAT, size) for size in bench.sizes] + [(GROUPED, 1_000), (GROUPED, 10_000)]


def cold(bench: Bench) -> Section:
    section = Section(
        "2. Cold list",
        "`skillful list --no-cache` beside the floor `find SKILLS -name SKILL.md -print0 | xargs -0 cat >/dev/null`, "
        "in turns. The page cache is warm for both; cold means that nothing is remembered from an earlier run.",
        ("skills", "command", *TIMES, "× floor (wall)", "× floor (CPU)", "goal", "reached"),
    )
    for shape, size in _shapes(bench):
        found = bench.list_costs(size, shape)
        title = bench.tree(size, shape).title
        floor = found["read"]
        section.add(title, "floor", *costs(floor), "1", "1")
        for name, label in (("cold", "`list --no-cache`"), ("cold json", "`list --no-cache --json`")):
            cost = found[name]
            wall, cpu = cost.wall / floor.wall, cost.cpu / floor.cpu
            goal = ("", "")
            if name == "cold" and size in (1_000, 10_000):
                question = f"cold list of {title} / reading the files"
                goal = section.goal(question, "≤ 1.5×", times(wall, cpu), wall <= 1.5, cpu <= 1.5)
            section.add(title, label, *costs(cost), number(wall), number(cpu), *goal)
    return section


def warm(bench: Bench) -> Section:
    section = Section(
        "3. Warm list",
        "`skillful list` with its cache, which compares every skill folder and SKILL.md with what it remembers, beside "
        "three ways to stat: `find SKILLS -name SKILL.md -printf '%T@ %s\\n'` (walks, stats the files), "
        "`xargs -0 stat --format=%Y` over a prepared list of each folder and file (stats both, prints), and a "
        "compiled loop that stats the same list and does nothing else (`stat_floor.rs`; the least possible). In turns.",
        ("skills", "command", *TIMES, "× `find` (wall, CPU)", "× `stat` (wall, CPU)", "× loop (wall, CPU)"),
    )
    floors = (("find", "`find -printf`"), ("stat", "`xargs stat`"), ("tight", "loop"))
    for shape, size in _shapes(bench):
        found = bench.list_costs(size, shape)
        title = bench.tree(size, shape).title
        for name, label in floors:
            section.add(title, label, *(costs(found[name]) if name in found else (NOT_INSTALLED,)))
        for name, label in (("warm", "`list`"), ("warm json", "`list --json`")):
            cost = found[name]
            cells: list[str] = []
            for floor, floor_label in floors:
                if floor not in found:
                    cells.append("")
                    continue
                wall, cpu = cost.wall / found[floor].wall, cost.cpu / found[floor].cpu
                cells.append(f"{number(wall)}, {number(cpu)}")
                if name == "warm" and size in (1_000, 10_000):
                    question = f"warm list of {title} / {floor_label}"
                    section.goal(question, "≤ 1.2×", times(wall, cpu), wall <= 1.2, cpu <= 1.2)
            section.add(title, label, *costs(cost), *cells)
    return section


def growth(bench: Bench) -> Section:
    section = Section(
        "4. Growth",
        "CPU µs per skill, after taking away what `skillful list` costs with no skills at all (for the floor: "
        "nothing). Linear growth is a flat row; the floor's row shows what the kernel alone adds.",
        ("", *(f"{size:,}" for size in bench.sizes if size > 100), "largest / 1,000", "goal", "reached"),
    )
    sizes = [size for size in bench.sizes if size > 100]
    empty = measure.rounds([bench.ours.command(bench.tree(0), "list", "--no-cache")], bench.rounds(100))[0].cpu
    rows = (("floor: find + cat", "read", 0.0), ("`list --no-cache`", "cold", empty), ("`list`", "warm", empty))
    for label, name, fixed in rows:
        each = [(bench.list_costs(size)[name].cpu - fixed) * 1000 / size for size in sizes]
        ratio = each[-1] / each[0]
        goal = ("", "")
        if name != "read":
            question = f"growth of {label} from {sizes[0]:,} to {sizes[-1]:,}"
            goal = section.goal(question, "≤ 1.25× per skill", f"{number(ratio)}× CPU", ratio <= 1.25, ratio <= 1.25)
        section.add(label, *map(number, each), number(ratio), *goal)
    return section


def memory(bench: Bench) -> Section:
    section = Section(
        "5. Peak memory",
        "Peak resident set in MB, the least of three runs. A process inherits the peak of its parent, here a bare "
        "interpreter: nothing below the first row can be seen.",
        ("skills", "MB cold", "MB warm", "MB cold `--json`", "goal", "reached"),
    )
    empty = bench.tree(0)
    scratch = bench.trees
    nothing = measure.peak(Command("true", ["true"], ours.environment(empty), empty.work), scratch)
    section.add("(`true`)", number(nothing))
    for size in [0, *bench.sizes]:
        tree = bench.tree(size)
        say(f"memory at {tree.title}")
        measure.once(bench.ours.command(tree, "list"))
        arguments = (("list", "--no-cache"), ("list",), ("list", "--no-cache", "--json"))
        peaks = [measure.peak(bench.ours.command(tree, *each), scratch) for each in arguments]
        goal = ("", "")
        if size == 1_000:
            most = max(peaks)
            goal = section.goal("memory of list at 1,000", "≤ 30 MB", f"{number(most)} MB", most <= 30, most <= 30)
        section.add(tree.title, *map(number, peaks), *goal)
    return section
