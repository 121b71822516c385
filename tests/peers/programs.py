"""Drivers: ask each real program which skills it sees in a world.

Every program starts with a scrubbed environment, the world's home, its own
process group and, where the system allows it, no network.
"""

from __future__ import annotations

import functools
import html
import json
import os
import re
import signal
import subprocess
import sys
import threading
import tomllib
from contextlib import contextmanager
from pathlib import Path

import install
import model_server
from answers import Refusal, Seen, Verdict, View, relative
from fixtures import HOME, PROJECT, World

# On a busy machine some programs need minutes to start.
TIMEOUT = 300.0


@functools.cache
def no_network() -> tuple[str, ...]:
    """A command prefix that takes the network away, or nothing where that is not allowed."""
    for prefix in (("unshare", "-n"), ("unshare", "-rn")):
        try:
            if subprocess.run([*prefix, "true"], capture_output=True).returncode == 0:
                return prefix
        except FileNotFoundError:
            break
    return ()


def environment_for(peer: str, world: World, at: Path) -> dict[str, str]:
    """The variables a program sees: a few fixed ones, and those that are its own."""
    common = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TERM": "dumb", "NO_COLOR": "1", "HOME": str(at / HOME)}
    newer_node = {"PATH": f"{install.node_folder()}:{os.environ['PATH']}"}
    own = {
        "codex": {"CODEX_HOME": str(at / HOME / ".codex")},
        "opencode": {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"},
        "gemini": {"GEMINI_API_KEY": "none", "GEMINI_CLI_TRUST_WORKSPACE": str(world.trusted).lower()},
        "claude": {
            "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            # Its menu drops descriptions beyond 1 % of the context window.
            "SLASH_COMMAND_TOOL_CHAR_BUDGET": "1000000000",
        },
        "qwen": newer_node | {"OPENAI_API_KEY": "none", "OPENAI_MODEL": "m"},
        "pi": newer_node | {"PI_OFFLINE": "1"},
        "copilot": {
            "COPILOT_OFFLINE": "true",
            "COPILOT_AUTO_UPDATE": "false",
            "COPILOT_MODEL": "gpt-4.1",
            # It unpacks itself once.
            "COPILOT_CACHE_HOME": str(install.PEERS / "copilot-cache"),
            # Its menu drops skills beyond a share of the context window.
            "SKILL_CHAR_BUDGET": "1000000000",
        },
        "kilo": {"KILO_DISABLE_AUTOUPDATE": "1", "KILO_DISABLE_MODELS_FETCH": "1"},
        "kimi": newer_node,
        "continue": newer_node,
        "goose": {"GOOSE_PROVIDER": "openai", "GOOSE_MODEL": "gpt-4o", "OPENAI_API_KEY": "none", "GOOSE_DISABLE_KEYRING": "1"},
        "vibe": {},
        "skills-ref": {"PYTHONIOENCODING": "utf-8"},
    }
    world_env = {name: value.replace("{WORLD}", str(at)) for name, value in world.env.items()}
    return common | own[peer] | world_env


# A world's `etc` lies over that of the machine, for one process.
OVER_ETC = 'mount -t overlay overlay -o lowerdir="$1/etc:/etc" /etc && shift && exec "$@"'


def inside(world: World, at: Path) -> tuple[str, ...]:
    """A command prefix that gives a process the world's own system folders."""
    has_etc = any(path.startswith("etc/") for files in (world.files, *(case.files for case in world.cases)) for path in files)
    return ("unshare", "-m", "sh", "-c", OVER_ETC, "sh", str(at)) if has_etc else ()


@contextmanager
def started(command: list, cwd: Path, env: dict[str, str], **streams):
    """A process in its own group; whatever happens, nothing of that group survives.

    The process is reaped only at the end: until then its number cannot belong to anyone else.
    """
    process = subprocess.Popen([*no_network(), *map(str, command)], cwd=cwd, env=env, start_new_session=True, **streams)

    def end() -> None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    timer = threading.Timer(TIMEOUT, end)
    timer.start()
    try:
        yield process
    finally:
        timer.cancel()
        end()
        process.wait()


def ended(process: subprocess.Popen) -> None:
    """Waits for the end of a process and leaves it to `started` to reap it."""
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)


def run(peer: str, command: list, world: World, at: Path) -> tuple[int, str, str]:
    # Output goes to files: OpenCode cuts its list at 65,536 bytes when it writes to a pipe.
    out, err = at / "stdout.txt", at / "stderr.txt"
    with out.open("wb") as stdout, err.open("wb") as stderr:
        streams = {"stdin": subprocess.DEVNULL, "stdout": stdout, "stderr": stderr}
        with started([*inside(world, at), *command], at / world.cwd, environment_for(peer, world, at), **streams) as process:
            ended(process)
    return process.returncode, out.read_text(errors="replace"), err.read_text(errors="replace")


def codex(world: World, at: Path) -> View:
    """`skills/list` over the app server's JSON-RPC; the only list Codex has."""
    settings = ("analytics.enabled=false", "skills.bundled.enabled=false")
    command = [*inside(world, at), install.codex_binary(), "app-server"]
    for setting in settings:
        command += ["-c", setting]
    # The real path, as a process would have it; given a link, the server would walk the link's parents.
    cwd = str((at / world.cwd).resolve())
    requests = (
        {"id": 0, "method": "initialize", "params": {"clientInfo": {"name": "peers", "title": "peers", "version": "0"}}},
        {"method": "initialized"},
        {"id": 1, "method": "skills/list", "params": {"cwds": [cwd], "forceReload": True}},
    )
    (at / HOME / ".codex").mkdir(exist_ok=True)
    env = environment_for("codex", world, at)
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "encoding": "utf-8"}
    with started(command, at / world.cwd, env, **streams) as process:
        for request in requests:
            process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        for line in process.stdout:
            reply = json.loads(line)
            if reply.get("id") == 1 or "error" in reply:
                break
        else:
            return View(failure="the app server ended without an answer")
    if "error" in reply:
        return View(failure=reply["error"]["message"])
    (listing,) = reply["result"]["data"]
    view = View()
    for entry in listing["skills"]:
        path = relative(entry["path"], at)
        # Codex lists what the user switched off; the model does not see it.
        if entry["enabled"]:
            view.seen.append(Seen(path, entry["name"], entry["description"]))
        else:
            view.refused.append(Refusal(path, f"disabled: {entry['name']}"))
        view.extra[path] = {k: v for k, v in entry.items() if k not in ("name", "description", "path")}
    view.refused += [Refusal(relative(e["path"], at), e["message"]) for e in listing["errors"]]
    return view


# A menu in XML, as several programs write it.
XML_ENTRY = re.compile(
    r" *<skill>\n *<name>(?P<name>.*?)</name>\n *<description>(?P<description>.*?)</description>\n"
    r" *<location>(?P<path>.*?)</location>\n *</skill>",
    re.DOTALL,
)


def asked(peer: str, command: list, world: World, at: Path, env: dict[str, str]) -> tuple[dict | None, str]:
    """The first request with tools that a program sends to its model, or else its last one; or what it says instead."""
    record, out = at / "requests.json", at / "stdout.txt"
    command = [*inside(world, at), sys.executable, model_server.__file__, record, *command]
    env = environment_for(peer, world, at) | env | {"PEER_STOP": "1"}
    with out.open("wb") as stdout:
        with started(command, at / world.cwd, env, stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.STDOUT) as process:
            ended(process)
    requests = json.loads(record.read_text()) if record.exists() else []
    bodies = [entry["body"] for entry in requests]
    asked = next((body for body in bodies if body.get("tools")), bodies[-1] if bodies else None)
    return asked, out.read_text(errors="replace")[-2000:]


def xml_menu(text: str, at: Path) -> View:
    view = View()
    for entry in XML_ENTRY.finditer(text):
        path = relative(html.unescape(entry["path"]), at)
        if path.startswith(("/", "<")):
            view.extra[entry["name"]] = {"path": path}  # bundled with the program
        else:
            view.seen.append(Seen(path, entry["name"], entry["description"]))
    return view


def opencode(world: World, at: Path) -> View:
    if world.menu:
        return _opencode_menu(world, at)
    return debug_skill("opencode", install.npm_program("opencode"), world, at)


def debug_skill(peer: str, program: Path, world: World, at: Path) -> View:
    """The list of OpenCode, and of programs that were made from it."""
    code, out, err = run(peer, [program, "debug", "skill"], world, at)
    try:
        entries = json.loads(out)
    except json.JSONDecodeError:
        return View(failure=f"exit {code}: {(err or out)[-2000:]}")
    inside = [entry for entry in entries if entry["location"].startswith(str(at))]
    return View([Seen(relative(e["location"], at), e["name"], e.get("description", "")) for e in inside])


def _opencode_menu(world: World, at: Path) -> View:
    command = [install.npm_program("opencode"), "run", "--title", "t", "--model", "anthropic/claude-sonnet-4-5", "hello"]
    request, said = asked("opencode", command, world, at, {"ANTHROPIC_API_KEY": "none"})
    if request is None:
        return View(failure=f"no request for its model: {said}")
    return xml_menu("\n".join(part["text"] for part in request["system"]), at)


# Entries follow each other without a gap, so a name or description may span lines.
GEMINI_ENTRY = re.compile(
    r"(?P<name>.*?) \[(?P<state>Enabled|Disabled)\](?: \[Built-in\])?\n"
    r"  Description: (?P<description>.*?)\n"
    r"  Location:    (?P<path>[^\n]*)\n\n",
    re.DOTALL,
)


def _gemini_menu(world: World, at: Path) -> View | None:
    """The menu of `gemini -p`; nothing where it does not start, which it does not in an untrusted folder."""
    command = [install.npm_program("gemini"), "--model", "gemini-2.5-pro", "--prompt", "hello"]
    env = {"GOOGLE_API_KEY": "none", "GOOGLE_GENAI_USE_VERTEXAI": "true"}
    request, _ = asked("gemini", command, world, at, env)
    if request is None:
        return None
    return xml_menu("\n".join(part["text"] for part in request["systemInstruction"]["parts"]), at)


def gemini(world: World, at: Path) -> View:
    if world.menu and (shown := _gemini_menu(world, at)):
        return shown
    code, out, err = run("gemini", [install.npm_program("gemini"), "skills", "list", "--all"], world, at)
    if code != 0:
        return View(failure=f"exit {code}: {err[-2000:]}")
    view = View()
    for entry in GEMINI_ENTRY.finditer(out.removeprefix("Discovered Agent Skills:\n\n")):
        path = relative(entry["path"], at)
        if path.startswith("/"):
            continue  # bundled with the program
        if entry["state"] == "Enabled":
            view.seen.append(Seen(path, entry["name"], entry["description"]))
        else:
            view.refused.append(Refusal(path, f"disabled: {entry['name']}"))
    notes = [line.replace(f"{at}/", "") for line in err.splitlines() if str(at) in line]
    view.extra["stderr"] = {"lines": notes}
    return view


BASE = "Base directory for this skill: "


def claude(world: World, at: Path) -> View:
    """What its model is shown: the menu, and the files that the tool `Skill` loads for each name."""
    command = [*inside(world, at), sys.executable, str(Path(__file__).with_name("model_server.py")), str(at / "requests.json")]
    command += [str(install.claude_binary()), "-p", "hello", "--permission-mode", "bypassPermissions"]
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    files = [path for case in world.cases for path in case.files]
    # Built-in skills start programs when they are loaded, and their files are not the question.
    skipped = set(built_in("claude-code")) - {part for path in files for part in path.split("/")}
    env = environment_for("claude", world, at) | {"IS_SANDBOX": "1", "PEER_SKIP": "\n".join(sorted(skipped))}
    if world.foreign:
        env["PEER_SKIP_ALL"] = "1"
    with started(command, at / world.cwd, env, **streams) as process:
        err = process.stderr.read().decode(errors="replace")
        ended(process)
    requests = json.loads((at / "requests.json").read_text()) if (at / "requests.json").exists() else []
    requests = [entry["body"] for entry in requests if "messages" in entry["body"]]
    requests = [body for body in requests if body.get("tools")] or requests[:1]
    if not requests:
        return View(failure=f"no request for its model: {err[-2000:]}")
    loaded = _loaded(requests[-1], at, at / world.cwd)
    if len(requests) == 1:
        # Not loaded: a folder below one root names its skill.
        loaded = {Path(path).parent.name: str((at / path).parent) for path in files if path.endswith("/SKILL.md")}
    loaded |= dict.fromkeys(skipped, "")
    return claude_menu(model_server.listing(requests[0]), loaded, at)


def _loaded(request: dict, at: Path, cwd: Path) -> dict[str, str]:
    """The folder of every skill that was loaded; empty for one that is a command file or that could not be rendered."""
    named: dict[str, str] = {}
    folders: dict[str, str] = {}
    for message in request["messages"]:
        parts = message["content"] if isinstance(message["content"], list) else []
        for part in parts:
            if part.get("type") == "tool_use":
                named[part["id"]] = part["input"]["skill"]
            elif part.get("type") == "tool_result" and "Unknown skill" not in str(part["content"]):
                folders[named[part["tool_use_id"]]] = ""
            elif part.get("text", "").startswith(BASE):
                folder = part["text"].removeprefix(BASE).split("\n")[0]
                if not folder.startswith("/"):
                    # It writes a path below a relative home as it is.
                    folder = os.path.normpath(cwd / folder)
                file = at / relative(f"{folder}/SKILL.md", at)
                text = file.read_text(errors="replace") if file.exists() else ""
                written = re.search("^name: (.*)$", text, re.MULTILINE)
                called = {Path(folder).name, written[1] if written else ""}
                last = [name for name in folders if name.split(":")[-1] in called and not folders[name]]
                if last:
                    folders[last[0]] = folder
    return folders


@functools.cache
def built_in(agent: str) -> tuple[str, ...]:
    """The skills that the profile calls part of the program."""
    profile = install.REPOSITORY / "crates" / "profiles" / "agents" / f"{agent}.toml"
    return tuple(tomllib.loads(profile.read_text())["built_in"])


def _file(at: Path, name: str, description: str) -> str | None:
    """The file of a name that is a command, or that may not be loaded; the description tells which of several it is."""
    ending = f"{name.replace(':', '/')}.md"
    files = [file for root in (HOME, PROJECT, "etc") for file in (at / root).glob(f"**/commands/**/{ending.split('/')[-1]}")]
    # `**` does not follow links.
    exact = [at / root / ".claude/commands" / ending for root in (HOME, PROJECT)]
    files += [file for file in exact if file.exists() and file not in files]
    files += [file for root in (HOME, PROJECT) for file in (at / root).glob(f"**/skills/{name}/SKILL.md")]
    files += [file for file in (at / HOME).glob(f"**/more/{ending.split('/')[-1]}")]
    named = [file for file in files if len(files) == 1 or description in file.read_text(errors="replace")]
    return relative(str(named[0]), at) if named else None


def claude_menu(lines: list[str], folders: dict[str, str], at: Path) -> View:
    """The entries of the menu; a line that names no skill continues the description before it."""
    view = View()
    entries: list[tuple[str, list[str]]] = []
    for line in lines:
        names = [name for name in model_server.candidates(line) if name in folders]
        if names:
            entries.append((names[-1], [line[2 + len(names[-1]) :]]))
        elif entries:
            entries[-1][1].append(line)
    for name, parts in entries:
        rest = "\n".join(parts)
        label = ""
        if rest.startswith(" ("):
            label, _, rest = rest[2:].partition(")")
        description = rest.removeprefix(":").removeprefix(" ")
        folder = folders[name]
        path = relative(f"{folder}/SKILL.md", at) if folder else "/"
        if not path.startswith("/"):
            view.seen.append(Seen(path, name, description, label))
        elif path := _file(at, name, description):
            view.seen.append(Seen(path, name, description, label))
        else:
            view.extra[name] = {"folder": folder, "description": description, "label": label}
    return view


# Runs inside the peer's own environment, which has the library and nothing of ours.
_VALIDATE = """
import json, pathlib, sys
from skills_ref import validate
answers = []
for path in map(pathlib.Path, json.load(sys.stdin)):
    if path.is_file() and path.name.lower() == "skill.md":
        path = path.parent  # as its own command line does
    try:
        answers.append([str(message) for message in validate(path)])
    except Exception as error:
        answers.append([f"uncaught {type(error).__name__}"])
print(json.dumps(answers))
"""


def skills_ref(world: World, at: Path) -> dict[str, Verdict]:
    """The reference validator's verdict for every case that names a folder."""
    cases = [case for case in world.cases if case.spec]
    folders = json.dumps([str(at / case.spec) for case in cases])
    command = [install.VENV_PYTHON, "-c", _VALIDATE]
    env = environment_for("skills-ref", world, at)
    streams = {"input": folders, "capture_output": True, "encoding": "utf-8"}
    done = subprocess.run(command, env=env, timeout=TIMEOUT, check=True, **streams)
    answers = json.loads(done.stdout)
    return {
        case.name: Verdict(not messages, tuple(m.replace(f"{at}/", "") for m in messages))
        for case, messages in zip(cases, answers, strict=True)
    }
