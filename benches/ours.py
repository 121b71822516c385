"""Our own commands and the floors under them, for one tree."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

import measure
from measure import Command
from trees import Tree


@dataclass(frozen=True)
class Ours:
    """The program under test, and the small one that only stats."""

    binary: Path
    stat_floor: Path | None
    cache: str = ".cache"
    """The folder of its cache in the home: two programs that take turns do not spoil each other's."""

    def environment(self, tree: Tree) -> dict[str, str]:
        return environment(tree) | {"XDG_CACHE_HOME": str(tree.home / self.cache)}

    def command(self, tree: Tree, *arguments: str) -> Command:
        label = f"`skillful {' '.join(arguments)}`"
        return Command(label, [self.binary, *arguments], self.environment(tree), tree.work)

    def cold(self, tree: Tree, *arguments: str) -> Command:
        """The same with an empty cache before each run."""
        return replace(self.command(tree, *arguments), without=tree.home / self.cache)

    def check(self, tree: Tree, *arguments: str) -> Command:
        label = " ".join(("check", *arguments, "SKILLS"))
        return Command(
            f"`skillful {label}`",
            [self.binary, "check", *arguments, tree.skills],
            self.environment(tree),
            tree.work,
            # Real skills have findings.
            codes=(0, 1),
        )

    def refuse_unless_complete(self, tree: Tree, *arguments: str) -> None:
        answer = tree.at / "answer"
        measure.once(self.command(tree, "list", "--json", "--scope", "user", *arguments), answer)
        found = len(json.loads(answer.read_text())["skills"])
        if found != tree.size:
            raise measure.Failed(f"skillful lists {found} of {tree.size} skills")

    def warm_up(self, tree: Tree) -> None:
        """Fill the cache, and make sure that it is there."""
        measure.once(self.command(tree, "list"))
        self.refuse_unless_complete(tree)
        if not any((tree.home / self.cache / "skillful").glob("root-*")):
            raise measure.Failed("`skillful list` left no cache")

    def tight_stat(self, tree: Tree) -> Command | None:
        if self.stat_floor is None:
            return None
        return Command("`stat` alone, in a loop", [self.stat_floor], environment(tree), tree.work, stdin=tree.validated)


def environment(tree: Tree) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "NO_COLOR": "1", "HOME": str(tree.home)}


def _shell(label: str, tree: Tree, script: str) -> Command:
    env = environment(tree) | {"ROOT": str(tree.skills), "LIST": str(tree.validated)}
    return Command(label, ["sh", "-c", script], env, tree.work)


def read_floor(tree: Tree) -> Command:
    return _shell("find + cat", tree, 'find "$ROOT" -name SKILL.md -print0 | xargs -0 cat >/dev/null')


def find_floor(tree: Tree) -> Command:
    return _shell("find -printf", tree, "find \"$ROOT\" -name SKILL.md -printf '%T@ %s\\n' >/dev/null")


def stat_floor(tree: Tree) -> Command:
    return _shell("xargs stat", tree, 'xargs -0 stat --format=%Y <"$LIST" >/dev/null')


def compile_stat_floor(source: Path, target: Path) -> Path | None:
    """The tightest floor needs a compiler; without one the others remain."""
    if shutil.which("rustc") is None:
        return None
    if not target.exists() or target.stat().st_mtime < source.stat().st_mtime:
        subprocess.run(["rustc", "-O", "--edition", "2024", "-o", target, source], check=True)
    return target
