//! Where a skill comes from: one type, one grammar, for commands, the lock and whatever else names a source.
//!
//! | written | means |
//! |---|---|
//! | `./x`, `../x`, `/x`, `~/x`, `.`, `..` | a folder, a `SKILL.md` or an archive on this disk; taken whole, so it may hold `#` and `@` |
//! | `https://host/x.zip` (`.skill`, `.tar.gz`, `.tgz`) | an archive behind an address |
//! | `https://host/x.git`, `ssh://…`, `user@host:path`, `file:///x` | a git repository |
//! | `git+https://host/x` | a git repository whose address does not end in `.git` |
//! | `owner/repo`, `github:owner/repo`, `gitlab:group/sub/repo` … | a repository of a forge ([`Forge`]); without a prefix, GitHub |
//! | `https://github.com/owner/repo/tree/REF/FOLDER` and the like | the same, as a browser shows it |
//! | `https://host[/path]` | a well-known index of skills below that address |
//! | `registry:name[@version]` | a skill of a configured registry |
//! | `starter:name`, `starter:` | a starter skill, which this program brings along; all of them |
//!
//! What follows selects a part, and is the same for repositories of every kind:
//!
//! ```text
//! PLACE#REF:FOLDER@SKILL     each of the three may be missing: `#main`, `#:tools/pdf`, `#@pdf`
//! owner/repo/FOLDER@SKILL#REF, owner/repo/FOLDER:SKILL     are accepted for forges and mean the same
//! ```
//!
//! `@` always names a skill and `#` a ref. A ref that holds `@`, `:`, `#` or `%` writes it as `%40`, `%3A`, `%23` or
//! `%25`. What cannot be meant is refused by an error that names the part. No address with a
//! password, a token or a query is accepted, since a source is kept in a file and shown; and no
//! error repeats an address.

mod address;
mod error;
mod parse;
mod parts;
#[cfg(test)]
mod tests;

pub use address::{Address, Forge, Remote};
pub use error::{Part, SourceError, SourceFault};
pub(crate) use parts::is_unseen;
pub use parts::{Ref, SkillName};

use skillful_format::TreePath;
use std::{fmt, str::FromStr};

/// Bytes of a source, at most.
pub const SOURCE_LIMIT: usize = 4096;

/// Where a skill, or several, come from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Source {
    /// What is fetched.
    pub place: SourceLocation,
    /// Which state of a repository; none is the one its owner offers first.
    pub reference: Option<Ref>,
    /// The folder that is looked in; none is all of it.
    pub folder: Option<TreePath>,
    /// The one skill that is meant; none is all of them.
    pub skill: Option<SkillName>,
}

/// The thing that is fetched.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SourceLocation {
    /// A folder or file of this disk, as written.
    Path(String),
    /// An archive behind an address.
    Archive(Address),
    /// A git repository.
    Git(Remote),
    /// A repository of a known forge.
    Forge {
        /// Which one.
        forge: Forge,
        /// The owner, or the groups above the repository with slashes between.
        owner: String,
        /// The repository.
        repository: String,
    },
    /// A well-known index.
    WellKnown(Address),
    /// A skill of a configured registry.
    Registry {
        /// Its name there.
        name: String,
        /// The version; none is the newest.
        version: Option<String>,
    },
    /// The starter skills, which this program brings along.
    Starter,
}

impl Source {
    /// The whole of a place.
    pub fn of(place: SourceLocation) -> Self {
        Self { place, reference: None, folder: None, skill: None }
    }

    /// Whether it comes from another machine, so that it is pending until the user reviews it.
    pub fn is_remote(&self) -> bool {
        match &self.place {
            SourceLocation::Path(_) | SourceLocation::Starter => false,
            SourceLocation::Git(remote) => !remote.is_file(),
            SourceLocation::Archive(_)
            | SourceLocation::Forge { .. }
            | SourceLocation::WellKnown(_)
            | SourceLocation::Registry { .. } => true,
        }
    }

    /// The address that git is given, when the place is a repository.
    pub fn git_address(&self) -> Option<String> {
        match &self.place {
            SourceLocation::Git(remote) => Some(remote.as_str().to_owned()),
            SourceLocation::Forge { forge, owner, repository } => {
                Some(format!("https://{}/{owner}/{repository}.git", forge.host()))
            }
            _ => None,
        }
    }
}

impl FromStr for Source {
    type Err = SourceError;

    fn from_str(text: &str) -> Result<Self, SourceError> {
        parse::source(text)
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            SourceLocation::Path(path) => f.write_str(path)?,
            SourceLocation::Archive(address) | SourceLocation::WellKnown(address) => {
                f.write_str(address.as_str())?;
            }
            SourceLocation::Starter => {
                return write!(f, "starter:{}", self.skill.as_ref().map_or("", SkillName::as_str));
            }
            SourceLocation::Git(remote) => write!(f, "{remote}")?,
            SourceLocation::Forge { forge, owner, repository } => {
                write!(f, "{}:{owner}/{repository}", forge.prefix())?;
            }
            SourceLocation::Registry { name, version } => {
                write!(f, "registry:{name}")?;
                if let Some(version) = version {
                    write!(f, "@{version}")?;
                }
            }
        }
        if self.reference.is_none() && self.folder.is_none() && self.skill.is_none() {
            return Ok(());
        }
        f.write_str("#")?;
        if let Some(reference) = &self.reference {
            f.write_str(&parts::escaped(reference.as_str()))?;
        }
        if let Some(folder) = &self.folder {
            write!(f, ":{}", parts::escaped(folder.as_str()))?;
        }
        if let Some(skill) = &self.skill {
            write!(f, "@{skill}")?;
        }
        Ok(())
    }
}
