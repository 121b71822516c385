"""The specification's name rules and skills-ref's own 21 validator tests.

These folders are only validated, not listed: several differ in nothing but
Unicode normalisation, which a listing by name would mix up.
"""

from __future__ import annotations

import unicodedata

from fixtures import Case, World, one, skill

ROOT = "work/skills"


def valid(folder: str, why: str, name: str | None = None, *, fields: str = "", case: str = "") -> Case:
    text = skill(name or folder, "A test skill", fields=fields)
    return one(folder, why, text, root=ROOT, name=case)


DECOMPOSED = unicodedata.normalize("NFD", "caf\u00e9")

VALIDATOR_TESTS = (
    valid("my-skill", "a valid skill"),
    Case("nonexistent", "the path does not exist", {}, spec=f"{ROOT}/nonexistent"),
    Case("not-a-folder", "the path is a file", {f"{ROOT}/file.txt": "text"}, spec=f"{ROOT}/file.txt"),
    Case("no-skill-md", "the folder has no SKILL.md", {f"{ROOT}/no-skill-md/README.md": "text"}, spec=f"{ROOT}/no-skill-md"),
    valid("MySkill", "upper-case name"),
    valid("a" * 70, "name of 70 characters", case="length-70"),
    valid("-my-skill", "leading hyphen"),
    valid("my--skill", "two hyphens in a row"),
    valid("my_skill", "underscore"),
    valid("wrong-name", "name differs from the folder", "correct-name"),
    valid("unknown", "unknown field", fields="unknown_field: x\n"),
    valid("with-fields", "licence and metadata", fields="license: MIT\nmetadata:\n  author: Test\n"),
    valid("with-tools", "allowed-tools", fields="allowed-tools: Bash(jq:*) Bash(git:*)\n"),
    valid("\u6280\u80fd", "Chinese name", case="chinese"),
    valid("\u043c\u043e\u0439-\u043d\u0430\u0432\u044b\u043a", "Cyrillic name with a hyphen", case="cyrillic-hyphen"),
    valid("\u043d\u0430\u0432\u044b\u043a", "Cyrillic name", case="cyrillic"),
    valid("\u041d\u0410\u0412\u042b\u041a", "upper-case Cyrillic name", case="cyrillic-upper"),
    one("long-description", "description of 1,100 characters", skill("long-description", "x" * 1100), root=ROOT),
    valid("compatible", "compatibility", fields="compatibility: Requires Python 3.11+\n"),
    valid("compatible-long", "compatibility of 550 characters", fields=f"compatibility: {'x' * 550}\n"),
    valid("caf\u00e9", "decomposed name, composed folder", DECOMPOSED, case="decomposed-name"),
)

NAME_RULES = (
    valid("trailing-", "trailing hyphen"),
    valid("9lives", "starts with a digit"),
    valid("x", "one letter"),
    valid("123", "a bare integer is text"),
    valid("true", "a bare boolean is text"),
    valid("null", "a bare null is text"),
    valid("n" * 64, "64 characters", case="length-64"),
    valid("n" * 65, "65 characters", case="length-65"),
    valid("all-wrong", "several faults at once", "-All__Wrong--"),
    valid("stra\u00dfe", "sharp s is lower case", case="sharp-s"),
    valid("abc", "full-width name, ASCII folder", "\uff41\uff42\uff43", case="full-width-name"),
    valid("\uff41\uff42\uff44", "full-width folder, ASCII name", "abd", case="full-width-folder"),
    valid("iv", "Roman numeral character, ASCII folder", "\u2173", case="roman-numeral"),
    valid("\u0663\u0664", "Arabic digits", case="arabic-digits"),
    valid("\u0939\u093f\u0928\u094d\u0926\u0940", "Devanagari with vowel signs", case="devanagari"),
    valid("\u0939\u0928", "Devanagari letters only", case="devanagari-letters"),
    valid("\u0e20\u0e31\u0e29\u0e32", "Thai with a vowel sign", case="thai"),
    valid("\u65e5\u672c\u8a9e", "Japanese", case="japanese"),
    valid("\ud55c\uae00", "Hangul", case="hangul"),
    valid(unicodedata.normalize("NFD", "\ud55c\uae00"), "decomposed Hangul in folder and name", case="hangul-decomposed"),
    valid("\u0627\u0631\u062f\u0648", "Arabic letters", case="arabic"),
    valid("a\u200db", "zero-width joiner", case="zero-width-joiner"),
    valid("\u24d0", "circled letter becomes plain", "\u24d0", case="circled"),
    valid("a", "circled name, plain folder", "\u24d0", case="circled-name"),
    valid("\u00b2", "superscript digit", case="superscript"),
    valid("\u01c5", "title-case letter", case="title-case"),
    valid("\u1e9e", "capital sharp s", case="capital-sharp-s"),
    valid("\u0130stanbul", "capital dotted I", case="dotted-i"),
    valid("\ufb01x", "ligature becomes two letters", case="ligature"),
    valid("\u00aa", "ordinal indicator", case="ordinal"),
    valid("a\u2010b", "Unicode hyphen", case="unicode-hyphen"),
    valid("a\u0660-\u00e9", "mixed scripts", case="mixed"),
    valid("\U0001d4b6", "mathematical letter", case="mathematical"),
    valid("\U00020000", "letter outside the basic plane", case="plane-2"),
)

FILES = (
    Case("lower-case-file", "only skill.md", {f"{ROOT}/lower-case-file/skill.md": skill("lower-case-file")}, spec=f"{ROOT}/lower-case-file"),
    Case("capital-file", "only Skill.md", {f"{ROOT}/capital-file/Skill.md": skill("capital-file")}, spec=f"{ROOT}/capital-file"),
    Case(
        "both-casings",
        "SKILL.md wins over skill.md",
        {f"{ROOT}/both-casings/SKILL.md": skill("both-casings", "Upper."), f"{ROOT}/both-casings/skill.md": "no frontmatter"},
        spec=f"{ROOT}/both-casings",
    ),
    Case("file-path", "the path names the SKILL.md itself", {f"{ROOT}/file-path/SKILL.md": skill("file-path")}, spec=f"{ROOT}/file-path/SKILL.md"),
    Case("folder-as-file", "SKILL.md is a folder", {f"{ROOT}/folder-as-file/SKILL.md/x": ""}, spec=f"{ROOT}/folder-as-file"),
)

WORLDS = (
    World("spec", "validation only", VALIDATOR_TESTS + NAME_RULES + FILES, peers=()),
)
