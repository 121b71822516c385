#!/usr/bin/env python3
"""Proof against others: ask the real programs and `skillful` the same questions.

    python3 tests/peers/run.py            compare everything
    python3 tests/peers/run.py --observe  ask only the real programs
    python3 tests/peers/run.py --peer codex --world links
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

import compare
import install
import ours
import programs
import report
import summary
from answers import Verdict, View
from fixtures import World, all_worlds, build

VALIDATOR = "skills-ref"
PEERS = (VALIDATOR, *programs.VIEWERS)
Answers = dict[str, "View | dict[str, Verdict]"]


def concerns(peer: str, world: World) -> bool:
    return any(case.spec for case in world.cases) if peer == VALIDATOR else peer in world.peers


def ask(who: str, peer: str, worlds: list[World], question: Callable) -> Answers:
    """Put one question to every world, each in a fresh copy that nobody else has touched."""
    with tempfile.TemporaryDirectory(prefix="peers-") as scratch:

        def in_copy(world: World):
            at = build(world, Path(scratch) / world.name)
            try:
                return question(world, at)
            finally:
                shutil.rmtree(at, ignore_errors=True)
                print(f"{who} {peer} {world.name}", file=sys.stderr)

        chosen = [world for world in worlds if concerns(peer, world)]
        with ThreadPoolExecutor(max_workers=2) as pool:
            return dict(zip((world.name for world in chosen), pool.map(in_copy, chosen)))


def theirs(peer: str, worlds: list[World]) -> Answers:
    return ask("asked", peer, worlds, programs.skills_ref if peer == VALIDATOR else programs.VIEWERS[peer])


def mine(program: Path, peer: str, worlds: list[World]) -> Answers:
    def question(world: World, at: Path):
        if peer == VALIDATOR:
            return ours.check(program, world, at)
        return ours.view(program, peer, world, at)

    return ask("compared", peer, worlds, question)


def record(name: str, answers: Answers) -> None:
    def plain(answer):
        return answer.as_json() if isinstance(answer, View) else {k: asdict(v) for k, v in answer.items()}

    folder = install.PEERS / "observed"
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps({world: plain(answer) for world, answer in answers.items()}, indent=1, ensure_ascii=False)
    (folder / f"{name}.json").write_text(text + "\n")


def observe(peers: list[str], worlds: list[World]) -> None:
    observed = {}
    for peer in peers:
        observed[peer] = theirs(peer, worlds)
        record(peer, observed[peer])
    (install.PEERS / "observed" / "summary.md").write_text(summary.markdown(worlds, observed))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="compare skillful with the programs it stands beside")
    parser.add_argument("--observe", action="store_true", help="ask only the real programs")
    parser.add_argument("--peer", choices=PEERS, action="append", help="only this program (repeatable)")
    parser.add_argument("--world", action="append", help="only this world (repeatable)")
    parser.add_argument("--binary", type=Path, help="the skillful to compare (default: the newest build)")
    return parser.parse_args()


def main() -> int:
    options = arguments()
    peers = options.peer or list(PEERS)
    worlds = [world for world in all_worlds() if not options.world or world.name in options.world]
    program = options.binary or ours.binary()
    if not options.observe and program is None:
        raise SystemExit("no built skillful: run cargo build, or use --observe")
    install.ensure()
    if options.observe:
        observe(peers, worlds)
        return 0
    outcomes: list[compare.Outcome] = []
    for peer in peers:
        observed = theirs(peer, worlds)
        record(peer, observed)
        answered = mine(program.resolve(), peer, worlds)
        record(f"skillful-as-{peer}", answered)
        judge = compare.verdicts if peer == VALIDATOR else compare.views
        for world in worlds:
            if world.name in observed:
                outcomes += judge(peer, world, observed[world.name], answered[world.name])
    outcomes, stale = compare.explain(outcomes)
    text = report.markdown(outcomes, stale)
    print(text)
    (install.PEERS / "report.md").write_text(text)
    return 1 if stale or any(o.difference and not o.why for o in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
