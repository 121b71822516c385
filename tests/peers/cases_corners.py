"""Corners that several layers make together: odd frontmatter, links, nested roots, colliding names, broken manifests.

Written by a trial that did not write the profiles. The worlds of OpenCode and Gemini CLI are in `cases_corners_more.py`.
"""

from __future__ import annotations

import json
from dataclasses import replace

from cases_config import CONFIG, MANAGED, SHARED, rule
from cases_config import USER as CLAUDE_USER
from cases_config import world as configured
from cases_parse import desc, front
from cases_plugins import (
    CACHE, CLAUDE, INSTALLED, MARKET, ON, STORE, WHOLE, codex_pack, enabled, market, pack, record, registry,
)
from fixtures import Files, Link, World, git, skill

J = json.dumps
FOUR = ("codex", "opencode", "gemini", "claude")

ODD = (
    desc("folded-deeper", "a folded block with a line further in", ">\n  One\n    deeper\n  two"),
    desc("folded-keep", "a folded block that keeps its line ends", ">+\n  One\n\n\n"),
    desc("literal-indent-strip", "an indentation number and a strip mark", "|2-\n   One\n  two"),
    desc("comment-after-quote", "a comment after a quoted value", '"One" # two'),
    desc("hash-in-quotes", "a number sign inside of quotes", '"One # two"'),
    desc("escape-hex", "escapes by number", '"\\x41\\u00e9\\U0001F600"'),
    desc("escape-pair", "a pair of surrogates as escapes", '"\\ud83d\\ude00 b"'),
    desc("escape-line", "a line end that is escaped", '"One \\\n   two"'),
    desc("escape-unknown", "an escape that YAML does not know", '"C:\\dir\\q"'),
    desc("octal", "a number to the base of eight", "0o17"),
    desc("octal-old", "the old form of it", "017"),
    desc("hexadecimal", "a number to the base of sixteen", "0x1F"),
    desc("infinite", "an infinite number", ".inf"),
    desc("sixty", "a number to the base of sixty", "1:30"),
    desc("exponent", "a number with an exponent", "1e3"),
    desc("underscores", "a number with underscores", "1_000"),
    desc("word-no", "a word that was a boolean", "no"),
    desc("stamp", "a moment", "2026-01-31T10:00:00Z"),
    desc("next-line-value", "the value on the next line", "\n  One two"),
    desc("next-line-quoted", "a quoted value on the next line", '\n  "One two"'),
    desc("tag-text", "a tag that makes text of a list", "!!str [a]"),
    desc("alias-inside", "an ampersand and a star inside", "R&D *and* more"),
    desc("dash-only", "a dash alone", "-"),
    desc("tilde-text", "a tilde before text", "~ home"),
    desc("equals", "an equals sign alone", "="),
    desc("quote-in-plain", "a quote inside of a plain value", 'One "two" three'),
    desc("comma-first", "a comma first", ", one"),
    desc("bracket-close", "a closing bracket first", "] one"),
    desc("pipe-inside", "a pipe inside", "a | b > c"),
    desc("plain-comment-line", "a comment line inside of a plain value", "One\n  # not this\n  two"),
    desc("block-comment-line", "a comment line inside of a block", "|\n  One\n  # this too\n  two"),
    desc("block-after-comment", "a comment line right after the mark", ">-\n# note\n  One"),
    desc("crlf-inside", "a line end of Windows inside of quotes", '"One\r\n  two"'),
    desc("only-comment", "nothing but a comment", "# nothing"),
    desc("anchor-value", "an anchor before the value", "&a One"),
    front("anchor-used", "a description that is an alias", "x: &d One two\nname: NAME\ndescription: *d"),
    front("merged-fields", "both fields from a merge key", "x: &b {name: NAME, description: Merged.}\n<<: *b"),
    front("end-mark", "a document end mark before the fence", "name: NAME\ndescription: D.\n..."),
    front("tab-end", "a tab at the end of a line", "name: NAME\t\ndescription: D.\t"),
    front("tab-blank", "a line with a tab only", "name: NAME\n\t\ndescription: D."),
    front("key-null", "a key without a name", "name: NAME\ndescription: D.\n: x"),
    front("key-question", "an explicit key", "? name\n: NAME\n? description\n: D."),
    front("key-long", "a key of 1,100 characters", f"name: NAME\ndescription: D.\n{'k' * 1100}: x"),
    front("key-no-break", "a space that does not break before the colon", "name\u00a0: NAME\nname: NAME\ndescription: D."),
    front("deep-list", "lists in lists", f"name: NAME\ndescription: D.\nx: {'[' * 60}{']' * 60}"),
    front("many-keys", "five hundred keys", "name: NAME\ndescription: D.\n" + "\n".join(f"k{at}: v" for at in range(500))),
    front("markdown-list", "a list of Markdown below the fields", "name: NAME\ndescription: D.\n\n* one\n* two"),
    front("heading", "a heading above the fields", "# NAME\nname: NAME\ndescription: D."),
    front("equals-form", "fields with equals signs", "name = NAME\ndescription = D."),
    front("json-lines", "fields as in JSON, without braces", '"name": "NAME",\n"description": "D.",'),
    front("same-key-quoted", "one key with quotes and without", 'name: NAME\n"name": other\ndescription: D.'),
    front("indent-mixed", "the second field further in", "name: NAME\n  description: D."),
    front("indent-first", "the first field further in", "  name: NAME\ndescription: D."),
    front("list-of-fields", "fields below a key", "skill:\n  name: NAME\n  description: D."),
)


# Codex

CODEX_SKILLS = {
    "work/.agents/skills/pa/SKILL.md": skill("pa"),
    "home/.agents/skills/ua/SKILL.md": skill("ua"),
    "home/.codex/skills/ub/SKILL.md": skill("ub"),
}
SYSTEM, MANAGED_CODEX = "etc/codex/config.toml", "etc/codex/managed_config.toml"
NUMBER = codex_pack(f"{STORE}/p1/1.0.0")
OFF = ON.replace("true", "false")


def trusted(folder: str, word: str = "trusted") -> str:
    return f'[projects."{folder}"]\ntrust_level = "{word}"\n'


def codex(name: str, why: str, *parts: Files, env: dict[str, str] | None = None, cwd: str = "work", refuses: bool | None = None) -> World:
    files: dict = {}
    for part in parts:
        files |= part
    return configured("codex", f"corner-{name}", why, {**CODEX_SKILLS, **files}, {}, env, cwd, refuses=refuses)


def manifest_skills(value: object) -> Files:
    """A plugin whose manifest names folders of skills, and folders that it may mean."""
    inner = {f"{STORE}/p1/1.0.0/{place}/{name}/SKILL.md": skill(name) for place, name in (("extra", "e1"), ("more", "e2"))}
    outside = {f"{STORE}/x/e3/SKILL.md": skill("e3")}
    return codex_pack(f"{STORE}/p1/1.0.0", manifest=J({"name": "p1", "skills": value})) | inner | outside | {CONFIG: ON}


def linked(path: str, target: str, *, inside: str) -> Files:
    """A link, and a skill at its end."""
    return {path: Link(target), f"{inside}/SKILL.md": skill(inside.split("/")[-1])}


CODEX = (
    codex("root-linked", "the root itself is a link", linked("work/.codex/skills", "../../elsewhere/s", inside="elsewhere/s/la")),
    codex("roots-same", "one root is a link to the other", {"work/.codex/skills": Link("../.agents/skills")}),
    codex("user-linked-to-project", "the user's folder leads into the project", {"home/.agents/skills/pa": Link("../../../work/.agents/skills/pa")}),
    codex("root-file", "a file in the place of a root", {"work/.codex": "text\n"}),
    codex("home-linked", "a link as home of Codex", {"home/cc": Link("../elsewhere/cc"), "elsewhere/cc/skills/ca/SKILL.md": skill("ca"), "elsewhere/cc/config.toml": rule(name="pa")}, env={"CODEX_HOME": "{WORLD}/home/cc"}),
    codex("home-missing", "a home of Codex that does not exist", env={"CODEX_HOME": "{WORLD}/home/nowhere"}, refuses=True),
    codex("home-empty", "an empty variable", env={"CODEX_HOME": ""}),
    codex("home-relative", "a relative path as home of Codex", {"work/cc/skills/ca/SKILL.md": skill("ca"), "work/cc/config.toml": rule(name="pa")}, env={"CODEX_HOME": "cc"}),
    codex("home-relative-above", "a relative path that leads up", {"work/cc/skills/ca/SKILL.md": skill("ca")}, env={"CODEX_HOME": "../cc"}, cwd="work/sub"),
    codex("home-relative-outside", "a relative path that leads out of the project", {"elsewhere/cc/skills/ca/SKILL.md": skill("ca")}, env={"CODEX_HOME": "../elsewhere/cc"}),
    codex("home-relative-plugin", "a plugin below a relative home", codex_pack("work/cc/plugins/cache/m/p1/1.0.0"), {"work/cc/config.toml": ON}, env={"CODEX_HOME": "./cc"}),
    codex("home-in-project", "the home of Codex is the project's folder", {"work/.codex/skills/ca/SKILL.md": skill("ca")}, env={"CODEX_HOME": "{WORLD}/work/.codex"}),
    codex("markers-two", "two markers, the nearest decides", {CONFIG: 'project_root_markers = [".git", "package.json"]\n', "work/sub/package.json": "{}", "work/sub/.agents/skills/sa/SKILL.md": skill("sa")}, cwd="work/sub"),
    codex("markers-path", "a marker with a slash", {CONFIG: 'project_root_markers = ["a/b"]\n', "work/a/b": ""}, cwd="work/sub"),
    codex("rule-linked", "a rule with the path of a link", linked("work/.agents/skills/lk", "../../../elsewhere/lk", inside="elsewhere/lk"), {CONFIG: rule(path="{WORLD}/work/.agents/skills/lk/SKILL.md")}),
    codex("rule-target", "a rule with the path that a link leads to", linked("work/.agents/skills/lk", "../../../elsewhere/lk", inside="elsewhere/lk"), {CONFIG: rule(path="{WORLD}/elsewhere/lk/SKILL.md")}),
    codex("rule-two-places", "a rule for a name in two places", {"home/.agents/skills/pa/SKILL.md": skill("pa", "Of the user."), CONFIG: rule(name="pa")}),
    codex("rule-path-over-name", "a path after a name in two places", {"home/.agents/skills/pa/SKILL.md": skill("pa", "Of the user."), CONFIG: rule(name="pa") + rule("true", path="{WORLD}/home/.agents/skills/pa/SKILL.md")}),
    codex("plugin-two-markets", "one plugin of two marketplaces", NUMBER, codex_pack("home/.codex/plugins/cache/n/p1/1.0.0"), {CONFIG: ON + '[plugins."p1@n"]\nenabled = true\n'}),
    codex("plugin-two-names", "two plugins whose manifests have one name", NUMBER, codex_pack(f"{STORE}/p2/1.0.0", "p1", "s2"), {CONFIG: ON + '[plugins."p2@m"]\nenabled = true\n'}),
    *(codex(f"plugin-skills-{name}", why, manifest_skills(value)) for name, why, value in (
        ("wrong", "a number as folder of skills", 5),
        ("empty", "an empty text as folder of skills", ""),
        ("none", "an empty list of folders", []),
        ("plain", "a folder without `./`", "extra"),
        ("dot", "the plugin itself as folder of skills", "./"),
        ("mixed", "a folder without `./` and one with it", ["extra", "./more"]),
        ("number-beside", "a number and a folder", [5, "./more"]),
        ("up-beside", "a folder outside and one inside", ["../../x", "./more"]),
        ("outside", "a folder outside", "../../x"),
        ("up", "a folder outside with `./`", "./../../x"),
        ("up-inside", "a path up that stays inside", "./more/../extra"),
        ("absolute", "an absolute path", f"{{WORLD}}/{STORE}/p1/1.0.0/extra"),
        ("missing", "a folder that does not exist", "./nowhere"),
    )),
    codex("plugin-name-blank", "a blank name in the manifest", codex_pack(f"{STORE}/p1/1.0.0", manifest=J({"name": " "})), {CONFIG: ON}),
    codex("plugin-name-missing", "no name in the manifest", codex_pack(f"{STORE}/p1/1.0.0", manifest=J({"version": "1.0.0"})), {CONFIG: ON}),
    codex("plugin-name-number", "a number as name in the manifest", codex_pack(f"{STORE}/p1/1.0.0", manifest=J({"name": 5})), {CONFIG: ON}),
    codex("plugin-mark", "a byte order mark in the manifest", codex_pack(f"{STORE}/p1/1.0.0", manifest="\ufeff" + J({"name": "p1"})), {CONFIG: ON}),
    codex("plugin-hidden", "a hidden folder in a plugin", NUMBER, {CONFIG: ON, f"{STORE}/p1/1.0.0/skills/.h/SKILL.md": skill("hidden")}),
    codex("plugin-nested", "a manifest inside of a plugin's skills", NUMBER, {CONFIG: ON, f"{STORE}/p1/1.0.0/skills/in/.codex-plugin/plugin.json": J({"name": "inner"}), f"{STORE}/p1/1.0.0/skills/in/x/SKILL.md": skill("nested")}),
    codex("plugin-link", "a linked skill in a plugin", NUMBER, {CONFIG: ON, f"{STORE}/p1/1.0.0/skills/out": Link("{UP}/elsewhere/out".replace("{UP}", "/".join([".."] * 8))), "elsewhere/out/SKILL.md": skill("out")}),
    codex("plugin-rule-path", "a rule with the path of a plugin's skill", NUMBER, {CONFIG: ON + rule(path="{WORLD}/home/.codex/plugins/cache/m/p1/1.0.0/skills/s1/SKILL.md")}),
    codex("plugin-version-file", "a file among the versions", NUMBER, {CONFIG: ON, f"{STORE}/p1/9.9.9": "text\n"}),
    codex("plugin-version-hidden", "a hidden folder among the versions", NUMBER, codex_pack(f"{STORE}/p1/.tmp", inner="s2"), {CONFIG: ON}),
    codex("plugin-system", "the system's configuration enables it", NUMBER, {SYSTEM: ON}),
    codex("plugin-managed", "managed configuration enables it", NUMBER, {MANAGED_CODEX: ON}),
    codex("plugin-managed-off", "managed configuration disables it", NUMBER, {CONFIG: ON, MANAGED_CODEX: OFF}),
    codex("plugin-trusted", "a trusted project enables it", NUMBER, {"work/.codex/config.toml": ON, CONFIG: trusted("{WORLD}/work")}),
    codex("plugin-trusted-off", "a trusted project disables it", NUMBER, {"work/.codex/config.toml": OFF, CONFIG: ON + trusted("{WORLD}/work")}),
    codex("trusted-above", "a folder above is trusted", NUMBER, {"work/.codex/config.toml": ON, CONFIG: trusted("{WORLD}")}),
    codex("trusted-layers", "two folders of a trusted project", NUMBER, {"work/.codex/config.toml": ON, "work/sub/.codex/config.toml": OFF, CONFIG: trusted("{WORLD}/work")}, cwd="work/sub"),
    codex("trusted-near", "the folder is trusted, and not its project", NUMBER, {"work/sub/.codex/config.toml": ON, CONFIG: trusted("{WORLD}/work/sub")}, cwd="work/sub"),
    codex("trusted-near-far", "the folder is trusted, and settings lie in its project", NUMBER, {"work/.codex/config.toml": ON, CONFIG: trusted("{WORLD}/work/sub")}, cwd="work/sub"),
    codex("trusted-not-near", "a folder of a trusted project is not trusted", NUMBER, {"work/sub/.codex/config.toml": ON, CONFIG: trusted("{WORLD}/work") + trusted("{WORLD}/work/sub", "untrusted")}, cwd="work/sub"),
    codex("trusted-slash", "a slash at the end of the trusted folder", NUMBER, {"work/.codex/config.toml": ON, CONFIG: trusted("{WORLD}/work/")}),
    codex("trusted-linked", "a link to the trusted folder", NUMBER, {"work/.codex/config.toml": ON, "lk": Link("work"), CONFIG: trusted("{WORLD}/lk")}),
    codex("trusted-markers", "markers of a trusted project", {"work/.codex/config.toml": "project_root_markers = []\n", CONFIG: trusted("{WORLD}/work")}, cwd="work/sub"),
    codex("trusted-rule", "a rule of a trusted project", {"work/.codex/config.toml": rule(name="pa"), CONFIG: trusted("{WORLD}/work")}),
    codex("trusted-no-repository", "a trusted folder outside of a repository", NUMBER, {"alone/.codex/config.toml": ON, CONFIG: trusted("{WORLD}/alone")}, cwd="alone"),
    codex("trusted-wrong-type", "a wrong type in a trusted project", NUMBER, {"work/.codex/config.toml": "plugins = 5\n", CONFIG: ON + trusted("{WORLD}/work")}, refuses=True),
    codex("plugin-requirement", "requirements disable a plugin", NUMBER, {CONFIG: ON, "etc/codex/requirements.toml": OFF}),
    codex("feature-system", "the system switches plugins off, and the user on", NUMBER, {SYSTEM: "[features]\nplugins = false\n", CONFIG: "[features]\nplugins = true\n" + ON}),
    codex("feature-required", "requirements switch plugins on", NUMBER, {CONFIG: "[features]\nplugins = false\n" + ON, "etc/codex/requirements.toml": "[features]\nplugins = true\n"}),
    codex("feature-managed", "managed configuration switches plugins off", NUMBER, {CONFIG: ON, MANAGED_CODEX: "[features]\nplugins = false\n"}),
    codex("feature-project", "a trusted project switches plugins off", NUMBER, {"work/.codex/config.toml": "[features]\nplugins = false\n", CONFIG: ON + trusted("{WORLD}/work")}),
    codex("requirements-feature", "requirements switch plugins off", NUMBER, {CONFIG: ON, "etc/codex/requirements.toml": "[features]\nplugins = false\n"}),
    codex("requirements-broken", "broken requirements", {"etc/codex/requirements.toml": "[["}),
    codex("managed-broken", "broken managed configuration", {MANAGED_CODEX: "[["}),
    codex("project-broken", "broken configuration of a trusted project", {"work/.codex/config.toml": "[[", CONFIG: trusted("{WORLD}/work")}),
    codex("project-broken-untrusted", "broken configuration of a project", {"work/.codex/config.toml": "[["}),
)

# Claude Code

CLAUDE_SKILLS = {
    "work/.claude/skills/pa/SKILL.md": skill("pa"),
    "home/.claude/skills/ua/SKILL.md": skill("ua"),
    "home/.claude/commands/cmd.md": skill("x", "A command of the user."),
}


def claude(name: str, why: str, *parts: Files, env: dict[str, str] | None = None, cwd: str = "work") -> World:
    files: dict = {}
    for part in parts:
        files |= part
    return configured("claude", f"corner-{name}", why, {**CLAUDE_SKILLS, **files}, {}, env, cwd)


def only(*surfaces: str) -> Files:
    return {MANAGED: J({"strictPluginOnlyCustomization": list(surfaces) if surfaces else True})}


PLUGIN = f"{MARKET}/plugins/p1"


def plugin_manifest(**keys: object) -> Files:
    return {f"{PLUGIN}/.claude-plugin/plugin.json": J({"name": "p1", **keys})}


WITH_PLUGIN = WHOLE | enabled(CLAUDE_USER)
CLAUDE_WORLDS = (
    claude("root-linked", "the root itself is a link", {"work/sub/.claude/skills": Link("../../../elsewhere/s"), "elsewhere/s/la/SKILL.md": skill("la")}, cwd="work/sub"),
    claude("dot-linked", "the folder `.claude` is a link", {"work/sub/.claude": Link("../../elsewhere/c"), "elsewhere/c/skills/la/SKILL.md": skill("la"), "elsewhere/c/settings.json": J({"skillOverrides": {"pa": "off"}})}, cwd="work/sub"),
    claude("agents-linked", "a link to the folder of other programs", {"work/sub/.claude/skills": Link("../.agents/skills"), "work/sub/.agents/skills/la/SKILL.md": skill("la")}, cwd="work/sub"),
    claude("settings-linked", "settings that are a link", {CLAUDE_USER: Link("../../elsewhere/s.json"), "elsewhere/s.json": J({"skillOverrides": {"pa": "off"}})}),
    claude("settings-folder", "a folder in the place of settings", {f"{CLAUDE_USER}/x": ""}),
    claude("config-slash", "a slash at the end of the variable", {"home/cc/skills/ca/SKILL.md": skill("ca"), "home/cc/settings.json": J({"skillOverrides": {"pa": "off"}})}, env={"CLAUDE_CONFIG_DIR": "{WORLD}/home/cc/"}),
    claude("config-tilde", "a tilde in the variable", {"home/cc/skills/ca/SKILL.md": skill("ca")}, env={"CLAUDE_CONFIG_DIR": "~/cc"}),
    claude("config-relative", "a relative path in the variable", {"work/cc/skills/ca/SKILL.md": skill("ca"), "work/cc/commands/cc.md": skill("cc", "A command there."), "work/cc/settings.json": J({"skillOverrides": {"pa": "off"}})}, env={"CLAUDE_CONFIG_DIR": "cc"}),
    claude("config-relative-above", "a relative path that leads up", {"work/cc/skills/ca/SKILL.md": skill("ca")}, env={"CLAUDE_CONFIG_DIR": "../cc"}, cwd="work/sub"),
    claude("config-empty", "an empty variable, and skills in the working folder", {"work/skills/ca/SKILL.md": skill("ca"), "work/settings.json": J({"skillOverrides": {"pa": "off"}})}, env={"CLAUDE_CONFIG_DIR": ""}),
    claude("plugins-relative", "a relative path as folder of plugins", {at.replace(f"{CLAUDE}/plugins", "work/pc"): text.replace(f"{CLAUDE}/plugins", "work/pc") for at, text in WITH_PLUGIN.items()}, env={"CLAUDE_CODE_PLUGIN_CACHE_DIR": "pc"}),
    claude("config-linked", "a link in the variable", {"home/cc": Link("../elsewhere/cc"), "elsewhere/cc/skills/ca/SKILL.md": skill("ca")}, env={"CLAUDE_CONFIG_DIR": "{WORLD}/home/cc"}),
    claude("home-project", "the project is the home folder", {"home/.claude/settings.local.json": J({"skillOverrides": {"ua": "off"}})}, cwd="home"),
    claude("worktree", "a worktree beside the repository", {"tree/.git": "gitdir: ../work/.git/worktrees/tree\n", "work/.git/worktrees/tree/HEAD": "ref: refs/heads/t\n", "work/.git/worktrees/tree/commondir": "../..\n", "work/.git/worktrees/tree/gitdir": "{WORLD}/tree/.git\n", "tree/.claude/skills/ta/SKILL.md": skill("ta")}, cwd="tree"),
    claude("inner-repository", "a repository inside of another", git("work/in"), {"work/in/.claude/skills/ia/SKILL.md": skill("ia")}, cwd="work/in"),
    claude("additional", "a further folder in the settings", {CLAUDE_USER: J({"permissions": {"additionalDirectories": ["{WORLD}/extra"]}}), "extra/.claude/skills/xa/SKILL.md": skill("xa")}),
    claude("bundled-off", "bundled skills are off", {CLAUDE_USER: J({"disableBundledSkills": True})}),
    claude("bundled-variable", "bundled skills are off by a variable", env={"CLAUDE_CODE_DISABLE_BUNDLED_SKILLS": "1"}),
    claude("simple", "the simple mode", env={"CLAUDE_CODE_SIMPLE": "1"}),
    claude("plugins-only", "the administrator allows skills of plugins only", WITH_PLUGIN, only("skills")),
    claude("plugins-only-all", "the administrator allows plugins only", WITH_PLUGIN, only()),
    claude("plugins-only-hooks", "the administrator locks something else", WITH_PLUGIN, only("hooks")),
    claude("plugins-only-user", "the same in the user's settings", WITH_PLUGIN, {CLAUDE_USER: J({"enabledPlugins": {"p1@m": True}, "strictPluginOnlyCustomization": ["skills"]})}),
    claude("plugins-only-managed", "a skill of the administrator beside it", only("skills"), {"etc/claude-code/.claude/skills/ma/SKILL.md": skill("ma")}),
    claude("blocked", "the administrator blocks the marketplace", WITH_PLUGIN, {MANAGED: J({"blockedMarketplaces": [{"source": "github", "repo": "o/r"}]})}),
    claude("allowed-none", "the administrator allows no marketplace", WITH_PLUGIN, {MANAGED: J({"strictKnownMarketplaces": []})}),
    claude("allowed", "the administrator allows this marketplace", WITH_PLUGIN, {MANAGED: J({"strictKnownMarketplaces": [{"source": "github", "repo": "o/r"}]})}),
    claude("allowed-other", "the administrator allows another marketplace", WITH_PLUGIN, {MANAGED: J({"strictKnownMarketplaces": [{"source": "github", "repo": "o/x"}]})}),
    claude("plugin-root", "the marketplace has a folder of plugins", market("directory", "p1") | {f"{MARKET}/.claude-plugin/marketplace.json": J({"name": "m", "owner": {"name": "o"}, "metadata": {"pluginRoot": "./plugins"}, "plugins": [{"name": "p1", "source": "p1"}]})}, enabled(CLAUDE_USER)),
    claude("plugin-loose", "an entry without a manifest that names skills", market("directory", "./", strict=False, skills=["./one/o1"]), enabled(CLAUDE_USER), {f"{MARKET}/one/o1/SKILL.md": skill("o1"), f"{MARKET}/two/o2/SKILL.md": skill("o2")}),
    claude("plugin-strict", "the same, and strict", market("directory", "./", skills=["./one/o1"]), enabled(CLAUDE_USER), {f"{MARKET}/one/o1/SKILL.md": skill("o1")}),
    claude("plugin-upper", "a name in upper case", market("directory"), enabled(CLAUDE_USER), {f"{MARKET}/plugins/p1/.claude-plugin/plugin.json": J({"name": "P-One"})}),
    claude("plugin-space", "a name with a space", market("directory"), enabled(CLAUDE_USER), {f"{MARKET}/plugins/p1/.claude-plugin/plugin.json": J({"name": "p one"})}),
    claude("plugin-skills-number", "a number as skills", market("directory"), enabled(CLAUDE_USER), {f"{MARKET}/plugins/p1/.claude-plugin/plugin.json": J({"name": "p1", "skills": 5})}),
    claude("plugin-skills-outside", "skills outside of the plugin", market("directory"), enabled(CLAUDE_USER), {f"{MARKET}/plugins/p1/.claude-plugin/plugin.json": J({"name": "p1", "skills": "../x"}), f"{MARKET}/plugins/x/e1/SKILL.md": skill("e1")}),
    claude("plugin-skills-missing", "skills that do not exist", market("directory"), enabled(CLAUDE_USER), {f"{MARKET}/plugins/p1/.claude-plugin/plugin.json": J({"name": "p1", "skills": "./nowhere"})}),
    claude("plugin-commands-map", "commands as a mapping", market("directory"), enabled(CLAUDE_USER), {f"{MARKET}/plugins/p1/.claude-plugin/plugin.json": J({"name": "p1", "commands": {"go": {"source": "./more/go.md"}}}), f"{MARKET}/plugins/p1/more/go.md": skill("go", "Goes there.")}),
    claude("plugin-linked", "a linked skill in a plugin", market("directory"), enabled(CLAUDE_USER), {f"{MARKET}/plugins/p1/skills/out": Link("/".join([".."] * 8) + "/elsewhere/out"), "elsewhere/out/SKILL.md": skill("out")}),
    claude("plugin-linked-inside", "a link inside of a plugin", market("directory"), enabled(CLAUDE_USER), {f"{MARKET}/plugins/p1/skills/in": Link("../other/in"), f"{MARKET}/plugins/p1/other/in/SKILL.md": skill("in")}),
    claude("plugin-linked-skills", "the folder of a plugin's skills is a link", market("directory"), enabled(CLAUDE_USER), {f"{MARKET}/plugins/p2/.claude-plugin/plugin.json": J({"name": "p2"}), f"{MARKET}/plugins/p2/skills": Link("../p1/skills"), f"{MARKET}/.claude-plugin/marketplace.json": J({"name": "m", "owner": {"name": "o"}, "plugins": [{"name": "p1", "source": "./plugins/p2"}]})}),
    claude("plugin-skills-plain", "skills without `./`", market("directory"), enabled(CLAUDE_USER), plugin_manifest(skills="extra"), {f"{PLUGIN}/extra/e1/SKILL.md": skill("e1")}),
    claude("plugin-skills-up", "skills outside with `./`", market("directory"), enabled(CLAUDE_USER), plugin_manifest(skills="./../x"), {f"{MARKET}/plugins/x/e1/SKILL.md": skill("e1")}),
    claude("plugin-commands-number", "a number as commands", market("directory"), enabled(CLAUDE_USER), plugin_manifest(commands=5)),
    claude("plugin-agents-wrong", "a wrong value of another key of the manifest", market("directory"), enabled(CLAUDE_USER), plugin_manifest(agents=5)),
    claude("plugin-unknown-key", "an unknown key of the manifest", market("directory"), enabled(CLAUDE_USER), plugin_manifest(zzz=5)),
    claude("plugin-root-dotted", "the marketplace has a folder of plugins, and the entry starts with `./`", market("directory") | {f"{MARKET}/.claude-plugin/marketplace.json": J({"name": "m", "owner": {"name": "o"}, "metadata": {"pluginRoot": "./plugins"}, "plugins": [{"name": "p1", "source": "./plugins/p1"}]})}, enabled(CLAUDE_USER)),
    claude("plugin-root-none", "an entry without `./`, and no folder of plugins", market("directory", "plugins/p1"), enabled(CLAUDE_USER)),
    claude("simple-plugin", "the simple mode and a plugin", WITH_PLUGIN, env={"CLAUDE_CODE_SIMPLE": "1"}),
    claude("simple-off", "the simple mode is off", env={"CLAUDE_CODE_SIMPLE": "0"}),
    claude("wrong-beside-override", "a wrong value for a plugin, and an override", WHOLE, {CLAUDE_USER: J({"enabledPlugins": {"p1@m": True, "p2@m": 5}, "skillOverrides": {"pa": "off"}})}),
    claude("plugin-twice", "one plugin of two marketplaces", WITH_PLUGIN, {f"{CLAUDE}/plugins/known_marketplaces.json": J({name: {"source": {"source": "github", "repo": f"o/{name}"}, "installLocation": f"{{WORLD}}/{CLAUDE}/plugins/marketplaces/{name}", "lastUpdated": "2026-01-01T00:00:00.000Z"} for name in ("m", "n")}), f"{CLAUDE}/plugins/marketplaces/n/.claude-plugin/marketplace.json": J({"name": "n", "owner": {"name": "o"}, "plugins": [{"name": "p1", "source": "./plugins/p1"}]}), INSTALLED: J({"version": 2, "plugins": {"p1@m": [record(f"{CACHE}/p1/1.0.0")], "p1@n": [record(f"{CLAUDE}/plugins/cache/n/p1/1.0.0")]}}), CLAUDE_USER: J({"enabledPlugins": {"p1@m": True, "p1@n": True}})}, pack(f"{CLAUDE}/plugins/cache/n/p1/1.0.0", inner="s2")),
    claude("plugin-text", "the word `true` in place of a boolean", WHOLE, enabled(CLAUDE_USER, "true")),
    claude("plugin-null", "null in place of a boolean", WHOLE, enabled(CLAUDE_USER, None)),
    claude("plugin-wrong-beside", "a wrong value for another plugin", WHOLE, {CLAUDE_USER: J({"enabledPlugins": {"p1@m": True, "p2@m": 5}})}),
    claude("plugin-skipped-name", "an id without a marketplace", WHOLE, enabled(CLAUDE_USER, name="p1")),
    claude("plugin-case", "an id in another letter case", WHOLE, enabled(CLAUDE_USER, name="P1@m")),
    claude("plugin-linked-path", "the registry names a link", market(), registry(record(f"{CACHE}/p1/1.0.0")), enabled(CLAUDE_USER), {"elsewhere/p/.claude-plugin/plugin.json": J({"name": "p1"}), "elsewhere/p/skills/s1/SKILL.md": skill("s1"), f"{CACHE}/p1/1.0.0": Link("/".join([".."] * 6) + "/elsewhere/p")}),
    claude("drop-hidden", "a hidden file in the administrator's folder", {"etc/claude-code/managed-settings.d/.10.json": J({"skillOverrides": {"pa": "off"}})}),
    claude("drop-broken", "a broken file in the administrator's folder", {"etc/claude-code/managed-settings.d/10.json": "{", "etc/claude-code/managed-settings.d/20.json": J({"skillOverrides": {"pa": "off"}})}),
    claude("override-number-key", "an override for a name that is a number", {"work/.claude/skills/7/SKILL.md": skill("7"), SHARED: J({"skillOverrides": {"7": "off"}})}),
)

# The question is what the programs list; the reference validator is not asked.
LISTED = tuple(replace(case, spec=None) for case in ODD)

WORLDS = (World("odd", "odd frontmatter", LISTED, files=git(), peers=FOUR), *CODEX, *CLAUDE_WORLDS)
