//! Rules of the organisation.

use super::{AdminTab, Tab, may_change, tabs};
use crate::{
    page::{
        Nav, Posted, Shell, Visitor,
        deeds::told,
        errors::PageResult,
        flash::{Flash, Undo},
        shell::paged,
        show, words,
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
    /// Each setting with its words and whether it is set.
    settings: Vec<(&'static str, String, bool)>,
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
        "idle-skills" => (
            "Skills that are not used",
            "What happens to a personal skill that its owner did not use for 90 days. An archived skill comes back with one click.",
        ),
        "model-made" => (
            "Skills that a model wrote",
            "Whether a version that a model wrote for its user waits for that user. Blocking findings wait in any case, and what is for others is reviewed.",
        ),
        "quota-skills" => {
            ("Skills of one owner", "How many skills a user, a group or the organisation may keep.")
        }
        "quota-versions" => ("Versions of one skill", "How many versions a skill may have."),
        "quota-megabytes" => {
            ("Space of one owner", "How much the files of a user, a group or the organisation may take.")
        }
        _ => ("", "A rule of the organisation."),
    }
}

/// A setting in words.
fn setting_words(rule: &str, setting: &str) -> String {
    let known = match (rule, setting) {
        ("review", "required") => "Approval required",
        ("review", "off") => "No approval",
        ("idle-skills", "archive") => "Archive after 90 days",
        ("idle-skills", "keep") => "Keep",
        ("model-made", "propose_only") => "Every version waits",
        ("model-made", "auto_enable_trusted") => "Instructions only: served at once",
        ("model-made", "auto_enable") => "All: served at once",
        (_, "unlimited") => "Unlimited",
        _ => "",
    };
    let unit = match rule {
        "quota-skills" => "skills",
        "quota-versions" => "versions",
        "quota-megabytes" => "MB",
        _ => "",
    };
    match (known, setting.parse::<i64>()) {
        ("", Ok(number)) => format!("{} {unit}", words::number(number)).trim_end().to_owned(),
        ("", Err(_)) => setting.to_owned(),
        (known, _) => known.to_owned(),
    }
}

/// Numbers in their order, what has no number last.
fn settings_of(rule: &str, setting: &str) -> Vec<(&'static str, String, bool)> {
    let known = RULES.iter().find(|(known, _)| *known == rule).map_or(&[][..], |(_, settings)| settings);
    let mut all: Vec<(&'static str, String, bool)> =
        known.iter().map(|one| (*one, setting_words(rule, one), *one == setting)).collect();
    if all.iter().any(|(one, ..)| one.parse::<i64>().is_ok()) {
        all.sort_by_key(|(one, ..)| one.parse().unwrap_or(i64::MAX));
    }
    all
}

async fn policies(State(app): State<App>, visitor: Visitor) -> PageResult {
    let set = app.team.policies(&visitor.actor).await?;
    let rows = set
        .into_iter()
        .map(|policy| {
            let (title, help) = rule_words(&policy.rule);
            PolicyRow { settings: settings_of(&policy.rule, &policy.setting), rule: policy.rule, title, help }
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
        let (title, setting) = (rule_words(&set.rule).0, setting_words(&set.rule, &set.setting));
        let title = if title.is_empty() { &set.rule } else { title };
        let flash = Flash::done(format!("{title}: {}.", setting.to_lowercase()));
        match before.iter().find(|other| other.rule == set.rule) {
            Some(old) => flash
                .with_undo(Undo::of("/ui/admin/policies", &[("rule", &old.rule), ("setting", &old.setting)])),
            None => flash,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_a_title_and_every_setting_has_words() {
        for (rule, settings) in RULES {
            assert!(!rule_words(rule).0.is_empty(), "{rule} has no title");
            for setting in *settings {
                assert_ne!(setting_words(rule, setting), *setting, "{rule}={setting} has no words");
            }
            assert_eq!(settings_of(rule, settings[0]).iter().filter(|(.., is_set)| *is_set).count(), 1);
        }
        let sizes: Vec<String> =
            settings_of("quota-skills", "100").into_iter().map(|(_, words, _)| words).collect();
        assert_eq!(sizes, ["10 skills", "100 skills", "1,000 skills", "10,000 skills", "Unlimited"]);
    }
}
