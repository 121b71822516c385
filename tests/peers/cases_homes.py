"""Homes that a variable moves, of the programs whose other variables are not asked about.

Those of Codex, Claude Code, OpenCode and Gemini CLI are in `cases_corners.py` and `cases_corners_more.py`.
"""

from __future__ import annotations

from cases_config import world as configured
from fixtures import Files, World, skill

HOMES = (
    ("copilot", "COPILOT_HOME", ".copilot", ""),
    ("kilo", "XDG_CONFIG_HOME", ".config", "kilo/"),
    ("goose", "XDG_CONFIG_HOME", ".config", "goose/"),
    ("kimi", "KIMI_CODE_HOME", ".kimi-code", ""),
    ("pi", "PI_CODING_AGENT_DIR", ".pi/agent", ""),
    ("continue", "CONTINUE_GLOBAL_DIR", ".continue", ""),
    ("vibe", "VIBE_HOME", ".vibe", ""),
    ("qwen", "QWEN_HOME", ".qwen", ""),
)


def skills(default: str, inner: str, moved: str) -> Files:
    """A skill of the project, two of the user, and one where the variable leads."""
    files = {
        "work/.agents/skills/pa/SKILL.md": "pa",
        "work/.claude/skills/pc/SKILL.md": "pc",
        "home/.agents/skills/ua/SKILL.md": "ua",
        f"home/{default}/{inner}skills/ub/SKILL.md": "ub",
        f"{moved}/{inner}skills/ma/SKILL.md": "ma",
    }
    return {path: skill(name) for path, name in files.items()}


def homes(peer: str, variable: str, default: str, inner: str) -> tuple[World, ...]:
    def moved(name: str, why: str, value: str, place: str, cwd: str = "work") -> World:
        return configured(peer, f"home-{name}", why, skills(default, inner, place), {}, {variable: value}, cwd)

    return (
        moved("moved", f"another home in {variable}", "{WORLD}/other", "other"),
        moved("moved-relative", "a relative path in it", "other", "work/other"),
        moved("moved-above", "a relative path that leads up", "../other", "work/other", "work/sub"),
        moved("moved-empty", "an empty variable", "", "work"),
    )


WORLDS = tuple(world for row in HOMES for world in homes(*row))
