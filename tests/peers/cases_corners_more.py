"""The corners of `cases_corners.py` for OpenCode and Gemini CLI."""

from __future__ import annotations

import json

import cases_opencode
from cases_config import world as configured
from cases_gemini import DEFAULTS, FOLDERS, UNSET, USER, folders, off, switch
from cases_opencode import DOT, GLOBAL, NO_PA, PROJECT, agents, paths, skills
from cases_plugins import EXTENSIONS, PLAIN, extension, rules
from fixtures import Files, Link, World, git, skill

J = json.dumps
OPEN_SKILLS = {path: text for path, text in cases_opencode.SKILLS.items() if "extra" not in path}


def opencode(name: str, why: str, *parts: Files, env: dict[str, str] | None = None, cwd: str = "work", refuses: bool = False) -> World:
    files: dict = {}
    for part in parts:
        files |= part
    return configured("opencode", f"corner-{name}", why, {**OPEN_SKILLS, **files}, {}, env, cwd, refuses=refuses, menu=True)


MORE = {"extra/more/xa/SKILL.md": skill("xa")}
DENIES_PA = "---\nmode: primary\npermission:\n  skill:\n    pa: deny\n---\nYou build.\n"
OTHER_HOME = {
    "other/.claude/skills/oa/SKILL.md": skill("oa"),
    "other/.agents/skills/ob/SKILL.md": skill("ob"),
    "other/.opencode/skills/oc/SKILL.md": skill("oc"),
    "other/.opencode/opencode.json": NO_PA,
    "other/.config/opencode/skills/od/SKILL.md": skill("od"),
    "other/more/oe/SKILL.md": skill("oe"),
    "home/more/ue/SKILL.md": skill("ue"),
}
OPENCODE = (
    opencode("config-linked", "the folder of configuration is a link", {"home/x/opencode": Link("../../elsewhere/oc"), "elsewhere/oc/opencode.json": NO_PA, "elsewhere/oc/skills/la/SKILL.md": skill("la")}, env={"XDG_CONFIG_HOME": "{WORLD}/home/x"}),
    opencode("config-empty", "an empty variable", {GLOBAL: NO_PA}, env={"XDG_CONFIG_HOME": ""}),
    opencode("managed-dir", "another folder of the administrator", {"elsewhere/m/opencode.json": NO_PA}, env={"OPENCODE_TEST_MANAGED_CONFIG_DIR": "{WORLD}/elsewhere/m"}),
    opencode("managed-dir-relative", "the same as a relative path", {"elsewhere/m/opencode.json": NO_PA}, env={"OPENCODE_TEST_MANAGED_CONFIG_DIR": "../elsewhere/m"}),
    opencode("managed-dir-empty", "an empty variable", {"work/opencode.json": NO_PA, "etc/opencode/opencode.json": skills({"pb": "deny"})}, env={"OPENCODE_TEST_MANAGED_CONFIG_DIR": ""}),
    opencode("test-home", "another home, of OpenCode's own tests", OTHER_HOME, {GLOBAL: paths("~/more")}, env={"OPENCODE_TEST_HOME": "{WORLD}/other"}),
    opencode("test-home-relative", "the same as a relative path", {path.replace("other/", "work/other/"): text for path, text in OTHER_HOME.items()}, {GLOBAL: paths("~/more")}, env={"OPENCODE_TEST_HOME": "other"}),
    opencode("test-home-empty", "an empty variable", {"work/.claude/skills/wa/SKILL.md": skill("wa")}, env={"OPENCODE_TEST_HOME": ""}),
    opencode("config-relative", "a relative path as folder of configuration", {"work/x/opencode/opencode.json": NO_PA, "work/x/opencode/skills/la/SKILL.md": skill("la"), "work/x/opencode/agent/build.md": "---\npermission:\n  skill:\n    pb: deny\n---\nYou build.\n"}, env={"XDG_CONFIG_HOME": "x"}),
    opencode("config-relative-above", "a relative path that leads up", {"work/x/opencode/skills/la/SKILL.md": skill("la")}, env={"XDG_CONFIG_HOME": "../x"}, cwd="work/sub"),
    opencode("paths-linked", "a link as folder of skills", MORE, {"work/lk": Link("../extra/more"), GLOBAL: paths("lk")}),
    opencode("paths-file", "a file as folder of skills", MORE, {GLOBAL: paths("{WORLD}/extra/more/xa/SKILL.md")}),
    opencode("paths-home", "a tilde alone", {GLOBAL: paths("~"), "home/deep/xd/SKILL.md": skill("xd")}),
    opencode("paths-dots", "a path with dots", MORE, {GLOBAL: paths("../extra/../extra/more")}),
    opencode("paths-dollar", "a dollar in a path", MORE, {GLOBAL: paths("$HOME/../extra/more")}),
    opencode("paths-empty", "an empty path", {GLOBAL: paths(""), "work/plain/xp/SKILL.md": skill("xp")}),
    opencode("paths-external-off", "a path while other programs' folders are off", MORE, {GLOBAL: paths("{WORLD}/extra/more", "{WORLD}/work/.agents/skills")}, env={"OPENCODE_DISABLE_EXTERNAL_SKILLS": "1"}),
    opencode("project-off-agents", "the project's configuration is off, and other programs' folders stay", {DOT: NO_PA}, env={"OPENCODE_DISABLE_PROJECT_CONFIG": "true"}, cwd="work/sub"),
    opencode("inner-repository", "a repository inside of another", git("work/in"), {"work/in/.agents/skills/ia/SKILL.md": skill("ia"), "work/in/x.txt": ""}, cwd="work/in"),
    opencode("dot-linked", "the folder `.opencode` is a link", {"work/sub/.opencode": Link("../../elsewhere/oc"), "elsewhere/oc/opencode.json": NO_PA, "elsewhere/oc/skill/la/SKILL.md": skill("la")}, cwd="work/sub"),
    opencode("dot-jsonc", "comments in the folder's file", {f"{DOT}c": "{// c\n" + NO_PA[1:]}),
    opencode("file-linked", "configuration that is a link", {PROJECT: Link("../elsewhere/o.json"), "elsewhere/o.json": NO_PA}),
    opencode("agent-broken", "an agent with broken frontmatter", {"work/.opencode/agent/build.md": "---\npermission: {skill: deny\n---\nYou build.\n"}, refuses=True),
    opencode("agent-colon", "an agent with a colon in its description", {"work/.opencode/agent/build.md": "---\ndescription: Builds: all\npermission:\n  skill:\n    pa: deny\n---\nYou build.\n"}),
    opencode("agent-bare", "an agent without frontmatter", {"work/.opencode/agent/build.md": "You build.\n"}),
    opencode("agent-linked", "an agent that is a link", {"work/.opencode/agent/build.md": Link("../../../elsewhere/build.md"), "elsewhere/build.md": DENIES_PA}),
    opencode("agent-disabled-file", "a file disables the agent that starts", {"work/.opencode/agent/build.md": "---\ndisable: true\n---\nX.\n", GLOBAL: agents(plan={"permission": {"skill": {"pb": "deny"}}})}),
    opencode("agent-name-key", "a name in the frontmatter of an agent", {"work/.opencode/agent/x.md": "---\nname: build\npermission:\n  skill: deny\n---\nX.\n"}),
    opencode("agent-no-project", "the project's agents while its configuration is off", {"work/.opencode/agent/build.md": DENIES_PA}, env={"OPENCODE_DISABLE_PROJECT_CONFIG": "1"}),
    opencode("agent-dir", "an agent beside the folder in a variable", {"elsewhere/agent/build.md": DENIES_PA}, env={"OPENCODE_CONFIG_DIR": "{WORLD}/elsewhere"}),
    opencode("mode-user", "an old role of the user in its folder", {"home/.opencode/mode/build.md": "---\ntools:\n  skill: false\n---\nX.\n"}),
    opencode("permission-case", "a name in upper case", {"work/.agents/skills/up/SKILL.md": skill("Up-Case"), GLOBAL: skills({"up-*": "deny"})}),
    opencode("permission-space", "a name with a space", {"work/.agents/skills/sp/SKILL.md": skill("two words"), GLOBAL: skills({"two*": "deny"})}),
    opencode("permission-built-in", "the built-in skill denied", {GLOBAL: skills({"customize-opencode": "deny"})}),
    opencode("built-in-replaced", "a skill with the name of the built-in one", {"work/.agents/skills/cu/SKILL.md": skill("customize-opencode", "Mine.")}),
    opencode("description-none", "no description, and an empty one", {"work/.agents/skills/na/SKILL.md": "---\nname: na\n---\nX.\n", "work/.agents/skills/nb/SKILL.md": '---\nname: nb\ndescription: ""\n---\nX.\n'}),
    opencode("content-empty", "empty configuration in a variable", {GLOBAL: NO_PA}, env={"OPENCODE_CONFIG_CONTENT": ""}),
    opencode("config-folder", "a folder in the variable of a file", {GLOBAL: NO_PA, "elsewhere/opencode.json": skills("deny")}, env={"OPENCODE_CONFIG": "{WORLD}/elsewhere"}, refuses=True),
)

GEMINI_SKILLS = {
    "work/.agents/skills/pa/SKILL.md": skill("pa"),
    "work/.gemini/skills/pb/SKILL.md": skill("pb"),
    "home/.gemini/skills/ua/SKILL.md": skill("ua"),
}


def gemini(name: str, why: str, *parts: Files, env: dict[str, str] | None = None, cwd: str = "work", refuses: bool = False) -> World:
    files: dict = {}
    for part in parts:
        files |= part
    return configured("gemini", f"corner-{name}", why, {**GEMINI_SKILLS, **files}, {}, env, cwd, refuses=refuses, menu=True)


def secure(**security: object) -> Files:
    return {USER: J({"security": security})}


FROM_GIT = {f"{EXTENSIONS}/ext/.gemini-extension-install.json": J({"source": "o/r", "type": "git"})}
GEMINI = (
    gemini("dot-linked", "the folder `.gemini` is a link", {"work/sub/.gemini": Link("../../elsewhere/g"), "elsewhere/g/skills/la/SKILL.md": skill("la"), "elsewhere/g/settings.json": off("ua")}, cwd="work/sub"),
    gemini("root-linked", "the root itself is a link", {"work/sub/.agents/skills": Link("../../../elsewhere/s"), "elsewhere/s/la/SKILL.md": skill("la")}, cwd="work/sub"),
    gemini("settings-linked", "settings that are a link", {USER: Link("../../elsewhere/s.json"), "elsewhere/s.json": off("pa")}),
    gemini("home-project", "the home is the project", {}, env={"GEMINI_CLI_HOME": "{WORLD}/work"}),
    gemini("home-relative", "a relative path as home", {"work/gh/.gemini/skills/ga/SKILL.md": skill("ga"), "work/gh/.agents/skills/gb/SKILL.md": skill("gb"), "work/gh/.gemini/settings.json": off("pa")}, env={"GEMINI_CLI_HOME": "gh"}),
    gemini("home-relative-above", "a relative path that leads up", {"work/gh/.gemini/skills/ga/SKILL.md": skill("ga")}, env={"GEMINI_CLI_HOME": "../gh"}, cwd="work/sub"),
    gemini("home-relative-extension", "an extension below a relative home", extension("work/gh/.gemini/extensions/ext"), env={"GEMINI_CLI_HOME": "gh"}),
    gemini("home-relative-untrusted", "a relative home in a folder that is not trusted", {"work/gh/.gemini/skills/ga/SKILL.md": skill("ga")}, env=UNSET | {"GEMINI_CLI_HOME": "gh"}),
    gemini("folders-missing", "a file of folders that does not exist", {FOLDERS: folders(_work="TRUST_FOLDER")}, env=UNSET | {"GEMINI_CLI_TRUSTED_FOLDERS_PATH": "{WORLD}/nothing.json"}),
    gemini("folders-empty", "an empty file of folders", {FOLDERS: ""}, env=UNSET, refuses=True),
    gemini("folders-dots", "a path with dots in the file of folders", {FOLDERS: J({"{WORLD}/x/../work": "TRUST_FOLDER"})}, env=UNSET),
    gemini("folders-case", "another letter case in the file of folders", {FOLDERS: J({"{WORLD}/WORK": "TRUST_FOLDER"})}, env=UNSET),
    gemini("folders-tilde", "a tilde in the file of folders", {FOLDERS: J({"~/work": "TRUST_FOLDER"})}, env=UNSET, cwd="home/work"),
    gemini("folders-two", "two rules of one length", {FOLDERS: J({"{WORLD}/work": "DO_NOT_TRUST", "{WORLD}/work/": "TRUST_FOLDER"})}, env=UNSET),
    gemini("trust-file", "the variable in a file of the project", {"work/.env": "GEMINI_CLI_TRUST_WORKSPACE=true\n"}, env=UNSET),
    gemini("trust-file-user", "the variable in a file of the user", {"home/.env": "GEMINI_CLI_TRUST_WORKSPACE=true\n"}, env=UNSET),
    gemini("trust-file-gemini", "the variable in the file of Gemini CLI", {"home/.gemini/.env": "GEMINI_CLI_TRUST_WORKSPACE=true\n"}, env=UNSET),
    gemini("trust-old-key", "the old key of trust", {USER: J({"folderTrust": False})}, env=UNSET),
    gemini("trust-upper", "the variable in upper case", env={"GEMINI_CLI_TRUST_WORKSPACE": "TRUE"}),
    gemini("trust-extension", "an extension of the user in an untrusted folder", PLAIN, env=UNSET),
    gemini("off-sanitised", "a name as Gemini CLI writes it", {"work/.agents/skills/sl/SKILL.md": skill("a/b"), USER: off("a-b")}),
    gemini("off-written", "a name as it is in the file", {"work/.agents/skills/sl/SKILL.md": skill("a/b"), USER: off("a/b")}),
    gemini("off-built-in", "a built-in skill is disabled", {USER: off("skill-creator")}),
    gemini("off-winner", "the name of two skills is disabled", {"home/.gemini/skills/pa/SKILL.md": skill("pa", "Of the user."), USER: off("pa")}),
    gemini("case-names", "names that differ in case", {"home/.gemini/skills/PA/SKILL.md": skill("PA", "Of the user.")}),
    gemini("built-in-replaced", "a skill with the name of a built-in one", {"work/.agents/skills/sc/SKILL.md": skill("skill-creator", "Mine.")}),
    gemini("defaults-user", "a list of the defaults and one of the user", {DEFAULTS: off("pa"), USER: off("ua")}),
    gemini("switch-defaults", "the defaults switch skills off", {DEFAULTS: switch(False), USER: switch(True)}),
    gemini("directories", "a further folder in the settings", {USER: J({"context": {"includeDirectories": ["{WORLD}/extra"]}}), "extra/.gemini/skills/xa/SKILL.md": skill("xa"), "extra/.agents/skills/xb/SKILL.md": skill("xb")}),
    gemini("agents-off", "sub-agents are off", {USER: J({"experimental": {"enableAgents": False}})}),
    gemini("extension-git-blocked", "extensions from git are blocked", PLAIN, FROM_GIT, secure(blockGitExtensions=True)),
    gemini("extension-local-blocked", "the same for a local extension", PLAIN, {f"{EXTENSIONS}/ext/.gemini-extension-install.json": J({"source": "{WORLD}/x", "type": "local"})}, secure(blockGitExtensions=True)),
    gemini("extension-allowed", "an extension that a pattern allows", PLAIN, FROM_GIT, secure(allowedExtensions=["o/.*"])),
    gemini("extension-not-allowed", "an extension that no pattern allows", PLAIN, FROM_GIT, secure(allowedExtensions=["z/.*"])),
    gemini("extension-unrecorded", "patterns, and an extension without a record", PLAIN, secure(allowedExtensions=["z/.*"]), refuses=True),
    gemini("extension-disabled-list", "the old list of disabled extensions", PLAIN, {USER: J({"extensions": {"disabled": ["ext"]}})}),
    gemini("extension-rules-case", "rules for a name in another letter case", PLAIN, {f"{EXTENSIONS}/extension-enablement.json": J({"EXT": {"overrides": ["!/*"]}})}),
    gemini("extension-rules-text", "a text in place of rules", PLAIN, {f"{EXTENSIONS}/extension-enablement.json": J({"ext": {"overrides": "!/*"}})}),
    gemini("extension-rules-middle", "a star in the middle of a rule", PLAIN, rules("!{WORLD}/w*k/")),
    gemini("extension-rules-parent", "a rule for the folder above", PLAIN, rules("!{WORLD}/*")),
    gemini("extension-rules-plain", "a rule for the folder above without a star", PLAIN, rules("!{WORLD}/")),
    gemini("extension-rules-none", "an empty list of rules", PLAIN, rules()),
    gemini("extension-linked-skill", "a linked skill in an extension", PLAIN, {f"{EXTENSIONS}/ext/skills/out": Link("../../../../../elsewhere/out"), "elsewhere/out/SKILL.md": skill("out")}),
    gemini("extension-variable", "a variable in a manifest", extension(f"{EXTENSIONS}/ext", manifest=J({"name": "${NAME}", "version": "1.0.0"})), env={"NAME": "ext"}),
    gemini("extension-same-name", "two folders with one name in their manifests", extension(f"{EXTENSIONS}/a", "ext", "ea"), extension(f"{EXTENSIONS}/b", "ext", "eb"), refuses=True),
    gemini("extension-file", "a file among the extensions", PLAIN, {f"{EXTENSIONS}/note.txt": "text\n"}),
    gemini("extension-link-missing", "a link to nothing", PLAIN, {f"{EXTENSIONS}/ext/.gemini-extension-install.json": J({"source": "{WORLD}/nowhere", "type": "link"})}),
)

WORLDS = OPENCODE + GEMINI
