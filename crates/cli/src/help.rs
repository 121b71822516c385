//! The help of a command: its sentence, examples, usage, options by question, and notes. `-h` ends after the usage.

pub(crate) mod topics;

use crate::{
    args::examples,
    output::{columns, wrapped},
};
use clap::{Arg, Command};
use std::ffi::OsString;

/// Columns of help.
const WIDTH: usize = 80;
/// The widest column of options; a longer one has its text on the next line.
const OPTION: usize = 24;
/// The widest column of examples.
const EXAMPLE: usize = 46;
/// The heading of the options that every command has.
const EVERYWHERE: &str = "Every command";

/// The command line with what clap adds to it, such as how many values an argument takes.
pub(crate) fn complete() -> Command {
    let mut command = crate::command_line();
    command.build();
    command
}

/// The help that words on a command line ask for; `None` for the help of the whole program.
pub(crate) fn asked(root: &Command, words: &[OsString]) -> Option<String> {
    let is_word = |word: &OsString, meant: &str| word.to_str() == Some(meant);
    let words: Vec<&OsString> = words.iter().skip(1).take_while(|word| !is_word(word, "--")).collect();
    let is_long = !words.iter().any(|word| is_word(word, "-h"));
    let mut command = root;
    let mut path = Vec::new();
    for word in words.iter().filter_map(|word| word.to_str()).filter(|word| *word != "help") {
        if let Some(inner) = command
            .get_subcommands()
            .find(|inner| inner.get_name() == word || inner.get_all_aliases().any(|alias| alias == word))
        {
            command = inner;
            path.push(inner.get_name());
        }
    }
    (!path.is_empty()).then(|| text(root, command, &path.join(" "), is_long))
}

/// The help of a command. Options of every command are those of the root.
pub(crate) fn text(root: &Command, command: &Command, path: &str, is_long: bool) -> String {
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let mut out = wrapped(&format!("{}.", about.trim_end_matches('.')), WIDTH, "");
    out.push_str(&example_lines(path));
    out.push_str(&format!("\n{}\n", usage(command, path)));
    for argument in command.get_positionals() {
        out.push_str(&entry(&value_name(argument), &described(argument)));
    }
    let inner: Vec<&Command> = command.get_subcommands().filter(|inner| inner.get_name() != "help").collect();
    if !inner.is_empty() {
        out.push_str("\nCommands\n");
    }
    for inner in inner {
        let about = inner.get_about().map(ToString::to_string).unwrap_or_default();
        out.push_str(&entry(inner.get_name(), &about));
    }
    if !is_long {
        out.push_str(&format!("\nOptions: skillful {path} --help\n"));
        return out;
    }
    let mut headings: Vec<&str> = Vec::new();
    let everywhere = |argument: &&Arg| argument.is_global_set() && !argument.is_hide_set();
    let own = |argument: &&Arg| {
        let is_inherited = root.get_arguments().any(|one| one.get_id() == argument.get_id());
        !argument.is_positional() && !argument.is_hide_set() && !is_inherited
    };
    for argument in command.get_arguments().filter(own) {
        let heading = argument.get_help_heading().unwrap_or("Options");
        if !headings.contains(&heading) {
            headings.push(heading);
        }
    }
    for heading in headings {
        let of =
            |argument: &&Arg| own(argument) && argument.get_help_heading().unwrap_or("Options") == heading;
        out.push_str(&section(heading, command.get_arguments().filter(of)));
    }
    let inherited = root.get_arguments().filter(everywhere);
    out.push_str(&section(EVERYWHERE, inherited));
    if let Some(notes) = command.get_after_long_help().or_else(|| command.get_after_help()) {
        out.push('\n');
        for line in notes.to_string().lines() {
            let indent = " ".repeat(line.len() - line.trim_start().len());
            out.push_str(&wrapped(line, WIDTH, &indent));
        }
    }
    out
}

/// The examples of a command under their heading.
pub(crate) fn example_lines(path: &str) -> String {
    let examples = examples(path);
    if examples.is_empty() {
        return String::new();
    }
    let lines = examples.iter().map(|(line, _)| columns(line)).filter(|length| *length <= EXAMPLE);
    let column = lines.max().unwrap_or(0);
    let mut out = String::from("\nExamples\n");
    for (line, what) in examples {
        let text = format!("  skillful {line:<column$}  {what}");
        out.push_str(&wrapped(text.trim_end(), WIDTH, &" ".repeat(column + 13)));
    }
    out
}

fn usage(command: &Command, path: &str) -> String {
    let mut words = vec![format!("Usage: skillful {path}")];
    if command.has_subcommands() && command.is_subcommand_required_set() {
        words.push("COMMAND".to_owned());
    } else if command.get_subcommands().any(|inner| inner.get_name() != "help") {
        words.push("[COMMAND]".to_owned());
    }
    let options = command.get_arguments().filter(|argument| !argument.is_positional());
    for argument in options.filter(|argument| argument.is_required_set()) {
        words.push(option(argument));
    }
    for argument in command.get_positionals() {
        let name = value_name(argument);
        let many =
            if argument.get_num_args().is_some_and(|range| range.max_values() > 1) { "…" } else { "" };
        words.push(match (argument.is_required_set(), argument.is_last_set()) {
            (true, _) => format!("{name}{many}"),
            (false, true) => format!("[-- {name}{many}]"),
            (false, false) => format!("[{name}{many}]"),
        });
    }
    words.push("[OPTIONS]".to_owned());
    words.join(" ")
}

fn section<'a>(heading: &str, options: impl Iterator<Item = &'a Arg>) -> String {
    let mut out = format!("\n{heading}\n");
    for argument in options {
        out.push_str(&entry(&option(argument), &described(argument)));
    }
    out
}

/// A name and what it means, the second column wrapped below itself.
fn entry(name: &str, meaning: &str) -> String {
    let indent = " ".repeat(OPTION + 2);
    let first = format!("  {name}");
    let meaning = wrapped(&format!("{indent}{meaning}"), WIDTH, &indent);
    match meaning.get(first.len() + 2..) {
        Some(rest) if columns(&first) + 2 <= OPTION + 2 => format!("{first}  {rest}"),
        _ => format!("{first}\n{meaning}"),
    }
}

/// An option with its value: `-C, --directory FOLDER`.
fn option(argument: &Arg) -> String {
    let short = argument.get_short().map(|short| format!("-{short}"));
    let long = argument.get_long().map(|long| format!("--{long}"));
    let names: Vec<String> = [short, long].into_iter().flatten().collect();
    let value = if argument.get_action().takes_values() {
        format!(" {}", value_name(argument))
    } else {
        String::new()
    };
    names.join(", ") + &value
}

fn value_name(argument: &Arg) -> String {
    let named = argument.get_value_names().and_then(|names| names.first()).map(ToString::to_string);
    named.unwrap_or_else(|| argument.get_id().as_str().to_uppercase())
}

/// What an argument means, with its values and its default.
fn described(argument: &Arg) -> String {
    let mut text = argument.get_help().map(ToString::to_string).unwrap_or_default();
    if argument.get_action().takes_values() {
        let values: Vec<String> = argument
            .get_possible_values()
            .iter()
            .filter(|value| !value.is_hide_set())
            .map(|value| value.get_name().to_owned())
            .collect();
        if !values.is_empty() && argument.get_id() != "shell" {
            text.push_str(&format!(": {}", values.join(", ")));
        }
        let defaults: Vec<String> =
            argument.get_default_values().iter().map(|value| value.to_string_lossy().into_owned()).collect();
        if !defaults.is_empty() {
            text.push_str(&format!(" [default: {}]", defaults.join(", ")));
        }
    }
    text
}

#[cfg(test)]
mod tests;
