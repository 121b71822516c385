//! The types of the official clients, as schemas; `tests/sdk/schemas.py` writes them.

use crate::model_server::say::Speech;
use jsonschema::{ValidationError, Validator, error::ValidationErrorKind};
use serde_json::Value;
use std::sync::LazyLock;

/// Complaints of one request, and characters of one; the first says it.
const COMPLAINTS: usize = 8;
const COMPLAINT: usize = 400;

static ANTHROPIC: LazyLock<[Validator; 2]> = LazyLock::new(|| {
    validators(include_str!("../../../schemas/anthropic_messages.json"), "MessageCreateParams")
});
static OPENAI: LazyLock<[Validator; 2]> =
    LazyLock::new(|| validators(include_str!("../../../schemas/openai_chat.json"), "CompletionCreateParams"));

/// For a call without and with a stream: one of them at a time, since an error about both says nothing.
fn validators(text: &str, name: &str) -> [Validator; 2] {
    let schema: Value = serde_json::from_str(text).expect("a schema of ours");
    ["NonStreaming", "Streaming"].map(|way| {
        let root = serde_json::json!({ "$ref": format!("#/$defs/{name}{way}"), "$defs": schema["$defs"] });
        jsonschema::validator_for(&root).expect("a schema of ours")
    })
}

pub(super) fn complaints(speech: Speech, body: &Value) -> Vec<String> {
    let [whole, stream] = match speech {
        Speech::Anthropic => &*ANTHROPIC,
        Speech::OpenAi => &*OPENAI,
    };
    let validator = if body["stream"] == true { stream } else { whole };
    let cut = |text: String| text.chars().take(COMPLAINT).collect();
    validator.iter_errors(body).take(COMPLAINTS).map(|error| cut(told(&error))).collect()
}

/// Where it is wrong and how. Of a choice, what is wrong with the one that was meant: whose constants hold.
fn told(error: &ValidationError<'_>) -> String {
    if let ValidationErrorKind::AnyOf { context } = error.kind() {
        let is_constant = |error: &ValidationError<'_>| {
            matches!(error.kind(), ValidationErrorKind::Constant { .. } | ValidationErrorKind::Type { .. })
        };
        let meant = context.iter().find(|errors| !errors.iter().any(is_constant));
        if let Some(error) = meant.and_then(|errors| errors.first()) {
            return told(error);
        }
    }
    format!("{}: {error}", error.instance_path())
}
