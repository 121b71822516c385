//! How a message is put: does it ask for work, ask a question, or just tell something?

use super::text::prefix;

/// The form of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Form {
    /// Asks for something to be done: "can you", "I need", "how do I", "帮我".
    pub(crate) request: bool,
    /// Starts like a question: "what", "is", "did".
    pub(crate) question: bool,
    /// Tells about the writer: "I was", "my boss".
    pub(crate) statement: bool,
    /// Speaks to or about the assistant: "are you", "do you think".
    pub(crate) chat: bool,
}

const REQUESTS: [&str; 34] = [
    "can you ",
    "could you ",
    "would you ",
    "will you ",
    "please",
    "help me",
    "i need",
    "we need",
    "i want",
    "we want",
    "i'd like",
    "how do i",
    "how do we",
    "how to ",
    "how can i",
    "how can we",
    "how should",
    "what should",
    "should i ",
    "should we ",
    "let's ",
    "show me",
    "walk me",
    "give me",
    "make me",
    "帮我",
    "帮忙",
    "请",
    "幫",
    "ください",
    "して",
    "해줘",
    "помоги",
    "нужно",
];
const QUESTIONS: [&str; 26] = [
    "what", "what's", "who", "who's", "whom", "when", "where", "why", "which", "is", "are", "was", "were",
    "do", "does", "did", "have", "has", "will", "would", "can", "could", "should", "how", "how's", "isn't",
];
const TELLERS: [&str; 18] = [
    "i", "i'm", "i've", "i'd", "my", "we", "our", "he", "she", "they", "it", "it's", "that", "that's", "the",
    "this", "you", "you're",
];
const CHAT: [&str; 22] = [
    "are you",
    "do you",
    "did you",
    "have you",
    "were you",
    "you think",
    "your opinion",
    "your favorite",
    "your favourite",
    "thank",
    "thanks",
    "good morning",
    "good night",
    "hello",
    "how's it",
    "you know",
    "tell me a",
    "sing ",
    "joke",
    "i feel",
    "i felt",
    "no need",
];

impl Form {
    pub(crate) fn of(message: &str) -> Self {
        let lower = prefix(message.trim(), 600).to_lowercase().replace('’', "'");
        let first = lower.split(|c: char| !c.is_alphanumeric() && c != '\'').find(|word| !word.is_empty());
        let request = REQUESTS.iter().any(|phrase| lower.contains(phrase));
        let starts = |words: &[&str]| first.is_some_and(|first| words.contains(&first));
        Self {
            request,
            question: !request && starts(&QUESTIONS),
            statement: !request && starts(&TELLERS),
            chat: CHAT.iter().any(|phrase| lower.contains(phrase)),
        }
    }
}
