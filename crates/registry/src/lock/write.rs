//! Lock to text. The writer is our own because the layout is a promise: what changes is what git shows.

use super::{Lock, Locked, PushedSkill, VERSION};
use std::fmt::{self, Display};
use toml::Value;

const HEAD: &str = "# Written by `skillful`; meant to be kept with the project. One table per skill.\n";

impl Display for Lock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEAD}version = {VERSION}")?;
        for (key, value) in &self.rest {
            write_rest(f, key, value)?;
        }
        for (name, locked) in &self.skills {
            write_skill(f, &key_text(name.as_str()), locked)?;
        }
        for (target, skills) in &self.pushed {
            for (name, PushedSkill { id, version, tree }) in skills {
                write!(f, "\n[push.{}.{}]\n", key_text(target), key_text(name))?;
                writeln!(
                    f,
                    "id = {}\nversion = {}\ntree = {}",
                    text(id),
                    text(version),
                    text(&tree.to_string())
                )?;
            }
        }
        Ok(())
    }
}

fn write_skill(f: &mut fmt::Formatter<'_>, name: &str, locked: &Locked) -> fmt::Result {
    write!(f, "\n[skill.{name}]\n")?;
    let mut line = |key: &str, value: Option<&dyn Display>| match value {
        Some(value) => writeln!(f, "{key} = {}", text(&value.to_string())),
        None => Ok(()),
    };
    line("source", Some(&locked.source))?;
    line("folder", locked.folder.as_ref().map(|v| v as &dyn Display))?;
    line("url", locked.resolved.url.as_ref().map(|v| v as &dyn Display))?;
    line("commit", locked.resolved.commit.as_ref().map(|v| v as &dyn Display))?;
    line("version", locked.resolved.version.as_ref().map(|v| v as &dyn Display))?;
    line("artefact", locked.artefact.as_ref().map(|v| v as &dyn Display))?;
    line("tree", Some(&locked.tree))?;
    line("edited", locked.edited.as_ref().map(|edited| &edited.tree as &dyn Display))?;
    line("signer", locked.signer.as_ref().map(|v| v as &dyn Display))?;
    if locked.pending {
        writeln!(f, "pending = true")?;
    }
    write_list(f, "capabilities", locked.capabilities.iter().map(String::as_str))?;
    write_list(f, "copied", locked.copied.iter().map(skillful_format::TreePath::as_str))?;
    write_list(f, "linked", locked.linked.iter().map(skillful_format::TreePath::as_str))?;
    write_list(f, "aliases", locked.aliases.iter().map(skillful_format::TreePath::as_str))?;
    if let Some(patch) = locked.edited.as_ref().and_then(|edited| edited.patch.as_ref()) {
        write_list(f, "patch", patch.trim_end_matches('\n').split('\n').collect::<Vec<_>>().into_iter())?;
    }
    for (key, value) in &locked.rest {
        write_rest(f, key, value)?;
    }
    Ok(())
}

fn write_list<'a>(
    f: &mut fmt::Formatter<'_>,
    key: &str,
    items: impl ExactSizeIterator<Item = &'a str>,
) -> fmt::Result {
    if items.len() == 0 {
        return Ok(());
    }
    writeln!(f, "{key} = [")?;
    for item in items {
        writeln!(f, "    {},", text(item))?;
    }
    f.write_str("]\n")
}

/// Tables of a newer program are written inside their line, so that they need no place of their own.
fn write_rest(f: &mut fmt::Formatter<'_>, key: &str, value: &Value) -> fmt::Result {
    write!(f, "{} = ", key_text(key))?;
    write_value(f, value)?;
    f.write_str("\n")
}

fn write_value(f: &mut fmt::Formatter<'_>, value: &Value) -> fmt::Result {
    match value {
        Value::String(string) => f.write_str(&text(string)),
        Value::Array(items) => {
            f.write_str("[")?;
            for (index, item) in items.iter().enumerate() {
                f.write_str(if index == 0 { "" } else { ", " })?;
                write_value(f, item)?;
            }
            f.write_str("]")
        }
        Value::Table(table) => {
            let mut pairs: Vec<_> = table.iter().collect();
            pairs.sort_by_key(|(key, _)| *key);
            f.write_str("{")?;
            for (index, (key, value)) in pairs.into_iter().enumerate() {
                write!(f, "{}{} = ", if index == 0 { " " } else { ", " }, key_text(key))?;
                write_value(f, value)?;
            }
            f.write_str(if table.is_empty() { "}" } else { " }" })
        }
        Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => {
            write!(f, "{value}")
        }
    }
}

fn key_text(key: &str) -> String {
    let is_bare =
        !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
    if is_bare { key.to_owned() } else { text(key) }
}

/// One line, whatever it holds.
fn text(string: &str) -> String {
    let mut out = String::with_capacity(string.len() + 2);
    out.push('"');
    for c in string.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // What cannot be seen in an editor is spelled out.
            c if crate::source::is_unseen(c) => out.push_str(&format!("\\U{:08X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
