"""The goals of speed on real skills, one row each: what the program does, and what an earlier one did."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace

import agent
import measure
import others
import ours
from measure import Command, Cost
from ours import Ours
from questions import Bench, say
from table import Section, number
from trees import Tree

AGENTS = ("claude-code", "codex", "opencode", "gemini-cli")
MESSAGE = "turn my notes into the weekly report"
SIZES = (1_000, 10_000)
LARGE = 100_000
MISSING = "-"
WHY_CPU = (
    "a skill of 7.8 kB costs about a million instructions, and no step dominates: half is finding words and their stems, "
    "a fifth sorting and packing, the rest writing the record. Reading and writing files is an eighth. Less text per skill would be "
    "faster and would find less."
)
WHY_FILE = (
    "a skill takes 3.4 kB: 1.3 kB for the terms of its body (three bytes and a bit of each key, six bits and a bit of counts), 0.9 kB in the lists of "
    "postings, 0.7 kB for the filter of neighbouring terms, 0.4 kB for the terms of its head, the rest for names and the dictionary. Shorter keys would "
    "not do, because the lists are rebuilt from the records."
)
WHY_MEMORY = (
    "the catalog takes most, since every field of every skill is in memory; the lists of the index wait in a file while it is built."
)
WHY_CHECK = (
    "a third of the CPU time is the system that opens and reads 1,000 folders and files in eight calls each, and that alone is more than half of the "
    "limit; of our own instructions a fifth is YAML, a fifth the text of the findings, a seventh Markdown (callgrind)."
)
WHY_START = (
    "of the instructions a fifth unpacks the profiles of all agents and two fifths look for their folders; the rest is the catalog of the skills that "
    "come with the program and the start of the process (callgrind). A quarter of the time is a thousand calls of the system."
)


@dataclass
class Row:
    """One goal: its limit, and the figures by program, by wall and by CPU."""

    question: str
    limit: float
    unit: str
    at_least: bool = False
    why: str = ""
    """Why the limit is not reached, where that is known."""

    def text(self) -> str:
        return f"{'≥' if self.at_least else '≤'} {number(self.limit)}{self.unit}"

    def holds(self, value: float) -> bool:
        return value >= self.limit if self.at_least else value <= self.limit

    def cell(self, figures: tuple[float, ...] | None) -> str:
        if figures is None:
            return MISSING
        names = (" wall", " CPU") if len(figures) == 2 else ("",)
        return ", ".join(f"{number(value)}{self.unit}{name}" for value, name in zip(figures, names, strict=True))


def goals(bench: Bench) -> Section:
    section = Section(
        "Goals on real skills",
        "Each row is measured in one run, the programs and the floor in turns. The floor is "
        "`find SKILLS -name SKILL.md -print0 | xargs -0 cat >/dev/null`. Cold means that the cache is empty; the page cache "
        "of the system is always warm. *Before* is release 0.1.0. Memory is the peak of the resident set. The index is what the "
        "first `ask` costs beyond the second, with the catalog cached.",
        ("goal", "limit", "before", "now", "reached"),
    )
    programs = {"now": bench.ours} | ({"before": bench.before} if bench.before else {})

    def add(row: Row, figures: dict[str, tuple[float, ...] | None]) -> None:
        now = figures.get("now")
        if now is None:
            section.add(row.question, row.text(), row.cell(figures.get("before")), MISSING, "not measured")
            return
        wall, cpu = row.holds(now[0]), row.holds(now[-1])
        goal = section.goal(row.question, row.text(), row.cell(now), wall, cpu)
        section.add(row.question, goal[0], row.cell(figures.get("before")), row.cell(now), goal[1])
        say(f"{row.question}: {row.cell(now)} ({row.text()}: {goal[1]})")
        if row.why and not (wall and cpu):
            section.notes.append(f"\n*{row.question}*: {row.why}")

    _start(bench, programs, add)
    for size in SIZES:
        _lists(bench, programs, size, add)
    _check(bench, programs, add)
    if not bench.quick:
        _large(bench, programs, add)
    return section


Add = Callable[[Row, dict[str, tuple[float, ...] | None]], None]


def _costs(commands: dict[tuple[str, str], Command], count: int) -> dict[tuple[str, str], Cost | None]:
    """Runs the commands in turns; a command that an earlier program does not have is left out."""
    able: dict[tuple[str, str], Command] = {}
    for key, command in commands.items():
        try:
            measure.once(command)
            able[key] = command
        except measure.Failed:
            if key[0] != "before":
                raise
    found = dict(zip(able, measure.rounds(list(able.values()), count), strict=True))
    return {key: found.get(key) for key in commands}


def _ratios(cost: Cost | None, floor: Cost | None) -> tuple[float, ...] | None:
    return (cost.wall / floor.wall, cost.cpu / floor.cpu) if cost and floor else None


def _start(bench: Bench, programs: dict[str, Ours], add: Add) -> None:
    tree = bench.tree(0)
    say("start-up")
    commands = {(name, "version"): one.command(tree, "--version") for name, one in programs.items()}
    # Without a terminal it ends as a command that is not complete.
    commands |= {(name, "overview"): replace(one.command(tree), codes=(0, 2)) for name, one in programs.items()}
    found = _costs(commands, 2 * bench.most if bench.most else 51)
    for what, label in (("version", "`--version`"), ("overview", "overview (`skillful` alone) of an empty home")):
        figures = {name: (cost.cpu,) if (cost := found[name, what]) else None for name in programs}
        add(Row(f"{label}, CPU", 3, " ms", why=WHY_START), figures)
    size = {name: (one.binary.stat().st_size / 1e6,) for name, one in programs.items()}
    add(Row("size of the program", 30, " MB"), size)


def _lists(bench: Bench, programs: dict[str, Ours], size: int, add: Add) -> None:
    tree = bench.tree(size)
    say(f"goals at {tree.title}")
    commands: dict[tuple[str, str], Command] = {("", "floor"): ours.read_floor(tree)}
    for name, one in programs.items():
        measure.once(one.command(tree, "ask", MESSAGE))
        commands[name, "warm"] = one.command(tree, "list")
        commands[name, "ask"] = one.command(tree, "ask", MESSAGE)
        commands[name, "cold"] = one.command(tree, "list", "--no-cache")
        commands[name, "json"] = one.command(tree, "list", "--no-cache", "--json")
        for agent in AGENTS:
            commands[name, agent] = one.command(tree, "view", "--no-cache", "--agent", agent)
    found = _costs(commands, bench.rounds(size))
    floor = found["", "floor"]
    add(
        Row(f"cold `list` of {tree.title} / floor", 1.5, "×"),
        {name: _ratios(found[name, "cold"], floor) for name in programs},
    )
    add(
        Row(f"warm `list` of {tree.title} / floor", 0.8, "×"),
        {name: _ratios(found[name, "warm"], floor) for name in programs},
    )
    add(
        Row(f"`list --json` of {tree.title} / floor", 1.7, "×"),
        {name: _ratios(found[name, "json"], floor) for name in programs},
    )
    for agent in AGENTS:
        add(
            Row(f"`view --agent {agent}` of {tree.title} / cold list", 2, "×"),
            {name: _ratios(found[name, agent], found[name, "cold"]) for name in programs},
        )
    cold = {("", "floor"): ours.read_floor(tree)}
    cold |= {(name, "ask"): one.cold(tree, "ask", MESSAGE) for name, one in programs.items()}
    asked = _costs(cold, max(3, bench.rounds(size) // 3))
    add(
        Row(f"cold `ask` over {tree.title} / floor", 6, "×"),
        {name: _ratios(asked[name, "ask"], asked["", "floor"]) for name in programs},
    )
    if bench.before:
        for what, label in (("cold", "cold `list`"), ("warm", "warm `list`"), ("ask", "warm `ask`")):
            add(
                Row(f"{label} of {tree.title} / release 0.1.0, CPU", 1.1, "×"),
                {"now": _of_before(found["now", what], found["before", what])},
            )
        add(Row(f"a turn over {tree.title} / release 0.1.0, CPU", 1.1, "×"), {"now": _turn(programs, tree)})
    if size == max(SIZES):
        _memory_of_json(bench, programs, tree, add)


def _of_before(now: Cost | None, before: Cost | None) -> tuple[float, ...] | None:
    return (now.cpu / before.cpu,) if now and before else None


def _turn(programs: dict[str, Ours], tree: Tree) -> tuple[float, ...]:
    """CPU of a turn of `chat`, the least of three conversations of each program."""
    costs: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(3):
        for name, one in programs.items():
            costs[name].append(agent.turns(one.command(tree, "chat"))[1])
    return (min(costs["now"]) / min(costs["before"]),)


def _memory_of_json(bench: Bench, programs: dict[str, Ours], tree: Tree, add: Add) -> None:
    figures = {}
    for name, one in programs.items():
        answer = tree.at / "answer"
        command = one.command(tree, "list", "--no-cache", "--json")
        measure.once(command, answer)
        figures[name] = (measure.peak(command, bench.trees) * 1e6 / os.path.getsize(answer),)
    add(Row(f"memory of `list --json` of {tree.title} / its output", 3, "×"), figures)


def _check(bench: Bench, programs: dict[str, Ours], add: Add) -> None:
    row = Row("`check --profile spec` of 1,000, faster than the skills-ref loop", 40, "×", at_least=True, why=WHY_CHECK)
    if not others.has_skills_ref():
        add(row, {})
        return
    tree = bench.tree(1_000)
    say("check of 1,000")
    found = {name: Cost() for name in programs}
    whole, loop = Cost(), Cost()
    for _ in range(3 if bench.quick or bench.most else 7):
        for _ in range(3):
            for name, one in programs.items():
                found[name].add(*measure.once(one.check(tree, "--profile", "spec")))
        others.skills_ref_loop(tree, whole, loop)
    add(row, {name: (loop.wall / cost.wall, loop.cpu / cost.cpu) for name, cost in found.items()})


def _large(bench: Bench, programs: dict[str, Ours], add: Add) -> None:
    tree = bench.tree(LARGE)
    say(f"goals at {tree.title}")
    memory, built, grown, stored = {}, {}, {}, {}
    for name, one in programs.items():
        memory[name] = (measure.peak(one.cold(tree, "ask", MESSAGE), bench.trees, 1),)
        listed = measure.peak(one.cold(tree, "list"), bench.trees, 1)
        measure.once(one.command(tree, "list"))
        first = measure.once(one.command(tree, "ask", MESSAGE))
        second = measure.once(one.command(tree, "ask", MESSAGE))
        built[name] = (first[1] - second[1],)
        grown[name] = (max(0.0, memory[name][0] - listed),)
        files = (tree.home / one.cache).rglob("routes-*.idx")
        stored[name] = (sum(file.stat().st_size for file in files) / 1e6,)
    add(Row(f"memory of cold `ask` over {tree.title}", 600, " MB", why=WHY_MEMORY), memory)
    add(Row(f"index of {tree.title}, CPU", 12, " s", why=WHY_CPU), built)
    add(Row(f"index of {tree.title}, memory beyond that of `list`", 300, " MB"), grown)
    add(Row(f"index of {tree.title}, its file", 300, " MB", why=WHY_FILE), stored)
