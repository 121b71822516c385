"""Answers of the real programs, kept on disk.

A run always writes them, for people to read.  `--recorded` takes them back
instead of starting the programs again, but only for a world whose files, peer
version and driver are still the same.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import json
from dataclasses import asdict, replace
from pathlib import Path

import install
import programs
import viewers
from answers import Answer, Refusal, Seen, Verdict, View
from fixtures import World

FOLDER = install.PEERS / "observed"
DRIVERS = [Path(__file__).with_name(name) for name in ("programs.py", "viewers.py")]
NOT_A_DRIVER = {"environment_for", "VIEWERS", "TIMEOUT"}
"""The variables are part of the fingerprint by their values; how long a driver waits changes no answer."""


@functools.cache
def _definitions() -> dict[str, str]:
    """The text of every function and value of the drivers, by name."""
    found: dict[str, str] = {}
    for driver in DRIVERS:
        text = driver.read_text()
        for node in ast.parse(text).body:
            targets = node.targets if isinstance(node, ast.Assign) else [node]
            for target in targets:
                name = getattr(target, "name", getattr(target, "id", None))
                if name and name not in NOT_A_DRIVER:
                    found[name] = ast.get_source_segment(text, node) or ""
    return found


@functools.cache
def driver(peer: str) -> str:
    """The text of the driver of one program: its function, and whatever that uses."""
    function = viewers.VIEWERS.get(peer, programs.skills_ref).__name__
    texts, waiting, used = _definitions(), [function], set()
    while waiting:
        name = waiting.pop()
        if name in used or name not in texts:
            continue
        used.add(name)
        waiting += [node.id for node in ast.walk(ast.parse(texts[name])) if isinstance(node, ast.Name)]
    return "\n".join(texts[name] for name in sorted(used))


def fingerprint(peer: str, world: World) -> str:
    variables = programs.environment_for(peer, world, Path("/world"))
    own = {name: value for name, value in variables.items() if name != "PATH" and str(install.PEERS) not in value}
    # Whom else the world is for, and how answers are compared, changes no answer.
    cases = tuple(replace(case, any_of=frozenset()) for case in world.cases)
    text = repr((replace(world, peers=(), cases=cases), install.VERSIONS[peer], own)) + driver(peer)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _plain(answer: Answer) -> dict:
    return asdict(answer) if isinstance(answer, View) else {case: asdict(v) for case, v in answer.items()}


def _answer(plain: dict) -> Answer:
    if "seen" in plain:
        seen = [Seen(**entry) for entry in plain["seen"]]
        refused = [Refusal(**entry) for entry in plain["refused"]]
        return View(seen, refused, plain["extra"], plain["failure"])
    return {case: Verdict(v["accepted"], tuple(v["messages"])) for case, v in plain.items()}


def _load(name: str) -> dict:
    path = FOLDER / f"{name}.json"
    return json.loads(path.read_text()) if path.exists() else {}


def _store(name: str, content: dict) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / f"{name}.json").write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def write(name: str, answers: dict[str, Answer]) -> None:
    """Merge, so that a run of one world does not forget the others."""
    _store(name, _load(name) | {world: _plain(answer) for world, answer in answers.items()})


def write_theirs(peer: str, worlds: list[World], answers: dict[str, Answer]) -> None:
    write(peer, answers)
    marks = {f"{peer}/{world.name}": fingerprint(peer, world) for world in worlds if world.name in answers}
    _store("fingerprints", _load("fingerprints") | marks)


def read_theirs(peer: str, worlds: list[World]) -> dict[str, Answer]:
    """What is on disk and still true."""
    marks, plain = _load("fingerprints"), _load(peer)
    return {
        world.name: _answer(plain[world.name])
        for world in worlds
        if world.name in plain and marks.get(f"{peer}/{world.name}") == fingerprint(peer, world)
    }
