//! What is done to a skill: each form answers with the page of the skill and a message, with the way back where there is one.
//! What needs a reason or a typed name has a page of its own, which script shows as a dialog.

use super::{
    Nav, Posted, Shell, Visitor,
    errors::{PageError, PageResult},
    flash::{Flash, Undo},
    shell::{go, paged},
    show,
};
use crate::{
    extract::{Ids, Params},
    state::App,
};
use askama::Template;
use axum::{
    Router,
    extract::State,
    http::{HeaderValue, header},
    response::Response,
    routing::{get, post},
};
use serde::Deserialize;
use skillful_team::{
    Scope, TeamError,
    preferences::Target,
    skills::{SkillChange, SkillRecord},
    versions::VersionState,
};

/// The routes.
pub(crate) fn router() -> Router<App> {
    Router::new()
        .route("/ui/skills/{id}/ask/{deed}", get(ask))
        .route("/ui/skills/{id}/default", post(serve))
        .route("/ui/skills/{id}/yank", post(yank))
        .route("/ui/skills/{id}/unyank", post(unyank))
        .route("/ui/skills/{id}/revoke", post(revoke))
        .route("/ui/skills/{id}/propose", post(propose))
        .route("/ui/skills/{id}/preference", post(prefer))
        .route("/ui/skills/{id}/state", post(state))
        .route("/ui/skills/{id}/offer", post(offer))
        .route("/ui/skills/{id}/listed", post(listed))
        .route("/ui/skills/{id}/adopt", post(adopt))
        .route("/ui/skills/{id}/unadopt", post(unadopt))
        .route("/ui/skills/{id}/delete", post(delete))
        .route("/ui/skills/{id}/export", get(export))
}

fn page_of(id: &str) -> String {
    format!("/ui/skills/{id}")
}

/// Answers with the page of the skill: what was done, or why it was refused. Faults of the server are pages of their own.
pub(crate) fn told<T>(back: &str, done: Result<T, TeamError>, flash: impl FnOnce(T) -> Flash) -> PageResult {
    match done {
        Ok(value) => Ok(go(back, &flash(value))),
        Err(
            error @ (TeamError::NotFound
            | TeamError::Unauthenticated(_)
            | TeamError::Unavailable(_)
            | TeamError::Damaged(_)
            | TeamError::Internal(_)),
        ) => Err(error.into()),
        Err(error) => Ok(go(back, &Flash::failed(error.to_string()))),
    }
}

async fn serve(
    State(app): State<App>,
    Ids(id): Ids<String>,
    Posted { visitor, fields }: Posted,
) -> PageResult {
    let number = fields.number("version")?;
    let before = app.team.skill(&visitor.actor, &id).await?.default_version;
    let done = app.team.set_default(&visitor.actor, &id, number).await;
    told(&page_of(&id), done, |skill| {
        let flash = Flash::done(format!("Version {number} of {} is served.", skill.name));
        match before {
            Some(before) => flash
                .with_undo(Undo::of(format!("/ui/skills/{id}/default"), &[("version", &before.to_string())])),
            None => flash,
        }
    })
}

async fn take_back(app: &App, id: &str, posted: &Posted, to: VersionState, word: &str) -> PageResult {
    let number = posted.fields.number("version")?;
    let reason = posted.fields.trimmed("reason");
    let done = app.team.take_back(&posted.visitor.actor, id, number, to, reason).await;
    told(&page_of(id), done, |version| Flash::done(format!("Version {} is {word}.", version.number)))
}

async fn yank(State(app): State<App>, Ids(id): Ids<String>, posted: Posted) -> PageResult {
    take_back(&app, &id, &posted, VersionState::Yanked, "yanked; who pinned it still gets it").await
}

async fn unyank(State(app): State<App>, Ids(id): Ids<String>, posted: Posted) -> PageResult {
    take_back(&app, &id, &posted, VersionState::Published, "published again").await
}

async fn revoke(State(app): State<App>, Ids(id): Ids<String>, posted: Posted) -> PageResult {
    take_back(&app, &id, &posted, VersionState::Revoked, "revoked; clients that ask stop using it").await
}

async fn propose(
    State(app): State<App>,
    Ids(id): Ids<String>,
    Posted { visitor, fields }: Posted,
) -> PageResult {
    let number = fields.number("version")?;
    let scope = match fields.text("scope").split_once(':') {
        Some(("group", group)) => Scope::Group(group.to_owned()),
        _ => Scope::of(fields.text("scope"), visitor.id())?,
    };
    let done = app.team.propose(&visitor.actor, &id, number, &scope, fields.trimmed("note")).await;
    match done {
        Ok(detail) => Ok(go(
            &format!("/ui/reviews/{}", detail.proposal.id),
            &Flash::done("Proposed. Another user decides; you see the decision here."),
        )),
        other => told(&page_of(&id), other, |_| Flash::default()),
    }
}

async fn prefer(
    State(app): State<App>,
    Ids(id): Ids<String>,
    Posted { visitor, fields }: Posted,
) -> PageResult {
    let target = Target::of(fields.text("target"))?;
    let pin = if fields.trimmed("pin").is_empty() { None } else { Some(fields.number("pin")?) };
    if fields.trimmed("choice").is_empty() {
        let done = app.team.remove_preference(&visitor.actor, &id, &target).await;
        return told(&page_of(&id), done, |()| Flash::done("The preference is removed."));
    }
    let choice = fields.text("choice").parse()?;
    let done = app.team.set_preference(&visitor.actor, &id, &target, choice, pin).await;
    told(&page_of(&id), done, |set| {
        Flash::done(match set.pin {
            Some(pin) => format!("The preference is {}, pinned to version {pin}.", set.choice),
            None => format!("The preference is {}.", set.choice),
        })
    })
}

async fn state(
    State(app): State<App>,
    Ids(id): Ids<String>,
    Posted { visitor, fields }: Posted,
) -> PageResult {
    let before = app.team.skill(&visitor.actor, &id).await?.state;
    let change = SkillChange { state: Some(fields.text("state").to_owned()), title: None };
    let done = app.team.change_skill(&visitor.actor, &id, &change).await;
    told(&page_of(&id), done, |skill| {
        let undo = Undo::of(format!("/ui/skills/{id}/state"), &[("state", &before)]);
        Flash::done(format!("{} is {}.", skill.name, skill.state)).with_undo(undo)
    })
}

async fn offer(
    State(app): State<App>,
    Ids(id): Ids<String>,
    Posted { visitor, fields }: Posted,
) -> PageResult {
    let done = app.team.offer(&visitor.actor, &id, fields.text("on") == "true").await;
    told(&page_of(&id), done, |skill| {
        Flash::done(if skill.is_offered {
            "Every member finds it in the marketplace."
        } else {
            "It is taken out of the marketplace; its adoptions ended."
        })
    })
}

async fn listed(
    State(app): State<App>,
    Ids(id): Ids<String>,
    Posted { visitor, fields }: Posted,
) -> PageResult {
    let on = fields.text("on") == "true";
    let done = app.team.list_skill(&visitor.actor, &id, on).await;
    told(&page_of(&id), done, |_| {
        let undo = Undo::of(format!("/ui/skills/{id}/listed"), &[("on", if on { "false" } else { "true" })]);
        Flash::done(if on {
            "It is listed again."
        } else {
            "It is out of every list, and members do not get it."
        })
        .with_undo(undo)
    })
}

async fn adopt(
    State(app): State<App>,
    Ids(id): Ids<String>,
    Posted { visitor, fields }: Posted,
) -> PageResult {
    let done = app.team.adopt(&visitor.actor, &id).await;
    told(fields.back(&page_of(&id)), done, |skill| {
        let undo = Undo::of(format!("/ui/skills/{id}/unadopt"), &[]);
        Flash::done(format!("You adopted {}.", skill.name)).with_undo(undo)
    })
}

async fn unadopt(
    State(app): State<App>,
    Ids(id): Ids<String>,
    Posted { visitor, fields }: Posted,
) -> PageResult {
    let done = app.team.unadopt(&visitor.actor, &id).await;
    told(fields.back("/ui/skills"), done, |()| {
        Flash::done("The adoption has ended.").with_undo(Undo::of(format!("/ui/skills/{id}/adopt"), &[]))
    })
}

async fn delete(
    State(app): State<App>,
    Ids(id): Ids<String>,
    Posted { visitor, fields }: Posted,
) -> PageResult {
    let skill = app.team.skill(&visitor.actor, &id).await?;
    if fields.trimmed("name") != skill.name {
        let why = format!("The name does not match: type {} to delete it. Nothing was deleted.", skill.name);
        return Ok(go(&page_of(&id), &Flash::failed(why)));
    }
    let done = app.team.delete_skill(&visitor.actor, &id).await;
    told("/ui/skills", done, |()| Flash::done(format!("{} and all its versions are deleted.", skill.name)))
}

/// Which version.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct NumberQuery {
    version: Option<i64>,
}

async fn export(
    State(app): State<App>,
    visitor: Visitor,
    Ids(id): Ids<String>,
    Params(query): Params<NumberQuery>,
) -> Result<Response, PageError> {
    let skill = app.team.skill(&visitor.actor, &id).await?;
    let number = query.version.or(skill.default_version).unwrap_or(skill.latest_version);
    let tree = app.team.contents(&visitor.actor, &id, number).await?;
    let mut file = crate::api::zip(&tree, &skill.name)?;
    // Programs ask the API again by the digest; the browser of a session keeps nothing of it.
    file.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(file)
}

#[derive(Template)]
#[template(path = "ask.html")]
struct AskPage {
    shell: Shell,
    skill: SkillRecord,
    deed: &'static str,
    title: String,
    text: String,
    button: &'static str,
    is_dangerous: bool,
    needs_name: bool,
    needs_reason: bool,
    version: Option<i64>,
    scopes: Vec<(String, String)>,
}

paged!(AskPage);

async fn ask(
    State(app): State<App>,
    visitor: Visitor,
    Ids((id, deed)): Ids<(String, String)>,
    Params(query): Params<NumberQuery>,
) -> PageResult {
    let skill = app.team.skill(&visitor.actor, &id).await?;
    let number = query.version.or(skill.default_version).unwrap_or(skill.latest_version);
    let versions = app.team.versions(&visitor.actor, &id).await?.len();
    let (deed, title, text, button) = match deed.as_str() {
        "delete" => (
            "delete",
            format!("Delete {}?", skill.name),
            format!(
                "{} and everyone who uses it loses it. This cannot be undone.{}",
                if versions == 1 { "Its version is removed".to_owned() } else { format!("All {versions} versions are removed") },
                if matches!(skill.scope, Scope::Own(_)) { "" } else { " The name stays reserved for 30 days." }
            ),
            "Delete skill",
        ),
        "yank" => (
            "yank",
            format!("Yank version {number}?"),
            "New installations do not get it. Who pinned it keeps it. It can be published again.".to_owned(),
            "Yank version",
        ),
        "unyank" => (
            "unyank",
            format!("Publish version {number} again?"),
            "New installations get it again.".to_owned(),
            "Publish again",
        ),
        "revoke" => (
            "revoke",
            format!("Revoke version {number}?"),
            "It is not given out any more, and clients that ask stop using it. This cannot be undone.".to_owned(),
            "Revoke version",
        ),
        "propose" => (
            "propose",
            format!("Propose version {number}"),
            "Its files become a version of the wider skill of this name, which is pending until another user approves it.".to_owned(),
            "Propose",
        ),
        _ => return Err(TeamError::NotFound.into()),
    };
    let mut scopes = Vec::new();
    if deed == "propose" {
        if skill.scope.distance() < Scope::Group(String::new()).distance() {
            let groups = app.team.groups(&visitor.actor).await?;
            scopes.extend(groups.into_iter().map(|group| (format!("group:{}", group.id), group.name)));
        }
        if skill.scope.distance() < Scope::Org.distance() {
            scopes.push(("org".to_owned(), "The organisation".to_owned()));
        }
        scopes.push(("global".to_owned(), "All organisations of this server".to_owned()));
    }
    let page = AskPage {
        shell: Shell::of(&app, &visitor, &title, Nav::Skills).await?,
        is_dangerous: matches!(deed, "delete" | "revoke"),
        needs_name: deed == "delete",
        needs_reason: matches!(deed, "yank" | "unyank" | "revoke"),
        version: (deed != "delete").then_some(number),
        scopes,
        deed,
        title,
        text,
        button,
        skill,
    };
    show(&page)
}
