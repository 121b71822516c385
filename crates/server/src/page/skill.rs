//! One skill: what it can do, who gets it and why, versions, findings, files, uses.

mod file;
mod rows;

use super::{
    Nav, Shell, Visitor,
    address::{Address, Pager, page_number},
    encoded,
    errors::PageResult,
    icon, markdown,
    marks::{self, Mark, Markup},
    picture,
    shell::paged,
    show,
    skills::{group_names, source_word},
    text, words,
};
use crate::{
    api::blocking,
    extract::{Ids, Params},
    state::App,
};
use askama::Template;
use axum::{Router, extract::State, routing::get};
use rows::{file_row, preference_rows, targets, version_rows};
use serde::Deserialize;
use skillful_format::Tree;
use skillful_team::{
    Scope, TeamError,
    judged::{Capability, FindingView, explain, not_declared},
    permission::{Deed, OrgDeed, may_org},
    skills::SkillRecord,
    usage::OneSkillUses,
    versions::{VersionRecord, VersionState},
};
use std::collections::BTreeSet;

/// The routes.
pub(crate) fn router() -> Router<App> {
    Router::new()
        .route("/ui/skills/{id}", get(skill))
        .route("/ui/skills/{id}/files/{number}", get(file::file))
}

/// Which version is shown, and which page of the list of versions.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct VersionQuery {
    version: Option<i64>,
    page: Option<String>,
}

/// What a visitor may do with the skill.
struct May {
    edit: bool,
    yank: bool,
    revoke: bool,
    unlist: bool,
    adopt: bool,
    unadopt: bool,
    offer: bool,
    propose: bool,
}

/// Capabilities of one kind.
pub(crate) struct CanRow {
    pub(crate) icon: &'static str,
    pub(crate) word: &'static str,
    pub(crate) entries: Vec<CanEntry>,
}

/// One capability.
pub(crate) struct CanEntry {
    pub(crate) what: Markup,
    pub(crate) note: &'static str,
    pub(crate) place: String,
    pub(crate) is_new: bool,
}

struct PreferenceRow {
    who: Mark,
    choice: Mark,
    because: String,
    pin: Option<i64>,
    target: String,
    /// How many active users it is about.
    users: String,
    may_change: bool,
    is_you: bool,
}

struct VersionRow {
    number: i64,
    mark: Mark,
    title: String,
    state: String,
    gained: usize,
    digest: String,
    author: String,
    time: Markup,
    is_served: bool,
    is_shown: bool,
    can_serve: bool,
    can_yank: bool,
    can_unyank: bool,
    can_revoke: bool,
}

struct FileRow {
    path: String,
    icon: &'static str,
    reads: &'static str,
    size: String,
}

/// Versions that the page lists at once.
const VERSIONS: usize = 25;

#[derive(Template)]
#[template(path = "skill.html")]
struct SkillPage {
    shell: Shell,
    skill: SkillRecord,
    version: VersionRecord,
    is_newest: bool,
    state: Mark,
    reason: String,
    scope: Mark,
    may: May,
    /// The version before, when this one can do more.
    since: Option<i64>,
    can: Vec<CanRow>,
    absent: String,
    preferences: Vec<PreferenceRow>,
    targets: Vec<(String, String)>,
    findings: Vec<FindingView>,
    finding_words: String,
    files: Vec<FileRow>,
    file_words: String,
    text: Markup,
    versions: Vec<VersionRow>,
    /// How many there are in all.
    version_count: usize,
    pager: Pager,
    previous: Option<i64>,
    uses: OneSkillUses,
    author: String,
    digest: String,
    lines: usize,
    install: String,
}

paged!(SkillPage);

impl SkillPage {
    fn use_words(&self) -> String {
        let good = words::percent(self.uses.uses - self.uses.failures, self.uses.uses);
        if self.uses.uses == 0 {
            return "not used in this time".to_owned();
        }
        if self.uses.is_of_all {
            let users = usize::try_from(self.uses.users).unwrap_or(0);
            return format!("{}, {good} without an error", words::count(users, "user", "users"));
        }
        format!("your own uses, {good} without an error")
    }

    fn area(&self) -> Markup {
        let line = picture::points(&self.uses.days, 296.0, 72.0, 2.0);
        let most = self.uses.days.iter().copied().max().unwrap_or(0);
        Markup(format!(
            "<svg class=\"pic\" viewBox=\"0 0 296 72\" role=\"img\" aria-label=\"Uses per day over 30 days, at most {}\"><polygon class=\"ar\" points=\"2,70 {line} 294,70\"/><polyline class=\"ln\" points=\"{line}\"/></svg>",
            words::number(most)
        ))
    }

    fn source_word(&self) -> &'static str {
        source_word(&self.skill.source)
    }
}

/// The kinds of capabilities with their icon and word, in the order of the card.
pub(crate) const KINDS: &[(&str, &str, &str)] = &[
    ("tools", "tool", "Tools"),
    ("command", "terminal", "Commands"),
    ("hook", "hook", "Hooks"),
    ("script", "terminal", "Scripts"),
    ("program", "terminal", "Programs"),
    ("network", "globe", "Network"),
    ("secret", "key", "Secrets"),
    ("variable", "braces", "Variables"),
    ("MCP server", "server", "MCP servers"),
    ("code", "braces", "Code"),
    ("file", "file", "Files"),
    ("dependency", "box", "Packages"),
    ("permissions", "lock", "Permissions"),
    ("skill", "skills", "Skills"),
    ("limit", "revoked", "Limits"),
    ("other", "note", "Other"),
];

/// Capabilities by kind. `gained` are those that the version before cannot.
pub(crate) fn can_rows(all: &[Capability], gained: &BTreeSet<String>) -> Vec<CanRow> {
    let entry = |one: &Capability| CanEntry {
        what: markdown::text(&one.what),
        note: one.note.unwrap_or_default(),
        place: one.place.clone().unwrap_or_default(),
        is_new: gained.iter().any(|sentence| sentence.ends_with(one.what.as_str())),
    };
    KINDS
        .iter()
        .map(|(kind, icon, word)| CanRow {
            icon,
            word,
            entries: all.iter().filter(|one| one.kind == *kind).map(entry).collect(),
        })
        .filter(|row| !row.entries.is_empty())
        .collect()
}

/// What of network, secrets, hooks and MCP servers a skill does not declare, as the end of a sentence.
pub(crate) fn absent(sentences: &BTreeSet<String>) -> String {
    not_declared(sentences).join(", ")
}

/// The version that a page shows: the asked one, else the served one, else the newest that the visitor sees.
fn shown(
    skill: &SkillRecord,
    versions: &[VersionRecord],
    asked: Option<i64>,
) -> Result<VersionRecord, TeamError> {
    let wanted = asked.or(skill.default_version);
    let found = versions.iter().find(|version| Some(version.number) == wanted);
    let found = match (found, asked) {
        (None, None) => versions.first(),
        (found, _) => found,
    };
    found.cloned().ok_or(TeamError::NotFound)
}

async fn skill(
    State(app): State<App>,
    visitor: Visitor,
    Ids(id): Ids<String>,
    Params(query): Params<VersionQuery>,
) -> PageResult {
    let (team, actor) = (&app.team, &visitor.actor);
    let skill = team.skill(actor, &id).await?;
    let versions = team.versions(actor, &id).await?;
    let version = shown(&skill, &versions, query.version)?;
    let tree = match team.contents(actor, &id, version.number).await {
        Ok(tree) => Some(tree),
        // A revoked version is not given out; what is known about it is shown.
        Err(TeamError::Conflict { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    let files = team.files(actor, &id, version.number).await?;
    let sentences = version.capabilities.clone();
    let (can, lines, text) = blocking(move || {
        let can = explain(&sentences, tree.as_ref());
        let (lines, text) = tree.as_ref().map_or_else(Default::default, skill_text);
        (can, lines, text)
    })
    .await?;
    let listed = team.list(actor).await?;
    let mine = listed.iter().find(|one| one.skill.id == id);
    let groups = group_names(&app, actor).await?;
    let audience = team.audience(actor).await?;
    let names = team.names(actor, versions.iter().map(|version| version.author.as_str()).collect()).await?;
    let may = |deed| team.may(actor, deed, &skill.org, &skill.scope).is_ok();
    let is_own = matches!(&skill.scope, Scope::Own(owner) if Some(owner) == actor.user.as_ref());
    let is_adopted = mine.is_some_and(|one| one.is_adopted);
    let may = May {
        edit: may(Deed::Edit),
        yank: may(Deed::Yank),
        revoke: may(Deed::Revoke),
        unlist: may_org(actor, OrgDeed::ChangeSettings, &skill.org).is_ok() && !is_own,
        adopt: !is_own && !is_adopted && skill.is_offered && matches!(skill.scope, Scope::Own(_)),
        unadopt: is_adopted,
        offer: is_own,
        propose: (is_own || may(Deed::Edit))
            && !matches!(skill.scope, Scope::Global)
            && version.state == VersionState::Published,
    };
    let wanted = team.preferences(actor, &id).await?;
    let uses = team.skill_uses(actor, &id, 30).await?;
    let shell = Shell::of(&app, &visitor, &skill.name, Nav::Skills).await?;
    let previous = versions
        .iter()
        .filter(|other| other.state == VersionState::Published)
        .map(|other| other.number)
        .find(|number| skill.default_version.is_some_and(|served| *number < served));
    let before =
        versions.iter().find(|other| other.number < version.number && other.state != VersionState::Rejected);
    let gained: BTreeSet<String> = before
        .map(|before| {
            skillful_team::judged::gained(&before.capabilities, &version.capabilities).into_iter().collect()
        })
        .unwrap_or_default();
    let since = before.filter(|_| !gained.is_empty()).map(|before| before.number);
    let rows = version_rows(&skill, &versions, version.number, &may, &names, shell.now);
    let number = page_number(query.page.as_deref());
    let total = rows.len();
    let rows: Vec<VersionRow> = rows.into_iter().skip((number - 1) * VERSIONS).take(VERSIONS).collect();
    let mut pager = Pager::of(&Address::of("/ui/skills"), number, VERSIONS, rows.len(), total);
    let other = |page: usize| format!("/ui/skills/{id}?version={}&page={page}#versions", version.number);
    pager.previous = pager.previous.map(|_| other(number - 1));
    pager.next = pager.next.map(|_| other(number + 1));
    let size = files.iter().map(|file| file.size).sum();
    let page = SkillPage {
        state: mine
            .map_or_else(|| Mark::new("off", "eye", "Not in your list"), |one| marks::state(one.state)),
        reason: mine.map(|one| one.reason.clone()).unwrap_or_default(),
        scope: if is_adopted {
            Mark::new("", "link", "Adopted")
        } else {
            marks::scope(&skill.scope, &groups)
        },
        is_newest: Some(version.number) == skill.default_version || skill.default_version.is_none(),
        since,
        can: can_rows(&can, &gained),
        absent: absent(&version.capabilities),
        preferences: preference_rows(&app, &visitor, &skill, mine, &wanted, (&groups, &audience)),
        targets: targets(&app, &visitor, &skill, &groups),
        finding_words: finding_words(&version.findings),
        findings: version.findings.clone(),
        file_words: format!("{}, {}", words::count(files.len(), "file", "files"), words::size(size)),
        files: files.iter().map(file_row).collect(),
        author: names.get(&version.author).cloned().unwrap_or_default(),
        digest: words::short_digest(&version.tree),
        install: format!("skillful add team:{}", skill.name),
        versions: rows,
        version_count: total,
        pager,
        text,
        lines,
        previous,
        uses,
        may,
        version,
        skill,
        shell,
    };
    show(&page)
}

/// The lines of the skill file, and its body as HTML.
fn skill_text(tree: &Tree) -> (usize, Markup) {
    let Some((_, file)) = tree.skill_file() else { return Default::default() };
    let text = String::from_utf8_lossy(&file.bytes);
    (text.lines().count(), markdown::render(body_of(&text), 3))
}

/// The text after the frontmatter.
pub(crate) fn body_of(text: &str) -> &str {
    let Some(rest) = text.trim_start_matches('\u{feff}').strip_prefix("---") else { return text };
    rest.split_once("\n---").and_then(|(_, body)| body.split_once('\n')).map_or(text, |(_, body)| body)
}

/// How many findings of each weight: `0 block, 1 warn, 1 note`.
pub(crate) fn finding_words(findings: &[FindingView]) -> String {
    let count = |word: &str| findings.iter().filter(|found| found.severity == word).count();
    let part = |many: usize, word: &str, plural: &str| {
        (many > 0).then(|| format!("{many} {}", if many == 1 { word } else { plural }))
    };
    let parts: Vec<String> = [
        part(count("block"), "blocking", "blocking"),
        part(count("warn"), "warning", "warnings"),
        part(count("note"), "note", "notes"),
    ]
    .into_iter()
    .flatten()
    .collect();
    if parts.is_empty() { "none".to_owned() } else { parts.join(", ") }
}
