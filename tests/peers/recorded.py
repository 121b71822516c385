"""Answers of the real programs, kept on disk.

A run always writes them, for people to read.  `--recorded` takes them back
instead of starting the programs again, but only for a world whose files, peer
version and driver are still the same.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path

import install
from answers import Answer, Refusal, Seen, Verdict, View
from fixtures import World

FOLDER = install.PEERS / "observed"
DRIVERS = [Path(__file__).with_name(name) for name in ("programs.py", "viewers.py")]


def fingerprint(peer: str, world: World) -> str:
    text = repr((world, install.VERSIONS[peer])) + "".join(driver.read_text() for driver in DRIVERS)
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
