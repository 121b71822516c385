//! The parts of a request. What does not fit is answered as every other problem.

use crate::problem::ApiError;
use axum::{
    Json,
    body::to_bytes,
    extract::{FromRequest, FromRequestParts, Path, Query, Request},
    http::{header, request::Parts},
};
use serde::de::DeserializeOwned;
use skillful_team::TeamError;

/// Bytes of a body of JSON: the texts of a draft are the largest one.
const BODY: usize = 16 << 20;
/// Bytes of one without a credential.
const OPEN_BODY: usize = 64 << 10;

/// A body of JSON.
pub(crate) struct Body<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _state: &S) -> Result<Self, ApiError> {
        let headers = request.headers();
        let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        if kind != "application/json" && !(kind.starts_with("application/") && kind.ends_with("+json")) {
            let why = "the body is JSON; send it with `content-type: application/json`";
            return Err(TeamError::invalid("wrong-body", why).into());
        }
        let has_credential = crate::caller::key(headers).is_some();
        let limit = if has_credential { BODY } else { OPEN_BODY };
        let bytes = to_bytes(request.into_body(), limit).await.map_err(|_| {
            TeamError::TooLarge(format!("a body of JSON has at most {limit} bytes, or it was cut off"))
        })?;
        match Json::from_bytes(&bytes) {
            Ok(Json(value)) => Ok(Self(value)),
            Err(error) => Err(TeamError::invalid("wrong-body", error.body_text()).into()),
        }
    }
}

/// The parameters after `?`.
pub(crate) struct Params<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Params<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        match Query::from_request_parts(parts, state).await {
            Ok(Query(value)) => Ok(Self(value)),
            Err(error) => Err(TeamError::invalid("wrong-parameter", error.body_text()).into()),
        }
    }
}

/// The ids in a path. One that cannot be an id is not found.
pub(crate) struct Ids<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Ids<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        // No id has it, and PostgreSQL cannot even ask for it.
        if parts.uri.path().contains("%00") {
            return Err(TeamError::NotFound.into());
        }
        match Path::from_request_parts(parts, state).await {
            Ok(Path(value)) => Ok(Self(value)),
            Err(_) => Err(TeamError::NotFound.into()),
        }
    }
}
