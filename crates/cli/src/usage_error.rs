//! Command lines that cannot be read: what is wrong, why, and what to write instead.

use crate::{aliases, output::harmless};
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use skillful::shell_word::shell_word;
use std::{error::Error as _, ffi::OsString};

/// The error in the form of every other one, for the kinds that a user meets.
pub(crate) fn explained(error: &Error, words: &[OsString]) -> Option<String> {
    let command = aliases::command_of(words);
    let one = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(harmless(text)),
        Some(ContextValue::Strings(all)) => Some(harmless(&all.join(", "))),
        _ => None,
    };
    let argument = one(ContextKind::InvalidArg).unwrap_or_default();
    // An option without what follows it: `--color <WHEN>`.
    let option = argument.split([' ', '=']).next().unwrap_or_default();
    let help = format!("{command} --help");
    let (message, cause, fix) = match error.kind() {
        ErrorKind::MissingRequiredArgument => {
            (format!("{command} needs {}", in_words(&argument)), None, help)
        }
        ErrorKind::UnknownArgument => {
            // `view codex`: the word is the agent.
            let fix = if command == "skillful view" { format!("{command} --agent {argument}") } else { help };
            (format!("{command} takes no further word: `{argument}`"), None, fix)
        }
        ErrorKind::InvalidValue => {
            let value = one(ContextKind::InvalidValue).unwrap_or_default();
            if value.is_empty() {
                (
                    format!(
                        "{option} needs a value: {}",
                        in_words(argument.trim_start_matches(option).trim())
                    ),
                    None,
                    help,
                )
            } else {
                let known = one(ContextKind::ValidValue).map(|known| format!("the values are {known}"));
                let near = one(ContextKind::SuggestedValue);
                let fix = near.map_or(help, |near| {
                    if option.starts_with('-') {
                        format!("{command} {option} {near}")
                    } else {
                        format!("{command} {near}")
                    }
                });
                (format!("{} cannot be `{value}`", in_words(option)), known, fix)
            }
        }
        ErrorKind::ValueValidation => {
            let value = one(ContextKind::InvalidValue).unwrap_or_default();
            let why = error.source().map(|why| harmless(&why.to_string()));
            (format!("{} cannot be `{value}`", in_words(option)), why, help)
        }
        ErrorKind::ArgumentConflict => {
            let other = one(ContextKind::PriorArg).unwrap_or_else(|| "another option".to_owned());
            let message = if other == argument {
                format!("{option} is given more than once")
            } else {
                format!("{} cannot be used with {}", in_words(&argument), in_words(&other))
            };
            (message, None, help)
        }
        _ => return None,
    };
    let cause = cause.map_or_else(String::new, |cause| format!("  cause: {cause}\n"));
    Some(format!("error: {message}\n{cause}  fix:   {fix}\n"))
}

/// A fix that only names what was meant, as the command line with that name in the place of the wrong one.
pub(crate) fn as_command(fix: &str, message: &str, words: &[OsString]) -> String {
    let meant = fix.strip_prefix("did you mean `").and_then(|rest| rest.strip_suffix("`?"));
    let Some(meant) = meant.and_then(|names| names.split("` or `").next()) else { return fix.to_owned() };
    let words: Option<Vec<&str>> = words.iter().skip(1).map(|word| word.to_str()).collect();
    let Some(words) = words else { return fix.to_owned() };
    let is_wrong = |word: &&str| message.contains(&format!("`{word}`"));
    if words.iter().filter(|word| is_wrong(word)).count() != 1 {
        return fix.to_owned();
    }
    let is_option =
        |word: &str| word.starts_with('-') && !word.contains(|c: char| c.is_whitespace() || c == '\'');
    let shown = |word: &str| if is_option(word) { word.to_owned() } else { shell_word(word) };
    let words = words.iter().map(|word| shown(if is_wrong(word) { meant } else { word }));
    format!("skillful {}", words.collect::<Vec<_>>().join(" "))
}

/// The notation of arguments as a user reads it: `<SESSION|--older-than <DAYS>>` is `SESSION or --older-than DAYS`.
fn in_words(argument: &str) -> String {
    argument.replace(['<', '>', '[', ']'], "").replace('|', " or ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_name_becomes_the_command_that_was_meant() {
        let fix = |fix: &str, message: &str, line: &str| {
            as_command(fix, message, &line.split(' ').map(OsString::from).collect::<Vec<_>>())
        };
        let message = "no agent named `codx`";
        assert_eq!(
            fix("did you mean `codex`?", message, "skillful view --agent codx"),
            "skillful view --agent codex"
        );
        assert_eq!(
            fix("did you mean `a b` or `c`?", "no skill named `ab`", "skillful use ab"),
            "skillful use 'a b'"
        );
        assert_eq!(
            fix("did you mean `codex`?", message, "skillful list --agent codx --json"),
            "skillful list --agent codex --json"
        );
        for (one, line) in [
            ("did you mean `codex`?", "skillful view --agent codx codx"),
            ("did you mean `codex`?", "skillful view"),
            ("skillful list", "skillful use codx"),
        ] {
            assert_eq!(fix(one, message, line), one);
        }
    }
}
