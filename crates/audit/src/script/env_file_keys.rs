//! Finds keys that a script selects by name from an environment file, as clients of services do.

use crate::{pattern::pattern, sensitive};
use regex::Regex;
use std::sync::LazyLock;

/// Maximum number of keys of one script.
const KEYS: usize = 16;

/// A line that is compared with the name of a key.
static PICKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r#"(?:starts_?[wW]ith\(\s*|[!=]==?\s*|\bin\s*[(\[{]\s*)["'`][A-Z][A-Z0-9_]*_[A-Z0-9_]*(?:KEY|TOKEN|SECRET)=?["'`]"#,
    )
});
/// The name of a key.
static NAMES: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r#"["'`]([A-Z][A-Z0-9]*)_[A-Z0-9_]*(?:KEY|TOKEN|SECRET)=?["'`]"#));

/// Whether a script names an environment file and no other credentials; otherwise the selected
/// value may be any of them.
pub(super) fn is_env_only(text: &str) -> bool {
    // The environment files of agents hold the keys of the skills.
    let others = text.replace(".openclaw/.env", "").replace(".clawdbot/.env", "");
    text.contains(".env") && !sensitive::is_credential(&others) && !text.contains("keyring")
}

/// Whether a script reads a file as a whole and does not take it apart at once.
pub(super) fn reads_whole(text: &str) -> bool {
    ["read()", "read_text()", "read_bytes()", "'utf8')", "\"utf8\")", "'utf-8')", "\"utf-8\")"].iter().any(
        |call| {
            text.match_indices(call)
                .any(|(at, _)| !text[at + call.len()..].trim_start().starts_with(".split"))
        },
    )
}

/// Whether a text is the name of one variable.
pub(super) fn is_name(text: &str) -> bool {
    text.len() >= 3
        && text.starts_with(|c: char| c.is_ascii_uppercase())
        && text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}

/// The services, by the first word of the names of their keys.
pub(super) fn services(text: &str) -> Vec<String> {
    let (Some(picks), Some(names)) = (PICKS.as_ref(), NAMES.as_ref()) else { return Vec::new() };
    if !picks.is_match(text) {
        return Vec::new();
    }
    let names = names.captures_iter(text).take(KEYS).filter_map(|found| found.get(1));
    names.map(|name| name.as_str().to_ascii_lowercase()).collect()
}

/// Whether a host belongs to one of the services: `api.groq.com` belongs to `groq`.
pub(crate) fn is_of(host: &str, services: &[String]) -> bool {
    let own = host.rsplit('.').nth(1).unwrap_or_default();
    own.len() >= 3 && services.iter().any(|service| service == own)
}
