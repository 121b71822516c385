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

/// How much of a skill an entry shows, from least to most.
#[derive(Clone, Copy)]
pub(super) enum Detail<'d> {
    /// Its name.
    Name,
    /// Its name and, in the forms that have one, the place of its file.
    Place,
    /// Everything, with this description.
    Description(&'d str),
}

/// The beginning of an entry in XML that is more than a name.
const SKILL: &str = "<skill>\n";
/// What comes before a hint in forms that have no field for it.
pub(super) const WHEN: &str = " — When to use: ";

impl Style<'_> {
    /// One entry, with its line end.
    pub(super) fn entry(self, item: &MenuItem, detail: Detail<'_>) -> String {
        let description = match detail {
            Detail::Description(text) => Some(text).filter(|text| !text.is_empty()),
            Detail::Name | Detail::Place => None,
        };
        let has_place = !matches!(detail, Detail::Name);
        let hint = item.when_to_use.as_deref().filter(|_| matches!(detail, Detail::Description(_)));
        let room = 192 + item.name.len() + item.location.len();
        let mut out =
            String::with_capacity(room + description.map_or(0, str::len) + hint.map_or(0, str::len));
        match self.form {
            // Elements would take more room than the name, and hide others.
            MenuStyle::Xml if !has_place => {
                escape::push_line(&mut out, &escape::xml(&item.name));
                out.push('\n');
            }
            MenuStyle::Xml => {
                out.push_str(SKILL);
                let mut element = |name: &str, text: &str| {
                    for part in ["<", name, ">\n", text, "\n</", name, ">\n"] {
                        out.push_str(part);
                    }
                };
                element("name", &escape::xml(&item.name));
                if let Some(description) = description {
                    element("description", &escape::xml(description));
                }
                if let Some(hint) = hint {
                    element("when_to_use", &escape::xml(hint));
                }
                if has_place {
                    element("location", &escape::path(&item.location));
                }
                out.push_str("</skill>\n");
            }
            MenuStyle::Menu => line(&mut out, "", item, description, WHEN, hint),
            MenuStyle::Preamble => line(&mut out, "- ", item, description, WHEN, hint),
            MenuStyle::Claude => line(&mut out, "- ", item, description, " - ", hint),
            MenuStyle::Codex => {
                line(&mut out, "- ", item, description, WHEN, hint);
                if has_place {
                    out.truncate(out.len() - 1);
                    out.push_str(" (");
                    out.push_str(&escape::path(&self.roots.place(item)));
                    out.push_str(")\n");
                }
            }
            MenuStyle::Json => {
                let mut value = json!({ "name": item.name });
                if has_place {
                    value["location"] = json!(item.location);
                }
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
                let (whole, names): (Vec<&str>, Vec<&str>) =
                    entries.iter().partition(|entry| entry.starts_with(SKILL));
                let names = names.concat();
                let names =
                    if names.is_empty() { names } else { format!("<skill_names>\n{names}</skill_names>\n") };
                let whole = whole.concat();
                format!("<available_skills>\n{whole}{names}</available_skills>{}", more_after(&more))
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
pub(super) fn line(
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
