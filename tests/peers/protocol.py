#!/usr/bin/env python3
"""Proof against others: the protocol's own clients and its conformance suite, against `skillful mcp`.

    python3 tests/peers/protocol.py                      everything, with a table
    python3 tests/peers/protocol.py --only conformance   one of sdk, inspector, conformance, speed
    python3 tests/peers/protocol.py --binary PATH        this program

Needs the package indexes once, for about 450 MB below target/peers/mcp/.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import venv
from collections.abc import Iterator
from pathlib import Path

import ours

HERE = Path(__file__).resolve().parent
PLACE = HERE.parents[1] / "target" / "peers" / "mcp"
MODULES = PLACE / "npm" / "node_modules"
NODE = MODULES / "node" / "bin" / "node"
PYTHON = PLACE / "venv" / "bin" / "python"
PYTHON_SDK = "2.3.0"
# The suite needs a newer Node than most machines have; this package brings one.
NPM = {
    "node": "22.23.3",
    "@modelcontextprotocol/conformance": "0.2.0-alpha.12",
    "@modelcontextprotocol/inspector": "2.12.0",
}
TOKEN = "a-token-that-only-this-suite-knows"
# The one check that every scenario has.
EVERYWHERE = "wire-schema-valid"
PARTS = ("sdk", "inspector", "conformance", "speed")
# What the issue asks for, in milliseconds, on a release build.
START_LIMIT, TOOLS_LIMIT = 30.0, 5.0

Row = tuple[str, str, str]


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def install() -> None:
    """Install whatever is missing or has another version than the pinned one."""
    (PLACE / "npm").mkdir(parents=True, exist_ok=True)
    probe = "import importlib.metadata as m; print(m.version('mcp'))"
    have = subprocess.run([PYTHON, "-c", probe], capture_output=True, text=True) if PYTHON.exists() else None
    if have is None or have.stdout.strip() != PYTHON_SDK:
        say(f"installing mcp {PYTHON_SDK}")
        venv.create(PYTHON.parents[1], with_pip=True, clear=True)
        pip = [PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, f"mcp=={PYTHON_SDK}"], check=True)

    def installed(package: str) -> str | None:
        manifest = MODULES / package / "package.json"
        return json.loads(manifest.read_text())["version"] if manifest.exists() else None

    wanted = [f"{name}@{version}" for name, version in NPM.items() if installed(name) != version]
    if wanted:
        say(f"installing {', '.join(wanted)}")
        (PLACE / "npm" / "package.json").write_text('{"private": true}\n')
        npm = ["npm", "install", "--no-audit", "--no-fund", "--silent"]
        subprocess.run([*npm, *(f"{name}@{version}" for name, version in NPM.items())], cwd=PLACE / "npm", check=True)


def world(home: Path) -> None:
    """A small library: a skill with files, a pipeline, one for persons only, and the suite's prompts."""

    def write(path: str, content: str | bytes) -> None:
        file = home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)

    skills = ".agents/skills"
    write(f"{skills}/demo/SKILL.md", '---\nname: demo\ndescription: Shows files.\nmetadata:\n  version: "1.0"\n---\n\nRead `references/api.md` about $ARGUMENTS.\n')
    write(f"{skills}/demo/references/api.md", "# API\n")
    write(f"{skills}/demo/references/deep/notes.txt", "deep\n")
    write(f"{skills}/demo/scripts/run.py", "print(1)\n")
    write(f"{skills}/demo/logo.png", b"\x89PNG\r\n\x1a\n\x00\xff")
    write(f"{skills}/first/SKILL.md", "---\nname: first\ndescription: Starts a pipeline.\nnext_skill: demo\n---\n\nStart.\n")
    write(f"{skills}/persons/SKILL.md", "---\nname: persons\ndescription: For persons.\ndisable-model-invocation: true\n---\n\nHello.\n")
    # Names with underscores are no names of skills, but commands may have them.
    write(".claude/commands/test_simple_prompt.md", "---\ndescription: Simple.\n---\nThis is a simple prompt for testing.\n")
    write(
        ".claude/commands/test_prompt_with_arguments.md",
        '---\ndescription: With arguments.\narguments: [arg1, arg2]\nargument-hint: "[hello|help] [x|y]"\n---\nPrompt with arguments: arg1=$arg1, arg2=$arg2\n',
    )


def environment(home: Path, **more: str) -> dict[str, str]:
    return {"HOME": str(home), "PATH": os.environ["PATH"], **more}


@contextlib.contextmanager
def over_http(program: Path, home: Path, *options: str, **more: str) -> Iterator[str]:
    """The program at an address of its own choice."""
    command = [program, "mcp", "--http", "127.0.0.1:0", *options]
    with subprocess.Popen(command, cwd=home, env=environment(home, **more), stderr=subprocess.PIPE, text=True) as server:
        try:
            for line in server.stderr:
                if line.startswith("listening at "):
                    yield line.split()[2].rstrip(";")
                    return
            raise SystemExit("the server did not start")
        finally:
            server.kill()


def sdk(program: Path, home: Path) -> list[Row]:
    rows = []
    with over_http(program, home, SKILLFUL_MCP_TOKEN=TOKEN) as url:
        for how in (["stdio", str(program), str(home)], ["http", url, TOKEN]):
            done = subprocess.run([PYTHON, HERE / "protocol_sdk.py", *how], capture_output=True, text=True, timeout=120)
            found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
            rows += [(f"sdk {how[0]}: {what}", "pass" if not wrong else "FAIL", wrong) for what, wrong in found]
            if done.returncode != 0:
                rows.append((f"sdk {how[0]}", "FAIL", done.stderr.strip()[-300:]))
    return rows


def inspector(program: Path, home: Path) -> list[Row]:
    rows = []

    def ask(target: list[str], label: str, expect: str, *options: str) -> None:
        command = [NODE, MODULES / ".bin" / "mcp-inspector", "--cli", *target, *options]
        done = subprocess.run(command, cwd=home, env=environment(home), capture_output=True, text=True, timeout=60)
        fits = expect in done.stdout and done.returncode == 0
        rows.append((f"inspector {label}", "pass" if fits else "FAIL", "" if fits else (done.stdout + done.stderr)[-300:]))

    questions: list[tuple[str, str, list[str]]] = [
        ("tools/list", '"use_skill"', ["--method", "tools/list", "--strict"]),
        ("use_skill", "Read `references/api.md` about x.", ["--method", "tools/call", "--tool-name", "use_skill", "--tool-arg", "name=demo", "arguments=x"]),
        ("prompts/list", '"persons"', ["--method", "prompts/list"]),
        ("prompts/get", "arg1=a", ["--method", "prompts/get", "--prompt-name", "test_prompt_with_arguments", "--prompt-args", "arg1=a", "arg2=b"]),
        ("resources/list", "skill://demo/SKILL.md", ["--method", "resources/list"]),
        ("resources/read", "# API", ["--method", "resources/read", "--uri", "skill://demo/references/api.md"]),
        ("skills/list --verify", "skill://demo/SKILL.md", ["--method", "skills/list", "--verify"]),
        ("skills/get --verify", "sha256:", ["--method", "skills/get", "--uri", "skill://demo/SKILL.md", "--verify"]),
        ("resources/directory/read", "inode/directory", ["--method", "resources/directory/read", "--uri", "skill://demo"]),
    ]
    with over_http(program, home, SKILLFUL_MCP_TOKEN=TOKEN) as url:
        for label, expect, options in questions:
            ask([str(program), "mcp"], f"stdio {label}", expect, *options)
            ask([url, "--header", f"Authorization: Bearer {TOKEN}"], f"http {label}", expect, *options)
    return rows


def conformance(program: Path, home: Path) -> list[Row]:
    """Every server scenario. A check that fails must be on the list with its reason, and the reverse.

    A scenario that asks only for things of the suite's own example server shows nothing about us even where it
    succeeds, for instance because a tool that does not exist is an error as wanted. Such a one is "empty", never
    a pass.
    """
    expected: dict[str, dict] = tomllib.loads((HERE / "protocol_expected.toml").read_text())
    out = PLACE / "conformance"
    shutil.rmtree(out, ignore_errors=True)
    with over_http(program, home, "--no-token") as url:
        command = [NODE, MODULES / ".bin" / "conformance", "server", "--url", url, "--suite", "all", "-o", out]
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=600)
    rows, seen = [], set()
    for folder in sorted(out.iterdir(), key=lambda folder: folder.name):
        # server-<scenario>-<time>
        scenario = re.sub(r"-\d{4}-\d\d-\d\dT[\d-]+Z$", "", folder.name.removeprefix("server-"))
        every = json.loads((folder / "checks.json").read_text())
        # The messages of each scenario are checked against the schema; that is no result of its own, unless it fails.
        checks = [check for check in every if check["id"] != EVERYWHERE or check["status"] == "FAILURE"]
        count = {status: sum(check["status"] == status for check in checks) for status in ("SUCCESS", "FAILURE", "WARNING")}
        failed = {check["id"] for check in checks if check["status"] == "FAILURE"}
        known = expected.get(scenario, {})
        seen.add(scenario)
        surprises = failed ^ set(known.get("checks", []))
        empty = known.get("empty", False) or not (count["SUCCESS"] or count["FAILURE"])
        figures = f"{count['SUCCESS']} passed, {count['FAILURE']} failed, {count['WARNING']} warnings"
        if surprises:
            state, note = "FAIL", f"{figures}; unexpected: {', '.join(sorted(surprises))}"
        elif failed or empty:
            state, note = "as expected" if failed else "empty", f"{figures}; {known.get('reason', 'nothing was checked')}"
        else:
            state, note = "pass", figures
        rows.append((f"conformance {scenario}", state, note))
    rows += [(f"conformance {name}", "FAIL", "the list names a scenario that did not run") for name in expected.keys() - seen]
    return rows


def speed(program: Path, home: Path) -> list[Row]:
    """From the start of the program to the answer of `initialize`, and `tools/list` over a thousand skills."""
    for number in range(1000):
        folder = home / ".claude" / "skills" / f"bulk-{number}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "SKILL.md").write_text(f"---\nname: bulk-{number}\ndescription: Does the thing {number}.\n---\n\nDo it.\n")
    starts, tools = [], []
    for _ in range(11):
        begin = time.perf_counter()
        with subprocess.Popen([program, "mcp"], cwd=home, env=environment(home), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:

            def ask(number: int, method: str, params: dict) -> None:
                message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
                server.stdin.write(json.dumps(message).encode() + b"\n")
                server.stdin.flush()
                while json.loads(server.stdout.readline()).get("id") != number:
                    pass

            ask(1, "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "speed", "version": "1"}})
            starts.append((time.perf_counter() - begin) * 1000)
            server.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
            # All thousand are known before the clock runs.
            ask(2, "tools/call", {"name": "list_skills", "arguments": {"limit": 1}})
            begin = time.perf_counter()
            ask(3, "tools/list", {})
            tools.append((time.perf_counter() - begin) * 1000)
            server.stdin.close()
    rows = []
    for what, times, limit in (("start to initialize", starts, START_LIMIT), ("tools/list, 1,000 skills", tools, TOOLS_LIMIT)):
        middle = sorted(times)[len(times) // 2]
        state = "pass" if middle <= limit else "FAIL"
        rows.append((f"speed {what}", state, f"median {middle:.2f} ms, worst {max(times):.2f} ms, limit {limit:.0f} ms"))
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description="the protocol's own clients and suite against skillful mcp")
    parser.add_argument("--binary", type=Path, help="the program [default: the newest build]")
    parser.add_argument("--only", choices=PARTS, action="append", help="only this part (repeatable)")
    options = parser.parse_args()
    found = options.binary or ours.binary()
    if found is None:
        parser.error("build skillful first, or name it with --binary")
    program = found.resolve()
    install()
    rows: list[Row] = []
    for part in options.only or PARTS:
        with tempfile.TemporaryDirectory(prefix="mcp-peers-") as scratch:
            home = Path(scratch)
            world(home)
            rows += globals()[part](program, home)
    width = max(len(name) for name, _, _ in rows)
    for name, state, note in rows:
        print(f"{name:<{width}}  {state:<11}  {note}")
    states = [state for _, state, _ in rows]
    told = ((states.count(state), state) for state in ("pass", "as expected", "empty", "FAIL"))
    print("\n" + ", ".join(f"{number} {state}" for number, state in told))
    return 1 if "FAIL" in states else 0


if __name__ == "__main__":
    sys.exit(main())
