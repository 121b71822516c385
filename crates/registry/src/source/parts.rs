//! The small parts of a source: refs, skills, and how they are escaped.

use super::error::{Part, SourceError, SourceFault};
use std::fmt;

/// Longer names than these are refused before any program sees them.
const REF_LIMIT: usize = 255;
const SKILL_LIMIT: usize = 128;
/// What would end a part too early.
const SPECIAL: [char; 4] = ['%', '#', ':', '@'];

/// A branch, tag or commit, in the form that git allows, and never like an option.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ref(String);

impl Ref {
    /// Reads one; the rules are those of `git check-ref-format`.
    pub fn new(text: &str) -> Result<Self, SourceError> {
        plain(Part::Ref, text, REF_LIMIT)?;
        let is_bad = |c: char| " ~^:?*[\\".contains(c);
        let ends = |part: &str| {
            part.is_empty()
                || part.starts_with('.')
                || part.ends_with('.')
                || std::path::Path::new(part).extension().is_some_and(|ending| ending == "lock")
        };
        if text == "@"
            || text.contains("..")
            || text.contains("@{")
            || text.contains(is_bad)
            || text.split('/').any(ends)
        {
            return Err(SourceError::new(Part::Ref, text, SourceFault::NotARef));
        }
        Ok(Self(text.to_owned()))
    }

    /// As text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is the full name of a commit, which cannot move.
    pub fn is_commit(&self) -> bool {
        matches!(self.0.len(), 40 | 64)
            && self.0.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'a'..=b'f'))
    }
}

impl fmt::Display for Ref {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The name of one skill among others: its frontmatter's name or its folder's. Letters, digits, `-` and `_`
/// of any script; no dot, so that `owner/repo@v1.2` is noticed to be a ref.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SkillName(String);

impl SkillName {
    /// Reads one.
    pub fn new(text: &str) -> Result<Self, SourceError> {
        plain(Part::Skill, text, SKILL_LIMIT)?;
        if text.contains(['.', '/']) || is_commit_like(text) {
            return Err(SourceError::new(Part::Skill, text, SourceFault::RefAsSkill));
        }
        if !text.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_') {
            return Err(SourceError::new(Part::Skill, text, SourceFault::Character));
        }
        Ok(Self(text.to_owned()))
    }

    /// As text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SkillName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_commit_like(text: &str) -> bool {
    text.len() == 40 && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// What holds for every part.
pub(super) fn plain(part: Part, text: &str, limit: usize) -> Result<(), SourceError> {
    let refuse = |why| Err(SourceError::new(part, text, why));
    if text.is_empty() {
        return refuse(SourceFault::Empty);
    }
    if text.len() > limit {
        return refuse(SourceFault::TooLong(limit));
    }
    if text.chars().any(is_unseen) {
        return refuse(SourceFault::Control);
    }
    if text.starts_with('-') {
        return refuse(SourceFault::OptionLike);
    }
    Ok(())
}

/// Characters that a user does not see, or that change the order of what they see.
pub(crate) fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// A part as it is written after `#`.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if SPECIAL.contains(&c) {
            out.push_str(&format!("%{:02X}", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    out
}

/// The part that was written. Only characters that need it may be escaped, so that a part has one spelling.
pub(super) fn unescaped(part: Part, text: &str) -> Result<String, SourceError> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        out.push_str(before);
        let meant = SPECIAL.into_iter().find_map(|c| {
            let code = format!("{:02X}", u32::from(c));
            let found = after.get(..2).filter(|found| found.eq_ignore_ascii_case(&code))?;
            Some((c, found.len()))
        });
        let Some((c, length)) = meant else {
            return Err(SourceError::new(part, text, SourceFault::Escape));
        };
        out.push(c);
        rest = &after[length..];
    }
    out.push_str(rest);
    Ok(out)
}
