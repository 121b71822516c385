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
    extract::{DefaultBodyLimit, Request, State},
    http::{HeaderMap, Method},
    response::Response,
    routing::{delete, get, post},
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
    fn of(prefix: Option<&str>, headers: &HeaderMap) -> Self {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        // Later clients name no beta, also where they ask with `?beta=true`.
        let is_beta = text("anthropic-beta").is_some_and(|beta| beta.contains("skills-2025"));
        match prefix {
            Some("openai") => Self::OpenAi,
            Some(_) => Self::Anthropic { is_beta },
            None if text("anthropic-version").is_some() => Self::Anthropic { is_beta },
            None => Self::OpenAi,
        }
    }

    fn answer(self, result: Result<Response, TeamError>) -> Response {
        match self {
            Self::Anthropic { .. } => result.unwrap_or_else(|error| anthropic::error(&error)),
            Self::OpenAi => result.unwrap_or_else(|error| openai::error(&error)),
        }
    }
}

/// The routes of both.
pub(crate) fn router() -> Router<App> {
    let under = |prefix: &'static str, name: Option<&'static str>| {
        let path = |rest: &str| format!("{prefix}/v1/skills{rest}");
        Router::new()
            .route(
                &path(""),
                get(move |app, headers, query| list(name, app, headers, query))
                    .post(move |app, request| create(name, app, request)),
            )
            .route(
                &path("/{id}"),
                get(move |app, headers, id| retrieve(name, app, headers, id))
                    .post(move |app, id, request| change(name, app, id, request))
                    .merge(delete(move |app, headers, id| remove(name, app, headers, id))),
            )
            .route(&path("/{id}/content"), get(move |app, headers, id| content(name, app, headers, id)))
            .route(
                &path("/{id}/versions"),
                get(move |app, headers, query, id| versions(name, app, headers, query, id))
                    .merge(post(move |app, id, request| add_version(name, app, id, request))),
            )
            .route(
                &path("/{id}/versions/{version}"),
                get(move |app, headers, ids| version(name, app, headers, ids))
                    .merge(delete(move |app, headers, ids| remove_version(name, app, headers, ids))),
            )
            .route(
                &path("/{id}/versions/{version}/content"),
                get(move |app, headers, ids| version_content(name, app, headers, ids)),
            )
    };
    Router::new()
        .merge(under("", None))
        .merge(under("/anthropic", Some("anthropic")))
        .merge(under("/openai", Some("openai")))
        .layer(DefaultBodyLimit::max(crate::upload::BODY_LIMIT))
}

type App_ = State<App>;
type Query_ = Params<ListQuery>;

async fn list(
    name: Option<&'static str>,
    State(app): App_,
    headers: HeaderMap,
    Params(query): Query_,
) -> Response {
    let dialect = Dialect::of(name, &headers);
    dialect.answer(
        async {
            let actor = caller(&Method::GET, &headers, &app).await?;
            match dialect {
                Dialect::Anthropic { is_beta } => anthropic::list(&app, &actor, &query, is_beta).await,
                Dialect::OpenAi => openai::list(&app, &actor, &query).await,
            }
        }
        .await,
    )
}

async fn create(name: Option<&'static str>, State(app): App_, request: Request) -> Response {
    let dialect = Dialect::of(name, request.headers());
    dialect.answer(
        async {
            let actor = caller(&Method::POST, request.headers(), &app).await?;
            let upload = upload("", request).await?;
            let scope = skillful_team::Scope::Own(actor.user()?.to_owned());
            let stored = app.team.create_skill(&actor, &scope, upload).await?;
            match dialect {
                Dialect::Anthropic { is_beta } => {
                    anthropic::skill(&app, &actor, &stored.skill, is_beta).await.map(anthropic::json)
                }
                Dialect::OpenAi => Ok(openai::json(openai::skill(&stored.skill))),
            }
        }
        .await,
    )
}

async fn retrieve(
    name: Option<&'static str>,
    State(app): App_,
    headers: HeaderMap,
    Ids(id): Ids<String>,
) -> Response {
    let dialect = Dialect::of(name, &headers);
    dialect.answer(
        async {
            let actor = caller(&Method::GET, &headers, &app).await?;
            let skill = app.team.skill(&actor, &id).await?;
            match dialect {
                Dialect::Anthropic { is_beta } => {
                    anthropic::skill(&app, &actor, &skill, is_beta).await.map(anthropic::json)
                }
                Dialect::OpenAi => Ok(openai::json(openai::skill(&skill))),
            }
        }
        .await,
    )
}

/// `OpenAI`: another default version.
async fn change(
    name: Option<&'static str>,
    State(app): App_,
    Ids(id): Ids<String>,
    request: Request,
) -> Response {
    let dialect = Dialect::of(name, request.headers());
    dialect.answer(
        async {
            let actor = caller(&Method::POST, request.headers(), &app).await?;
            if dialect != Dialect::OpenAi {
                return Err(TeamError::NotFound);
            }
            openai::set_default(&app, &actor, &id, request).await
        }
        .await,
    )
}

async fn remove(
    name: Option<&'static str>,
    State(app): App_,
    headers: HeaderMap,
    Ids(id): Ids<String>,
) -> Response {
    let dialect = Dialect::of(name, &headers);
    dialect.answer(
        async {
            let actor = caller(&Method::DELETE, &headers, &app).await?;
            app.team.delete_skill(&actor, &id).await?;
            Ok(match dialect {
                Dialect::Anthropic { .. } => anthropic::json(anthropic::deleted_skill(&id)),
                Dialect::OpenAi => openai::json(openai::deleted_skill(&id)),
            })
        }
        .await,
    )
}

/// `OpenAI`: the files of the default version.
async fn content(
    name: Option<&'static str>,
    State(app): App_,
    headers: HeaderMap,
    Ids(id): Ids<String>,
) -> Response {
    let dialect = Dialect::of(name, &headers);
    dialect.answer(
        async {
            let actor = caller(&Method::GET, &headers, &app).await?;
            let skill = app.team.skill(&actor, &id).await?;
            let number = skill.default_version.ok_or(TeamError::NotFound)?;
            let tree = app.team.contents(&actor, &id, number).await?;
            crate::api::zip(&tree, &skill.name)
        }
        .await,
    )
}

async fn versions(
    name: Option<&'static str>,
    State(app): App_,
    headers: HeaderMap,
    Params(query): Query_,
    Ids(id): Ids<String>,
) -> Response {
    let dialect = Dialect::of(name, &headers);
    dialect.answer(
        async {
            let actor = caller(&Method::GET, &headers, &app).await?;
            let found = app.team.versions(&actor, &id).await?;
            match dialect {
                Dialect::Anthropic { is_beta } => anthropic::version_list(&found, &query, is_beta),
                Dialect::OpenAi => openai::version_list(found, &query),
            }
        }
        .await,
    )
}

async fn add_version(
    name: Option<&'static str>,
    State(app): App_,
    Ids(id): Ids<String>,
    request: Request,
) -> Response {
    let dialect = Dialect::of(name, request.headers());
    dialect.answer(
        async {
            let actor = caller(&Method::POST, request.headers(), &app).await?;
            app.team.skill(&actor, &id).await?;
            let mut upload = upload(&id, request).await?;
            let becomes_default = upload.notes == BECOMES_DEFAULT;
            upload.notes.clear();
            let before = app.team.skill(&actor, &id).await?.default_version;
            let stored = app.team.add_version(&actor, &id, upload).await?;
            match dialect {
                Dialect::Anthropic { is_beta } => {
                    Ok(anthropic::json(anthropic::version(&stored.version, is_beta)))
                }
                Dialect::OpenAi => {
                    // There a new version is the default only when the request says so.
                    if let (false, Some(before)) = (becomes_default, before) {
                        app.team.set_default(&actor, &id, before).await?;
                    }
                    Ok(openai::json(openai::version(&stored.version)))
                }
            }
        }
        .await,
    )
}

async fn version(
    name: Option<&'static str>,
    State(app): App_,
    headers: HeaderMap,
    Ids((id, named)): Ids<(String, String)>,
) -> Response {
    let dialect = Dialect::of(name, &headers);
    dialect.answer(
        async {
            let actor = caller(&Method::GET, &headers, &app).await?;
            let found = find_version(&app, &actor, &id, &named).await?;
            Ok(match dialect {
                Dialect::Anthropic { is_beta } => anthropic::json(anthropic::version(&found, is_beta)),
                Dialect::OpenAi => openai::json(openai::version(&found)),
            })
        }
        .await,
    )
}

async fn remove_version(
    name: Option<&'static str>,
    State(app): App_,
    headers: HeaderMap,
    Ids((id, named)): Ids<(String, String)>,
) -> Response {
    let dialect = Dialect::of(name, &headers);
    dialect.answer(
        async {
            let actor = caller(&Method::DELETE, &headers, &app).await?;
            let found = find_version(&app, &actor, &id, &named).await?;
            let moves_default = dialect != Dialect::OpenAi;
            app.team.delete_version(&actor, &id, found.number, moves_default).await?;
            Ok(match dialect {
                Dialect::Anthropic { is_beta } => {
                    anthropic::json(anthropic::deleted_version(&found, is_beta))
                }
                Dialect::OpenAi => openai::json(openai::deleted_version(&found)),
            })
        }
        .await,
    )
}

async fn version_content(
    name: Option<&'static str>,
    State(app): App_,
    headers: HeaderMap,
    Ids((id, named)): Ids<(String, String)>,
) -> Response {
    let dialect = Dialect::of(name, &headers);
    dialect.answer(
        async {
            let actor = caller(&Method::GET, &headers, &app).await?;
            let found = find_version(&app, &actor, &id, &named).await?;
            let tree = app.team.contents(&actor, &id, found.number).await?;
            crate::api::zip(&tree, &found.name)
        }
        .await,
    )
}

/// These APIs know no guests.
async fn caller(method: &Method, headers: &HeaderMap, app: &App) -> Result<Actor, TeamError> {
    let actor = actor(method, headers, app).await?;
    actor.user()?;
    Ok(actor)
}

/// A version by its number, its id, its epoch, or `latest`.
async fn find_version(app: &App, actor: &Actor, id: &str, named: &str) -> Result<VersionRecord, TeamError> {
    let found = app.team.versions(actor, id).await?;
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

const BECOMES_DEFAULT: &str = "default";

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
    let notes = if field("default").as_deref() == Some("true") { BECOMES_DEFAULT } else { "" };
    Ok(Upload {
        title,
        notes: notes.to_owned(),
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
