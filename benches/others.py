"""Other programs that list or check skills, each asked in the way it offers.

A program that is not installed is named in the table and left out; `--install`
installs all of them, at fixed versions.  Every program runs with a home of its
own tree and, where the system allows it, without network.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import measure
from measure import Command, Cost
from peers import REPOSITORY, fixtures, install, programs
from trees import REAL, Tree

NPM = REPOSITORY / "target" / "bench" / "npm"
NPM_PACKAGES = {"skills": "1.7.4", "openskills": "1.5.0", "node": "22"}
NODE = NPM / "node_modules" / ".bin" / "node"


def install_all() -> None:
    install.ensure()
    if not all((NPM / "node_modules" / name / "package.json").exists() for name in NPM_PACKAGES):
        npm = ["npm", "install", "--prefix", NPM, "--no-audit", "--no-fund", "--silent"]
        subprocess.run([*npm, *(f"{name}@{version}" for name, version in NPM_PACKAGES.items())], check=True)


def _environment(peer: str, tree: Tree) -> dict[str, str]:
    if peer in ("skills", "openskills"):
        # The system's Node may be too old for `skills`: it runs on the one installed beside it.
        quiet = {"CI": "1", "DISABLE_TELEMETRY": "1", "DO_NOT_TRACK": "1"}
        return programs.environment_for("opencode", _world(), tree.at) | quiet
    return programs.environment_for(peer, _world(), tree.at)


def _world() -> fixtures.World:
    return fixtures.World("bench", "a generated tree", ())


def _offline(*argv: str | Path) -> list[str | Path]:
    return [*programs.no_network(), *argv]


@dataclass(frozen=True)
class Other:
    """A program with a command that lists skills."""

    name: str
    program: Path
    before: tuple[str | Path, ...]
    arguments: tuple[str, ...]
    count: Callable[[str], int]
    """How many skills its answer holds."""

    @property
    def installed(self) -> bool:
        return self.program.exists()

    def list_command(self, tree: Tree) -> Command:
        env = _environment(self.name, tree)
        if self.name == "openskills":
            env["HOME"] = str(_openskills_home(tree))
        label = f"`{self.name} {' '.join(self.arguments)}`"
        return Command(label, _offline(*self.before, self.program, *self.arguments), env, tree.work)

    def version_command(self, tree: Tree) -> Command:
        argv = _offline(*self.before, self.program, "--version")
        return Command(f"`{self.name} --version`", argv, _environment(self.name, tree), tree.work)

    def refuse_unless_complete(self, tree: Tree) -> None:
        """A program that lists fewer skills than there are is not comparable."""
        answer = tree.at / "answer"
        measure.once(self.list_command(tree), answer)
        found = self.count(answer.read_text(errors="replace"))
        if found < tree.size:
            raise measure.Failed(f"{self.name} lists {found} of {tree.size} skills")


def _openskills_home(tree: Tree) -> Path:
    """`openskills` reads `.agent/skills` only; a link gives it the same skills."""
    home = tree.at / "openskills"
    (home / ".agent").mkdir(parents=True, exist_ok=True)
    link = home / ".agent" / "skills"
    if not link.is_symlink():
        link.symlink_to(tree.skills)
    return home


def _entries(text: str) -> int:
    return len(json.loads(text))


def listing() -> list[Other]:
    modules = NPM / "node_modules"
    return [
        Other("opencode", install.npm_program("opencode"), (), ("debug", "skill"), _entries),
        Other("gemini", install.npm_program("gemini"), (), ("skills", "list"), lambda text: text.count("Location:")),
        Other("skills", modules / "skills/bin/cli.mjs", (NODE,), ("list", "-g", "--json"), _entries),
        Other("openskills", modules / "openskills/dist/cli.js", (NODE,), ("list",), lambda text: text.count("(global)")),
    ]


def has_codex() -> bool:
    return any(install.NODE_MODULES.glob("@openai/codex-*/vendor/*/bin/codex"))


def codex_version_command(tree: Tree) -> Command:
    argv = _offline(install.codex_binary(), "--version")
    return Command("`codex --version`", argv, _environment("codex", tree), tree.work)


@dataclass
class Codex:
    """What the app server's calls cost."""

    start: Cost
    first: Cost
    reload: Cost
    cached: Cost
    peak: float


def codex(tree: Tree, count: int) -> Codex:
    """Codex has no list command: its app server is started and asked, `count` times."""
    found = Codex(Cost(), Cost(), Cost(), Cost(), 0.0)
    (tree.home / ".codex").mkdir(exist_ok=True)
    settings = ("analytics.enabled=false", "skills.bundled.enabled=false", "features.plugins=false")
    argv = _offline(install.codex_binary(), "app-server", *(part for each in settings for part in ("-c", each)))
    env = _environment("codex", tree)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "encoding": "utf-8"}
    about = {"clientInfo": {"name": "bench", "title": "bench", "version": "0"}}
    for _ in range(count):
        began = time.perf_counter()
        with subprocess.Popen(argv, cwd=tree.work, env=env, **pipes) as server:

            def call(number: int, method: str, params: dict, cost: Cost, server=server) -> dict:
                start, cpu = time.perf_counter(), measure.of_process(server.pid)[0]
                if method == "initialize":
                    start, cpu = began, 0.0
                server.stdin.write(json.dumps({"id": number, "method": method, "params": params}) + "\n")
                server.stdin.flush()
                for line in server.stdout:
                    reply = json.loads(line)
                    if reply.get("id") == number:
                        cost.add(time.perf_counter() - start, measure.of_process(server.pid)[0] - cpu)
                        return reply["result"]
                raise measure.Failed("the codex app server ended without an answer")

            call(0, "initialize", about, found.start)
            server.stdin.write('{"method":"initialized"}\n')
            for number, (force, cost) in enumerate(
                ((False, found.first), (True, found.reload), (True, found.reload), (False, found.cached)), start=1
            ):
                params = {"cwds": [str(tree.work)], "forceReload": force}
                (answer,) = call(number, "skills/list", params, cost)["data"]
                if len(answer["skills"]) < tree.size:
                    raise measure.Failed(f"codex lists {len(answer['skills'])} of {tree.size} skills")
            found.peak = max(found.peak, measure.of_process(server.pid)[1])
            # It ends when nobody can speak to it any more.
            server.stdin.close()
    return found


# Runs in the peer's own environment; what it prints leaves out the interpreter's start and the imports.
_LOOP = """
import pathlib, sys, time
from skills_ref import validate
folders = sorted(path for path in pathlib.Path(sys.argv[1]).iterdir() if path.is_dir())
wall, cpu = time.perf_counter(), time.process_time()
bad = sum(bool(validate(folder)) for folder in folders)
print(time.perf_counter() - wall, time.process_time() - cpu, len(folders), bad)
"""


def has_skills_ref() -> bool:
    return install.VENV_PYTHON.exists()


def skills_ref_command(tree: Tree) -> Command:
    argv = [install.VENV_PYTHON, "-c", _LOOP, tree.skills]
    return Command("skills-ref, one process, `validate` in a loop", argv, _environment("skills-ref", tree), tree.work)


def skills_ref_loop(tree: Tree, whole: Cost, loop: Cost) -> None:
    """One run: the cost of the process, and of the loop in it alone."""
    answer = tree.at / "answer"
    whole.add(*measure.once(skills_ref_command(tree), answer))
    wall, cpu, folders, bad = answer.read_text().split()
    # Real skills break rules; generated ones do not.
    if int(folders) != tree.size or int(bad) and tree.shape != REAL:
        raise measure.Failed(f"skills-ref checked {folders} of {tree.size} skills and refused {bad}")
    loop.add(float(wall), float(cpu))
