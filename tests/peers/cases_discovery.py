"""Finding files below one root: shape, links, limits, same names."""

from __future__ import annotations

from fixtures import AGENTS, Case, Link, World, git, one, skill

# OpenCode reads files concurrently into one map of names: which of two paths it keeps is luck. goose and Mistral Vibe keep the first in the
# order in which the disk lists folders.
LUCK = frozenset({"opencode", "kilo", "goose", "vibe"})
# Of two paths to one folder Gemini CLI keeps the one that its parallel walk reaches last: on a busy machine now and then another one.
RACE = LUCK | {"gemini"}


def tree(name: str, why: str, files: dict, outside: dict | None = None, any_of: frozenset = frozenset()) -> Case:
    """A case from paths below the project's `.agents/skills`, and others below `elsewhere`."""
    inside = {f"{AGENTS}/{path}": content for path, content in files.items()}
    beyond = {f"elsewhere/{path}": content for path, content in (outside or {}).items()}
    return Case(name, why, inside | beyond, any_of=any_of)


def at(path: str, why: str) -> Case:
    """A skill at a path below the root, named after the whole path."""
    name = path.replace("/", "-").strip(".")
    return tree(name, why, {f"{path}/SKILL.md": skill(name)})


def depth(levels: int) -> Case:
    path = "/".join(f"d{levels}" for _ in range(levels))
    name = f"depth-{levels}"
    return tree(name, f"{levels} folders below the root", {f"{path}/SKILL.md": skill(name)})


SHAPE = (
    one("plain", "one level below the root"),
    tree("root-file", "SKILL.md directly in the root", {"SKILL.md": skill("root-file")}),
    at("group/inner", "two levels below the root"),
    *(depth(levels) for levels in range(3, 10)),
    tree("nested-resource", "SKILL.md inside another skill's references", {
        "nested-resource/SKILL.md": skill("nested-resource"),
        "nested-resource/references/inner/SKILL.md": skill("nested-inner"),
        "nested-resource/references/SKILL.md": skill("nested-direct"),
    }),
    at(".hidden/a", "inside a hidden folder"),
    at("b/.hidden", "hidden folder below a visible one"),
    tree("hidden-skill", "the skill folder itself is hidden", {".hidden-skill/SKILL.md": skill("hidden-skill")}),
    at("node_modules/dep", "inside node_modules"),
    at("c/node_modules/dep", "node_modules one level down"),
    tree("git-folder", "inside a folder called .git", {"d/.git/SKILL.md": skill("git-folder")}),
    at("target/dep", "inside target"),
    tree("lower-case", "only skill.md", {"lower-case/skill.md": skill("lower-case")}),
    tree("capital", "only Skill.md", {"capital/Skill.md": skill("capital")}),
    tree("upper-extension", "only SKILL.MD", {"upper-extension/SKILL.MD": skill("upper-extension")}),
    tree("both-casings", "SKILL.md and skill.md", {
        "both-casings/SKILL.md": skill("both-casings", "Upper."),
        "both-casings/skill.md": skill("both-casings-lower", "Lower."),
    }),
    tree("folder-as-file", "SKILL.md is a folder", {"folder-as-file/SKILL.md/x.txt": "x"}),
    tree("flat-file", "a Markdown file in the root", {"flat-file.md": skill("flat-file")}),
    tree("other-file", "another Markdown file in a folder", {"other-file/README.md": skill("other-file")}),
    tree("space-folder", "spaces in the folder", {"space folder/SKILL.md": skill("space-folder")}),
    tree("hash-folder", "a number sign in the folder", {"hash#folder/SKILL.md": skill("hash-folder")}),
    tree("glob-folder", "glob characters in the folder", {"[glob]*{a,b}/SKILL.md": skill("glob-folder")}),
    tree("percent-folder", "an escape in the folder", {"percent%20folder/SKILL.md": skill("percent-folder")}),
    tree("unicode-folder", "Chinese folder and name", {"\u6280\u80fd/SKILL.md": skill("\u6280\u80fd")}),
    tree("cyrillic-folder", "Cyrillic folder and name", {"\u043d\u0430\u0432\u044b\u043a/SKILL.md": skill("\u043d\u0430\u0432\u044b\u043a")}),
    tree("devanagari-folder", "Devanagari folder and name", {"\u0939\u093f\u0928\u094d\u0926\u0940/SKILL.md": skill("\u0939\u093f\u0928\u094d\u0926\u0940")}),
    tree("full-width-folder", "full-width folder and name", {"\uff41\uff42\uff43/SKILL.md": skill("\uff41\uff42\uff43")}),
    tree("decomposed-folder", "decomposed folder and name", {"cafe\u0301/SKILL.md": skill("cafe\u0301")}),
)

SHAPE_BELOW = tuple(case for case in SHAPE if case.name != "root-file")
# For these a SKILL.md in the root makes the root one skill.
STOP_AT_ROOT = ("pi", "copilot")

OUT = "../../../elsewhere"

LINKS = (
    tree("linked-folder", "a link to a skill outside every root",
        {"linked-folder": Link(f"{OUT}/linked-folder")},
        outside={"linked-folder/SKILL.md": skill("linked-folder")}),
    tree("linked-group", "a link to a folder of skills outside every root",
        {"linked-group": Link(f"{OUT}/group")},
        outside={"group/g1/SKILL.md": skill("g1"), "group/g2/SKILL.md": skill("g2")}),
    tree("linked-file", "SKILL.md is a link to a regular file",
        {"linked-file/SKILL.md": Link(f"../{OUT}/file.md")},
        outside={"file.md": skill("linked-file")}),
    tree("linked-twin-file", "SKILL.md is a link to another skill's SKILL.md", {
        "linked-twin-file/SKILL.md": Link("../real-twin-file/SKILL.md"),
        "real-twin-file/SKILL.md": skill("real-twin-file"),
    }, any_of=LUCK),
    tree("dead-folder", "a link to nothing", {"dead-folder": Link(f"{OUT}/missing")}),
    tree("dead-file", "SKILL.md is a link to nothing", {"dead-file/SKILL.md": Link("missing.md")}),
    tree("self-link", "a link to itself", {"self-link": Link("self-link")}),
    tree("twin", "a folder and a link to it, same root", {
        "twin/SKILL.md": skill("twin"),
        "twin-link": Link("twin"),
    }, any_of=RACE),
    tree("two-links", "two links to one outside folder",
        {"two-links-a": Link(f"{OUT}/two-links"), "two-links-b": Link(f"{OUT}/two-links")},
        outside={"two-links/SKILL.md": skill("two-links")}, any_of=RACE),
    tree("early-link", "a link that sorts before its target", {
        "early-link": Link("real-early"),
        "real-early/SKILL.md": skill("early-link"),
    }, any_of=RACE),
    tree("hidden-target", "a visible link to a hidden folder", {
        ".hidden-target/SKILL.md": skill("hidden-target"),
        "hidden-target": Link(".hidden-target"),
    }, any_of=RACE),
    tree("link-to-deep", "a link to a folder deeper in the same root", {
        "link-to-deep": Link("deep/er/real"),
        "deep/er/real/SKILL.md": skill("link-to-deep"),
    }, any_of=RACE),
    tree("link-depth", "a link at depth 6 to a group: the link counts, not the target's own depth",
        {"l1/l2/l3/l4/l5/l6": Link("../../../../../" + OUT + "/far")},
        outside={"far/SKILL.md": skill("far-6"), "far/seven/SKILL.md": skill("far-7")}),
)

def same(name: str, why: str, *paths: str) -> Case:
    """One name in several places; the description tells which file was read."""
    files = {f"{path}/SKILL.md": skill(name, f"From place {place}.") for place, path in enumerate(paths, 1)}
    return Case(name, why, files, any_of=LUCK)


SAME_NAMES = (
    same("one-root", "twice in one root", f"{AGENTS}/one-root", f"{AGENTS}/a-one-root"),
    same("three-in-root", "three times in one root", *(f"{AGENTS}/{x}-three" for x in "cab")),
    same("levels", "shallow and deep in one root", f"{AGENTS}/levels", f"{AGENTS}/a/levels"),
    same("home-project", "home and project .agents", "home/.agents/skills/home-project", f"{AGENTS}/home-project"),
    same("claude-agents", "project .claude and .agents", "work/.claude/skills/claude-agents", f"{AGENTS}/claude-agents"),
    same("opencode-agents", "project .opencode and .agents", "work/.opencode/skills/opencode-agents", f"{AGENTS}/opencode-agents"),
    same("gemini-agents", "project .gemini and .agents", "work/.gemini/skills/gemini-agents", f"{AGENTS}/gemini-agents"),
    same("home-gemini-agents", "home .gemini and .agents", "home/.gemini/skills/home-gemini-agents", "home/.agents/skills/home-gemini-agents"),
    same("gemini-over-home", "home .agents and project .gemini", "home/.agents/skills/gemini-over-home", "work/.gemini/skills/gemini-over-home"),
    same("codex-agents", "project .codex and .agents", "work/.codex/skills/codex-agents", f"{AGENTS}/codex-agents"),
    same("home-codex-agents", "home .codex and .agents", "home/.codex/skills/home-codex-agents", "home/.agents/skills/home-codex-agents"),
    same("skill-skills", ".opencode/skill and .opencode/skills", "work/.opencode/skill/skill-skills", "work/.opencode/skills/skill-skills"),
    Case("case-differs", "names that differ only in case", {
        f"{AGENTS}/case-lower/SKILL.md": skill("case-differs"),
        f"{AGENTS}/case-upper/SKILL.md": skill("Case-Differs"),
    }),
    Case("sanitised-twice", "two names that gemini writes alike", {
        f"{AGENTS}/sanitised-a/SKILL.md": skill("same/name"),
        f"{AGENTS}/sanitised-b/SKILL.md": skill("same-name"),
    }),
)

CYCLES = (
    tree("cycle", "a link back to the root", {
        "alpha/SKILL.md": skill("alpha"),
        "alpha/back": Link(".."),
        "beta/SKILL.md": skill("beta"),
    }, any_of=LUCK),
    tree("two-cycle", "two folders that link to each other", {
        "left/SKILL.md": skill("left"),
        "left/other": Link("../right"),
        "right/SKILL.md": skill("right"),
        "right/other": Link("../left"),
    }, any_of=LUCK),
)
FLAT = tree("flat-2500", "2,500 skills in one root", {f"s{n:04}/SKILL.md": skill(f"s{n:04}") for n in range(2500)})
ENTRIES = tree("entries", "a folder of 20,100 files before the last skill", {
    **{f"a/f{n:05}.txt": "" for n in range(20_100)},
    "a/SKILL.md": skill("entries-a"),
    "b/SKILL.md": skill("entries-b"),
    "b/c/SKILL.md": skill("entries-c"),
})
LINKED_ROOT = Case("linked-root", "the root itself is a link", {
    AGENTS: Link("../../elsewhere/skills"),
    "elsewhere/skills/in-linked-root/SKILL.md": skill("in-linked-root"),
})
TWO_ROOTS = Case("two-roots", "the home root is a link to the project root", {
    f"{AGENTS}/shared/SKILL.md": skill("shared"),
    "home/.agents/skills": Link("../../work/.agents/skills"),
}, any_of=LUCK)
ROOT_NAMELESS = tree("root-nameless", "no name, SKILL.md directly in the root", {
    "SKILL.md": "---\ndescription: Has no name.\n---\n",
})
ROOT_FILE = Case("root-is-file", "the root is a file", {AGENTS: "not a folder\n"})


def alone(case: Case) -> World:
    """A world for one case that would disturb others."""
    return World(case.name, case.why, (case,), files=git())


WORLDS = (
    World("shape", "where a SKILL.md may be", SHAPE, files=git()),
    World("shape-below", "the same without a SKILL.md in the root, which hides all others in some programs", SHAPE_BELOW, files=git(), peers=STOP_AT_ROOT),
    World("links", "symbolic links", LINKS, files=git()),
    World("same-names", "one name in several places", SAME_NAMES, files=git()),
    *(alone(case) for case in CYCLES),
    alone(FLAT),
    alone(ENTRIES),
    alone(LINKED_ROOT),
    alone(TWO_ROOTS),
    alone(ROOT_NAMELESS),
    alone(ROOT_FILE),
)
