"""Drivers: ask each real program which skills it sees in a world.

Every program starts with a scrubbed environment, the world's home, its own
process group and, where the system allows it, no network.
"""

from __future__ import annotations

import functools
import json
import os
import re
import signal
import subprocess
import threading
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path

import install
from answers import Refusal, Seen, Verdict, View, relative
from fixtures import HOME, World

TIMEOUT = 120.0


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
    own = {
        "codex": {"CODEX_HOME": str(at / HOME / ".codex")},
        "opencode": {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"},
        "gemini": {"GEMINI_API_KEY": "none", "GEMINI_CLI_TRUST_WORKSPACE": str(world.trusted).lower()},
        "skills-ref": {"PYTHONIOENCODING": "utf-8"},
    }
    return common | own[peer]


@contextmanager
def _started(command: list, cwd: Path, env: dict[str, str], **streams):
    """A process in its own group; whatever happens, nothing of that group survives.

    The process is reaped only at the end: until then its number cannot belong to anyone else.
    """
    process = subprocess.Popen([*no_network(), *command], cwd=cwd, env=env, start_new_session=True, **streams)

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


def _run(peer: str, arguments: list[str], world: World, at: Path) -> tuple[int, str, str]:
    # Output goes to files: OpenCode cuts its list at 65,536 bytes when it writes to a pipe.
    out, err = at / "stdout.txt", at / "stderr.txt"
    with out.open("wb") as stdout, err.open("wb") as stderr:
        streams = {"stdin": subprocess.DEVNULL, "stdout": stdout, "stderr": stderr}
        command = [install.npm_program(peer), *arguments]
        with _started(command, at / world.cwd, environment_for(peer, world, at), **streams) as process:
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    return process.returncode, out.read_text(errors="replace"), err.read_text(errors="replace")


def codex(world: World, at: Path) -> View:
    """`skills/list` over the app server's JSON-RPC; the only list Codex has."""
    settings = ("analytics.enabled=false", "skills.bundled.enabled=false", "features.plugins=false")
    command = [install.codex_binary(), "app-server"]
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
    with _started(command, at / world.cwd, env, **streams) as process:
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


def opencode(world: World, at: Path) -> View:
    code, out, err = _run("opencode", ["debug", "skill"], world, at)
    try:
        entries = json.loads(out)
    except json.JSONDecodeError:
        return View(failure=f"exit {code}: {(err or out)[-2000:]}")
    inside = [entry for entry in entries if entry["location"].startswith(str(at))]
    return View([Seen(relative(e["location"], at), e["name"], e.get("description", "")) for e in inside])


# Entries follow each other without a gap, so a name or description may span lines.
GEMINI_ENTRY = re.compile(
    r"(?P<name>.*?) \[(?P<state>Enabled|Disabled)\](?: \[Built-in\])?\n"
    r"  Description: (?P<description>.*?)\n"
    r"  Location:    (?P<path>[^\n]*)\n\n",
    re.DOTALL,
)


def gemini(world: World, at: Path) -> View:
    code, out, err = _run("gemini", ["skills", "list", "--all"], world, at)
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


VIEWERS: dict[str, Callable[[World, Path], View]] = {"codex": codex, "opencode": opencode, "gemini": gemini}

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
