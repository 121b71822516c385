//! What the organisation and its groups want of each skill.

use super::{AdminTab, ROWS, Tab, may_change, tabs};
use crate::{
    extract::Params,
    page::{
        Nav, Posted, Shell, Visitor,
        address::Address,
        deeds::told,
        errors::PageResult,
        flash::{Flash, Undo},
        marks::{self, Mark},
        shell::paged,
        show,
    },
    state::App,
};
use askama::Template;
use axum::{Router, extract::State, routing::get};
use serde::Deserialize;
use skillful_team::{
    permission::{OrgDeed, may_org},
    preferences::{Choice, Target},
    skills::SkillFilter,
};

/// The routes.
pub(super) fn router() -> Router<App> {
    Router::new().route("/ui/admin/preferences", get(preferences).post(set_preference))
}

paged!(PreferencesPage);

struct PreferenceCell {
    target: String,
    label: String,
    choice: Option<Choice>,
    inherited: Mark,
}

impl PreferenceCell {
    fn options(&self) -> Vec<(&'static str, &'static str, bool)> {
        [
            (Choice::Required, "Required"),
            (Choice::On, "On"),
            (Choice::Offered, "Offered"),
            (Choice::Hidden, "Hidden"),
        ]
        .into_iter()
        .map(|(choice, word)| (choice.word(), word, self.choice == Some(choice)))
        .collect()
    }

    fn mark(&self) -> Mark {
        self.choice.map_or_else(|| self.inherited.clone(), marks::choice)
    }
}

struct PreferenceRow {
    id: String,
    name: String,
    served: String,
    cells: Vec<PreferenceCell>,
}

#[derive(Template)]
#[template(path = "admin_preferences.html")]
struct PreferencesPage {
    shell: Shell,
    tabs: Vec<AdminTab>,
    here: Address,
    groups: Vec<String>,
    rows: Vec<PreferenceRow>,
    next: Option<String>,
    may_change: bool,
}

/// What the address asks for.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct PreferenceAddress {
    q: Option<String>,
    after: Option<String>,
}

async fn preferences(
    State(app): State<App>,
    visitor: Visitor,
    Params(asked): Params<PreferenceAddress>,
) -> PageResult {
    let (team, actor) = (&app.team, &visitor.actor);
    may_org(actor, OrgDeed::ReadSettings, &actor.org)?;
    let groups = team.groups(actor).await?;
    let query = asked.q.unwrap_or_default();
    let here = Address::of("/ui/admin/preferences").with("q", &query);
    let mut rows = Vec::new();
    let mut after = asked.after;
    // Personal skills have no preference of others; pages of the list may hold many of them.
    for _ in 0..20 {
        let filter =
            SkillFilter { words: query.clone(), after: after.clone(), limit: 100, ..Default::default() };
        let page = team.skills(actor, &filter).await?;
        for skill in page.items.iter().filter(|skill| !matches!(skill.scope, skillful_team::Scope::Own(_))) {
            if rows.len() >= ROWS {
                break;
            }
            let set = team.preferences(actor, &skill.id).await?;
            let of = |target: &str| set.iter().find(|one| one.target == target).map(|one| one.choice);
            let org = of("org");
            let cell = |target: String, who: &str, inherited: Option<Choice>| PreferenceCell {
                label: format!("{} for {who}", skill.name),
                choice: of(&target),
                inherited: marks::choice(inherited.unwrap_or(Choice::Offered)),
                target,
            };
            let mut cells = vec![cell("org".to_owned(), "the organisation", None)];
            cells.extend(groups.iter().map(|group| cell(format!("group:{}", group.id), &group.name, org)));
            rows.push((
                skill.created,
                PreferenceRow {
                    id: skill.id.clone(),
                    name: skill.name.clone(),
                    served: skill
                        .default_version
                        .map_or_else(|| "none".to_owned(), |number| number.to_string()),
                    cells,
                },
            ));
        }
        after = match rows.last() {
            Some((created, row)) if rows.len() >= ROWS => Some(format!("{created}.{}", row.id)),
            _ => page.next,
        };
        if rows.len() >= ROWS || after.is_none() {
            break;
        }
    }
    let page = PreferencesPage {
        shell: Shell::of(&app, &visitor, "Preferences", Nav::Admin).await?,
        tabs: tabs(&app, &visitor, Tab::Preferences).await?,
        groups: groups.into_iter().map(|group| group.name).collect(),
        next: after.map(|after| here.with("after", after).to_string()),
        rows: rows.into_iter().map(|(_, row)| row).collect(),
        may_change: may_change(&visitor),
        here,
    };
    show(&page)
}

async fn set_preference(State(app): State<App>, Posted { visitor, fields }: Posted) -> PageResult {
    let (skill, target) = (fields.text("skill").to_owned(), Target::of(fields.text("target"))?);
    let back = fields.back("/ui/admin/preferences").to_owned();
    if fields.text("choice").is_empty() {
        let done = app.team.remove_preference(&visitor.actor, &skill, &target).await;
        return told(&back, done, |()| Flash::done("The preference is inherited again."));
    }
    let choice: Choice = fields.text("choice").parse()?;
    let known = app.team.preferences(&visitor.actor, &skill).await?;
    let before = known.iter().find(|one| one.target == fields.text("target"));
    // A change of the choice keeps the pin.
    let done = app
        .team
        .set_preference(&visitor.actor, &skill, &target, choice, before.and_then(|one| one.pin))
        .await;
    let undone = before.map_or("", |one| one.choice.word());
    let undo = Undo::of(
        "/ui/admin/preferences",
        &[("skill", &skill), ("target", fields.text("target")), ("choice", undone)],
    );
    told(&back, done, |set| Flash::done(format!("The preference is {}.", set.choice)).with_undo(undo))
}
