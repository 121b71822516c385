//! Skills that a server offers (SEP-2640), read as an agent must.
//!
//! An agent holds the *entry* of a skill: its frontmatter and the size and digest of every file. [`Source::list`]
//! and [`Source::get`] fetch entries and nothing else; no file is read before it is needed.
//! [`Source::load`] reads SKILL.md, and only a skill whose SKILL.md matches its entry is a
//! [`Loaded`], which is the only way to its other files. Every read is measured and hashed. An entry
//! whose files are `"dynamic"` promises nothing, so nothing can be approved for good.

use super::{
    connection::{Asked, Connection},
    declare::Declaration,
    error::StartError,
    greeting::Purpose,
    launch::Launch,
    limits::{DIAGNOSTICS, PAGES, SKILLS},
    text::quote,
};
use crate::names::{SKILLS_EXTENSION, method};
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use skillful_format::{Code, Diagnostic};
use std::{
    collections::{BTreeMap, HashSet},
    time::Duration,
};
use tokio::time::{Instant, timeout};

mod entry;
mod frontmatter;
#[cfg(test)]
mod tests;

pub use entry::{File, Files, HeldEntry, Invalid};
use frontmatter::difference;

/// Why a skill, or a file of one, is not to be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SkillsError {
    /// The server does not offer skills.
    #[error("the server does not offer skills (it does not declare `{SKILLS_EXTENSION}`)")]
    NotOffered,
    /// The connection ended.
    #[error("the connection to the server is closed")]
    Closed,
    /// No answer in time.
    #[error("the server did not answer within {} s", .0.as_secs_f32())]
    Timeout(Duration),
    /// The server refused.
    #[error("the server refused ({code}): {message}")]
    Refused {
        /// Code of the protocol.
        code: i32,
        /// The message of the server.
        message: String,
    },
    /// The server answered with something else than was asked for.
    #[error("the server's answer cannot be used: {0}")]
    Nonsense(String),
    /// The entry breaks a rule, so the skill must not be loaded.
    #[error("the entry of `{uri}` is invalid: {why}")]
    Entry {
        /// The skill.
        uri: String,
        /// The rule.
        why: Invalid,
    },
    /// The file is not one of the entry.
    #[error("`{0}` is not a file of this skill; only files that its entry lists are read")]
    NotHeld(String),
    /// The file has another size or digest than its entry.
    #[error("`{uri}` is not what the entry of its skill promises: {why}")]
    Tampered {
        /// The file.
        uri: String,
        /// What differs.
        why: String,
    },
    /// The frontmatter of SKILL.md is not that of the entry.
    #[error("the frontmatter of `{uri}` differs from the entry of its skill in {field}")]
    Frontmatter {
        /// The file.
        uri: String,
        /// What differs.
        field: String,
    },
}

impl From<Asked> for SkillsError {
    fn from(asked: Asked) -> Self {
        match asked {
            Asked::Closed => Self::Closed,
            Asked::Refused { code, message } => Self::Refused { code, message },
            Asked::Nonsense(why) => Self::Nonsense(why),
        }
    }
}

/// A server of skills.
pub struct Source {
    label: String,
    connection: Connection,
    within: Duration,
}

impl Source {
    /// Connects to a server. `label` is the agent's own name for it: with it, never with what a server calls
    /// itself, a skill is identified. `within` bounds every question.
    pub async fn connect(
        label: &str,
        declaration: &Declaration,
        launch: &dyn Launch,
        within: Duration,
    ) -> Result<Self, StartError> {
        let deadline = Instant::now() + declaration.startup;
        let connection = Connection::start(declaration, launch, Purpose::Skills, deadline).await?;
        Ok(Self { label: label.to_owned(), connection, within })
    }

    /// The entries of all skills that the server lists. It may have others, which only [`Source::get`] finds.
    pub async fn list(&self) -> Result<(Vec<HeldEntry>, Vec<Diagnostic>), SkillsError> {
        self.offers()?;
        let mut listing =
            Listing { label: &self.label, entries: BTreeMap::new(), order: Vec::new(), told: Vec::new() };
        let mut cursors = HashSet::new();
        let mut cursor: Option<String> = None;
        for page in 1.. {
            let params = cursor.as_ref().map_or_else(|| json!({}), |cursor| json!({ "cursor": cursor }));
            let answer = self.ask(method::SKILLS_LIST, params).await?;
            let Some(skills) = answer.get("skills").and_then(Value::as_array) else {
                return Err(SkillsError::Nonsense("its list of skills has no `skills`".to_owned()));
            };
            if !listing.page(skills) {
                break;
            }
            let Some(next) = answer.get("nextCursor").and_then(Value::as_str).filter(|next| !next.is_empty())
            else {
                break;
            };
            if !cursors.insert(next.to_owned()) || page == PAGES {
                listing.say(format!("its list of skills does not end; {page} pages were read"));
                break;
            }
            cursor = Some(next.to_owned());
        }
        Ok(listing.finish())
    }

    /// The entry of one skill, listed or not.
    pub async fn get(&self, uri: &str) -> Result<HeldEntry, SkillsError> {
        self.offers()?;
        let answer = self.ask(method::SKILLS_GET, json!({ "uri": uri })).await?;
        let skill = answer.get("skill").unwrap_or(&Value::Null);
        let invalid = |why| SkillsError::Entry { uri: quote(uri), why };
        let entry = HeldEntry::read(&self.label, skill).map_err(invalid)?;
        if entry.uri() != uri {
            return Err(SkillsError::Nonsense(format!("it gave `{}` instead", quote(entry.uri()))));
        }
        Ok(entry)
    }

    /// Loads a skill: reads its SKILL.md, and checks size, digest and frontmatter against the entry.
    pub async fn load(&self, entry: HeldEntry) -> Result<Loaded<'_>, SkillsError> {
        let uri = entry.uri().to_owned();
        let bytes = self.read(&entry, &uri).await?;
        let text = String::from_utf8(bytes)
            .map_err(|_| SkillsError::Tampered { uri: uri.clone(), why: "it is not UTF-8".to_owned() })?;
        if let Some(field) = difference(&text, entry.frontmatter()) {
            return Err(SkillsError::Frontmatter { uri, field });
        }
        Ok(Loaded { source: self, entry, text })
    }

    /// Ends the connection, and the server if it is a process of ours.
    pub async fn close(&self) {
        self.connection.stop().await;
    }

    fn offers(&self) -> Result<(), SkillsError> {
        let info = self.connection.peer().peer_info();
        let extensions = info.as_ref().and_then(|info| info.capabilities.extensions.as_ref());
        let offered = extensions.is_some_and(|extensions| extensions.contains_key(SKILLS_EXTENSION));
        if offered { Ok(()) } else { Err(SkillsError::NotOffered) }
    }

    async fn ask(&self, method: &str, params: Value) -> Result<Value, SkillsError> {
        match timeout(self.within, self.connection.ask(method, params)).await {
            Ok(answer) => Ok(answer?),
            Err(_) => Err(SkillsError::Timeout(self.within)),
        }
    }

    /// Reads a file of an entry and verifies it.
    async fn read(&self, entry: &HeldEntry, uri: &str) -> Result<Vec<u8>, SkillsError> {
        let expected = entry.promise(uri).map_err(|()| SkillsError::NotHeld(quote(uri)))?;
        let answer = self.ask(method::RESOURCES_READ, json!({ "uri": uri })).await?;
        let contents =
            answer.get("contents").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let [content] = contents else {
            return Err(SkillsError::Nonsense(format!("{} contents instead of one", contents.len())));
        };
        if content.get("uri").and_then(Value::as_str) != Some(uri) {
            return Err(SkillsError::Nonsense(format!("another file than `{}`", quote(uri))));
        }
        let text = content.get("text").and_then(Value::as_str);
        let blob = content.get("blob").and_then(Value::as_str);
        let bytes = match (text, blob) {
            (Some(text), None) => text.as_bytes().to_vec(),
            (None, Some(blob)) => STANDARD
                .decode(blob)
                .map_err(|_| SkillsError::Nonsense("a blob that is not base64".to_owned()))?,
            _ => return Err(SkillsError::Nonsense("a file that is neither text nor blob".to_owned())),
        };
        match expected {
            Some(file) => file.verify(&bytes)?,
            None => entry::within_limit(uri, &bytes)?,
        }
        Ok(bytes)
    }
}

/// A skill whose SKILL.md was verified.
pub struct Loaded<'a> {
    source: &'a Source,
    entry: HeldEntry,
    text: String,
}

impl Loaded<'_> {
    /// The entry that it was verified against.
    pub fn entry(&self) -> &HeldEntry {
        &self.entry
    }

    /// All of SKILL.md.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Reads another file of the skill, by its address or by its path from the skill's root, and verifies it.
    pub async fn read(&self, file: &str) -> Result<Vec<u8>, SkillsError> {
        let uri = self.entry.resolve(file).ok_or_else(|| SkillsError::NotHeld(quote(file)))?;
        self.source.read(&self.entry, &uri).await
    }
}

struct Listing<'a> {
    label: &'a str,
    entries: BTreeMap<String, HeldEntry>,
    order: Vec<String>,
    told: Vec<String>,
}

impl Listing<'_> {
    fn page(&mut self, skills: &[Value]) -> bool {
        for skill in skills {
            if self.entries.len() == SKILLS {
                self.say(format!("it has more than {SKILLS} skills; the others are not known"));
                return false;
            }
            let uri = skill.get("uri").and_then(Value::as_str).unwrap_or("?");
            match HeldEntry::read(self.label, skill) {
                Ok(entry) if self.entries.contains_key(entry.uri()) => {
                    self.say(format!("it lists `{}` twice; the first counts", quote(uri)));
                }
                Ok(entry) => {
                    self.order.push(entry.uri().to_owned());
                    self.entries.insert(entry.uri().to_owned(), entry);
                }
                Err(why) => self.say(format!("its skill `{}` is not loaded: {why}", quote(uri))),
            }
        }
        true
    }

    fn say(&mut self, what: String) {
        self.told.push(what);
    }

    fn finish(mut self) -> (Vec<HeldEntry>, Vec<Diagnostic>) {
        let label = self.label;
        let more = self.told.len().saturating_sub(DIAGNOSTICS);
        self.told.truncate(DIAGNOSTICS);
        if more > 0 {
            self.told.push(format!("{more} more findings about its skills"));
        }
        let told = self.told.iter().map(|what| {
            let message = format!("the server `{label}`: {what}");
            Diagnostic::new(Code::McpSkillRefused, message).help("report it to the operator of the server")
        });
        let diagnostics = told.collect();
        let entries = self.order.iter().filter_map(|uri| self.entries.remove(uri)).collect();
        (entries, diagnostics)
    }
}
