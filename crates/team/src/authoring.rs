//! What an author reads while writing a draft: problems with their fixes, capabilities, findings, and what can be written at a
//! place. Every rule is the engine's.

use crate::{
    actor::Actor,
    drafts::Draft,
    error::TeamError,
    judged::{CheckedView, FindingView, checked_in, finding},
    skills::SkillFilter,
    team::Team,
};
use serde::{Deserialize, Serialize};
use skillful::authoring::{
    Completer, OfferedSkill,
    check::{all_fixed, byte_at, fixed, units_at},
};
use skillful_audit::Severity;
use skillful_catalog::{AgentProfiles, capability::Capability};
use skillful_format::{SPEC, Tree};
use skillful_registry::review::Card;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, LazyLock},
};
use utoipa::ToSchema;

/// Skills that a completion looks at.
const OFFERED: i64 = 1_000;

/// What the engine says about the files of a draft.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct DraftCheck {
    /// Problems of the text, with their fixes.
    pub problems: Vec<CheckedView>,
    /// What it can do, one by one.
    pub can: Vec<CanView>,
    /// The same as sentences.
    pub capabilities: BTreeSet<String>,
    /// What it can do that the version before cannot, as sentences.
    pub gained: Vec<String>,
    /// What the version before could do and it cannot.
    pub dropped: Vec<String>,
    /// What the audit found.
    pub findings: Vec<FindingView>,
    /// Whether the audit reports blocking findings.
    pub is_blocked: bool,
    /// Files that the audit could not read.
    pub not_scanned: Vec<String>,
    /// The digest of the files.
    pub digest: String,
    /// Bytes of the skill file.
    pub bytes: usize,
    /// Tokens of its body, estimated as a quarter of the bytes.
    pub body_tokens: usize,
}

/// One thing that a skill can do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct CanView {
    /// `tools`, `command`, `network`, `secret` and so on.
    pub kind: String,
    /// The tool, command, file, host or name.
    pub what: String,
    /// When or why.
    pub note: String,
    /// The file and line that declare it.
    pub place: String,
}

impl CanView {
    /// The views of capabilities, in their order.
    pub fn all(can: &[Capability]) -> Vec<Self> {
        let one = |one: &Capability| Self {
            kind: one.kind.to_owned(),
            what: one.what.clone(),
            note: one.note.unwrap_or_default().to_owned(),
            place: one.place.clone().unwrap_or_default(),
        };
        can.iter().map(one).collect()
    }
}

/// Checks the files of a draft, compared with the version before.
pub fn check_draft(
    tree: &Tree,
    before: Option<&Tree>,
    folder: Option<&str>,
) -> Result<DraftCheck, TeamError> {
    let problems = checked_in(tree, folder)?;
    let card = match before {
        Some(before) => Card::since(before, tree),
        None => Card::of(tree),
    };
    let file = tree.skill_file().map(|(_, file)| file.bytes.as_slice()).unwrap_or_default();
    let text = String::from_utf8_lossy(file);
    let body = skillful_format::source::split(&text).frontmatter.map_or(0, |range| range.end);
    Ok(DraftCheck {
        problems,
        can: CanView::all(&card.can),
        capabilities: card.capabilities.clone(),
        gained: card.gained.iter().cloned().collect(),
        dropped: card.dropped.iter().cloned().collect(),
        findings: card.report.findings.iter().map(finding).collect(),
        is_blocked: card.report.findings.iter().any(|found| found.severity == Severity::Block),
        not_scanned: card.report.not_scanned.iter().map(|unread| unread.path.clone()).collect(),
        digest: tree.digest().to_string(),
        bytes: file.len(),
        body_tokens: text.len().saturating_sub(body).div_ceil(4),
    })
}

/// The texts of a draft after one fix, or after every fix that keeps the meaning (`code` is `all`).
pub fn fix_draft(
    tree: &Tree,
    folder: Option<&str>,
    code: &str,
    line: Option<u32>,
) -> Option<BTreeMap<String, String>> {
    let next = match code {
        "all" => all_fixed(tree, folder, &SPEC)?,
        code => fixed(tree, folder, &SPEC, code, line)?,
    };
    let text = |bytes: &[u8]| std::str::from_utf8(bytes).ok().map(str::to_owned);
    Some(
        next.iter().filter_map(|(path, file)| Some((path.as_str().to_owned(), text(&file.bytes)?))).collect(),
    )
}

/// Where something is written.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CompletionInput {
    /// The text of the skill file.
    pub text: String,
    /// The place, in UTF-16 units.
    pub at: usize,
    /// The other files of the draft.
    #[serde(default)]
    pub files: Vec<String>,
}

/// What can be written at a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct CompletionView {
    /// Where the text that an item replaces begins, in UTF-16 units.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// The items, in the order in which they are shown.
    pub items: Vec<CompletionItemView>,
    /// Whether there are more than these.
    pub is_incomplete: bool,
}

/// One way to go on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct CompletionItemView {
    /// What the list shows.
    pub label: String,
    /// `field`, `value`, `word`, `tool`, `skill` or `file`.
    pub kind: String,
    /// What is written.
    pub insert: String,
    /// A few words beside the label.
    pub detail: String,
    /// What the author reads about it; text, never markup.
    pub about: String,
}

/// The agents that this program knows.
pub fn known_agents() -> Arc<AgentProfiles> {
    static AGENTS: LazyLock<Arc<AgentProfiles>> = LazyLock::new(|| Arc::new(AgentProfiles::embedded()));
    Arc::clone(&AGENTS)
}

impl Team {
    /// The names of skills that a text of the actor can mention.
    pub async fn mentionable(&self, actor: &Actor) -> Result<Vec<OfferedSkill>, TeamError> {
        let filter = SkillFilter { limit: OFFERED, ..SkillFilter::default() };
        let found = self.skills(actor, &filter).await?.items;
        let mut seen = BTreeSet::new();
        let mut skills: Vec<OfferedSkill> = found
            .into_iter()
            .filter(|skill| seen.insert(skill.name.clone()))
            .map(|skill| OfferedSkill {
                name: skill.name,
                description: skill.description,
                state: skill.scope.text(),
            })
            .collect();
        skills.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(skills)
    }
}

/// What can be written at a place of a draft.
pub fn complete(draft: &Draft, input: &CompletionInput, skills: &[OfferedSkill]) -> CompletionView {
    let agents = known_agents();
    let completer = Completer {
        text: &input.text,
        agents: &agents,
        folder: Some(draft.name.as_str()).filter(|name| !name.is_empty()),
        skills: &|| skills.iter().filter(|skill| skill.name != draft.name).cloned().collect(),
        files: &|| input.files.iter().filter(|path| *path != "SKILL.md").cloned().collect(),
    };
    let found = completer.at(byte_at(&input.text, input.at));
    CompletionView {
        start: units_at(&input.text, found.replaces.start),
        end: units_at(&input.text, found.replaces.end),
        is_incomplete: found.is_incomplete,
        items: found
            .items
            .into_iter()
            .map(|item| CompletionItemView {
                label: item.label,
                kind: item.kind.word().to_owned(),
                insert: item.insert,
                detail: item.detail.unwrap_or_default(),
                about: item.about.map(|about| about.replace("**", "").replace('`', "")).unwrap_or_default(),
            })
            .collect(),
    }
}
