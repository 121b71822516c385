"""Reading one SKILL.md: fences, encodings, YAML, names and descriptions.

Each case is a folder in the project's `.agents/skills`, the one root that all
programs read; skills-ref validates the same folder.  Unless the name itself is
the question it equals the folder, so that nothing else can be the reason.
"""

from __future__ import annotations

from fixtures import World, git, one, skill


def desc(folder: str, why: str, value: str):
    """A case about the text after `description: `."""
    return one(folder, why, skill(folder, value))


def front(folder: str, why: str, block: str, body: str = "Body.\n"):
    """A case about the whole block between the fences; NAME stands for the folder."""
    return one(folder, why, f"---\n{block.replace('NAME', folder)}\n---\n{body}")


def named(folder: str, why: str, value: str):
    """A case about the text after `name: `."""
    return one(folder, why, skill(value, "Says that it was found."))


def raw(folder: str, why: str, content: str | bytes):
    return one(folder, why, content)


LONG = "a" * 5000

FENCES = (
    one("minimal", "two plain fields"),
    raw("no-frontmatter", "Markdown only", "# Title\n\nBody.\n"),
    raw("unclosed", "opening fence, no closing one", "---\nname: unclosed\ndescription: Never ends.\n\nBody.\n"),
    raw("empty-file", "zero bytes", b""),
    raw("empty-block", "two fences with nothing between", "---\n---\nBody.\n"),
    raw("blank-block", "two fences with a blank line between", "---\n\n---\nBody.\n"),
    raw("no-body", "file ends with the closing fence and a newline", "---\nname: no-body\ndescription: No body.\n---\n"),
    raw("no-final-newline", "file ends right after the closing fence", "---\nname: no-final-newline\ndescription: D.\n---"),
    raw("leading-blank-line", "blank line before the fence", "\n" + skill("leading-blank-line")),
    raw("leading-space", "space before the opening fence", " " + skill("leading-space")),
    raw("open-fence-spaces", "spaces after the opening fence", skill("open-fence-spaces").replace("---", "---  ", 1)),
    raw("open-fence-tab", "tab after the opening fence", skill("open-fence-tab").replace("---", "---\t", 1)),
    raw("close-fence-spaces", "spaces after the closing fence", skill("close-fence-spaces").replace("\n---\n", "\n---  \n")),
    raw("close-fence-indented", "spaces before the closing fence", skill("close-fence-indented").replace("\n---\n", "\n  ---\n")),
    raw("four-dashes", "both fences have four dashes", skill("four-dashes").replace("---\n", "----\n")),
    raw("close-four-dashes", "closing fence has four dashes", skill("close-four-dashes").replace("\n---\n", "\n----\n")),
    raw("close-with-text", "text after the closing fence", skill("close-with-text").replace("\n---\n", "\n---end\n")),
    raw("close-with-dots", "closed with the YAML end marker", skill("close-with-dots").replace("\n---\n", "\n...\n")),
    raw("fence-yaml", "language word after the fence", skill("fence-yaml").replace("---", "---yaml", 1)),
    raw("fence-json", "JSON frontmatter", '---json\n{"name": "fence-json", "description": "In JSON."}\n---\nBody.\n'),
    raw("fence-js", "JavaScript frontmatter must not be evaluated", '---js\n({name: "fence-js", description: "1 + 1 = " + (1 + 1)})\n---\nBody.\n'),
    raw("comment-first", "HTML comment before the fence", "<!-- note -->\n" + skill("comment-first")),
    raw("body-has-fence", "a horizontal rule in the body", skill("body-has-fence", body="One.\n\n---\n\nTwo: three\n")),
    front("comment-in-block", "comment lines between the fields", "# first\nname: NAME\n# second\ndescription: Has comments."),
    front("blank-in-block", "blank line between the fields", "name: NAME\n\ndescription: Has a blank line."),
)

ENCODINGS = (
    raw("bom", "UTF-8 byte order mark", b"\xef\xbb\xbf" + skill("bom").encode()),
    raw("crlf", "Windows line ends", skill("crlf").replace("\n", "\r\n")),
    raw("crlf-block", "Windows line ends inside a literal block", skill("crlf-block", "|\n  One.\n  Two.").replace("\n", "\r\n")),
    raw("bom-crlf", "byte order mark and Windows line ends", b"\xef\xbb\xbf" + skill("bom-crlf").replace("\n", "\r\n").encode()),
    raw("cr-only", "old Macintosh line ends", skill("cr-only").replace("\n", "\r")),
    raw("latin-1", "bytes that are not UTF-8 in the description", skill("latin-1", "Caf\u00e9.").encode("latin-1")),
    raw("latin-1-body", "bytes that are not UTF-8 in the body", skill("latin-1-body", body="Caf\u00e9.\n").encode("latin-1")),
    raw("utf-16", "UTF-16 with a byte order mark", skill("utf-16").encode("utf-16")),
    raw("nul-in-body", "NUL byte in the body", skill("nul-in-body", body="a\x00b\n")),
    raw("nul-in-description", "NUL byte in the description", skill("nul-in-description", "a\x00b")),
    raw("bell-in-description", "control character in the description", skill("bell-in-description", "a\x07b")),
    desc("next-line", "U+0085 and U+2028 in the description", "a\u0085b\u2028c"),
    desc("no-break-space", "U+00A0 and U+3000 in the description", "a\u00a0b\u3000\u3000c"),
    desc("emoji", "characters outside the basic plane", "Draws \U0001f680\U0001f469\u200d\U0001f680."),
    raw("big-body", "1.5 MB body", skill("big-body", body="word " * 300_000 + "\n")),
    raw("big-unclosed", "1.2 MB and the fence never closes", "---\nname: big-unclosed\ndescription: D.\n" + "x: y\n" * 240_000),
)

DESCRIPTIONS = (
    desc("colon", "unquoted colon in the value", "Use it: when asked"),
    desc("colon-twice", "two unquoted colons", "First: one. Second: two"),
    desc("colon-at-end", "value ends with a colon", "Use it for:"),
    desc("colon-hash", "unquoted colon and a trailing comment", "Use it: always # note"),
    desc("colon-quote", "unquoted colon and an apostrophe", "It's this: don't ask"),
    desc("colon-open-quote", "a quoted word, then a colon", '"Fast": does it'),
    desc("at-sign", "value starts with @", "@team does it"),
    desc("bracket-open", "value starts with [ and never closes", "[draft does it"),
    desc("bracket-text", "value starts with a bracketed word", "[draft] Does it"),
    desc("flow-list", "value is a flow list", "[one, two]"),
    desc("flow-map", "value is a flow map", "{one: two}"),
    desc("brace-text", "value starts with a braced word", "{draft} Does it"),
    desc("backtick", "value starts with a backtick", "`code` does it"),
    desc("star", "value starts with an asterisk", "*bold* does it"),
    desc("ampersand", "value starts with &", "&co does it"),
    desc("bang", "value starts with !", "!important does it"),
    desc("percent", "value starts with %", "%d does it"),
    desc("hash-first", "value starts with #, a comment in YAML", "#1 does it"),
    desc("hash-inside", "trailing comment after the value", "Does it # not this"),
    desc("dash-first", "value starts with a dash and a space", "- does it"),
    desc("question-first", "value starts with ? and a space", "? does it"),
    desc("quote-broken", "text after a closed quote", '"Does" it'),
    desc("quote-unclosed", "quote that never closes", '"Does it'),
    desc("quote-double", "double quotes with escapes", '"Does: \\"it\\"\\tand\\nmore"'),
    desc("quote-single", "single quotes with a doubled quote", "'It''s: here'"),
    desc("dashes-inside", "three dashes inside the value", "x --- y"),
    desc("dashes-quoted-line", "an indented --- line inside quotes", '"one\n  ---\n  two"'),
    desc("dashes-block-line", "an indented --- line inside a block", "|\n  one\n  ---\n  two"),
    desc("block-literal", "literal block", "|\n  One.\n  Two.\n\n  Three."),
    desc("block-folded", "folded block", ">\n  One.\n  Two.\n\n  Three."),
    desc("block-strip", "folded block without final newline", ">-\n  One.\n  Two."),
    desc("block-keep", "literal block with kept newlines", "|+\n  One.\n\n"),
    desc("block-indent", "literal block with an indentation number", "|2\n    One.\n  Two."),
    desc("block-colon", "literal block with colons", "|\n  Use: it\n  @now: yes"),
    desc("plain-continued", "plain value continued on an indented line", "One\n  two\n  three"),
    desc("plain-continued-colon", "continued plain value with a colon", "One\n  two: three"),
    desc("spaces-inside", "runs of spaces inside a plain value", "a   b\tc"),
    desc("spaces-quoted", "spaces at the edges of a quoted value", '"  a   b  "'),
    desc("angle-brackets", "markup in the value", "Closes </description> & <b>"),
    desc("number", "value is a number", "42"),
    desc("boolean", "value is a boolean", "true"),
    desc("date", "value is a date", "2026-01-31"),
    desc("null-tilde", "value is null", "~"),
    desc("empty-quotes", "value is an empty string", '""'),
    desc("blank-quotes", "value is only spaces", '"   "'),
    front("empty-description", "key without a value", "name: NAME\ndescription:"),
    front("no-description", "no description key", "name: NAME"),
    front("block-list", "value is a list", "name: NAME\ndescription:\n  - one\n  - two"),
    front("block-map", "value is a map", "name: NAME\ndescription:\n  one: two"),
    desc("length-1024", "1,024 characters", "a" * 1024),
    desc("length-1025", "1,025 characters", "a" * 1025),
    desc("length-1024-wide", "1,024 characters of three bytes", "\u6280" * 1024),
    desc("length-5000", "5,000 characters", LONG),
)

NAMES = (
    front("no-name", "no name key", "description: Has no name."),
    front("empty-name", "key without a value", "name:\ndescription: Has an empty name."),
    named("blank-name", "only spaces", '"  "'),
    named("number-name", "a number", "123"),
    named("boolean-name", "a boolean", "true"),
    named("float-name", "a float", "1.0"),
    named("date-name", "a date", "2026-01-31"),
    named("null-name", "null", "null"),
    named("list-name", "a flow list", "[a, b]"),
    named("Upper-Case", "upper-case letters, in folder and name", "Upper-Case"),
    named("space-name", "a space", "space name"),
    named("spaces-name", "two spaces in a row", "two  spaces"),
    named("under_score", "an underscore", "under_score"),
    named("dotted.name", "a dot", "dotted.name"),
    named("other-folder", "name differs from the folder", "not-the-folder"),
    named("slash-name", "a slash", "slash/name"),
    named("backslash-name", "a backslash", "back\\slash"),
    named("up-name", "a path upwards", "../up"),
    named("colon-name", "a colon without a space", "colon:name"),
    named("colon-space-name", "an unquoted colon and a space", "colon: name"),
    named("hostile-name", "characters that file systems refuse", "'a<b>c\"d|e?f*g'"),
    named("newline-name", "two lines", '"new\\nline"'),
    named("quoted-name", "quotes around a good name", '"quoted-name"'),
    named("comment-name", "a trailing comment", "comment-name # note"),
    named("at-name", "starts with @", "@at-name"),
    named("bracket-name", "bracket that never closes", "[bracket-name"),
    named("emoji-name", "an emoji", "emoji-\U0001f680"),
    one("a" * 64, "64 characters", name="length-64"),
    one("a" * 65, "65 characters", name="length-65"),
    one("a" * 84, "84 characters", name="length-84"),
    one("\u6280" * 64, "64 characters of three bytes", name="length-64-wide"),
)

YAML = (
    front("duplicate-name", "name given twice", "name: first\nname: NAME\ndescription: D."),
    front("duplicate-description", "description given twice", "name: NAME\ndescription: First.\ndescription: Second."),
    front("duplicate-other", "another key given twice", "name: NAME\ndescription: D.\nlicense: A\nlicense: B"),
    front("tab-map", "tab as indentation in a map", "name: NAME\ndescription: D.\nmetadata:\n\tkey: value"),
    front("tab-value", "tab after the colon", "name:\tNAME\ndescription:\tAfter a tab."),
    front("no-space", "no space after the colons", "name:NAME\ndescription:Has no space."),
    front("indented", "all fields indented", "  name: NAME\n  description: Indented."),
    front("description-first", "fields in the other order", "description: First.\nname: NAME"),
    front("quoted-keys", "keys in quotes", '"name": NAME\n"description": Quoted keys.'),
    front("capital-keys", "keys with a capital letter", "Name: NAME\nDescription: Capitals."),
    front("flow-document", "the block is one flow map", "{name: NAME, description: Flow.}"),
    front("list-document", "the block is a list", "- name: NAME\n- description: D."),
    front("text-document", "the block is plain text", "just words"),
    front("anchor", "anchor and alias", "name: &n NAME\ndescription: D.\nlicense: *n"),
    front("tag", "explicit string tag", "name: !!str NAME\ndescription: !!str 42"),
    front("merge-key", "merge key", "name: NAME\ndescription: D.\nmetadata:\n  <<: {a: b}"),
    front("unknown-field", "field that is not in the specification", "name: NAME\ndescription: D.\nversion: 1.2.3"),
    front("unknown-colon", "unknown field with an unquoted colon", "name: NAME\ndescription: D.\nnote: one: two"),
    front("hyphen-key-colon", "hyphenated unknown key with an unquoted colon", "name: NAME\ndescription: D.\nargument-hint: one: two"),
    front("unknown-bracket", "unknown field that looks like a broken list", "name: NAME\ndescription: D.\nargument-hint: [file] [mode]"),
    front("unknown-at", "unknown field starting with @", "name: NAME\ndescription: D.\nauthor: @me"),
    front("block-and-bad-key", "literal block beside a key that needs repair", "name: NAME\ndescription: |\n  Use: it\n  [now\nnote: one: two"),
    front("all-fields", "the six fields of the specification", "name: NAME\ndescription: D.\nlicense: MIT\ncompatibility: Needs git.\nmetadata:\n  author: me\nallowed-tools: Bash(git:*) Read"),
    front("tools-list", "allowed-tools as a list", "name: NAME\ndescription: D.\nallowed-tools:\n  - Read\n  - Grep"),
    front("tools-flow", "allowed-tools as a flow list", "name: NAME\ndescription: D.\nallowed-tools: [Read, Grep]"),
    front("metadata-nested", "map inside metadata", "name: NAME\ndescription: D.\nmetadata:\n  a:\n    b: c"),
    front("metadata-number", "number inside metadata", "name: NAME\ndescription: D.\nmetadata:\n  version: 1.0"),
    front("metadata-text", "metadata is not a map", "name: NAME\ndescription: D.\nmetadata: text"),
    front("short-description", "Codex's own key inside metadata", "name: NAME\ndescription: D.\nmetadata:\n  short-description: Short."),
    front("model-hidden", "disable-model-invocation", "name: NAME\ndescription: D.\ndisable-model-invocation: true"),
    front("user-hidden", "user-invocable: false", "name: NAME\ndescription: D.\nuser-invocable: false"),
    front("compatibility-empty", "empty compatibility", "name: NAME\ndescription: D.\ncompatibility:"),
    front("compatibility-number", "compatibility is a number", "name: NAME\ndescription: D.\ncompatibility: 12"),
    front("license-list", "licence is a list", "name: NAME\ndescription: D.\nlicense:\n  - MIT"),
    raw("two-documents", "a second block after the first", "---\nname: two-documents\ndescription: One.\n---\nname: other\ndescription: Two.\n---\nBody.\n"),
)

# What the corpus of real skills has shown.
QUOTED = (
    desc("quoted-unindented", "a quoted value that goes on without indentation", '"One\ntwo"'),
    desc("single-unindented", "the same in single quotes", "'One\ntwo'"),
    desc("quoted-line-spaces", "spaces at the end of a line inside quotes", '"One  \n  two"'),
    desc("single-line-spaces", "the same in single quotes", "'One  \n  two'"),
    desc("quoted-unindented-spaces", "spaces at the end of a line, and no indentation", '"One  \ntwo"'),
    desc("quoted-blank-line", "a blank line with spaces inside quotes", '"One\n   \n  two"'),
)

WORLDS = (
    World("quoted", "quoted values of several lines", QUOTED, files=git()),
    World(
        "parse",
        "reading one file",
        FENCES + ENCODINGS + DESCRIPTIONS + NAMES + YAML,
        files=git(),
    ),
)
