//! `sign keys`: the keys whose signatures the user knows.

use super::{library, printed};
use crate::{
    args::{KeysArgs, KeysCommand},
    context::Context,
    error::{Exit, Outcome},
    output::{harmless, tell},
};
use skillful::library::KnownKeys;

pub(crate) fn run(context: &mut Context, args: &KeysArgs) -> Outcome {
    let library = library::user(context)?;
    match &args.command {
        None | Some(KeysCommand::List) => {
            let known = library.known_keys()?;
            warn_of_losses(context, &known);
            let exit = if known.losses.is_empty() { Exit::Clean } else { Exit::Findings };
            print(context, &known, &listed(context, &known))?;
            Ok(exit)
        }
        Some(KeysCommand::Add { principal, key }) => {
            let added = library.add_key(principal, key)?;
            let text = match added.keys.first() {
                Some(line) => format!(
                    "from now on {} is {}, for skills only\nupdated {}\n",
                    line.fingerprint,
                    harmless(principal),
                    context.short(&added.file)
                ),
                None => format!("{} has that key already\n", harmless(principal)),
            };
            print(context, &added, &text)
        }
        Some(KeysCommand::Remove { principal }) => {
            let removed = library.remove_key(principal)?;
            let lines = removed.keys.iter();
            let text: String = lines
                .map(|line| format!("{} is no longer {}\n", line.fingerprint, harmless(&line.principals)))
                .collect();
            print(context, &removed, &text)
        }
    }
}

fn print(context: &Context, keys: &KnownKeys, text: &str) -> Outcome {
    if context.output.json {
        printed(context.output.print_json(keys))?;
    } else {
        printed(context.output.print(text))?;
    }
    Ok(Exit::Clean)
}

/// Warns of the lines of the user's file of signers that cannot be used.
pub(super) fn warn_of_losses(context: &Context, known: &KnownKeys) {
    let file = harmless(&context.short(&known.file));
    for loss in &known.losses {
        tell(&format!("warning: {file} {}\n", harmless(loss)));
    }
}

fn listed(context: &Context, known: &KnownKeys) -> String {
    if known.keys.is_empty() {
        let file = context.short(&known.file);
        return format!("no keys in {file}; `skillful sign keys add NAME KEY.pub` adds one\n");
    }
    let mut text = String::new();
    for key in &known.keys {
        text.push_str(&format!("{}  {}  {}\n", harmless(&key.principals), key.kind, key.fingerprint));
        let comment = Some(&key.comment).filter(|comment| !comment.is_empty());
        for note in comment.into_iter().chain(&key.why_not) {
            text.push_str(&format!("  {}\n", harmless(note)));
        }
    }
    text
}
