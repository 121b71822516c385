//! Help that belongs to no single command: `skillful help TOPIC`.

use std::ffi::OsString;

/// Every topic with its text.
const TOPICS: [(&str, &str); 2] =
    [("exit-codes", include_str!("exit-codes.txt")), ("ci", include_str!("ci.txt"))];

/// The text that a command line asks for.
pub(crate) fn asked(words: &[OsString]) -> Option<&'static str> {
    let [_, help, topic] = words else { return None };
    let text = TOPICS.iter().find(|(name, _)| topic == name).map(|(_, text)| *text);
    text.filter(|_| help == "help")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_topic_fits_eighty_columns_and_its_commands_are_understood() {
        for (topic, text) in TOPICS {
            let asked = asked(&["skillful", "help", topic].map(OsString::from));
            assert_eq!(asked, Some(text));
            for line in text.lines() {
                assert!(line.chars().count() <= 80, "{topic}: {line}");
                let Some(command) = line.strip_prefix("  skillful ") else { continue };
                let words = command.split("   ").next().unwrap_or(command).split(' ').map(OsString::from);
                let words = [OsString::from("skillful")].into_iter().chain(words);
                assert!(crate::parse(words).is_ok(), "{topic}: {line}");
            }
        }
    }

    #[test]
    fn a_command_is_not_a_topic() {
        for words in [["skillful", "help", "add"], ["skillful", "list", "ci"]] {
            assert_eq!(asked(&words.map(OsString::from)), None);
        }
    }
}
