//! A skill in a request: a package, or the parts of a form. Bounded before anything is kept.

use axum::{
    body::Bytes,
    extract::{FromRequest, Multipart, Request},
    http::{HeaderMap, header},
};
use futures_util::StreamExt as _;
use skillful_archive::read;
use skillful_format::{Limits, Tree, TreeFile, TreePath};
use skillful_team::TeamError;
use std::collections::BTreeMap;

/// Bytes of a request with a skill.
pub(crate) const BODY_LIMIT: usize = 64 << 20;

/// The files and fields of a request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Form {
    /// The files.
    pub(crate) tree: Tree,
    /// The folder around them.
    pub(crate) folder: Option<String>,
    /// Other fields by name.
    pub(crate) fields: BTreeMap<String, String>,
    /// What was not taken, and why.
    pub(crate) skipped: Vec<String>,
}

/// Reads a request: `multipart/form-data`, or the package itself.
pub(crate) async fn form(request: Request) -> Result<Form, TeamError> {
    let kind = content_type(request.headers());
    if kind.starts_with("multipart/form-data") {
        let multipart = Multipart::from_request(request, &())
            .await
            .map_err(|error| TeamError::invalid("wrong-form", error.body_text()))?;
        return parts(multipart).await;
    }
    let bytes = whole(request).await?;
    if bytes.is_empty() || kind.starts_with("application/json") {
        return Err(TeamError::invalid(
            "no-files",
            "send the files of the skill: a zip, a tar.gz or a SKILL.md, as the body or as parts `files[]`",
        ));
    }
    package(bytes, None).await
}

/// The body as one piece that is held once. What is too large is read to its end and not kept, within bounds, so that the client
/// reads the answer and not a closed connection.
async fn whole(request: Request) -> Result<Bytes, TeamError> {
    let most = usize::try_from(Limits::default().packed_bytes).unwrap_or(BODY_LIMIT).min(BODY_LIMIT);
    let large = || TeamError::TooLarge(format!("a package has at most {most} bytes"));
    let length = request.headers().get(header::CONTENT_LENGTH);
    let length: usize =
        length.and_then(|length| length.to_str().ok()).and_then(|text| text.parse().ok()).unwrap_or(0);
    if length > BODY_LIMIT {
        return Err(large());
    }
    let mut kept = Vec::with_capacity(if length > most { 0 } else { length });
    let mut total = 0;
    let mut pieces = request.into_body().into_data_stream();
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(|_| TeamError::invalid("cut-off", "the body was cut off"))?;
        total += piece.len();
        if total > BODY_LIMIT {
            return Err(large());
        }
        if length.max(total) > most {
            kept = Vec::new();
        } else {
            kept.extend_from_slice(&piece);
        }
    }
    if total > most { Err(large()) } else { Ok(kept.into()) }
}

fn content_type(headers: &HeaderMap) -> String {
    headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default().to_lowercase()
}

fn too_large() -> TeamError {
    TeamError::TooLarge(format!("a request has at most {BODY_LIMIT} bytes"))
}

async fn package(bytes: Bytes, hint: Option<&str>) -> Result<Form, TeamError> {
    let hint = hint.map(str::to_owned);
    let read = tokio::task::spawn_blocking(move || read(&bytes, hint.as_deref(), &Limits::default()))
        .await
        .map_err(|error| TeamError::Internal(error.to_string()))?;
    let package = read.map_err(|refused| TeamError::invalid("wrong-package", refused.to_string()))?;
    Ok(Form {
        tree: package.tree,
        folder: package.folder,
        fields: BTreeMap::new(),
        skipped: package.diagnostics.into_iter().map(|found| found.message).collect(),
    })
}

async fn parts(mut multipart: Multipart) -> Result<Form, TeamError> {
    let mut files: Vec<(String, Bytes)> = Vec::new();
    let mut form = Form::default();
    let mut total = 0;
    let wrong = |error: axum::extract::multipart::MultipartError| {
        if error.status() == axum::http::StatusCode::PAYLOAD_TOO_LARGE {
            too_large()
        } else {
            TeamError::invalid("wrong-form", error.body_text())
        }
    };
    while let Some(field) = multipart.next_field().await.map_err(wrong)? {
        let name = field.name().unwrap_or_default().to_owned();
        let file = field.file_name().map(str::to_owned);
        let bytes = field.bytes().await.map_err(wrong)?;
        total += bytes.len();
        if total > BODY_LIMIT || files.len() >= 2_000 {
            return Err(too_large());
        }
        match file {
            Some(file) if name.starts_with("files") => files.push((file, bytes)),
            // An older client sends a list first as text parts without a file name; the files follow.
            None if name.starts_with("files") => {}
            _ => drop(form.fields.insert(name, String::from_utf8_lossy(&bytes).into_owned())),
        }
    }
    match files.as_slice() {
        [] => Err(TeamError::invalid("no-files", "the form has no files; send them as parts `files[]`")),
        [(name, bytes)] if is_package(name, bytes) => {
            let package = package(bytes.clone(), Some(name)).await?;
            Ok(Form { fields: form.fields, ..package })
        }
        _ => {
            (form.tree, form.folder) = tree(&files)?;
            Ok(form)
        }
    }
}

fn is_package(name: &str, bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(&[0x1f, 0x8b]) || !name.contains('/')
}

/// Parts whose file names are paths, with or without one folder around all of them.
fn tree(files: &[(String, Bytes)]) -> Result<(Tree, Option<String>), TeamError> {
    let limits = Limits::default();
    let mut paths = Vec::new();
    for (name, bytes) in files {
        let path = TreePath::new(name, &limits)
            .map_err(|fault| TeamError::invalid("wrong-path", format!("the file name `{name}` {fault}")))?;
        paths.push((path, bytes));
    }
    let at_top = |path: &TreePath| ["SKILL.md", "skill.md"].contains(&path.as_str());
    let folder = if paths.iter().any(|(path, _)| at_top(path)) {
        None
    } else {
        let first =
            paths.first().and_then(|(path, _)| path.without_first()).map(|(first, _)| first.to_owned());
        let is_common = |folder: &String| {
            paths.iter().all(|(path, _)| path.without_first().is_some_and(|(first, _)| first == folder))
        };
        Some(first.filter(is_common).ok_or_else(|| {
            TeamError::invalid(
                "no-skill-file",
                "the files have no SKILL.md at their top and no folder around all of them",
            )
        })?)
    };
    let mut tree = Tree::default();
    for (path, bytes) in paths {
        let inner = match &folder {
            None => path.clone(),
            Some(_) => path.without_first().map_or_else(|| path.clone(), |(_, inner)| inner),
        };
        if tree.get(inner.as_str()).is_some() {
            return Err(TeamError::invalid(
                "same-name",
                format!(
                    "two files are named `{inner}`; this client sends file names without folders: send a zip instead"
                ),
            ));
        }
        let file = TreeFile { executable: bytes.starts_with(b"#!"), bytes: bytes.to_vec() };
        tree.insert(inner, file, &limits)
            .map_err(|refused| TeamError::invalid("wrong-file", refused.message))?;
    }
    Ok((tree, folder))
}
