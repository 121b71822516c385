//! The arguments after a skill's name, as one text and as words.

use skillful_shell::typed;

/// The arguments of one activation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arguments {
    /// The text as typed, without leading and trailing spaces.
    pub text: String,
    /// The words, split like a shell does: spaces separate, quotes and backslashes join.
    pub words: Vec<String>,
}

impl Arguments {
    /// Splits the typed text. A quote that is never closed extends to the end, so that nothing is
    /// lost.
    pub fn new(text: &str) -> Self {
        let text = text.trim();
        Self { text: text.to_owned(), words: typed::split(text) }
    }

    /// Quotes words as one text; splitting that text gives the same words.
    pub fn text_of(words: &[String]) -> String {
        let plain = |c: char| c.is_alphanumeric() || "-_./:=@%+,".contains(c);
        let spelled = words.iter().map(|word| {
            if !word.is_empty() && word.chars().all(plain) { word.clone() } else { typed::quote(word) }
        });
        spelled.collect::<Vec<_>>().join(" ")
    }

    /// Whether there are no arguments.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_were_split_come_back() {
        let words = ["a", "b c", "", "it's", "$(id) \\", "é"].map(str::to_owned);
        assert_eq!(Arguments::new(&Arguments::text_of(&words)).words, words);
        assert_eq!(Arguments::text_of(&["for".to_owned(), "May".to_owned()]), "for May");
    }

    #[track_caller]
    fn check(text: &str, words: &[&str]) {
        assert_eq!(Arguments::new(text).words, words, "{text}");
    }

    #[test]
    fn words_are_split_as_a_shell_would() {
        check("", &[]);
        check("  fix  the bug ", &["fix", "the", "bug"]);
        check("\"my app\" 'and more'", &["my app", "and more"]);
        check("a\\ b c\"d e\"f", &["a b", "cd ef"]);
        check("'' \"\"", &["", ""]);
        check(r#""say \"hi\" \n""#, &[r#"say "hi" \n"#]);
    }

    #[test]
    fn a_quote_that_is_never_closed_loses_no_text() {
        check("it's me", &["its me"]);
        check("end\\", &["end\\"]);
    }
}
