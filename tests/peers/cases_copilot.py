"""Settings, variables, plugins and command files of GitHub Copilot's command line."""

from __future__ import annotations

import json

from fixtures import Case, Files, World, git, skill

SETTINGS = "home/.copilot/settings.json"
PLUGINS = "home/.copilot/installed-plugins/mk"
BASE: Files = {
    "work/.agents/skills/mine/SKILL.md": skill("mine"),
    "work/.github/skills/group/hub/SKILL.md": skill("hub"),
    "home/.agents/skills/ours/SKILL.md": skill("ours"),
    "home/.copilot/skills/own/SKILL.md": skill("own"),
    "work/extra/rel/SKILL.md": skill("rel"),
    "home/extra/tilde/SKILL.md": skill("tilde"),
}


def view(name: str, why: str, files: Files | None = None, *, env: dict[str, str] | None = None, menu: bool = False, cwd: str = "work") -> World:
    """One question: what is listed with these files beside the usual ones."""
    case = Case("view", why, {**BASE, **(files or {})})
    return World(f"copilot-{name}", why, (case,), files=git(), cwd=cwd, peers=("copilot",), env=env or {}, menu=menu, own_roots=True)


def settings(**values: object) -> Files:
    return {SETTINGS: json.dumps(values)}


def plugin(name: str, **changes: object) -> dict:
    entry = {"name": name, "marketplace": "mk", "version": "1.0.0", "installed_at": "2026-01-01T00:00:00Z", "enabled": True}
    return entry | {"cache_path": f"{{WORLD}}/{PLUGINS}/{name}"} | changes


def installed(*plugins: dict, key: str = "installedPlugins") -> Files:
    return {"home/.copilot/config.json": json.dumps({key: plugins})}


def part(name: str, file: str = "plugin.json", **manifest: object) -> Files:
    """A plugin with a manifest and one skill."""
    return {
        f"{PLUGINS}/{name}/{file}": json.dumps({"name": name, **manifest}),
        f"{PLUGINS}/{name}/skills/in-{name}/SKILL.md": skill(f"in-{name}"),
    }


HIDDEN = {"work/.agents/skills/quiet/SKILL.md": skill("quiet", fields="disable-model-invocation: true\n")}
COMMANDS: Files = {
    "work/.claude/commands/plain.md": "Only text.\n",
    "work/.claude/commands/named.md": skill("another"),
    "work/.claude/commands/Upper.MD": skill("upper-md"),
    "work/.claude/commands/sp ace.md": "Only text.\n",
    "work/.claude/commands/bad.md": "---\nname: [\n---\n",
    "work/.claude/commands/sub/inner.md": skill("inner"),
    "work/.claude/commands/mine.md": skill("mine", "From a command."),
    "home/.claude/commands/at-home.md": skill("at-home"),
}
BODIES: Files = {
    f"work/.agents/skills/{name}/SKILL.md": f"---\nname: {name}\n---\n{body}"
    for name, body in {
        "headed": "\n\n# Heading\n\nFirst\nsecond.\n\nThird.\n\nFourth.\n",
        "long": "word " * 600 + "\n",
        "only-heading": "# Heading\n",
        "nothing": "",
        "quoted": "> quote\n- item\n",
        "fenced": "```sh\ncode\n```\ntext\n",
        "no-space": "#hash\ntext\n",
    }.items()
}

WORLDS = (
    view("plain", "no settings"),
    view("menu", "no settings, for its model", menu=True),
    view("hidden", "a skill that is not for the model, as listed for the user", HIDDEN),
    view("hidden-menu", "a skill that is not for the model", HIDDEN, menu=True),
    view("bodies", "descriptions that come from the text", BODIES),
    view("bodies-menu", "descriptions that come from the text, for its model", BODIES, menu=True),
    view("commands", "files of .claude/commands", COMMANDS),
    view("commands-menu", "files of .claude/commands, for its model", COMMANDS, menu=True),
    view("commands-up", "files of .claude/commands above the working folder", {**COMMANDS, "work/sub/.claude/commands/near.md": skill("near")}, cwd="work/sub"),
    view("disabled", "disabledSkills", settings(disabledSkills=["mine", "own"])),
    view("disabled-menu", "disabledSkills, for its model", settings(disabledSkills=["mine", "own"]), menu=True),
    view("disabled-case", "disabledSkills with another case", settings(disabledSkills=["MINE"])),
    view("disabled-snake", "the older name of the key", settings(disabled_skills=["mine"])),
    view("disabled-text", "disabledSkills as text", settings(disabledSkills="mine")),
    view("disabled-config", "disabledSkills in config.json", {"home/.copilot/config.json": '{"disabledSkills": ["mine"]}'}),
    view("disabled-project", "disabledSkills in the project", {"work/.github/copilot/settings.json": '{"disabledSkills": ["mine"]}'}),
    view("directories", "skillDirectories, absolute", settings(skillDirectories=["{WORLD}/work/extra"])),
    view("directories-menu", "skillDirectories, for its model", settings(skillDirectories=["{WORLD}/work/extra"]), menu=True),
    view("directories-home", "skillDirectories with ~", settings(skillDirectories=["~/extra"])),
    view("directories-snake", "the older name of the key", settings(skill_directories=["{WORLD}/home/extra"])),
    view("directories-missing", "skillDirectories that do not exist", settings(skillDirectories=["{WORLD}/work/nope"])),
    view("directories-one", "a directory that is a skill", settings(skillDirectories=["{WORLD}/work/extra/rel"])),
    view("directories-same", "equal names in a directory and elsewhere", {
        **settings(skillDirectories=["{WORLD}/work/extra"]),
        "work/extra/a/SKILL.md": skill("mine", "From a directory."),
        "work/extra/b/SKILL.md": skill("ours", "From a directory."),
        "work/extra/c/SKILL.md": skill("another", "From a directory."),
        **COMMANDS,
    }),
    view("variable", "COPILOT_SKILLS_DIRS", env={"COPILOT_SKILLS_DIRS": "{WORLD}/work/extra,{WORLD}/home/extra"}),
    view("variable-spaces", "COPILOT_SKILLS_DIRS with spaces and gaps", env={"COPILOT_SKILLS_DIRS": " {WORLD}/work/extra , ,"}),
    view("variable-colon", "COPILOT_SKILLS_DIRS with a colon", env={"COPILOT_SKILLS_DIRS": "{WORLD}/work/extra:{WORLD}/home/extra"}),
    view("variable-menu", "COPILOT_SKILLS_DIRS, for its model", env={"COPILOT_SKILLS_DIRS": "{WORLD}/work/extra"}, menu=True),
    view("variable-same", "equal names in the variable and in the settings", {
        **settings(skillDirectories=["{WORLD}/work/extra"]),
        "work/more/rel/SKILL.md": skill("rel", "From the variable."),
    }, env={"COPILOT_SKILLS_DIRS": "{WORLD}/work/more"}),
    view("ignored", "ignoredSkillsLocations", settings(ignoredSkillsLocations=["{WORLD}/work/.agents/skills", "~/.copilot/skills"])),
    view("ignored-menu", "ignoredSkillsLocations, for its model", settings(ignoredSkillsLocations=["{WORLD}/work/.agents/skills"]), menu=True),
    view("ignored-above", "the folder above a root", settings(ignoredSkillsLocations=["{WORLD}/work/.agents"])),
    view("ignored-below", "a folder below a root", settings(ignoredSkillsLocations=["{WORLD}/work/.github/skills/group"])),
    view("ignored-relative", "a relative folder", settings(ignoredSkillsLocations=[".agents/skills", "./.agents/skills"])),
    view("broken", "settings that cannot be read", {SETTINGS: '{"disabledSkills": ["mine"'}),
    view("comments", "settings with comments and commas", {SETTINGS: '// c\n{"disabledSkills": ["mine",],}'}),
    view("home", "COPILOT_HOME", {"work/other/skills/there/SKILL.md": skill("there")}, env={"COPILOT_HOME": "{WORLD}/work/other"}),
    view("home-settings", "settings below COPILOT_HOME", {
        "work/other/settings.json": '{"disabledSkills": ["mine"]}', **settings(disabledSkills=["hub"]),
    }, env={"COPILOT_HOME": "{WORLD}/work/other"}),
    view("built-in", "the name of a skill of the program", {"work/.agents/skills/b/SKILL.md": skill("github-pr-media", "Mine.")}),
    view("plugin", "an installed plugin", {**installed(plugin("pl")), **part("pl")}),
    view("plugin-menu", "an installed plugin, for its model", {**installed(plugin("pl")), **part("pl")}, menu=True),
    view("plugin-snake", "the older name of the key", {**installed(plugin("pl"), key="installed_plugins"), **part("pl")}),
    view("plugin-unlisted", "a plugin that is not in the list", {**installed(), **part("pl")}),
    view("plugin-off", "a plugin that is not enabled", {**installed(plugin("pl", enabled=False)), **part("pl")}),
    view("plugin-off-settings", "switched off in the settings", {**installed(plugin("pl")), **part("pl"), **settings(enabledPlugins={"pl@mk": False})}),
    view("plugin-on-settings", "switched on in the settings", {
        **installed(plugin("pl", enabled=False)), **part("pl"), **settings(enabledPlugins={"pl@mk": True}),
    }),
    view("plugin-nowhere", "a plugin without a folder", {**installed({"name": "pl", "marketplace": "mk", "enabled": True}), **part("pl")}),
    view("plugin-claude", "the manifest of Claude Code", {**installed(plugin("pl")), **part("pl", ".claude-plugin/plugin.json")}),
    view("plugin-github", "a manifest in .github", {**installed(plugin("pl")), **part("pl", ".github/plugin/plugin.json")}),
    view("plugin-bare", "a plugin without a manifest", {**installed(plugin("pl")), f"{PLUGINS}/pl/skills/s/SKILL.md": skill("bare")}),
    view("plugin-path", "a manifest that names its folders", {
        **installed(plugin("pl")), **part("pl", skills="./other"), f"{PLUGINS}/pl/other/s/SKILL.md": skill("elsewhere"),
    }),
    view("plugin-paths", "a manifest that names several folders", {
        **installed(plugin("pl")), **part("pl", skills=["a", "b/"]),
        f"{PLUGINS}/pl/a/s/SKILL.md": skill("in-a"), f"{PLUGINS}/pl/b/s/SKILL.md": skill("in-b"),
    }),
    view("plugin-one", "a plugin that is one skill", {**installed(plugin("pl")), f"{PLUGINS}/pl/SKILL.md": skill("whole")}),
    view("plugin-commands", "command files of a plugin", {
        **installed(plugin("pl")), f"{PLUGINS}/pl/plugin.json": '{"name": "pl"}', f"{PLUGINS}/pl/commands/c.md": skill("command"),
    }),
    view("plugin-same", "equal names in two plugins", {
        **installed(plugin("pl"), plugin("pm")), **part("pl"), **part("pm"),
        f"{PLUGINS}/pl/skills/s/SKILL.md": skill("shared"), f"{PLUGINS}/pm/skills/s/SKILL.md": skill("shared"),
    }),
    view("plugin-over", "equal names in a plugin and elsewhere", {
        **installed(plugin("pl")), **part("pl"), **settings(skillDirectories=["{WORLD}/work/extra"]), **COMMANDS,
        f"{PLUGINS}/pl/skills/a/SKILL.md": skill("mine", "From a plugin."),
        f"{PLUGINS}/pl/skills/b/SKILL.md": skill("ours", "From a plugin."),
        f"{PLUGINS}/pl/skills/c/SKILL.md": skill("rel", "From a plugin."),
        f"{PLUGINS}/pl/skills/d/SKILL.md": skill("another", "From a plugin."),
    }),
    view("plugin-disabled", "disabledSkills names a skill of a plugin", {**installed(plugin("pl")), **part("pl"), **settings(disabledSkills=["in-pl"])}),
    view("directories-relative", "a relative folder in skillDirectories", settings(skillDirectories=["extra", "./extra"])),
    view("variable-relative", "a relative folder in COPILOT_SKILLS_DIRS", env={"COPILOT_SKILLS_DIRS": "extra"}),
    view("variable-home", "COPILOT_SKILLS_DIRS with ~", env={"COPILOT_SKILLS_DIRS": "~/extra"}),
    view("ignored-variable", "ignoredSkillsLocations names a folder of the variable", settings(ignoredSkillsLocations=["{WORLD}/work/extra"]), env={"COPILOT_SKILLS_DIRS": "{WORLD}/work/extra"}),
    view("disabled-plugin-menu", "disabledSkills names a skill of a plugin, for its model", {**installed(plugin("pl")), **part("pl"), **settings(disabledSkills=["in-pl"])}, menu=True),
    view("settings-empty", "an empty file of settings", {SETTINGS: ""}),
    # What the corpus of real skills has shown.
    view("hints", "forms of `argument-hint`", {
        f"work/.agents/skills/{name}/SKILL.md": skill(name, fields=f"argument-hint: {hint}\n")
        for name, hint in {"hint-text": "a file", "hint-list": "[a, b]", "hint-number": "5", "hint-map": "{a: b}", "hint-null": "", "hint-flag": "true"}.items()
    }),
)
