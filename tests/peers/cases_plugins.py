"""Plugins and extensions: what is installed, which version, and what is enabled where. One world per state."""

from __future__ import annotations

import json

from fixtures import Case, Files, Link, World, git, skill

J = json.dumps
MADE = "2026-01-01T00:00:00.000Z"


def world(peer: str, name: str, why: str, files: Files, env: dict[str, str] | None = None, cwd: str = "work") -> World:
    case = Case("view", why, files)
    return World(f"{peer}-{name}", why, (case,), files=git(), peers=(peer,), cwd=cwd, own_roots=True, env=env or {})


# Claude Code

CLAUDE = "home/.claude"
CACHE = f"{CLAUDE}/plugins/cache/m"
MARKET = f"{CLAUDE}/plugins/marketplaces/m"
INSTALLED = f"{CLAUDE}/plugins/installed_plugins.json"
USER, SHARED, LOCAL = f"{CLAUDE}/settings.json", "work/.claude/settings.json", "work/.claude/settings.local.json"


def pack(at: str, name: str = "p1", inner: str = "s1", manifest: str | None = "") -> Files:
    """A plugin with a skill and two commands; `None` leaves the manifest out."""
    files = {
        f"{at}/skills/{inner}/SKILL.md": skill(inner),
        f"{at}/commands/c-{inner}.md": skill("x", f"Command of {inner}."),
        f"{at}/commands/sub/d-{inner}.md": skill("x", f"Inner command of {inner}."),
    }
    text = J({"name": name, "version": "1.0.0"}) if manifest == "" else manifest
    return files if text is None else files | {f"{at}/.claude-plugin/plugin.json": text}


def market(kind: str = "github", source: object = "./plugins/p1", **entry: object) -> Files:
    """A marketplace, and a copy of the plugin in it."""
    place = {"github": {"source": "github", "repo": "o/r"}, "directory": {"source": "directory", "path": f"{{WORLD}}/{MARKET}"}}[kind]
    known = {"m": {"source": place, "installLocation": f"{{WORLD}}/{MARKET}", "lastUpdated": MADE}}
    listed = {"name": "m", "owner": {"name": "o"}, "plugins": [{"name": "p1", "source": source, **entry}]}
    return {
        f"{CLAUDE}/plugins/known_marketplaces.json": J(known),
        f"{MARKET}/.claude-plugin/marketplace.json": J(listed),
        f"{MARKET}/plugins/p1/skills/source/SKILL.md": skill("source"),
    }


def record(path: str, scope: str = "user", **more: str) -> dict:
    return {"scope": scope, "installPath": f"{{WORLD}}/{path}", "version": "1.0.0", "installedAt": MADE, "lastUpdated": MADE, **more}


def registry(*records: dict, name: str = "p1@m") -> Files:
    return {INSTALLED: J({"version": 2, "plugins": {name: list(records)}})}


def enabled(file: str, value: object = True, name: str = "p1@m") -> Files:
    return {file: J({"enabledPlugins": {name: value}})}


ONE = pack(f"{CACHE}/p1/1.0.0")
REGISTERED = registry(record(f"{CACHE}/p1/1.0.0"))
WHOLE = market() | ONE | REGISTERED
PROJECT = record(f"{CACHE}/p1/2.0.0", "project", projectPath="{WORLD}/work")


def moved(files: Files, old: str, new: str) -> Files:
    return {path.replace(old, new): text.replace(old, new) for path, text in files.items()}


def claude(name: str, why: str, *parts: Files, env: dict[str, str] | None = None, cwd: str = "work") -> World:
    files: dict = {}
    for part in parts:
        files |= part
    return world("claude", f"plugin-{name}", why, files, env, cwd)


CLAUDE_WORLDS = (
    claude("on", "installed and enabled", WHOLE, enabled(USER)),
    claude("unset", "installed, not enabled", WHOLE),
    claude("off", "disabled by the user", WHOLE, enabled(USER, False)),
    claude("list", "enabled with a list", WHOLE, enabled(USER, ["x"])),
    claude("project-off", "the project disables it", WHOLE, enabled(USER), enabled(SHARED, False)),
    claude("project-on", "the project enables it", WHOLE, enabled(USER, False), enabled(SHARED)),
    claude("project-alone", "only the project enables it", WHOLE, enabled(SHARED)),
    claude("local-off", "the local file disables it", WHOLE, enabled(SHARED), enabled(LOCAL, False)),
    claude("local-on", "the local file enables it", WHOLE, enabled(LOCAL)),
    claude("below", "settings of a folder above are not read", WHOLE, enabled(SHARED), {"work/sub/x.txt": ""}, cwd="work/sub"),
    claude("unknown-marketplace", "no record of the marketplace", ONE, REGISTERED, enabled(USER)),
    claude("broken-marketplace", "the marketplace is broken", WHOLE, enabled(USER), {f"{MARKET}/.claude-plugin/marketplace.json": "{"}),
    claude("unlisted", "the marketplace does not list it", WHOLE, pack(f"{CACHE}/p9/1.0.0", "p9"),
        registry(record(f"{CACHE}/p9/1.0.0"), name="p9@m"), enabled(USER, name="p9@m")),
    claude("unregistered", "in the cache, not in the registry", market(), ONE, enabled(USER)),
    claude("gone", "the registry names a folder that is gone", market(), ONE, registry(record(f"{CACHE}/p1/9.9.9")), enabled(USER)),
    claude("broken-registry", "the registry is broken", market(), ONE, {INSTALLED: "{"}, enabled(USER)),
    claude("old-registry", "the first form of the registry", market(), ONE, enabled(USER),
        {INSTALLED: J({"version": 1, "plugins": {"p1@m": record(f"{CACHE}/p1/1.0.0")}})}),
    claude("two-versions", "a newer version in the cache", WHOLE, pack(f"{CACHE}/p1/2.0.0", inner="s2"), enabled(USER)),
    claude("this-project", "installed for this project", market(), pack(f"{CACHE}/p1/2.0.0", inner="s2"), registry(PROJECT), enabled(SHARED)),
    claude("other-project", "installed for another project", market(), ONE, enabled(USER),
        registry(record(f"{CACHE}/p1/1.0.0", "project", projectPath="{WORLD}/other"))),
    claude("user-first", "for the user and for this project", WHOLE, pack(f"{CACHE}/p1/2.0.0", inner="s2"),
        registry(record(f"{CACHE}/p1/1.0.0"), PROJECT), enabled(USER)),
    claude("project-first", "for this project and for the user", WHOLE, pack(f"{CACHE}/p1/2.0.0", inner="s2"),
        registry(PROJECT, record(f"{CACHE}/p1/1.0.0")), enabled(USER)),
    claude("directory", "a marketplace on this disk is the plugin itself", market("directory"), ONE, REGISTERED, enabled(USER)),
    claude("directory-unregistered", "even without the registry", market("directory"), enabled(USER)),
    claude("directory-outside", "a plugin from elsewhere in a marketplace on this disk",
        market("directory", {"source": "github", "repo": "o/p"}), ONE, REGISTERED, enabled(USER)),
    claude("other-name", "the manifest has another name", WHOLE, pack(f"{CACHE}/p1/1.0.0", "other"), enabled(USER)),
    claude("no-manifest", "no manifest", market(), pack(f"{CACHE}/p1/1.0.0", manifest=None), REGISTERED, enabled(USER)),
    claude("broken-manifest", "a broken manifest", WHOLE, pack(f"{CACHE}/p1/1.0.0", manifest="{"), enabled(USER)),
    claude("skills-path", "the manifest names a folder", WHOLE, enabled(USER),
        pack(f"{CACHE}/p1/1.0.0", manifest=J({"name": "p1", "skills": "./extra"})), {f"{CACHE}/p1/1.0.0/extra/e1/SKILL.md": skill("e1")}),
    claude("skills-list", "the manifest names a skill", WHOLE, enabled(USER),
        pack(f"{CACHE}/p1/1.0.0", manifest=J({"name": "p1", "skills": ["./extra/e1"]})), {f"{CACHE}/p1/1.0.0/extra/e1/SKILL.md": skill("e1")}),
    claude("commands-path", "the manifest names a command", WHOLE, enabled(USER),
        pack(f"{CACHE}/p1/1.0.0", manifest=J({"name": "p1", "commands": ["./more/x.md"]})), {f"{CACHE}/p1/1.0.0/more/x.md": skill("x", "More.")}),
    claude("entry-skills", "the marketplace names a skill", market(skills=["./other/o1"]), ONE, REGISTERED, enabled(USER),
        {f"{CACHE}/p1/1.0.0/other/o1/SKILL.md": skill("o1")}),
    claude("root-skill", "a SKILL.md in the plugin itself", WHOLE, {f"{CACHE}/p1/1.0.0/SKILL.md": skill("root")}, enabled(USER)),
    claude("root-only", "nothing but a SKILL.md in the plugin itself", market(), REGISTERED, enabled(USER),
        {f"{CACHE}/p1/1.0.0/.claude-plugin/plugin.json": J({"name": "p1"}), f"{CACHE}/p1/1.0.0/SKILL.md": skill("root")}),
    claude("label", "another name in the frontmatter", WHOLE, {f"{CACHE}/p1/1.0.0/skills/folder/SKILL.md": skill("labelled")}, enabled(USER)),
    claude("deep", "a skill two folders down", WHOLE, {f"{CACHE}/p1/1.0.0/skills/g/deep/SKILL.md": skill("deep")}, enabled(USER)),
    claude("override", "an override does not reach a plugin", WHOLE,
        {USER: J({"enabledPlugins": {"p1@m": True}, "skillOverrides": {"p1:s1": "off", "s1": "off"}})}),
    claude("beside", "a skill of the user with the same name", WHOLE, {f"{CLAUDE}/skills/s1/SKILL.md": skill("s1")}, enabled(USER)),
    claude("config-dir", "another home", moved(WHOLE | enabled(USER), "home/.claude", "home/cc"), env={"CLAUDE_CONFIG_DIR": "{WORLD}/home/cc"}),
    claude("cache-dir", "another folder of plugins", moved(WHOLE, "home/.claude/plugins", "home/pp"), enabled(USER),
        env={"CLAUDE_CODE_PLUGIN_CACHE_DIR": "{WORLD}/home/pp"}),
    claude("managed-on", "the administrator enables it", WHOLE, enabled("etc/claude-code/managed-settings.json")),
    claude("managed-off", "the administrator disables it", WHOLE, enabled(USER), enabled("etc/claude-code/managed-settings.json", False)),
)

# Codex

STORE = "home/.codex/plugins/cache/m"
CONFIG = "home/.codex/config.toml"


def codex_pack(at: str, name: str = "p1", inner: str = "s1", manifest: str | None = "", kind: str = ".codex-plugin") -> Files:
    files = {f"{at}/skills/{inner}/SKILL.md": skill(inner)}
    text = J({"name": name, "version": "1.0.0"}) if manifest == "" else manifest
    return files if text is None else files | {f"{at}/{kind}/plugin.json": text}


ON = '[plugins."p1@m"]\nenabled = true\n'
NUMBER = codex_pack(f"{STORE}/p1/1.0.0")


def codex(name: str, why: str, *parts: Files, config: str | None = ON) -> World:
    files: dict = {} if config is None else {CONFIG: config}
    for part in parts:
        files |= part
    return world("codex", f"plugin-{name}", why, files)


def versions(name: str, why: str, *folders: str) -> World:
    return codex(name, why, *(codex_pack(f"{STORE}/p1/{folder}", inner=f"s-{at}") for at, folder in enumerate(folders)))


CODEX_WORLDS = (
    codex("on", "enabled", NUMBER),
    codex("unset", "in the cache, not in the configuration", NUMBER, config=None),
    codex("off", "disabled", NUMBER, config='[plugins."p1@m"]\nenabled = false\n'),
    codex("bare", "an entry without `enabled`", NUMBER, config='[plugins."p1@m"]\n'),
    codex("no-marketplace", "an entry without a marketplace", NUMBER, config='[plugins."p1"]\nenabled = true\n'),
    codex("feature-off", "plugins are switched off", NUMBER, config="[features]\nplugins = false\n" + ON),
    codex("project", "the project's configuration", NUMBER, {"work/.codex/config.toml": ON}, config=None),
    versions("local", "the version `local`", "local"),
    versions("local-wins", "`local` beside a number", "1.0.0", "local"),
    versions("newest", "two numbers", "1.0.0", "2.0.0"),
    versions("numbers", "numbers are not text", "9.0.0", "10.0.0"),
    versions("early", "a version before the release", "1.0.0-beta", "1.0.0"),
    versions("words", "two words", "abc", "def"),
    versions("word-number", "a word and a number", "abc", "1.0.0"),
    versions("prefixed", "numbers with a letter", "v9", "v10"),
    versions("four", "four numbers", "1.0.0.9", "1.0.0.10"),
    codex("newest-bare", "the newest has no manifest", NUMBER, codex_pack(f"{STORE}/p1/2.0.0", inner="s2", manifest=None)),
    codex("newest-broken", "the newest has a broken manifest", NUMBER, codex_pack(f"{STORE}/p1/2.0.0", inner="s2", manifest="{")),
    codex("claude-manifest", "a manifest of Claude Code", codex_pack(f"{STORE}/p1/1.0.0", kind=".claude-plugin")),
    codex("cursor-manifest", "a manifest of Cursor", codex_pack(f"{STORE}/p1/1.0.0", kind=".cursor-plugin")),
    codex("other-name", "the manifest has another name", codex_pack(f"{STORE}/p1/1.0.0", "other")),
    codex("skills-path", "the manifest names a folder", codex_pack(f"{STORE}/p1/1.0.0", manifest=J({"name": "p1", "skills": "./extra"})),
        {f"{STORE}/p1/1.0.0/extra/e1/SKILL.md": skill("e1")}),
    codex("skills-list", "the manifest names two folders", codex_pack(f"{STORE}/p1/1.0.0", manifest=J({"name": "p1", "skills": ["./extra", "./more"]})),
        {f"{STORE}/p1/1.0.0/extra/e1/SKILL.md": skill("e1"), f"{STORE}/p1/1.0.0/more/e2/SKILL.md": skill("e2")}),
    codex("skills-outside", "the manifest leaves the plugin", codex_pack(f"{STORE}/p1/1.0.0", manifest=J({"name": "p1", "skills": "../x"})),
        {f"{STORE}/p1/x/e1/SKILL.md": skill("e1")}),
    codex("rule", "a rule disables its skill", NUMBER, config=ON + '[[skills.config]]\nname = "p1:s1"\nenabled = false\n'),
    codex("deep", "a skill further down, and one in the plugin itself", NUMBER,
        {f"{STORE}/p1/1.0.0/skills/a/b/c/SKILL.md": skill("deep"), f"{STORE}/p1/1.0.0/SKILL.md": skill("root")}),
    codex("dots", "a dot in the marketplace", codex_pack("home/.codex/plugins/cache/m.x/p1/1.0.0"), config='[plugins."p1@m.x"]\nenabled = true\n'),
    codex("linked", "the version is a link", codex_pack("elsewhere/p"), {f"{STORE}/p1/1.0.0": Link("../../../../../../elsewhere/p")}),
)

# Gemini CLI

EXTENSIONS = "home/.gemini/extensions"


def extension(at: str, name: str = "ext", inner: str = "e1", manifest: str | None = "") -> Files:
    files = {f"{at}/skills/{inner}/SKILL.md": skill(inner)}
    text = J({"name": name, "version": "1.0.0"}) if manifest == "" else manifest
    return files if text is None else files | {f"{at}/gemini-extension.json": text}


PLACE = f"{EXTENSIONS}/ext"
PLAIN = extension(PLACE)
INSTALL = f"{PLACE}/.gemini-extension-install.json"
LINKED = {INSTALL: J({"source": "{WORLD}/elsewhere/ext", "type": "link"})}


def gemini(name: str, why: str, *parts: Files, env: dict[str, str] | None = None) -> World:
    files: dict = {}
    for part in parts:
        files |= part
    return world("gemini", f"extension-{name}", why, files, env)


def rules(*overrides: str) -> Files:
    return {f"{EXTENSIONS}/extension-enablement.json": J({"ext": {"overrides": list(overrides)}})}


GEMINI_WORLDS = (
    gemini("link", "linked to another folder", extension("elsewhere/ext"), LINKED),
    gemini("link-own", "linked, with files in place", extension("elsewhere/ext"), extension(PLACE, inner="e2"), LINKED),
    gemini("broken-record", "a broken record of the installation", PLAIN, {INSTALL: "{"}),
    gemini("symbolic", "a symbolic link", extension("elsewhere/ext"), {PLACE: Link("../../../elsewhere/ext")}),
    gemini("hidden", "a hidden folder", extension(f"{EXTENSIONS}/.ext")),
    gemini("off", "disabled everywhere", PLAIN, rules("!/*")),
    gemini("off-home", "disabled in the home folder", PLAIN, rules("!{WORLD}/home/*")),
    gemini("off-here", "disabled in this folder", PLAIN, rules("!{WORLD}/work/*")),
    gemini("off-exact", "disabled in just this folder", PLAIN, rules("!{WORLD}/work/")),
    gemini("on-here", "disabled, but enabled here", PLAIN, rules("!/*", "{WORLD}/work/*")),
    gemini("off-last", "enabled here, and then disabled", PLAIN, rules("{WORLD}/work/*", "!/*")),
    gemini("broken-rules", "broken rules", PLAIN, {f"{EXTENSIONS}/extension-enablement.json": "{"}),
    gemini("no-version", "no version", extension(PLACE, manifest=J({"name": "ext"}))),
    gemini("number-version", "a number as version", extension(PLACE, manifest=J({"name": "ext", "version": 1}))),
    gemini("no-name", "no name", extension(PLACE, manifest=J({"version": "1.0.0"}))),
    gemini("bad-name", "a name with a space", extension(PLACE, manifest=J({"name": "Ext Two", "version": "1"}))),
    gemini("other-name", "a name that is not the folder's", extension(PLACE, manifest=J({"name": "other", "version": "1"}))),
    gemini("broken-manifest", "a broken manifest", extension(PLACE, manifest="{")),
    gemini("comments", "a comment in the manifest", extension(PLACE, manifest='{// x\n"name": "ext", "version": "1.0.0"}')),
    gemini("no-manifest", "no manifest", extension(PLACE, manifest=None)),
    gemini("two", "one skill in two extensions", extension(f"{EXTENSIONS}/a", "a", "same"), extension(f"{EXTENSIONS}/b", "b", "same")),
    gemini("workspace", "in the project", extension("work/.gemini/extensions/ext")),
    gemini("depth", "a skill further down, and one directly in `skills`", PLAIN,
        {f"{PLACE}/skills/g/d/SKILL.md": skill("d"), f"{PLACE}/skills/SKILL.md": skill("r")}),
    gemini("home", "another home", extension("home/gg/.gemini/extensions/ext"), {
        "home/gg/.gemini/skills/x/SKILL.md": skill("x"), "home/gg/.agents/skills/y/SKILL.md": skill("y"), "home/.agents/skills/z/SKILL.md": skill("z"),
    }, env={"GEMINI_CLI_HOME": "{WORLD}/home/gg"}),
)

WORLDS = CLAUDE_WORLDS + CODEX_WORLDS + GEMINI_WORLDS
