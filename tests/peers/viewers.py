"""Every program whose view of a world is compared, and the drivers of those that only show a menu to their model."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from pathlib import Path

import install
from answers import Seen, View, relative
from fixtures import HOME, World
from programs import asked, claude, codex, gemini, opencode, xml_menu

# A menu without paths: the entry says whose the skill is.
ENTRY = re.compile(
    r"<skill>\s*<name>\s*(?P<name>.*?)\s*</name>\s*<description>\n? *(?P<description>.*?)\n?</description>\s*"
    r"<location>\s*(?P<level>.*?)\s*</location>\s*</skill>",
    re.DOTALL,
)


MOST_LEVELS = 8


def texts(request: dict) -> str:
    """All texts of a request in the chat format, the descriptions of tools included."""
    contents = [message["content"] for message in request["messages"]]
    parts = [part.get("text", "") for content in contents if isinstance(content, list) for part in content]
    tools = [tool["function"].get("description", "") for tool in request.get("tools", [])]
    return "\n".join([*(content for content in contents if isinstance(content, str)), *parts, *tools])


def _menu(request: dict, world: World, at: Path, roots: dict[str, tuple[str, ...]], suffix: str) -> View:
    view = View()
    menu = texts(request).partition("<available_skills>")[2].partition("</available_skills>")[0]
    files = {level: _files(at, world, level, folders) for level, folders in roots.items()}
    for entry in ENTRY.finditer(menu):
        name, level = html.unescape(entry["name"]), entry["level"]
        description = html.unescape(entry["description"]).removesuffix(suffix.format(level))
        if level in roots:
            view.seen.append(Seen(_file(at, files[level], name, description), name, description))
        else:
            view.extra[name] = {"level": level}
    return view


def _files(at: Path, world: World, level: str, roots: tuple[str, ...]) -> dict[Path, str]:
    """The skill files below the roots of a level, with their texts, the nearest first."""
    above = (at / world.cwd, *(at / world.cwd).parents) if level != "user" else (at / HOME,)
    below = [folder for folder in above if folder.is_relative_to(at)]
    # Not `**`, which does not follow links.
    patterns = ["*/" * levels + "SKILL.md" for levels in range(MOST_LEVELS)]
    places = [folder / root for folder in below for root in roots]
    files = [file for place in places for pattern in patterns for file in sorted(place.glob(pattern))]
    return {file: file.read_text(errors="replace") for file in files if file.is_file()}


def _file(at: Path, files: dict[Path, str], name: str, description: str) -> str:
    """The file that has this name, and of several the first that has this description."""
    start = description.split("\n")[0][:20]
    own = [file for file in files if file.parent.name == name and start in files[file]]
    own = own or [file for file, text in files.items() if name in text and start in text]
    own = own or [file for file in files if file.parent.name == name] or [file for file, text in files.items() if name in text]
    return relative(str(own[0]), at) if own else f"unknown/{name}"


def qwen(world: World, at: Path) -> View:
    command = [install.npm_program("qwen"), "--auth-type", "openai", "--prompt", "hello"]
    request, said = asked("qwen", command, world, at, {})
    if request is None:
        return View(failure=f"no request for its model: {said}")
    roots = (".qwen/skills", ".agents/skills")
    return _menu(request, world, at, {"project": roots, "user": roots}, " ({})")


def pi(world: World, at: Path) -> View:
    models = at / HOME / ".pi" / "agent" / "models.json"
    models.parent.mkdir(parents=True, exist_ok=True)
    provider = {"baseUrl": "{MODEL_URL}/v1", "api": "openai-completions", "apiKey": "none", "models": [{"id": "m"}]}
    models.write_text(json.dumps({"providers": {"peer": provider}}))
    command = [install.npm_program("pi"), "--provider", "peer", "--model", "m", "--no-session", "--print", "hello"]
    request, said = asked("pi", command, world, at, {"PEER_FILL": str(models)})
    if request is None:
        return View(failure=f"no request for its model: {said}")
    view = xml_menu(texts(request), at)
    # Its menu escapes what XML would read.
    view.seen = [Seen(seen.path, html.unescape(seen.name), html.unescape(seen.description)) for seen in view.seen]
    return view


VIEWERS: dict[str, Callable[[World, Path], View]] = {
    "codex": codex,
    "opencode": opencode,
    "gemini": gemini,
    "claude": claude,
    "qwen": qwen,
    "pi": pi,
}
