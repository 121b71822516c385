//! A new skill: from a form, or from files. And the first page of a new server.

use super::{
    Nav, Shell, Visitor,
    errors::{PageError, PageResult},
    flash::Flash,
    form::PostedFiles,
    shell::{go, paged},
    show,
};
use crate::{state::App, upload::BODY_LIMIT};
use askama::Template;
use axum::{
    Router,
    extract::{DefaultBodyLimit, State},
    routing::{get, post},
};
use skillful_team::{GroupRole, Role, Scope, TeamError, upload::Upload};

/// The routes.
pub(crate) fn router() -> Router<App> {
    let import = post(import).layer(DefaultBodyLimit::max(BODY_LIMIT));
    Router::new()
        .route("/ui/skills/new", get(new))
        .route("/ui/skills/import", import)
        .route("/ui/welcome", get(welcome))
}

#[derive(Template)]
#[template(path = "new.html")]
struct NewPage {
    shell: Shell,
    scopes: Vec<(String, String)>,
}

#[derive(Template)]
#[template(path = "welcome.html")]
struct WelcomePage {
    shell: Shell,
    address: String,
}

paged!(NewPage, WelcomePage);

/// For whom the visitor may create a skill; the server asks again when it is created.
pub(crate) async fn scopes(app: &App, visitor: &Visitor) -> Result<Vec<(String, String)>, TeamError> {
    let actor = &visitor.actor;
    let mut found = vec![("own".to_owned(), "Only me".to_owned())];
    for group in app.team.groups(actor).await? {
        let is_editor = actor.groups.get(&group.id).is_some_and(|role| *role >= GroupRole::Editor);
        if is_editor || actor.has(Role::OrgAdmin) {
            found.push((format!("group:{}", group.id), group.name));
        }
    }
    if actor.has(Role::OrgAdmin) {
        found.push(("org".to_owned(), "The organisation".to_owned()));
    }
    if actor.has(Role::SiteAdmin) {
        found.push(("global".to_owned(), "All organisations".to_owned()));
    }
    Ok(found)
}

async fn new(State(app): State<App>, visitor: Visitor) -> PageResult {
    let shell = Shell::of(&app, &visitor, "New skill", Nav::Skills).await?;
    show(&NewPage { scopes: scopes(&app, &visitor).await?, shell })
}

async fn welcome(State(app): State<App>, visitor: Visitor) -> PageResult {
    let shell = Shell::of(&app, &visitor, "Welcome", Nav::Other).await?;
    show(&WelcomePage { address: app.address().to_owned(), shell })
}

/// The scope that a form names: `own`, `group:ID`, `org`, `global`.
pub(crate) fn scope_of(text: &str, user: &str) -> Result<Scope, TeamError> {
    match text.split_once(':') {
        Some(("group", id)) => Ok(Scope::Group(id.to_owned())),
        _ if text.is_empty() || text == "own" => Ok(Scope::Own(user.to_owned())),
        _ => Scope::of(text, ""),
    }
}

async fn import(State(app): State<App>, PostedFiles { visitor, form }: PostedFiles) -> PageResult {
    let field = |name: &str| form.fields.get(name).map(|text| text.trim().to_owned()).unwrap_or_default();
    let scope = scope_of(&field("scope"), visitor.id())?;
    let skipped = form.skipped.clone();
    let upload = Upload {
        notes: field("notes"),
        source: "imported".to_owned(),
        tree: form.tree.clone(),
        folder: form.folder.clone(),
        ..Default::default()
    };
    match app.team.create_skill(&visitor.actor, &scope, upload).await {
        Ok(stored) => {
            let mut text = match &stored.proposal {
                Some(_) => {
                    format!("{} is uploaded and pending: another user has to approve it.", stored.skill.name)
                }
                None => format!("{} is imported.", stored.skill.name),
            };
            if !skipped.is_empty() {
                text += &format!(" Not taken: {}", skipped.join("; "));
            }
            Ok(go(&format!("/ui/skills/{}", stored.skill.id), &Flash::done(text)))
        }
        Err(
            error @ (TeamError::Conflict { .. }
            | TeamError::Invalid { .. }
            | TeamError::Forbidden(_)
            | TeamError::TooLarge(_)),
        ) => Ok(go("/ui/skills/new", &Flash::failed(format!("The skill was not imported: {error}")))),
        Err(error) => Err(PageError::from(error)),
    }
}
