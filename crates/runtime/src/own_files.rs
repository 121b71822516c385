//! Relative paths in the commands of a skill. A path such as `scripts/guard.sh` means the file of the skill where the
//! skill has one, so that a file of the project does not take the place of a guard or a program. The same holds for a
//! folder of the skill in `scripts/*.sh` and in `cd scripts`.
//!
//! A bare name such as `package.json` means the file of the project: commands start there to read it.

#[cfg(test)]
mod tests;

use skillful_shell::slots::{self, SLOT, Slot, SlotContext};
use std::{borrow::Cow, ops::Range, path::Path};

/// A path of the skill stands where its folder cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{path}` stands where the folder of the skill cannot be written, and could mean a file of the project; put the \
     command into a script of the skill, or give its folder a name of plain letters"
)]
pub(crate) struct UnclearPath {
    path: String,
}

/// A path of the skill in a command.
struct OwnPath {
    range: Range<usize>,
    path: String,
    spelling: Spelling,
}

/// How a command spells a path of the skill.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spelling {
    /// In one piece: `scripts/x.sh`.
    Whole,
    /// In pieces that the shell joins: `"scripts"/x.sh`.
    Pieces,
    /// The bare name of a folder, which is one of the skill only where a command goes into it: `cd scripts`.
    FolderName,
}

/// What a path is to the skill.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Own {
    /// One of its files.
    File,
    /// One of its folders.
    Folder,
}

/// The command with whole paths for the files of the skill. `own` answers what the skill has at a path.
pub(crate) fn with_whole_paths<'t>(
    command: &'t str,
    folder: &Path,
    own: impl Fn(&str) -> Option<Own>,
) -> Result<Cow<'t, str>, UnclearPath> {
    let found = own_paths(command, &own);
    let Some(first) = found.first() else { return Ok(Cow::Borrowed(command)) };
    if command.contains(SLOT) {
        return Err(UnclearPath { path: first.path.clone() });
    }
    let mut masked = String::with_capacity(command.len());
    let mut at = 0;
    for own in &found {
        masked.push_str(&command[at..own.range.start]);
        masked.push(SLOT);
        at = own.range.end;
    }
    masked.push_str(&command[at..]);
    let slots = slots::slots(&masked);
    let mut text = String::with_capacity(command.len() + found.len() * folder.as_os_str().len());
    let mut at = 0;
    for (nth, own) in found.iter().enumerate() {
        let slot = slots.get(nth);
        if own.spelling == Spelling::FolderName && !slot.is_some_and(goes_into) {
            continue;
        }
        if slot.and_then(|slot| slot.prefix.as_deref()).is_some_and(|prefix| !may_stand_before(prefix)) {
            continue;
        }
        let context = slot.map_or(SlotContext::Lost, |slot| slot.context);
        let whole = folder.join(&own.path).display().to_string();
        let is_joined = own.spelling != Spelling::Pieces || context == SlotContext::Bare;
        let written = is_joined.then_some(whole).and_then(|whole| written(&whole, context));
        let written = written.ok_or_else(|| UnclearPath { path: own.path.clone() })?;
        text.push_str(&command[at..own.range.start]);
        text.push_str(&written);
        at = own.range.end;
    }
    text.push_str(&command[at..]);
    Ok(Cow::Owned(text))
}

/// Whether a command goes into the folder that its next word names, also within a text for another shell.
fn goes_into(slot: &Slot) -> bool {
    let goes = |word: &str| matches!(word, "cd" | "pushd");
    let of_text = |text: &str| {
        text.rsplit([';', '&', '|', '(', '{', '\n'])
            .next()
            .and_then(|last| last.split_whitespace().next())
            .is_some_and(goes)
    };
    match slot.prefix.as_deref().filter(|prefix| !prefix.is_empty()) {
        None => slot.words.iter().find(|word| !slots::is_assignment(word)).is_some_and(|word| goes(word)),
        Some(prefix) => of_text(prefix),
    }
}

/// Whether a path may start behind the beginning of a word, as in `--file=`, and does not go on with it.
fn may_stand_before(prefix: &str) -> bool {
    prefix.chars().next_back().is_none_or(|c| c.is_whitespace() || "=:,;|&()[]{}<>@#'\"`".contains(c))
}

/// A path as the shell reads it in a context. None where it could be read as something else: a text in quotes may be a
/// program for another interpreter, for which a name of a folder must not become code.
fn written(path: &str, context: SlotContext) -> Option<String> {
    if path.chars().all(is_plain) {
        let quoted = context == SlotContext::Bare;
        return Some(if quoted { format!("'{path}'") } else { path.to_owned() });
    }
    let is_harmless = path.chars().all(|c| is_plain(c) || matches!(c, ' ' | ',' | ':' | '=' | '@' | '%'));
    match context {
        SlotContext::Bare if is_harmless => Some(format!("'{path}'")),
        SlotContext::Double if is_harmless => Some(path.to_owned()),
        _ => None,
    }
}

/// The paths of the skill in a command, from left to right.
fn own_paths(command: &str, own: &impl Fn(&str) -> Option<Own>) -> Vec<OwnPath> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = command[at..].chars().next() {
        match own_path_at(command, at, own) {
            Some(own) => {
                at = own.range.end;
                found.push(own);
            }
            None => at += first.len_utf8(),
        }
    }
    found
}

/// The path of the skill that starts at a byte: a word of several pieces, a whole quoted text, a word, the plain
/// characters, or the folder before a pattern.
fn own_path_at(command: &str, at: usize, own: &impl Fn(&str) -> Option<Own>) -> Option<OwnPath> {
    let (before, rest) = command.split_at(at);
    if !rest.starts_with(|c| is_plain(c) || matches!(c, '\\' | '\'' | '"')) || goes_on_with_word(before) {
        return None;
    }
    let pieces = in_pieces(rest).and_then(|(length, spelled)| {
        let path = inside(&spelled)?;
        (spelled.contains('/') && own(&path).is_some()).then_some((length, path, Spelling::Pieces))
    });
    let quote = before.chars().next_back().filter(|c| matches!(c, '\'' | '"'));
    let quoted = quote.and_then(|quote| rest.find(quote)).unwrap_or(0);
    let plain = rest.find(|c: char| !is_plain(c)).unwrap_or(rest.len());
    let whole = || {
        [quoted, word(rest), plain].into_iter().find_map(|length| {
            let spelled = &rest[..length];
            let path = inside(&unescape(spelled))?;
            let spelling = if spelled.contains('/') { Spelling::Whole } else { Spelling::FolderName };
            let is_own = match own(&path)? {
                Own::File => spelling == Spelling::Whole,
                Own::Folder => true,
            };
            // A pattern may follow the last slash.
            is_own.then(|| (spelled.trim_end_matches('/').len(), path, spelling))
        })
    };
    let before_pattern = || {
        let length = rest[..plain].rfind('/').filter(|_| rest[plain..].starts_with(['*', '?', '[', '{']))?;
        let path = inside(&rest[..length])?;
        (own(&path) == Some(Own::Folder)).then_some((length, path, Spelling::Whole))
    };
    let (length, path, spelling) = pieces.or_else(whole).or_else(before_pattern)?;
    Some(OwnPath { range: at..at + length, path, spelling })
}

/// The length and the text of a word that has quotes and is not a whole quoted text. None when the shell puts a value
/// into it.
fn in_pieces(text: &str) -> Option<(usize, String)> {
    let mut spelled = String::new();
    let mut quote = None;
    let mut pieces = 0;
    let mut chars = text.char_indices();
    let mut length = text.len();
    while let Some((at, c)) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                pieces += 1;
            }
            (Some('"') | None, '$' | '`') => return None,
            (Some('"') | None, '\\') => spelled.extend(chars.next().map(|(_, c)| c)),
            (None, c) if c.is_whitespace() || ";&|<>(){}".contains(c) => {
                length = at;
                break;
            }
            (_, c) => spelled.push(c),
        }
    }
    let word = &text[..length];
    let is_one_text = pieces == 1 && word.starts_with(['\'', '"']) && word.ends_with(['\'', '"']);
    (quote.is_none() && pieces > 0 && !is_one_text).then_some((length, spelled))
}

/// Whether the next character goes on with a word, or with a value that is put before it.
fn goes_on_with_word(before: &str) -> bool {
    // `${A:-b}` and `${A:+b}` start a word behind the operator.
    let default = before.ends_with(":-") || before.ends_with(":+");
    !default && before.ends_with(|c| is_plain(c) || matches!(c, '$' | '~' | '}' | '\\'))
}

/// The length of the word at the beginning: to a space, a quote, an operator or an expansion that is not escaped.
fn word(text: &str) -> usize {
    let mut escaped = false;
    let ends = |c: char| c.is_whitespace() || "'\"`$;&|<>(){}".contains(c);
    let end = text.char_indices().find(|(_, c)| {
        let skipped = escaped;
        escaped = !skipped && *c == '\\';
        !skipped && ends(*c)
    });
    end.map_or(text.len(), |(at, _)| at)
}

fn unescape(text: &str) -> String {
    let mut chars = text.chars();
    let mut plain = String::with_capacity(text.len());
    while let Some(c) = chars.next() {
        plain.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    plain
}

/// A relative path without `.` and `..`. None for one that leaves the folder.
fn inside(path: &str) -> Option<String> {
    if path.starts_with('/') || path.contains('\0') {
        return None;
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

/// Whether a character stands for itself wherever it is written in a command.
fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+')
}
