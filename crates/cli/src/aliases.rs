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

/// The names that stand for one command, each with that command.
pub(crate) fn of_commands() -> impl Iterator<Item = (&'static str, &'static str)> {
    ALIASES.iter().filter_map(|(name, meant)| match meant {
        [command] => Some((*name, *command)),
        _ => None,
    })
}

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

/// Words that mean the same in different programs.
const SAME: &[&[&str]] =
    &[&["remove", "rm", "uninstall", "delete"], &["update", "upgrade"], &["add", "install", "new", "set"]];

/// Options that had another name before, or have one in similar programs.
const OPTIONS: &[(&str, &str)] = &[
    ("--as", "--agent"),
    ("--catalogs", "--sources"),
    ("--conversation", "--session"),
    ("--host", "--agent"),
    ("--profile", "--agent"),
];

/// The command that the words of a command line reach before a word, with its names.
fn reached(words: &[OsString], before: &str) -> (clap::Command, String) {
    let mut command = crate::command_line();
    let mut path = "skillful".to_owned();
    let names = words.iter().skip(1).map_while(|word| word.to_str().filter(|word| *word != before));
    for name in names {
        if let Some(next) = command.find_subcommand(name).cloned() {
            path = format!("{path} {}", next.get_name());
            command = next;
        }
    }
    (command, path)
}

/// The command that a command line names: `skillful sessions rm`.
pub(crate) fn command_of(words: &[OsString]) -> String {
    reached(words, "").1
}

/// What to write instead of a word that is not a command where it stands: never a command of another meaning.
pub(crate) fn instead(words: &[OsString], word: &str) -> String {
    let (command, path) = reached(words, word);
    let names: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
    let same = SAME.iter().find(|words| words.contains(&word));
    let same =
        same.and_then(|words| names.iter().find(|name| words.contains(name)).map(|name| (*name).to_owned()));
    if path == "skillful" {
        let other = match word {
            "version" => Some("--version".to_owned()),
            _ => same,
        };
        let other = other.map(|name| format!("skillful {name}"));
        return other.or_else(|| nearest(word)).unwrap_or_else(|| "skillful --help".to_owned());
    }
    let near = same.or_else(|| skillful_catalog::names::nearest(word, names.into_iter()).into_iter().next());
    near.map_or_else(|| format!("{path} --help"), |name| format!("{path} {name}"))
}

/// The command that has no such option, and what to write instead. `near` is an option with a similar name.
pub(crate) fn option_instead(words: &[OsString], option: &str, near: Option<&str>) -> (String, String) {
    let (command, path) = reached(words, option);
    let now = OPTIONS.iter().find(|(before, _)| *before == option).map(|(_, now)| *now);
    let bare = |option: &str| option.trim_start_matches('-').to_owned();
    let is_near = |near: &&str| {
        let (one, other) = (bare(option), bare(near));
        one.chars().next() == other.chars().next()
            || !skillful_catalog::names::nearest(&one, std::iter::once(other.as_str())).is_empty()
    };
    let near = near.filter(is_near);
    let has = |name: &&str| command.get_arguments().any(|one| one.get_long() == name.strip_prefix("--"));
    let fix = match now.filter(has).or(near) {
        Some(name) => format!("{path} {name}"),
        None => format!("{path} --help"),
    };
    (path, fix)
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
    fn a_word_behind_a_command_is_looked_for_among_the_commands_of_that_one() {
        let instead = |line: &str, word: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            super::instead(&words, word)
        };
        assert_eq!(instead("skillful mcp remove --agent codex", "remove"), "skillful mcp uninstall");
        assert_eq!(instead("skillful secret delete a b", "delete"), "skillful secret rm");
        assert_eq!(instead("skillful config ste a", "ste"), "skillful config set");
        assert_eq!(instead("skillful config zzzzzz", "zzzzzz"), "skillful config --help");
        assert_eq!(instead("skillful instal x", "instal"), "skillful add (install is an alias)");
        assert_eq!(instead("skillful delete x", "delete"), "skillful remove");
        assert_eq!(instead("skillful version", "version"), "skillful --version");
    }

    #[test]
    fn an_option_that_had_another_name_is_named() {
        let instead = |line: &str, option: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            super::option_instead(&words, option, None)
        };
        let list = "skillful list".to_owned();
        assert_eq!(
            instead("skillful list --host x", "--host"),
            (list.clone(), "skillful list --agent".to_owned())
        );
        assert_eq!(
            instead("skillful list --zzz", "--zzz"),
            (list.clone(), "skillful list --help".to_owned())
        );
        let near = |option: &str, near: &str| {
            super::option_instead(&["skillful", "list"].map(OsString::from), option, Some(near)).1
        };
        assert_eq!(near("--agnet", "--agent"), "skillful list --agent");
        assert_eq!(near("--nope", "--scope"), "skillful list --help");
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
