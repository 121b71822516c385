//! The envelopes around instructions that a model reads. Text of an author cannot close one.

use crate::escape;
use schemars::JsonSchema;
use std::fmt::Write as _;

/// Maximum number of a skill's files that an envelope lists.
pub const FILES_SHOWN: usize = 50;

/// The files of a skill, as far as they are listed.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, JsonSchema)]
pub struct Files {
    /// Paths relative to the skill, sorted.
    pub shown: Vec<String>,
    /// Number of files that are not listed.
    pub more: usize,
    /// Whether there may be even more files: a limit was reached, or a folder could not be read.
    pub uncounted: bool,
}

impl Files {
    /// Lists the first files by name and counts the others.
    pub fn new(mut paths: Vec<String>) -> Self {
        paths.sort();
        let more = paths.len().saturating_sub(FILES_SHOWN);
        paths.truncate(FILES_SHOWN);
        Self { shown: paths, more, uncounted: false }
    }
}

/// A skill that a message mentions, as part of the user's message: `<skill>`.
pub fn injected(name: &str, path: &str, instructions: &str) -> String {
    format!(
        "<skill>\n<name>{}</name>\n<path>{}</path>\n{}\n</skill>\n",
        escape::xml(name),
        escape::path(path),
        escape::closing(instructions.trim_end(), "skill"),
    )
}

/// A skill that a model loaded, as the result of a tool: `<skill_content>`, with the folder that
/// its relative paths start from and its files.
pub fn content(name: &str, folder: Option<&str>, instructions: &str, files: &Files) -> String {
    // Every closing tag that starts like ours is escaped.
    let inner = escape::closing(instructions.trim_end(), "skill");
    let mut out = format!("<skill_content name=\"{}\">\n{inner}\n", escape::xml(name));
    if let Some(folder) = folder {
        let _never = write!(
            out,
            "\nThe folder of this skill is {}. Relative paths above start there.\n",
            escape::path(folder)
        );
    }
    if !files.shown.is_empty() || files.uncounted {
        out.push_str("<skill_files>\n");
        for file in &files.shown {
            out.push_str(&escape::path(file));
            out.push('\n');
        }
        match (files.more, files.uncounted) {
            (0, false) => {}
            (more, false) => {
                let _never = writeln!(out, "({more} more files are not named here)");
            }
            (more, true) => {
                let _never = writeln!(out, "({more} or more further files are not named here)");
            }
        }
        out.push_str("</skill_files>\n");
    }
    out + "</skill_content>\n"
}

/// Whether a text that an envelope was made of has these instructions.
pub fn has(text: &str, instructions: &str) -> bool {
    text.contains(&escape::closing(instructions.trim_end(), "skill"))
}

/// The text for a skill that is already loaded: a short note instead of a second copy.
pub fn again(name: &str, arguments: &str) -> String {
    let name = escape::line(name);
    if arguments.trim().is_empty() {
        return format!("The skill `{name}` is loaded above. Its instructions still hold.\n");
    }
    let arguments = escape::closing(arguments.trim(), "skill");
    format!("The skill `{name}` is loaded above. Follow it again, now for: {arguments}\n")
}

/// The heading of a companion skill, which is loaded in the same result as the skill that names it.
pub fn companion(name: &str, of: &str) -> String {
    format!("<!-- companion skill `{}`, which `{}` brings along -->\n", escape::line(name), escape::line(of))
}

/// The note for a companion skill that could not be loaded, so that a model does not assume it has
/// been applied.
pub fn missing_companion(name: &str, of: &str, reason: &str) -> String {
    let (name, of, reason) = (escape::line(name), escape::line(of), escape::line(reason));
    format!("<!-- companion skill `{name}` of `{of}` is unavailable: {reason} -->\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_injected_skill_is_named_with_its_path() {
        insta::assert_snapshot!(injected("a&b", "/s/a b#1/SKILL.md", "Do it.\n"), @r"
        <skill>
        <name>a&amp;b</name>
        <path>/s/a b#1/SKILL.md</path>
        Do it.
        </skill>
        ");
    }

    #[test]
    fn loaded_content_names_its_folder_and_its_files() {
        let files = Files::new((0..52).map(|number| format!("references/{number:02}.md")).collect());
        let text = content("pdf", Some("/s/pdf"), "Read `references/00.md`.", &files);
        assert!(
            text.starts_with("<skill_content name=\"pdf\">\nRead `references/00.md`.\n\nThe folder"),
            "{text}"
        );
        assert!(
            text.contains("references/49.md\n(2 more files are not named here)\n</skill_files>"),
            "{text}"
        );
        insta::assert_snapshot!(content("x", None, "Do it.", &Files::default()), @r#"
        <skill_content name="x">
        Do it.
        </skill_content>
        "#);
    }

    #[test]
    fn a_second_activation_is_a_short_note() {
        assert_eq!(again("x", " "), "The skill `x` is loaded above. Its instructions still hold.\n");
        assert_eq!(again("x", "y"), "The skill `x` is loaded above. Follow it again, now for: y\n");
    }

    proptest! {
        #[test]
        fn no_body_can_end_its_envelope(body in r"(</|<|/|skill|SKILL|_content|>| |\n|x){0,40}") {
            for (text, tag) in [
                (injected("n", "p", &body), "</skill>"),
                (content("n", None, &body, &Files::default()), "</skill_content>"),
            ] {
                let folded: String = text.to_lowercase().split_whitespace().collect();
                prop_assert_eq!(folded.matches(tag).count(), 1, "{}", text);
            }
        }
    }
}
