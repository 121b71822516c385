"""Configuration and environment of Gemini CLI: every setting and variable that changes what its model is shown.

One world per configuration, chosen from the schema of its settings and the code that reads them. Where it does not
start with a prompt, which it does not in an untrusted folder, its own list answers.
"""

from __future__ import annotations

import json

from cases_config import world
from fixtures import Files, Link, World, skill

J = json.dumps
SKILLS = {
    "work/.agents/skills/pa/SKILL.md": skill("pa"),
    "work/.gemini/skills/pb/SKILL.md": skill("pb"),
    "home/.gemini/skills/ua/SKILL.md": skill("ua"),
    "home/.agents/skills/ub/SKILL.md": skill("ub"),
}
USER, PROJECT = "home/.gemini/settings.json", "work/.gemini/settings.json"
SYSTEM, DEFAULTS = "etc/gemini-cli/settings.json", "etc/gemini-cli/system-defaults.json"
FOLDERS = "home/.gemini/trustedFolders.json"
UNSET = {"GEMINI_CLI_TRUST_WORKSPACE": ""}


def gemini(name: str, why: str, config: Files, env: dict[str, str] | None = None, cwd: str = "work", refuses: bool | None = None, more: Files | None = None) -> World:
    return world("gemini", f"set-{name}", why, {**SKILLS, **(more or {})}, config, env, cwd, refuses=refuses, menu=True)


def off(*names: object) -> str:
    return J({"skills": {"disabled": list(names)}})


def switch(value: object) -> str:
    return J({"skills": {"enabled": value}})


def trust(value: object) -> str:
    return J({"security": {"folderTrust": {"enabled": value}}})


def folders(**rules: str) -> str:
    """Rules for folders below the world; `_` stands for a slash."""
    return J({"{WORLD}" + path.replace("_", "/"): word for path, word in rules.items()})


def untrusted(name: str, why: str, config: Files, env: dict[str, str] | None = None, **more: object) -> World:
    return gemini(f"trust-{name}", why, config, UNSET | (env or {}), **more)


EXTENSION = "home/.gemini/extensions/ext"
WITH_EXTENSION = {
    f"{EXTENSION}/gemini-extension.json": J({"name": "ext", "version": "1.0.0"}),
    f"{EXTENSION}/skills/xa/SKILL.md": skill("xa"),
}

TRUST = (
    untrusted("none", "nothing trusts the folder", {}),
    untrusted("project", "a project cannot waive trust", {PROJECT: trust(False)}),
    untrusted("user", "the user can", {USER: trust(False)}),
    untrusted("system", "the system can", {SYSTEM: trust(False)}),
    untrusted("defaults", "the system's defaults can", {DEFAULTS: trust(False)}),
    untrusted("user-over", "the user wins over the defaults", {DEFAULTS: trust(False), USER: trust(True)}),
    untrusted("system-over", "the system wins over the user", {USER: trust(False), SYSTEM: trust(True)}),
    untrusted("project-on", "a project demands it", {USER: trust(False), PROJECT: trust(True)}),
    untrusted("text", "a text as switch", {USER: trust("false")}),
    untrusted("null", "null as switch", {USER: trust(None)}),
    untrusted("zero", "zero as switch", {USER: trust(0)}),
    untrusted("folder", "a trusted folder", {FOLDERS: folders(_work="TRUST_FOLDER")}),
    untrusted("above", "a trusted folder above", {FOLDERS: folders(_="TRUST_FOLDER")}),
    untrusted("below", "a trusted folder below", {FOLDERS: folders(_work_sub="TRUST_FOLDER")}),
    untrusted("beside", "a folder with the same start", {FOLDERS: folders(_wor="TRUST_FOLDER")}),
    untrusted("parent", "the folder above a folder", {FOLDERS: folders(_work_sub="TRUST_PARENT")}),
    untrusted("parent-self", "the folder above the folder", {FOLDERS: folders(_work="TRUST_PARENT")}),
    untrusted("never", "a folder that is not to be trusted", {FOLDERS: folders(_work="DO_NOT_TRUST")}),
    untrusted("nearest", "the nearest folder decides", {FOLDERS: folders(_="TRUST_FOLDER", _work="DO_NOT_TRUST")}),
    untrusted("nearest-yes", "and the reverse", {FOLDERS: folders(_="DO_NOT_TRUST", _work="TRUST_FOLDER")}),
    untrusted("longest", "the longest path decides", {FOLDERS: folders(_work="DO_NOT_TRUST", _work_sub="TRUST_PARENT")}),
    untrusted("slash", "a slash at the end", {FOLDERS: folders(_work_="TRUST_FOLDER")}),
    untrusted("link", "a link to the folder", {FOLDERS: folders(_link="TRUST_FOLDER"), "link": Link("work")}),
    untrusted("word", "an unknown word", {FOLDERS: folders(_work="YES")}, refuses=True),
    untrusted("word-beside", "an unknown word for another folder", {FOLDERS: folders(_work="TRUST_FOLDER", _x="YES")}, refuses=True),
    untrusted("broken", "a broken file of folders", {FOLDERS: "{"}),
    untrusted("list", "a list of folders", {FOLDERS: J(["{WORLD}/work"])}, refuses=True),
    untrusted("comments", "a comment in the file of folders", {FOLDERS: '{// c\n"{WORLD}/work": "TRUST_FOLDER"}'}),
    untrusted("file", "another file of folders", {"elsewhere/t.json": folders(_work="TRUST_FOLDER")}, {"GEMINI_CLI_TRUSTED_FOLDERS_PATH": "{WORLD}/elsewhere/t.json"}),
    untrusted("settings", "settings of an untrusted project", {PROJECT: off("ua")}),
    untrusted("settings-broken", "broken settings of an untrusted project", {PROJECT: "{"}),
    untrusted("extension", "an extension in an untrusted folder", {}, more=WITH_EXTENSION),
    gemini("trust-variable", "the variable wins over the file", {FOLDERS: folders(_work="TRUST_FOLDER")}, {"GEMINI_CLI_TRUST_WORKSPACE": "false"}),
    gemini("trust-variable-never", "and the reverse", {FOLDERS: folders(_work="DO_NOT_TRUST")}),
    gemini("trust-variable-word", "another word in the variable", {}, {"GEMINI_CLI_TRUST_WORKSPACE": "1"}),
)

SETTINGS = (
    gemini("none", "no settings", {}),
    gemini("user", "the user's settings", {USER: off("pa")}),
    gemini("project", "the project's settings", {PROJECT: off("ua")}),
    gemini("both", "lists of two files", {USER: off("pa"), PROJECT: off("ua")}),
    gemini("emptied", "an empty list does not take back", {USER: off("pa"), PROJECT: off()}),
    gemini("case", "another letter case", {USER: off("PA")}),
    gemini("spaces", "spaces around", {USER: off(" pa ")}),
    gemini("star", "a star", {USER: off("*")}),
    gemini("text", "a text instead of a list", {USER: J({"skills": {"disabled": "pa"}})}),
    gemini("number", "a number in the list", {USER: off(5, "pa")}, refuses=True),
    gemini("null", "null instead of a list", {USER: J({"skills": {"disabled": None}})}, refuses=True),
    gemini("map", "a mapping instead of a list", {USER: J({"skills": {"disabled": {"pa": True}}})}, refuses=True),
    gemini("extension", "a skill of an extension", {USER: off("xa")}, more=WITH_EXTENSION),
    gemini("off", "skills are off", {USER: switch(False)}),
    gemini("off-project", "off for the project", {PROJECT: switch(False)}),
    gemini("off-on", "the project wins over the user", {USER: switch(False), PROJECT: switch(True)}),
    gemini("off-system", "the system wins", {PROJECT: switch(True), SYSTEM: switch(False)}),
    gemini("off-text", "a text as switch", {USER: switch("false")}),
    gemini("off-zero", "zero as switch", {USER: switch(0)}),
    gemini("off-null", "null as switch", {USER: switch(None)}),
    gemini("admin", "a switch of an administrator in the user's file", {USER: J({"admin": {"skills": {"enabled": False}}})}),
    gemini("admin-system", "and in the system's", {SYSTEM: J({"admin": {"skills": {"enabled": False}}})}),
    gemini("admin-extensions", "a switch for extensions", {SYSTEM: J({"admin": {"extensions": {"enabled": False}}})}, more=WITH_EXTENSION),
    gemini("old-key", "an old key", {USER: J({"experimental": {"skills": False}})}),
    gemini("skills-list", "a list instead of a mapping", {USER: J({"skills": ["pa"]})}),
    gemini("unknown-key", "an unknown key", {USER: J({"zzz": 5, "skills": {"disabled": ["pa"]}})}),
    gemini("other-wrong", "a wrong value of another key", {USER: J({"ui": 5, "skills": {"disabled": ["pa"]}})}),
    gemini("tool", "the tool is excluded", {USER: J({"tools": {"exclude": ["activate_skill"]}})}),
    gemini("tool-core", "only another tool is there", {USER: J({"tools": {"core": ["read_file"]}})}),
    gemini("system", "the system's settings", {SYSTEM: off("pa")}),
    gemini("system-defaults", "the system's defaults", {DEFAULTS: off("pa")}),
    gemini("system-path", "the system's settings in a variable", {"etc/elsewhere/s.json": off("pa"), SYSTEM: off("ua")}, {"GEMINI_CLI_SYSTEM_SETTINGS_PATH": "/etc/elsewhere/s.json"}),
    gemini("system-path-defaults", "the defaults lie beside it", {"etc/elsewhere/system-defaults.json": off("pa"), DEFAULTS: off("ua")}, {"GEMINI_CLI_SYSTEM_SETTINGS_PATH": "/etc/elsewhere/s.json"}),
    gemini("system-path-open", "in a folder that others can write to", {"elsewhere/s.json": off("pa"), SYSTEM: off("ua")}, {"GEMINI_CLI_SYSTEM_SETTINGS_PATH": "{WORLD}/elsewhere/s.json"}),
    gemini("defaults-path", "the defaults in a variable", {"etc/elsewhere/d.json": off("pa"), DEFAULTS: off("ua")}, {"GEMINI_CLI_SYSTEM_DEFAULTS_PATH": "/etc/elsewhere/d.json"}),
    gemini("home", "another home", {"other/.gemini/settings.json": off("pa"), USER: off("pb")}, {"GEMINI_CLI_HOME": "{WORLD}/other"}, more={"other/.gemini/skills/oa/SKILL.md": skill("oa"), "other/.agents/skills/ob/SKILL.md": skill("ob")}),
    gemini("home-missing", "another home that does not exist", {USER: off("pa")}, {"GEMINI_CLI_HOME": "{WORLD}/nowhere"}),
    gemini("home-empty", "an empty variable", {USER: off("pa")}, {"GEMINI_CLI_HOME": ""}),
    gemini("cwd-home", "in the home folder", {USER: off("ua")}, cwd="home"),
    gemini("cwd-sub", "below the project", {PROJECT: off("ua")}, cwd="work/sub"),
)

FORMS = (
    gemini("env", "a variable in a value", {USER: off("$NAME")}, {"NAME": "pa"}),
    gemini("env-braces", "in braces", {USER: off("${NAME}")}, {"NAME": "pa"}),
    gemini("env-default", "with a default", {USER: off("${NOT_SET:-pa}")}),
    gemini("env-inside", "inside of a text", {USER: off("p$NAME")}, {"NAME": "a"}),
    gemini("env-unset", "a variable that is not set", {USER: off("$NOT_SET", "pb")}),
    gemini("env-switch", "a variable as switch", {USER: switch("$NAME")}, {"NAME": "false"}),
    gemini("env-file", "a variable of a file", {PROJECT: off("$NAME"), "work/.env": "NAME=pa\n"}),
    gemini("prompt-off", "a variable that takes the menu away", {}, {"GEMINI_PROMPT_AGENTSKILLS": "0"}),
    gemini("prompt-own", "a prompt of one's own", {"work/.gemini/system.md": "You help.\n"}, {"GEMINI_SYSTEM_MD": "1"}),
    gemini("prompt-own-menu", "a prompt of one's own with the menu", {"work/.gemini/system.md": "You help.\n${AgentSkills}\n"}, {"GEMINI_SYSTEM_MD": "1"}),
    gemini("broken", "the user's file is broken", {USER: "{"}),
    gemini("broken-project", "the project's file is broken", {PROJECT: "{"}),
    gemini("broken-system", "the system's file is broken", {SYSTEM: "{"}),
    gemini("broken-defaults", "the defaults are broken", {DEFAULTS: "{"}),
    gemini("empty", "an empty file", {USER: "", PROJECT: off("pa")}, refuses=True),
    gemini("list", "a list", {USER: "[]"}, refuses=True),
    gemini("comments", "comments", {USER: '{/* a */ "skills": {"disabled": ["pa"]} // b\n}'}),
    gemini("comma", "a comma at the end", {USER: '{"skills": {"disabled": ["pa"]},}'}, refuses=True),
    gemini("mark", "a byte order mark", {USER: "\ufeff" + off("pa")}, refuses=True),
    gemini("twice", "a key twice", {USER: '{"skills": {"disabled": ["pa"]}, "skills": {"disabled": ["pb"]}}'}),
)


def same(*roots: str) -> Files:
    return {f"{root}/same/SKILL.md": skill("same", f"From {root.replace('/', ' ').replace('.', '')}.") for root in roots}


ORDER = (
    gemini("order-project", "`.agents` wins in the project", {}, more=same("work/.agents/skills", "work/.gemini/skills")),
    gemini("order-user", "`.agents` wins for the user", {}, more=same("home/.agents/skills", "home/.gemini/skills")),
    gemini("order-across", "the project wins over the user", {}, more=same("home/.agents/skills", "work/.gemini/skills")),
    gemini("order-extension", "the user wins over an extension", {}, more={**WITH_EXTENSION, **same(f"{EXTENSION}/skills", "home/.gemini/skills")}),
    untrusted("order", "the user's where the project is not trusted", {}, more=same("home/.gemini/skills", "work/.gemini/skills")),
)

WORLDS = TRUST + SETTINGS + FORMS + ORDER
