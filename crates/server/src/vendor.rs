//! The Skills APIs of the model vendors, so that their SDKs work with this server by setting their base URL. Both live at
//! `/v1/skills`; `/anthropic/v1` and `/openai/v1` name one, and at `/v1` the header `anthropic-version` decides.

mod anthropic;
mod openai;

use crate::{
    caller::actor,
    extract::{Ids, Params},
    state::App,
};
use axum::{
    Router,
    extract::{DefaultBodyLimit, FromRequestParts, Request},
    http::{HeaderMap, request::Parts},
    response::Response,
    routing::get,
};
use serde::Deserialize;
use skillful_team::{Actor, TeamError, skills::SkillRecord, upload::Upload, versions::VersionRecord};

/// The parameters of every list, of both vendors.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct ListQuery {
    limit: Option<String>,
    page: Option<String>,
    after: Option<String>,
    order: Option<String>,
    source: Option<String>,
}

/// Which API a request means, in which form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    Anthropic {
        /// The shapes of the beta: title, epoch, source as a word.
        is_beta: bool,
    },
    OpenAi,
}

impl Dialect {
    fn of(path: &str, headers: &HeaderMap) -> Self {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        // Later clients name no beta, also where they ask with `?beta=true`.
        let is_beta = text("anthropic-beta").is_some_and(|beta| beta.contains("skills-2025"));
        if path.starts_with("/openai/") {
            Self::OpenAi
        } else if path.starts_with("/anthropic/") || text("anthropic-version").is_some() {
            Self::Anthropic { is_beta }
        } else {
            Self::OpenAi
        }
    }

    fn answer(self, result: Result<Response, TeamError>) -> Response {
        match self {
            Self::Anthropic { .. } => result.unwrap_or_else(|error| anthropic::error(&error)),
            Self::OpenAi => result.unwrap_or_else(|error| openai::error(&error)),
        }
    }
}

/// An error in the form of the vendor that a path means; none for other paths.
pub(crate) fn refusal(path: &str, headers: &HeaderMap, error: &TeamError) -> Option<Response> {
    let is_here = ["", "/anthropic", "/openai"].iter().any(|prefix| {
        let rest = path.strip_prefix(prefix).and_then(|rest| rest.strip_prefix("/v1/skills"));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    });
    is_here.then(|| Dialect::of(path, headers).answer(Err(error.clone())))
}

/// A signed-in caller of one of these APIs. They know no guests.
struct Client {
    app: App,
    actor: Actor,
    dialect: Dialect,
}

impl FromRequestParts<App> for Client {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Response> {
        let dialect = Dialect::of(parts.uri.path(), &parts.headers);
        let found = async {
            let actor = actor(&parts.method, &parts.headers, app).await?;
            actor.user()?;
            Ok(actor)
        };
        match found.await {
            Ok(actor) => Ok(Self { app: app.clone(), actor, dialect }),
            Err(error) => Err(dialect.answer(Err(error))),
        }
    }
}

/// The routes of both.
pub(crate) fn router() -> Router<App> {
    let under = |prefix: &'static str| {
        let path = |rest: &str| format!("{prefix}/v1/skills{rest}");
        Router::new()
            .route(&path(""), get(list).post(create))
            .route(&path("/{id}"), get(retrieve).post(change).delete(remove))
            .route(&path("/{id}/content"), get(content))
            .route(&path("/{id}/versions"), get(versions).post(add_version))
            .route(&path("/{id}/versions/{version}"), get(version).delete(remove_version))
            .route(&path("/{id}/versions/{version}/content"), get(version_content))
    };
    Router::new()
        .merge(under(""))
        .merge(under("/anthropic"))
        .merge(under("/openai"))
        .layer(DefaultBodyLimit::max(crate::upload::BODY_LIMIT))
}

async fn list(client: Client, Params(query): Params<ListQuery>) -> Response {
    let Client { app, actor, dialect } = &client;
    dialect.answer(match dialect {
        Dialect::Anthropic { is_beta } => anthropic::list(app, actor, &query, *is_beta).await,
        Dialect::OpenAi => openai::list(app, actor, &query).await,
    })
}

async fn create(client: Client, request: Request) -> Response {
    let created = async {
        let upload = upload("", request).await?;
        let scope = skillful_team::Scope::Own(client.actor.user()?.to_owned());
        let stored = client.app.team.create_skill(&client.actor, &scope, upload).await?;
        client.skill(&stored.skill).await
    };
    client.dialect.answer(created.await)
}

async fn retrieve(client: Client, Ids(id): Ids<String>) -> Response {
    let found = async { client.skill(&client.app.team.skill(&client.actor, &id).await?).await };
    client.dialect.answer(found.await)
}

/// `OpenAI`: another default version.
async fn change(client: Client, Ids(id): Ids<String>, request: Request) -> Response {
    client.dialect.answer(match client.dialect {
        Dialect::Anthropic { .. } => Err(TeamError::NotFound),
        Dialect::OpenAi => openai::set_default(&client, &id, request).await,
    })
}

async fn remove(client: Client, Ids(id): Ids<String>) -> Response {
    let removed = client.app.team.delete_skill(&client.actor, &id).await;
    client.dialect.answer(removed.map(|()| match client.dialect {
        Dialect::Anthropic { .. } => anthropic::json(anthropic::deleted_skill(&id)),
        Dialect::OpenAi => openai::json(openai::deleted_skill(&id)),
    }))
}

/// `OpenAI`: the files of the default version.
async fn content(client: Client, Ids(id): Ids<String>) -> Response {
    let Client { app, actor, dialect } = &client;
    let packed = async {
        let skill = app.team.skill(actor, &id).await?;
        let number = skill.default_version.ok_or(TeamError::NotFound)?;
        crate::api::zip(&app.team.contents(actor, &id, number).await?, &skill.name)
    };
    dialect.answer(packed.await)
}

async fn versions(client: Client, Params(query): Params<ListQuery>, Ids(id): Ids<String>) -> Response {
    let found = client.app.team.versions(&client.actor, &id).await;
    client.dialect.answer(found.and_then(|found| match client.dialect {
        Dialect::Anthropic { is_beta } => anthropic::version_list(&found, &query, is_beta),
        Dialect::OpenAi => openai::version_list(found, &query),
    }))
}

async fn add_version(client: Client, Ids(id): Ids<String>, request: Request) -> Response {
    let Client { app, actor, dialect } = &client;
    let added = async {
        app.team.skill(actor, &id).await?;
        let mut upload = upload(&id, request).await?;
        // At `OpenAI` a new version is the default only when the request says so.
        upload.keeps_served &= *dialect == Dialect::OpenAi;
        let stored = app.team.add_version(actor, &id, upload).await?;
        Ok(client.version(&stored.version))
    };
    dialect.answer(added.await)
}

async fn version(client: Client, Ids((id, named)): Ids<(String, String)>) -> Response {
    let found = client.find_version(&id, &named).await;
    client.dialect.answer(found.map(|found| client.version(&found)))
}

async fn remove_version(client: Client, Ids((id, named)): Ids<(String, String)>) -> Response {
    let Client { app, actor, dialect } = &client;
    let removed = async {
        let found = client.find_version(&id, &named).await?;
        let moves_default = *dialect != Dialect::OpenAi;
        app.team.delete_version(actor, &id, found.number, moves_default).await?;
        Ok(match dialect {
            Dialect::Anthropic { is_beta } => anthropic::json(anthropic::deleted_version(&found, *is_beta)),
            Dialect::OpenAi => openai::json(openai::deleted_version(&found)),
        })
    };
    dialect.answer(removed.await)
}

async fn version_content(client: Client, Ids((id, named)): Ids<(String, String)>) -> Response {
    let packed = async {
        let found = client.find_version(&id, &named).await?;
        let tree = client.app.team.contents(&client.actor, &id, found.number).await?;
        crate::api::zip(&tree, &found.name)
    };
    client.dialect.answer(packed.await)
}

impl Client {
    /// A skill in the form of the vendor.
    async fn skill(&self, skill: &SkillRecord) -> Result<Response, TeamError> {
        match self.dialect {
            Dialect::Anthropic { is_beta } => {
                anthropic::skill(&self.app, &self.actor, skill, is_beta).await.map(anthropic::json)
            }
            Dialect::OpenAi => Ok(openai::json(openai::skill(skill))),
        }
    }

    /// A version in the form of the vendor.
    fn version(&self, version: &VersionRecord) -> Response {
        match self.dialect {
            Dialect::Anthropic { is_beta } => anthropic::json(anthropic::version(version, is_beta)),
            Dialect::OpenAi => openai::json(openai::version(version)),
        }
    }

    /// A version by its number, its id, its epoch, or `latest`.
    async fn find_version(&self, id: &str, named: &str) -> Result<VersionRecord, TeamError> {
        let found = self.app.team.versions(&self.actor, id).await?;
        found
            .into_iter()
            .find(|version| {
                named == "latest"
                    || version.id == named
                    || version.number.to_string() == named
                    || version.epoch.to_string() == named
            })
            .ok_or(TeamError::NotFound)
    }
}

/// The files of a request for a place: new skills, or one skill. The SDKs send a request again without a key of its own and
/// count how often: the same files for the same place get the first result.
async fn upload(place: &str, request: Request) -> Result<Upload, TeamError> {
    let is_repeated = {
        let header = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok());
        if header("content-type").is_some_and(|kind| kind.starts_with("application/json")) {
            return Err(TeamError::invalid("no-files", "the request has no files"));
        }
        header("x-stainless-retry-count").is_some_and(|count| count != "0")
    };
    let form = crate::upload::form(request).await?;
    let field = |name: &str| form.fields.get(name).filter(|text| !text.is_empty()).cloned();
    let title = field("display_name").or_else(|| field("display_title"));
    Ok(Upload {
        title,
        keeps_served: field("default").as_deref() != Some("true"),
        request: Some(format!("files:{place}:{}", form.tree.digest())),
        is_repeated,
        tree: form.tree,
        folder: form.folder,
        ..Default::default()
    })
}

/// The number of a page's size.
fn limit(text: Option<&str>, most: i64) -> Result<i64, TeamError> {
    match text.map(str::parse) {
        None => Ok(20),
        Some(Ok(limit)) if (1..=most).contains(&limit) => Ok(limit),
        Some(_) => Err(TeamError::invalid("wrong-limit", format!("limit: must be 1 to {most}"))),
    }
}

/// The newest version that a caller sees.
async fn latest(app: &App, actor: &Actor, skill: &SkillRecord) -> Result<Option<VersionRecord>, TeamError> {
    Ok(app.team.versions(actor, &skill.id).await?.into_iter().next())
}
