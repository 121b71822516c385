"""Which folders are roots: by name, by scope, by ancestor, by repository."""

from __future__ import annotations

from dataclasses import replace

from fixtures import HOME, PROJECT, Case, Link, World, git, one, skill

DOTS = (".agents/skills", ".claude/skills", ".codex/skills", ".opencode/skill", ".opencode/skills", ".gemini/skills")
FOREIGN = (".agent/skills", ".cursor/skills", ".github/skills", ".goose/skills", ".omp/skills", "skills")
USER_ONLY = (".config/opencode/skill", ".config/opencode/skills", ".config/agents/skills", ".copilot/skills")


def root(scope: str, folder: str) -> Case:
    name = f"{scope}/{folder}".replace("/.", "-").replace("/", "-")
    return Case(name, f"{folder} in {scope}", {f"{scope}/{folder}/{name}/SKILL.md": skill(name)})


def below(place: str) -> tuple[Case, ...]:
    """The roots that some program searches near the working directory, at one place."""
    folders = (".agents/skills", ".claude/skills", ".codex/skills", ".opencode/skills", ".gemini/skills")
    return tuple(root(place, folder) for folder in folders)


PLACES = ("work", "work/repo", "work/repo/a", "work/repo/a/b", "work/repo/a/b/c")
LADDER = tuple(case for place in PLACES for case in below(place))
DEEP = "work/repo/a/b"
EXTENSION = "home/.gemini/extensions/ext"

ROOTS = (
    World(
        "roots",
        "every root any agent documents, in project and home",
        tuple(root(PROJECT, f) for f in DOTS + FOREIGN) + tuple(root(HOME, f) for f in DOTS + FOREIGN + USER_ONLY),
        files=git(),
    ),
    World("ancestors", "deep in a repository", LADDER, files=git("work/repo"), cwd=DEEP),
    World("ancestors-no-git", "deep in a tree without a repository", LADDER, cwd=DEEP),
    World(
        "ancestors-git-file",
        "the repository is a linked worktree: .git is a file",
        LADDER,
        files={"work/repo/.git": "gitdir: ../../gitdir/.git\n", **git("gitdir")},
        cwd=DEEP,
    ),
    World("ancestors-two-git", "a repository inside another", LADDER, files={**git("work"), **git("work/repo/a")}, cwd=DEEP),
    World("ancestors-empty-git", "an empty folder called .git", LADDER, files={"work/repo/.git/.keep": ""}, cwd=DEEP),
    World(
        "linked-cwd",
        "the working directory is reached through a link",
        below("work") + below("work/repo") + below("work/repo/a") + (Case("linked-cwd", "the link", {"work/short": Link("repo/a")}),),
        files=git("work/repo"),
        cwd="work/short",
    ),
    World("in-home", "the project is inside home, which is no repository", below("home") + below("home/proj/x"), cwd="home/proj/x"),
    World("home-is-repo", "home is a repository and the project is inside", below("home") + below("home/proj/x"), files=git("home"), cwd="home/proj/x"),
    World("cwd-is-home", "working in home itself", below("home"), cwd="home"),
    World("no-skills", "nothing anywhere", (Case("nothing", "no root exists", {}),), files=git()),
    World("untrusted", "a project the user does not trust", below("work") + below("home"), files={
        **git(),
        "home/.codex/config.toml": '[projects."{WORLD}/work"]\ntrust_level = "untrusted"\n',
    }, trusted=False),
    World(
        "opencode-config",
        "extra paths and rules in OpenCode's own configuration",
        (
            one("denied", "denied by a permission rule"),
            one("kept", "not named in any rule"),
            Case("extra-relative", "skills.paths, relative", {"work/extra/rel/SKILL.md": skill("extra-relative")}),
            Case("extra-home", "skills.paths, home", {"home/extra/tilde/SKILL.md": skill("extra-home")}),
        ),
        files={**git(), "work/opencode.json": '{"skills": {"paths": ["extra", "~/extra"]}, "permission": {"skill": {"denied": "deny"}}}\n'},
        peers=("opencode",),
    ),
    World(
        "gemini-config",
        "disabled names in settings and skills from an extension",
        (
            one("off-workspace", "disabled in the workspace settings"),
            one("off-user", "disabled in the user settings"),
            one("Off-Case", "disabled with other letters' case"),
            one("kept", "not named in any setting"),
            Case("extension", "a skill inside an installed extension", {f"{EXTENSION}/skills/extension/SKILL.md": skill("extension")}),
            Case("over-extension", "the same name in an extension and in home", {
                f"{EXTENSION}/skills/over-extension/SKILL.md": skill("over-extension", "From the extension."),
                "home/.gemini/skills/over-extension/SKILL.md": skill("over-extension", "From home."),
            }),
            Case("built-in", "the name of a bundled skill", {"home/.gemini/skills/skill-creator/SKILL.md": skill("skill-creator", "Mine.")}),
        ),
        files={
            **git(),
            f"{EXTENSION}/gemini-extension.json": '{"name": "ext", "version": "1.0.0"}\n',
            "work/.gemini/settings.json": '{"skills": {"disabled": ["off-workspace", "off-case"]}}\n',
            "home/.gemini/settings.json": '{"skills": {"disabled": ["off-user"]}}\n',
        },
        peers=("gemini",),
    ),
)
# Programs that came later, and the folders of them that the worlds above do not have.
LATER = ("copilot", "kilo", "kimi", "continue")
MORE = (".kilo/skills", ".kilo/skill", ".kilocode/skills", ".kilo/skills-code", ".kilocode/skill", ".kimi-code/skills", ".kimi/skills", ".continue/skills")
MORE_USER = (".config/kilo/skills", ".config/kilo/skill")
ROOTS += (
    World(
        "roots-more",
        "the folders of further programs, in project and home",
        tuple(root(PROJECT, f) for f in MORE) + tuple(root(HOME, f) for f in MORE + MORE_USER),
        files=git(),
        peers=LATER,
    ),
    World(
        "ancestors-more",
        "deep in a repository, with the folders of further programs",
        tuple(root(place, f) for place in PLACES for f in MORE),
        files=git("work/repo"),
        cwd=DEEP,
        peers=LATER,
    ),
)
WORLDS = tuple(replace(world, own_roots=True) for world in ROOTS)
