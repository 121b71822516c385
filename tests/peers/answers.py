"""The one form in which every program's answer is compared."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, order=True)
class Seen:
    """A skill as a program lists it; the path is relative to the world."""

    path: str
    name: str
    description: str
    label: str = ""
    """Another name that the list shows beside the first."""


@dataclass(frozen=True)
class Refusal:
    """A file that a program says it left out, and why."""

    path: str
    reason: str


@dataclass
class View:
    """What one program lists in one world, in the program's own order."""

    seen: list[Seen] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    extra: dict[str, dict] = field(default_factory=dict)
    """Whatever else a program says about a skill, by path: recorded, not compared."""
    failure: str = ""


@dataclass(frozen=True)
class Verdict:
    """What a validator says about one folder."""

    accepted: bool
    messages: tuple[str, ...] = ()


Answer = View | dict[str, Verdict]
"""A view of a world, or a verdict for each case in it."""


def relative(path: str, world: Path) -> str:
    """Paths are compared inside their world; anything outside stays as it was reported."""
    if path.startswith("/etc/") and (world / path[1:]).exists():
        return path[1:]  # the world's own, which lies over that of the machine
    return path.removeprefix(f"{world}/")
