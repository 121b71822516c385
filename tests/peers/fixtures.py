"""What a fixture is, and how it becomes files.

A *world* is a home folder, a project folder and a working directory: all that
a program looks at when it lists skills.  A *case* is one question asked inside
a world.  Cases share a world as long as none can disturb another; a case that
could (a link cycle, a configuration file) gets a world of its own.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

PROJECT = "work"
HOME = "home"
AGENTS = f"{PROJECT}/.agents/skills"
VIEWERS = ("codex", "opencode", "gemini", "claude", "qwen", "pi", "copilot", "kilo", "kimi", "continue", "goose", "vibe")
ROOTS = {"claude": ".claude/skills", "continue": ".claude/skills"}
"""Where a program reads the skills that the fixtures put into `.agents/skills`, if it does not read that folder."""


@dataclass(frozen=True)
class Link:
    """A symbolic link; the target is written as given."""

    target: str


Files = Mapping[str, "str | bytes | Link"]


@dataclass(frozen=True)
class Case:
    name: str
    why: str
    files: Files
    spec: str | None = None
    """The folder to hand to skills-ref, or nothing if the case is about discovery."""
    any_of: frozenset[str] = frozenset()
    """Peers that pick one of several files at random: only names are compared."""

    def owns(self, path: str) -> bool:
        """Whether a path that a program reports is, or lies below, one of the case's own."""
        return path in self.files or any(str(parent) in self.files for parent in PurePosixPath(path).parents)


@dataclass(frozen=True)
class World:
    name: str
    why: str
    cases: tuple[Case, ...]
    files: Files = field(default_factory=dict)
    cwd: str = PROJECT
    peers: tuple[str, ...] = VIEWERS
    trusted: bool = True
    env: Mapping[str, str] = field(default_factory=dict)
    """Further variables, for the program and for us."""
    refuses: bool = False
    """Whether the program refuses to start here, and so offers nothing."""
    foreign: bool = False
    """Whether the skills are not ours: they are listed, and never loaded."""
    menu: bool = False
    """Whether the question is what the program shows to its model, and not what it lists for its user."""
    own_roots: bool = False
    """Whether the question is which folders are roots, so that nothing may be moved for a program."""

    def for_peer(self, peer: str) -> World:
        """The same world with its skills where that program reads them."""
        root = ROOTS.get(peer)
        if root is None or self.own_roots:
            return self

        def target(content: str | bytes | Link) -> str | bytes | Link:
            return Link(content.target.replace(".agents/skills", root)) if isinstance(content, Link) else content

        def all_of(files: Files) -> Files:
            return {path.replace(".agents/skills", root): target(content) for path, content in files.items()}

        cases = tuple(
            replace(case, files=all_of(case.files), spec=case.spec and case.spec.replace(".agents/skills", root))
            for case in self.cases
        )
        return replace(self, cases=cases, files=all_of(self.files))

    def case_of(self, path: str) -> Case | None:
        return next((case for case in self.cases if case.owns(path)), None)


def skill(name: str, description: str = "", *, fields: str = "", body: str = "Body.\n") -> str:
    """A SKILL.md that every program under test accepts, unless the arguments spoil it."""
    description = description or f"Says that {name} was found."
    return f"---\nname: {name}\ndescription: {description}\n{fields}---\n{body}"


def one(folder: str, why: str, text: str | bytes | None = None, *, root: str = AGENTS, name: str = "") -> Case:
    """The common case: one folder below a root, with one SKILL.md."""
    path = f"{root}/{folder}"
    text = skill(folder) if text is None else text
    return Case(name or folder, why, {f"{path}/SKILL.md": text}, spec=path)


def git(folder: str = PROJECT) -> Files:
    """The least that git itself accepts as a repository; OpenCode asks git, not the disk."""
    dot = f"{folder}/.git"
    return {
        f"{dot}/HEAD": "ref: refs/heads/main\n",
        f"{dot}/config": "[core]\n\trepositoryformatversion = 0\n\tbare = false\n",
        f"{dot}/objects/.keep": "",
        f"{dot}/refs/.keep": "",
    }


def build(world: World, at: Path) -> Path:
    """Write the world below `at` and return its real path."""
    at.mkdir(parents=True)
    at = at.resolve()
    for files in (world.files, *(case.files for case in world.cases)):
        for name, content in files.items():
            _write(at, name, content)
    for folder in (HOME, PROJECT, world.cwd):
        (at / folder).mkdir(parents=True, exist_ok=True)
    return at


def _write(at: Path, name: str, content: str | bytes | Link) -> None:
    path = at / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, Link):
        os.symlink(content.target, path)
    elif isinstance(content, bytes):
        path.write_bytes(content)
    else:
        # Some configuration needs absolute paths, which exist only now.
        path.write_bytes(content.replace("{WORLD}", str(at)).encode())


def all_worlds() -> tuple[World, ...]:
    import cases_claude
    import cases_codex
    import cases_config
    import cases_copilot
    import cases_corners
    import cases_corners_more
    import cases_discovery
    import cases_gemini
    import cases_homes
    import cases_opencode
    import cases_parse
    import cases_plugins
    import cases_repair
    import cases_roots
    import cases_spec

    modules = (cases_parse, cases_repair, cases_spec, cases_discovery, cases_roots, cases_codex, cases_claude, cases_plugins, cases_config)
    modules += (cases_opencode, cases_gemini, cases_copilot, cases_corners, cases_corners_more, cases_homes)
    worlds = tuple(world for module in modules for world in module.WORLDS)
    names = [f"{world.name}/{case.name}" for world in worlds for case in world.cases]
    assert len(set(names)) == len(names), "two cases share a name"
    return worlds
