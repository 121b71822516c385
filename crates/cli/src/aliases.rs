//! Other names of commands: names that users of similar programs expect, and names that commands had before. They
//! work and are not listed.

use std::ffi::{OsStr, OsString};

/// A name and the words it stands for.
const ALIASES: &[(&str, &[&str])] = &[
    ("accept", &["review", "approve"]),
    ("catalog", &["source"]),
    ("curate", &["review", "--unused"]),
    ("hosts", &["agents"]),
    ("import", &["add"]),
    ("info", &["show"]),
    ("init", &["new"]),
    ("install", &["add"]),
    ("keys", &["sign", "keys"]),
    ("lint", &["check"]),
    ("ls", &["list"]),
    ("man", &["completions", "--man"]),
    ("outdated", &["update", "--check"]),
    ("prompt", &["menu"]),
    ("rm", &["remove"]),
    ("roots", &["agents", "--folders"]),
    ("tools", &["mcp", "tools"]),
    ("uninstall", &["remove"]),
    ("vars", &["show", "--variables"]),
    ("watch", &["list", "--watch"]),
];

/// Options before the command that take a value.
const WITH_VALUE: &[&str] = &["-C", "--directory", "--color", "--root", "--touch"];

/// The command line with the name of the command written out.
pub(crate) fn expand(words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut words: Vec<OsString> = words.collect();
    let mut at = 1;
    while let Some(word) = words.get(at) {
        if WITH_VALUE.iter().any(|option| word == OsStr::new(option)) {
            at += 2;
        } else if word.to_str().is_some_and(|word| word.starts_with('-')) {
            at += 1;
        } else {
            break;
        }
    }
    let meant = words.get(at).and_then(|word| ALIASES.iter().find(|(name, _)| word == OsStr::new(name)));
    if let Some((_, meant)) = meant {
        words.splice(at..=at, meant.iter().map(OsString::from));
    }
    words
}

/// The command whose name or alias is most similar to a word.
pub(crate) fn nearest(word: &str) -> Option<String> {
    let command = crate::command_line();
    let known: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
    let names = known.iter().copied().chain(ALIASES.iter().map(|(name, _)| *name));
    let near = skillful_catalog::names::nearest(word, names).into_iter().next()?;
    Some(match ALIASES.iter().find(|(name, _)| *name == near) {
        Some((alias, meant)) => format!("skillful {} ({alias} is an alias)", meant.join(" ")),
        None => format!("skillful {near}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    fn expanded(line: &str) -> String {
        let words = expand(line.split(' ').map(OsString::from));
        words.iter().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn only_the_command_word_is_written_out() {
        assert_eq!(expanded("skillful ls"), "skillful list");
        assert_eq!(
            expanded("skillful -C ls --json roots --all"),
            "skillful -C ls --json agents --folders --all"
        );
        assert_eq!(expanded("skillful show ls"), "skillful show ls");
        assert_eq!(expanded("skillful"), "skillful");
    }

    #[test]
    fn a_typo_gets_the_nearest_command() {
        assert_eq!(nearest("instal").unwrap(), "skillful add (install is an alias)");
        assert_eq!(nearest("lst").unwrap(), "skillful list");
        assert_eq!(nearest("zzzzzzzz"), None);
    }

    #[test]
    fn the_help_names_every_command_and_nothing_else() {
        let help = include_str!("args/help.txt");
        let command = crate::args::Cli::command();
        let known: std::collections::BTreeSet<&str> =
            command.get_subcommands().map(clap::Command::get_name).collect();
        let mut named = std::collections::BTreeSet::new();
        for line in help.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   ")) {
            let words = line.trim_start().split("  ").next().unwrap_or_default();
            named.extend(words.split(", ").filter_map(|part| part.split(' ').next()));
        }
        assert_eq!(named, known);
    }

    #[test]
    fn every_alias_means_a_command_and_is_not_one_itself() {
        let command = crate::args::Cli::command();
        let known: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        for (alias, meant) in ALIASES {
            assert!(!known.contains(alias), "{alias} is a command");
            assert!(known.contains(&meant[0]), "{alias} means {}, which is not a command", meant[0]);
        }
    }
}
