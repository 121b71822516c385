//! Which skills the proxy serves, asked again at every request.

use super::protocol::Reason;
use skillful_format::Digest;
use std::ffi::OsString;

/// A skill whose programs may be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReachedSkill {
    /// Its address.
    pub address: String,
    /// The number by which its gate finds it again.
    pub id: usize,
    /// The files that its secrets are bound to; its programs are taken from these.
    pub bound: Option<Digest>,
}

/// A skill whose programs may not be run, with one explanation for the user and one for the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreachable {
    /// The true reason.
    pub reason: Reason,
    /// The true reason in words, for the user.
    pub detail: String,
    /// The reason that the model reads: a skill that it may not know of is unknown.
    pub model_reason: Reason,
    /// The same as a sentence.
    pub model_message: String,
}

/// Decides which skills' programs may be run.
pub trait Gate: Send + Sync {
    /// The skill that a word means, if its programs may be run.
    fn reach(&self, word: &str) -> Result<ReachedSkill, Unreachable>;

    /// The digest of the files that a skill has now.
    fn files(&self, skill: &ReachedSkill) -> Option<Digest>;

    /// The command line of a program of a skill. `program` names it and `words` are its arguments; without
    /// a name the words themselves say which program is meant, as in `skillful exec`. The error is a
    /// sentence.
    fn command(
        &self,
        skill: &ReachedSkill,
        program: Option<&str>,
        words: &[String],
    ) -> Result<Vec<OsString>, String>;

    /// The addresses of all skills whose programs may be run, sorted.
    fn reachable(&self) -> Vec<String>;
}
