//! What is wrong with a header that can be read: names, descriptions, lengths, forms.
//!
//! These findings are made whenever a skill is loaded, so they only look at what is in memory.

use crate::{
    diagnostic::{Code, Diagnostic},
    document::Document,
    field,
    sidecar::is_supplied,
    tree::is_windows_device,
    yaml::{Data, Key, Value},
};
use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_normalization::UnicodeNormalization;

/// Longest name of the specification, in characters.
pub const NAME_LIMIT: usize = 64;
/// Longest description of the specification, in characters.
pub const DESCRIPTION_LIMIT: usize = 1_024;
/// Longest `compatibility` of the specification, in characters.
pub const COMPATIBILITY_LIMIT: usize = 500;

/// Findings about a readable header. `folder` is the name of the skill's folder, when it has one.
pub fn header(document: &Document, folder: Option<&str>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    if document.soundness == crate::Soundness::Broken {
        return found;
    }
    name(document, folder, &mut found);
    description(document, &mut found);
    if let Some(text) = &document.manifest.compatibility {
        let length = text.chars().count();
        if length > COMPATIBILITY_LIMIT || text.trim().is_empty() {
            found.push(
                Diagnostic::new(
                    Code::CompatibilityLength,
                    format!("`compatibility` has {length} characters"),
                )
                .at(document.value_span("compatibility"))
                .help(format!("use 1 to {COMPATIBILITY_LIMIT} characters, or leave it out")),
            );
        }
    }
    forms(document, &mut found);
    found
}

fn name(document: &Document, folder: Option<&str>, found: &mut Vec<Diagnostic>) {
    let Some(written) = &document.manifest.name else {
        if document.header.is_some() {
            let used =
                folder.map_or(String::new(), |folder| format!("; the folder's name `{folder}` is used"));
            found.push(Diagnostic::new(Code::NameMissing, format!("there is no name{used}")).help(
                "add `name:` to the header; OpenCode, gemini-cli, goose and Zed drop skills without one",
            ));
        }
        return;
    };
    let at = document.value_span("name");
    let mut tell = |code, message: String, help: &str| {
        found.push(Diagnostic::new(code, message).at(at).help(help));
    };
    let name: String = written.trim().nfkc().collect();
    if name.is_empty() {
        tell(Code::NameEmpty, "the name is empty".to_owned(), "write the folder's name");
        return;
    }
    let length = name.chars().count();
    if length > NAME_LIMIT {
        let help = "shorten it; Codex and Zed refuse longer names";
        tell(Code::NameTooLong, format!("the name has {length} characters; the limit is {NAME_LIMIT}"), help);
    }
    if name.to_lowercase() != name {
        tell(
            Code::NameUpperCase,
            format!("the name `{name}` has upper-case letters"),
            "use lower-case letters",
        );
    }
    if name.starts_with('-') || name.ends_with('-') || name.contains("--") {
        let help = "use single hyphens between words";
        tell(Code::NameHyphens, format!("the name `{name}` has a hyphen at an edge or two in a row"), help);
    }
    let odd: String = name.chars().filter(|c| *c != '-' && !is_letter_or_number(*c)).collect();
    if !odd.is_empty() {
        let help = "use letters, digits and hyphens";
        tell(Code::NameCharacters, format!("the name `{name}` has `{}`", odd.escape_debug()), help);
    }
    if is_windows_device(&name) || matches!(name.as_str(), "." | ".." | ".git") {
        tell(Code::NameReserved, format!("the name `{name}` is reserved"), "choose another name");
    }
    if let Some(folder) = folder
        && folder.nfkc().ne(name.chars())
    {
        let help = "give both the same name; Cursor and Copilot drop the skill otherwise";
        tell(Code::NameNotFolder, format!("the name `{name}` is not the folder's name `{folder}`"), help);
    }
}

/// Python's `isalnum`, which the reference validator uses: general categories L and N. Rust's own
/// `is_alphanumeric` also takes vowel signs and circled letters.
pub fn is_letter_or_number(c: char) -> bool {
    use GeneralCategory as G;
    matches!(
        get_general_category(c),
        G::UppercaseLetter
            | G::LowercaseLetter
            | G::TitlecaseLetter
            | G::ModifierLetter
            | G::OtherLetter
            | G::DecimalNumber
            | G::LetterNumber
            | G::OtherNumber
    )
}

fn description(document: &Document, found: &mut Vec<Diagnostic>) {
    let text = document.manifest.description.as_deref().unwrap_or_default();
    if text.trim().is_empty() {
        found.push(
            Diagnostic::new(
                Code::DescriptionMissing,
                "there is no description, so a model is never offered this skill",
            )
            .at(document.value_span("description"))
            .help("add `description:` that says what the skill does and when to use it"),
        );
        return;
    }
    let at = document.value_span("description");
    let length = text.chars().count();
    if length > DESCRIPTION_LIMIT {
        found.push(
            Diagnostic::new(
                Code::DescriptionTooLong,
                format!("the description has {length} characters; the limit is {DESCRIPTION_LIMIT}"),
            )
            .at(at)
            .help("keep what and when; move the rest to the body"),
        );
    }
    if text.contains(['<', '>']) {
        found.push(
            Diagnostic::new(Code::DescriptionAngle, "the description holds angle brackets")
                .at(at)
                .help("use other words; OpenCode and gemini-cli put it unescaped into an XML list"),
        );
    }
}

fn forms(document: &Document, found: &mut Vec<Diagnostic>) {
    // Only the first header: validators take a second one for the body.
    let header_end = document.header.as_ref().map_or(0, |header| header.end);
    let own = |key: &Key| !is_supplied(key) && (key.span.start as usize) < header_end;
    for (key, node) in document.keys.iter().filter(|(key, _)| own(key)) {
        let Some(field) = field::field(&key.text) else { continue };
        if !field.spec || key.text != field.name {
            found.push(
                Diagnostic::new(Code::NonSpecKey, format!("`{}` is not part of the specification", key.text))
                    .at(key.span)
                    .help("agents that do not know it ignore it; strict validators refuse the skill"),
            );
        }
        let list = matches!(node.value, Value::List(_));
        if field.name == "allowed-tools" && list {
            found.push(
                Diagnostic::new(Code::ToolListForm, "`allowed-tools` is a list")
                    .at(node.span)
                    .help("write one text with blanks between the tools"),
            );
        }
    }
    for (key, data) in &document.manifest.metadata {
        if matches!(data, Data::List(_) | Data::Map(_)) {
            found.push(
                Diagnostic::new(Code::MetadataNotText, format!("`metadata.{key}` is not text"))
                    .at(document.value_span("metadata"))
                    .help("the specification maps text to text"),
            );
        }
    }
}

#[cfg(test)]
mod tests;
