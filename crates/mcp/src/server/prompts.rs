//! Skills that a user calls, as prompts.

use crate::server::{page::page, snapshot::Snapshot};
use rmcp::{
    ErrorData,
    model::{GetPromptResult, JsonObject, ListPromptsResult, Prompt, PromptArgument, PromptMessage, Role},
};
use serde_json::Value;
use skillful_catalog::Entry;
use skillful_runtime::compose;
use skillful_select::access::{Admitted, Way, offered, reach};

/// Prompts on a page.
const PAGE: usize = 100;
/// What takes everything behind a skill's name, for skills that name no arguments.
pub(crate) const ARGUMENTS: &str = "arguments";

/// Answers `prompts/list`: what a user may call.
pub(crate) fn list(snapshot: &Snapshot, cursor: Option<&str>) -> Result<ListPromptsResult, ErrorData> {
    let open = offered(&snapshot.catalog, snapshot.asker(), Way::Slash);
    let found = page(open, PAGE, cursor, |at| snapshot.entry(*at).address())?;
    let prompts = found.items.iter().map(|at| prompt(snapshot.entry(*at))).collect();
    let mut result = ListPromptsResult::with_all_items(prompts);
    result.next_cursor = found.next;
    Ok(result)
}

fn prompt(entry: &Entry) -> Prompt {
    let manifest = &entry.loaded.manifest;
    let hint = manifest.argument_hint.as_deref();
    let arguments = if manifest.arguments.is_empty() {
        let words = hint.map_or_else(|| "What the skill is to do".to_owned(), str::to_owned);
        vec![PromptArgument::new(ARGUMENTS).with_description(words).with_required(false)]
    } else {
        let named = |name: &String| {
            let argument = PromptArgument::new(name).with_required(false);
            match hint {
                Some(hint) => argument.with_description(hint),
                None => argument,
            }
        };
        manifest.arguments.iter().map(named).collect()
    };
    Prompt::new(entry.address(), entry.description(), Some(arguments))
}

/// The skill that a prompt's name means to a user.
pub(crate) fn find(snapshot: &Snapshot, name: &str) -> Result<Admitted, ErrorData> {
    reach(&snapshot.catalog, name, snapshot.asker(), Way::Slash)
        .map_err(|refusal| ErrorData::invalid_params(refusal.message(), None))
}

/// Answers `prompts/get`: the skill as a user who calls it gives it to a model.
pub(crate) fn get(
    snapshot: &Snapshot,
    proof: &Admitted,
    given: Option<&JsonObject>,
) -> Result<GetPromptResult, ErrorData> {
    let entry = snapshot.entry(proof.entry());
    let arguments = arguments(entry, given)?;
    let (_, text) = compose::load(&snapshot.engine(), proof, &arguments).map_err(|error| {
        ErrorData::internal_error(format!("the skill `{}` cannot be used: {error}", entry.address()), None)
    })?;
    let result = GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]);
    Ok(match entry.description() {
        Some(words) => result.with_description(words),
        None => result,
    })
}

/// Named values as they would be typed: in the order that the skill names them, each one word.
fn arguments(entry: &Entry, given: Option<&JsonObject>) -> Result<String, ErrorData> {
    let Some(given) = given else { return Ok(String::new()) };
    let text = |name: &str| match given.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.as_str())),
        Some(_) => Err(ErrorData::invalid_params(format!("the argument `{name}` must be text"), None)),
    };
    let mut words = Vec::new();
    for name in &entry.loaded.manifest.arguments {
        words.push(text(name)?.map_or_else(|| quoted(""), quoted));
    }
    while words.last().is_some_and(|word| word == "''") {
        words.pop();
    }
    words.extend(text(ARGUMENTS)?.map(str::to_owned));
    Ok(words.join(" "))
}

/// A value as one word of a command line.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:@%+=,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::quoted;
    use skillful_render::Arguments;

    #[test]
    fn a_quoted_value_is_read_back_as_one_word() {
        for text in ["plain", "two words", "it's", "", "a\"b", "$HOME `x`", "ä;rm -rf ~"] {
            assert_eq!(Arguments::new(&quoted(text)).words, [text]);
        }
    }
}
