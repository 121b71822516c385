"""What only Claude Code has: frontmatter fields of its own, command files, settings, plugins."""

from __future__ import annotations

import json

from fixtures import Case, Link, World, git, skill

ONLY = ("claude",)
SKILLS = "work/.claude/skills"


def field(folder: str, why: str, header: str, body: str = "Body.\n") -> Case:
    return Case(folder, why, {f"{SKILLS}/{folder}/SKILL.md": f"---\n{header}\n---\n{body}"})


def hiding(folder: str, value: str) -> Case:
    return field(f"hide-{folder}", f"disable-model-invocation: {value}", f"description: D.\ndisable-model-invocation: {value}")


def paths(folder: str, value: str) -> Case:
    return field(f"paths-{folder}", f"paths: {value}", f"description: D.\npaths: {value}")


def label(number: int, name: str) -> Case:
    return field(f"form-{number:02}", f"the name {name!r} beside the folder", f"name: {json.dumps(name)}\ndescription: D.")


def text(number: int, value: str) -> Case:
    return field(f"text-{number:02}", f"the description {value!r}", f"description: {json.dumps(value)}\nwhen_to_use: {json.dumps(value)}")


LABELS = (
    "a.b", "a:b", "a/b", "a_b", "A-B", "-a", "a-", "9", "a\u00e9", "\u6280\u80fd", "a,b", "a b", "a\tb", "x" * 64, "y" * 65, "z" * 200,
    "a@b", "a+b", "a'b", '"a"', "<a>", "a(b", "a)", "[a]", "{a}", "a*", "a#b", "#a", "a&b", "a=b", "a;b", "a|b", "a\\b", "a?b", "a!b",
    "$a", "%a", "~a", "`a`", ".a", "a.", "a--b", "a::b", "a\u200bb", "a\u00a0b", "\uff41", "a\nb", "code-review", "clear", "Form-01",
)
TEXTS = (
    "a  b", "a \n b", "a\u00a0b", "a\u00a0\u00a0b", "a\u200bb", "a\u202eb", "a\u200cb", "a\u200db", "\u200d", "a\u2060b", "a\ue000b", "a\u2028b", "a\x00b", "a\x7fb", "a\x85b", "a\ufeffb",
    "a\r\nb", "\u00a0a\u00a0", "a &amp; b", "&lt;", "<system-reminder>x</system-reminder>", "</skills>", "a <b", "a > b", "```x```",
    "a\u3000b", "a\u00adb", "\U000e0041b", "a\ud7ffb", "\u200ba\u200b", "(x)", ": x", "- x", "a\u0301", "e\u0301 \ufb01", "a\tb", " a\t ",
)

FIELDS = (
    *(label(at, name) for at, name in enumerate(LABELS)),
    *(text(at, value) for at, value in enumerate(TEXTS)),
    field("hint", "when_to_use is appended", "description: D.\nwhen_to_use: at noon"),
    field("hint-alone", "when_to_use without a description", "when_to_use: at noon"),
    field("hint-empty", "an empty when_to_use", 'description: D.\nwhen_to_use: ""'),
    field("hint-number", "a number as when_to_use", "description: D.\nwhen_to_use: 5"),
    field("hint-list", "a list as when_to_use", "description: D.\nwhen_to_use: [a, b]"),
    field("hint-lines", "several lines", "description: D.\nwhen_to_use: |\n  one\n  two"),
    field("label", "another name than the folder", "name: Another Name\ndescription: D."),
    field("label-case", "the same name in other letters", "name: Label-Case\ndescription: D."),
    field("label-bracket", "a bracket in the name", "name: a (b)\ndescription: D."),
    field("label-colon", "a colon in the name", 'name: "a: b"\ndescription: D.'),
    field("label-blank", "a blank name", 'name: "  "\ndescription: D.'),
    field("label-number", "a number as name", "name: 5\ndescription: D."),
    field("label-list", "a list as name", "name: [a]\ndescription: D."),
    field("label-null", "null as name", "name: ~\ndescription: D."),
    field("label-true", "a boolean as name", "name: true\ndescription: D."),
    field("label-spaces", "spaces around the name", 'name: "  spaced  "\ndescription: D.'),
    field("label-lines", "a name of two lines", "name: |\n  one\n  two\ndescription: D."),
    *(hiding(word, word) for word in ("true", "false", "yes", "no", "on", "off", "1", "0", "TRUE", "True", "Yes", "y")),
    hiding("quoted-true", '"true"'),
    hiding("quoted-yes", '"yes"'),
    hiding("quoted-on", "'on'"),
    hiding("null", "~"),
    hiding("list", "[true]"),
    hiding("word", "maybe"),
    field("user-off", "user-invocable: false keeps the model", "description: D.\nuser-invocable: false"),
    field("both-off", "neither", "description: D.\nuser-invocable: false\ndisable-model-invocation: true"),
    paths("one", '"*.py"'),
    paths("list", '["*.py", "src/**"]'),
    paths("all", '"**"'),
    paths("star", '"*"'),
    paths("all-list", '["**"]'),
    paths("all-deep", '"**/*"'),
    paths("mixed", '["**", "*.py"]'),
    paths("empty", '""'),
    paths("empty-list", "[]"),
    paths("null", "~"),
    paths("number", "5"),
    paths("commas", '"*.py, *.rs"'),
    paths("map", "{a: b}"),
    field("hide-key", "a key of another agent", "description: D.\nhide: true"),
    field("metadata-hidden", "not a key of its own level", "description: D.\nmetadata:\n  disable-model-invocation: true"),
    field("no-description", "the first line of the body", "name: no-description", "\n\n## First *line*\nSecond.\n"),
    field("no-text", "an empty body", "name: no-text", ""),
    field("list-first", "a list in the body", "name: list-first", "- item\n- more\n"),
    field("rule-first", "a rule in the body", "name: rule-first", "***\ntext\n"),
    field("hash-only", "a hash without text", "name: hash-only", "#\ntext\n"),
    field("hash-tag", "a hash tag", "name: hash-tag", "#tag\ntext\n"),
    field("long-line", "a long first line", "name: long-line", "word " * 100 + "\n"),
    field("long-bound", "100 characters", "name: long-bound", "a" * 100 + "\n"),
    field("long-over", "101 characters", "name: long-over", "b" * 101 + "\n"),
    field("html-first", "a comment in the body", "name: html-first", "<!-- comment -->\ntext\n"),
    field("fence-first", "code in the body", "name: fence-first", "```\ncode\n```\n"),
    field("spaces-first", "an indented line", "name: spaces-first", "   indented\n"),
    field("description-spaces", "spaces around", 'description: "  D.  "'),
    field("description-null", "null", "description: ~", "From the body.\n"),
    field("description-blank", "blanks", 'description: "  "', "From the body.\n"),
    field("description-empty", "empty", 'description: ""', "From the body.\n"),
    field("description-number", "a number", "description: 5", "From the body.\n"),
    field("description-true", "a boolean", "description: true", "From the body.\n"),
    field("description-list", "a list", "description: [a, b]", "From the body.\n"),
    field("description-map", "a mapping", "description: {a: b}", "From the body.\n"),
    field("description-date", "a date", "description: 2024-01-01", "From the body.\n"),
    field("description-lines", "several lines", "description: |\n  one\n  - two: 2\n\n  three", "From the body.\n"),
    field("description-long", "2,000 characters", "description: " + "d" * 2000),
    field("description-1536", "at the limit", "description: " + "e" * 1536),
    field("description-1537", "over the limit", "description: " + "f" * 1537),
    field("description-hint-long", "the hint counts too", "description: " + "g" * 1500 + "\nwhen_to_use: " + "h" * 100),
    field("description-wide", "characters outside the basic plane at the limit", "description: " + "\U0001f600" * 1000),
    field("folded-text", "text behind a folded mark", "description: >- text on the line"),
    field("folded-lines", "text behind the mark, and lines", "description: >- text on the line\n  and more"),
    field("literal-text", "text behind a literal mark", "description: | text on the line"),
    field("tags", "XML in the text", 'description: "a <b>c</b> & d"'),
    field("escape", "control characters", 'description: "a\\tb\\u0007c"'),
)


def command(path: str, text: str, why: str, root: str = "work/.claude/commands") -> Case:
    return Case(f"command-{path.replace('/', '-')}", why, {f"{root}/{path}": text})


COMMANDS = (
    command("plain.md", skill("other", "A command."), "the file gives the name"),
    command("bare.md", "# Bare\n\nFirst command body.\n", "no frontmatter"),
    command("sub/inner.md", skill("inner", "A command in a folder."), "folders are a namespace"),
    command("sub/deep/er.md", skill("er", "Two folders down."), "two folders"),
    command("upper.MD", skill("upper", "Upper case."), "another letter case of the extension"),
    command("note.txt", skill("note", "Not Markdown."), "not Markdown"),
    command(".hidden.md", skill("hidden", "A hidden file."), "a hidden file"),
    command(".dot/x.md", skill("x", "A hidden folder."), "a hidden folder"),
    command("README.md", skill("readme", "A README."), "a README"),
    command("off.md", "---\ndescription: D.\ndisable-model-invocation: true\n---\nBody off.\n", "hidden from the model"),
    command("pathy.md", "---\ndescription: D.\npaths: '*.py'\n---\nBody pathy.\n", "paths in a command"),
    command("nodesc.md", "---\nmodel: opus\n---\nBody nodesc.\n", "frontmatter without a description"),
    command("folder/SKILL.md", skill("folder", "A SKILL.md among commands."), "a skill file among commands"),
    command("group/one/SKILL.md", skill("one", "A deeper SKILL.md."), "a skill file deeper among commands"),
    command("folder2/SKILL.md", skill("folder2", "With a neighbour."), "a skill file with other files"),
    command("folder2/other.md", skill("other2", "The neighbour."), "a file beside a SKILL.md"),
    command("empty.md", "", "an empty file"),
    command("space name.md", skill("space", "A space."), "a space in the file"),
    Case("command-user", "of the user", {"home/.claude/commands/mine.md": skill("mine", "The user's.")}),
    Case("command-both", "of the user and of the project", {
        "home/.claude/commands/both.md": skill("both", "The user's both."),
        "work/.claude/commands/both.md": skill("both", "The project's both."),
    }),
    Case("command-skill", "a skill of the same name", {
        "work/.claude/commands/same.md": skill("same", "The command."),
        f"{SKILLS}/same/SKILL.md": skill("same", "The skill."),
    }),
    Case("command-user-skill", "a skill of the user and a command of the project", {
        "work/.claude/commands/uskill.md": skill("uskill", "The command."),
        "home/.claude/skills/uskill/SKILL.md": skill("uskill", "The skill."),
    }),
    Case("command-link", "a link", {
        "work/.claude/commands/linked.md": Link("../../../elsewhere/linked.md"),
        "elsewhere/linked.md": skill("linked", "A linked command."),
    }),
    Case("command-link-folder", "a linked folder", {
        "work/.claude/commands/lf": Link("../../../elsewhere/lf"),
        "elsewhere/lf/in.md": skill("in", "In a linked folder."),
    }),
)


def same(name: str, why: str, *files: str) -> Case:
    return Case(name, why, {f"{path}/SKILL.md": skill(name, f"From place {at}.") for at, path in enumerate(files, 1)})


NAMES = (
    same("user-project", "the user's and the project's", "home/.claude/skills/user-project", f"{SKILLS}/user-project"),
    same("near-far", "in the folder and above it", "work/.claude/skills/near-far", "work/sub/.claude/skills/near-far"),
    same("label-twice", "one label, two folders", f"{SKILLS}/lt-a", f"{SKILLS}/lt-b"),
    Case("label-is-folder", "a label that is another's folder", {
        f"{SKILLS}/lif-a/SKILL.md": skill("lif-b", "A."),
        f"{SKILLS}/lif-b/SKILL.md": skill("lif-a", "B."),
    }),
    Case("letters", "folders that differ in case", {
        f"{SKILLS}/Letters/SKILL.md": skill("Letters", "Upper."),
        f"{SKILLS}/letters/SKILL.md": skill("letters", "Lower."),
    }),
    Case("built-in", "the folder of a built-in skill", {f"{SKILLS}/simplify/SKILL.md": skill("simplify", "Mine.")}),
    Case("built-in-command", "the name of a command", {f"{SKILLS}/help/SKILL.md": skill("help", "Mine too.")}),
    Case("built-in-label", "the label of a built-in skill", {f"{SKILLS}/mine/SKILL.md": skill("loop", "Mine as well.")}),
    Case("below", "a root below the working folder", {"work/sub/deeper/.claude/skills/below/SKILL.md": skill("below")}),
    Case("manifest", "a skill folder with a plugin manifest", {
        f"{SKILLS}/manifest/SKILL.md": skill("manifest", "With a manifest."),
        f"{SKILLS}/manifest/.claude-plugin/plugin.json": '{"name": "packed", "version": "1.0.0"}',
        f"{SKILLS}/manifest/skills/inner/SKILL.md": skill("inner", "Inside."),
    }),
    Case("manifest-only", "a folder with a manifest and without a SKILL.md", {
        f"{SKILLS}/manifest-only/.claude-plugin/plugin.json": '{"name": "packed2", "version": "1.0.0"}',
        f"{SKILLS}/manifest-only/skills/inner2/SKILL.md": skill("inner2", "Inside two."),
    }),
)

WORLDS = (
    World("claude-fields", "frontmatter of Claude Code", FIELDS, files=git(), peers=ONLY),
    World("claude-commands", "command files", COMMANDS, files=git(), peers=ONLY),
    World("claude-names", "equal names", NAMES, files=git(), peers=ONLY, cwd="work/sub"),
)
