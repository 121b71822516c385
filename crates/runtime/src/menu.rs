//! Skills in lists that a model asks for: those it may use, in one line each.

use skillful_catalog::{Catalog, Entry};
use skillful_render::escape;
use skillful_select::access::{Asker, Way, offered};

/// Skills of one list, at most.
pub const MOST_LISTED: usize = 500;
/// Skills of one list, by default.
pub const USUALLY_LISTED: usize = 100;
/// Skills of one search, at most.
pub const MOST_FOUND: usize = 20;
/// Characters of a description in a list; a model that loads the skill reads the rest.
const DESCRIPTION_SHOWN: usize = 250;

/// A page of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its skills, by address.
    pub shown: Vec<usize>,
    /// Skills in all.
    pub total: usize,
    /// Where the next page starts.
    pub next: Option<usize>,
}

/// The skills that a model may list, whose name or description holds `filter`.
pub fn list(
    catalog: &Catalog,
    asker: Asker<'_>,
    filter: Option<&str>,
    offset: usize,
    limit: usize,
) -> Listed {
    let filter = filter.map(str::to_lowercase).filter(|filter| !filter.is_empty());
    let holds = |text: &str, wanted: &str| text.to_lowercase().contains(wanted);
    let fits = |at: &usize| {
        let entry = &catalog.entries[*at];
        filter.as_deref().is_none_or(|wanted| {
            holds(&entry.address(), wanted) || entry.description().is_some_and(|words| holds(words, wanted))
        })
    };
    let open: Vec<usize> = offered(catalog, asker, Way::List).into_iter().filter(fits).collect();
    let total = open.len();
    let shown: Vec<usize> = open.into_iter().skip(offset).take(limit.clamp(1, MOST_LISTED)).collect();
    let next = Some(offset.saturating_add(shown.len())).filter(|next| *next < total);
    Listed { shown, total, next }
}

impl Listed {
    /// In words for a model.
    pub fn text(&self, catalog: &Catalog) -> String {
        if self.shown.is_empty() {
            return format!("No skill is in this list ({} in all).\n", self.total);
        }
        let mut text: String = self.shown.iter().map(|at| line(&catalog.entries[*at])).collect();
        if let Some(next) = self.next {
            text.push_str(&format!(
                "\n{} of {} skills are shown; go on with offset {next}, or ask `search_skills`.\n",
                self.shown.len(),
                self.total
            ));
        }
        text
    }
}

/// What a search found, in words for a model.
pub fn found(entries: &[&Entry]) -> String {
    if entries.is_empty() {
        return "No available skill matches this; go on without one.\n".to_owned();
    }
    let lines: String = entries.iter().map(|entry| line(entry)).collect();
    format!("{lines}\nLoad the one that fits with `use_skill`.\n")
}

/// A skill as one line.
fn line(entry: &Entry) -> String {
    format!("- {}: {}\n", escape::line(&entry.address()), escape::line(&description(entry)))
}

/// Its description, as far as a list shows it.
pub fn description(entry: &Entry) -> String {
    let whole = entry.description().unwrap_or_default();
    match whole.char_indices().nth(DESCRIPTION_SHOWN) {
        Some((end, _)) => format!("{}…", whole[..end].trim_end()),
        None => whole.to_owned(),
    }
}
