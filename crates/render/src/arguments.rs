//! The arguments after a skill's name, as one text and as words.

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
        Self { text: text.to_owned(), words: words(text) }
    }

    /// Quotes words as one text; splitting that text gives the same words.
    pub fn text_of(words: &[String]) -> String {
        let plain = |c: char| c.is_alphanumeric() || "-_./:=@%+,".contains(c);
        let spelled = words.iter().map(|word| {
            if !word.is_empty() && word.chars().all(plain) {
                word.clone()
            } else {
                format!("'{}'", word.replace('\'', "'\\''"))
            }
        });
        spelled.collect::<Vec<_>>().join(" ")
    }

    /// Whether there are no arguments.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }
}

fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some('\''), c) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (_, '\\') => match chars.peek() {
                // Between double quotes a backslash escapes only the characters that are special
                // there.
                Some(next) if quote.is_none() || matches!(next, '"' | '\\' | '$' | '`') => {
                    word.get_or_insert_default().extend(chars.next());
                }
                _ => word.get_or_insert_default().push('\\'),
            },
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
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
