//! Styles, script and icons: compiled in, served under a name that holds their digest, so that a browser keeps them.

use crate::state::App;
use axum::{
    Router,
    extract::Path,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use flate2::{Compression, write::GzEncoder};
use sha2::{Digest as _, Sha256};
use std::{io::Write as _, sync::LazyLock};

/// A file that pages name.
struct Asset {
    name: &'static str,
    kind: &'static str,
    bytes: &'static [u8],
    compressed: Vec<u8>,
}

/// All files, and the digest that stands in their addresses.
struct Assets {
    digest: String,
    files: Vec<Asset>,
}

macro_rules! asset {
    ($name:literal, $kind:literal) => {
        ($name, $kind, include_bytes!(concat!("../../assets/", $name)).as_slice())
    };
}

const FILES: &[(&str, &str, &[u8])] = &[
    asset!("style.css", "text/css; charset=utf-8"),
    asset!("app.js", "text/javascript; charset=utf-8"),
    asset!("editor.js", "text/javascript; charset=utf-8"),
    asset!("review.js", "text/javascript; charset=utf-8"),
    asset!("icons.svg", "image/svg+xml"),
    asset!("mark.svg", "image/svg+xml"),
];

static ASSETS: LazyLock<Assets> = LazyLock::new(|| {
    let mut digest = Sha256::new();
    let mut files = Vec::new();
    for (name, kind, bytes) in FILES {
        digest.update(name);
        digest.update(bytes);
        files.push(Asset { name, kind, bytes, compressed: compressed(bytes) });
    }
    let hex: String = digest.finalize().iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    Assets { digest: hex, files }
});

/// The file as gzip; empty when that fails, so that the plain one is sent.
fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    match encoder.write_all(bytes) {
        Ok(()) => encoder.finish().unwrap_or_default(),
        Err(_) => Vec::new(),
    }
}

/// The address of a file: `/ui/assets/0123456789ab/style.css`.
pub(crate) fn address(name: &str) -> String {
    format!("/ui/assets/{}/{name}", ASSETS.digest)
}

/// The routes.
pub(crate) fn router() -> Router<App> {
    Router::new()
        .route("/ui/assets/{digest}/{name}", get(file))
        .route("/favicon.ico", get(|headers: HeaderMap| async move { answer("mark.svg", &headers, false) }))
}

async fn file(Path((digest, name)): Path<(String, String)>, headers: HeaderMap) -> Response {
    answer(&name, &headers, digest == ASSETS.digest)
}

/// A file; one that is asked for by the digest of this program never changes.
fn answer(name: &str, headers: &HeaderMap, is_exact: bool) -> Response {
    let Some(asset) = ASSETS.files.iter().find(|asset| asset.name == name) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let text = |name: header::HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let tag = format!("\"{}-{name}\"", ASSETS.digest);
    let is_known = text(header::IF_NONE_MATCH).is_some_and(|known| known.contains(&tag));
    let takes_gzip = text(header::ACCEPT_ENCODING).is_some_and(|kinds| kinds.contains("gzip"));
    let mut response = if is_known {
        StatusCode::NOT_MODIFIED.into_response()
    } else if takes_gzip && !asset.compressed.is_empty() {
        ([(header::CONTENT_ENCODING, "gzip")], asset.compressed.as_slice()).into_response()
    } else {
        asset.bytes.into_response()
    };
    let kept = if is_exact { "public, max-age=31536000, immutable" } else { "public, max-age=300" };
    let head = response.headers_mut();
    head.insert(header::CONTENT_TYPE, HeaderValue::from_static(asset.kind));
    head.insert(header::CACHE_CONTROL, HeaderValue::from_static(kept));
    head.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        head.insert(header::ETAG, tag);
    }
    response
}
