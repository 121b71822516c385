"""Configuration and environment of Claude Code and Codex: every setting and variable that changes which skills a program offers.

One world per configuration. The settings were chosen from each program's own schema and documentation.
"""

from __future__ import annotations

import json

from fixtures import Case, Files, World, git, skill

J = json.dumps


def world(
    peer: str,
    name: str,
    why: str,
    skills: Files,
    config: Files,
    env: dict[str, str] | None = None,
    cwd: str = "work",
    *,
    refuses: bool | None = None,
    menu: bool = False,
) -> World:
    """One configuration. A program refuses a broken one, unless the caller says otherwise."""
    case = Case("view", why, skills)
    refuses = "broken" in name if refuses is None else refuses
    files = {**git(), **config}
    return World(f"{peer}-{name}", why, (case,), files, cwd, (peer,), env=env or {}, refuses=refuses, own_roots=True, menu=menu)


# Claude Code

CLAUDE_SKILLS = {
    "work/.claude/skills/pa/SKILL.md": skill("pa"),
    "work/.claude/skills/pb/SKILL.md": skill("pb"),
    "home/.claude/skills/ua/SKILL.md": skill("ua"),
    "home/.claude/commands/cmd.md": skill("x", "A command of the user."),
    "work/.claude/commands/sub/pc.md": skill("x", "A command of the project."),
}
USER, SHARED, LOCAL = "home/.claude/settings.json", "work/.claude/settings.json", "work/.claude/settings.local.json"
MANAGED, DROP = "etc/claude-code/managed-settings.json", "etc/claude-code/managed-settings.d"


def claude(name: str, why: str, config: Files, env: dict[str, str] | None = None, cwd: str = "work", more: Files | None = None) -> World:
    return world("claude", f"set-{name}", why, {**CLAUDE_SKILLS, **(more or {})}, config, env, cwd)


def override(**names: object) -> str:
    return J({"skillOverrides": names})


def deny(*rules: object) -> str:
    return J({"permissions": {"deny": list(rules)}})


CLAUDE = (
    claude("none", "no settings", {}),
    *(claude(f"user-{word}", f"skillOverrides: {word}", {USER: override(pa=word)}) for word in ("on", "off", "name-only", "user-invocable-only", "bogus", "OFF")),
    claude("user-true", "a boolean as override", {USER: override(pa=True)}),
    claude("user-null", "null as override", {USER: override(pa=None)}),
    claude("wrong-beside", "one override is wrong", {USER: override(pa="off", pb=5)}),
    claude("own", "a skill of the user", {USER: override(ua="off")}),
    claude("own-name-only", "the name of a skill of the user", {USER: override(ua="name-only")}),
    claude("command", "a command", {USER: override(cmd="off")}),
    claude("command-sub", "a command in a folder", {USER: J({"skillOverrides": {"sub:pc": "off"}})}),
    claude("command-name-only", "the name of a command", {USER: override(cmd="name-only")}),
    claude("star", "a star", {USER: J({"skillOverrides": {"*": "off"}})}),
    claude("case", "another letter case", {USER: override(PA="off")}),
    claude("list", "a list instead of a mapping", {USER: J({"skillOverrides": ["pa"]})}),
    claude("label", "an override by the second name", {USER: override(other="off")}, more={"work/.claude/skills/lab/SKILL.md": skill("other")}),
    claude("label-folder", "an override by the folder", {USER: override(lab="off")}, more={"work/.claude/skills/lab/SKILL.md": skill("other")}),
    claude("shadow", "an override where the user's skill wins", {USER: override(pa="off")}, more={"home/.claude/skills/pa/SKILL.md": skill("pa", "Of the user.")}),
    claude("shared", "in the project's file", {SHARED: override(pa="off")}),
    claude("local", "in the local file", {LOCAL: override(pa="off")}),
    claude("shared-over-user", "the project's file wins over the user's", {USER: override(pa="off"), SHARED: override(pa="on")}),
    claude("user-under-shared", "and the reverse", {USER: override(pa="on"), SHARED: override(pa="off")}),
    claude("local-over-shared", "the local file wins", {SHARED: override(pa="off"), LOCAL: override(pa="on")}),
    claude("local-over-user", "the local file wins over the user's", {USER: override(pa="off"), LOCAL: override(pa="name-only")}),
    claude("merged", "entries of two files", {USER: override(pa="off"), SHARED: override(pb="off")}),
    claude("managed", "the administrator", {MANAGED: override(pa="off")}),
    claude("managed-over", "the administrator wins", {MANAGED: override(pa="off"), LOCAL: override(pa="on")}),
    claude("managed-on", "the administrator keeps it on", {MANAGED: override(pa="on"), USER: override(pa="off")}),
    claude("managed-drop", "a file in the administrator's folder", {f"{DROP}/10-x.json": override(pa="off")}),
    claude("managed-drop-order", "the last file in that folder wins", {f"{DROP}/10-x.json": override(pa="off"), f"{DROP}/20-y.json": override(pa="on")}),
    claude("managed-drop-over", "the folder wins over the file", {MANAGED: override(pa="off"), f"{DROP}/10-x.json": override(pa="on")}),
    claude("managed-broken", "the administrator's file is broken", {MANAGED: "{", USER: override(pa="off")}),
    claude("managed-skill", "a skill of the administrator", {}, more={"etc/claude-code/.claude/skills/ma/SKILL.md": skill("ma")}),
    claude("managed-skill-wins", "the administrator's skill wins", {}, more={"etc/claude-code/.claude/skills/pa/SKILL.md": skill("pa", "Of the administrator.")}),
    claude("managed-command", "a command of the administrator", {}, more={"etc/claude-code/.claude/commands/mc.md": skill("x", "Managed command.")}),
    claude("above", "settings in a folder above", {SHARED: override(pa="off")}, cwd="work/sub"),
    claude("below", "settings in the folder itself", {"work/sub/.claude/settings.json": override(pa="off")}, cwd="work/sub"),
    claude("deny", "the tool is denied", {USER: deny("Skill")}),
    claude("deny-star", "all of its calls are denied", {USER: deny("Skill(*)")}),
    claude("deny-shared", "denied by the project", {SHARED: deny("Skill")}),
    claude("deny-local", "denied by the local file", {LOCAL: deny("Skill")}),
    claude("deny-managed", "denied by the administrator", {MANAGED: deny("Skill")}),
    claude("deny-one", "one skill is denied", {USER: deny("Skill(pa)")}),
    claude("deny-prefix", "a prefix is denied", {USER: deny("Skill(pa:*)")}),
    claude("deny-pattern", "a pattern is denied", {USER: deny("Skill(p*)")}),
    claude("deny-case", "another letter case", {USER: deny("skill")}),
    claude("deny-space", "spaces around", {USER: deny(" Skill ")}),
    claude("deny-empty", "empty brackets", {USER: deny("Skill()")}),
    claude("deny-all", "every tool is denied", {USER: deny("*")}),
    claude("deny-number", "a rule that is not text", {USER: deny(5, "Skill")}),
    claude("deny-text", "a text instead of a list", {USER: J({"permissions": {"deny": "Skill"}})}),
    claude("deny-other", "another tool is denied", {USER: deny("Bash")}),
    claude("deny-allow", "denied and allowed", {USER: J({"permissions": {"deny": ["Skill"], "allow": ["Skill"]}})}),
    claude("ask", "the user is asked", {USER: J({"permissions": {"ask": ["Skill(pa)"]}})}),
    claude("ask-all", "the user is asked for all", {USER: J({"permissions": {"ask": ["Skill"]}})}),
    claude("allow", "allowed", {USER: J({"permissions": {"allow": ["Skill(pa)"]}})}),
    claude("broken", "the user's file is broken", {USER: "{", SHARED: override(pa="off")}),
    claude("broken-shared", "the project's file is broken", {SHARED: "{", USER: override(pa="off")}),
    claude("empty", "an empty file", {USER: "", SHARED: override(pa="off")}),
    claude("comments", "a comment", {USER: '{// c\n"skillOverrides": {"pa": "off"}}'}),
    claude("comma", "a comma at the end", {USER: '{"skillOverrides": {"pa": "off"},}'}),
    claude("mark", "a byte order mark", {USER: "\ufeff" + override(pa="off")}),
    claude("unknown-key", "an unknown key", {USER: J({"skillOverrides": {"pa": "off"}, "zzz": 5})}),
    claude("twice", "a key twice", {USER: '{"skillOverrides": {"pa": "off"}, "skillOverrides": {"pb": "off"}}'}),
    claude("config-dir", "another home", {"home/cc/settings.json": override(pa="off")}, {"CLAUDE_CONFIG_DIR": "{WORLD}/home/cc"}, more={"home/cc/skills/cd/SKILL.md": skill("cd")}),
    claude("config-dir-missing", "another home that does not exist", {USER: override(pa="off")}, {"CLAUDE_CONFIG_DIR": "{WORLD}/home/nowhere"}),
    claude("config-dir-empty", "an empty variable", {USER: override(pa="off")}, {"CLAUDE_CONFIG_DIR": ""}),
    claude("xdg", "a variable that has no effect", {USER: override(pa="off")}, {"XDG_CONFIG_HOME": "{WORLD}/home/x"}),
)

# Codex

CODEX_SKILLS = {
    "work/.agents/skills/pa/SKILL.md": skill("pa"),
    "work/.codex/skills/pb/SKILL.md": skill("pb"),
    "home/.agents/skills/ua/SKILL.md": skill("ua"),
    "home/.codex/skills/ub/SKILL.md": skill("ub"),
}
CONFIG, SYSTEM = "home/.codex/config.toml", "etc/codex/config.toml"


def codex(name: str, why: str, config: Files, env: dict[str, str] | None = None, cwd: str = "work", more: Files | None = None) -> World:
    return world("codex", f"set-{name}", why, {**CODEX_SKILLS, **(more or {})}, config, env, cwd)


def rule(enabled: object = "false", **select: str) -> str:
    keys = "".join(f"{key} = {J(value)}\n" for key, value in select.items())
    return f"[[skills.config]]\n{keys}enabled = {enabled}\n"


PATH = "{WORLD}/work/.agents/skills/pa/SKILL.md"
CODEX = (
    codex("none", "no configuration", {}),
    codex("name", "disabled by name", {CONFIG: rule(name="pa")}),
    codex("name-case", "another letter case", {CONFIG: rule(name="PA")}),
    codex("name-spaces", "spaces around", {CONFIG: rule(name=" pa ")}),
    codex("name-empty", "an empty name", {CONFIG: rule(name="")}),
    codex("name-star", "a star", {CONFIG: rule(name="*")}),
    codex("path", "disabled by path", {CONFIG: rule(path=PATH)}),
    codex("path-folder", "the folder instead of the file", {CONFIG: rule(path="{WORLD}/work/.agents/skills/pa")}),
    codex("path-tilde", "a path with a tilde", {CONFIG: rule(path="~/.agents/skills/ua/SKILL.md")}),
    codex("path-relative", "a relative path", {CONFIG: rule(path="skills/ub/SKILL.md")}),
    codex("path-dots", "a path with dots", {CONFIG: rule(path="{WORLD}/work/.agents/skills/x/../pa/SKILL.md")}),
    codex("path-missing", "a path to nothing", {CONFIG: rule(path="{WORLD}/nothing/SKILL.md")}),
    codex("path-lower", "another file name", {CONFIG: rule(path="{WORLD}/work/.agents/skills/pa/skill.md")}),
    codex("both", "name and path", {CONFIG: rule(name="pa", path=PATH)}),
    codex("neither", "neither name nor path", {CONFIG: rule()}),
    codex("last", "the last rule wins", {CONFIG: rule(name="pa") + rule("true", name="pa")}),
    codex("last-off", "and the reverse", {CONFIG: rule("true", name="pa") + rule(name="pa")}),
    codex("name-then-path", "a name and then a path", {CONFIG: rule(name="pa") + rule("true", path=PATH)}),
    codex("two", "two rules", {CONFIG: rule(name="pa") + rule(name="ua")}),
    codex("no-enabled", "a rule without `enabled`", {CONFIG: '[[skills.config]]\nname = "pa"\n'}),
    codex("enabled-text", "a text as `enabled`", {CONFIG: rule('"false"', name="pa")}),
    codex("extra-key", "an unknown key in a rule", {CONFIG: rule(name="pa") + 'zzz = 1\n'}),
    codex("rules-map", "a mapping instead of a list", {CONFIG: '[skills.config]\nname = "pa"\nenabled = false\n'}),
    codex("rules-empty", "an empty list", {CONFIG: "[skills]\nconfig = []\n"}),
    codex("unknown", "an unknown key", {CONFIG: "zzz = 1\n" + rule(name="pa")}),
    codex("broken", "a broken file", {CONFIG: "[["}),
    codex("empty", "an empty file", {CONFIG: ""}),
    codex("mark", "a byte order mark", {CONFIG: "\ufeff" + rule(name="pa")}),
    codex("crlf", "line ends of Windows", {CONFIG: rule(name="pa").replace("\n", "\r\n")}),
    codex("wrong-type", "a wrong type elsewhere", {CONFIG: "model = 5\n" + rule(name="pa")}),
    codex("markers", "another marker of a project", {CONFIG: 'project_root_markers = [".root"]\n', "work/.root": ""}, cwd="work/sub"),
    codex("markers-none", "no marker", {CONFIG: "project_root_markers = []\n"}, cwd="work/sub"),
    codex("markers-text", "a text as markers", {CONFIG: 'project_root_markers = ".git"\n'}),
    codex("bundled-off", "bundled skills are off", {CONFIG: "[skills.bundled]\nenabled = false\n"}),
    codex("system", "the system's configuration", {SYSTEM: rule(name="pa")}),
    codex("system-user", "the user's rule after the system's", {SYSTEM: rule(name="pa"), CONFIG: rule("true", name="pa")}),
    codex("system-both", "rules of both", {SYSTEM: rule(name="pa"), CONFIG: rule(name="ua")}),
    codex("system-broken", "the system's file is broken", {SYSTEM: "[["}),
    codex("system-markers", "markers of the system", {SYSTEM: 'project_root_markers = [".root"]\n', "work/.root": ""}, cwd="work/sub"),
    codex("system-skill", "a skill of the system", {}, more={"etc/codex/skills/sa/SKILL.md": skill("sa")}),
    codex("managed", "managed configuration", {"etc/codex/managed_config.toml": rule(name="pa")}),
    codex("managed-over", "managed configuration and the user's", {"etc/codex/managed_config.toml": rule(name="pa"), CONFIG: rule("true", name="pa")}),
    codex("requirements", "requirements of the system", {"etc/codex/requirements.toml": "allowed_approval_policies = [\"on-request\"]\n"}),
    codex("project", "the project's configuration", {"work/.codex/config.toml": rule(name="pa")}),
    codex("project-trusted", "of a trusted project", {"work/.codex/config.toml": rule(name="pa"), CONFIG: '[projects."{WORLD}/work"]\ntrust_level = "trusted"\n'}),
    codex("untrusted", "an untrusted project", {CONFIG: '[projects."{WORLD}/work"]\ntrust_level = "untrusted"\n'}),
    codex("profile", "a profile that is not used", {CONFIG: f"[profiles.x]\n[[profiles.x.skills.config]]\nname = \"pa\"\nenabled = false\n"}),
    codex("profile-used", "a profile that is used", {CONFIG: "profile = \"x\"\n[profiles.x]\nmodel = \"m\"\n[[profiles.x.skills.config]]\nname = \"pa\"\nenabled = false\n"}),
    codex("profile-missing", "a profile that does not exist", {CONFIG: 'profile = "y"\n'}),
    codex("home", "another home", {"home/cc/config.toml": rule(name="pa")}, {"CODEX_HOME": "{WORLD}/home/cc"}, more={"home/cc/skills/hc/SKILL.md": skill("hc")}),
    codex("features", "the feature of skills is off", {CONFIG: "[features]\nskills = false\n"}),
    codex("features-unknown", "an unknown feature", {CONFIG: "[features]\nzzz = true\n" + rule(name="pa")}),
    codex("sandbox", "another setting", {CONFIG: 'sandbox_mode = "read-only"\n' + rule(name="pa")}),
    codex("sandbox-bad", "a wrong value elsewhere", {CONFIG: 'sandbox_mode = "zzz"\n' + rule(name="pa")}),
    codex("include-off", "instructions of skills are off", {CONFIG: "[skills]\ninclude_instructions = false\n"}),
    codex("disabled-list", "a key of another program", {CONFIG: '[skills]\ndisabled = ["pa"]\n'}),
    codex("cwd-home", "in the home folder", {}, cwd="home"),
    codex("cwd-home-rule", "a rule in the home folder", {CONFIG: rule(name="ua")}, cwd="home"),
    codex("cwd-dot-codex", "inside the home of Codex", {}, cwd="home/.codex"),
    codex("xdg", "a variable that has no effect", {CONFIG: rule(name="pa")}, {"XDG_CONFIG_HOME": "{WORLD}/home/x"}),
    codex("rule-plugin-name", "a name with a namespace", {CONFIG: rule(name="x:pa")}),
)

WORLDS = CLAUDE + CODEX
