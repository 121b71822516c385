"""Configuration and environment of OpenCode: every setting and variable that changes what its model is shown.

One world per configuration, chosen from the schema of its configuration, the order of its files and its flags.
"""

from __future__ import annotations

import json

from cases_config import world
from fixtures import Files, World, skill

J = json.dumps
SKILLS = {
    "work/.agents/skills/pa/SKILL.md": skill("pa"),
    "work/.claude/skills/pb/SKILL.md": skill("pb"),
    "work/.opencode/skills/pc/SKILL.md": skill("pc"),
    "home/.agents/skills/ua/SKILL.md": skill("ua"),
    "home/.claude/skills/ub/SKILL.md": skill("ub"),
    "home/.config/opencode/skills/uc/SKILL.md": skill("uc"),
    "extra/more/xa/SKILL.md": skill("xa"),
    "home/extra/xh/SKILL.md": skill("xh"),
    "work/extra/xw/SKILL.md": skill("xw"),
    "work/sub/extra/xs/SKILL.md": skill("xs"),
}
GLOBAL, PROJECT, DOT = "home/.config/opencode/opencode.json", "work/opencode.json", "work/.opencode/opencode.json"
SYSTEM = "etc/opencode/opencode.json"


def opencode(name: str, why: str, config: Files, env: dict[str, str] | None = None, cwd: str = "work", refuses: bool | None = None, more: Files | None = None) -> World:
    return world("opencode", f"set-{name}", why, {**SKILLS, **(more or {})}, config, env, cwd, refuses=refuses, menu=True)


def paths(*folders: object) -> str:
    return J({"skills": {"paths": list(folders)}})


def allow(**tools: object) -> str:
    return J({"permission": tools})


def skills(rule: object) -> str:
    return allow(skill=rule)


def agents(default: str | None = None, **agent: object) -> str:
    return J({"agent": agent} | ({"default_agent": default} if default else {}))


MORE = paths("{WORLD}/extra/more")
NO_PA, NO_PB = skills({"pa": "deny"}), skills({"pb": "deny"})

VARIABLES = (
    opencode("none", "no configuration", {}),
    opencode("no-external", "folders of other programs are off", {}, {"OPENCODE_DISABLE_EXTERNAL_SKILLS": "1"}),
    opencode("no-external-yes", "with another word", {}, {"OPENCODE_DISABLE_EXTERNAL_SKILLS": "yes"}),
    opencode("no-external-zero", "with zero", {}, {"OPENCODE_DISABLE_EXTERNAL_SKILLS": "0"}),
    opencode("no-external-upper", "in upper case", {}, {"OPENCODE_DISABLE_EXTERNAL_SKILLS": "TRUE"}, refuses=True),
    opencode("no-external-empty", "with an empty value", {}, {"OPENCODE_DISABLE_EXTERNAL_SKILLS": ""}, refuses=True),
    opencode("no-external-bogus", "with a word that is not a boolean", {}, {"OPENCODE_DISABLE_EXTERNAL_SKILLS": "bogus"}, refuses=True),
    opencode("no-claude-skills", "skills of Claude Code are off", {}, {"OPENCODE_DISABLE_CLAUDE_CODE_SKILLS": "true"}),
    opencode("no-claude", "Claude Code is off", {}, {"OPENCODE_DISABLE_CLAUDE_CODE": "1"}),
    opencode("no-claude-prompt", "only the prompt of Claude Code is off", {}, {"OPENCODE_DISABLE_CLAUDE_CODE_PROMPT": "1"}),
    opencode("no-project", "the project's configuration is off", {PROJECT: NO_PA, DOT: NO_PB}, {"OPENCODE_DISABLE_PROJECT_CONFIG": "1"}),
    opencode("no-project-yes", "with a word that is not known there", {PROJECT: NO_PA}, {"OPENCODE_DISABLE_PROJECT_CONFIG": "yes"}),
    opencode("pure", "without plugins", {PROJECT: NO_PA}, {"OPENCODE_PURE": "1"}),
    opencode("xdg", "another folder of configuration", {"home/x/opencode/opencode.json": MORE}, {"XDG_CONFIG_HOME": "{WORLD}/home/x"}),
    opencode("file", "a file in a variable", {"elsewhere/x.json": MORE}, {"OPENCODE_CONFIG": "{WORLD}/elsewhere/x.json"}),
    opencode("file-relative", "a relative path in it", {"elsewhere/x.json": MORE}, {"OPENCODE_CONFIG": "../elsewhere/x.json"}),
    opencode("file-missing", "a file that does not exist", {GLOBAL: NO_PA}, {"OPENCODE_CONFIG": "{WORLD}/nowhere.json"}),
    opencode("file-over-global", "that file wins over the user's", {GLOBAL: NO_PA, "x.json": skills({"pa": "allow"})}, {"OPENCODE_CONFIG": "{WORLD}/x.json"}),
    opencode("project-over-file", "the project's wins over that file", {PROJECT: skills({"pa": "allow"}), "x.json": NO_PA}, {"OPENCODE_CONFIG": "{WORLD}/x.json"}),
    opencode("dir", "a folder in a variable", {"elsewhere/opencode.json": NO_PA}, {"OPENCODE_CONFIG_DIR": "{WORLD}/elsewhere"}, more={"elsewhere/skill/ed/SKILL.md": skill("ed")}),
    opencode("dir-over-dot", "that folder wins over the project's", {DOT: skills({"pa": "allow"}), "elsewhere/opencode.jsonc": NO_PA}, {"OPENCODE_CONFIG_DIR": "{WORLD}/elsewhere"}),
    opencode("dir-relative", "a relative path in it", {"elsewhere/opencode.json": NO_PA}, {"OPENCODE_CONFIG_DIR": "../elsewhere"}, more={"elsewhere/skill/ed/SKILL.md": skill("ed")}),
    opencode("content", "the configuration itself in a variable", {}, {"OPENCODE_CONFIG_CONTENT": NO_PA}),
    opencode("content-over", "it wins over the project's", {DOT: skills({"pa": "allow"})}, {"OPENCODE_CONFIG_CONTENT": NO_PA}),
    opencode("content-comments", "with a comment", {}, {"OPENCODE_CONFIG_CONTENT": '{// c\n"permission": {"skill": {"pa": "deny"}},}'}),
    opencode("content-broken", "broken", {}, {"OPENCODE_CONFIG_CONTENT": "{"}),
    opencode("content-env", "with a variable of its own", {}, {"OPENCODE_CONFIG_CONTENT": paths("{env:XA}"), "XA": "{WORLD}/extra/more"}),
    opencode("permission", "permissions in a variable", {}, {"OPENCODE_PERMISSION": J({"skill": {"pa": "deny"}})}),
    opencode("permission-over", "they win over the administrator's", {SYSTEM: skills({"pa": "allow"})}, {"OPENCODE_PERMISSION": J({"skill": {"pa": "deny"}})}),
    opencode("permission-bad", "not JSON", {GLOBAL: NO_PA}, {"OPENCODE_PERMISSION": "{skill"}),
    opencode("permission-word", "a word instead of a mapping", {GLOBAL: NO_PA}, {"OPENCODE_PERMISSION": '"deny"'}),
    opencode("permission-star", "everything denied", {}, {"OPENCODE_PERMISSION": J({"*": "deny"})}),
)

PERMISSIONS = (
    opencode("deny-one", "one skill is denied", {GLOBAL: NO_PA}),
    opencode("ask-one", "the user is asked for one", {GLOBAL: skills({"pa": "ask"})}),
    opencode("deny-all", "all are denied", {GLOBAL: skills("deny")}),
    opencode("ask-all", "the user is asked for all", {GLOBAL: skills("ask")}),
    opencode("star", "a star is denied", {GLOBAL: skills({"*": "deny"})}),
    opencode("star-then-allow", "a star is denied, and some are allowed", {GLOBAL: skills({"*": "deny", "p*": "allow"})}),
    opencode("allow-then-star", "the last pattern wins", {GLOBAL: skills({"pa": "allow", "*": "deny"})}),
    opencode("one-letter", "a pattern of one letter", {GLOBAL: skills({"p?": "deny"})}),
    opencode("pattern-case", "another letter case", {GLOBAL: skills({"PA": "deny"})}),
    opencode("brackets", "brackets are not a pattern", {GLOBAL: skills({"p[ab]": "deny"})}),
    opencode("space-star", "a pattern that ends in a space and a star", {GLOBAL: skills({"pa *": "deny"})}),
    opencode("word-deny", "a word for all tools", {GLOBAL: J({"permission": "deny"})}),
    opencode("word-ask", "the user is asked for all tools", {GLOBAL: J({"permission": "ask"})}),
    opencode("all-tools", "all tools are denied", {GLOBAL: allow(**{"*": "deny"})}),
    opencode("all-but", "all tools but this one", {GLOBAL: allow(**{"*": "deny", "skill": "allow"})}),
    opencode("but-all", "the reverse order", {GLOBAL: allow(**{"skill": "allow", "*": "deny"})}),
    opencode("all-but-one", "all tools, and one skill", {GLOBAL: allow(**{"*": "deny", "skill": {"pa": "allow"}})}),
    opencode("tool-pattern", "a pattern for tools", {GLOBAL: allow(**{"sk*": "deny"})}),
    opencode("tool-pattern-one", "a pattern for tools and a skill", {GLOBAL: allow(**{"s?ill": {"pa": "deny"}})}),
    opencode("other-tool", "another tool is denied", {GLOBAL: allow(bash="deny")}),
    opencode("wrong-word", "an unknown word", {GLOBAL: skills("never")}, refuses=True),
    opencode("wrong-value", "a boolean for a skill", {GLOBAL: skills({"pa": True})}, refuses=True),
    opencode("wrong-type", "a number as permissions", {GLOBAL: J({"permission": 5})}, refuses=True),
    opencode("null", "null as permissions", {GLOBAL: J({"permission": None})}, refuses=True),
    opencode("tools-off", "the tool is off", {GLOBAL: J({"tools": {"skill": False}})}),
    opencode("tools-on", "the tool is on", {GLOBAL: J({"tools": {"skill": True}})}),
    opencode("tools-star", "all tools are off", {GLOBAL: J({"tools": {"*": False}})}),
    opencode("tools-other", "another tool is off", {GLOBAL: J({"tools": {"bash": False}})}),
    opencode("tools-wrong", "a text as switch", {GLOBAL: J({"tools": {"skill": "no"}})}, refuses=True),
    opencode("tools-off-allowed", "off and allowed", {GLOBAL: J({"tools": {"skill": False}, "permission": {"skill": "allow"}})}),
    opencode("tools-off-one", "off, and a rule for one skill", {GLOBAL: J({"tools": {"skill": False}, "permission": {"skill": {"pa": "deny"}}})}),
    opencode("tools-layers", "off for the user, and on for the project", {GLOBAL: J({"tools": {"skill": False}}), PROJECT: J({"tools": {"skill": True}})}),
)

AGENTS = (
    opencode("agent", "for the agent that starts", {GLOBAL: agents(build={"permission": {"skill": {"pa": "deny"}}})}),
    opencode("agent-tools", "its tool is off", {GLOBAL: agents(build={"tools": {"skill": False}})}),
    opencode("agent-tools-both", "its tool is off, and its permission allows", {GLOBAL: agents(build={"tools": {"skill": False}, "permission": {"skill": "allow"}})}),
    opencode("agent-over", "the agent's rule wins over the general one", {GLOBAL: J({"permission": {"skill": "deny"}, "agent": {"build": {"permission": {"skill": "allow"}}}})}),
    opencode("agent-word", "a word for the agent", {GLOBAL: agents(build={"permission": "deny"})}),
    opencode("agent-other", "for another agent", {GLOBAL: agents(plan={"permission": {"skill": "deny"}})}),
    opencode("default", "another agent starts", {GLOBAL: agents("plan", plan={"permission": {"skill": "deny"}})}),
    opencode("default-own", "an agent of the user starts", {GLOBAL: agents("rev", rev={"mode": "primary", "permission": {"skill": {"*": "deny", "pa": "allow"}}})}),
    opencode("default-all", "an agent without a mode starts", {GLOBAL: agents("rev", rev={"permission": {"skill": {"pa": "deny"}}})}),
    opencode("default-missing", "an agent that does not exist", {GLOBAL: agents("missing")}, refuses=True),
    opencode("default-sub", "an agent that cannot start", {GLOBAL: agents("general")}, refuses=True),
    opencode("default-hidden", "a hidden agent", {GLOBAL: agents("rev", rev={"mode": "primary", "hidden": True})}, refuses=True),
    opencode("default-disabled", "a disabled agent", {GLOBAL: agents("plan", plan={"disable": True})}, refuses=True),
    opencode("build-disabled", "the usual agent is disabled", {GLOBAL: agents(build={"disable": True}, plan={"permission": {"skill": {"pa": "deny"}}})}),
    opencode("build-sub", "the usual agent cannot start", {GLOBAL: agents(build={"mode": "subagent"}, plan={"permission": {"skill": {"pb": "deny"}}})}),
    opencode("agent-layers", "rules of two files", {GLOBAL: agents(build={"permission": {"skill": {"pa": "deny"}}}), PROJECT: agents(build={"permission": {"skill": {"pb": "deny"}}})}),
    opencode("agent-wrong", "a wrong value for the agent", {GLOBAL: agents(build={"permission": {"skill": 5}})}, refuses=True),
    opencode("agent-file", "an agent in a file", {"work/.opencode/agent/build.md": "---\npermission:\n  skill:\n    pa: deny\n---\nYou build.\n"}),
    opencode("agent-file-tools", "its tool is off", {"work/.opencode/agents/build.md": "---\ntools:\n  skill: false\n---\nYou build.\n"}),
    opencode("agent-file-user", "of the user", {"home/.config/opencode/agent/rev.md": "---\nmode: primary\npermission:\n  skill: deny\n---\nYou review.\n", GLOBAL: agents("rev")}),
    opencode("agent-file-folder", "in a folder", {"home/.config/opencode/agent/team/rev.md": "---\nmode: primary\npermission:\n  skill: deny\n---\nYou review.\n", GLOBAL: agents("team/rev")}),
    opencode("agent-file-over", "the file wins over the project's configuration", {PROJECT: agents(build={"permission": {"skill": {"pa": "allow"}}}), "work/.opencode/agent/build.md": "---\npermission:\n  skill:\n    pa: deny\n---\nYou build.\n"}),
    opencode("agent-file-wrong", "a wrong value in a file", {"work/.opencode/agent/build.md": "---\npermission:\n  skill: never\n---\nYou build.\n"}, refuses=True),
    opencode("mode", "the old name of agents", {GLOBAL: J({"mode": {"build": {"tools": {"skill": False}}}})}),
    opencode("mode-file", "a file of the old name", {"work/.opencode/modes/build.md": "---\ntools:\n  skill: false\n---\nYou build.\n"}),
)

LAYERS = (
    opencode("config-json", "the old name of the file", {"home/.config/opencode/config.json": MORE}),
    opencode("config-json-under", "the new name wins", {"home/.config/opencode/config.json": NO_PA, GLOBAL: skills({"pa": "allow"})}),
    opencode("jsonc-over", "comments allowed in the name win", {GLOBAL: NO_PA, f"{GLOBAL}c": skills({"pa": "allow"})}),
    opencode("merged", "entries of two files", {GLOBAL: NO_PA, PROJECT: NO_PB}),
    opencode("project-over", "the project's wins over the user's", {GLOBAL: NO_PA, PROJECT: skills({"pa": "allow"})}),
    opencode("word-over-map", "a word over a mapping", {GLOBAL: NO_PA, PROJECT: skills("allow")}),
    opencode("map-over-word", "a mapping over a word", {GLOBAL: skills("deny"), PROJECT: skills({"pa": "allow"})}),
    opencode("order", "the order of the first file stays", {GLOBAL: skills({"pa": "deny", "*": "allow"}), PROJECT: NO_PA}),
    opencode("order-new", "new patterns come last", {GLOBAL: skills({"pa": "allow"}), PROJECT: skills({"*": "deny"})}),
    opencode("order-tools", "the order of tools stays", {GLOBAL: allow(**{"skill": "allow", "*": "allow"}), PROJECT: allow(**{"*": "allow", "skill": "deny"})}),
    opencode("dot-over-project", "the file in the folder wins over the file beside it", {PROJECT: NO_PA, DOT: skills({"pa": "allow"})}),
    opencode("above", "a file above", {PROJECT: NO_PA, "work/sub/opencode.json": NO_PB}, cwd="work/sub"),
    opencode("near-over", "the nearest file wins", {PROJECT: NO_PA, "work/sub/opencode.json": skills({"pa": "allow"})}, cwd="work/sub"),
    opencode("dot-above", "two folders above each other", {DOT: NO_PA, "work/sub/.opencode/opencode.json": skills({"pa": "allow"})}, cwd="work/sub"),
    opencode("dot-user", "a folder of the user", {"home/.opencode/opencode.json": NO_PA, DOT: skills({"pa": "allow"})}),
    opencode("outside", "a file above the repository", {"opencode.json": NO_PA}),
    opencode("system", "the administrator's file", {SYSTEM: MORE}),
    opencode("system-over", "it wins", {SYSTEM: NO_PA, PROJECT: skills({"pa": "allow"})}),
    opencode("system-over-content", "it wins over the variable", {f"{SYSTEM}c": NO_PA}, {"OPENCODE_CONFIG_CONTENT": skills({"pa": "allow"})}),
    opencode("system-skill", "a folder of skills beside it", {"etc/opencode/skills/es/SKILL.md": skill("es")}),
    opencode("system-broken", "it is broken", {SYSTEM: "{"}),
    opencode("paths-relative", "a folder relative to the working folder", {GLOBAL: paths("extra")}),
    opencode("paths-relative-sub", "and not to the file", {PROJECT: paths("extra")}, cwd="work/sub"),
    opencode("paths-tilde", "a folder of the home", {GLOBAL: paths("~/extra")}),
    opencode("paths-replaced", "the list of the project replaces the user's", {GLOBAL: MORE, PROJECT: paths("~/extra")}),
    opencode("paths-missing", "a folder that does not exist, and one that does", {GLOBAL: paths("nowhere", "~/extra")}),
    opencode("paths-text", "a text instead of a list", {GLOBAL: J({"skills": {"paths": "~/extra"}})}, refuses=True),
    opencode("paths-number", "a number in the list", {GLOBAL: paths(5)}, refuses=True),
    opencode("paths-skill", "the folder of one skill", {GLOBAL: paths("~/extra/xh")}),
    opencode("skills-list", "a list instead of a mapping", {GLOBAL: J({"skills": ["~/extra"]})}),
    opencode("urls", "skills of a server", {GLOBAL: J({"skills": {"urls": ["{env:PEER_MODEL_URL}/skills"]}})}),
    opencode("urls-missing", "a server that has none", {GLOBAL: J({"skills": {"urls": ["{env:PEER_MODEL_URL}/nothing"]}})}),
    opencode("env", "a variable in a value", {GLOBAL: paths("{env:XA}/more")}, {"XA": "{WORLD}/extra"}),
    opencode("env-unset", "a variable that is not set", {GLOBAL: paths("~/extra{env:NOT_SET}")}),
    opencode("env-key", "a variable in a key", {GLOBAL: skills({"{env:XA}": "deny"})}, {"XA": "pa"}),
    opencode("file-value", "a file as a value", {GLOBAL: paths("{file:./folder.txt}"), "home/.config/opencode/folder.txt": "~/extra\n"}),
    opencode("file-value-home", "a file of the home as a value", {GLOBAL: paths("{file:~/folder.txt}"), "home/folder.txt": "  ~/extra\n"}),
    opencode("file-value-missing", "a file that does not exist as a value", {GLOBAL: paths("{file:./nothing.txt}")}, refuses=True),
    opencode("file-value-comment", "a file in a comment", {GLOBAL: '{\n  // {file:./nothing.txt}\n  "permission": {"skill": {"pa": "deny"}}}'}),
)

FORMS = (
    opencode("broken", "the user's file is broken", {GLOBAL: "{"}),
    opencode("broken-project", "the project's file is broken", {PROJECT: "{"}),
    opencode("broken-dot", "the file in the folder is broken", {DOT: "{"}),
    opencode("empty", "an empty file", {GLOBAL: "", PROJECT: NO_PA}),
    opencode("blank", "a file of spaces", {GLOBAL: " \n", PROJECT: NO_PA}, refuses=True),
    opencode("list", "a list", {GLOBAL: "[]", PROJECT: NO_PA}, refuses=True),
    opencode("comments", "comments", {GLOBAL: '{/* a */ "permission": {"skill": {"pa": "deny"}} // b\n}'}),
    opencode("comma", "a comma at the end", {GLOBAL: '{"permission": {"skill": {"pa": "deny",},},}'}),
    opencode("mark", "a byte order mark", {GLOBAL: "\ufeff" + NO_PA}),
    opencode("twice", "a key twice", {GLOBAL: '{"permission": {"skill": {"pa": "deny"}}, "permission": {"skill": {"pb": "deny"}}}'}),
    opencode("quotes", "single quotes", {GLOBAL: "{'permission': {'skill': 'deny'}}"}, refuses=True),
    opencode("unknown-key", "an unknown key", {GLOBAL: J({"zzz": 5, "permission": {"skill": {"pa": "deny"}}})}),
    opencode("other-wrong", "a wrong value of another key", {GLOBAL: J({"snapshot": "no", "permission": {"skill": {"pa": "deny"}}})}, refuses=True),
)

WORLDS = VARIABLES + PERMISSIONS + AGENTS + LAYERS + FORMS
