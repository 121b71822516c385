//! Why a download, an index or a registry failed.

use skillful_format::Digest;
use skillful_net::NetError;

/// Why an address, an index or a registry gave no skill.
#[derive(Debug, thiserror::Error)]
pub enum WebError {
    /// The address did not answer as it should.
    #[error("`{address}`: {error}")]
    Net {
        /// What was asked for.
        address: String,
        /// Why.
        error: NetError,
    },
    /// A team server does not know the token, or got none.
    #[error(
        "`{0}` asks for a sign-in: the token is missing, has expired or was revoked; sign in with `skillful login`"
    )]
    SignIn(String),
    /// Plain http that is not allowed.
    #[error(
        "`{0}` is plain http, which is for this machine only, and only with `loopback = true` in sources.toml beside \
         the configuration"
    )]
    Plain(String),
    /// A host that the user did not allow.
    #[error(
        "`{address}` leads to another host, `{host}`; if you trust it, add it to `hosts` in sources.toml beside the \
         configuration"
    )]
    Elsewhere {
        /// What was asked for.
        address: String,
        /// Where it leads.
        host: String,
    },
    /// The whole fetch took too long.
    #[error("the fetch took longer than {0} seconds and was stopped; name one skill")]
    TooSlow(u64),
    /// An HTML page where a file was expected.
    #[error("`{address}` is a web page (`{kind}`), not a skill; check the address")]
    Page {
        /// What was asked for.
        address: String,
        /// Its content type.
        kind: String,
    },
    /// There is no index.
    #[error(
        "there is no index of skills at `{address}` (looked for {tried}); write git+https://… for a repository, or \
         the address of an archive"
    )]
    NoIndex {
        /// Where it was looked for.
        address: String,
        /// The files that are not there.
        tried: String,
    },
    /// It is there and not an index.
    #[error("`{address}` is not an index of skills: {why}")]
    NotAnIndex {
        /// The index.
        address: String,
        /// Why not.
        why: String,
    },
    /// The skill that was asked for is in the index and cannot be used.
    #[error("`{name}` of `{address}` cannot be used: {why}")]
    Entry {
        /// The skill.
        name: String,
        /// The index.
        address: String,
        /// Why not.
        why: String,
    },
    /// Not a single skill of an index can be used.
    #[error("`{address}` lists no skill that can be used: {why}")]
    Nothing {
        /// The index.
        address: String,
        /// The first reasons.
        why: String,
    },
    /// More skills than are fetched at once.
    #[error(
        "`{address}` lists {count} skills; name one of them with #@NAME (at most {limit} are fetched at once)"
    )]
    TooMany {
        /// The index.
        address: String,
        /// How many.
        count: usize,
        /// The bound.
        limit: usize,
    },
    /// The bytes are not those that were promised.
    #[error(
        "`{address}` is not what was promised: it should be {wanted} and is {got}; nothing of it was unpacked"
    )]
    Digest {
        /// What was downloaded.
        address: String,
        /// Of the index or the registry.
        wanted: Digest,
        /// Of the bytes.
        got: Digest,
    },
    /// The files are not those that were promised.
    #[error(
        "the files of {name} {version} are {got} and the registry lists {wanted}; report it to the owner of the registry"
    )]
    Tree {
        /// The skill.
        name: String,
        /// The version.
        version: String,
        /// Of the registry.
        wanted: Digest,
        /// Of the files.
        got: Digest,
    },
    /// No registry is configured, or none of that label.
    #[error("no registry{0} is configured; add one with `skillful source add LABEL ADDRESS --registry`")]
    NoRegistry(String),
    /// No registry has it.
    #[error("no registry has a skill `{name}` (asked: {asked})")]
    NotThere {
        /// The skill.
        name: String,
        /// The registries.
        asked: String,
    },
    /// More than one has it, and a guess would let one take the other's name.
    #[error("the registries {labels} all have a skill `{name}`; write registry:LABEL/{name}")]
    Ambiguous {
        /// The skill.
        name: String,
        /// The registries.
        labels: String,
    },
    /// There is no such version.
    #[error("{name} has no version {version}; available: {there}")]
    NoVersion {
        /// The skill.
        name: String,
        /// What was asked for.
        version: String,
        /// What there is.
        there: String,
    },
    /// It was withdrawn.
    #[error("{name} {version} was withdrawn: {why}; choose another version")]
    Yanked {
        /// The skill.
        name: String,
        /// The version.
        version: String,
        /// The reason that its owner gave.
        why: String,
    },
}
