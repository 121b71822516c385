use super::*;
use crate::args::named_examples;

/// Every command with its path, the inner ones after the outer one.
fn commands(command: &Command, above: &str, found: &mut Vec<(String, Command)>) {
    for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
        let path = format!("{above}{}", inner.get_name());
        found.push((path.clone(), inner.clone()));
        commands(inner, &format!("{path} "), found);
    }
}

fn all() -> Vec<(String, Command)> {
    let mut found = Vec::new();
    commands(&complete(), "", &mut found);
    found
}

#[test]
fn every_command_has_examples_that_it_understands() {
    let commands = all();
    for (path, _) in &commands {
        assert!(!examples(path).is_empty(), "{path} has no example");
    }
    for path in named_examples() {
        assert!(commands.iter().any(|(name, _)| name == path), "{path} is not a command");
        for (line, _) in examples(path) {
            assert!(line.starts_with(path.split(' ').next().unwrap()), "{path}: {line}");
            let words = shlex(&format!("skillful {line}"));
            if let Err(error) = crate::parse(words.into_iter()) {
                panic!("{line}: {error}");
            }
        }
    }
}

/// Words with the quotes that the examples use.
fn shlex(line: &str) -> Vec<OsString> {
    let (mut words, mut word, mut quote, mut open) = (Vec::new(), String::new(), None, false);
    for c in line.chars() {
        match quote {
            Some(mark) if c == mark => quote = None,
            None if c == '"' || c == '\'' => (quote, open) = (Some(c), true),
            None if c == ' ' => {
                if open || !word.is_empty() {
                    words.push(OsString::from(std::mem::take(&mut word)));
                }
                open = false;
            }
            _ => word.push(c),
        }
    }
    words.push(OsString::from(word));
    words
}

#[test]
fn every_option_has_a_heading() {
    for (path, command) in all() {
        for argument in command.get_arguments().filter(|argument| !argument.is_positional()) {
            let is_own = argument.get_id() != "help" && argument.get_id() != "version";
            assert!(
                !is_own || argument.get_help_heading().is_some(),
                "{path} {} has no heading",
                argument.get_id()
            );
        }
    }
}

#[test]
fn help_fits_the_screen_and_the_short_one_fits_24_lines() {
    let root = complete();
    for (path, command) in all() {
        for is_long in [false, true] {
            let help = text(&root, &command, &path, is_long);
            for line in help.lines() {
                assert!(columns(line) <= WIDTH || !line.trim().contains(' '), "{path}: {line}");
            }
            assert!(is_long || help.lines().count() <= 24, "{path} -h:\n{help}");
        }
    }
}
