//! Sending skills to the Skills API of a vendor, once for each digest. The id and the version there are kept in the lock.

use super::{Library, LibraryError, share};
use crate::{
    shell_word::shell_word,
    skills_api::{Dialect, RemoteSkill, SkillsApi, SkillsApiError},
    views::SCHEMA,
};
use schemars::JsonSchema;
use secrecy::SecretString;
use serde::Serialize;
use skillful_audit::Severity;
use skillful_catalog::{Scope as SkillScope, disk, variables};
use skillful_credentials::vault::{PUSH_KEYS, SecretName, Vault as _};
use skillful_format::{Diagnostic, Limits, Tree};
use skillful_registry::{Lock, lock::PushedSkill, review};
use std::collections::BTreeSet;

/// What is sent where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PushRequest {
    /// `anthropic`, `openai` or an address.
    pub to: String,
    /// What an address speaks; known from its end when it is not given.
    pub api: Option<String>,
    /// Names or paths; every skill of this project when empty.
    pub skills: Vec<String>,
    /// Skills with blocking findings that the user sends all the same, by name.
    pub despite_findings: BTreeSet<String>,
    /// Send nothing.
    pub dry_run: bool,
}

/// What was sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PushReport {
    /// The version of this object.
    pub schema: u32,
    /// `anthropic`, `openai` or the address.
    pub to: String,
    /// Whether anything could be sent; false for a dry run.
    pub sent: bool,
    /// In order of the names.
    pub skills: Vec<PushedView>,
}

/// One skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PushedView {
    /// Its name.
    pub name: String,
    /// The digest of its files.
    pub tree: String,
    /// What was done.
    pub action: PushAction,
    /// Its id there; absent before it is sent.
    pub id: Option<String>,
    /// The version there; absent before it is sent.
    pub version: Option<String>,
    /// Why it was not sent.
    pub why: Vec<String>,
}

/// What is done with a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PushAction {
    /// It is created.
    Create,
    /// A version is added.
    Version,
    /// It was sent before and did not change.
    Keep,
    /// It is not sent.
    Refuse,
}

struct Ready {
    name: String,
    tree: Tree,
    zip: Vec<u8>,
    refused: Vec<String>,
}

impl From<SkillsApiError> for LibraryError {
    fn from(error: SkillsApiError) -> Self {
        let fix = match &error {
            SkillsApiError::Key(..) => Some("check the key: skillful secret set push-key TARGET"),
            _ => None,
        };
        let failure = Self::new(&error);
        fix.into_iter().fold(failure, Self::fix)
    }
}

impl Library<'_> {
    /// Sends skills. What the vendor would refuse, and what the audit blocks and no answer names, is refused before
    /// anything is sent.
    pub fn push(&self, request: &PushRequest) -> Result<PushReport, LibraryError> {
        let (dialect, address, target) = place(request)?;
        let ready = self.ready(request, dialect)?;
        let lock = self.lock()?;
        let known = |name: &str| lock.pushed.get(&target)?.get(name);
        let mut report =
            PushReport { schema: SCHEMA, to: target.clone(), sent: !request.dry_run, skills: Vec::new() };
        let mut api = None;
        for one in ready {
            let digest = one.tree.digest();
            let before = known(&one.name);
            let mut view = PushedView {
                name: one.name.clone(),
                tree: digest.to_string(),
                action: if before.is_some() { PushAction::Version } else { PushAction::Create },
                id: before.map(|before| before.id.clone()),
                version: before.map(|before| before.version.clone()),
                why: one.refused.clone(),
            };
            if !one.refused.is_empty() {
                view.action = PushAction::Refuse;
            } else if before.is_some_and(|before| before.tree == digest) {
                view.action = PushAction::Keep;
            } else if !request.dry_run {
                SkillsApi::check(&address)?;
                let api = match &api {
                    Some(api) => api,
                    None => api.insert(SkillsApi::new(
                        dialect,
                        &address,
                        self.push_key(dialect, &address, &target)?,
                    )?),
                };
                let (action, sent) = send(api, &one, before.map(|before| before.id.as_str()))?;
                let pushed = PushedSkill { id: sent.id.clone(), version: sent.version.clone(), tree: digest };
                // Each is kept at once, so that a push that is stopped sends nothing twice.
                self.record_push(&target, &one.name, pushed)?;
                (view.action, view.id, view.version) = (action, Some(sent.id), Some(sent.version));
            }
            report.skills.push(view);
        }
        Ok(report)
    }

    fn record_push(&self, target: &str, name: &str, pushed: PushedSkill) -> Result<(), LibraryError> {
        let _alone = self.store.guard(&self.site.lock)?;
        let mut lock = Lock::load(&self.site.lock)?;
        lock.pushed.entry(target.to_owned()).or_default().insert(name.to_owned(), pushed);
        lock.save(&self.site.lock, &self.writer)?;
        Ok(())
    }

    /// The user's key: of the vault, of the sign-in to a team server, or of the vendor's variable.
    fn push_key(&self, dialect: Dialect, address: &str, target: &str) -> Result<SecretString, LibraryError> {
        let vault = self.workspace.vault_file();
        let kept = SecretName::new(PUSH_KEYS, target).ok().and_then(|name| vault.get(&name).ok().flatten());
        let of_team = || {
            let sources = self.sources().ok()?;
            let (_, server) = sources.team_servers().find(|(_, server)| {
                let rest = address.strip_prefix(server);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })?;
            self.team_token(server)
        };
        let variable = || dialect.key(address, |name| self.workspace.environment().variable(name));
        kept.or_else(of_team).or_else(variable).ok_or_else(|| {
            let failure = LibraryError::new(format!("there is no key for {target}"))
                .fix(format!("skillful secret set {PUSH_KEYS} {target}"));
            if address == dialect.address() {
                failure.fix(format!("or set {}", dialect.variable()))
            } else {
                failure.cause(format!("{} is sent to its vendor only", dialect.variable()))
            }
        })
    }

    fn ready(&self, request: &PushRequest, dialect: Dialect) -> Result<Vec<Ready>, LibraryError> {
        let catalog = self.workspace.catalog();
        let chosen: Vec<usize> = if request.skills.is_empty() {
            let all = catalog.entries.iter().enumerate();
            all.filter(|(_, entry)| entry.origin.scope == SkillScope::Project).map(|(at, _)| at).collect()
        } else {
            let find = |word: &String| {
                self.workspace
                    .find(word)
                    .map_err(|missing| LibraryError::new(missing.to_string()).fix("skillful list"))
            };
            request.skills.iter().map(find).collect::<Result<_, _>>()?
        };
        if chosen.is_empty() {
            return Err(LibraryError::new("this project has no skills").fix("name the skills to send"));
        }
        let limits = Limits::default();
        let mut ready = Vec::new();
        for at in chosen {
            let entry = &catalog.entries[at];
            let (tree, skipped) = disk::read_folder(&entry.origin.real, &limits)
                .map_err(LibraryError::io(format!("read `{}`", entry.origin.real.display())))?;
            let (tree, _) = variables::without_values(tree, &limits);
            let failed = |found: Diagnostic| LibraryError::new(found.message);
            let zip = skillful_archive::write_zip(&tree, &entry.name).map_err(failed)?;
            let mut refused = dialect.refuses(&entry.name, &tree, &zip);
            refused.extend(skipped.into_iter().map(|found| found.message));
            if !request.despite_findings.contains(&entry.name) {
                let findings: Vec<String> = review::cards(&[&tree])
                    .iter()
                    .flat_map(|card| &card.report.findings)
                    .filter(|finding| finding.severity == Severity::Block)
                    .map(share::blocking_line)
                    .collect();
                if !findings.is_empty() {
                    refused.extend(findings);
                    let name = shell_word(&entry.name);
                    refused.push(format!("send it all the same with --despite-findings {name}"));
                }
            }
            ready.push(Ready { name: entry.name.clone(), tree, zip, refused });
        }
        ready.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(ready)
    }
}

/// What is spoken where, and the name of it in the lock.
fn place(request: &PushRequest) -> Result<(Dialect, String, String), LibraryError> {
    if let Ok(dialect) = request.to.parse::<Dialect>() {
        return Ok((dialect, dialect.address().to_owned(), dialect.to_string()));
    }
    let address = request.to.trim_end_matches('/');
    if !address.starts_with("https://") && !address.starts_with("http://") {
        return Err(LibraryError::usage(format!("`{address}` is not `anthropic`, `openai` or an address")));
    }
    let named = request.api.as_deref().map(|api| {
        api.parse().map_err(|()| LibraryError::usage(format!("`{api}` is not `anthropic` or `openai`")))
    });
    let guessed = || match address {
        address if address.ends_with("/anthropic") => Ok(Dialect::Anthropic),
        address if address.ends_with("/openai/v1") => Ok(Dialect::OpenAi),
        _ => Err(LibraryError::usage(format!("it is not known which API {address} speaks"))
            .fix("name it: --api anthropic, or --api openai")),
    };
    Ok((named.unwrap_or_else(guessed)?, address.to_owned(), address.to_owned()))
}

/// Adds a version to the skill that is known or has the name; creates it when there is none.
fn send(
    api: &SkillsApi,
    one: &Ready,
    known: Option<&str>,
) -> Result<(PushAction, RemoteSkill), SkillsApiError> {
    let known = match known {
        Some(id) => Some(id.to_owned()),
        None => api.find(&one.name)?,
    };
    if let Some(id) = known {
        match api.add_version(&id, &one.name, &one.zip) {
            Ok(sent) => return Ok((PushAction::Version, sent)),
            // It was deleted there.
            Err(SkillsApiError::Missing(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok((PushAction::Create, api.create(&one.name, &one.zip)?))
}
