//! Checks frontmatter that could be read: names, descriptions, lengths and forms.
//!
//! These checks run whenever a skill is loaded, so they use only what is in memory.

use crate::{
    diagnostic::{Code, Diagnostic},
    document::Document,
    field, scaffold,
    sidecar::is_supplied,
    tree::is_windows_device,
    yaml::{Data, Key, Value},
};
use std::borrow::Cow;
use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_normalization::UnicodeNormalization;

/// Maximum length of a name in the specification, in characters.
pub const NAME_LIMIT: usize = 64;
/// Maximum length of a description in the specification, in characters.
pub const DESCRIPTION_LIMIT: usize = 1_024;
/// Maximum length of `compatibility` in the specification, in characters.
pub const COMPATIBILITY_LIMIT: usize = 500;

/// Checks readable frontmatter. `source` is the content of the file, `folder` the name of the skill's folder, if it has
/// one.
pub fn frontmatter(source: &[u8], document: &Document, folder: Option<&str>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    if document.soundness == crate::Soundness::Broken {
        return found;
    }
    name(document, folder, &mut found);
    description(source, document, &mut found);
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
        if document.frontmatter.is_some() {
            let used =
                folder.map_or(String::new(), |folder| format!("; the folder's name `{folder}` is used"));
            found.push(Diagnostic::new(Code::NameMissing, format!("the name is missing{used}")).help(
                "add `name:` to the frontmatter; OpenCode, gemini-cli, goose and Zed drop skills without one",
            ));
        }
        return;
    };
    let at = document.value_span("name");
    let mut report = |code, message: String, help: &'static str| {
        found.push(Diagnostic::new(code, message).at(at).help(help));
    };
    let name = composed(written.trim());
    if name.is_empty() {
        report(Code::NameEmpty, "the name is empty".to_owned(), "set it to the folder's name");
        return;
    }
    let length = name.chars().count();
    if length > NAME_LIMIT {
        let help = "shorten it; Codex and Zed refuse longer names";
        report(
            Code::NameTooLong,
            format!("the name has {length} characters; the limit is {NAME_LIMIT}"),
            help,
        );
    }
    let is_plain =
        name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    if !is_plain && name.to_lowercase() != name {
        report(
            Code::NameUpperCase,
            format!("the name `{name}` has upper-case letters"),
            "use lower-case letters",
        );
    }
    if name.starts_with('-') || name.ends_with('-') || name.contains("--") {
        let help = "use single hyphens, only between words";
        report(
            Code::NameHyphens,
            format!("the name `{name}` starts or ends with a hyphen or has two in a row"),
            help,
        );
    }
    let mut refused = String::new();
    for c in name.chars().filter(|_| !is_plain).filter(|c| *c != '-' && !is_letter_or_number(*c)) {
        if !refused.contains(c) {
            refused.push(c);
        }
    }
    if !refused.is_empty() {
        let help = "use lower-case letters, digits and hyphens";
        report(
            Code::NameCharacters,
            format!("the name `{name}` contains `{}`", refused.escape_debug()),
            help,
        );
    }
    if is_windows_device(&name) || matches!(&*name, "." | ".." | ".git") {
        report(Code::NameReserved, format!("the name `{name}` is reserved"), "choose another name");
    }
    if let Some(folder) = folder
        && composed(folder) != name
    {
        let help = "use the same name for both; Cursor and Copilot drop the skill otherwise";
        report(
            Code::NameNotFolder,
            format!("the name `{name}` differs from the folder's name `{folder}`"),
            help,
        );
    }
}

/// A text in the form NFKC, which ASCII always is in.
fn composed(text: &str) -> Cow<'_, str> {
    if text.is_ascii() { Cow::Borrowed(text) } else { Cow::Owned(text.nfkc().collect()) }
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

/// Whether a comment stands in the place of the value of the key that ends at `from`.
fn comment_follows(source: &[u8], from: usize) -> bool {
    let rest = source.get(from..).unwrap_or_default();
    rest.iter().find(|byte| !matches!(byte, b' ' | b'\t' | b':')) == Some(&b'#')
}

fn description(source: &[u8], document: &Document, found: &mut Vec<Diagnostic>) {
    let text = document.manifest.description.as_deref().unwrap_or_default();
    if text.trim().is_empty() {
        // That there is no frontmatter, or a list in the place of the text, is reported already.
        let pair = document.pair("description");
        if document.diagnostics.iter().any(|found| found.code == Code::NoFrontmatter)
            || pair.is_some_and(|(_, node)| matches!(node.value, Value::List(_) | Value::Map(_)))
        {
            return;
        }
        let at = document.value_span("description");
        let key = pair.map(|(key, _)| key.span.end as usize);
        let (message, help) = if key.is_some_and(|key| comment_follows(source, key)) {
            (
                "the description is empty: a `#` after a space starts a comment",
                "put the value in double quotes",
            )
        } else {
            (
                "the description is missing, so most agents do not offer this skill to a model",
                "add a `description:` that says what the skill does and when to use it",
            )
        };
        found.push(Diagnostic::new(Code::DescriptionMissing, message).at(at).help(help));
        return;
    }
    let at = document.value_span("description");
    let name = document.manifest.name.as_deref().unwrap_or_default();
    if scaffold::is_placeholder(name, text) {
        let message = "the description is the placeholder that `skillful new` wrote";
        let help = "say what the skill does and when to use it";
        found.push(Diagnostic::new(Code::DescriptionPlaceholder, message).at(at).help(help));
    }
    let length = text.chars().count();
    if length > DESCRIPTION_LIMIT {
        found.push(
            Diagnostic::new(
                Code::DescriptionTooLong,
                format!("the description has {length} characters; the limit is {DESCRIPTION_LIMIT}"),
            )
            .at(at)
            .help("keep what it does and when to use it; move the rest to the body"),
        );
    }
    if let Some(tag) = tag_in(text) {
        found.push(
            Diagnostic::new(Code::DescriptionAngle, format!("`{tag}` in the description reads like a tag"))
                .at(at)
                .help("write it without angle brackets; OpenCode and gemini-cli insert the description unescaped into an XML list"),
        );
    }
}

/// The first part of a text that reads like an XML tag: `<name>`, `</name>`. An arrow or a comparison does not.
fn tag_in(text: &str) -> Option<&str> {
    text.match_indices('<').find_map(|(start, _)| {
        let rest = &text[start + 1..];
        let name = rest.strip_prefix(['/', '!', '?']).unwrap_or(rest);
        let end = rest.find(['<', '>']).filter(|end| rest[*end..].starts_with('>'))?;
        name.starts_with(char::is_alphabetic).then(|| &text[start..start + end + 2])
    })
}

fn forms(document: &Document, found: &mut Vec<Diagnostic>) {
    // Only the first frontmatter block: validators read a second one as part of the body.
    let frontmatter_end = document.frontmatter.as_ref().map_or(0, |frontmatter| frontmatter.end);
    let own = |key: &Key| !is_supplied(key) && (key.span.start as usize) < frontmatter_end;
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
                    .help("write one text with spaces between the tools"),
            );
        }
    }
    let metadata = document.pair("metadata").and_then(|(_, node)| node.pairs()).unwrap_or_default();
    for (key, data) in &document.manifest.metadata {
        if matches!(data, Data::List(_) | Data::Map(_)) {
            let own = metadata.iter().find(|(own, _)| own.text == *key).map(|(own, _)| own.span);
            found.push(
                Diagnostic::new(Code::MetadataNotText, format!("`metadata.{key}` is not text"))
                    .at(own.or_else(|| document.value_span("metadata")))
                    .help("write the value as quoted text; the specification allows only text"),
            );
        }
    }
}

#[cfg(test)]
mod tests;
