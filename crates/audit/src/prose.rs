//! Judges what sentences ask for: words are mapped to classes, and rules are shapes of classes.

mod frames;
mod harms;
mod intents;
pub(crate) mod kept_hidden;
mod lexicon;
mod shapes;
mod signs;
pub(crate) mod unbound;

pub(crate) use harms::is_foreign_mail;
pub(crate) use lexicon::{DETECT, classes};
pub(crate) use signs::signs;

use crate::{limits, purpose::Purpose, report::Severity, rule::Rule};
use shapes::{SHAPES, Shape};
use std::ops::Range;

/// A word and its classes.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) class: u128,
    pub(crate) range: Range<usize>,
    /// Whether a comma or similar mark precedes the word.
    pub(crate) apart: bool,
    /// Whether the word is between quotes or backticks.
    pub(crate) quoted: bool,
}

/// A shape that was found in a text.
#[derive(Clone, Debug)]
pub(crate) struct ShapeMatch {
    pub(crate) rule: Rule,
    pub(crate) severity: Severity,
    pub(crate) range: Range<usize>,
}

/// What a text is to its reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Voice {
    /// It gives instructions.
    Instructs,
    /// It says of itself that it shows or describes something, which its author can write above anything.
    Shows,
    /// A comment of code that does not address an agent.
    Remarks,
}

impl Voice {
    pub(crate) fn of(shows: bool) -> Self {
        if shows { Self::Shows } else { Self::Instructs }
    }

    fn weigh(self, severity: Severity) -> Severity {
        match self {
            Self::Instructs => severity,
            Self::Shows => severity.shown(),
            Self::Remarks => severity.lower(),
        }
    }
}

/// Looks for every shape in a paragraph.
pub(crate) fn look(text: &str, voice: Voice, purpose: &Purpose) -> Vec<ShapeMatch> {
    let sentences = sentences(text, purpose);
    let mut all = 0;
    for token in sentences.iter().flatten() {
        all |= token.class;
    }
    let mut found: Vec<ShapeMatch> = Vec::new();
    let voice = if voice == Voice::Instructs { Voice::of(all & lexicon::DETECT != 0) } else { voice };
    let asked = harms::look(text, purpose).into_iter().chain(frames::look(text, purpose));
    for (rule, severity, range) in asked.chain(intents::look(text, purpose)) {
        // A behaviour that the user enables.
        let enabled = all & (lexicon::OPTIN | lexicon::CONCEAL | lexicon::WHOLE) == lexicon::OPTIN;
        let chosen = rule == Rule::AskSend && enabled;
        let severity = if chosen { severity.lower() } else { voice.weigh(severity) };
        found.push(ShapeMatch { rule, severity, range });
    }
    for (severity, range) in signs::look(text, purpose) {
        let severity = voice.weigh(severity);
        found.push(ShapeMatch { rule: Rule::AgainstUser, severity, range });
    }
    if all & lexicon::ACTING == 0 {
        return found;
    }
    if sentences.iter().any(|sentence| is_concealed(sentence)) {
        all |= lexicon::CONCEALED;
    }
    let unasked =
        |sentence: &Vec<Token>| shapes::UNASKING.iter().any(|steps| follow(sentence, steps).is_some());
    // "Required" counts only where the sentence says that a confirmation is not.
    if !sentences.iter().any(unasked) {
        all &= !lexicon::NEEDLESS;
    }
    for sentence in &sentences {
        let classes: u128 = sentence.iter().fold(0, |classes, token| classes | token.class);
        for shape in SHAPES {
            if shape.steps.iter().any(|(class, _)| classes & class == 0)
                || shape.with.iter().any(|class| all & class == 0)
            {
                continue;
            }
            let Some((first, last)) = matched(sentence, shape) else { continue };
            let start = &sentence[first];
            let before = &sentence[first.saturating_sub(5)..first];
            let negated = before.iter().any(|token| token.class & lexicon::NEG != 0);
            // "To avoid confusion, delete …" asks for the deletion.
            let reason = start.apart && sentence[0].class & lexicon::TO != 0;
            if negated && !reason {
                continue;
            }
            let supposed = sentence[..first].iter().any(|token| token.class & lexicon::IF != 0)
                && classes & lexicon::SAY != 0;
            // A behaviour that the user enables is not concealed.
            let chosen =
                shape.rule == Rule::AskSend && all & (lexicon::OPTIN | lexicon::CONCEALED) == lexicon::OPTIN;
            // A key in a header, for a service that the skill has a reason to reach.
            let own =
                shape.rule == Rule::AskSend && all & lexicon::CONCEALED == 0 && is_own_header(text, purpose);
            let named = start.quoted || supposed || chosen || own;
            let severity = if named { shape.severity.lower() } else { voice.weigh(shape.severity) };
            let range = start.range.start..sentence[last].range.end;
            if !found.iter().any(|matched| matched.rule == shape.rule && matched.severity >= severity) {
                found.push(ShapeMatch { rule: shape.rule, severity, range });
            }
        }
    }
    found
}

/// Whether a text puts a key into a header of requests, and names only hosts that the skill has a reason to reach.
fn is_own_header(text: &str, purpose: &Purpose) -> bool {
    let found = crate::hosts::addresses(text);
    let lower = text.to_ascii_lowercase();
    (lower.contains("authorization header") || lower.contains("bearer"))
        && !found.is_empty()
        && found.iter().all(|address| !address.kind.is_suspicious() && purpose.knows(&address.host))
}

/// Whether a sentence asks to conceal something.
fn is_concealed(sentence: &[Token]) -> bool {
    sentence.iter().any(|token| token.class & lexicon::CONCEAL != 0)
        || shapes::HIDING.iter().any(|steps| follow(sentence, steps).is_some())
}

fn matched(sentence: &[Token], shape: &Shape) -> Option<(usize, usize)> {
    follow(sentence, shape.steps)
}

/// The first position where the steps follow one another, each within its distance.
fn follow(sentence: &[Token], steps: &[(u128, usize)]) -> Option<(usize, usize)> {
    let (first, rest) = steps.split_first()?;
    'start: for (start, token) in sentence.iter().enumerate() {
        if token.class & first.0 == 0 {
            continue;
        }
        let mut at = start;
        for (class, gap) in rest {
            // Words that belong close together are not separated by a comma.
            let mut window = sentence
                .iter()
                .enumerate()
                .skip(at + 1)
                .take(gap + 1)
                .take_while(|(_, token)| *gap > 2 || !token.apart);
            match window.find(|(_, token)| token.class & class != 0) {
                Some((next, _)) => at = next,
                None => continue 'start,
            }
        }
        // "Do not tell the user to …" is about the content of an answer, not about concealment.
        let advises = first.0 == lexicon::NEG
            && sentence.get(at + 1).is_some_and(|token| token.class & lexicon::TO != 0);
        if advises {
            continue;
        }
        return Some((start, at));
    }
    None
}

/// The words of a text, by sentence.
pub(crate) fn sentences(text: &str, purpose: &Purpose) -> Vec<Vec<Token>> {
    let mut sentences = Vec::new();
    let mut sentence = Vec::new();
    let (mut code, mut quote, mut apart) = (false, false, false);
    let mut start = None;
    let ends = |c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '(' | ')'
                    | '['
                    | ']'
                    | '<'
                    | '>'
                    | '"'
                    | '`'
                    | ','
                    | ';'
                    | '|'
                    | '*'
                    | '“'
                    | '”'
                    | '—'
                    | '，'
                    | '。'
                    | '、'
                    | '；'
                    | '（'
                    | '）'
                    | '：'
            )
    };
    for (at, c) in text.char_indices().chain([(text.len(), '\n')]) {
        if !ends(c) {
            start.get_or_insert(at);
            continue;
        }
        if let Some(from) = start.take() {
            let raw = &text[from..at];
            let glued = text[..from].chars().next_back();
            // After a link the full stop is a separate word.
            let full_stop = raw.ends_with(['.', '!', '?']) && (raw.len() > 1 || glued == Some(')'));
            let word = raw
                .trim_matches(|c: char| matches!(c, '.' | ':' | '!' | '?' | '\'' | '_' | '#'))
                .trim_start_matches('-');
            // A leading dot belongs to a file name.
            let word = if raw.starts_with('.') && raw.len() > 2 {
                raw.trim_end_matches(['.', ':', '!', '?', '\''])
            } else {
                word
            };
            if raw.starts_with('\'') {
                quote = true;
            }
            if lexicon::is_run(word) {
                let mut before = from;
                for (end, class) in lexicon::runs(raw).into_iter().take(limits::SENTENCE_WORDS) {
                    if sentence.len() < limits::SENTENCE_WORDS {
                        let apart = std::mem::take(&mut apart);
                        sentence.push(Token {
                            class,
                            range: before..from + end,
                            apart,
                            quoted: code || quote,
                        });
                    }
                    before = from + end;
                }
            } else if raw == "/" && glued == Some('>') {
                // The end of `folder/<name>/`, not the root folder.
            } else if !word.is_empty() && sentence.len() < limits::SENTENCE_WORDS {
                sentence.push(Token {
                    class: classes(word, purpose),
                    range: from..at,
                    apart: std::mem::take(&mut apart),
                    quoted: code || quote,
                });
            }
            if raw.trim_end_matches(['.', ',', '!', '?']).ends_with('\'') && raw.len() > 1 {
                quote = false;
            }
            if full_stop && c.is_whitespace() && !code {
                sentences.push(std::mem::take(&mut sentence));
                quote = false;
            }
        }
        match c {
            '`' => code = !code,
            '"' => quote = !quote,
            '“' => quote = true,
            '”' => quote = false,
            ',' | ';' | '—' | '(' | ')' | '，' | '；' => apart = true,
            '。' => sentences.push(std::mem::take(&mut sentence)),
            _ => {}
        }
    }
    if !sentence.is_empty() {
        sentences.push(sentence);
    }
    sentences
}

/// Whether a text describes attacks rather than performing one.
pub(crate) fn is_about_attacks(text: &str) -> bool {
    sentences(text, &Purpose::default()).iter().flatten().any(|token| token.class & DETECT != 0)
}

/// Whether a text asks to run what follows.
pub(crate) fn asks_to_run(text: &str) -> bool {
    const ASKS: [&str; 15] = [
        "call", "runs", "running", "run", "execute", "paste", "type", "install", "use", "start", "launch",
        "with", "via", "enter", "command",
    ];
    text.split(|c: char| !c.is_alphanumeric())
        .any(|word| ASKS.iter().any(|asks| word.eq_ignore_ascii_case(asks)))
}
