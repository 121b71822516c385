#!/usr/bin/env python3
"""The claims of the transcripts about Codex, OpenCode and Gemini CLI, shown in these programs.

    python3 tests/peers/seed_transcripts.py [--binary PATH] [--peer NAME]

The transcripts (crates/cli/tests/it/seeds) say what each seed system does, through our program. Here the same folders are given to
the real program and to ours; a claim holds when both give the expected answer. `why` names a deliberate difference: then the real
program must give `real`, and ours the expected answer.
"""

from __future__ import annotations

import argparse
import http.server
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import install
import model_server
import ours
import programs
import turn
from fixtures import HOME, PROJECT, World, git, skill


@dataclass(frozen=True)
class Claim:
    peer: str
    what: str
    theirs: Callable[[Path], object]
    ours: Callable[[Path, Path], object]
    expected: object
    real: object = None
    why: str = ""


def files(at: Path, contents: dict[str, str]) -> None:
    for name, text in contents.items():
        (at / name).parent.mkdir(parents=True, exist_ok=True)
        (at / name).write_text(text.replace("{WORLD}", str(at)))


def skillful(binary: Path, at: Path, *words: str) -> str:
    environment = {"HOME": str(at / HOME), "PATH": os.environ["PATH"], "GEMINI_CLI_TRUST_WORKSPACE": "true"}
    command = [str(binary), "--trust-project", *words]
    done = subprocess.run(command, cwd=at / PROJECT, env=environment, capture_output=True, encoding="utf-8", timeout=120)
    return done.stdout or done.stderr


def our_list(agent: str) -> Callable[[Path, Path], object]:
    def asked(binary: Path, at: Path) -> object:
        answer = json.loads(skillful(binary, at, "view", "--agent", agent, "--json"))
        return sorted((one["name"], one["path"].removeprefix(f"{at}/")) for one in answer["seen"])

    return asked


def listed(peer: str) -> Callable[[Path], object]:
    def asked(at: Path) -> object:
        view = getattr(programs, peer)(World("transcript", "", (), dict(git())), at)
        return view.failure or sorted((seen.name, seen.path) for seen in view.seen)

    return asked


# Codex

CODEX = {
    **git(),
    "work/.agents/skills/deploy/SKILL.md": skill("deploy", "Of the repository."),
    "home/.agents/skills/deploy/SKILL.md": skill("deploy", "Of the user."),
    "home/.agents/skills/lint/SKILL.md": skill("lint", "Lints."),
    "home/.agents/skills/off/SKILL.md": skill("off", "Switched off."),
    "home/.agents/skills/quiet/SKILL.md": skill("quiet", "Only by mention."),
    "home/.agents/skills/quiet/agents/openai.yaml": "policy:\n  allow_implicit_invocation: false\n",
    "home/.codex/plugins/cache/m/q/1.0.0/.codex-plugin/plugin.json": '{"name": "q", "version": "1.0.0"}',
    "home/.codex/plugins/cache/m/q/1.0.0/skills/two/SKILL.md": skill("two"),
    "home/.codex/plugins/cache/m/no/1.0.0/.codex-plugin/plugin.json": '{"name": "no", "version": "1.0.0"}',
    "home/.codex/plugins/cache/m/no/1.0.0/skills/three/SKILL.md": skill("three"),
    "home/.codex/config.toml": '[analytics]\nenabled = false\n[[skills.config]]\npath = "{WORLD}/home/.agents/skills/off/SKILL.md"\n'
    'enabled = false\n[plugins."q@m"]\nenabled = true\n',
}
CODEX_LIST = [
    ("deploy", "home/.agents/skills/deploy/SKILL.md"),
    ("deploy", "work/.agents/skills/deploy/SKILL.md"),
    ("lint", "home/.agents/skills/lint/SKILL.md"),
    ("q:two", "home/.codex/plugins/cache/m/q/1.0.0/skills/two/SKILL.md"),
    ("quiet", "home/.agents/skills/quiet/SKILL.md"),
]
MESSAGE = "use $lint, [$deploy]({home}/.agents/skills/deploy/SKILL.md) and $quiet with $q:two, not $PATH and not $off"
INJECTED = [f"home/.agents/skills/{name}/SKILL.md" for name in ("deploy", "lint", "quiet")]
INJECTED += ["home/.codex/plugins/cache/m/q/1.0.0/skills/two/SKILL.md"]


def in_world(at: Path, paths: list[str]) -> list[str]:
    return sorted(path.removeprefix(f"{at}/") for path in paths)


def codex_injected(at: Path) -> object:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), turn.Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    config = at / HOME / ".codex/config.toml"
    before = config.read_text()
    provider = f'base_url = "http://127.0.0.1:{server.server_port}/v1"\nwire_api = "responses"\n'
    config.write_text(f'{before}[skills.bundled]\nenabled = false\n[model_providers.here]\nname = "here"\n{provider}')
    try:
        return in_world(at, turn.injected(turn.ask_codex(at / HOME, MESSAGE.format(home=at / HOME), at / PROJECT)))
    finally:
        config.write_text(before)
        server.shutdown()


def our_injected(binary: Path, at: Path) -> object:
    answer = json.loads(skillful(binary, at, "ask", "--agent", "codex", "--json", "--", MESSAGE.format(home=at / HOME)))
    return in_world(at, turn.injected([part["text"] for part in answer["context"]["parts"]]))


class AppServer:
    """Codex' app server, asked again and again."""

    def __init__(self, at: Path) -> None:
        environment = programs.environment_for("codex", World("transcript", "", ()), at)
        command = [str(install.codex_binary()), "app-server", "-c", "analytics.enabled=false"]
        streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "encoding": "utf-8"}
        self.process = subprocess.Popen(command, cwd=at / PROJECT, env=environment, **streams)
        self.number = 0
        self.ask("initialize", {"clientInfo": {"name": "peers", "title": "peers", "version": "0"}})
        self.process.stdin.write(json.dumps({"method": "initialized"}) + "\n")

    def ask(self, method: str, params: dict) -> dict:
        self.number += 1
        self.process.stdin.write(json.dumps({"id": self.number, "method": method, "params": params}) + "\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            reply = json.loads(line)
            if reply.get("id") == self.number:
                return reply.get("result") or reply
        return {}

    def skills(self, at: Path, reload: bool = False) -> list[dict]:
        cwd = str((at / PROJECT).resolve())
        (answer,) = self.ask("skills/list", {"cwds": [cwd], "forceReload": reload})["data"]
        return answer["skills"]


def codex_system(at: Path) -> object:
    """The skills that Codex brings itself and their scope."""
    server = AppServer(at)
    try:
        return sorted((one["name"], one["scope"]) for one in server.skills(at) if "/.system/" in one["path"])
    finally:
        server.process.kill()
        server.process.wait()


def our_system(binary: Path, at: Path) -> object:
    answer = json.loads(skillful(binary, at, "list", "--agent", "codex", "--json"))
    return sorted((one["name"], one["scope"]) for one in answer["skills"] if "/.codex/skills/.system/" in one["path"])


def codex_watch(at: Path) -> object:
    """How a skill that comes while the program runs is there: by itself, or after a reload."""
    server = AppServer(at)
    try:
        server.skills(at)
        time.sleep(1)
        files(at, {"home/.agents/skills/late/SKILL.md": skill("late")})
        for _ in range(10):
            time.sleep(0.5)
            if any(one["name"] == "late" for one in server.skills(at)):
                return "by itself"
        return "after a reload" if any(one["name"] == "late" for one in server.skills(at, True)) else "not at all"
    finally:
        server.process.kill()
        server.process.wait()


def our_watch(binary: Path, at: Path) -> object:
    environment = {"HOME": str(at / HOME), "PATH": os.environ["PATH"]}
    command = [str(binary), "list", "--watch", "--agent", "codex", "--json", "--for", "15"]
    process = subprocess.Popen(command, cwd=at / PROJECT, env=environment, stdout=subprocess.PIPE, encoding="utf-8")
    time.sleep(3)
    files(at, {"home/.agents/skills/later/SKILL.md": skill("later")})
    try:
        return "by itself" if any('"later"' in line for line in process.stdout) else "not at all"
    finally:
        process.kill()
        process.wait()


# OpenCode

RELEASE = "---\nname: internal-release\ndescription: Releases.\n---\n\nRelease $1 to $2.\n"
OPENCODE = {
    **git(),
    "home/.config/opencode/skills/internal-release/SKILL.md": RELEASE,
    "home/.config/opencode/skills/notes/SKILL.md": skill("notes", "Takes notes."),
    "home/.config/opencode/opencode.json": '{"permission": {"skill": {"internal-*": "deny"}}, "skills": {"urls": ["{MODEL_URL}/skills"]}}',
}


def opencode_run(at: Path, *words: str) -> dict:
    config = at / HOME / ".config/opencode/opencode.json"
    before = config.read_text()
    command = [install.npm_program("opencode"), "run", "--title", "t", "--model", "anthropic/claude-sonnet-4-5", *words]
    try:
        environment = {"ANTHROPIC_API_KEY": "none", "PEER_FILL": str(config)}
        request, said = programs.asked("opencode", command, World("transcript", "", ()), at, environment)
    finally:
        config.write_text(before)
    return request or {"failure": said}


def opencode_menu(at: Path) -> object:
    request = opencode_run(at, "hello")
    system = "\n".join(part["text"] for part in request.get("system", [])) or str(request)
    return sorted(name for name in ("internal-release", "notes", "remote") if f"<name>{name}</name>" in system)


class Site(http.server.BaseHTTPRequestHandler):
    """The same index, for `skillful add`."""

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        kind, body = model_server.DOWNLOADS.get(self.path, ("text/plain", b""))
        self.send_response(200 if body else 404)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def our_menu(binary: Path, at: Path) -> object:
    """The menu, with the skill of the index installed as a user would."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    files(at, {"home/.config/skillful/sources.toml": "loopback = true\n"})
    skillful(binary, at, "add", f"http://127.0.0.1:{server.server_port}/skills", "--agent", "opencode", "--global", "--yes")
    skillful(binary, at, "review", "approve", "remote")
    server.shutdown()
    answer = json.loads(skillful(binary, at, "ask", "--agent", "opencode", "--json", "--", "hello"))
    text = "\n".join(part["text"] for part in answer["context"]["parts"])
    return sorted(name for name in ("internal-release", "notes", "remote") if re.search(rf"<name>\s*{name}\s*</name>", text))


SENTENCE = re.compile(r"Release [^\n]*?\.")


def opencode_slash(at: Path) -> object:
    request = opencode_run(at, "--command", "internal-release", "site", "to", "the", "world")
    found = SENTENCE.findall("\n".join(model_server.texts(request)))
    return found[0] if found else str(request)[:500]


def our_slash(binary: Path, at: Path) -> object:
    message = "/internal-release site to the world"
    answer = json.loads(skillful(binary, at, "ask", "--agent", "opencode", "--json", "--", message))
    found = SENTENCE.findall("\n".join(part["text"] for part in answer["context"]["parts"]))
    return found[0] if found else ""


# Gemini CLI

GEMINI = {
    **git(),
    "work/.agents/skills/deploy/SKILL.md": skill("deploy", "Of the repository."),
    "home/.agents/skills/deploy/SKILL.md": skill("deploy", "Of the user."),
    "home/.gemini/skills/lint/SKILL.md": skill("lint", "Lints."),
    "home/.gemini/extensions/ext/gemini-extension.json": '{"name": "ext", "version": "1.0.0"}',
    "home/.gemini/extensions/ext/skills/two/SKILL.md": skill("two"),
}
GEMINI_LIST = [
    ("deploy", "work/.agents/skills/deploy/SKILL.md"),
    ("lint", "home/.gemini/skills/lint/SKILL.md"),
    ("two", "home/.gemini/extensions/ext/skills/two/SKILL.md"),
]

WORLDS = {"codex": CODEX, "opencode": OPENCODE, "gemini": GEMINI}
CLAIMS = (
    Claim("codex", "scopes, a switch per path, and plugins that qualify", listed("codex"), our_list("codex"), CODEX_LIST),
    Claim("codex", "mentions by name, by path, of a quiet skill and of a plugin", codex_injected, our_injected, sorted(INJECTED)),
    Claim("codex", "a skill that comes while it runs is there", codex_watch, our_watch, "by itself", real="after a reload",
        why="without a thread its app server keeps the list of a folder until a client forces a reload"),
    Claim("opencode", "a denied skill is not in the menu, one of the index is", opencode_menu, our_menu, ["notes", "remote"]),
    Claim("opencode", "the last placeholder takes the rest", opencode_slash, our_slash, "Release site to to the world."),
    Claim("gemini", "the project wins, extensions bring skills", listed("gemini"), our_list("gemini-cli"), GEMINI_LIST),
)


def judge(claim: Claim, binary: Path, scratch: Path) -> bool:
    answers = []
    for who, ask in (("theirs", lambda at: claim.theirs(at)), ("ours", lambda at: claim.ours(binary, at))):
        at = (scratch / f"{claim.peer}-{len(os.listdir(scratch))}-{who}").resolve()
        files(at, WORLDS[claim.peer])
        try:
            answers.append(ask(at))
        except (subprocess.TimeoutExpired, KeyError, ValueError) as error:
            answers.append(f"no answer: {error!r}")
    expected = claim.real if claim.why else claim.expected
    holds = answers == [expected, claim.expected]
    print(f"{'ok   ' if holds else 'WRONG'} {claim.peer}: {claim.what}" + (f" (differs: {claim.why})" if claim.why else ""))
    if not holds:
        print(f"      expected {claim.expected}\n      {claim.peer} {answers[0]}\n      skillful {answers[1]}")
    return holds


def system_skills(binary: Path, scratch: Path) -> bool:
    """Codex writes the skills that it brings; ours must list the same from that very folder."""
    at = (scratch / "codex-system").resolve()
    files(at, CODEX)
    theirs = codex_system(at)
    mine = our_system(binary, at)
    holds = bool(theirs) and theirs == mine
    print(f"{'ok   ' if holds else 'WRONG'} codex: system skills, as it wrote them: {theirs if holds else (theirs, mine)}")
    return holds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=Path, default=None)
    parser.add_argument("--peer", choices=WORLDS, action="append", help="only claims about this program")
    options = parser.parse_args()
    binary = options.binary or ours.binary()
    if binary is None:
        print("build skillful first: cargo build --release -p skillful-cli", file=sys.stderr)
        return 2
    binary = binary.resolve()
    install.ensure()
    peers = options.peer or list(WORLDS)
    with tempfile.TemporaryDirectory(prefix="peers-seeds-", ignore_cleanup_errors=True) as folder:
        scratch = Path(folder)
        good = [judge(claim, binary, scratch) for claim in CLAIMS if claim.peer in peers]
        if "codex" in peers:
            good.append(system_skills(binary, scratch))
    print(f"{len(good)} claims, {good.count(False)} wrong")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
