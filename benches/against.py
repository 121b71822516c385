"""The questions in which other programs take part: checking, and listing."""

from __future__ import annotations

import measure
import others
from measure import Cost
from questions import TIMES, Bench, say
from table import NOT_INSTALLED, Section, costs, number

FASTER = 50


def check(bench: Bench) -> Section:
    section = Section(
        "6. Check of 1,000",
        "`skillful check` of a folder of 1,000 skills beside the reference library, whose `validate` is called for "
        "each folder in one Python process: the whole process, and the loop alone as its own clocks see it (without "
        "the interpreter's start and the imports). In turns.",
        ("command", *TIMES, "× faster than the loop (wall)", "(CPU)", "goal", "reached"),
    )
    tree = bench.tree(1_000)
    say("check of 1,000")
    mine = [bench.ours.check(tree), bench.ours.check(tree, "--profile", "spec"), bench.ours.check(tree, "--json")]
    found = [Cost() for _ in mine]
    whole, loop = Cost(), Cost()
    for _ in range(3 if bench.quick else 7):
        for _ in range(3):
            for command, cost in zip(mine, found, strict=True):
                cost.add(*measure.once(command))
        if others.has_skills_ref():
            others.skills_ref_loop(tree, whole, loop)
    if not others.has_skills_ref():
        for command, cost in zip(mine, found, strict=True):
            section.add(command.label, *costs(cost))
        section.add("skills-ref", NOT_INSTALLED)
        return section
    for command, cost in zip(mine, found, strict=True):
        wall, cpu = loop.wall / cost.wall, loop.cpu / cost.cpu
        measured = f"{number(wall)}× wall, {number(cpu)}× CPU"
        goal = section.goal(command.label, f"≥ {FASTER}× faster", measured, wall >= FASTER, cpu >= FASTER)
        section.add(command.label, *costs(cost), number(wall), number(cpu), *goal)
    section.add("skills-ref: the loop alone", *costs(loop), "1", "1")
    section.add("skills-ref: the process", *costs(whole), number(loop.wall / whole.wall), number(loop.cpu / whole.cpu))
    return section


def lists(bench: Bench) -> Section:
    section = Section(
        "7. Lists of others",
        "Every program's own way to list the same skills of the same home; each was first seen to list all of them. "
        "Codex has no list command: its app server is started and asked over JSON-RPC, after the turns of the others, "
        "so the server's start is a row of its own (CPU there in steps of 10 ms). The last columns say how many times the cost of a cold "
        "`skillful list --no-cache --json` that is.",
        ("skills", "command", *TIMES, "peak MB", "× ours (wall)", "× ours (CPU)"),
    )
    count = 3 if bench.quick else 5
    for size in (100, 1_000):
        tree = bench.tree(size)
        say(f"others' list of {tree.title}")
        cold = bench.ours.command(tree, "list", "--no-cache", "--json")
        warm = bench.ours.command(tree, "list", "--json")
        present, absent, failed = [], [], []
        for other in others.listing():
            if not other.installed:
                absent.append(other.name)
                continue
            try:
                other.refuse_unless_complete(tree)
                present.append(other.list_command(tree))
            except (measure.Failed, ValueError) as error:
                failed.append((other.name, str(error)))
        commands = [cold, warm, *present]
        found = measure.rounds(commands, count)
        base = found[0]

        def add(label: str, cost: Cost, peak: float | None, base: Cost = base, title: str = tree.title) -> None:
            ratios = number(cost.wall / base.wall), number(cost.cpu / base.cpu)
            section.add(title, label, *costs(cost), "" if peak is None else number(peak), *ratios)

        for command, cost in zip(commands, found, strict=True):
            add(command.label, cost, measure.peak(command, bench.trees, 1))
        if others.has_codex():
            try:
                codex = others.codex(tree, count)
            except measure.Failed as error:
                failed.append(("codex", str(error)))
            else:
                add("`codex app-server`, start until it answers", codex.start, None)
                add("`codex` `skills/list`, first", codex.first, codex.peak)
                add("`codex` `skills/list`, forced reload", codex.reload, codex.peak)
                add("`codex` `skills/list`, from memory", codex.cached, codex.peak)
        else:
            absent.append("codex")
        for name in absent:
            section.add(tree.title, name, NOT_INSTALLED)
        for name, reason in failed:
            section.add(tree.title, name, f"not comparable: {reason}")
    return section
