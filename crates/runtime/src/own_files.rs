//! Relative paths in the commands of a skill. A path such as `scripts/guard.sh` means the file of the skill where the
//! skill has one, so that a file of the project does not take the place of a guard or a program.
//!
//! A bare name such as `package.json` means the file of the project: commands start there to read it.

#[cfg(test)]
mod tests;

use skillful_shell::slots::{self, SLOT, SlotContext};
use std::{borrow::Cow, ops::Range, path::Path};

/// A path of the skill stands where its folder cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{path}` stands where the folder of the skill cannot be written, and could mean a file of the project; write \
     `${{CLAUDE_SKILL_DIR}}/{path}` in quotes"
)]
pub(crate) struct UnclearPath {
    path: String,
}

/// A path of the skill in a command.
struct OwnPath {
    range: Range<usize>,
    path: String,
}

/// The command with whole paths for the files of the skill. `is_own` answers whether the skill has a file.
pub(crate) fn with_whole_paths<'t>(
    command: &'t str,
    folder: &Path,
    is_own: impl Fn(&str) -> bool,
) -> Result<Cow<'t, str>, UnclearPath> {
    let found = own_paths(command, &is_own);
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
        if slot.and_then(|slot| slot.prefix.as_deref()).is_some_and(|prefix| !may_stand_before(prefix)) {
            continue;
        }
        let context = slot.map_or(SlotContext::Lost, |slot| slot.context);
        let whole = folder.join(&own.path).display().to_string();
        let written = written(&whole, context).ok_or_else(|| UnclearPath { path: own.path.clone() })?;
        text.push_str(&command[at..own.range.start]);
        text.push_str(&written);
        at = own.range.end;
    }
    text.push_str(&command[at..]);
    Ok(Cow::Owned(text))
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
fn own_paths(command: &str, is_own: &impl Fn(&str) -> bool) -> Vec<OwnPath> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = command[at..].chars().next() {
        match own_path_at(command, at, is_own) {
            Some(own) => {
                at = own.range.end;
                found.push(own);
            }
            None => at += first.len_utf8(),
        }
    }
    found
}

/// The path of the skill that starts at a byte: a whole quoted text, a word, or the plain characters.
fn own_path_at(command: &str, at: usize, is_own: &impl Fn(&str) -> bool) -> Option<OwnPath> {
    let (before, rest) = command.split_at(at);
    if !rest.starts_with(|c| is_plain(c) || c == '\\') || goes_on_with_word(before) {
        return None;
    }
    let quote = before.chars().next_back().filter(|c| matches!(c, '\'' | '"'));
    let quoted = quote.and_then(|quote| rest.find(quote)).unwrap_or(0);
    let plain = rest.find(|c: char| !is_plain(c)).unwrap_or(rest.len());
    [quoted, word(rest), plain].into_iter().find_map(|length| {
        let spelled = &rest[..length];
        let path = inside(&unescape(spelled))?;
        (spelled.contains('/') && is_own(&path)).then(|| OwnPath { range: at..at + length, path })
    })
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
