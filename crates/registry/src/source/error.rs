//! What is wrong with a source, and in which part of it.

use std::fmt;

/// Characters of a refused part that an error repeats.
const SHOWN: usize = 60;

/// A text that is not a source: the part, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceError {
    /// The part that is wrong.
    pub part: Part,
    /// The part as written, made harmless and short; never of an address, which may hold a secret.
    pub text: Option<String>,
    /// What is wrong with it.
    pub why: SourceFault,
}

impl SourceError {
    pub(super) fn new(part: Part, text: &str, why: SourceFault) -> Self {
        let text = (!part.may_hold_a_secret())
            .then(|| text.chars().take(SHOWN).flat_map(char::escape_debug).collect());
        Self { part, text, why }
    }
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the {}", self.part)?;
        if let Some(text) = self.text.as_ref().filter(|text| !text.is_empty()) {
            write!(f, " `{text}`")?;
        }
        write!(f, " {}", self.why)
    }
}

impl std::error::Error for SourceError {}

/// A part of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Part {
    /// All of it.
    #[error("source")]
    Whole,
    /// What stands before `://` or `:`.
    #[error("scheme")]
    Scheme,
    /// The address.
    #[error("address")]
    Address,
    /// The path on this disk.
    #[error("path")]
    Path,
    /// The owner on a forge.
    #[error("owner")]
    Owner,
    /// The repository on a forge.
    #[error("repository")]
    Repository,
    /// The folder in a repository.
    #[error("folder")]
    Folder,
    /// The branch, tag or commit.
    #[error("ref")]
    Ref,
    /// The skill.
    #[error("skill")]
    Skill,
    /// The name in a registry.
    #[error("registry name")]
    Name,
    /// The version in a registry.
    #[error("version")]
    Version,
}

impl Part {
    fn may_hold_a_secret(self) -> bool {
        matches!(self, Self::Whole | Self::Address)
    }
}

/// What is wrong with a part.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SourceFault {
    /// Nothing there.
    #[error("is empty")]
    Empty,
    /// Too many bytes.
    #[error("is longer than {0} bytes")]
    TooLong(usize),
    /// Control or invisible characters.
    #[error("holds a control or invisible character")]
    Control,
    /// A program would take it for an option.
    #[error("begins with `-`, so a program would take it for an option")]
    OptionLike,
    /// A user name or password.
    #[error("holds a user name or a password; leave it out, since a source is stored and shown")]
    Credentials,
    /// `?…`
    #[error(
        "holds a query (`?…`), which may be a secret and would be stored; download the file and name its path"
    )]
    Query,
    /// `http://` to another machine, `git://`, `ext::` …
    #[error("is not one that is allowed; use https, ssh, file, or git+https for a repository")]
    Scheme,
    /// Not the form of an address.
    #[error("cannot be read as an address")]
    NotAnAddress,
    /// A host that cannot be one.
    #[error("has no usable host name")]
    Host,
    /// A character that the part cannot have.
    #[error("holds a character that it cannot have")]
    Character,
    /// A name that git refuses, or that means something else to it.
    #[error("cannot be the name of a branch, tag or commit")]
    NotARef,
    /// Looks like a ref behind an `@`.
    #[error("cannot be a skill's name; a branch, tag or commit follows `#`, as in `owner/repo#v1.2`")]
    RefAsSkill,
    /// A path that leaves its folder, and the like.
    #[error("{0}")]
    Folder(#[from] skillful_format::tree::PathFault),
    /// The place has no such part.
    #[error("cannot be given for this kind of source")]
    NotHere,
    /// Given twice.
    #[error("is given twice")]
    Twice,
    /// `%zz`
    #[error("holds a `%` that is not followed by two hex digits of a readable character")]
    Escape,
    /// A single word.
    #[error(
        "is a single word; write `./word` for a path, `owner/repo` for a repository or `registry:word` for a registry"
    )]
    SingleWord,
}
