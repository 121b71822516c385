#!/usr/bin/env python3
"""Real skills: ask Claude Code and `skillful` about folders from a corpus.

    python3 tests/peers/corpus.py --corpus FOLDER [--skills N] [--seed N] [--peer claude] [--binary PATH]

takes N folders with a SKILL.md below FOLDER (or out of a .tar.xz) at random, each under its own folder name, and
compares name, second name and description of every skill in the menu of the program.
"""

from __future__ import annotations

import argparse
import random
import sys
import tarfile
from pathlib import Path

import cases_discovery
import compare
import install
import ours
import viewers
from answers import View
from fixtures import AGENTS, Case, World, git

# Skills in one world.
BATCH = 1000


def skills(corpus: Path) -> list[tuple[str, bytes]]:
    """Folder name and text of every SKILL.md, in a fixed order."""
    if corpus.is_dir():
        files = sorted(corpus.rglob("SKILL.md"))
        return [(file.parent.name, file.read_bytes()) for file in files]
    with tarfile.open(corpus) as archive:
        members = sorted((m for m in archive if m.isfile() and m.name.endswith("/SKILL.md")), key=lambda m: m.name)
        return [(Path(m.name).parent.name, archive.extractfile(m).read()) for m in members]


def worlds(chosen: list[tuple[str, bytes]]) -> list[World]:
    """Each folder name once in a world."""
    batches: list[dict[str, bytes]] = []
    for name, text in chosen:
        for batch in batches:
            if name not in batch and len(batch) < BATCH:
                batch[name] = text
                break
        else:
            batches.append({name: text})
    return [
        World(f"corpus-{at}", "real skills", tuple(
            Case(name, "a real skill", {f"{AGENTS}/{name}/SKILL.md": text}) for name, text in batch.items()
        ), files=git(), foreign=True)
        for at, batch in enumerate(batches)
    ]


def without_luck(theirs: View, ours: View) -> None:
    """Takes the names out that both list and take from another of several files."""
    places = [{seen.name: seen.path for seen in view.seen} for view in (theirs, ours)]
    luck = {name for name in places[0].keys() & places[1].keys() if places[0][name] != places[1][name]}
    for view in (theirs, ours):
        view.seen = [seen for seen in view.seen if seen.name not in luck]
    print(f"{len(luck)} names of several skills, of which the program takes any")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--skills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--peer", choices=tuple(viewers.VIEWERS), default="claude")
    parser.add_argument("--binary", type=Path)
    options = parser.parse_args()
    program = options.binary or ours.binary()
    if program is None:
        raise SystemExit("no built skillful: run cargo build")
    install.ensure()
    import run

    found = skills(options.corpus)
    chosen = random.Random(options.seed).sample(found, min(options.skills, len(found)))
    made = [world.for_peer(options.peer) for world in worlds(chosen)]
    theirs = run.ask(options.peer, made, viewers.VIEWERS[options.peer])
    mine = run.ask("skillful", made, lambda world, at: ours.view(program.resolve(), options.peer, world, at))
    if options.peer in cases_discovery.LUCK:
        for world in made:
            without_luck(theirs[world.name], mine[world.name])
    outcomes = [o for world in made for o in compare.views(options.peer, world, theirs[world.name], mine[world.name])]
    different = [outcome for outcome in outcomes if outcome.difference]
    for outcome in different:
        print(f"{outcome.world}/{outcome.case}: {outcome.difference}")
    print(f"{len(chosen)} real skills, {sum(len(view.seen) for view in theirs.values())} in the menu, {len(different)} differ")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
