#!/usr/bin/env python3
"""Proof against others: the official clients against the server that our own tests use.

    python3 tests/sdk/run.py                 everything, with a table
    python3 tests/sdk/run.py --server PATH   this build of the server

What they understand is what our client is tested with, and what they may send
is what ours may send.  Needs the package index once, for about 60 MB below
target/sdk/.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import traceback
import typing
from collections.abc import Iterator
from pathlib import Path

import install

HERE = Path(__file__).resolve().parent
STOP_SECONDS = 30


def build() -> Path:
    """The server, built by the workspace's own cargo."""
    # With the features of the whole workspace, so that what its tests built is used again.
    command = ["cargo", "build", "--quiet", "--locked", "--workspace", "--bin", "model-server"]
    done = subprocess.run(
        [*command, "--message-format=json"], cwd=install.REPOSITORY, stdout=subprocess.PIPE, text=True, check=True
    )
    built = (json.loads(line) for line in done.stdout.splitlines() if line.startswith("{"))
    programs = [one["executable"] for one in built if one.get("executable")]
    return Path(programs[-1])


class Server:
    """The server with a script; it ends with its standard input, whatever becomes of us."""

    def __init__(self, program: Path, script: Path) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([program, script], stdin=pipe, stdout=pipe, text=True)
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip()

    def end(self) -> list[str]:
        """Its complaints."""
        try:
            out, _ = self.process.communicate("", timeout=STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        return out.splitlines()


@contextlib.contextmanager
def script_file() -> Iterator[Path]:
    from script import SCRIPT

    with tempfile.TemporaryDirectory(prefix="sdk-") as scratch:
        path = Path(scratch) / "script.json"
        path.write_text(json.dumps(SCRIPT))
        yield path


def talk(program: Path) -> int:
    import talk_anthropic
    import talk_openai
    import talk_responses

    failed = 0
    with script_file() as script:
        modules = (("anthropic", talk_anthropic), ("openai", talk_openai), ("responses", talk_responses))
        for name, module in modules:
            server = Server(program, script)
            wanted = 0
            try:
                for case in module.cases(server.url):
                    wanted += case.complains
                    try:
                        case.run()
                        print(f"ok      {name}: {case.name}")
                    except Exception:
                        failed += 1
                        print(f"FAILED  {name}: {case.name}\n{traceback.format_exc()}")
            finally:
                complaints = server.end()
            if len(complaints) != wanted:
                failed += 1
                print(f"FAILED  {name}: {len(complaints)} complaints, wanted {wanted}")
                print("\n".join(complaints))
    return failed


def unknown_models() -> list[str]:
    """Models that the program names by itself and that the clients do not know, or know to end."""
    from anthropic.resources.messages.messages import DEPRECATED_MODELS
    from anthropic.types import Model
    from openai.types.shared import ChatModel

    table = install.REPOSITORY / "crates" / "assistant" / "src" / "models" / "known.rs"
    named = set(re.findall(r'"((?:claude|gpt)-[a-z]*-?[0-9][a-z0-9.-]*)"', table.read_text()))
    known = set(typing.get_args(typing.get_args(Model)[0])) | set(typing.get_args(ChatModel))
    return sorted(model for model in named if model not in known or model in DEPRECATED_MODELS) or ([] if named else ["none"])


def main() -> int:
    parser = argparse.ArgumentParser(description="the official clients against the scripted server")
    parser.add_argument("--server", type=Path, help="the server (default: built now)")
    options = parser.parse_args()
    python = install.ensure()
    if Path(sys.prefix) != python.parents[1]:
        os.execv(python, [str(python), *sys.argv])
    # Neither a proxy nor a key of this machine has a part in it.
    for name in list(os.environ):
        if name.lower().endswith("_proxy") or name.startswith(("ANTHROPIC_", "OPENAI_")):
            del os.environ[name]
    behind = subprocess.run([sys.executable, HERE / "schemas.py", "--check"], check=False).returncode
    print(f"{'FAILED' if behind else 'ok    '}  the schemas are those of the clients' types")
    gone = unknown_models()
    print(f"{'FAILED' if gone else 'ok    '}  the models that we name are there {' '.join(gone)}")
    failed = talk(options.server or build())
    return 1 if behind or gone or failed else 0


if __name__ == "__main__":
    sys.exit(main())
