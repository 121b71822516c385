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
import re
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
import registry
from fixtures import HOME, PROJECT, World, build, git, skill

SERVER = "skillful"
LINES = 900
LONG = "".join(f"{line}. Line {line} of the long skill, “quoted”, with a \\ and a tab\t.\n" for line in range(1, LINES + 1))
FILES = git() | {
    # Without the skills that come with the program, so that the search finds none.
    f"{HOME}/.config/skillful/config.toml": "system = false\n",
    f"{HOME}/.agents/skills/greet/SKILL.md": skill("greet", "Greets a new colleague.", body="Say “hello”.\n\n- one\n- two\n"),
    f"{HOME}/.agents/skills/long/SKILL.md": skill("long", "Has many lines.", body=LONG),
}
TOOLS = {"use_skill", "read_skill_file", "list_skills", "search_skills", "skill_management"}
"""Without `skill_transition`: no skill here names a next one."""


@dataclass(frozen=True)
class Client:
    """What a program is expected to do with results."""

    name: str
    """What it calls itself."""
    parts: int
    """Parts of the long skill."""
    before: str = ""
    after: str = ""
    """What it puts around a result: a pattern, and a text."""


CLIENTS = {
    "claude": Client("claude-code", 2),
    "codex": Client("codex-mcp-client", 7, before=r"Wall time: [0-9.]+ seconds\nOutput:"),
    "opencode": Client("opencode", 2),
    "gemini": Client("gemini-cli-mcp-client", 2, before="<untrusted_context>\n", after="\n</untrusted_context>"),
}


def calls(client: Client) -> list[tuple[str, dict]]:
    further = (("use_skill", {"name": "long", "part": part}) for part in range(2, client.parts + 1))
    words = ("search_skills", {"query": "quarterly figures of zebras"})
    return [words, ("use_skill", {"name": "greet"}), ("use_skill", {"name": "long"}), *further]


# Claude Code shows the tools of servers to a model that searched for them.
SEARCH = ("ToolSearch", {"query": f"select:mcp__{SERVER}__search_skills,mcp__{SERVER}__use_skill"})


@dataclass
class Heard:
    """What one program did: the server's answers, and what its model got of each."""

    client: str = ""
    tools: list[str] = field(default_factory=list)
    """The names that its model is shown."""
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
    """What the client calls itself: when it opens the session, or with each request."""
    for line in (at / "to-server").read_text().splitlines():
        params = json.loads(line).get("params", {})
        client = params.get("clientInfo") or params.get("_meta", {}).get("io.modelcontextprotocol/clientInfo")
        if client:
            return client["name"]
    return ""


def hear(peer: str, binary: Path, at: Path) -> Heard:
    world = World("mcp", "", (), files=FILES)
    at = build(world, at)
    _configure(peer, _command(binary, at), at)
    command, env = _arguments(peer, at)
    script = ([SEARCH] if peer == "claude" else []) + calls(CLIENTS[peer])
    env = programs.environment_for(peer, world, at) | env | {"PEER_CALLS": json.dumps(script), "PEER_SKIP_ALL": "1"}
    record = at / "requests.json"
    command = [sys.executable, model_server.__file__, record, *command]
    with (at / "stdout.txt").open("wb") as out:
        streams = {"stdin": subprocess.DEVNULL, "stdout": out, "stderr": subprocess.STDOUT}
        with programs.started(command, at / PROJECT, env, **streams) as process:
            programs.ended(process)
    heard = Heard()
    # Empty when the program took too long.
    entries = json.loads(record.read_text() or "[]") if record.exists() else []
    requests = [entry["body"] for entry in entries if entry["body"].get("tools")]
    if not requests or not (at / "from-server").exists():
        heard.failure = (at / "stdout.txt").read_text(errors="replace")[-2000:]
        return heard
    heard.client = _client(at)
    heard.tools = _tools(requests[0])
    heard.sent = _answers(at)
    heard.got = _results(requests[-1])[-len(calls(CLIENTS[peer])) :]
    return heard


def _tools(request: dict) -> list[str]:
    """The tools of the server that a model is shown, by their own names. Claude Code first shows names alone, in a text."""
    named = model_server.tool_names(request)
    lines = [line for text in model_server.texts(request) for line in text.splitlines()]
    shown = [name for name in (*named, *lines) if name.startswith((f"mcp__{SERVER}", f"mcp_{SERVER}", f"{SERVER}_"))]
    return [name.replace("/", "__").rpartition(f"{SERVER}_")[2].lstrip("_") for name in shown]


FOOTER = re.compile(r"\n\[part \d+ of \d+: [^\n]*\]\n\Z")


def judge(peer: str, heard: Heard, that: registry.Judge) -> None:
    client = CLIENTS[peer]
    if heard.failure:
        that.that(f"{peer} starts with the server", False, heard.failure)
        return
    that.that(f"{peer} calls itself {client.name}", heard.client == client.name, heard.client)
    that.that(f"{peer} shows its model {len(TOOLS)} tools", set(heard.tools) == TOOLS, heard.tools)
    own = [_unwrapped(client, text) for text in heard.got]
    sizes = [(len(sent), len(got)) for sent, got in zip(heard.sent, heard.got)]
    that.that(f"the model of {peer} reads each result byte for byte", own == heard.sent and len(own) == len(calls(client)), sizes)
    around = {len(got.encode()) - len(sent.encode()) for sent, got in zip(heard.sent, heard.got)}
    largest = max((len(text.encode()) for text in heard.sent), default=0)
    print(f"       around a result: {sorted(around)} bytes; largest result: {largest} bytes; all: {[len(text.encode()) for text in heard.sent]}")
    that.that(f"a search that finds nothing lists the skills in {peer}", "- greet: " in own[0] and "- long: " in own[0], own[0])
    whole = "".join(FOOTER.sub("", text) for text in own[2:])
    that.that(f"the {client.parts} parts are the whole of the long skill in {peer}", LONG in whole and whole.endswith("</skill_content>\n"), whole[:300])


def _unwrapped(client: Client, text: str) -> str:
    return re.sub(rf"\A{client.before}", "", text).removesuffix(client.after)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=Path, default=None)
    parser.add_argument("--peer", choices=CLIENTS, action="append")
    parser.add_argument("--keep", type=Path, help="keep what was recorded in this folder")
    options = parser.parse_args()
    binary = options.binary or ours.binary()
    if binary is None:
        print("build skillful first: cargo build --release -p skillful-cli", file=sys.stderr)
        return 2
    install.ensure()
    that = registry.Judge()
    with tempfile.TemporaryDirectory(prefix="peers-mcp-") as scratch:
        for peer in options.peer or CLIENTS:
            judge(peer, hear(peer, binary.resolve(), Path(scratch) / peer), that)
        if options.keep:
            shutil.copytree(scratch, options.keep, dirs_exist_ok=True)
    print(f"{that.asked} questions, {that.wrong} wrong")
    return 1 if that.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
