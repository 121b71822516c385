//! Addresses of lists: search, filter, order and page live in them, so that a page can be sent to a colleague.

use std::fmt;

/// A path with parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    path: &'static str,
    pairs: Vec<(&'static str, String)>,
}

impl Address {
    /// A path without parameters.
    pub(crate) fn of(path: &'static str) -> Self {
        Self { path, pairs: Vec::new() }
    }

    /// With a parameter; an empty value takes it out. A page that was open is left, since it is of another list.
    pub(crate) fn with(&self, name: &'static str, value: impl fmt::Display) -> Self {
        let mut next = self.clone();
        next.pairs.retain(|(key, _)| *key != name && *key != "page");
        let value = value.to_string();
        if !value.is_empty() {
            next.pairs.push((name, value));
        }
        next
    }

    /// With every value of a parameter.
    pub(crate) fn and(&self, name: &'static str, values: &std::collections::BTreeSet<String>) -> Self {
        let mut next = self.clone();
        next.pairs.extend(values.iter().map(|value| (name, value.clone())));
        next
    }

    /// Another page of the same list; the first one has no number.
    pub(crate) fn page(&self, page: usize) -> Self {
        self.with("page", if page > 1 { page.to_string() } else { String::new() })
    }

    /// The value of a parameter.
    pub(crate) fn value(&self, name: &str) -> &str {
        self.pairs.iter().find(|(key, _)| *key == name).map_or("", |(_, value)| value)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.path)?;
        if self.pairs.is_empty() {
            return Ok(());
        }
        let query = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(&self.pairs).finish();
        write!(f, "?{query}")
    }
}

/// Where a page stands in its list.
#[derive(Clone, Debug)]
pub(crate) struct Pager {
    /// `1 to 25 of 41`.
    pub(crate) words: String,
    /// The page before.
    pub(crate) previous: Option<String>,
    /// The page afterwards.
    pub(crate) next: Option<String>,
}

impl Pager {
    /// The pager of a page with so many entries.
    pub(crate) fn of(here: &Address, page: usize, size: usize, shown: usize, total: usize) -> Self {
        let number = |value: usize| super::words::number(i64::try_from(value).unwrap_or(i64::MAX));
        let begin = (page - 1) * size;
        let words = if shown == 0 {
            format!("none of {}", number(total))
        } else {
            format!("{} to {} of {}", number(begin + 1), number(begin + shown), number(total))
        };
        Self {
            words,
            previous: (page > 1).then(|| here.page(page - 1).to_string()),
            next: (begin + shown < total && shown > 0).then(|| here.page(page + 1).to_string()),
        }
    }
}

/// The number of a page, from 1, as an address has it.
pub(crate) fn page_number(text: Option<&str>) -> usize {
    text.and_then(|text| text.parse().ok()).unwrap_or(1).clamp(1, 100_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_filter_begins_at_the_first_page_and_keeps_the_rest() {
        let here = Address::of("/ui/skills").with("q", "a&b").with("sort", "name").page(3);
        assert_eq!(here.to_string(), "/ui/skills?q=a%26b&sort=name&page=3");
        assert_eq!(here.with("sort", "used").to_string(), "/ui/skills?q=a%26b&sort=used");
        assert_eq!(here.with("q", "").to_string(), "/ui/skills?sort=name");
        assert_eq!(here.page(1).to_string(), "/ui/skills?q=a%26b&sort=name");
    }

    #[test]
    fn a_pager_says_where_it_is_and_names_only_pages_that_exist() {
        let here = Address::of("/ui/skills");
        let first = Pager::of(&here, 1, 25, 25, 41);
        assert_eq!(
            (first.words.as_str(), first.previous, first.next.as_deref()),
            ("1 to 25 of 41", None, Some("/ui/skills?page=2"))
        );
        let last = Pager::of(&here, 2, 25, 16, 41);
        assert_eq!(
            (last.words.as_str(), last.previous.as_deref(), last.next),
            ("26 to 41 of 41", Some("/ui/skills"), None)
        );
        assert_eq!(
            [page_number(None), page_number(Some("x")), page_number(Some("0")), page_number(Some("7"))],
            [1, 1, 1, 7]
        );
    }
}
