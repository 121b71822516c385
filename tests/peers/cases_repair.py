"""Broken YAML that people write, and how far each program goes to save it.

Codex quotes single lines, OpenCode turns lines into blocks, gemini reads two
keys line by line: three repairs whose edges differ.  Each case here sits on
such an edge.
"""

from __future__ import annotations

from cases_parse import desc, front
from fixtures import World, git

GOOD = "name: NAME\ndescription: D."

VALUES = (
    desc("url", "colon without a space is no separator", "See http://x.y/z for it"),
    desc("time", "a clock time", "At 10:30 each day"),
    desc("drive", "a Windows path", "Opens C:\\temp: the folder"),
    desc("colon-tab", "colon and a tab", "Use it:\twhen asked"),
    desc("colon-trailing-space", "value ends with a colon and a space", "Use it for: "),
    desc("colon-both-quotes", "colon, apostrophe and double quote", "It's \"so\": yes"),
    desc("colon-backslash", "colon and a backslash", "a\\n: b"),
    desc("colon-hash-glued", "a number sign without a space before it", "Fixes: issue#12 now"),
    desc("colon-hash-early", "a comment before the colon", "Does it # note: this"),
    desc("colon-bracket", "bracketed word and a colon", "[a]: b"),
    desc("colon-valid-flow", "valid flow list with a colon inside quotes", '["a: b"]'),
    desc("flow-map-deep", "flow map of flow maps", "{a: {b: c}}"),
    desc("flow-map-glued", "flow map that has no colon and space", "{a}"),
    desc("star-colon", "asterisk and a colon", "*bold*: does it"),
    desc("bang-colon", "exclamation mark and a colon", "!x: does it"),
    desc("percent-colon", "percent sign and a colon", "%x: does it"),
    desc("dash-colon", "dash and a colon", "- one: two"),
    desc("greater-text", "text after a block sign", "> quoted text"),
    desc("pipe-text", "text after a block sign", "| quoted text"),
    desc("greater-colon", "text with a colon after a block sign", "> quoted: text"),
    desc("quoted-then-colon", "single-quoted word and a colon", "'Fast': does it"),
    desc("block-comment", "comment after a block sign", "| # note\n  Use: it"),
    desc("block-strip-colon", "folded block beside nothing else", ">-\n  Use: it\n  and: that"),
    desc("continued-after-colon", "colon on the first line, then an indented line", "Use it: now\n  and later"),
    desc("continued-at", "continuation line that starts with @", "Use it\n  @now"),
    desc("blank-continued", "blank line inside a continued plain value", "One\n\n  two"),
    desc("unindented-continuation", "second line without indentation", "One\ntwo"),
    desc("unindented-colon", "second line without indentation but with a colon", "One: a\ntwo"),
    desc("no-break-space-colon", "colon followed by U+00A0", "Use it:\u00a0when"),
    desc("trailing-spaces", "spaces after the value", "Does it   "),
    desc("ideographic-only", "nothing but U+3000", '"\u3000"'),
)

KEYS = (
    front("key-space", "space before the colon", "name : NAME\ndescription : Use it: now"),
    front("key-dotted", "unknown key with a dot and an unquoted colon", f"{GOOD}\na.b: one: two"),
    front("key-words", "unknown key of two words and an unquoted colon", f"{GOOD}\nmy key: one: two"),
    front("key-quoted", "quoted unknown key and an unquoted colon", f'{GOOD}\n"k": one: two'),
    front("key-digit", "unknown key that starts with a digit", f"{GOOD}\n1k: one: two"),
    front("nested-colon", "unquoted colon inside metadata", f"{GOOD}\nmetadata:\n  a: one: two"),
    front("list-colon", "unquoted colon in a list item", f"{GOOD}\ntools:\n  - a: one: two"),
    front("comment-colon", "comment line with colons", f"# a: b: c\n{GOOD}\nnote: one: two"),
    front("indented-colon", "all fields indented and an unquoted colon", "  name: NAME\n  description: Use it: now"),
    front("two-broken", "one fault that can be repaired and one that cannot", "name: NAME\ndescription: Use it: now\nnote: \"open"),
    front("metadata-null", "metadata without a value", f"{GOOD}\nmetadata:"),
    front("metadata-list", "metadata is a list", f"{GOOD}\nmetadata:\n  - a"),
    front("metadata-sub-name", "a name inside metadata after a broken line", "name: NAME\ndescription: @x\nmetadata:\n  name: inner"),
    front("metadata-sub-description", "a description inside metadata after a broken line", "name: NAME\nmetadata:\n  description: inner\ndescription: @x"),
    front("short-number", "metadata.short-description is a number", f"{GOOD}\nmetadata:\n  short-description: 12"),
    front("short-list", "metadata.short-description is a list", f"{GOOD}\nmetadata:\n  short-description: [a]"),
    front("short-long", "metadata.short-description of 1,025 characters", f"{GOOD}\nmetadata:\n  short-description: {'s' * 1025}"),
    front("name-tail", "spaces after the name", "name: NAME  \ndescription: D."),
    front("name-block", "the name in a literal block", "name: |\n  NAME\ndescription: D."),
    front("zero-width-key", "key with a zero-width space before it", "\u200bname: NAME\nname: NAME\ndescription: D."),
    front("yaml-directive", "a YAML directive in the block", f"%YAML 1.2\n{GOOD}"),
    front("binary-tag", "an unknown tag on an unknown key", f"{GOOD}\nx: !thing 1"),
    front("complex-key", "a complex key", f"{GOOD}\n? [a, b]\n: c"),
    front("alias-missing", "an alias to nothing", f"{GOOD}\nx: *nothing"),
)

WORLDS = (World("repair", "mending broken YAML", VALUES + KEYS, files=git()),)
