//! The canonical spelling of a key and the canonical form of its value.

use crate::{
    field::{Field, FieldValue, field},
    manifest::{ToolGrant, is_fork_flag, yes_no_of_data},
    yaml::Data,
};

/// Converts one pair. `alone` says that the field appears only once, so that its key may be
/// respelled.
pub(super) fn pair(key: &str, data: Data, alone: bool) -> (String, Data) {
    let Some(Field { name, value, .. }) = field(key) else { return (key.to_owned(), data) };
    if *name == "context" && is_fork_flag(key) {
        return match yes_no_of_data(&data) {
            Some(true) if alone => ("context".to_owned(), Data::Text("fork".to_owned())),
            // `context: fork` has no form that means no.
            Some(flag) => ("context_fork".to_owned(), Data::Bool(flag)),
            None => (key.to_owned(), data),
        };
    }
    let data = match data {
        data if *value == FieldValue::Flag => yes_no_of_data(&data).map_or(data, Data::Bool),
        data if matches!(*name, "allowed-tools" | "disallowed-tools") => tools(data),
        Data::List(items) if *name == "argument-hint" => hint(items),
        data => data,
    };
    let spelling = if alone { name } else { key };
    (spelling.to_owned(), data)
}

/// Tools as one text separated by spaces, or unchanged when that would alter their meaning.
fn tools(data: Data) -> Data {
    let words: Option<Vec<String>> = match &data {
        Data::List(items) => items.iter().map(grant).collect(),
        Data::Text(text) => Some(ToolGrant::split(text).into_iter().map(str::to_owned).collect()),
        _ => None,
    };
    words.and_then(|words| join(&words)).map_or(data, Data::Text)
}

fn grant(item: &Data) -> Option<String> {
    match item {
        Data::Text(text) => ToolGrant::parse(text).map(|grant| grant.to_string()),
        _ => None,
    }
}

/// One text for a list of tools, if it reads back as the same list.
pub(super) fn join(words: &[String]) -> Option<String> {
    let joined = words.join(" ");
    (ToolGrant::split(&joined) == words).then_some(joined)
}

/// YAML reads `[file]` as a list; the author means text.
fn hint(items: Vec<Data>) -> Data {
    let words: Option<Vec<&str>> = items
        .iter()
        .map(|item| match item {
            Data::Text(text) | Data::Number(text) => Some(text.as_str()),
            Data::Bool(flag) => Some(if *flag { "true" } else { "false" }),
            _ => None,
        })
        .collect();
    words.map(|words| Data::Text(format!("[{}]", words.join(", ")))).unwrap_or(Data::List(items))
}
