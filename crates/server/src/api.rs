//! The API, `/api/v1`. Each handler reads the request, asks the team, and writes the answer.

mod account;
mod admin;
mod catalog;
mod compare;
mod download;
mod drafts;
mod integrations;
mod kept;
mod marketplace;
mod preferences;
mod preview;
mod proposals;
mod publish;
mod received;
mod skills;
mod usage;
mod versions;
mod webhooks;

use crate::{device, events, problem::Problem, state::App};
use axum::{Router, extract::DefaultBodyLimit, handler::Handler, routing::MethodRouter};
use serde::{Deserialize, Serialize};
use skillful_team::TeamError;
use utoipa::{
    IntoParams, Modify, OpenApi, ToSchema,
    openapi::{
        path::HttpMethod,
        security::{HttpAuthScheme, HttpBuilder, SecurityScheme},
    },
};
use utoipa_axum::{
    PathItemExt as _,
    router::{OpenApiRouter, UtoipaMethodRouter},
};

pub(crate) use download::zip;
pub(crate) use kept::KeptPages;

/// A page of a list.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Page<T: ToSchema> {
    /// What is on it.
    pub(crate) data: Vec<T>,
    /// The cursor of the next page.
    pub(crate) next: Option<String>,
}

/// Which page is wanted.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Paging {
    /// The cursor of the page before.
    pub(crate) after: Option<String>,
    /// How many, 1 to 1,000; 20 without it.
    #[param(minimum = 1, maximum = 1000)]
    pub(crate) limit: Option<i64>,
}

impl Paging {
    pub(crate) fn limit(&self) -> Result<i64, TeamError> {
        match self.limit.unwrap_or(20) {
            limit @ 1..=1_000 => Ok(limit),
            _ => Err(TeamError::invalid("wrong-limit", "the limit is 1 to 1,000")),
        }
    }
}

/// Runs what takes a while beside the threads that answer requests.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, TeamError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| TeamError::Internal(error.to_string()))
}

struct Bearer;

impl Modify for Bearer {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
        openapi.components.get_or_insert_default().add_security_scheme("token", SecurityScheme::Http(scheme));
    }
}

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Skillful team server",
        description = "Skills of a team: versions, reviews, preferences, usage.",
        license(name = "MIT OR Apache-2.0")
    ),
    components(schemas(Problem)),
    modifiers(&Bearer),
    security(("token" = []))
)]
struct Described;

/// The handlers of one address. The router that serves requests does not call the code that describes them, so that a program without
/// a description is smaller by it.
trait Handlers {
    fn served(self) -> (String, MethodRouter<App>);
    fn described(self) -> UtoipaMethodRouter<App>;
}

/// What the routes are collected in.
trait Routes {
    fn routes(self, handlers: impl Handlers) -> Self;
}

impl Routes for Router<App> {
    fn routes(self, handlers: impl Handlers) -> Self {
        let (path, methods) = handlers.served();
        self.route(&path, methods)
    }
}

struct Description(OpenApiRouter<App>);

impl Routes for Description {
    fn routes(self, handlers: impl Handlers) -> Self {
        Self(self.0.routes(handlers.described()))
    }
}

/// Handlers of one address, of which each has its own method.
macro_rules! routes {
    ($first:ident::$handler:ident $(, $module:ident::$other:ident)*) => {{
        struct These;
        impl Handlers for These {
            fn served(self) -> (String, MethodRouter<App>) {
                utoipa_axum::paste! {
                    let path = <$first::[<__path_ $handler>] as utoipa::Path>::path();
                    let methods = <$first::[<__path_ $handler>] as utoipa::Path>::methods();
                    let router = on(MethodRouter::new(), &methods, &$first::$handler);
                    $(
                        debug_assert_eq!(path, <$module::[<__path_ $other>] as utoipa::Path>::path(), "one address");
                        let methods = <$module::[<__path_ $other>] as utoipa::Path>::methods();
                        let router = on(router, &methods, &$module::$other);
                    )*
                    (path, router)
                }
            }

            fn described(self) -> UtoipaMethodRouter<App> {
                utoipa_axum::routes!($first::$handler $(, $module::$other)*)
            }
        }
        These
    }};
}

fn on<H: Handler<T, App>, T: 'static>(
    router: MethodRouter<App>,
    methods: &[HttpMethod],
    handler: &H,
) -> MethodRouter<App> {
    methods.iter().fold(router, |router, method| router.on(method.to_method_filter(), handler.clone()))
}

/// The routes.
pub(crate) fn router() -> Router<App> {
    all(Router::new()).layer(DefaultBodyLimit::max(crate::upload::BODY_LIMIT))
}

/// Their description, from the types and the comments of the handlers.
pub(crate) fn described() -> utoipa::openapi::OpenApi {
    all(Description(OpenApiRouter::with_openapi(Described::openapi()))).0.into_openapi()
}

fn all<R: Routes>(routes: R) -> R {
    routes
        .routes(routes!(skills::list, skills::create))
        .routes(routes!(skills::get, skills::change, skills::delete))
        .routes(routes!(versions::list, versions::create))
        .routes(routes!(versions::get, versions::delete))
        .routes(routes!(versions::files))
        .routes(routes!(versions::file))
        .routes(routes!(versions::content))
        .routes(routes!(compare::diff))
        .routes(routes!(compare::check))
        .routes(routes!(compare::card))
        .routes(routes!(versions::set_default))
        .routes(routes!(versions::agree))
        .routes(routes!(versions::yank))
        .routes(routes!(versions::unyank))
        .routes(routes!(versions::revoke))
        .routes(routes!(skills::keep))
        .routes(routes!(skills::propose))
        .routes(routes!(integrations::list))
        .routes(routes!(integrations::set_up, integrations::remove))
        .routes(routes!(skills::verdicts))
        .routes(routes!(preferences::effective))
        .routes(routes!(preferences::list, preferences::set, preferences::remove))
        .routes(routes!(preview::agents))
        .routes(routes!(preview::version))
        .routes(routes!(preview::draft))
        .routes(routes!(preview::files))
        .routes(routes!(preview::try_message))
        .routes(routes!(drafts::list, drafts::create))
        .routes(routes!(drafts::get, drafts::save, drafts::delete))
        .routes(routes!(drafts::check))
        .routes(routes!(drafts::check_draft))
        .routes(routes!(drafts::complete))
        .routes(routes!(drafts::publish))
        .routes(routes!(proposals::list))
        .routes(routes!(proposals::get))
        .routes(routes!(proposals::comment))
        .routes(routes!(proposals::approve))
        .routes(routes!(proposals::reject))
        .routes(routes!(proposals::withdraw))
        .routes(routes!(marketplace::list))
        .routes(routes!(marketplace::offer))
        .routes(routes!(marketplace::listed))
        .routes(routes!(marketplace::adoptions, marketplace::adopt))
        .routes(routes!(marketplace::unadopt))
        .routes(routes!(catalog::list, catalog::create))
        .routes(routes!(catalog::get, catalog::change, catalog::delete))
        .routes(routes!(catalog::check))
        .routes(routes!(catalog::catalog))
        .routes(routes!(catalog::install))
        .routes(routes!(webhooks::list, webhooks::create))
        .routes(routes!(webhooks::get, webhooks::change, webhooks::delete))
        .routes(routes!(webhooks::deliveries))
        .routes(routes!(webhooks::redeliver))
        .routes(routes!(publish::exchange))
        .routes(routes!(publish::publish))
        .routes(routes!(publish::list, publish::create))
        .routes(routes!(publish::delete))
        .routes(routes!(account::me))
        .routes(routes!(account::tokens, account::create_token))
        .routes(routes!(account::revoke_token))
        .routes(routes!(account::sign_out))
        .routes(routes!(usage::report))
        .routes(routes!(usage::own))
        .routes(routes!(usage::all))
        .routes(routes!(admin::users))
        .routes(routes!(admin::change_user))
        .routes(routes!(admin::groups, admin::create_group))
        .routes(routes!(admin::group, admin::change_group, admin::delete_group))
        .routes(routes!(admin::set_member, admin::remove_member))
        .routes(routes!(admin::policies, admin::set_policy))
        .routes(routes!(admin::audit))
        .routes(routes!(admin::check_audit))
        .routes(routes!(events::events))
        .routes(routes!(device::code))
        .routes(routes!(device::token))
}
