//! The styles of a menu.

use super::{MenuItem, roots::Roots};
use crate::escape;
use serde_json::json;
use skillful_catalog::profile::MenuStyle;

/// A style, and the table of roots that it may use.
#[derive(Clone, Copy)]
pub(super) struct Style<'a> {
    pub(super) form: MenuStyle,
    /// Empty when paths are not shortened.
    pub(super) roots: &'a Roots,
}

impl Style<'_> {
    /// One entry, with its line end. Without a description, the entry is the name only.
    pub(super) fn entry(self, item: &MenuItem, description: Option<&str>) -> String {
        let hint = item.when_to_use.as_deref().filter(|_| description.is_some());
        let room = 64 + item.name.len() + item.location.len();
        let mut out =
            String::with_capacity(room + description.map_or(0, str::len) + hint.map_or(0, str::len));
        match self.form {
            MenuStyle::Xml => {
                out.push_str("<skill>\n<name>\n");
                out.push_str(&escape::xml(&item.name));
                if let Some(description) = description {
                    out.push_str("\n</name>\n<description>\n");
                    out.push_str(&escape::xml(description));
                    out.push_str("\n</description>\n<location>\n");
                } else {
                    out.push_str("\n</name>\n<location>\n");
                }
                out.push_str(&escape::path(&item.location));
                out.push_str("\n</location>\n</skill>\n");
            }
            MenuStyle::Menu => line(&mut out, "", item, description, "", None),
            MenuStyle::Preamble => line(&mut out, "- ", item, description, " — When to use: ", hint),
            MenuStyle::Claude => line(&mut out, "- ", item, description, " - ", hint),
            MenuStyle::Codex => {
                line(&mut out, "- ", item, description, "", None);
                out.truncate(out.len() - 1);
                out.push_str(" (");
                out.push_str(&escape::path(&self.roots.place(item)));
                out.push_str(")\n");
            }
            MenuStyle::Json => {
                let mut value = json!({ "name": item.name, "location": item.location });
                if let Some(description) = description {
                    value["description"] = json!(description);
                }
                if let Some(hint) = hint {
                    value["when_to_use"] = json!(hint);
                }
                out.push_str(&format!("{value}\n"));
            }
        }
        out
    }

    /// The complete menu around the entries.
    pub(super) fn frame(self, entries: &[&str], omitted: usize) -> String {
        let body = entries.concat();
        let more = match omitted {
            0 => String::new(),
            1 => "1 more skill is not shown; search for it by what you need.\n".to_owned(),
            count => format!("{count} more skills are not shown; search for them by what you need.\n"),
        };
        match self.form {
            MenuStyle::Xml => {
                format!("<available_skills>\n{body}</available_skills>{}", more_after(&more))
            }
            MenuStyle::Menu => format!("## Available skills (load on demand)\n\n{body}{more}"),
            MenuStyle::Preamble => {
                format!(
                    "You have skills. When a task matches one, load it with `use_skill` before you start.\n\n{body}{more}"
                )
            }
            MenuStyle::Codex => {
                let table = if self.roots.is_empty() { String::new() } else { self.roots.table() + "\n" };
                format!("<skills_instructions>\n## Skills\n\n{table}{body}{more}</skills_instructions>\n")
            }
            MenuStyle::Claude => format!("Skills that can be invoked:\n\n{body}{more}"),
            MenuStyle::Json => {
                let items: Vec<serde_json::Value> =
                    entries.iter().filter_map(|entry| serde_json::from_str(entry).ok()).collect();
                json!({ "skills": items, "omitted": omitted }).to_string() + "\n"
            }
        }
    }
}

/// `- name: description, hint`.
fn line(
    out: &mut String,
    mark: &str,
    item: &MenuItem,
    description: Option<&str>,
    by: &str,
    hint: Option<&str>,
) {
    out.push_str(mark);
    escape::push_line(out, &item.name);
    if let Some(description) = description {
        out.push_str(": ");
        escape::push_line(out, description);
    }
    if let Some(hint) = hint {
        out.push_str(by);
        escape::push_line(out, hint);
    }
    out.push('\n');
}

fn more_after(more: &str) -> String {
    if more.is_empty() { String::new() } else { format!("\n{more}") }
}
