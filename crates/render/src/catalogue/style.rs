//! The forms of a catalogue.

use super::Item;
use crate::escape;
use serde_json::json;
use skillful_catalog::host::CatalogueStyle;

pub(super) struct Style(pub(super) CatalogueStyle);

impl Style {
    /// One entry, with its line end. `None` shows the name only.
    pub(super) fn entry(&self, item: &Item, description: Option<&str>) -> String {
        let name = escape::line(&item.name);
        let words = description.map(escape::line);
        let hint = item.when_to_use.as_deref().filter(|_| description.is_some()).map(escape::line);
        let colon = words.as_ref().map_or_else(String::new, |words| format!(": {words}"));
        match self.0 {
            CatalogueStyle::Xml => {
                let mut out = format!("<skill>\n<name>\n{}\n</name>\n", escape::xml(&item.name));
                if let Some(description) = description {
                    out.push_str(&format!("<description>\n{}\n</description>\n", escape::xml(description)));
                }
                out + &format!("<location>\n{}\n</location>\n</skill>\n", escape::path(&item.location))
            }
            CatalogueStyle::Menu => format!("{name}{colon}\n"),
            CatalogueStyle::Preamble => {
                let hint = hint.map_or_else(String::new, |hint| format!(" — When to use: {hint}"));
                format!("- {name}{colon}{hint}\n")
            }
            CatalogueStyle::Codex => format!("- {name}{colon} (file: {})\n", escape::path(&item.location)),
            CatalogueStyle::Claude => {
                let hint = hint.map_or_else(String::new, |hint| format!(" - {hint}"));
                format!("- {name}{colon}{hint}\n")
            }
            CatalogueStyle::Json => {
                let mut value = json!({ "name": item.name, "location": item.location });
                if let Some(description) = description {
                    value["description"] = json!(description);
                }
                if let Some(hint) = item.when_to_use.as_deref().filter(|_| description.is_some()) {
                    value["when_to_use"] = json!(hint);
                }
                format!("{value}\n")
            }
        }
    }

    /// The whole text around the entries.
    pub(super) fn frame(&self, entries: &[String], omitted: usize) -> String {
        let body = entries.concat();
        let more = match omitted {
            0 => String::new(),
            1 => "1 more skill is not shown; search for it by what you need.\n".to_owned(),
            count => format!("{count} more skills are not shown; search for them by what you need.\n"),
        };
        match self.0 {
            CatalogueStyle::Xml => {
                format!("<available_skills>\n{body}</available_skills>{}", more_after(&more))
            }
            CatalogueStyle::Menu => format!("## Available skills (load on demand)\n\n{body}{more}"),
            CatalogueStyle::Preamble => {
                format!(
                    "You have skills. When a task matches one, load it with `use_skill` before you start.\n\n{body}{more}"
                )
            }
            CatalogueStyle::Codex => {
                format!("<skills_instructions>\n## Skills\n\n{body}{more}</skills_instructions>\n")
            }
            CatalogueStyle::Claude => format!("Skills that can be invoked:\n\n{body}{more}"),
            CatalogueStyle::Json => {
                let items: Vec<serde_json::Value> =
                    entries.iter().filter_map(|entry| serde_json::from_str(entry).ok()).collect();
                json!({ "skills": items, "omitted": omitted }).to_string() + "\n"
            }
        }
    }
}

fn more_after(more: &str) -> String {
    if more.is_empty() { String::new() } else { format!("\n{more}") }
}
