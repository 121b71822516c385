//! The description of the API, as `schemas/server/openapi.json` holds it. `skillful` carries the packed text and not the code that makes it, which
//! is thirty times as large.

use axum::{
    http::header::CONTENT_TYPE,
    response::{IntoResponse as _, Response},
};
use std::io::{self, Read as _, Write as _};

/// The description, made from the handlers.
pub fn openapi() -> utoipa::openapi::OpenApi {
    crate::api::described()
}

/// Its text, as the file holds it.
pub fn openapi_text() -> String {
    openapi().to_pretty_json().unwrap_or_default() + "\n"
}

/// The same text as the program carries it. `cargo xtask schemas` writes both.
pub fn carried_openapi_text() -> String {
    let mut text = String::new();
    let packed: &[u8] = include_bytes!("openapi.json.gz");
    match flate2::read::GzDecoder::new(packed).read_to_string(&mut text) {
        Ok(_) => text,
        Err(_) => String::new(),
    }
}

/// A text as the program carries it.
pub fn packed(text: &str) -> io::Result<Vec<u8>> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packed.write_all(text.as_bytes())?;
    packed.finish()
}

/// `/openapi.json`.
pub(crate) async fn described() -> Response {
    ([(CONTENT_TYPE, "application/json")], carried_openapi_text()).into_response()
}
