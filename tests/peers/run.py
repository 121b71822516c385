#!/usr/bin/env python3
"""Proof against others: ask the real programs and `skillful` the same questions.

    python3 tests/peers/run.py                      compare everything
    python3 tests/peers/run.py --recorded           the same, with the programs' last answers
    python3 tests/peers/run.py --observe            ask only the real programs
    python3 tests/peers/run.py --peer codex --world links
    python3 tests/peers/run.py --record             write the answers to tests/peers/recorded, for cargo test
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import compare
import install
import ours
import programs
import record
import recorded
import report
import summary
import viewers
from answers import Answer
from fixtures import World, all_worlds, build

VALIDATOR = "skills-ref"
PEERS = (VALIDATOR, *viewers.VIEWERS)
# The programs are mostly start-up; more at once than this only slows each of them down.
AT_ONCE = 2
# Answers that are written to the disk together.
WRITTEN_AT_ONCE = 20


def concerns(peer: str, world: World) -> bool:
    return any(case.spec for case in world.cases) if peer == VALIDATOR else peer in world.peers


def ask(who: str, worlds: list[World], question: Callable[[World, Path], Answer]) -> dict[str, Answer]:
    """Put one question in every world, each a fresh copy that nobody else has touched."""
    with tempfile.TemporaryDirectory(prefix="peers-") as scratch:

        def in_copy(world: World) -> Answer:
            at = build(world, Path(scratch) / world.name)
            try:
                return question(world, at)
            finally:
                shutil.rmtree(at, ignore_errors=True)
                print(f"{who}: {world.name}", file=sys.stderr)

        with ThreadPoolExecutor(max_workers=AT_ONCE) as pool:
            return dict(zip((world.name for world in worlds), pool.map(in_copy, worlds)))


def theirs(peer: str, worlds: list[World], reuse: bool) -> dict[str, Answer]:
    known = recorded.read_theirs(peer, worlds) if reuse else {}
    question = programs.skills_ref if peer == VALIDATOR else viewers.VIEWERS[peer]
    unknown = [world for world in worlds if world.name not in known]
    # Written in between, so that a run that is stopped can go on with `--recorded`.
    for start in range(0, len(unknown), WRITTEN_AT_ONCE):
        fresh = ask(peer, unknown[start : start + WRITTEN_AT_ONCE], question)
        recorded.write_theirs(peer, worlds, fresh)
        known |= fresh
    return known


def mine(program: Path, peer: str, worlds: list[World]) -> dict[str, Answer]:
    def question(world: World, at: Path) -> Answer:
        if peer == VALIDATOR:
            return ours.check(program, world, at)
        return ours.view(program, peer, world, at)

    answers = ask(f"skillful as {peer}", worlds, question)
    recorded.write(f"skillful-as-{peer}", answers)
    return answers


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="compare skillful with the programs it stands beside")
    parser.add_argument("--observe", action="store_true", help="ask only the real programs")
    parser.add_argument("--recorded", action="store_true", help="reuse the programs' last answers where still valid")
    parser.add_argument("--peer", choices=PEERS, action="append", help="only this program (repeatable)")
    parser.add_argument("--world", action="append", help="only this world (repeatable)")
    parser.add_argument("--record", action="store_true", help="write the answers to tests/peers/recorded, for cargo test")
    parser.add_argument("--binary", type=Path, help="the skillful to compare (default: the newest build)")
    return parser.parse_args()


def main() -> int:
    options = arguments()
    if options.record and options.world:
        raise SystemExit("--record needs all worlds")
    chosen = tuple(world for world in all_worlds() if not options.world or world.name in options.world)
    program = options.binary or ours.binary()
    if program is None and not options.observe:
        raise SystemExit("no built skillful: run cargo build, or use --observe")
    install.ensure()

    observed: dict[str, dict[str, Answer]] = {}
    outcomes: list[compare.Outcome] = []
    for peer in options.peer or PEERS:
        worlds = [world.for_peer(peer) for world in chosen if concerns(peer, world)]
        observed[peer] = theirs(peer, worlds, options.recorded)
        if options.observe:
            continue
        answers = mine(program.resolve(), peer, worlds)
        judge = compare.verdicts if peer == VALIDATOR else compare.views
        for world in worlds:
            outcomes += judge(peer, world, observed[peer][world.name], answers[world.name])

    if options.record:
        record.write(chosen, observed)
    if options.observe:
        if not options.record:
            (recorded.FOLDER / "summary.md").write_text(summary.markdown(chosen, observed))
        return 0
    outcomes, stale = compare.explain(outcomes)
    text = report.markdown(outcomes, stale)
    print(text)
    (install.PEERS / "report.md").write_text(text)
    return 1 if stale or any(outcome.unexplained for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
