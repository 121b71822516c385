//! The web page, below `/ui`: HTML made by the server that works without script. The API stays below `/api`, and the
//! routes of other systems keep their own names.
//!
//! Invariants: no rule and no SQL is here; a handler asks the same functions of `Team` and the engine as the API. Every
//! change is a form with the CSRF token of its session, and answers with a redirect to a page.

mod account;
mod address;
mod admin;
mod agents;
mod assets;
mod audit;
mod create;
mod deeds;
mod design;
mod diff_table;
mod editor;
mod errors;
mod explain_picture;
mod flash;
mod form;
mod live;
mod machine;
mod markdown;
mod market;
mod marks;
mod picture;
mod relations;
mod review;
mod reviews;
mod search;
mod shell;
mod sign_in;
mod skill;
mod skills;
mod sources;
mod usage;
mod visitor;
mod webhooks;
mod words;

use crate::state::App;
pub(crate) use audit::LastCheck;
use axum::{
    Router,
    http::header,
    response::{Html, IntoResponse as _, Redirect, Response},
    routing::get,
};
pub(crate) use errors::for_browsers;
pub(crate) use form::Posted;
pub(crate) use marks::{escaped, icon, severity};
pub(crate) use shell::{Nav, Paged, Shell, show};
pub(crate) use sign_in::{NEXT, next_page};
pub(crate) use visitor::Visitor;

/// Foreign text with its invisible characters shown.
pub(crate) use markdown::{prose, text};

/// The routes.
pub(crate) fn router() -> Router<App> {
    Router::new()
        .route("/", get(|| async { Redirect::to("/ui") }))
        .merge(sign_in::router())
        .merge(assets::router())
        .merge(skills::router())
        .merge(skill::router())
        .merge(deeds::router())
        .merge(design::router())
        .merge(agents::router())
        .merge(usage::router())
        .merge(audit::router())
        .merge(account::router())
        .merge(relations::router())
        .merge(reviews::router())
        .merge(review::router())
        .merge(editor::router())
        .merge(machine::router())
        .merge(admin::router())
        .merge(market::router())
        .merge(create::router())
        .merge(search::router())
        .merge(live::router())
        .merge(sources::router())
        .merge(webhooks::router())
        .layer(form::limit())
}

/// Foreign texts in one line.
pub(crate) fn joined(texts: &[String], between: &str) -> marks::Markup {
    text(&texts.join(between))
}

/// Text as a part of an address.
pub(crate) fn encoded(text: impl AsRef<str>) -> String {
    url::form_urlencoded::byte_serialize(text.as_ref().as_bytes()).collect()
}

/// A page without navigation, for visitors who are in the middle of something.
pub(crate) type PlainPage = ([(header::HeaderName, &'static str); 1], Html<String>);

/// A page in the frame of the sign-in. `body` is HTML of our own; what is foreign in it is escaped.
pub(crate) fn plain(title: &'static str, body: &str) -> PlainPage {
    // With `no-referrer` a browser would send `Origin: null` with the form of the page.
    ([(header::REFERRER_POLICY, "same-origin")], Html(errors::plain(title, body)))
}

/// A table as a file.
pub(crate) fn csv(name: &str, text: String) -> Response {
    let head = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
    ];
    (head, text).into_response()
}

/// A field of a table. A text that a spreadsheet would take for a formula gets a quote in front.
pub(crate) fn csv_field(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    format!("\"{}{}\"", if formula { "'" } else { "" }, text.replace('"', "\"\""))
}
