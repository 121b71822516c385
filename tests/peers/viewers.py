"""Every program whose view of a world is compared, and the drivers of those that only show a menu to their model."""

from __future__ import annotations

import html
import json
import os
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path

import install
from answers import Refusal, Seen, View, relative
from fixtures import HOME, World
from programs import asked, claude, codex, debug_skill, gemini, opencode, run, xml_menu

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
    places = [Path(os.path.normpath(folder / root)) for folder in below for root in roots]
    files = [file for place in places for pattern in patterns for file in sorted(place.glob(pattern))]
    return {file: file.read_text(errors="replace") for file in files if file.is_file()}


def _file(at: Path, files: dict[Path, str], name: str, description: str) -> str:
    """The file that has this name, and of several the first that has this description."""
    start = description.split("\n")[0][:20]
    own = [file for file in files if file.parent.name == name and start in files[file]]
    own = own or [file for file, text in files.items() if f"\nname: {name}\n" in text and start in text]
    own = own or [file for file, text in files.items() if name in text and start in text]
    own = own or [file for file in files if file.parent.name == name] or [file for file, text in files.items() if name in text]
    return relative(str(own[0]), at) if own else f"unknown/{name}"


def _home_of(world: World, at: Path, variable: str, default: str, *, empty: bool = False) -> Path:
    """The home of a program, which a variable of the world may move, also an empty one if the program takes it."""
    value = world.env.get(variable)
    if value is None or not (value or empty):
        return at / HOME / default
    return Path(os.path.normpath(at / world.cwd / value.replace("{WORLD}", str(at))))


def qwen(world: World, at: Path) -> View:
    command = [install.npm_program("qwen"), "--auth-type", "openai", "--prompt", "hello"]
    request, said = asked("qwen", command, world, at, {})
    if request is None:
        return View(failure=f"no request for its model: {said}")
    shared = ".agents/skills"
    own = os.path.relpath(_home_of(world, at, "QWEN_HOME", ".qwen") / "skills", at / HOME)
    return _menu(request, world, at, {"project": (".qwen/skills", shared), "user": (own, shared)}, " ({})")


def pi(world: World, at: Path) -> View:
    models = _home_of(world, at, "PI_CODING_AGENT_DIR", ".pi/agent") / "models.json"
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


def copilot(world: World, at: Path) -> View:
    """What it lists for its user; with `menu`, what of that it shows to its model."""
    code, out, err = run("copilot", [install.copilot_binary(), "skill", "list", "--json"], world, at)
    try:
        entries = json.loads(out)
    except json.JSONDecodeError:
        return View(failure=f"exit {code}: {(err or out)[-2000:]}")
    view = View(extra={"stderr": {"lines": [line.replace(f"{at}/", "") for line in err.splitlines()]}})
    for entry in entries:
        # A folder of the settings is listed as it is written there.
        path = _copilot_file(at, entry | {"path": os.path.normpath(at / world.cwd / entry["path"])})
        if entry["source"] == "builtin":
            view.extra[entry["name"]] = {"level": "builtin"}
        elif entry["enabled"]:
            view.seen.append(Seen(path, entry["name"], entry["description"]))
        else:
            view.refused.append(Refusal(path, f"disabled: {entry['name']}"))
    return _copilot_menu(view, world, at) if world.menu else view


def _copilot_file(at: Path, entry: dict) -> str:
    """The file of an entry; of a command file the list has only the folder."""
    folder = Path(entry["path"])
    if (folder / "SKILL.md").is_file():
        return relative(str(folder / "SKILL.md"), at)
    files = [file for file in sorted(folder.glob("*")) if file.suffix.lower() == ".md"]
    named = [file for file in files if f"name: {entry['name']}\n" in file.read_text(errors="replace")]
    named += [file for file in files if file.stem.replace(" ", "-") == entry["name"]]
    return relative(str(named[0]), at) if named else f"unknown/{entry['name']}"


def _copilot_menu(listed: View, world: World, at: Path) -> View:
    command = [install.copilot_binary(), "--allow-all-tools", "--prompt", "hello"]
    request, said = asked("copilot", command, world, at, {})
    if request is None:
        return View(failure=f"no request for its model: {said}")
    menu = texts(request).partition("<available_skills>")[2].partition("</available_skills>")[0]
    shown = {(html.unescape(entry["name"]), html.unescape(entry["description"])) for entry in ENTRY.finditer(menu)}
    known = [seen for seen in listed.seen if (seen.name, seen.description) in shown]
    strays = {name for name, _ in shown} - {seen.name for seen in known} - set(listed.extra)
    return View(known + [Seen(f"unknown/{name}", name, "") for name in sorted(strays)], listed.refused, listed.extra)


def kilo(world: World, at: Path) -> View:
    return debug_skill("kilo", install.kilo_binary(), world, at)


KIMI_ENTRY = re.compile(r"^- (?P<name>.*?): (?P<description>.*?)\n  Path: (?P<path>[^\n]*)$", re.DOTALL | re.MULTILINE)
KIMI_CONFIG = """default_model = "m"

[providers.p]
type = "openai"
base_url = "{MODEL_URL}/v1"
api_key = "none"

[models.m]
provider = "p"
model = "m"
max_context_size = 200000
"""


def kimi(world: World, at: Path) -> View:
    config = _home_of(world, at, "KIMI_CODE_HOME", ".kimi-code", empty=True) / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(KIMI_CONFIG)
    command = [install.node_folder() / "node", install.npm_program("kimi"), "--prompt", "hello"]
    request, said = asked("kimi", command, world, at, {"PEER_FILL": str(config)})
    if request is None:
        return View(failure=f"no request for its model: {said}")
    menu = texts(request).partition("Current available skills:\n")[2]
    view = View()
    for entry in KIMI_ENTRY.finditer(menu):
        path = relative(entry["path"], at)
        if path.startswith("builtin:"):
            view.extra[entry["name"]] = {"path": path}
        else:
            # A line of its own says when to use a skill, if its frontmatter does.
            description = entry["description"].partition("\n  When to use: ")[0]
            view.seen.append(Seen(path, entry["name"], description))
    return view


CONTINUE_CONFIG = """name: c
version: 1.0.0
schema: v1
models:
  - name: m
    provider: openai
    model: m
    apiBase: "{MODEL_URL}/v1"
    apiKey: none
    roles: [chat]
    capabilities: [tool_use]
"""
CONTINUE_ENTRY = re.compile(r"\nname: (?P<name>.*?)\ndescription: (?P<description>.*?)\n(?=,\nname: |\Z)", re.DOTALL)


def _continue_files(at: Path, world: World) -> dict[Path, str]:
    """The files that it may mean, those first to which no link leads."""
    folder = (at / world.cwd).resolve()
    home = _home_of(world, at, "CONTINUE_GLOBAL_DIR", ".continue")
    places = (folder / ".continue/skills", folder / ".claude/skills", home / "skills")
    files = [file for place in places for file in sorted(place.glob("*/SKILL.md")) if file.is_file()]
    files.sort(key=lambda file: file.parent.is_symlink())
    return {file: file.read_text(errors="replace") for file in files}


def continue_(world: World, at: Path) -> View:
    """Its menu names no files: each entry is one of the files that have its name and its description."""
    config = at / "continue.yaml"
    config.write_text(CONTINUE_CONFIG)
    command = [install.node_folder() / "node", install.npm_program("cn"), "--config", config, "--print", "hello"]
    request, said = asked("continue", command, world, at, {"PEER_FILL": str(config)})
    if request is None:
        return View(failure=f"no request for its model: {said}")
    tools = [tool["function"] for tool in request.get("tools", [])]
    menu = next((tool["description"] for tool in tools if tool["name"] == "Skills"), "").partition("listed below:\n")[2]
    files = _continue_files(at, world)
    view = View()
    for entry in CONTINUE_ENTRY.finditer(menu):
        path = _file(at, files, entry["name"], entry["description"])
        files.pop(at / path, None)
        view.seen.append(Seen(path, entry["name"], entry["description"]))
    return view


def _goose_folders(table: str) -> dict[str, str]:
    """The folder of each name in the list of goose; a name may have several lines."""
    folders: dict[str, str] = {}
    begun = ""
    for line in table.split("\n")[1:]:
        cells = (begun + line).split(" | ")
        if len(cells) < 5:
            begun += line + "\n"
        else:
            folders[" | ".join(cells[:-4]).rstrip(" ")] = cells[-1].strip()
            begun = ""
    return folders


GOOSE_MENU = "or you are asked to use them:\n"


def goose(world: World, at: Path) -> View:
    """Its menu has names and descriptions; its list has the folder of each name, and cuts descriptions."""
    code, out, err = run("goose", [install.goose_binary(), "skills", "list"], world, at)
    folders = _goose_folders(out)
    if code != 0:
        return View(failure=f"exit {code}: {(err or out)[-2000:]}")
    command = [install.goose_binary(), "run", "--no-session", "--text", "hello"]
    request, said = asked("goose", command, world, at, {})
    if request is None:
        return View(failure=f"no request for its model: {said}")
    menu = texts(request).partition(GOOSE_MENU)[2].partition("\n## summon\n")[0]
    view = View()
    # A description may have lines that look like entries; only names of the list begin one. The menu composes characters.
    composed = {unicodedata.normalize("NFC", name): name for name in folders}
    names = "|".join(re.escape(name) for name in sorted(composed, key=len, reverse=True))
    parts = re.split(rf"(?:^|\n)• ({names}) - ", menu) if folders else [""]
    for shown, description in zip(parts[1::2], parts[2::2]):
        name = composed[shown]
        if folders[name].startswith("builtin:"):
            view.extra[name] = {"path": folders[name]}
        else:
            view.seen.append(Seen(relative(f"{folders[name]}/SKILL.md", at), name, description))
    return view


VIBE_CONFIG = """active_model = "m"
enable_telemetry = false
enable_update_checks = false

[[providers]]
name = "peer"
api_base = "{MODEL_URL}/v1"
api_key_env_var = "PEER_KEY"
api_style = "openai"
backend = "generic"

[[models]]
name = "m"
provider = "peer"
alias = "m"
"""
VIBE_ENTRY = re.compile(
    r"<skill>\s*<name>(?P<name>.*?)</name>\s*<description>(?P<description>.*?)</description>\s*<path>(?P<path>.*?)</path>\s*</skill>",
    re.DOTALL,
)


def vibe(world: World, at: Path) -> View:
    config = _home_of(world, at, "VIBE_HOME", ".vibe") / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(VIBE_CONFIG)
    command = [install.VIBE, *(["--trust"] if world.trusted else []), "--prompt", "hello"]
    request, said = asked("vibe", command, world, at, {"PEER_KEY": "none", "PEER_FILL": str(config)})
    if request is None:
        return View(failure=f"no request for its model: {said}")
    menu = texts(request).partition("<available-skills>")[2].partition("</available-skills>")[0]
    view = View()
    for entry in VIBE_ENTRY.finditer(menu):
        name, path = html.unescape(entry["name"]), relative(html.unescape(entry["path"]), at)
        if name.startswith("vibe:"):
            view.extra[name] = {"path": path}
        else:
            view.seen.append(Seen(path, name, html.unescape(entry["description"])))
    return view


VIEWERS: dict[str, Callable[[World, Path], View]] = {
    "codex": codex,
    "opencode": opencode,
    "gemini": gemini,
    "claude": claude,
    "qwen": qwen,
    "pi": pi,
    "copilot": copilot,
    "kilo": kilo,
    "kimi": kimi,
    "continue": continue_,
    "goose": goose,
    "vibe": vibe,
}
