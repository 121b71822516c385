//! The result of a call, as text for a model and with everything that the text does not hold.

use super::{expand::Mask, limits::OUTPUT_BYTES, text::cut};
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde::Serialize;

/// What stands for a result without any text.
const NO_OUTPUT: &str = "(no output)";

/// What a tool gave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CallOutcome {
    /// Its text, part by part on lines of their own; `(no output)` when there is none.
    pub text: String,
    /// Whether the tool reports a failure; the text then has the reason.
    pub failed: bool,
    /// Parts that are not text.
    pub left_out: Vec<LeftOut>,
    /// Bytes of text beyond the limit, which were cut.
    pub cut_bytes: usize,
}

/// A part of a result that is not text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// `image`, `audio` or `resource`.
    pub kind: &'static str,
    /// Its type, as the server declares it.
    pub mime_type: Option<String>,
    /// How much of it there was, as sent.
    pub bytes: usize,
}

impl CallOutcome {
    pub(crate) fn of(result: CallToolResult, mask: &Mask) -> Self {
        let mut texts = Vec::new();
        let mut left_out = Vec::new();
        for part in result.content {
            match part {
                ContentBlock::Text(part) => texts.push(part.text),
                ContentBlock::Image(part) => {
                    left_out.push(LeftOut::new("image", Some(part.mime_type), &part.data));
                }
                ContentBlock::Audio(part) => {
                    left_out.push(LeftOut::new("audio", Some(part.mime_type), &part.data));
                }
                ContentBlock::Resource(part) => match part.resource {
                    ResourceContents::TextResourceContents { text, .. } => texts.push(text),
                    ResourceContents::BlobResourceContents { mime_type, blob, .. } => {
                        left_out.push(LeftOut::new("resource", mime_type, &blob));
                    }
                    _ => left_out.push(LeftOut::new("resource", None, "")),
                },
                ContentBlock::ResourceLink(link) => texts.push(format!("{}: {}", link.name, link.uri)),
                _ => left_out.push(LeftOut::new("unknown", None, "")),
            }
        }
        if texts.is_empty() {
            // A server may give data only; as JSON a model can still read them.
            texts.extend(
                result.structured_content.filter(|data| !data.is_null()).map(|data| data.to_string()),
            );
        }
        let whole = mask.hide(&texts.join("\n"));
        let (kept, _) = cut(&whole, OUTPUT_BYTES);
        let cut_bytes = whole.len() - kept.len();
        let text = match (kept.is_empty(), cut_bytes) {
            (true, _) => NO_OUTPUT.to_owned(),
            (false, 0) => kept.to_owned(),
            (false, more) => format!("{kept}\n[{more} more bytes were cut]"),
        };
        Self { text, failed: result.is_error.unwrap_or_default(), left_out, cut_bytes }
    }
}

impl LeftOut {
    fn new(kind: &'static str, mime_type: Option<String>, data: &str) -> Self {
        Self { kind, mime_type, bytes: data.len() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn outcome(result: Value) -> CallOutcome {
        let mut mask = Mask::default();
        mask.add("hush-hush");
        CallOutcome::of(serde_json::from_value(result).unwrap(), &mask)
    }

    #[test]
    fn text_text_image_is_two_lines_and_one_part_left_out() {
        let image = json!({"type": "image", "data": "AAAA", "mimeType": "image/png"});
        let told = outcome(
            json!({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}, image]}),
        );
        assert_eq!((told.text.as_str(), told.failed), ("a\nb", false));
        let left = LeftOut { kind: "image", mime_type: Some("image/png".to_owned()), bytes: 4 };
        assert_eq!(told.left_out, [left]);
    }

    #[test]
    fn an_empty_result_says_so_and_a_failure_is_one() {
        assert_eq!(outcome(json!({"content": []})).text, NO_OUTPUT);
        assert_eq!(outcome(json!({"content": [{"type": "text", "text": ""}]})).text, NO_OUTPUT);
        let failed = outcome(json!({"content": [{"type": "text", "text": "no such city"}], "isError": true}));
        assert!(failed.failed && failed.text == "no such city");
    }

    #[test]
    fn data_resources_and_links_become_text() {
        assert_eq!(outcome(json!({"content": [], "structuredContent": {"t": 3}})).text, r#"{"t":3}"#);
        let file = json!({"type": "resource", "resource": {"uri": "file:///a", "text": "inside"}});
        let link = json!({"type": "resource_link", "uri": "file:///b", "name": "b"});
        let blob = json!({"type": "resource", "resource": {"uri": "file:///c", "blob": "AAAA"}});
        let told = outcome(json!({"content": [file, link, blob]}));
        assert_eq!((told.text.as_str(), told.left_out.len()), ("inside\nb: file:///b", 1));
    }

    #[test]
    fn a_long_text_is_cut_and_a_secret_is_not_repeated() {
        let told = outcome(json!({"content": [{"type": "text", "text": "x".repeat(OUTPUT_BYTES + 7)}]}));
        assert_eq!(told.cut_bytes, 7);
        assert!(told.text.ends_with("x\n[7 more bytes were cut]"));
        let told = outcome(json!({"content": [{"type": "text", "text": "TOKEN=hush-hush"}]}));
        assert_eq!(told.text, "TOKEN=***");
    }
}
