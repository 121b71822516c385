//! Errors as pages: what failed, why, and what to do.

use super::assets;
use crate::problem;
use askama::Template;
use axum::{
    extract::Request,
    http::{HeaderValue, StatusCode, header},
    middleware::Next,
    response::{Html, IntoResponse, Redirect, Response},
};
use skillful_team::TeamError;

/// Why a page was not shown.
#[derive(Clone, Debug)]
pub(crate) enum PageError {
    /// The visitor has to sign in; afterwards the page is shown.
    SignIn {
        /// Why; empty when there was no session.
        why: String,
        /// Where the visitor wanted to go.
        next: Option<String>,
    },
    /// The request was refused.
    Refused(TeamError),
}

impl From<TeamError> for PageError {
    fn from(error: TeamError) -> Self {
        match error {
            TeamError::Unauthenticated(why) => Self::SignIn { why, next: None },
            other => Self::Refused(other),
        }
    }
}

/// The result of a page.
pub(crate) type PageResult = Result<Response, PageError>;

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage {
    style: String,
    mark: String,
    theme: &'static str,
    status: u16,
    title: &'static str,
    detail: String,
    advice: &'static str,
}

#[derive(Template)]
#[template(path = "note.html")]
struct NotePage<'a> {
    style: String,
    mark: String,
    theme: &'static str,
    title: &'static str,
    body: &'a str,
}

/// A page with HTML of our own.
pub(crate) fn plain(title: &'static str, body: &str) -> String {
    let page = NotePage {
        style: assets::address("style.css"),
        mark: assets::address("mark.svg"),
        theme: "auto",
        title,
        body,
    };
    page.render().unwrap_or_else(|_| title.to_owned())
}

/// What the visitor reads about a status.
fn words(status: StatusCode) -> (&'static str, &'static str) {
    match status {
        StatusCode::NOT_FOUND => (
            "This page does not exist",
            "It was deleted, or it is not shared with you. Ask its owner or an administrator.",
        ),
        StatusCode::UNAUTHORIZED => (
            "You are not signed in",
            "A link that signs in works once, and only for a while. Sign in again, or ask an administrator of this server.",
        ),
        StatusCode::FORBIDDEN => {
            ("You may not do this", "An administrator can give you the role that is needed.")
        }
        StatusCode::CONFLICT => {
            ("This does not fit to what is there", "Go back, look at the newest state and decide again.")
        }
        StatusCode::PAYLOAD_TOO_LARGE => {
            ("This is too large", "Make it smaller, or split it, and send it again.")
        }
        StatusCode::TOO_MANY_REQUESTS => {
            ("Too many requests", "Wait some seconds, then load the page again.")
        }
        StatusCode::SERVICE_UNAVAILABLE => (
            "The server cannot answer now",
            "Its database or its object store does not answer. Nothing was changed. Load the page again in a moment.",
        ),
        StatusCode::BAD_REQUEST => (
            "The request was not accepted",
            "Go back, change the field that is named above, and send it again.",
        ),
        StatusCode::METHOD_NOT_ALLOWED => {
            ("This address takes other requests", "Go back and use the buttons of the page.")
        }
        _ => ("The server failed", "Nothing was changed. The log of the server says why."),
    }
}

/// Whether a request is of a browser that wants to see a page.
fn wants_page(request: &Request) -> bool {
    let accept = request.headers().get(header::ACCEPT).and_then(|value| value.to_str().ok());
    let takes = |kind: &str| accept.is_some_and(|accept| accept.contains(kind));
    let path = request.uri().path();
    let is_page = path == "/" || path.starts_with("/ui") || path.starts_with("/sign-in");
    is_page && (takes("text/html") || takes("*/*") && !takes("json"))
}

/// Lets a browser read errors of other layers as a page: the limit of requests, a wrong host, an address that does not exist.
pub(crate) async fn for_browsers(request: Request, next: Next) -> Response {
    let wants_page = wants_page(&request);
    let response = next.run(request).await;
    let is_problem = response
        .headers()
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes() == b"application/problem+json");
    if !wants_page || !is_problem {
        return response;
    }
    let (parts, body) = response.into_parts();
    let bytes = axum::body::to_bytes(body, 64 << 10).await.unwrap_or_default();
    let detail =
        serde_json::from_slice::<crate::Problem>(&bytes).map(|problem| problem.detail).unwrap_or_default();
    let mut shown = page(parts.status, &detail);
    for name in [header::RETRY_AFTER, header::ALLOW] {
        if let Some(value) = parts.headers.get(&name) {
            shown.headers_mut().insert(name, value.clone());
        }
    }
    shown
}

/// A whole page about an error.
pub(crate) fn page(status: StatusCode, detail: &str) -> Response {
    let (title, advice) = words(status);
    let mut detail = detail.to_owned();
    // A detail that only repeats the title says nothing.
    if detail == "not found" {
        detail.clear();
    }
    if let Some(first) = detail.get(..1) {
        detail = first.to_uppercase() + &detail[1..];
    }
    let page = ErrorPage {
        style: assets::address("style.css"),
        mark: assets::address("mark.svg"),
        theme: "auto",
        status: status.as_u16(),
        title,
        detail,
        advice,
    };
    let text = page.render().unwrap_or_else(|_| title.to_owned());
    let mut response = (status, Html(text)).into_response();
    response.headers_mut().insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    if status == StatusCode::SERVICE_UNAVAILABLE {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("2"));
    }
    response
}

impl IntoResponse for PageError {
    fn into_response(self) -> Response {
        match self {
            Self::SignIn { why, next } => {
                let mut query = url::form_urlencoded::Serializer::new(String::new());
                if !why.is_empty() {
                    query.append_pair("why", "ended");
                }
                if let Some(next) = next.filter(|next| next != "/ui") {
                    query.append_pair("next", &next);
                }
                let query = query.finish();
                let mark = if query.is_empty() { "" } else { "?" };
                Redirect::to(&format!("/ui/sign-in{mark}{query}")).into_response()
            }
            Self::Refused(error) => {
                let (status, _) = problem::status(&error);
                if let TeamError::Internal(why) = &error {
                    crate::log::event("error", &[("what", "internal"), ("why", why)]);
                }
                page(status, &problem::detail(&error))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_that_was_used_is_not_called_a_failure_of_the_server() {
        for status in
            [StatusCode::UNAUTHORIZED, StatusCode::FORBIDDEN, StatusCode::NOT_FOUND, StatusCode::CONFLICT]
        {
            assert_ne!(words(status).0, "The server failed", "{status}");
        }
        assert_eq!(words(StatusCode::INTERNAL_SERVER_ERROR).0, "The server failed");
    }
}
