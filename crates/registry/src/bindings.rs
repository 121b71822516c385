//! `bindings.toml`: which secrets, secret variables and servers the user lets a skill have, by the digest of the skill's files.
//!
//! ```toml
//! version = 1
//!
//! [[secret]]
//! service = "github"
//! key = "token"
//! tree = "sha256:…"
//! skill = "pull-requests"
//! date = "2026-11-16"
//! allowed = true
//! how = "command"
//! ```

use crate::{
    atomic_write::AtomicWriter,
    record_file::{self, Record, RecordError},
};
use serde::{Deserialize, Serialize};
use skillful_format::Digest;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

/// The file, in the user's data folder.
pub const BINDINGS_FILE: &str = "bindings.toml";
const VERSION: i64 = 1;
const HEAD: &str = "# The secrets and servers that your skills may have, by the digest of their\n\
                    # files. Written by `skillful`. Removing an entry takes the answer back.\n";

/// What a skill asks its user for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// A secret of the vault.
    Secret {
        /// The service.
        service: String,
        /// The key within the service.
        key: String,
    },
    /// A secret variable of the environment or of the user's `variables.json`.
    Variable {
        /// Its name.
        name: String,
    },
    /// A connection to a server on the network, or variables for a server that is a process.
    Server {
        /// Its address, where secrets stand as `${NAME}`; of a process the command that starts it.
        address: String,
        /// The variables that it receives.
        variables: BTreeSet<String>,
        /// Whether it is a process.
        is_process: bool,
    },
}

/// The user's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindingAnswer {
    /// The name of the skill then.
    pub skill: String,
    /// The day, as `2026-11-16`.
    pub date: String,
    /// Whether the skill may have it.
    pub allowed: bool,
    /// How the user answered.
    pub how: AnsweredBy,
}

/// How a user answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AnsweredBy {
    /// Approved the skill after its card named what it asks for.
    Card,
    /// Answered a question at the first use.
    Question,
    /// Named the skill in a command.
    Command,
}

/// Every answer of one user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bindings {
    /// By what was asked for and the digest of the files of the skill that asked.
    pub answers: BTreeMap<(Subject, Digest), BindingAnswer>,
}

impl Bindings {
    /// Reads the answers of a data folder; without the file there are none.
    pub fn load(data: &Path) -> Result<Self, RecordError> {
        record_file::load(data)
    }

    /// The answer about a skill with these files.
    pub fn answer(&self, subject: &Subject, files: &Digest) -> Option<&BindingAnswer> {
        self.answers.get(&(subject.clone(), *files))
    }

    /// The answers about a secret or a server.
    pub fn about<'a>(
        &'a self,
        subject: &'a Subject,
    ) -> impl Iterator<Item = (&'a Digest, &'a BindingAnswer)> {
        let of = self.answers.iter().filter(move |((known, _), _)| known == subject);
        of.map(|((_, files), answer)| (files, answer))
    }

    /// Adds answers; a later one replaces an earlier one.
    pub fn record(
        data: &Path,
        answers: Vec<((Subject, Digest), BindingAnswer)>,
        writer: &AtomicWriter,
    ) -> Result<(), RecordError> {
        record_file::change(data, writer, |bindings: &mut Self| bindings.answers.extend(answers))
    }

    /// Denies something to a skill: for its files as they are, and instead of every answer under its name.
    pub fn deny(
        data: &Path,
        (subject, files): (Subject, Digest),
        answer: BindingAnswer,
        writer: &AtomicWriter,
    ) -> Result<(), RecordError> {
        record_file::change(data, writer, |bindings: &mut Self| {
            let skill = &answer.skill;
            bindings.answers.retain(|(known, _), other| *known != subject || other.skill != *skill);
            bindings.answers.insert((subject, files), answer);
        })
    }

    /// Removes every answer about a secret, so that a later one of the same name is bound to no skill.
    pub fn forget(data: &Path, subject: &Subject, writer: &AtomicWriter) -> Result<(), RecordError> {
        record_file::change(data, writer, |bindings: &mut Self| {
            bindings.answers.retain(|(known, _), _| known != subject);
        })
    }
}

/// The file as it is written.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileText {
    version: i64,
    #[serde(default)]
    secret: Vec<SecretText>,
    #[serde(default)]
    variable: Vec<VariableText>,
    #[serde(default)]
    server: Vec<ServerText>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SecretText {
    service: String,
    key: String,
    tree: Digest,
    skill: String,
    date: String,
    allowed: bool,
    how: AnsweredBy,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct VariableText {
    name: String,
    tree: Digest,
    skill: String,
    date: String,
    allowed: bool,
    how: AnsweredBy,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ServerText {
    address: String,
    variables: BTreeSet<String>,
    #[serde(default, rename = "process")]
    is_process: bool,
    tree: Digest,
    skill: String,
    date: String,
    allowed: bool,
    how: AnsweredBy,
}

impl Record for Bindings {
    const FILE: &'static str = BINDINGS_FILE;
    const GUARD: &'static str = "bindings.lock";
    const NEXT: &'static str = ".bindings.toml.new";
    type Text = FileText;

    fn of_text(text: FileText) -> Result<Self, String> {
        if text.version != VERSION {
            return Err(format!("it is of version {}, and this program knows {VERSION}", text.version));
        }
        let mut answers = BTreeMap::new();
        for one in text.secret {
            let SecretText { service, key, tree, skill, date, allowed, how } = one;
            answers.insert(
                (Subject::Secret { service, key }, tree),
                BindingAnswer { skill, date, allowed, how },
            );
        }
        for one in text.variable {
            let VariableText { name, tree, skill, date, allowed, how } = one;
            answers.insert((Subject::Variable { name }, tree), BindingAnswer { skill, date, allowed, how });
        }
        for one in text.server {
            let ServerText { address, variables, is_process, tree, skill, date, allowed, how } = one;
            let subject = Subject::Server { address, variables, is_process };
            answers.insert((subject, tree), BindingAnswer { skill, date, allowed, how });
        }
        Ok(Self { answers })
    }

    fn text(&self) -> String {
        let mut text =
            FileText { version: VERSION, secret: Vec::new(), variable: Vec::new(), server: Vec::new() };
        for ((subject, tree), answer) in self.answers.clone() {
            let BindingAnswer { skill, date, allowed, how } = answer;
            match subject {
                Subject::Secret { service, key } => {
                    text.secret.push(SecretText { service, key, tree, skill, date, allowed, how });
                }
                Subject::Variable { name } => {
                    text.variable.push(VariableText { name, tree, skill, date, allowed, how });
                }
                Subject::Server { address, variables, is_process } => text.server.push(ServerText {
                    address,
                    variables,
                    is_process,
                    tree,
                    skill,
                    date,
                    allowed,
                    how,
                }),
            }
        }
        // Texts, lists and tables are all that TOML needs to write.
        HEAD.to_owned() + &toml::to_string(&text).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use skillful_format::digest_bytes;

    fn secret(key: &str) -> Subject {
        Subject::Secret { service: "a \"b\"".to_owned(), key: key.to_owned() }
    }

    fn answer(skill: &str, allowed: bool) -> BindingAnswer {
        let (skill, date) = (skill.to_owned(), "2026-11-16".to_owned());
        BindingAnswer { skill, date, allowed, how: AnsweredBy::Command }
    }

    #[test]
    fn answers_are_kept_by_subject_and_files() {
        let data = tempfile::tempdir().unwrap();
        let (first, second) = (digest_bytes(b"1"), digest_bytes(b"2"));
        let server = Subject::Server {
            address: "https://x.example/?k=${KEY}".to_owned(),
            variables: ["KEY".to_owned()].into(),
            is_process: false,
        };
        let process = Subject::Server {
            address: "npx x".to_owned(),
            variables: ["KEY".to_owned()].into(),
            is_process: true,
        };
        let answers = vec![
            ((process, first), answer("s", true)),
            ((Subject::Variable { name: "KEY".to_owned() }, first), answer("s", true)),
            ((secret("k"), first), answer("s", true)),
            ((secret("other"), first), answer("s", false)),
            ((server.clone(), second), answer("t", true)),
        ];
        Bindings::record(data.path(), answers.clone(), &AtomicWriter::default()).unwrap();
        let bindings = Bindings::load(data.path()).unwrap();
        assert_eq!(bindings.answers, answers.into_iter().collect());
        assert!(bindings.answer(&secret("k"), &second).is_none());
        let (address, variables) = ("https://x.example".to_owned(), BTreeSet::new());
        let other = Subject::Server { address, variables, is_process: false };
        assert!(bindings.answer(&other, &second).is_none());
        Bindings::forget(data.path(), &secret("k"), &AtomicWriter::default()).unwrap();
        let bindings = Bindings::load(data.path()).unwrap();
        assert_eq!((bindings.about(&secret("k")).count(), bindings.answers.len()), (0, 4));
    }

    #[test]
    fn a_denial_counts_for_every_version_of_the_skill() {
        let data = tempfile::tempdir().unwrap();
        let (old, new) = (digest_bytes(b"1"), digest_bytes(b"2"));
        let answers = vec![
            ((secret("k"), old), answer("s", true)),
            ((secret("k"), digest_bytes(b"3")), answer("t", true)),
            ((secret("other"), old), answer("s", true)),
        ];
        Bindings::record(data.path(), answers, &AtomicWriter::default()).unwrap();
        Bindings::deny(data.path(), (secret("k"), new), answer("s", false), &AtomicWriter::default())
            .unwrap();
        let bindings = Bindings::load(data.path()).unwrap();
        assert!(bindings.answer(&secret("k"), &old).is_none());
        assert!(bindings.answer(&secret("k"), &new).is_some_and(|answer| !answer.allowed));
        assert!(bindings.answer(&secret("other"), &old).is_some());
        assert_eq!(bindings.answers.len(), 3);
    }

    #[test]
    fn a_file_that_cannot_be_read_is_an_error_and_is_not_written_over() {
        let data = tempfile::tempdir().unwrap();
        for text in [
            "version = 2\n",
            "[[secret]]\n",
            "version = 1\nextra = 1\n",
            "version = 1\n[[secret]]\nservice = \"a\"\n",
            "version = 1\n[[server]]\naddress = \"a\"\ntree = \"x\"\n",
        ] {
            std::fs::write(data.path().join(BINDINGS_FILE), text).unwrap();
            assert!(Bindings::load(data.path()).is_err(), "{text}");
            let answers = vec![((secret("k"), digest_bytes(b"1")), answer("s", true))];
            assert!(Bindings::record(data.path(), answers, &AtomicWriter::default()).is_err(), "{text}");
            assert_eq!(std::fs::read_to_string(data.path().join(BINDINGS_FILE)).unwrap(), text);
        }
    }
}
