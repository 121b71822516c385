//! Bytes of skills on their way out: never run by a browser, and named by their digest, so that a client that has them gets no second
//! copy.

use axum::{
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use skillful_archive::write_zip;
use skillful_format::Tree;
use skillful_team::TeamError;

/// Bytes that a browser never runs.
pub(super) fn inert(bytes: Vec<u8>, name: &str) -> Response {
    let name: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c)).collect();
    (
        [
            (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
            (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
        ],
        bytes,
    )
        .into_response()
}

/// A version as a zip with one folder, named like the skill.
pub(crate) fn zip(tree: &Tree, name: &str) -> Result<Response, TeamError> {
    let bytes = write_zip(tree, name).map_err(|refused| TeamError::Internal(refused.message))?;
    let mut response = inert(bytes, &format!("{name}.zip"));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/zip"));
    Ok(tagged(response, &tree.digest().to_string()))
}

/// An answer with the digest of its bytes. A client may keep it, and asks each time whether it still may.
pub(super) fn tagged(mut response: Response, digest: &str) -> Response {
    let headers = response.headers_mut();
    if let Ok(tag) = HeaderValue::from_str(&format!("\"{digest}\"")) {
        headers.insert(header::ETAG, tag);
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    }
    response
}

/// The answer to a client that has these bytes already.
pub(super) fn unchanged(headers: &HeaderMap, digest: &str) -> Option<Response> {
    let given = headers.get_all(header::IF_NONE_MATCH);
    let mut tags =
        given.iter().filter_map(|value| value.to_str().ok()).flat_map(|line| line.split(',')).map(str::trim);
    let has = tags
        .any(|tag| tag == "*" || tag.trim_start_matches("W/").trim_matches('"').eq_ignore_ascii_case(digest));
    has.then(|| tagged(StatusCode::NOT_MODIFIED.into_response(), digest))
}
