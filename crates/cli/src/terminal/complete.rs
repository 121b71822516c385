//! Completion of words: skills by `/name` and `$name`, and the commands of a chat.

use skillful_catalog::names::in_order;

/// A word that can be completed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    /// With its mark: `/name` or `$name`.
    pub word: String,
    /// A short description, escaped.
    pub about: String,
    /// What it takes as arguments, escaped; `command` for a command of the chat.
    pub argument: String,
}

/// What a command of the chat has in the place of its arguments.
pub(crate) const COMMAND: &str = "command";

impl Choice {
    /// A skill without its mark, a command of the chat with it.
    pub(crate) fn name(&self) -> &str {
        if self.argument == COMMAND { &self.word } else { self.word.trim_start_matches(['/', '$']) }
    }

    /// Whether a user would type something behind it.
    pub(crate) fn needs_argument(&self) -> bool {
        !self.argument.is_empty() && self.argument != COMMAND
    }
}

/// All words that can be completed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Vocabulary {
    /// Only at the start of a line.
    pub slash: Vec<Choice>,
    /// Anywhere.
    pub dollar: Vec<Choice>,
}

/// Most words that are offered at a time.
const OFFERED: usize = 40;

impl Vocabulary {
    /// Where the word before the cursor starts, and its completions: first words that begin with it, then words
    /// with a part that does, then words that contain it.
    pub(crate) fn complete(&self, line: &str, cursor: usize) -> (usize, Vec<&Choice>) {
        let before = line.get(..cursor).unwrap_or(line);
        let start = before
            .rfind(char::is_whitespace)
            .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
        let word = &before[start..];
        let choices = match word.chars().next() {
            Some('/') if before[..start].trim().is_empty() => &self.slash,
            Some('$') => &self.dollar,
            _ => return (cursor, Vec::new()),
        };
        let typed = word[1..].to_lowercase();
        let mut found: Vec<(u8, &Choice)> =
            choices.iter().filter_map(|choice| Some((nearness(&choice.word, &typed)?, choice))).collect();
        found.sort_by(|(a, one), (b, other)| a.cmp(b).then_with(|| in_order(&one.word, &other.word)));
        (start, found.into_iter().map(|(_, choice)| choice).take(OFFERED).collect())
    }

    /// The description of a complete word.
    pub(crate) fn about(&self, line: &str, cursor: usize) -> Option<&str> {
        let (start, found) = self.complete(line, cursor);
        let word = line.get(start..cursor)?;
        found.into_iter().find(|choice| choice.word == word).map(|choice| choice.about.as_str())
    }

    /// The rest of the only word that begins with the typed text.
    pub(crate) fn rest(&self, line: &str, cursor: usize) -> Option<String> {
        let (start, found) = self.complete(line, cursor);
        let word = line.get(start..cursor).filter(|word| word.len() > 1)?;
        let mut rests = found.iter().filter_map(|choice| choice.word.strip_prefix(word));
        let rest = rests.next().filter(|rest| !rest.is_empty())?;
        rests.next().is_none().then(|| rest.to_owned())
    }
}

/// How well a word matches the typed text; `None` when it does not.
fn nearness(word: &str, typed: &str) -> Option<u8> {
    let name = word[1..].to_lowercase();
    if name.starts_with(typed) {
        return Some(0);
    }
    if name.split(['-', '_', ':', '/']).any(|part| part.starts_with(typed)) {
        return Some(1);
    }
    name.contains(typed).then_some(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabulary() -> Vocabulary {
        let choices = |mark: &str, words: &[&str]| {
            let choice = |word: &&str| Choice {
                word: format!("{mark}{word}"),
                about: format!("about {word}"),
                argument: String::new(),
            };
            words.iter().map(choice).collect()
        };
        Vocabulary {
            slash: choices("/", &["deploy", "help", "undeploy", "web-deploy"]),
            dollar: choices("$", &["deploy", "web-deploy"]),
        }
    }

    fn words(line: &str) -> Vec<String> {
        let vocabulary = vocabulary();
        vocabulary.complete(line, line.len()).1.iter().map(|choice| choice.word.clone()).collect()
    }

    #[test]
    fn what_begins_so_comes_before_what_has_such_a_part_before_what_holds_it() {
        assert_eq!(words("/dep"), ["/deploy", "/web-deploy", "/undeploy"]);
        assert_eq!(words("/"), ["/deploy", "/help", "/undeploy", "/web-deploy"]);
    }

    #[test]
    fn a_slash_counts_only_at_the_start_and_a_dollar_anywhere() {
        assert!(words("please /dep").is_empty());
        assert_eq!(words("please $dep"), ["$deploy", "$web-deploy"]);
        assert!(words("please dep").is_empty());
        assert_eq!(vocabulary().complete("bitte für $w", 14).0, 11);
    }

    #[test]
    fn one_possible_rest_is_hinted_and_a_whole_word_says_what_it_is_about() {
        assert_eq!(vocabulary().rest("/he", 3).as_deref(), Some("lp"));
        assert_eq!(vocabulary().rest("/", 1), None);
        assert_eq!(vocabulary().about("/help", 5), Some("about help"));
    }
}
