//! Addresses: of files behind https, of git repositories, of forges. None holds a secret.

use super::error::{Part, SourceError, SourceFault};
use std::fmt;
use url::{Host, Url};

/// What git's own addresses end in.
pub(super) const GIT_ENDING: &str = ".git";

/// An `https` address without user, query or fragment; plain `http` only to this machine.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address(String);

impl Address {
    pub(super) fn new(text: &str) -> Result<Self, SourceError> {
        let url = checked(text)?;
        if !is_web(&url) {
            return Err(SourceError::new(Part::Scheme, url.scheme(), SourceFault::Scheme));
        }
        Ok(Self(url.into()))
    }

    /// As text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The address of a git repository, in the form that git takes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Remote(String);

impl Remote {
    /// `https://…`, `ssh://…`, `file:///…`.
    pub(super) fn from_url(text: &str) -> Result<Self, SourceError> {
        let url = checked(text)?;
        match url.scheme() {
            "ssh" | "file" => {}
            _ if is_web(&url) => {}
            scheme => return Err(SourceError::new(Part::Scheme, scheme, SourceFault::Scheme)),
        }
        if url.scheme() == "file" && url.host().is_some() {
            return Err(SourceError::new(Part::Address, text, SourceFault::Host));
        }
        if matches!(url.path(), "" | "/") {
            return Err(SourceError::new(Part::Repository, "", SourceFault::Empty));
        }
        if url.path().starts_with("/-") {
            return Err(SourceError::new(Part::Repository, "", SourceFault::OptionLike));
        }
        Ok(Self(url.into()))
    }

    /// `user@host:path`, as ssh is often written.
    pub(super) fn from_scp(user: &str, host: &str, path: &str) -> Result<Self, SourceError> {
        let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        for (part, text) in [(Part::Owner, user), (Part::Address, host), (Part::Repository, path)] {
            super::parts::plain(part, text, super::SOURCE_LIMIT)?;
        }
        if !user.chars().all(word) {
            return Err(SourceError::new(Part::Address, user, SourceFault::Credentials));
        }
        if !host.chars().all(word) {
            return Err(SourceError::new(Part::Address, host, SourceFault::Host));
        }
        // A second colon, a quote or a backslash would mean something to a shell at the other end.
        if !path.chars().all(|c| word(c) || matches!(c, '/' | '~' | '+')) {
            return Err(SourceError::new(Part::Repository, path, SourceFault::Character));
        }
        Ok(Self(format!("{user}@{host}:{path}")))
    }

    /// The address as git takes it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it lies on this disk.
    pub fn is_file(&self) -> bool {
        self.0.starts_with("file:")
    }

    /// The one protocol that git may speak for it.
    pub fn protocol(&self) -> &'static str {
        match self.0.split_once("://") {
            Some(("https", _)) => "https",
            Some(("http", _)) => "http",
            Some(("file", _)) => "file",
            _ => "ssh",
        }
    }
}

impl fmt::Display for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Otherwise it would be read as the address of an index.
        if self.protocol().starts_with("http") && !self.0.ends_with(GIT_ENDING) {
            f.write_str("git+")?;
        }
        f.write_str(&self.0)
    }
}

fn checked(text: &str) -> Result<Url, SourceError> {
    let refuse = |why| Err(SourceError::new(Part::Address, text, why));
    let Ok(url) = Url::parse(text) else { return refuse(SourceFault::NotAnAddress) };
    if url.password().is_some() || (!url.username().is_empty() && url.scheme() != "ssh") {
        return refuse(SourceFault::Credentials);
    }
    if url.username().starts_with('-') || url.username().contains('%') {
        return refuse(SourceFault::OptionLike);
    }
    if url.query().is_some() {
        return refuse(SourceFault::Query);
    }
    match url.host_str() {
        Some(host) if host.starts_with('-') || host.contains('%') => return refuse(SourceFault::Host),
        None | Some("") if url.scheme() != "file" => return refuse(SourceFault::Host),
        _ => {}
    }
    Ok(url)
}

fn is_web(url: &Url) -> bool {
    match url.scheme() {
        "https" => true,
        // Tests and tools on this machine, without a network.
        "http" => match url.host() {
            Some(Host::Domain(name)) => name == "localhost",
            Some(Host::Ipv4(ip)) => ip.is_loopback(),
            Some(Host::Ipv6(ip)) => ip.is_loopback(),
            None => false,
        },
        _ => false,
    }
}

/// A place that hosts repositories and is known by a short prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Forge {
    /// `github:`, and no prefix at all.
    GitHub,
    /// `gitlab:`; groups may nest.
    GitLab,
    /// `codeberg:`
    Codeberg,
    /// `bitbucket:`
    Bitbucket,
}

impl Forge {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::GitHub, Self::GitLab, Self::Codeberg, Self::Bitbucket];

    /// What is written before the colon.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::GitHub => "github",
            Self::GitLab => "gitlab",
            Self::Codeberg => "codeberg",
            Self::Bitbucket => "bitbucket",
        }
    }

    /// The machine.
    pub fn host(self) -> &'static str {
        match self {
            Self::GitHub => "github.com",
            Self::GitLab => "gitlab.com",
            Self::Codeberg => "codeberg.org",
            Self::Bitbucket => "bitbucket.org",
        }
    }

    /// What stands between a repository and a ref in the address of a page.
    pub(super) fn page_marks(self) -> &'static [&'static str] {
        match self {
            Self::GitHub => &["tree", "blob"],
            Self::GitLab => &["-/tree", "-/blob"],
            Self::Codeberg => &["src/branch", "src/tag", "src/commit"],
            Self::Bitbucket => &["src"],
        }
    }
}
