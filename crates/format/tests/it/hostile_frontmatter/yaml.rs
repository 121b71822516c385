//! YAML that expands, runs code in other readers, or is ambiguous.

use super::{Case, broken, gated, repaired, sound};
use skillful_format::Code;

pub(super) fn cases() -> Vec<Case> {
    let laughs: String = std::iter::once("l0: &l0 lol\n".to_owned())
        .chain((1..10).map(|at| format!("l{at}: &l{at} [{}]\n", vec![format!("*l{}", at - 1); 9].join(","))))
        .collect();
    vec![
        broken("billion laughs", gated(&laughs), Code::YamlAnchor),
        broken("anchor without an alias", gated("a: &x 1"), Code::YamlAnchor),
        broken("anchor on a mapping", gated("a: &x {b: c}"), Code::YamlAnchor),
        broken("anchor on a key", gated("&x a: b"), Code::YamlAnchor),
        broken("self reference", gated("a: &x [*x]"), Code::YamlAnchor),
        repaired("alias without an anchor", gated("a: *missing"), Code::UnquotedValue),
        broken("merge key", gated("<<: {admin_only: false}"), Code::YamlMergeKey),
        broken("merge key in quotes", gated("\"<<\": {a: b}"), Code::YamlMergeKey),
        broken("merge key below", gated("a: {<<: {b: c}}"), Code::YamlMergeKey),
        broken("merge of an alias", gated("a: &x {b: c}\nd: {<<: *x}"), Code::YamlAnchor),
        broken("tag that runs code", gated("a: !!python/object/apply:os.system [id]"), Code::YamlTag),
        broken("tag of JavaScript", gated("a: !!js/function 'x'"), Code::YamlTag),
        broken("binary tag", gated("a: !!binary aGk="), Code::YamlTag),
        broken("text tag", gated("name: !!str demo"), Code::YamlTag),
        broken("local tag", gated("a: !x {b: c}"), Code::YamlTag),
        broken("verbatim tag", gated("a: !<tag:x> b"), Code::YamlTag),
        broken("lone exclamation mark", gated("a: ! b"), Code::YamlTag),
        broken("unknown tag handle", gated("a: !e!x b"), Code::YamlSyntax),
        broken("duplicate gate", gated("admin_only: false"), Code::YamlDuplicateKey),
        broken("duplicate key below", gated("a: {b: 1, b: 2}"), Code::YamlDuplicateKey),
        broken("duplicate key in quotes", gated("\"admin_only\": false"), Code::YamlDuplicateKey),
        broken("list as a key", gated("[a]: b"), Code::KeyNotText),
        broken("mapping as a key", gated("? {a: b}\n: c"), Code::KeyNotText),
        broken("nothing as a key", gated(": b"), Code::KeyNotText),
        broken("ten documents", gated(&"--- x\n".repeat(10)), Code::YamlDocuments),
        broken("list instead of a mapping", "---\n- admin_only: true\n---\n", Code::FrontmatterNotMap),
        broken("text instead of a mapping", "---\nadmin_only true\n---\n", Code::FrontmatterNotMap),
        broken("quote never closed", gated("a: \"b"), Code::YamlSyntax),
        broken("single quote never closed", gated("a: 'b"), Code::YamlSyntax),
        broken(
            "brace never closed before a gate",
            "---\na: {b\nadmin_only: true\n",
            Code::FrontmatterUnclosed,
        ),
        broken("wrong closing bracket", gated("a: [b}"), Code::YamlSyntax),
        broken("unknown escape", gated("a: \"\\q\""), Code::YamlSyntax),
        broken("lone surrogate escape", gated("a: \"\\ud800\""), Code::YamlSyntax),
        repaired("key without a colon", gated("name\ndescription: d"), Code::GateUnreadable),
        broken("indented gate", "---\ndescription: d\n  admin_only: true\n---\n", Code::YamlSyntax),
        sound("numbers that overflow", gated("a: 99999999999999999999e999999"), Code::UnknownKey),
        sound("gate in another case", "---\nadminOnly: yes\n---\nbody\n", Code::NonSpecKey),
    ]
}
