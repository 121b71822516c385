//! Errors as `application/problem+json` (RFC 9457).

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::{Deserialize, Serialize};
use skillful_team::TeamError;
use utoipa::ToSchema;

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    /// `about:blank`: the title is that of the status.
    #[serde(rename = "type")]
    pub kind: String,
    /// The status in words.
    pub title: String,
    /// The status.
    pub status: u16,
    /// A stable word.
    pub code: String,
    /// What and why, and how to fix it.
    pub detail: String,
}

impl Problem {
    /// The problem that an error is to a caller.
    pub(crate) fn of(error: &TeamError) -> Self {
        let (status, code) = status(error);
        Self {
            kind: "about:blank".to_owned(),
            title: status.canonical_reason().unwrap_or_default().to_owned(),
            status: status.as_u16(),
            code: code.to_owned(),
            detail: detail(error),
        }
    }
}

/// An error of a request.
#[derive(Clone, Debug)]
pub(crate) struct ApiError(pub(crate) TeamError);

impl From<TeamError> for ApiError {
    fn from(error: TeamError) -> Self {
        Self(error)
    }
}

/// The status and the stable word of an error.
pub(crate) fn status(error: &TeamError) -> (StatusCode, &str) {
    match error {
        TeamError::NotFound => (StatusCode::NOT_FOUND, "not-found"),
        TeamError::Unauthenticated(_) => (StatusCode::UNAUTHORIZED, "not-signed-in"),
        TeamError::Forbidden(_) => (StatusCode::FORBIDDEN, "forbidden"),
        TeamError::Conflict { code, .. } => (StatusCode::CONFLICT, code),
        TeamError::Invalid { code, .. } => (StatusCode::BAD_REQUEST, code),
        TeamError::TooLarge(_) => (StatusCode::PAYLOAD_TOO_LARGE, "too-large"),
        TeamError::TooMany(_) => (StatusCode::TOO_MANY_REQUESTS, "too-many-requests"),
        TeamError::Unavailable(_) => (StatusCode::SERVICE_UNAVAILABLE, "unavailable"),
        TeamError::Damaged(_) => (StatusCode::BAD_GATEWAY, "damaged-contents"),
        TeamError::Internal(_) => (StatusCode::INTERNAL_SERVER_ERROR, "internal"),
    }
}

/// The text for the caller. What happened inside is for the log.
pub(crate) fn detail(error: &TeamError) -> String {
    match error {
        TeamError::Internal(_) => "the server failed; its log says why".to_owned(),
        other => other.to_string(),
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        if let TeamError::Internal(why) = &self.0 {
            crate::log::event("error", &[("what", "internal"), ("why", why)]);
        }
        answer(Problem::of(&self.0))
    }
}

/// An error with a status that no error of a team has.
pub(crate) fn with_status(error: &TeamError, status: StatusCode) -> Response {
    answer(Problem {
        title: status.canonical_reason().unwrap_or_default().to_owned(),
        status: status.as_u16(),
        ..Problem::of(error)
    })
}

fn answer(problem: Problem) -> Response {
    let status = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = (status, Json(problem)).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
    if status == StatusCode::UNAUTHORIZED {
        headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    if status == StatusCode::SERVICE_UNAVAILABLE {
        headers.insert(header::RETRY_AFTER, HeaderValue::from_static("2"));
    }
    response
}

/// The result of a handler.
pub(crate) type ApiResult<T> = Result<T, ApiError>;
