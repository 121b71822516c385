//! Mentions: the places in a message that name a skill. One parser for every form and every caller.
//!
//! One pass over the text finds what *looks like* a mention, with its position, so that a composer
//! can highlight it while the user types; [`resolve`] finds what each one means in a catalog. Code
//! spans and fences hold no mentions, and neither do things that only look like one: shell
//! variables, amounts of money, mail addresses, paths.

use std::ops::Range;

mod resolve;

pub use resolve::{MentionMeaning, ResolvedMention, resolve};

/// Slash commands that may be stacked at the head of a message.
pub const MOST_SLASHES: usize = 6;

/// How a skill is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MentionForm {
    /// `$name`
    Dollar,
    /// `[$name](path)`
    Link,
    /// `/name arguments`, at the head of the message
    Slash,
    /// `/skill:name arguments`, at the head of the message
    SkillSlash,
    /// `@name`
    At,
    /// `skill://name` or `skill://name/path`
    Url,
    /// Not in the text: a path that the agent gives beside it
    Given,
}

/// One place that names a skill.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Mention {
    /// How it is written.
    pub form: MentionForm,
    /// The name as written; qualified names keep their colon.
    pub name: String,
    /// The path of a link, or the file inside the skill that a URL means.
    pub path: Option<String>,
    /// Bytes of the mention.
    pub range: Range<usize>,
}

/// The mentions of a message and what remains of it as arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mentions {
    /// In the order of the text.
    pub list: Vec<Mention>,
    /// Bytes of the text behind the stacked slash commands; the whole text when there is none.
    pub arguments: Range<usize>,
}

/// Where the arguments of a skill are in a message that calls it by a slash command: everything behind the stacked
/// commands.
pub fn called(mentions: &[ResolvedMention], entry: usize, message: &str) -> Option<Range<usize>> {
    let is_slash = |form: MentionForm| matches!(form, MentionForm::Slash | MentionForm::SkillSlash);
    let mut all = mentions.iter();
    all.any(|one| one.meaning == MentionMeaning::Skill(entry) && is_slash(one.mention.form))
        .then(|| parse(message).arguments)
}

/// Finds every mention of a message, in one pass.
pub fn parse(text: &str) -> Mentions {
    let mut mentions = Mentions { list: Vec::new(), arguments: 0..text.len() };
    let rest = slashes(text, &mut mentions);
    let code = skillful_format::code_spans::ranges(text);
    let mut code = code.iter().peekable();
    let bytes = text.as_bytes();
    let mut closer = Closer::default();
    let mut at = rest;
    while let Some(found) = next_sign(bytes, at) {
        while code.peek().is_some_and(|range| range.end <= found) {
            code.next();
        }
        if let Some(range) = code.peek()
            && range.contains(&found)
        {
            at = range.end;
            continue;
        }
        let mention = match bytes[found] {
            b'$' => dollar(text, found),
            b'[' => link(text, found, &mut closer),
            b'@' => at_sign(text, found),
            _ => url(text, found),
        };
        at = match mention {
            Some(mention) => {
                let end = mention.range.end;
                mentions.list.push(mention);
                end
            }
            None => found + 1,
        };
    }
    mentions
}

/// The next byte that may start a mention.
fn next_sign(bytes: &[u8], from: usize) -> Option<usize> {
    bytes[from..].iter().position(|byte| matches!(byte, b'$' | b'[' | b'@' | b's')).map(|at| from + at)
}

/// Stacked slash commands at the head; returns where the rest of the text starts.
fn slashes(text: &str, mentions: &mut Mentions) -> usize {
    let mut at = text.len() - text.trim_start().len();
    for _ in 0..MOST_SLASHES {
        let Some(after) = text[at..].strip_prefix('/') else { break };
        let length = after.find(char::is_whitespace).unwrap_or(after.len());
        let word = &after[..length];
        let (form, name) = match word.strip_prefix("skill:") {
            Some(name) => (MentionForm::SkillSlash, name),
            None => (MentionForm::Slash, word),
        };
        // `/usr/bin` is a path; `/apps/web:deploy` is a qualified name.
        let path_like = name.contains('/') && !name.contains(':');
        if name.is_empty() || path_like || !name.chars().all(|c| is_name(c) || matches!(c, '/' | '.')) {
            break;
        }
        let end = at + 1 + length;
        mentions.list.push(Mention { form, name: name.to_owned(), path: None, range: at..end });
        at = end + (text[end..].len() - text[end..].trim_start().len());
        mentions.arguments = at..text.len();
    }
    if mentions.list.is_empty() { 0 } else { at }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | ':')
}

/// The name that starts at `from`: letters, digits, `_`, `-` and inner colons.
fn name_at(text: &str, from: usize) -> &str {
    let rest = &text[from..];
    let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
    rest[..end].trim_end_matches([':', '-'])
}

/// Whether a sign at `at` starts a word of its own: `US$5` and `a@b` do not.
fn starts_word(text: &str, at: usize) -> bool {
    text[..at].chars().next_back().is_none_or(|before| {
        !(before.is_alphanumeric() || matches!(before, '_' | '$' | '@' | '\\' | '/' | '.' | '-'))
    })
}

fn dollar(text: &str, at: usize) -> Option<Mention> {
    let name = name_at(text, at + 1);
    if !starts_word(text, at) || !can_be_skill(name) {
        return None;
    }
    Some(Mention {
        form: MentionForm::Dollar,
        name: name.to_owned(),
        path: None,
        range: at..at + 1 + name.len(),
    })
}

/// `$1`, `$HOME`, `$MY_VAR` and `$_` are for a shell.
fn can_be_skill(name: &str) -> bool {
    const VARIABLES: [&str; 11] =
        ["PATH", "HOME", "USER", "SHELL", "PWD", "TMPDIR", "TEMP", "TMP", "LANG", "TERM", "XDG_CONFIG_HOME"];
    let first_is_letter = name.chars().next().is_some_and(char::is_alphanumeric);
    let only_digits = name.bytes().all(|b| b.is_ascii_digit());
    let shouted = name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
    first_is_letter && !only_digits && !shouted && !VARIABLES.iter().any(|v| v.eq_ignore_ascii_case(name))
}

/// Where the parenthesis that is open now ends: on its own line or not at all. Remembers how far it
/// looked, so that a text of `[$a](` is read once.
#[derive(Default)]
struct Closer {
    found: Option<usize>,
}

impl Closer {
    fn next(&mut self, bytes: &[u8], from: usize) -> Option<usize> {
        let end = match self.found {
            Some(end) if end >= from => end,
            _ => {
                let end = bytes[from..].iter().position(|byte| matches!(byte, b')' | b'\n' | b'\r'));
                end.map_or(bytes.len(), |end| from + end)
            }
        };
        self.found = Some(end);
        (bytes.get(end) == Some(&b')')).then_some(end)
    }
}

/// `[$name](path)`, blanks allowed between the two and around the path.
fn link(text: &str, at: usize, closer: &mut Closer) -> Option<Mention> {
    let inside = text[at + 1..].strip_prefix('$')?;
    let name = name_at(text, at + 2);
    let after = inside[name.len()..].strip_prefix(']')?;
    if !can_be_skill(name) {
        return None;
    }
    let gap = after.len() - after.trim_start_matches([' ', '\t']).len();
    let target = after[gap..].strip_prefix('(')?;
    let start = text.len() - target.len();
    let close = closer.next(text.as_bytes(), start)?;
    let length = close - start;
    let path = target[..length].trim();
    let end = text.len() - after.len() + gap + 1 + length + 1;
    (!path.is_empty()).then(|| Mention {
        form: MentionForm::Link,
        name: name.to_owned(),
        path: Some(path.to_owned()),
        range: at..end,
    })
}

fn at_sign(text: &str, at: usize) -> Option<Mention> {
    let name = name_at(text, at + 1);
    let after = &text[at + 1 + name.len()..];
    // `@scope/package` and `@notes.md` name other things.
    let other =
        after.starts_with('/') || (after.starts_with('.') && after[1..].starts_with(char::is_alphanumeric));
    if name.is_empty() || !starts_word(text, at) || other {
        return None;
    }
    Some(Mention { form: MentionForm::At, name: name.to_owned(), path: None, range: at..at + 1 + name.len() })
}

fn url(text: &str, at: usize) -> Option<Mention> {
    let rest = text[at..].strip_prefix("skill://")?;
    if text[..at].chars().next_back().is_some_and(char::is_alphanumeric) {
        return None;
    }
    let end = rest
        .find(|c: char| {
            c.is_whitespace() || matches!(c, ')' | '>' | '"' | '\'' | ']' | '`' | ',' | '<' | '}')
        })
        .unwrap_or(rest.len());
    let body = rest[..end].trim_end_matches(['.', '!', '?', ';', ':']);
    let (name, path) = match body.split_once('/') {
        Some((name, path)) => (name, Some(path).filter(|path| !path.is_empty())),
        None => (body, None),
    };
    if name.is_empty() {
        return None;
    }
    let range = at..at + "skill://".len() + body.len();
    Some(Mention { form: MentionForm::Url, name: name.to_owned(), path: path.map(str::to_owned), range })
}

#[cfg(test)]
mod tests;
