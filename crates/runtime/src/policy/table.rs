//! Tables of programs: the options that an open-ended grant lets through.
//!
//! A table is text. `program NAME` starts a program, `command SUB` a subcommand of it (`SUB.NEXT` for two
//! words), `group NAME` a list that `@NAME` includes, `harmless NAMES` programs whose every option is let
//! through, `same NEW OLD` a second name. Indented lines go on with the options:
//!
//! | token | means |
//! |---|---|
//! | `-x`, `--long` | an option without a value |
//! | `-x:`, `--long:` | with a value, attached or in the next word; `:CLASS` restricts the value |
//! | `-x?`, `--long?` | with an optional value, attached only |
//! | `-#` | a number such as `-20` |
//! | `operands=CLASS` | what the other words may be; anything without it |
//! | `passes` | words after `--` belong to the script that the program runs |
//! | `script` | the first other word is a script, everything after it belongs to the script |
//! | `words` | options are whole words with one hyphen, as in `find` |
//! | `alone` | short options stand alone, since `-ab` may be the long option `ab` |
//! | `old` | the first word may be a cluster without a hyphen, as in `tar cf` |

use super::argument_class::ArgumentClass;
use std::{collections::BTreeMap, sync::OnceLock};

const TEXTS: [&str; 2] = [include_str!("tables/git.txt"), include_str!("tables/common.txt")];

/// Whether an option takes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    Nothing,
    Value(ArgumentClass),
    /// An optional value, attached only.
    Attached(ArgumentClass),
}

/// What a program or a subcommand may be given.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    /// Options, with their hyphens.
    pub(super) options: BTreeMap<&'static str, Takes>,
    pub(super) operands: ArgumentClass,
    /// Every option is let through.
    pub(super) harmless: bool,
    pub(super) numbers: bool,
    pub(super) passes: bool,
    pub(super) script: bool,
    pub(super) words: bool,
    pub(super) alone: bool,
    pub(super) old: bool,
    /// Whether the next word must be a subcommand with a table of its own.
    pub(super) has_commands: bool,
}

/// Every table by the words that select it: `git`, `git log`, `git remote add`.
#[derive(Debug, Default)]
pub(super) struct Tables {
    tables: BTreeMap<String, Table>,
    /// Tokens that have no meaning; none in the shipped tables.
    pub(super) unknown: Vec<String>,
}

impl Tables {
    /// The shipped tables.
    pub(super) fn shipped() -> &'static Self {
        static TABLES: OnceLock<Tables> = OnceLock::new();
        TABLES.get_or_init(|| Self::read(&TEXTS))
    }

    /// The table of these words.
    pub(super) fn get(&self, words: &[&str]) -> Option<&Table> {
        self.tables.get(&words.join(" "))
    }

    fn read(texts: &[&'static str]) -> Self {
        let mut all = Self::default();
        for text in texts {
            let mut groups: BTreeMap<&str, Vec<&'static str>> = BTreeMap::new();
            let mut program = "";
            for (head, tokens) in entries(text) {
                let (kind, name) = head.split_once(' ').unwrap_or((head, ""));
                let tokens: Vec<&'static str> = tokens
                    .into_iter()
                    .flat_map(|token| match token.strip_prefix('@').and_then(|group| groups.get(group)) {
                        Some(group) => group.clone(),
                        None => vec![token],
                    })
                    .collect();
                match kind {
                    "group" => {
                        groups.insert(name, tokens);
                    }
                    "harmless" => {
                        for name in std::iter::once(name).chain(tokens) {
                            all.tables.insert(name.to_owned(), Table { harmless: true, ..Table::default() });
                        }
                    }
                    "program" => {
                        program = name;
                        let table = all.table(&tokens);
                        all.tables.insert(name.to_owned(), table);
                    }
                    "command" => {
                        let mut table = all.table(&tokens);
                        if let Some(above) = all.tables.get_mut(program) {
                            above.has_commands = true;
                            table.alone |= above.alone;
                        }
                        all.tables.insert(format!("{program} {}", name.replacen('.', " ", 1)), table);
                    }
                    "same" => all.copy(name, tokens.first().copied().unwrap_or_default()),
                    _ => all.unknown.push(head.to_owned()),
                }
            }
        }
        all
    }

    fn copy(&mut self, new: &str, old: &str) {
        let below = format!("{old} ");
        let copies: Vec<(String, Table)> = self
            .tables
            .iter()
            .filter(|(key, _)| key.as_str() == old || key.starts_with(&below))
            .map(|(key, table)| (key.replacen(old, new, 1), table.clone()))
            .collect();
        self.tables.extend(copies);
    }

    fn table(&mut self, tokens: &[&'static str]) -> Table {
        let mut table = Table::default();
        for token in tokens {
            match *token {
                "-#" => table.numbers = true,
                "passes" => table.passes = true,
                "script" => table.script = true,
                "words" => table.words = true,
                "alone" => table.alone = true,
                "old" => table.old = true,
                _ => match (token.strip_prefix("operands="), option(token)) {
                    (Some(class), _) => match ArgumentClass::named(class) {
                        Some(class) => table.operands = class,
                        None => self.unknown.push((*token).to_owned()),
                    },
                    (None, Some((name, takes))) => {
                        table.options.insert(name, takes);
                    }
                    (None, None) => self.unknown.push((*token).to_owned()),
                },
            }
        }
        table
    }
}

fn option(token: &'static str) -> Option<(&'static str, Takes)> {
    if !token.starts_with('-') || token.len() < 2 {
        return None;
    }
    let class =
        |name: &str| if name.is_empty() { Some(ArgumentClass::Any) } else { ArgumentClass::named(name) };
    match token.find([':', '?']) {
        None => Some((token, Takes::Nothing)),
        Some(at) if token[at..].starts_with(':') => {
            Some((&token[..at], Takes::Value(class(&token[at + 1..])?)))
        }
        Some(at) => Some((&token[..at], Takes::Attached(class(&token[at + 1..])?))),
    }
}

/// The entries of a text: the first two words of a line that is not indented, and all tokens after them.
fn entries(text: &'static str) -> Vec<(&'static str, Vec<&'static str>)> {
    let mut found: Vec<(&'static str, Vec<&'static str>)> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with("# ")) {
        if line.starts_with(' ') {
            if let Some((_, tokens)) = found.last_mut() {
                tokens.extend(line.split_whitespace());
            }
            continue;
        }
        let end = line.match_indices(' ').nth(1).map_or(line.len(), |(at, _)| at);
        found.push((&line[..end], line[end..].split_whitespace().collect()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_of_the_shipped_tables_has_a_meaning() {
        let tables = Tables::shipped();
        assert_eq!(tables.unknown, Vec::<String>::new());
        assert!(tables.tables.len() > 250, "only {} tables", tables.tables.len());
        for words in [&["git"][..], &["git", "remote", "add"], &["pip3", "install"], &["ls"], &["find"]] {
            assert!(tables.get(words).is_some(), "{words:?}");
        }
    }

    #[test]
    fn no_table_names_an_option_that_runs_a_program() {
        let never = [
            "--exec",
            "--exec-path",
            "--upload-pack",
            "--receive-pack",
            "--ext-diff",
            "--extcmd",
            "--textconv",
            "--open-files-in-pager",
            "--to-command",
            "--use-compress-program",
            "--compress-program",
            "--rsh",
            "--pre",
            "--filter-process",
            "--config",
            "--config-env",
            "--script-shell",
            "--manifest-path",
            "-exec",
            "-execdir",
            "-ok",
            "-okdir",
            "-delete",
            "-fprint",
            "-toolexec",
            "--contents",
        ];
        for (words, table) in &Tables::shipped().tables {
            for option in never {
                assert!(!table.options.contains_key(option), "{words}: {option}");
            }
        }
    }
}
