//! Decides without reading Markdown whether a body can have a finding: a link to a file that is missing, or an argument
//! position. What these marks stand in, such as code, is not looked at, so that Markdown is sometimes read
//! in vain, and no finding is missed.

use super::positions;
use crate::outline::local_path;
use memchr::{memchr_iter, memmem};

/// Whether Markdown has to be read.
pub(super) fn may_find(body: &str, has_file: &dyn Fn(&str) -> bool) -> bool {
    let is_missing = |target: &str| local_path(target).is_some_and(|path| !has_file(&path));
    positions::may_have(body)
        || has_address(body.as_bytes())
        || targets(body).any(|target| match target {
            Target::Plain(target) => is_missing(target),
            Target::Unclear => true,
        })
}

/// The target of a link, an image or a definition of one.
enum Target<'a> {
    /// As written.
    Plain(&'a str),
    /// With escapes or brackets, or on another line.
    Unclear,
}

/// Every text that Markdown could read as a target.
fn targets(body: &str) -> impl Iterator<Item = Target<'_>> {
    let links = memmem::find_iter(body.as_bytes(), b"](").map(|at| {
        let rest = &body[at + 2..];
        match rest.as_bytes().first() {
            None => Target::Plain(""),
            Some(byte) if byte.is_ascii_whitespace() => Target::Unclear,
            Some(_) => {
                let word = first_word(rest);
                if word.contains('(') {
                    return Target::Unclear;
                }
                target(word.split(')').next().unwrap_or(word))
            }
        }
    });
    // The target of a definition may be on the next line, also of a quotation.
    let blanks = [' ', '\t', '\n', '\r', '>'];
    let definitions = memmem::find_iter(body.as_bytes(), b"]:")
        .map(move |at| target(first_word(body[at + 2..].trim_start_matches(blanks))));
    links.chain(definitions)
}

fn first_word(text: &str) -> &str {
    let end = text.bytes().position(|byte| byte <= b' ' || byte == 0x7f);
    end.map_or(text, |end| &text[..end])
}

fn target(word: &str) -> Target<'_> {
    let is_plain = !word.starts_with('<') && !word.bytes().any(|byte| matches!(byte, b'\\' | b'&'));
    if is_plain { Target::Plain(word) } else { Target::Unclear }
}

/// Whether a body may have a mail address in angle brackets, which is a link.
fn has_address(body: &[u8]) -> bool {
    memchr_iter(b'@', body).any(|at| {
        let before =
            body[..at].iter().rev().find(|byte| byte.is_ascii_whitespace() || matches!(byte, b'<' | b'>'));
        before == Some(&b'<')
    })
}
