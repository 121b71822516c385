//! One skill: what it can do, who gets it and why, versions, findings, files, uses.

use super::{
    Nav, Shell, Visitor,
    errors::PageResult,
    markdown,
    marks::{self, Mark, Markup},
    picture,
    shell::paged,
    show,
    skills::{group_names, source_word},
    words,
};
use crate::{
    api::blocking,
    extract::{Ids, Params},
    state::App,
};
use askama::Template;
use axum::{Router, extract::State, routing::get};
use serde::Deserialize;

use skillful_format::Tree;
use skillful_team::{
    Scope, TeamError,
    judged::{Capability, FindingView, explain, not_declared},
    permission::{Deed, OrgDeed, may_org},
    preferences::{Choice, Preference, Target},
    skills::SkillRecord,
    usage::OneSkillUses,
    versions::{FileRecord, VersionRecord, VersionState},
};
use std::collections::{BTreeMap, BTreeSet};

/// The routes.
pub(crate) fn router() -> Router<App> {
    Router::new().route("/ui/skills/{id}", get(skill)).route("/ui/skills/{id}/files/{number}", get(file))
}

/// Which version is shown.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct VersionQuery {
    version: Option<i64>,
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
    previous: Option<i64>,
    uses: OneSkillUses,
    author: String,
    digest: String,
    lines: usize,
    install: String,
}

paged!(SkillPage, FilePage);

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
        preferences: preference_rows(&app, &visitor, &skill, mine, &wanted, &groups),
        targets: targets(&app, &visitor, &skill, &groups),
        finding_words: finding_words(&version.findings),
        findings: version.findings.clone(),
        file_words: format!("{}, {}", words::count(files.len(), "file", "files"), words::size(size)),
        files: files.iter().map(file_row).collect(),
        author: names.get(&version.author).cloned().unwrap_or_default(),
        digest: words::short_digest(&version.tree),
        install: format!("skillful add registry:team/{}", skill.name),
        versions: rows,
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

fn file_row(file: &FileRecord) -> FileRow {
    let path = file.path.as_str();
    let (icon, reads) = if path.eq_ignore_ascii_case("SKILL.md") {
        ("file", "the model, when the skill is used")
    } else if file.executable || path.starts_with("scripts/") {
        ("terminal", "runs in the sandbox")
    } else if path.starts_with("agents/") {
        ("file", "one agent")
    } else if path.to_lowercase().ends_with(".md") || path.starts_with("references/") {
        ("file", "the model, when it asks")
    } else {
        ("file", "the skill")
    };
    FileRow { path: path.to_owned(), icon, reads, size: words::size(file.size) }
}

fn version_rows(
    skill: &SkillRecord,
    versions: &[VersionRecord],
    shown: i64,
    may: &May,
    names: &BTreeMap<String, String>,
    now: i64,
) -> Vec<VersionRow> {
    let mut rows = Vec::new();
    for (at, version) in versions.iter().enumerate() {
        let before = versions.get(at + 1).map(|before| before.capabilities.clone()).unwrap_or_default();
        let gained = if at + 1 < versions.len() {
            skillful_team::judged::gained(&before, &version.capabilities).len()
        } else {
            0
        };
        let is_served = Some(version.number) == skill.default_version;
        let mut title = version.notes.lines().next().unwrap_or_default().to_owned();
        if title.is_empty() {
            title = if version.number == 1 { "First version".to_owned() } else { "No note".to_owned() };
        }
        let state = match version.state {
            VersionState::Yanked | VersionState::Revoked => version.reason.clone(),
            _ if is_served => "served".to_owned(),
            _ => String::new(),
        };
        let is = |state| version.state == state;
        rows.push(VersionRow {
            number: version.number,
            mark: if is_served {
                Mark::new("ok", "tag", version.number.to_string())
            } else {
                version_mark(version)
            },
            title,
            state,
            gained,
            digest: words::short_digest(&version.tree).chars().take(8).collect(),
            author: names.get(&version.author).cloned().unwrap_or_default(),
            time: words::time(version.created, now),
            is_served,
            is_shown: version.number == shown,
            can_serve: may.edit && !is_served && is(VersionState::Published),
            can_yank: may.yank && is(VersionState::Published),
            can_unyank: may.yank && is(VersionState::Yanked),
            can_revoke: may.revoke && (is(VersionState::Published) || is(VersionState::Yanked)),
        });
    }
    rows
}

fn version_mark(version: &VersionRecord) -> Mark {
    let number = version.number.to_string();
    match version.state {
        VersionState::Published => Mark::new("", "tag", number),
        VersionState::Pending => Mark::new("wait", "clock", format!("{number} pending")),
        VersionState::Rejected => Mark::new("off", "block", format!("{number} rejected")),
        VersionState::Yanked => Mark::new("warn", "undo", format!("{number} yanked")),
        VersionState::Revoked => Mark::new("block", "revoked", format!("{number} revoked")),
    }
}

fn preference_rows(
    app: &App,
    visitor: &Visitor,
    skill: &SkillRecord,
    mine: Option<&skillful_team::listing::ListedSkill>,
    wanted: &[Preference],
    groups: &BTreeMap<String, String>,
) -> Vec<PreferenceRow> {
    let mut rows = Vec::new();
    if let Some(one) = mine {
        rows.push(PreferenceRow {
            who: Mark::new("", "own", "You"),
            choice: marks::choice(one.choice),
            because: one.reason.clone(),
            pin: one.version.filter(|_| one.is_pinned),
            target: format!("user:{}", visitor.id()),
            may_change: one.choice != Choice::Required
                && wanted.iter().any(|other| other.target.starts_with("user:")),
            is_you: true,
        });
    }
    for preference in wanted {
        let who = match Target::of(&preference.target) {
            Ok(Target::Org) => Mark::new("", "org", "Organisation"),
            Ok(Target::Group(id)) => Mark::new("", "group", groups.get(&id).map_or("Group", String::as_str)),
            Ok(Target::User(_)) | Err(_) => continue,
        };
        rows.push(PreferenceRow {
            who,
            choice: marks::choice(preference.choice),
            because: match preference.choice {
                Choice::Required => "members cannot switch it off",
                Choice::On => "on until a member switches it off",
                Choice::Offered => "off until a member switches it on",
                Choice::Hidden => "members do not see it",
            }
            .to_owned(),
            pin: preference.pin,
            may_change: may_prefer(app, visitor, &preference.target),
            target: preference.target.clone(),
            is_you: false,
        });
    }
    if !matches!(skill.scope, Scope::Own(_)) && !wanted.iter().any(|preference| preference.target == "org") {
        rows.push(PreferenceRow {
            who: Mark::new("", "org", "Everyone who may read it"),
            choice: marks::choice(Choice::Offered),
            because: "no preference is set for the organisation".to_owned(),
            pin: None,
            target: String::new(),
            may_change: false,
            is_you: false,
        });
    }
    rows
}

fn may_prefer(app: &App, visitor: &Visitor, target: &str) -> bool {
    let actor = &visitor.actor;
    let scope = match Target::of(target) {
        Ok(Target::Org) => Scope::Org,
        Ok(Target::Group(id)) => Scope::Group(id),
        Ok(Target::User(id)) => return Some(&id) == actor.user.as_ref(),
        Err(_) => return false,
    };
    app.team.may(actor, Deed::Prefer, &actor.org, &scope).is_ok()
}

/// For whom the visitor may set a preference of this skill.
fn targets(
    app: &App,
    visitor: &Visitor,
    skill: &SkillRecord,
    groups: &BTreeMap<String, String>,
) -> Vec<(String, String)> {
    let mut found = vec![(format!("user:{}", visitor.id()), "You".to_owned())];
    if matches!(skill.scope, Scope::Own(_)) {
        return found;
    }
    if may_prefer(app, visitor, "org") {
        found.push(("org".to_owned(), "The organisation".to_owned()));
    }
    for (id, name) in groups {
        let target = format!("group:{id}");
        if may_prefer(app, visitor, &target) {
            found.push((target, name.clone()));
        }
    }
    found
}

/// Which file is shown, and how.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct FileQuery {
    path: Option<String>,
    view: Option<String>,
}

#[derive(Template)]
#[template(path = "file.html")]
struct FilePage {
    shell: Shell,
    skill: SkillRecord,
    number: i64,
    path: String,
    size: String,
    files: Vec<(String, bool)>,
    can_render: bool,
    is_rendered: bool,
    /// The lines of a text with invisible characters shown.
    lines: Vec<Markup>,
    rendered: Markup,
    is_binary: bool,
    is_cut: bool,
    findings: Vec<FindingView>,
    encoded: String,
}

/// Lines of a file that a page shows.
const LINES: usize = 5_000;

async fn file(
    State(app): State<App>,
    visitor: Visitor,
    Ids((id, number)): Ids<(String, i64)>,
    Params(query): Params<FileQuery>,
) -> PageResult {
    let (team, actor) = (&app.team, &visitor.actor);
    let skill = team.skill(actor, &id).await?;
    let version = team.version(actor, &id, number).await?;
    let tree = team.contents(actor, &id, number).await?;
    let path = match query.path {
        Some(path) => path,
        None => tree.skill_file().map(|(path, _)| path.to_owned()).ok_or(TeamError::NotFound)?,
    };
    let file = tree.get(&path).ok_or(TeamError::NotFound)?;
    let text = std::str::from_utf8(&file.bytes).ok().map(str::to_owned);
    let can_render = path.to_ascii_lowercase().ends_with(".md") && text.is_some();
    let is_rendered = can_render && query.view.as_deref() != Some("raw");
    let content = text.unwrap_or_default();
    let (lines, rendered) = blocking(move || {
        if is_rendered {
            (Vec::new(), markdown::render(body_of(&content), 2))
        } else {
            (content.lines().take(LINES + 1).map(markdown::text).collect(), Markup::default())
        }
    })
    .await?;
    let shell = Shell::of(&app, &visitor, &format!("{path} of {}", skill.name), Nav::Skills).await?;
    let page = FilePage {
        size: words::size(file.bytes.len() as u64),
        files: tree.iter().map(|(one, _)| (one.to_string(), one.as_str() == path)).collect(),
        is_binary: std::str::from_utf8(&file.bytes).is_err(),
        is_cut: lines.len() > LINES,
        findings: version.findings.into_iter().filter(|found| found.path == path).collect(),
        encoded: url::form_urlencoded::byte_serialize(path.as_bytes()).collect(),
        lines,
        rendered,
        can_render,
        is_rendered,
        path,
        number,
        skill,
        shell,
    };
    show(&page)
}
