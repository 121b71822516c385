//! A skill in a request, and what is answered once it is stored.

use crate::upload::{Form, form};
use axum::{extract::Request, http::HeaderMap};
use serde::Serialize;
use skillful_team::{
    TeamError, model_made,
    upload::{Hold, Stored, Upload},
};
use utoipa::ToSchema;

/// The key of a request that may be sent again. It counts for one address.
fn request_key(path: &str, headers: &HeaderMap) -> Option<String> {
    let key = headers.get("idempotency-key")?.to_str().ok()?;
    (!key.is_empty() && key.len() <= 255).then(|| format!("key:{path}:{key}"))
}

fn upload(form: Form, request: Option<String>) -> Upload {
    let field = |name: &str| form.fields.get(name).filter(|text| !text.is_empty()).cloned();
    Upload {
        title: field("title").or_else(|| field("display_name")),
        notes: field("notes").unwrap_or_default(),
        source: "imported".to_owned(),
        tree: form.tree,
        folder: form.folder,
        is_repeated: request.is_some(),
        request,
        ..Default::default()
    }
}

/// What was stored.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct StoredAnswer {
    #[serde(flatten)]
    pub(super) stored: Stored,
    /// Files that were not taken, and why.
    pub(super) skipped: Vec<String>,
}

/// The skill of a request, and the files that were not taken. `made_by` is `model` when a model wrote it.
pub(super) async fn received(
    request: Request,
    made_by: Option<&str>,
) -> Result<(Upload, Vec<String>), TeamError> {
    let by_model = match made_by {
        None | Some("user") => false,
        Some("model") => true,
        Some(other) => {
            return Err(TeamError::invalid("unknown-maker", format!("`{other}` is not `user` or `model`")));
        }
    };
    let key = request_key(request.uri().path(), request.headers());
    let mut form = form(request).await?;
    let skipped = std::mem::take(&mut form.skipped);
    let mut upload = upload(form, key);
    if by_model {
        model_made::SOURCE.clone_into(&mut upload.source);
        upload.hold = Hold::AsModelMade;
    }
    Ok((upload, skipped))
}
