#!/usr/bin/env python3
"""Neighbours: what `skillful add` installs is seen by the real agents, and what npm `skills` installed is taken over.

    python3 tests/peers/registry.py [--binary PATH] [--only agents|npm]

For Codex, OpenCode and Gemini: skills are added for the agent, as copies and as links, for the project and for the
person; the real program then lists exactly these, with their names and descriptions.

For npm `skills` (pinned below, with the Node it needs): it installs skills for the project and for the person, for
two agents, one of them by links. `skillful list` shows each of them; `skillful add --adopt` notes them in the lock without
changing a byte, a permission or a link, tells what nobody installed, and `verify` finds no difference afterwards.

Everything runs in scratch homes and, where the system allows it, without network.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import fixtures
import install
import ours
import programs
import viewers
from fixtures import HOME, PROJECT, World

NPM = install.PEERS / "skills"
NPM_PACKAGES = {"skills": "1.7.4", "node": "22"}
NAMES = ("alpha", "beta", "gamma")
AGENTS = ("codex", "opencode", "gemini")
LIBRARY = "library"


class Judge:
    """Counts what is as it should be and what is not."""

    def __init__(self) -> None:
        self.asked = self.wrong = 0

    def that(self, what: str, is_so: bool, told: object = "") -> None:
        self.asked += 1
        print(f"{'ok' if is_so else 'WRONG':6} {what}", flush=True)
        if not is_so:
            self.wrong += 1
            for line in str(told).splitlines()[:20]:
                print(f"       {line}")


def description(name: str) -> str:
    return f"Says that {name} was found."


def world(at: Path) -> Path:
    """A home, a repository, and a library beside them."""
    at.mkdir()
    at = at.resolve()
    (at / HOME).mkdir()
    for path, content in fixtures.git().items():
        (at / path).parent.mkdir(parents=True, exist_ok=True)
        (at / path).write_text(content)
    for name in NAMES:
        folder = at / LIBRARY / "skills" / name
        (folder / "scripts").mkdir(parents=True)
        (folder / "SKILL.md").write_text(fixtures.skill(name))
        (folder / "scripts/run.sh").write_text(f"#!/bin/sh\necho {name}\n")
        (folder / "scripts/run.sh").chmod(0o755)
    return at


def skillful(binary: Path, at: Path, *arguments: str) -> subprocess.CompletedProcess:
    env = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "NO_COLOR": "1", "HOME": str(at / HOME)}
    command = [binary, *arguments]
    return subprocess.run(command, cwd=at / PROJECT, env=env, capture_output=True, encoding="utf-8", timeout=programs.TIMEOUT)


def told(done: subprocess.CompletedProcess) -> str:
    return f"exit {done.returncode}\n{done.stdout}{done.stderr}"


def agents(binary: Path, scratch: Path, judge: Judge) -> None:
    install.ensure()
    for agent in AGENTS:
        for reach, extra in (("project", []), ("person", ["--global"])):
            for form, more in (("copies", []), ("links", ["--link"])):
                title = f"{agent} sees what was added for the {reach} as {form}"
                at = world(scratch / f"{agent}-{reach}-{form}")
                library = str(at / LIBRARY / "skills")
                done = skillful(binary, at, "add", library, "--agent", agent, *extra, *more, "--yes")
                if done.returncode != 0:
                    judge.that(title, False, told(done))
                    continue
                view = viewers.VIEWERS[agent](World("neighbours", "", ()), at)
                seen = sorted((seen.name, seen.description) for seen in view.seen)
                wanted = sorted((name, description(name)) for name in NAMES)
                judge.that(title, seen == wanted, f"{view.failure}\nseen:   {seen}\nwanted: {wanted}")


def ensure_npm() -> None:
    manifest = NPM / "node_modules/skills/package.json"
    if manifest.exists() and json.loads(manifest.read_text())["version"] == NPM_PACKAGES["skills"]:
        return
    NPM.mkdir(parents=True, exist_ok=True)
    packages = [f"{name}@{version}" for name, version in NPM_PACKAGES.items()]
    npm = ["npm", "install", "--prefix", NPM, "--no-audit", "--no-fund", "--silent", *packages]
    subprocess.run(npm, check=True, stdout=sys.stderr)


def npm_skills(at: Path, *arguments: str) -> subprocess.CompletedProcess:
    quiet = {"CI": "1", "NO_COLOR": "1", "DISABLE_TELEMETRY": "1", "DO_NOT_TRACK": "1", "LANG": "C.UTF-8"}
    env = {"PATH": f"{NPM / 'node_modules/.bin'}:{os.environ['PATH']}", "HOME": str(at / HOME), **quiet}
    command = [*programs.no_network(), NPM / "node_modules/.bin/skills", *arguments]
    streams = {"capture_output": True, "encoding": "utf-8", "stdin": subprocess.DEVNULL}
    return subprocess.run(command, cwd=at / PROJECT, env=env, timeout=programs.TIMEOUT, **streams)


def state(folder: Path) -> dict[str, tuple]:
    """Everything in a folder: kind, permissions, and bytes or target."""

    def entries(below: Path) -> Iterator[tuple[str, tuple]]:
        for entry in sorted(os.scandir(below), key=lambda entry: entry.name):
            path = Path(entry.path)
            name = str(path.relative_to(folder))
            if entry.is_symlink():
                yield name, ("link", os.readlink(path))
            elif entry.is_dir():
                yield name, ("folder", entry.stat().st_mode)
                yield from entries(path)
            else:
                yield name, ("file", entry.stat().st_mode, entry.stat().st_mtime_ns, path.read_bytes())

    return dict(entries(folder)) if folder.is_dir() else {}


def npm(binary: Path, scratch: Path, judge: Judge) -> None:
    ensure_npm()
    can_adopt = "--adopt" in skillful(binary, scratch_home(scratch), "add", "--help").stdout
    for reach, npm_flag, own_flag, base in (
        ("project", [], [], PROJECT),
        ("person", ["-g"], ["--global"], HOME),
    ):
        at = world(scratch / f"npm-{reach}")
        arguments = ["add", str(at / LIBRARY), "-s", "*", "-a", "claude-code", "codex", *npm_flag, "-y"]
        done = npm_skills(at, *arguments)
        there = [(at / base / ".agents/skills" / name / "SKILL.md").is_file() for name in NAMES]
        judge.that(f"npm skills installs for the {reach}", all(there), told(done))
        mine = at / base / ".agents/skills/mine"
        mine.mkdir(parents=True)
        (mine / "SKILL.md").write_text(fixtures.skill("mine"))

        listed = skillful(binary, at, "list", "--json")
        names = {skill["name"] for skill in json.loads(listed.stdout)["skills"]} if listed.stdout else set()
        judge.that(f"`list` shows what npm skills installed for the {reach}", {*NAMES, "mine"} <= names, told(listed))

        if not can_adopt:
            judge.that(f"`add --adopt` takes over what npm skills installed for the {reach}", False, "no --adopt here")
            continue
        roots = [at / base / folder for folder in (".agents", ".claude", ".codex")]
        before = [state(root) for root in roots]
        adopted = skillful(binary, at, "add", "--adopt", *own_flag, "--yes")
        judge.that(f"`add --adopt` succeeds for the {reach}", adopted.returncode == 0, told(adopted))
        judge.that("no byte, permission or link of a skill changed", before == [state(root) for root in roots])
        judge.that("a skill that nobody installed is told", "mine" in adopted.stdout + adopted.stderr, told(adopted))
        lock = (at / PROJECT if reach == "project" else at / HOME / ".local/share/skillful") / "skillful.lock"
        text = lock.read_text() if lock.exists() else ""
        judge.that("the lock names each of them", all(f"[skill.{name}]" in text for name in NAMES), text)
        judge.that("the lock does not name the skill that nobody installed", "[skill.mine]" not in text, text)
        verified = skillful(binary, at, "verify", *own_flag)
        judge.that("`verify` finds no difference", verified.returncode == 0, told(verified))
        (at / base / ".agents/skills/alpha/SKILL.md").write_text("other")
        verified = skillful(binary, at, "verify", *own_flag)
        judge.that("`verify` finds a change made afterwards", verified.returncode == 1, told(verified))


def scratch_home(scratch: Path) -> Path:
    for folder in (HOME, PROJECT):
        (scratch / "asked" / folder).mkdir(parents=True, exist_ok=True)
    return scratch / "asked"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=Path, default=None)
    parser.add_argument("--only", choices=("agents", "npm"), default=None)
    options = parser.parse_args()
    binary = options.binary or ours.binary()
    if binary is None:
        print("build skillful first: cargo build --release -p skillful-cli", file=sys.stderr)
        return 2
    judge = Judge()
    with tempfile.TemporaryDirectory(prefix="peers-registry-") as scratch:
        parts = {"agents": agents, "npm": npm}
        for name, part in parts.items():
            if options.only in (None, name):
                part(binary.resolve(), Path(scratch), judge)
        # Trees of the store are read-only, also for whoever removes them.
        subprocess.run(["chmod", "-R", "u+w", scratch], check=False)
    print(f"{judge.asked} questions, {judge.wrong} wrong")
    return 1 if judge.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
