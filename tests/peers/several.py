#!/usr/bin/env python3
"""Installing for several agents: each chosen program lists each skill exactly once.

    python3 tests/peers/several.py [--binary PATH] [--agent NAME]

For every pair and every triple of Claude Code, Codex, OpenCode, Gemini CLI and Cursor, `skillful add` installs the skills of a library
for these agents, once for the project and once for the user. Then each real program is asked what it lists. Cursor cannot be
had here: its profile answers for it. Claude Code is made to load each skill, so that a copy that it lists without reading counts.
"""

from __future__ import annotations

import argparse
import collections
import itertools
import json
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import install
import ours
import registry
import viewers
from fixtures import HOME, PROJECT, World

PROGRAMS = {"claude-code": "claude", "codex": "codex", "opencode": "opencode", "gemini-cli": "gemini", "cursor": None}
AT_ONCE = 2


def listed(binary: Path, agent: str, at: Path) -> list[tuple[str, str]]:
    """Name and file of every skill that the agent lists, by the program where there is one."""
    program = PROGRAMS[agent]
    if program is None:
        view = registry.skillful(binary, at, "view", "--agent", agent, "--trust-project", "--json")
        return [(seen["name"], seen["path"].removeprefix(f"{at}/")) for seen in json.loads(view.stdout)["seen"]]
    view = viewers.VIEWERS[program](World("several", "", ()), at)
    return [(seen.name, seen.path) for seen in view.seen]


def copies(at: Path) -> list[str]:
    """The installed files of one skill."""
    found = [*(at / PROJECT).glob(f".*/**/{registry.NAMES[0]}/SKILL.md"), *(at / HOME).glob(f".*/**/{registry.NAMES[0]}/SKILL.md")]
    store = at / HOME / ".local"
    return sorted(str(file.relative_to(at)) for file in found if not file.is_relative_to(store))


def ask(binary: Path, agents: tuple[str, ...], scope: list[str], at: Path) -> tuple[bool, str]:
    """Whether each of the agents lists each skill once, and what was installed and listed."""
    at = registry.world(at)
    options = [option for agent in agents for option in ("--agent", agent)]
    done = registry.skillful(binary, at, "add", str(at / registry.LIBRARY / "skills"), *options, *scope, "--yes")
    if done.returncode != 0:
        return False, registry.told(done)
    there = copies(at)
    good, lines = True, [f"{len(there)} {'copy' if len(there) == 1 else 'copies'}: {', '.join(there)}"]
    for agent in agents:
        seen = listed(binary, agent, at)
        counts = collections.Counter(name for name, _ in seen)
        once = all(counts[name] == 1 for name in registry.NAMES)
        good &= once
        if not once:
            lines.append(f"{agent} lists {seen}")
    shutil.rmtree(at, ignore_errors=True)
    return good, "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=Path, default=None)
    parser.add_argument("--agent", choices=PROGRAMS, action="append", help="only sets with all of these")
    options = parser.parse_args()
    binary = options.binary or ours.binary()
    if binary is None:
        print("build skillful first: cargo build --release -p skillful-cli", file=sys.stderr)
        return 2
    binary = binary.resolve()
    install.ensure()
    sets = [chosen for size in (2, 3) for chosen in itertools.combinations(PROGRAMS, size)]
    sets = [chosen for chosen in sets if set(options.agent or ()) <= set(chosen)]
    questions = [(chosen, scope) for chosen in sets for scope in ([], ["--global"])]
    judge = registry.Judge()
    with tempfile.TemporaryDirectory(prefix="peers-several-", ignore_cleanup_errors=True) as scratch:
        places = (Path(scratch) / str(number) for number in itertools.count())
        with ThreadPoolExecutor(max_workers=AT_ONCE) as pool:
            answers = pool.map(lambda one: ask(binary, one[0][0], one[0][1], one[1]), zip(questions, places))
            for (chosen, scope), (good, told) in zip(questions, answers):
                reach = "the user" if scope else "the project"
                judge.that(f"{' + '.join(chosen)}, for {reach}: {told.splitlines()[0]}", good, told)
    print(f"{judge.asked} sets, {judge.wrong} wrong")
    return 1 if judge.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
