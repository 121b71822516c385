#!/usr/bin/env python3
"""What reaches a model of `skillful mcp`, in the real Claude Code, Codex, OpenCode and Gemini CLI.

    python3 tests/peers/mcp_models.py [--binary PATH] [--peer NAME] [--keep FOLDER]

Each program starts with `skillful mcp` as its server, as the README says, and runs against `model_server.py`, whose model
searches, loads a short skill, and loads a long one part by part. What the server sent is recorded between it and the program, what
the model got is in the requests of the program, and both are compared byte by byte.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import install
import model_server
import ours
import programs
from fixtures import HOME, PROJECT, World, build, git, skill

SERVER = "skillful"
LINES = 900
LONG = "".join(f"{line}. Line {line} of the long skill, “quoted”, with a \\ and a tab\t.\n" for line in range(1, LINES + 1))
FILES = git() | {
    f"{HOME}/.agents/skills/greet/SKILL.md": skill("greet", "Greets a new colleague.", body="Say “hello”.\n\n- one\n- two\n"),
    f"{HOME}/.agents/skills/long/SKILL.md": skill("long", "Has many lines.", body=LONG),
}
MOST_PARTS = 12
CALLS: list[tuple[str, dict]] = [
    ("search_skills", {"query": "quarterly figures of zebras"}),
    ("use_skill", {"name": "greet"}),
    ("use_skill", {"name": "long"}),
    *(("use_skill", {"name": "long", "part": part}) for part in range(2, MOST_PARTS + 1)),
]
# Claude Code shows the tools of servers to a model that searched for them.
SEARCH = ("ToolSearch", {"query": f"select:mcp__{SERVER}__search_skills,mcp__{SERVER}__use_skill"})


@dataclass
class Heard:
    """What one program did: the server's answers, and what its model got of each."""

    client: str = ""
    tools: list[str] = field(default_factory=list)
    tool_bytes: int = 0
    sent: list[str] = field(default_factory=list)
    got: list[str] = field(default_factory=list)
    failure: str = ""


def _command(binary: Path, at: Path) -> list[str]:
    """The server, with a copy of both directions beside it."""
    script = f'tee "{at}/to-server" | "{binary}" mcp 2>"{at}/server-stderr" | tee "{at}/from-server"'
    return ["sh", "-c", script]


def _configure(peer: str, command: list[str], at: Path) -> None:
    program, *arguments = command
    declared = {"command": program, "args": arguments}
    home = at / HOME
    if peer == "codex":
        (home / ".codex").mkdir(exist_ok=True)
        (home / ".codex/config.toml").write_text(
            f"[mcp_servers.{SERVER}]\ncommand = {json.dumps(program)}\nargs = {json.dumps(arguments)}\n"
            "[analytics]\nenabled = false\n[skills.bundled]\nenabled = false\n"
            '[model_providers.here]\nname = "here"\nbase_url = "{MODEL_URL}/v1"\nwire_api = "responses"\n'
        )
    elif peer == "opencode":
        (home / ".config/opencode").mkdir(parents=True)
        server = {"type": "local", "command": command}
        (home / ".config/opencode/opencode.json").write_text(json.dumps({"mcp": {SERVER: server}}))
    elif peer == "gemini":
        (home / ".gemini").mkdir()
        (home / ".gemini/settings.json").write_text(json.dumps({"mcpServers": {SERVER: declared | {"trust": True}}}))
    else:
        (at / "mcp.json").write_text(json.dumps({"mcpServers": {SERVER: declared}}))


def _arguments(peer: str, at: Path) -> tuple[list, dict[str, str]]:
    if peer == "codex":
        config = at / HOME / ".codex/config.toml"
        command = [install.codex_binary(), "exec", "--skip-git-repo-check", "-s", "danger-full-access"]
        return [*command, "-c", "model_provider=here", "-c", "model=gpt-5", "hello"], {"PEER_FILL": str(config)}
    if peer == "opencode":
        command = [install.npm_program("opencode"), "run", "--title", "t", "--model", "anthropic/claude-sonnet-4-5", "hello"]
        return command, {"ANTHROPIC_API_KEY": "none"}
    if peer == "gemini":
        command = [install.npm_program("gemini"), "--model", "gemini-2.5-pro", "--prompt", "hello"]
        return command, {"GOOGLE_API_KEY": "none", "GOOGLE_GENAI_USE_VERTEXAI": "true"}
    command = [install.claude_binary(), "-p", "hello", "--permission-mode", "bypassPermissions", "--mcp-config", at / "mcp.json"]
    return command, {"IS_SANDBOX": "1"}


def _results(request: dict) -> list[str]:
    """The results of tools in a request, in every wire format, as the model reads them."""
    found: list[str] = []
    for item in request.get("input", []):
        if item.get("type") == "function_call_output":
            found.append(_text(item["output"]))
    for message in request.get("messages", []):
        parts = message["content"] if isinstance(message["content"], list) else []
        found += [_text(part["content"]) for part in parts if part.get("type") == "tool_result"]
    for content in request.get("contents", []):
        for part in content.get("parts", []):
            if answer := part.get("functionResponse"):
                found.append(answer["response"].get("output") or json.dumps(answer["response"], ensure_ascii=False))
    return found


def _text(content: str | list) -> str:
    return content if isinstance(content, str) else "".join(part.get("text", str(part)) for part in content)


def _answers(at: Path) -> list[str]:
    """The texts that the server sent for calls, in order."""
    lines = [json.loads(line) for line in (at / "from-server").read_text().splitlines()]
    results = [line["result"] for line in lines if "content" in line.get("result", {})]
    return ["".join(part["text"] for part in result["content"]) for result in results]


def _client(at: Path) -> str:
    for line in (at / "to-server").read_text().splitlines():
        message = json.loads(line)
        client = message.get("params", {}).get("clientInfo")
        if client:
            return client["name"]
    return ""


def hear(peer: str, binary: Path, at: Path) -> Heard:
    world = World("mcp", "", (), files=FILES)
    at = build(world, at)
    _configure(peer, _command(binary, at), at)
    command, env = _arguments(peer, at)
    calls = [SEARCH, *CALLS] if peer == "claude" else CALLS
    env = programs.environment_for(peer, world, at) | env | {"PEER_CALLS": json.dumps(calls), "PEER_SKIP_ALL": "1"}
    record = at / "requests.json"
    command = [sys.executable, model_server.__file__, record, *command]
    with (at / "stdout.txt").open("wb") as out:
        streams = {"stdin": subprocess.DEVNULL, "stdout": out, "stderr": subprocess.STDOUT}
        with programs.started(command, at / PROJECT, env, **streams) as process:
            programs.ended(process)
    heard = Heard()
    requests = [entry["body"] for entry in json.loads(record.read_text())] if record.exists() else []
    requests = [body for body in requests if any("use_skill" in name for name in model_server.tool_names(body))]
    if not requests:
        heard.failure = (at / "stdout.txt").read_text(errors="replace")[-2000:]
        return heard
    heard.client = _client(at)
    heard.tools = [name for name in model_server.tool_names(requests[0]) if SERVER in name]
    heard.sent = _answers(at)
    heard.got = _results(requests[-1])
    return heard


PEERS = ("claude", "codex", "opencode", "gemini")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=Path, default=None)
    parser.add_argument("--peer", choices=PEERS, action="append")
    parser.add_argument("--keep", type=Path, help="keep what was recorded in this folder")
    options = parser.parse_args()
    binary = options.binary or ours.binary()
    if binary is None:
        print("build skillful first: cargo build --release -p skillful-cli", file=sys.stderr)
        return 2
    install.ensure()
    with tempfile.TemporaryDirectory(prefix="peers-mcp-") as scratch:
        for peer in options.peer or PEERS:
            heard = hear(peer, binary.resolve(), Path(scratch) / peer)
            print(peer, heard.client, heard.tools, [len(t) for t in heard.sent], [len(t) for t in heard.got], heard.failure)
        if options.keep:
            shutil.copytree(scratch, options.keep, dirs_exist_ok=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
