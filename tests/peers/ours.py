"""The same questions, answered by `skillful`.

The only file that knows our command line and its JSON.
"""

from __future__ import annotations

import json
import re
import subprocess
import unicodedata
from pathlib import Path

from answers import Refusal, Seen, Verdict, View, relative
from fixtures import World
from install import REPOSITORY
from programs import TIMEOUT, environment_for, inside

CLEAN, FINDINGS, USAGE = 0, 1, 2


# Programs of which we see what their model sees, and not what their user sees.
MODEL_ONLY = ("claude", "qwen", "pi", "kimi", "goose", "vibe")


class WrongPath(Exception):
    """`skillful` refuses the whole call because one path holds no skill."""


def binary() -> Path | None:
    """The newest build; nothing is built here, because a build belongs to its owner."""
    built = [REPOSITORY / "target" / kind / "skillful" for kind in ("release", "debug")]
    return max((path for path in built if path.exists()), key=lambda path: path.stat().st_mtime, default=None)


def _ask(program: Path, arguments: list[str], world: World, at: Path, host: str) -> dict:
    env = environment_for(host, world, at) | {"SKILLFUL_HOME": str(at / "skillful-home")}
    streams = {"capture_output": True, "encoding": "utf-8", "timeout": TIMEOUT}
    done = subprocess.run([*inside(world, at), program, *arguments], cwd=at / world.cwd, env=env, **streams)
    if done.returncode == USAGE:
        raise WrongPath(json.loads(done.stderr)["error"]["message"].replace(f"{at}/", ""))
    # Findings and failures share an exit code; only findings come with an answer.
    if done.returncode not in (CLEAN, FINDINGS) or not done.stdout:
        raise RuntimeError(f"exit {done.returncode}: {done.stderr.strip()[-2000:]}")
    return json.loads(done.stdout)


def view(program: Path, host: str, world: World, at: Path) -> View:
    try:
        answer = _ask(program, ["view", "--agent", host, "--json"], world, at, host)
    except (WrongPath, RuntimeError, json.JSONDecodeError, subprocess.TimeoutExpired) as error:
        return View(failure=str(error))
    only_model = world.menu or host in MODEL_ONLY
    entries = [entry for entry in answer["seen"] if not only_model or not entry.get("hidden")]
    return View(
        [Seen(relative(e["path"], at), e["name"], _described(e, host), e.get("label") or "") for e in entries],
        [Refusal(relative(e["path"], at), f"{e['code']}: {e['reason']}") for e in answer["unseen"]],
    )


# Control and format characters, unassigned ones, and the two separators of lines.
UNSHOWN = ("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp")
# Claude Code shows no more of a description, counted as JavaScript does.
MENU_LIMIT = 1536


# Kimi Code shows no more of a description.
KIMI_LIMIT = 250


def _described(entry: dict, host: str) -> str:
    """The description in a menu: with the hint that some agents append, on one line, and cut."""
    between = {"qwen": " \u2014 "}.get(host, " - ")
    text = between.join(text for text in (entry["description"], entry.get("when_to_use")) if text)
    if host == "qwen":
        # Its menu has the first line only.
        return text.strip().split("\n")[0].strip()
    if host == "goose":
        return unicodedata.normalize("NFC", text)
    if host == "kimi":
        return text if len(text) <= KIMI_LIMIT else text[: KIMI_LIMIT - 3] + "..."
    if host != "claude":
        return text
    # A joiner stays where it joins two pictures.
    text = re.sub("(?<=[\U0001f000-\U0001faff\ufe0f])\u200d(?=[\u2600-\u27bf\U0001f000-\U0001faff])", "\U0010ffff", text)
    text = "".join("\n" if unicodedata.category(c) in UNSHOWN and c != "\U0010ffff" else c for c in text)
    text = text.replace("\U0010ffff", "\u200d")
    text = re.sub("\n+", " ", text).replace("<", "&lt;").replace(">", "&gt;")
    units = text.encode("utf-16-le", "surrogatepass")
    if len(units) <= 2 * MENU_LIMIT:
        return text
    return units[: 2 * (MENU_LIMIT - 1)].decode("utf-16-le", "replace") + "\u2026"


def check(program: Path, world: World, at: Path) -> dict[str, Verdict]:
    """Verdicts under the specification's own rules; only errors reject, as with skills-ref."""
    cases = {str(at / case.spec): case.name for case in world.cases if case.spec}

    def verdicts(paths: list[str]) -> dict[str, Verdict]:
        try:
            answer = _ask(program, ["check", "--profile", "spec", "--json", *paths], world, at, "skills-ref")
        except WrongPath as refusal:
            if len(paths) == 1:
                return {paths[0]: Verdict(False, (str(refusal),))}
            half = len(paths) // 2
            return verdicts(paths[:half]) | verdicts(paths[half:])
        return {entry[key]: _verdict(entry) for entry in answer["skills"] for key in ("path", "file")}

    answered = verdicts(list(cases))
    silent = Verdict(False, ("not in the answer",))
    return {name: answered.get(path, silent) for path, name in cases.items()}


def _verdict(entry: dict) -> Verdict:
    messages = (f"{d['code']}: {d['message']}" for d in entry["diagnostics"] if d["severity"] == "error")
    return Verdict(entry["ok"], tuple(messages))
