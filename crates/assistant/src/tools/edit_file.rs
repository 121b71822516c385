//! `edit_file`: replaces exact text in a file.

use super::{arguments::Arguments, change, content, real_path::resolve_argument, spec};
use crate::{
    tool::{Tool, ToolPlan},
    tool_environment::ToolEnvironment,
};
use serde_json::{Map, Value, json};
use skillful_llm::ToolSpec;
use std::path::Path;

/// Most edits of one call.
const EDITS: usize = 100;
/// Lines that are shown when a text was not found.
const NEAR: usize = 3;
/// Characters of such a line.
const NEAR_LINE: usize = 160;

/// Edits a file.
pub(super) struct EditFile;

/// One replacement.
#[derive(Clone, Debug)]
pub(super) struct Edit {
    pub(super) old: String,
    pub(super) new: String,
    pub(super) all: bool,
}

impl Tool for EditFile {
    fn spec(&self) -> ToolSpec {
        let one = json!({
            "old": { "type": "string", "description": "Exact text, without line numbers." },
            "new": { "type": "string" },
            "all": { "type": "boolean", "description": "Replace every occurrence." },
        });
        let mut schema = json!({ "path": { "type": "string" } });
        if let (Some(schema), Some(one)) = (schema.as_object_mut(), one.as_object()) {
            schema.extend(one.clone());
        }
        schema["edits"] = json!({
            "type": "array",
            "description": "Several edits, in order, instead of old and new.",
            "items": { "type": "object", "properties": one, "required": ["old", "new"], "additionalProperties": false },
        });
        spec("edit_file", include_str!("../../prompts/tools/edit_file.md"), &schema, &["path"])
    }

    fn plan<'a>(
        &'a self,
        arguments: &Map<String, Value>,
        env: &'a ToolEnvironment<'a>,
    ) -> Result<ToolPlan<'a>, String> {
        let arguments = Arguments::new(arguments, &["path", "old", "new", "all", "edits"])?;
        let path = resolve_argument(env, arguments.text("path")?)?;
        let edits = edits(arguments)?;
        match edited(&path, &edits) {
            Ok((before, after)) => Ok(change::plan(env, "edit", path, Some(before), after)),
            Err(why) => Ok(change::failing_plan(env, "edit", path, &why)),
        }
    }
}

fn edits(arguments: Arguments<'_>) -> Result<Vec<Edit>, String> {
    let edit = |of: Arguments<'_>| -> Result<Edit, String> {
        let (old, new, all) = (of.text("old")?.to_owned(), of.text("new")?.to_owned(), of.flag("all")?);
        match () {
            () if old.is_empty() => {
                Err("`old` is empty; use write_file to create a file, or name the text to insert beside"
                    .to_owned())
            }
            () if old == new => Err("`old` and `new` are the same; there is nothing to change".to_owned()),
            () => Ok(Edit { old, new, all }),
        }
    };
    match arguments.list("edits", &["old", "new", "all"])? {
        None => Ok(vec![edit(arguments)?]),
        Some(_) if arguments.maybe_text("old")?.is_some() || arguments.maybe_text("new")?.is_some() => {
            Err("give either `old` and `new` or `edits`, not both".to_owned())
        }
        Some(list) if list.is_empty() || list.len() > EDITS => {
            Err(format!("`edits` has {} edits; from 1 to {EDITS} are allowed", list.len()))
        }
        Some(list) => list
            .iter()
            .enumerate()
            .map(|(at, one)| edit(*one).map_err(|error| format!("in `edits` at {at}: {error}")))
            .collect(),
    }
}

fn edited(path: &Path, edits: &[Edit]) -> Result<(change::Before, Vec<u8>), String> {
    let before = change::before(path).map_err(|error| error.to_string())?;
    let before = before.ok_or("it does not exist; use write_file to create it")?;
    if let Some(kind) = content::kind(&before.bytes) {
        return Err(format!("it is {kind}"));
    }
    let text =
        std::str::from_utf8(&before.bytes).map_err(|_| "it is not UTF-8; use run_command".to_owned())?;
    let after = apply(text, edits)?;
    if after.len() > change::LARGEST {
        return Err(format!("it would have {} bytes; at most {} are written", after.len(), change::LARGEST));
    }
    Ok((before, after.into_bytes()))
}

/// Applies all edits in order, or none.
pub(super) fn apply(text: &str, edits: &[Edit]) -> Result<String, String> {
    let mut text = text.to_owned();
    for (at, edit) in edits.iter().enumerate() {
        let which = if edits.len() > 1 { format!(" of edit {at}") } else { String::new() };
        // The model reads and writes plain line ends.
        let crlf = uses_crlf(&text);
        let ends = |piece: &str| {
            if crlf { piece.replace("\r\n", "\n").replace('\n', "\r\n") } else { piece.to_owned() }
        };
        let exact = text.contains(&edit.old);
        let (old, new) = if exact && !crlf {
            (edit.old.clone(), edit.new.clone())
        } else {
            (ends(&edit.old), ends(&edit.new))
        };
        text = match text.matches(&old).take(2).count() {
            0 => return Err(format!("`old`{which} was not found{}", near(&text, &edit.old))),
            1 => text.replacen(&old, &new, 1),
            _ if edit.all => {
                // Replacing many short matches by a long text can exceed the limit.
                let count = text.matches(&old).count();
                let length = (text.len() - count * old.len()).saturating_add(count.saturating_mul(new.len()));
                if length > change::LARGEST {
                    return Err(format!(
                        "it would have {length} bytes; at most {} are written",
                        change::LARGEST
                    ));
                }
                text.replace(&old, &new)
            }
            _ => {
                let lines: Vec<String> = text
                    .match_indices(&old)
                    .take(NEAR)
                    .map(|(at, _)| line_of(&text, at).to_string())
                    .collect();
                let count = text.matches(&old).count();
                return Err(format!(
                    "`old`{which} was found {count} times (lines {}{}); add lines around it, or set `all`",
                    lines.join(", "),
                    if count > NEAR { ", …" } else { "" }
                ));
            }
        };
    }
    Ok(text)
}

/// Whether every line ends with CRLF.
fn uses_crlf(text: &str) -> bool {
    let ends = text.matches('\n').count();
    ends > 0 && text.matches("\r\n").count() == ends
}

fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

/// The place where the text differs only in blanks; else the place of its first line.
fn near(text: &str, wanted: &str) -> String {
    let plain = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let wanted: Vec<String> = wanted.lines().map(plain).skip_while(String::is_empty).collect();
    let Some(first) = wanted.first() else { return "; it contains only blanks".to_owned() };
    let lines: Vec<&str> = text.lines().collect();
    let begins = |(at, line): &(usize, &&str)| -> Option<(usize, usize)> {
        if plain(line) != *first {
            return None;
        }
        let alike = wanted.iter().zip(&lines[*at..]).take_while(|(want, have)| **want == plain(have)).count();
        Some((*at, alike))
    };
    let mut found: Vec<(usize, usize)> =
        lines.iter().enumerate().filter_map(|entry| begins(&entry)).take(NEAR * 10).collect();
    found.sort_by_key(|(at, alike)| (std::cmp::Reverse(*alike), *at));
    let Some(&(at, alike)) = found.first() else {
        return "; read the file again and copy the text exactly".to_owned();
    };
    let cut = |line: &str| line.chars().take(NEAR_LINE).collect::<String>();
    let shown = |from: usize| -> String {
        lines[from..]
            .iter()
            .take(NEAR)
            .enumerate()
            .map(|(n, line)| format!("\n{:>6}\t{}", from + n + 1, cut(line)))
            .collect()
    };
    if alike == wanted.len() {
        format!("; line {} differs from it only in blanks or line ends:{}", at + 1, shown(at))
    } else {
        format!(
            "; from line {} on the text starts the same and then differs:{}",
            at + 1,
            shown((at + alike).min(lines.len().saturating_sub(1)))
        )
    }
}

#[cfg(test)]
mod tests;
