//! Creates a new skill that passes the strictest check without changes.

use crate::{
    lint::{DESCRIPTION_LIMIT, NAME_LIMIT, is_letter_or_number},
    manifest::Manifest,
    tree::is_windows_device,
    write,
};

/// The name is not allowed for a new skill.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` cannot be the name of a skill: {why}")]
pub struct NameRefused {
    /// The requested name.
    pub name: String,
    /// The rule that the name breaks.
    pub why: &'static str,
    /// An allowed name that is close to it.
    pub suggestion: Option<String>,
}

/// Checks the name of a new skill against the specification, limited to ASCII.
pub fn check_name(name: &str) -> Result<(), NameRefused> {
    let fault = if name.is_empty() {
        Some("it is empty")
    } else if name.len() > NAME_LIMIT {
        Some("it is longer than 64 characters")
    } else if !name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-') {
        Some("use lower-case letters, digits and hyphens")
    } else if name.starts_with('-') || name.ends_with('-') || name.contains("--") {
        Some("use single hyphens, only between words")
    } else if is_windows_device(name) {
        Some("it is the name of a device on Windows")
    } else {
        None
    };
    match fault {
        None => Ok(()),
        Some(why) => Err(NameRefused { name: name.to_owned(), why, suggestion: slug(name) }),
    }
}

/// The nearest allowed name, if there is one.
pub fn slug(text: &str) -> Option<String> {
    let mut out = String::new();
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            out.push(c.to_ascii_lowercase());
        } else if !out.is_empty() && !out.ends_with('-') && !is_letter_or_number(c) {
            out.push('-');
        }
        if out.len() == NAME_LIMIT {
            break;
        }
    }
    let out = out.trim_end_matches('-').to_owned();
    (check_fits(&out)).then_some(out)
}

fn check_fits(name: &str) -> bool {
    !name.is_empty() && !is_windows_device(name)
}

const PLACEHOLDER: &str = "Does one thing well for ";

/// Whether a description is the sentence that a new skill has until its author edits it.
pub fn is_placeholder(name: &str, text: &str) -> bool {
    text.trim_start().starts_with(PLACEHOLDER) && text.trim() == description(name, None)
}

/// The description of a new skill: the requested one, or a sentence for the author to edit.
pub fn description(name: &str, description: Option<&str>) -> String {
    description.map(str::trim).filter(|text| !text.is_empty()).map_or_else(
        || {
            format!(
                "{PLACEHOLDER}{}. Use when the user asks for it by name, or for the outcome it produces.",
                name.replace('-', " ")
            )
        },
        |text| text.chars().take(DESCRIPTION_LIMIT).collect(),
    )
}

/// The text of a new SKILL.md.
pub fn skill_file(name: &str, description: Option<&str>) -> String {
    let manifest = Manifest {
        name: Some(name.to_owned()),
        description: Some(self::description(name, description)),
        ..Manifest::default()
    };
    let title = name
        .split('-')
        .map(|word| {
            let mut chars = word.chars();
            chars
                .next()
                .map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + chars.as_str())
        })
        .collect::<Vec<_>>()
        .join(" ");
    let body = format!(
        "
# {title}

Say in one sentence what the reader will have when this is done.

## Steps

1. Look at what is there before changing anything.
2. Do the work, one verifiable step at a time.
3. Check the result and say how it was checked.

## Limits

- Name what this skill must not do, and what to do instead.

Keep this file short. Put long tables and examples into `references/`, programs into `scripts/`.
"
    );
    write::manifest(&manifest) + &body
}

#[cfg(test)]
mod tests;
