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
/// Bytes of the words after a page.
const FOOTER: usize = 200;
/// Skills that a search that finds nothing lists instead.
const FEW: usize = 12;

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
    /// In words for a model, in at most `room` bytes as far as one skill fits: what does not fit is on the next page.
    #[must_use]
    pub fn text_within(mut self, catalog: &Catalog, room: usize) -> String {
        let mut left = room.saturating_sub(FOOTER);
        let fits = self.shown.iter().take_while(|at| {
            let length = line(&catalog.entries[**at]).len();
            let fits = length <= left;
            left = left.saturating_sub(length);
            fits
        });
        let fits = fits.count().max(1);
        if fits < self.shown.len() {
            let start = self.next.unwrap_or(self.total) - self.shown.len();
            self.next = Some(start + fits);
            self.shown.truncate(fits);
        }
        self.text(catalog)
    }

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

/// What a search found, in words for a model. With few skills a search that found nothing lists them all, since a model
/// judges a handful better than words do.
pub fn found(catalog: &Catalog, asker: Asker<'_>, entries: &[&Entry]) -> String {
    if entries.is_empty() {
        let all = list(catalog, asker, None, 0, FEW);
        return match all.total {
            0 => "No skill is available; go on without one.\n".to_owned(),
            total if total <= FEW => format!(
                "No skill matches these words. All {total} skills:\n\n{}\nLoad one with `use_skill` if it fits, else go on without.\n",
                all.text(catalog)
            ),
            total => format!(
                "No skill matches these words; go on without one, or read the names of all {total} with `list_skills`.\n"
            ),
        };
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
