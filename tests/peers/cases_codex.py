"""What only Codex has: plugin namespaces, agents/openai.yaml, enablement rules."""

from __future__ import annotations

from fixtures import AGENTS, Case, World, git, one, skill

ONLY = ("codex",)


def manifest(name: str) -> str:
    return f'{{"name": "{name}", "version": "1.0.0"}}\n'


def pack(case: str, why: str, kind: str, content: str, folder: str | None = None, name: str | None = None) -> Case:
    """A skill below a folder that holds its own plugin manifest."""
    at = f"{AGENTS}/{folder or case}"
    name = name or f"{case}-skill"
    return Case(case, why, {f"{at}/{kind}/plugin.json": content, f"{at}/skills/{name}/SKILL.md": skill(name)})


NESTED = (
    one("plain-sibling", "no manifest above it"),
    pack("codex-pack", ".codex-plugin names the namespace", ".codex-plugin", manifest("acme")),
    pack("claude-pack", ".claude-plugin names the namespace", ".claude-plugin", manifest("clod")),
    pack("cursor-pack", ".cursor-plugin names the namespace", ".cursor-plugin", manifest("curs")),
    pack("blank-pack", "a blank name falls back to the folder", ".codex-plugin", manifest(" ")),
    pack("nameless-pack", "no name at all", ".codex-plugin", '{"version": "1.0.0"}\n'),
    pack("broken-pack", "the manifest is not JSON", ".codex-plugin", "{\n"),
    pack("space-pack", "a name with spaces", ".codex-plugin", manifest("two words")),
    pack("limit-pack", "64 + 64 characters", ".codex-plugin", manifest("p" * 64), name="s" * 64),
    pack("over-pack", "65 + 64 characters", ".codex-plugin", manifest("q" * 65), name="t" * 64),
    Case("two-manifests", "both .codex-plugin and .claude-plugin", {
        f"{AGENTS}/two/.codex-plugin/plugin.json": manifest("from-codex"),
        f"{AGENTS}/two/.claude-plugin/plugin.json": manifest("from-claude"),
        f"{AGENTS}/two/x/SKILL.md": skill("two-x"),
    }),
    Case("manifest-in-skill", "the manifest is in the skill folder itself", {
        f"{AGENTS}/selfpack/.codex-plugin/plugin.json": manifest("selfpack"),
        f"{AGENTS}/selfpack/SKILL.md": skill("self-skill"),
    }),
    Case("inner-manifest", "a manifest inside another plugin", {
        f"{AGENTS}/outer/.codex-plugin/plugin.json": manifest("outer"),
        f"{AGENTS}/outer/a/SKILL.md": skill("outer-a"),
        f"{AGENTS}/outer/in/.codex-plugin/plugin.json": manifest("inner"),
        f"{AGENTS}/outer/in/b/SKILL.md": skill("inner-b"),
        f"{AGENTS}/outer/bad/.codex-plugin/plugin.json": "{",
        f"{AGENTS}/outer/bad/c/SKILL.md": skill("outer-c"),
    }),
)

OUTER = (
    one("inherits", "a manifest in the project folder above the root"),
    Case("home-skill", "home is not below the project", {"home/.agents/skills/home-skill/SKILL.md": skill("home-skill")}),
    pack("inner", "the nearer manifest wins", ".claude-plugin", manifest("inner")),
    pack("inner-broken", "a broken nearer manifest leaves the outer one", ".claude-plugin", "nonsense"),
)


def openai(folder: str, why: str, yaml: str, description: str = "") -> Case:
    at = f"{AGENTS}/{folder}"
    return Case(folder, why, {f"{at}/SKILL.md": skill(folder, description), f"{at}/agents/openai.yaml": yaml})


OPENAI = (
    openai("full", "every documented field", (
        "interface:\n  display_name: Full Name\n  short_description: Short.\n  default_prompt: Do   it.\n"
        "  brand_color: '#A1B2C3'\n  icon_small: assets/s.png\n  icon_large: ./assets/l.png\n"
        "dependencies:\n  tools:\n    - type: mcp\n      value: server\n      description: D.\n      transport: stdio\n      command: run\n"
        "policy:\n  allow_implicit_invocation: true\n"
    )),
    openai("broken", "the file is not YAML", "interface: [\n"),
    openai("wrong-type", "interface is a list", "interface:\n  - one\npolicy:\n  allow_implicit_invocation: false\n"),
    openai("empty-yaml", "an empty file", ""),
    openai("bad-fields", "bad icon and colour, good name", (
        "interface:\n  display_name: Kept\n  brand_color: blue\n  icon_small: ../x.png\n  icon_large: /abs/x.png\n"
    )),
    openai("long-name", "display name of 65 characters", f"interface:\n  display_name: {'n' * 65}\n  short_description: Kept.\n"),
    openai("long-short", "short description of 1,025 characters", f"interface:\n  short_description: {'n' * 1025}\n"),
    openai("hidden", "implicit invocation off", "policy:\n  allow_implicit_invocation: false\n"),
    openai("bad-policy", "implicit invocation is text", "policy:\n  allow_implicit_invocation: maybe\n"),
    openai("for-codex", "product codex", "policy:\n  products: [codex]\n"),
    openai("for-chatgpt", "another product only", "policy:\n  products: [chatgpt]\n"),
    openai("for-unknown", "a product nobody knows", "policy:\n  products: [nothing]\n"),
    openai("for-none", "an empty product list", "policy:\n  products: []\n"),
    openai("bad-tool", "a tool without a value", "dependencies:\n  tools:\n    - type: mcp\n    - type: env\n      value: TOKEN\n"),
    openai("extra-keys", "keys nobody knows", "interface:\n  display_name: Extra\n  unknown: 1\nother: true\npermissions:\n  network: true\n"),
    Case("short-both", "short description in both files", {
        f"{AGENTS}/short-both/SKILL.md": skill("short-both", fields="metadata:\n  short-description: From SKILL.md.\n"),
        f"{AGENTS}/short-both/agents/openai.yaml": "interface:\n  short_description: From openai.yaml.\n",
    }),
    Case("json-twin", "agents/openai.json is not read", {
        f"{AGENTS}/json-twin/SKILL.md": skill("json-twin"),
        f"{AGENTS}/json-twin/agents/openai.json": '{"interface": {"display_name": "J"}}',
    }),
    Case("yml-twin", "agents/openai.yml is not read", {
        f"{AGENTS}/yml-twin/SKILL.md": skill("yml-twin"),
        f"{AGENTS}/yml-twin/agents/openai.yml": "interface:\n  display_name: Y\n",
    }),
)


def rule(**keys: str) -> str:
    return "[[skills.config]]\n" + "".join(f"{key} = {value}\n" for key, value in keys.items())


def path(name: str, tail: str = "/SKILL.md") -> str:
    return f'"{{WORLD}}/{AGENTS}/{name}{tail}"'


SWITCHES = (
    one("off-name", "disabled by name"),
    one("off-path", "disabled by the path of SKILL.md"),
    one("off-folder", "a rule with the path of the folder"),
    one("off-on-name", "disabled, then enabled by name"),
    one("name-then-path", "disabled by name, then enabled by path"),
    one("path-then-name", "enabled by path, then disabled by name"),
    one("both-keys", "a rule with name and path is ignored"),
    one("blank-name", "a rule with a blank name is ignored"),
    one("Off-Case", "a rule whose name differs in case"),
    one("untouched", "no rule"),
    Case("off-two", "one name, two files, one path rule", {
        f"{AGENTS}/off-two-a/SKILL.md": skill("off-two"),
        f"{AGENTS}/off-two-b/SKILL.md": skill("off-two"),
    }),
    Case("off-qualified", "a plugin skill disabled by its qualified name", {
        f"{AGENTS}/q/.codex-plugin/plugin.json": manifest("acme"),
        f"{AGENTS}/q/x/SKILL.md": skill("off-qualified"),
        f"{AGENTS}/q/y/SKILL.md": skill("off-bare"),
    }),
)
RULES = "".join((
    rule(name='"off-name"', enabled="false"),
    rule(path=path("off-path"), enabled="false"),
    rule(path=path("off-folder", ""), enabled="false"),
    rule(name='"off-on-name"', enabled="false"),
    rule(name='"off-on-name"', enabled="true"),
    rule(name='"name-then-path"', enabled="false"),
    rule(path=path("name-then-path"), enabled="true"),
    rule(path=path("path-then-name"), enabled="true"),
    rule(name='"path-then-name"', enabled="false"),
    rule(name='"both-keys"', path=path("both-keys"), enabled="false"),
    rule(name='" "', enabled="false"),
    rule(name='"off-case"', enabled="false"),
    rule(name='"off-two"', enabled="false"),
    rule(path=path("off-two-b"), enabled="true"),
    rule(name='"acme:off-qualified"', enabled="false"),
    rule(name='"off-bare"', enabled="false"),
))
CONFIG = "home/.codex/config.toml"


def world(name: str, why: str, cases: tuple[Case, ...], files: dict | None = None, **more) -> World:
    return World(name, why, cases, files={**git(), **(files or {})}, peers=ONLY, **more)


LADDER = tuple(one(f"at-{n}", f"level {n}", root=f"{place}/.agents/skills") for n, place in enumerate(("work", "work/a", "work/a/b")))

WORLDS = (
    world("plugin-nested", "manifests inside a root", NESTED),
    world("plugin-outer", "a manifest above the root", OUTER, {"work/.codex-plugin/plugin.json": manifest("acme")}),
    world("openai-yaml", "agents/openai.yaml beside a skill", OPENAI),
    world("codex-config", "skills switched off in the user's configuration", SWITCHES, {CONFIG: RULES}),
    world("codex-config-project", "a repository cannot switch off a skill", (one("kept", "disabled only by the project"),), {
        "work/.codex/config.toml": rule(name='"kept"', enabled="false"),
        CONFIG: '[projects."{WORLD}/work"]\ntrust_level = "trusted"\n',
    }),
    world("codex-config-malformed", "a skills section of the wrong type", (one("kept", "still enabled"),), {
        CONFIG: '[skills]\nconfig = "nonsense"\n',
    }),
    world("codex-markers", "another project marker", LADDER, {CONFIG: 'project_root_markers = [".hg"]\n', "work/a/.hg/.keep": ""}, cwd="work/a/b"),
    world("codex-no-markers", "an empty list of markers", LADDER, {CONFIG: "project_root_markers = []\n"}, cwd="work/a/b"),
    world("codex-system", "bundled skills switched off", (
        Case("system-skill", "a skill in .system", {"home/.codex/skills/.system/system-skill/SKILL.md": skill("system-skill")}),
        Case("user-skill", "a skill beside .system", {"home/.codex/skills/user-skill/SKILL.md": skill("user-skill")}),
    ), {CONFIG: "[skills.bundled]\nenabled = false\n"}),
)
