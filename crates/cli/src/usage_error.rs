//! Command lines that cannot be read: what is wrong, why, and what to write instead.

use crate::{aliases, output::harmless};
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
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

/// The notation of arguments as a user reads it: `<SESSION|--older-than <DAYS>>` is `SESSION or --older-than DAYS`.
fn in_words(argument: &str) -> String {
    argument.replace(['<', '>', '[', ']'], "").replace('|', " or ")
}
