//! Rules of the organisation.

use super::{AdminTab, Tab, may_change, tabs};
use crate::{
    page::{
        Nav, Posted, Shell, Visitor,
        deeds::told,
        errors::PageResult,
        flash::{Flash, Undo},
        shell::paged,
        show,
    },
    state::App,
};
use askama::Template;
use axum::{Router, extract::State, routing::get};
use skillful_team::organisation::{Policy, RULES};

/// The routes.
pub(super) fn router() -> Router<App> {
    Router::new().route("/ui/admin/policies", get(policies).post(set_policy))
}

paged!(PoliciesPage);

struct PolicyRow {
    rule: String,
    title: &'static str,
    help: &'static str,
    settings: Vec<(&'static str, bool)>,
}

#[derive(Template)]
#[template(path = "admin_policies.html")]
struct PoliciesPage {
    shell: Shell,
    tabs: Vec<AdminTab>,
    rows: Vec<PolicyRow>,
    may_change: bool,
}

/// What a rule means. A rule of a newer release shows its name.
fn rule_words(rule: &str) -> (&'static str, &'static str) {
    match rule {
        "review" => (
            "Review",
            "Whether a version for a group or the organisation needs the approval of another user. Off publishes at once what the audit does not block.",
        ),
        _ => ("", "A rule of the organisation."),
    }
}

async fn policies(State(app): State<App>, visitor: Visitor) -> PageResult {
    let set = app.team.policies(&visitor.actor).await?;
    let rows = set
        .into_iter()
        .map(|policy| {
            let (title, help) = rule_words(&policy.rule);
            let known =
                RULES.iter().find(|(rule, _)| *rule == policy.rule).map_or(&[][..], |(_, settings)| settings);
            PolicyRow {
                settings: known.iter().map(|setting| (*setting, *setting == policy.setting)).collect(),
                rule: policy.rule,
                title,
                help,
            }
        })
        .collect();
    let page = PoliciesPage {
        shell: Shell::of(&app, &visitor, "Policies", Nav::Admin).await?,
        tabs: tabs(&app, &visitor, Tab::Policies).await?,
        may_change: may_change(&visitor),
        rows,
    };
    show(&page)
}

async fn set_policy(State(app): State<App>, Posted { visitor, fields }: Posted) -> PageResult {
    let before = app.team.policies(&visitor.actor).await?;
    let policy = Policy { rule: fields.text("rule").to_owned(), setting: fields.text("setting").to_owned() };
    let done = app.team.set_policy(&visitor.actor, &policy).await;
    told("/ui/admin/policies", done, |set| {
        let flash = Flash::done(format!("{} is {}.", set.rule, set.setting));
        match before.iter().find(|other| other.rule == set.rule) {
            Some(old) => flash
                .with_undo(Undo::of("/ui/admin/policies", &[("rule", &old.rule), ("setting", &old.setting)])),
            None => flash,
        }
    })
}
