#!/usr/bin/env python3
"""Real skills: ask Claude Code and `skillful` about folders from a corpus.

    python3 tests/peers/corpus.py --corpus FOLDER [--skills N] [--seed N] [--peer claude] [--binary PATH]

takes N folders with a SKILL.md below FOLDER (or out of a .tar.xz) at random, each under its own folder name, and
compares name, second name and description of every skill in the menu of the program. Of a name that several of these skills
have some programs keep any, and some name no files: such names are compared, and not which file each of them is.
"""

from __future__ import annotations

import argparse
import collections
import random
import re
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


# Programs whose menu names no files.
NO_FILES = ("qwen", "continue")
# Of these the menu has every skill of a name; the others keep one, the first in the order of the disk.
LISTS_ALL = ("continue",)
NAME = re.compile(r"^name:[ \t]*[\"']?(.*?)[\"']?[ \t]*$", re.MULTILINE)


def shared_names(world: World) -> set[str]:
    """The names that several skills of a world have."""
    texts = [text for case in world.cases for text in case.files.values() if isinstance(text, bytes)]
    written = [NAME.search(text.decode("utf-8", "replace").replace("\r\n", "\n")) for text in texts]
    counts = collections.Counter(found[1] for found in written if found)
    return {name for name, count in counts.items() if count > 1}


def without_shared(peer: str, world: World, theirs: View, ours: View) -> list[str]:
    """Takes the names of several skills out of both views; returns those that the views list differently, whichever file is meant."""
    shared = shared_names(world)

    def listed(view: View) -> collections.Counter:
        own = [seen for seen in view.seen if seen.name in shared]
        return collections.Counter((seen.name, seen.description if peer in LISTS_ALL else "") for seen in own)

    counts = listed(theirs), listed(ours)
    for view in (theirs, ours):
        view.seen = [seen for seen in view.seen if seen.name not in shared]
    print(f"{len({name for name, _ in counts[0]})} names of several skills, compared without their files")
    uneven = [one for one in counts[0].keys() | counts[1].keys() if counts[0][one] != counts[1][one]]
    return [f"{one[0]}: {counts[0][one]} and {counts[1][one]} times" for one in sorted(uneven)]


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
    listed = sum(len(view.seen) for view in theirs.values())
    uneven: list[str] = []
    if options.peer in cases_discovery.LUCK or options.peer in NO_FILES:
        for world in made:
            uneven += without_shared(options.peer, world, theirs[world.name], mine[world.name])
    outcomes = [o for world in made for o in compare.views(options.peer, world, theirs[world.name], mine[world.name])]
    different = [outcome for outcome in outcomes if outcome.difference]
    for outcome in different:
        print(f"{outcome.world}/{outcome.case}: {outcome.difference}")
    for line in uneven:
        print(f"shared name {line}")
    print(f"{len(chosen)} real skills, {listed} in the menu, {len(different) + len(uneven)} differ")
    return 1 if different or uneven else 0


if __name__ == "__main__":
    sys.exit(main())
