//! Rows of the page of a skill: files, versions, who gets it and why.

use super::{FileRow, May, PreferenceRow, VersionRow};
use crate::{
    page::{
        Visitor,
        marks::{self, Mark},
        words,
    },
    state::App,
};
use skillful_team::{
    Scope,
    groups::Audience,
    permission::Deed,
    preferences::{Choice, Preference, Target},
    skills::SkillRecord,
    versions::{FileRecord, VersionRecord, VersionState},
};
use std::collections::BTreeMap;

pub(super) fn file_row(file: &FileRecord) -> FileRow {
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

pub(super) fn version_rows(
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

pub(super) fn preference_rows(
    app: &App,
    visitor: &Visitor,
    skill: &SkillRecord,
    mine: Option<&skillful_team::listing::ListedSkill>,
    wanted: &[Preference],
    (groups, audience): (&BTreeMap<String, String>, &Audience),
) -> Vec<PreferenceRow> {
    let of_group = |id: &str| audience.groups.get(id).copied().unwrap_or(0);
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
            users: "1".to_owned(),
            is_you: true,
        });
    }
    for preference in wanted {
        let (who, users) = match Target::of(&preference.target) {
            Ok(Target::Org) => (Mark::new("", "org", "Organisation"), audience.org),
            Ok(Target::Group(id)) => {
                let name = groups.get(&id).map_or("Group", String::as_str);
                (Mark::new("", "group", name), of_group(&id))
            }
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
            users: words::number(users),
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
            users: words::number(match &skill.scope {
                Scope::Group(id) => of_group(id),
                _ => audience.org,
            }),
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
pub(super) fn targets(
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
