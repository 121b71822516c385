"""The answers of the real programs as files of the repository, so that `cargo test` compares with them.

    python3 tests/peers/run.py --record             ask, compare, and write these files
    python3 tests/peers/record.py                   are the files those of the worlds and versions of today?

`worlds.jsonl` has every world, and `PEER.jsonl` the answers of one program: a line that says which program and with which
variables, and then a line for each world. `crates/agents/tests/real_programs` reads them.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import install
import programs
from answers import Answer, Seen, View
from fixtures import ROOTS, Case, Files, Link, World, all_worlds
from ours import MODEL_ONLY

FOLDER = Path(__file__).with_name("recorded")
WORLDS = FOLDER / "worlds.jsonl"
AT = "{WORLD}"
# Longer texts are written with their repetitions counted.
LONG = 4000
REPEATED = re.compile(r"(.{1,60}?)\1{30,}", re.DOTALL)


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True) + "\n"


def _counted(text: str) -> list[list]:
    """A text as parts, each with the number of times that it follows itself."""
    parts, end = [], 0
    for found in REPEATED.finditer(text):
        parts += [[text[end : found.start()], 1]] if found.start() > end else []
        parts.append([found[1], (found.end() - found.start()) // len(found[1])])
        end = found.end()
    return parts + ([[text[end:], 1]] if end < len(text) else [])


def _content(content: str | bytes | Link) -> object:
    if isinstance(content, Link):
        return {"link": content.target}
    if isinstance(content, bytes):
        return {"hex": content.hex()}
    return {"parts": _counted(content)} if len(content) > LONG else content


NUMBER = re.compile(r"\d{3,}")
# Fewer are written one by one.
LEAST_SERIES = 50


def _shortened(rows: list[list]) -> list:
    """Rows of texts; those that differ only by a number that counts up become one row."""
    made: list = []
    at = 0
    while at < len(rows):
        template, number = _numbered(rows[at])
        end = at + 1
        while number and end < len(rows) and _numbered(rows[end]) == (template, f"{int(number) + end - at:0{len(number)}}"):
            end += 1
        if number and end - at >= LEAST_SERIES:
            made.append({"rows": template, "first": int(number), "count": end - at, "width": len(number)})
        else:
            made += rows[at:end]
        at = end
    return made


def _numbered(row: list) -> tuple[list, str]:
    """A row with the number of its first text replaced in all of them, and the number."""
    found = NUMBER.search(row[0])
    if not found:
        return row, ""
    return [text.replace(found[0], "{NUMBER}") if isinstance(text, str) else text for text in row], found[0]


def _files(files: Files) -> list:
    return _shortened([[path, _content(content)] for path, content in files.items()])


def _case(case: Case) -> dict:
    plain = {"case": case.name, "files": _files(case.files)}
    plain |= {"any_of": sorted(case.any_of)} if case.any_of else {}
    return plain | ({"spec": case.spec} if case.spec else {})


def _world(world: World) -> str:
    marks = {mark: True for mark in ("refuses", "menu", "own_roots") if getattr(world, mark)}
    cases = [_case(case) for case in world.cases]
    return _line({"world": world.name, "cwd": world.cwd, "files": _files(world.files), "cases": cases} | marks)


def _variables(peer: str, world: World) -> dict[str, str]:
    """The variables of a program in a world, without those that name folders of this machine."""
    found = programs.environment_for(peer, world, Path(AT))
    return {name: value for name, value in found.items() if name != "PATH" and str(install.PEERS) not in value}


def _seen(seen: Seen) -> list[str]:
    """Path, name, description and label; a description that every fixture has is left out."""
    usual = f"Says that {seen.name} was found."
    described = [seen.description] if seen.description != usual or seen.label else []
    return [seen.path, seen.name, *described, *([seen.label] if seen.label else [])]


def _answer(answer: Answer) -> dict:
    if not isinstance(answer, View):
        return {"accepts": {case: verdict.accepted for case, verdict in answer.items()}}
    return {"failed": True} if answer.failure else {"seen": _shortened([_seen(seen) for seen in sorted(answer.seen)])}


def write(worlds: tuple[World, ...], observed: dict[str, dict[str, Answer]]) -> None:
    """Writes the worlds, and the answers of the programs that were asked."""
    FOLDER.mkdir(exist_ok=True)
    WORLDS.write_text("".join(map(_world, worlds)))
    for peer, answers in observed.items():
        variables = {world.name: _variables(peer, world) for world in worlds if world.name in answers}
        common = set.intersection(*(set(own.items()) for own in variables.values()))
        head = _head(peer) | {"env": dict(sorted(common))}
        lines = [_line(head)]
        for name, own in variables.items():
            rest = {key: value for key, value in own.items() if (key, value) not in common}
            lines.append(_line({"world": name} | ({"env": rest} if rest else {}) | _answer(answers[name])))
        (FOLDER / f"{peer}.jsonl").write_text("".join(lines))


def _head(peer: str) -> dict:
    root = {"root": ROOTS[peer]} if peer in ROOTS else {}
    only_model = {"only_model": True} if peer in MODEL_ONLY else {}
    return {"peer": peer, "version": install.VERSIONS[peer]} | root | only_model


def stale(worlds: tuple[World, ...]) -> list[str]:
    """What of the files is not of today."""
    import run

    found = []
    if not WORLDS.exists() or WORLDS.read_text() != "".join(map(_world, worlds)):
        found.append("worlds.jsonl: the worlds changed")
    for peer in run.PEERS:
        file = FOLDER / f"{peer}.jsonl"
        lines = [json.loads(line) for line in file.read_text().split("\n") if line] if file.exists() else [{}]
        if lines[0].get("version") != install.VERSIONS[peer]:
            found.append(f"{file.name}: it is not of version {install.VERSIONS[peer]}")
        asked = [world.name for world in worlds if run.concerns(peer, world)]
        if [line["world"] for line in lines[1:]] != asked:
            found.append(f"{file.name}: it does not have the answers of all worlds")
    return found


def main() -> int:
    found = stale(all_worlds())
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
