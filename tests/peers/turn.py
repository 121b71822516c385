#!/usr/bin/env python3
"""A turn, asked of the real Codex and of `skillful ask --agent codex`: which skills does a message bring?

    python3 tests/peers/turn.py [--binary PATH]

Codex runs against a model server on loopback that keeps what it is sent. The instructions it
injects are compared message by message; each difference below is deliberate and says why, and any
other makes the run fail.
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
from dataclasses import dataclass
from pathlib import Path

import install
import ours

SKILLS = {
    ".agents/skills/alpha": "name: alpha\ndescription: Does alpha things.",
    ".agents/skills/beta": "name: beta\ndescription: Does beta things.",
    ".agents/skills/quiet": "name: quiet\ndescription: Only when asked.",
    ".agents/skills/one/dup": "name: dup\ndescription: The first of two.",
    ".agents/skills/two/dup": "name: dup\ndescription: The second of two.",
    ".agents/skills/tail": "name: tail\ndescription: Stands at the end.",
}
QUIET = "policy:\n  allow_implicit_invocation: false\n"


@dataclass(frozen=True)
class Case:
    message: str
    why: str = ""
    """Why we differ; empty when we must not."""


CASES = (
    Case("nothing named here"),
    Case("use $alpha now"),
    Case("use $beta then $alpha"),
    Case("$quiet please"),
    Case("$nobody and $PATH and $HOME"),
    Case("($alpha) and $beta."),
    Case("[$alpha]({home}/.agents/skills/alpha/SKILL.md)"),
    Case("[$alpha]({home}/nowhere/SKILL.md)"),
    Case("[$dup]({home}/.agents/skills/two/dup/SKILL.md)"),
    Case("$alpha $alpha $alpha"),
    Case("price is US$alpha today", "a mention starts at the left end of a word"),
    Case("write `$alpha` literally", "code holds no mentions"),
    Case("use $dup now", "the stronger of two skills of a name is meant; Codex takes none and says nothing"),
)


class Model(http.server.BaseHTTPRequestHandler):
    """Answers `ok` to everything and keeps the last request."""

    kept: bytes = b"{}"

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self._send("application/json", b'{"data": [], "models": []}')

    def do_POST(self) -> None:
        Model.kept = self.rfile.read(int(self.headers.get("content-length", 0)))
        message = {"type": "message", "role": "assistant", "id": "m", "content": [{"type": "output_text", "text": "ok"}]}
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        events = (
            {"type": "response.created", "response": {"id": "r"}},
            {"type": "response.output_item.done", "item": message},
            {"type": "response.completed", "response": {"id": "r", "usage": usage}},
        )
        self._send("text/event-stream", "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events).encode())

    def _send(self, kind: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def world(home: Path, port: int) -> None:
    for folder, header in SKILLS.items():
        at = home / folder
        at.mkdir(parents=True)
        (at / "SKILL.md").write_text(f"---\n{header}\n---\n\nInstructions of {folder}.\n")
    (home / ".agents/skills/quiet/agents").mkdir()
    (home / ".agents/skills/quiet/agents/openai.yaml").write_text(QUIET)
    (home / "work/.git").mkdir(parents=True)
    (home / ".codex").mkdir()
    (home / ".codex/config.toml").write_text(
        "[analytics]\nenabled = false\n[skills.bundled]\nenabled = false\n"
        f'[model_providers.here]\nname = "here"\nbase_url = "http://127.0.0.1:{port}/v1"\nwire_api = "responses"\n'
    )


def texts(request: dict) -> list[str]:
    """The texts of a request, in order."""
    found = []
    for item in request.get("input", []):
        content = item.get("content")
        found += [part.get("text", "") for part in content] if isinstance(content, list) else []
    return found


def injected(parts: list[str]) -> list[str]:
    """The files whose instructions stand in `<skill>` envelopes."""
    return sorted(path for text in parts for path in re.findall(r"^<skill>\n<name>.*?</name>\n<path>(.*?)</path>", text, re.M))


def menu(parts: list[str]) -> set[str]:
    """Names and descriptions of the section of skills."""
    section = next((text for text in parts if text.startswith("<skills_instructions>")), "")
    return set(re.findall(r"^- ([^:`\n]+: [^\n]*?) \([^()\n]*\)$", section, re.M))


def ask_codex(home: Path, message: str, folder: Path | None = None) -> list[str]:
    environment = {"HOME": str(home), "CODEX_HOME": str(home / ".codex"), "PATH": os.environ["PATH"]}
    command = [str(install.codex_binary()), "exec", "--skip-git-repo-check", "-s", "read-only"]
    command += ["-c", "model_provider=here", "-c", "model=gpt-5", message]
    Model.kept = b"{}"
    subprocess.run(command, cwd=folder or home / "work", env=environment, capture_output=True, stdin=subprocess.DEVNULL, timeout=120)
    return texts(json.loads(Model.kept))


def ask_ours(binary: Path, home: Path, message: str) -> list[str]:
    command = [binary, "ask", "--agent", "codex", "--json", "--", message]
    environment = {"HOME": str(home), "PATH": os.environ["PATH"]}
    done = subprocess.run(command, cwd=home / "work", env=environment, capture_output=True, check=True)
    return [part["text"] for part in json.loads(done.stdout)["context"]["parts"]]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=Path, default=None)
    binary = parser.parse_args().binary or ours.binary()
    if binary is None:
        print("build skillful first: cargo build --release -p skillful-cli", file=sys.stderr)
        return 2
    install.ensure()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="peers-turn-") as scratch:
        home = Path(scratch).resolve()
        world(home, server.server_port)
        for case in CASES:
            message = case.message.replace("{home}", str(home))
            theirs, mine = ask_codex(home, message), ask_ours(binary, home, message)
            equal = injected(theirs) == injected(mine)
            as_said = equal == (not case.why)
            word = "equal" if equal else "deliberate" if case.why else "UNEXPLAINED"
            print(f"{word if as_said else 'UNEXPLAINED':12} {case.message}" + (f"  ({case.why})" if case.why else ""))
            if not as_said:
                wrong += 1
                print(f"    codex: {injected(theirs)}\n    ours:  {injected(mine)}")
        # One menu for all messages: two of one name stay there, and one here.
        extra = menu(theirs) ^ menu(mine)
        expected = {line for line in extra if line.startswith("dup: ")}
        print(f"{'equal' if extra <= expected else 'UNEXPLAINED':12} the menu, but for the shadowed one of two names")
        if not extra <= expected or not menu(mine):
            wrong += 1
            print(f"    codex: {sorted(menu(theirs))}\n    ours:  {sorted(menu(mine))}")
    print(f"{len(CASES) + 1} questions, {wrong} unexplained")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
