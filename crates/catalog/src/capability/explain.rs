//! Capabilities as a user reads them before deciding: kind, what, when, and file and line.

use super::{code::DIGEST, growth::EVERY_TOOL};
use skillful_format::Tree;
use std::collections::BTreeSet;

/// One thing that a skill can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capability {
    /// `tools`, `command`, `hook`, `script`, `file`, `code`, `network`, `secret`, `variable`, `MCP server`, `program`,
    /// `dependency`, `permissions`, `skill`, `limit` or `other`.
    pub kind: &'static str,
    /// The tool, command, file, host or name.
    pub what: String,
    /// When or why.
    pub note: Option<&'static str>,
    /// The file and line that declare it.
    pub place: Option<String>,
}

/// The beginning of a sentence, the kind that it means, and what a user should know about it. In the order in which
/// they are shown.
const SENTENCES: &[(&str, &str, Option<&str>)] = &[
    ("uses tool ", "tools", None),
    ("uses every tool", "tools", None),
    ("runs command ", "command", Some("on load")),
    ("shows command ", "command", Some("shown; another agent may run it on load")),
    ("runs hook ", "hook", Some("automatically, while the agent works")),
    ("runs hooks ", "hook", Some("automatically, while the agent works")),
    ("runs its commands with ", "command", Some("the shell of its commands")),
    ("brings scripts", "script", SCRIPT_NOTE),
    ("brings file ", "file", Some("may be run, or read by what runs")),
    ("brings a program", "program", Some("when a model runs it")),
    ("brings code for ", "code", None),
    ("its code names the host ", "network", Some("named in its code")),
    ("needs secret ", "secret", None),
    ("reads variable ", "variable", Some("reads it")),
    ("gets variable ", "variable", Some("gets it")),
    ("starts MCP server ", "MCP server", Some("starts it")),
    ("connects to MCP server ", "MCP server", Some("connects to it")),
    ("gives its MCP server the variable ", "MCP server", Some("gives it this variable of yours")),
    ("gives its MCP server ", "MCP server", Some("gives it this variable")),
    ("sends its MCP server ", "MCP server", Some("sends it this")),
    ("needs MCP server ", "MCP server", Some("needs it")),
    ("needs program ", "program", Some("needs it")),
    ("depends on ", "dependency", None),
    ("asks for permissions ", "permissions", None),
    ("is loaded ", "skill", Some("without being called")),
    ("keeps out ", "skill", Some("not loaded while it is")),
    ("runs as ", "skill", Some("in a session of its own")),
    ("puts arguments into its commands as ", "command", Some("names of its arguments")),
    ("asks for the ", "skill", Some("for the turn that it leads")),
    ("continues with skill ", "skill", Some("goes on to it")),
    ("loads skill ", "skill", Some("is loaded with it")),
    ("bans ", "limit", Some("not possible")),
];

/// When a script runs.
const SCRIPT_NOTE: Option<&str> = Some("when a model runs it");

/// What a card names as not declared, by kind.
const NOT_DECLARED: &[(&str, &str)] =
    &[("network", "network"), ("secret", "secrets"), ("hook", "hooks"), ("MCP server", "MCP servers")];

/// The kind of a sentence and the rest of it. A sentence of a later version is of the kind `other`, and whole.
pub fn kind_of(sentence: &str) -> (&'static str, &str) {
    if let Some(rest) = sentence.strip_prefix("gets variable ").filter(|rest| rest.contains(" from secret "))
    {
        return ("secret", rest);
    }
    // The name of the skill alone, as it stands in the file.
    if let Some(rest) = sentence.strip_prefix("loads skill ").and_then(|rest| rest.strip_suffix(" with it")) {
        return ("skill", rest);
    }
    let begin = begins_with(sentence);
    let known = SENTENCES.iter().find(|(known, ..)| *known == begin);
    known.map_or(("other", sentence), |(_, kind, _)| (*kind, &sentence[begin.len()..]))
}

/// Every sentence as an entry, and `every tool` for a skill that names none. `tree` adds lines and names of scripts.
pub fn explain(sentences: &BTreeSet<String>, tree: Option<&Tree>) -> Vec<Capability> {
    let mut all = vec![tools(sentences, tree)];
    for (begin, _, note) in SENTENCES.iter().filter(|(_, kind, _)| *kind != "tools") {
        let of_kind = |sentence: &&String| sentence.starts_with(begin) && begins_with(sentence) == *begin;
        for sentence in sentences.iter().filter(of_kind) {
            let (kind, rest) = kind_of(sentence);
            let rest = &*super::shown(rest);
            if kind == "script" {
                let named = scripts(tree);
                let none = if named.is_empty() { vec!["in scripts/".to_owned()] } else { named };
                all.extend(none.into_iter().map(|what| Capability { kind, what, note: *note, place: None }));
                continue;
            }
            if kind == "file" {
                // The digest tells two versions apart; of one version the name is enough.
                let path = rest.rsplit_once(", ").filter(|(_, digest)| digest.starts_with(DIGEST));
                let path = path.map_or(rest, |(path, _)| path);
                let is_script = path.starts_with("scripts/");
                let (kind, note) = if is_script { ("script", SCRIPT_NOTE) } else { (kind, *note) };
                all.push(Capability { kind, what: path.to_owned(), note, place: None });
                continue;
            }
            let what = if rest.is_empty() { "its own".to_owned() } else { rest.to_owned() };
            let is_declared = !matches!(kind, "code" | "program" | "dependency");
            let place = tree.filter(|_| is_declared).and_then(|tree| line_of(tree, needle(kind, rest)));
            all.push(Capability { kind, what, note: *note, place });
        }
    }
    let is_known = |sentence: &&String| kind_of(sentence).0 != "other";
    let others = sentences.iter().filter(|sentence| !is_known(sentence));
    all.extend(others.map(|what| Capability { kind: "other", what: what.clone(), note: None, place: None }));
    all
}

/// The part of a sentence that stands in the file.
fn needle<'a>(kind: &str, rest: &'a str) -> &'a str {
    match kind {
        "hook" => rest.split_once(": ").map_or(rest, |(_, command)| command),
        "secret" | "variable" => rest.split([' ', ',']).next().unwrap_or(rest),
        _ => rest,
    }
}

/// The longest beginning that fits: some are the beginning of others.
fn begins_with(sentence: &str) -> &'static str {
    let fitting = SENTENCES.iter().map(|(begin, ..)| *begin).filter(|begin| sentence.starts_with(begin));
    fitting.max_by_key(|begin| begin.len()).unwrap_or_default()
}

/// What a skill does not declare: network, secrets, hooks, MCP servers. That is not a promise that it does without.
pub fn not_declared(sentences: &BTreeSet<String>) -> Vec<&'static str> {
    let has = |kind: &str| sentences.iter().map(|sentence| kind_of(sentence)).any(|one| declares(one, kind));
    NOT_DECLARED.iter().filter(|(kind, _)| !has(kind)).map(|(_, word)| *word).collect()
}

/// Whether a sentence declares something of a kind. Permissions and dependencies of a sidecar name it in their own words.
fn declares((kind, what): (&str, &str), wanted: &str) -> bool {
    match (kind, wanted) {
        (_, "network") => kind == "network" || is_about_network(kind, what),
        ("dependency", "MCP server") => what.starts_with("mcp "),
        ("dependency", "secret") => what.starts_with("env_var "),
        _ => kind == wanted,
    }
}

/// Whether a capability of another kind reaches the network: a remote server, or a permission that names it.
fn is_about_network(kind: &str, rest: &str) -> bool {
    match kind {
        "MCP server" => rest.contains("://"),
        "permissions" => {
            let keys = rest.split(['{', '}', '[', ']', ',', ' ', '"']);
            let mut keys = keys.filter(|key| !key.is_empty());
            let mut asks = false;
            while let Some(key) = keys.next() {
                let is_network = ["network", "net", "internet", "http", "https", "hosts", "domains"]
                    .iter()
                    .any(|name| key.trim_end_matches(':').eq_ignore_ascii_case(name));
                // `network: false` asks for none of it.
                asks |= is_network
                    && !(key.ends_with(':')
                        && matches!(keys.clone().next(), Some("false" | "none" | "null")));
            }
            asks
        }
        _ => false,
    }
}

/// The tools that a skill names; every tool when it has no list.
fn tools(sentences: &BTreeSet<String>, tree: Option<&Tree>) -> Capability {
    let named: Vec<&str> =
        sentences.iter().filter_map(|sentence| sentence.strip_prefix("uses tool ")).collect();
    if !named.is_empty() && !sentences.contains(EVERY_TOOL) {
        let place = tree.and_then(|tree| line_of(tree, "allowed-tools").or_else(|| line_of(tree, "tools:")));
        return Capability { kind: "tools", what: named.join(", "), note: None, place };
    }
    if named.is_empty() && !sentences.contains(EVERY_TOOL) {
        let place = tree.and_then(|tree| line_of(tree, "allowed-tools"));
        return Capability { kind: "tools", what: "no tool".to_owned(), note: None, place };
    }
    let note = Some("no allowed-tools in the frontmatter");
    Capability { kind: "tools", what: "every tool".to_owned(), note, place: None }
}

fn scripts(tree: Option<&Tree>) -> Vec<String> {
    let paths = tree.into_iter().flat_map(|tree| tree.iter().map(|(path, _)| path.to_string()));
    paths.filter(|path| path.starts_with("scripts/")).collect()
}

/// The first line of the skill file, else of another file, that has a text.
fn line_of(tree: &Tree, text: &str) -> Option<String> {
    let needle = text.lines().next().filter(|line| !line.is_empty())?;
    let in_file = |path: &str, bytes: &[u8]| {
        let text = std::str::from_utf8(bytes).ok()?;
        let at = text.lines().position(|line| line.contains(needle))?;
        Some(format!("{path}:{}", at + 1))
    };
    let skill = tree.skill_file().and_then(|(path, file)| in_file(path, &file.bytes));
    skill.or_else(|| tree.iter().find_map(|(path, file)| in_file(path.as_str(), &file.bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capability::sample::tree;

    const EVERYTHING: &str = "---
name: all
description: All.
hooks: {PreToolUse: [{matcher: Bash, hooks: [{type: command, command: ./guard.sh}]}]}
mcp: {command: serve, args: [--now], env: {TOKEN: x}, headers: {a: b}}
requires: {env: [HOME_TOKEN], binary: [kubectl], mcp: [mail]}
env: [{var: KEY, from: secret}]
vars: {plain: {description: P.}, hidden: {description: H., secret: true}}
cli: true
---
See !`git status --short` now.
";

    #[test]
    fn every_capability_has_a_kind_and_none_is_lost() {
        let code = "#!/usr/bin/env python3\nget('https://api.example.org')\n";
        let tree = tree(&[("SKILL.md", EVERYTHING), ("scripts/run.py", code)]);
        let sentences = super::super::of_tree(&tree).unwrap();
        assert!(sentences.len() >= 10, "{sentences:#?}");
        let all = explain(&sentences, Some(&tree));
        for sentence in &sentences {
            let (kind, rest) = kind_of(sentence);
            assert_ne!(kind, "other", "{sentence}");
            let rest = crate::capability::shown(rest);
            let shown =
                all.iter().any(|one| one.kind == kind && (rest.is_empty() || one.what.contains(&rest)));
            // A script and another file are shown by name, without the digest.
            assert!(shown || matches!(kind, "script" | "file"), "{sentence} is not shown: {all:#?}");
        }
        let command = all.iter().find(|one| one.kind == "command").unwrap();
        assert_eq!((command.note, command.place.as_deref()), (Some("on load"), Some("SKILL.md:11")));
        assert!(all.iter().any(|one| one.kind == "script" && one.what == "scripts/run.py"));
        assert_eq!(all[0].what, "every tool");
        assert!(all.iter().any(|one| one.kind == "secret" && one.what.starts_with("KEY from secret")));
        assert_eq!(not_declared(&sentences), Vec::<&str>::new());
    }

    #[test]
    fn what_a_sidecar_asks_for_is_declared() {
        let sidecar = "permissions:\n  network: true\ndependencies:\n  tools:\n    - {type: mcp, value: notes}\n    - {type: env_var, value: TOKEN}\n";
        let skill = "---\nname: a\ndescription: A.\n---\nText.\n";
        let tree = tree(&[("SKILL.md", skill), ("agents/openai.yaml", sidecar)]);
        let sentences = super::super::of_tree(&tree).unwrap();
        assert_eq!(not_declared(&sentences), ["hooks"], "{sentences:#?}");
    }

    #[test]
    fn a_skill_whose_permissions_or_server_name_the_network_is_not_said_to_declare_none() {
        let missing = |sentence: &str| not_declared(&BTreeSet::from([sentence.to_owned()]));
        for sentence in [
            "asks for permissions network: true",
            "asks for permissions {files: [a b], network: {hosts: [a.example]}}",
            "asks for permissions [network files]",
            "asks for permissions network: {enabled: true}",
            "connects to MCP server https://mcp.example.org/",
        ] {
            assert!(!missing(sentence).contains(&"network"), "{sentence}");
        }
        for sentence in
            ["asks for permissions network: false", "asks for permissions files: [a]", "starts MCP server x"]
        {
            assert!(missing(sentence).contains(&"network"), "{sentence}");
        }
    }

    #[test]
    fn a_skill_that_is_loaded_with_it_is_shown_by_its_name() {
        let skill = "---\nname: a\ndescription: A.\ncompanion_skills: [house-style]\n---\nText.\n";
        let tree = tree(&[("SKILL.md", skill)]);
        let all = explain(&super::super::of_tree(&tree).unwrap(), Some(&tree));
        let one = all.iter().find(|one| one.kind == "skill").unwrap();
        assert_eq!(
            (one.what.as_str(), one.note, one.place.as_deref()),
            ("house-style", Some("is loaded with it"), Some("SKILL.md:4"))
        );
    }

    #[test]
    fn a_sentence_of_a_later_version_is_shown_whole() {
        let sentences = BTreeSet::from(["flies a kite".to_owned()]);
        let all = explain(&sentences, None);
        assert!(all.iter().any(|one| (one.kind, one.what.as_str()) == ("other", "flies a kite")));
        assert_eq!(not_declared(&sentences), ["network", "secrets", "hooks", "MCP servers"]);
    }
}
