"""Trees of skills to list: made once, of real skills where there are some.

The flat trees hold the public skills of `../shared/corpus/`, as their authors
wrote them. A tree of more skills than there are repeats them under other names
and with other words. Where the corpus is missing, and in the grouped trees,
skills are generated, the same on every machine.

A tree has the shape the peers' drivers expect: `home` with the skills in
`.agents/skills` (the user's scope, so nobody asks about trust) and `work`, an
empty repository to stand in.  Every skill has a SKILL.md of about 3.5 KB and
one reference, names no missing file and breaks no rule, so that `check` has
nothing to print. That is of the generated ones; real skills break rules.
"""

from __future__ import annotations

import functools
import os
import random
import re
import shutil
import sys
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from peers import REPOSITORY, fixtures

# Another number makes every tree anew.
VERSION = 2
SKILL_BYTES = 3500
FLAT, GROUPED, REAL = "flat", "grouped", "real"
# Beside the repository, or beside the folder of its worktrees.
CORPORA = [above / "shared" / "corpus" / "skills-10k.tar.xz" for above in list(REPOSITORY.parents)[:2]]
_TOPICS = "audit chart deploy draft export index merge migrate plan query render review route score sync trace".split()
_WORDS = (
    "the a each every result file table record branch module report figure margin column script test change "
    "before after while until unless where writes reads keeps finds moves checks compares lists names counts "
    "carefully once twice never always first last small large plain safe old new open closed"
).split()


@dataclass(frozen=True)
class Tree:
    """One generated tree."""

    shape: str
    size: int
    at: Path

    @property
    def home(self) -> Path:
        return self.at / fixtures.HOME

    @property
    def work(self) -> Path:
        return self.at / fixtures.PROJECT

    @property
    def skills(self) -> Path:
        return self.home / ".agents" / "skills"

    @property
    def validated(self) -> Path:
        """A list of all that a cache must compare: each skill's folder and its SKILL.md, ended by NUL."""
        return self.at / "validated"

    @property
    def title(self) -> str:
        return f"{self.size:,}" + (f" ({self.shape})" if self.shape == GROUPED else "")

    def forget(self) -> None:
        """Remove what programs left in the home, so that every run begins with the same one."""
        for entry in self.home.iterdir():
            if entry.name != ".agents":
                shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()


def corpus() -> Path | None:
    """The archive of real skills, if there is one."""
    return next((path for path in CORPORA if path.is_file()), None)


def origin() -> str:
    """Which skills are measured."""
    if corpus() is None:
        return "The skills are generated: the corpus of real ones is not here."
    return "The skills are real ones, from the corpus; more than 10,000 are the same under other names and with other words."


def ensure(below: Path, shape: str, size: int) -> Tree:
    """The tree of that shape and size, made if it is not there or not whole."""
    if shape == FLAT and corpus() is not None and size > 0:
        shape = REAL
    tree = Tree(shape, size, (below / f"{shape}-{size}").resolve())
    stamp = tree.at / "generated"
    if stamp.exists() and stamp.read_text() == f"{VERSION}\n":
        tree.forget()
        return tree
    print(f"making {tree.title} skills", file=sys.stderr, flush=True)
    if tree.at.exists():
        shutil.rmtree(tree.at)
    world = fixtures.World(tree.at.name, "skills to list", (), files=fixtures.git())
    fixtures.build(world, tree.at)
    paths: list[bytes] = []
    for folder, text, reference in _skills(shape, size):
        path = tree.skills / folder
        path.mkdir(parents=True)
        (path / "SKILL.md").write_bytes(text)
        if reference:
            (path / "references").mkdir()
            (path / "references" / "guide.md").write_text(reference)
        paths += [os.fsencode(path), os.fsencode(path / "SKILL.md")]
    tree.validated.write_bytes(b"".join(path + b"\0" for path in paths))
    stamp.write_text(f"{VERSION}\n")
    return tree


@functools.cache
def _corpus() -> list[tuple[str, bytes]]:
    """Folder and SKILL.md of every real skill, in the order of their paths."""
    path = corpus()
    assert path is not None
    with tarfile.open(path) as archive:
        files = [member for member in archive if member.isfile() and member.name.endswith("/SKILL.md")]
        found = {member.name: archive.extractfile(member).read() for member in files}
    return [(PurePosixPath(name).parent.name, found[name]) for name in sorted(found)]


def _real(size: int) -> Iterator[tuple[str, bytes, str]]:
    skills = _corpus()
    taken: set[str] = set()
    for number in range(size):
        folder, text = skills[number % len(skills)]
        again = number // len(skills)
        if again:
            folder = f"{folder}-{again}"
            text = re.sub(rb"(?m)^(name:[ \t]*[\w-]+)", rb"\1-%d" % again, text, count=1)
            chance = random.Random(number)
            words = ("".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randrange(4, 10))) for _ in range(12))
            text += ("\n" + " ".join(words) + "\n").encode()
        if folder in taken:
            folder = f"{folder}-{number}"
        taken.add(folder)
        yield folder, text, ""


def _skills(shape: str, size: int) -> Iterator[tuple[str, bytes, str]]:
    """Folder, SKILL.md and reference of every skill; an empty reference is not written."""
    if shape == REAL:
        yield from _real(size)
        return
    for number in range(size):
        # Seeded by its number: a skill is the same in every tree.
        chance = random.Random(number)
        topic = _TOPICS[number % len(_TOPICS)]
        name = f"{topic}-{number:06}"
        folder = name if shape == FLAT else f"area-{number % 10}/topic-{number // 10 % 10}/{name}"
        yield folder, _skill(name, topic, chance).encode(), f"# Guide to {name}\n\n{_prose(chance, 400)}\n"


def _skill(name: str, topic: str, chance: random.Random) -> str:
    description = f"Helps to {topic} part {name[-6:]}. Use it when {_prose(chance, 90, end='')}."
    text = (
        f"---\nname: {name}\ndescription: {description}\nlicense: MIT\n"
        f'metadata:\n  author: bench\n  version: "1.{chance.randrange(20)}"\n---\n\n'
        f"# {topic.capitalize()}\n\nRead [the guide](references/guide.md) first.\n"
    )
    for step in range(1, 8):
        text += f"\n## Step {step}\n\n{_prose(chance, 260)}\n\n- `{topic} --part {step}`\n- {_prose(chance, 80)}\n"
    return text + f"\n## After\n\n{_prose(chance, SKILL_BYTES - len(text))}\n"


def _prose(chance: random.Random, length: int, end: str = ".") -> str:
    """About that many bytes of words."""
    return " ".join(chance.choices(_WORDS, k=max(8, round(length / 5.9)))) + end
