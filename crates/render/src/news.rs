//! Changes since the user's last turn: a fingerprint of the visible skills, and a note when it
//! differs.

use crate::escape;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// Maximum number of characters of a changelog in a note.
pub const CHANGELOG_SHOWN: usize = 2_000;
/// Maximum number of names in one list of a note.
const NAMES_SHOWN: usize = 20;

/// The skills that a user sees: qualified name, and a text that changes with their content.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seen(pub BTreeMap<String, String>);

impl Seen {
    /// Twelve hexadecimal digits that change when a skill is added, removed or changed.
    pub fn fingerprint(&self) -> String {
        let mut hasher = Sha256::new();
        for (name, content) in &self.0 {
            // The lengths ensure that two different sets never hash the same bytes.
            hasher.update((name.len() as u64).to_le_bytes());
            hasher.update(name);
            hasher.update((content.len() as u64).to_le_bytes());
            hasher.update(content);
        }
        hasher.finalize().iter().take(6).map(|byte| format!("{byte:02x}")).collect()
    }
}

/// The changes, by qualified name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct News {
    /// Skills that were added.
    pub added: Vec<String>,
    /// Skills that changed.
    pub changed: Vec<String>,
    /// Skills that were removed.
    pub removed: Vec<String>,
}

impl News {
    /// Compares the skills that a user saw with those that the user sees now. `None` when nothing
    /// changed.
    pub fn between(before: &Seen, now: &Seen) -> Option<Self> {
        let mut news = Self::default();
        for (name, content) in &now.0 {
            match before.0.get(name) {
                None => news.added.push(name.clone()),
                Some(known) if known != content => news.changed.push(name.clone()),
                Some(_) => {}
            }
        }
        news.removed = before.0.keys().filter(|name| !now.0.contains_key(*name)).cloned().collect();
        (news != Self::default()).then_some(news)
    }

    /// The note for the model, with the available changelogs: name and text.
    pub fn note(&self, changelogs: &[(String, String)]) -> String {
        let mut out = "<skills_news>\nThe skills changed since the last turn.\n".to_owned();
        for (what, names) in [("Added", &self.added), ("Changed", &self.changed), ("Removed", &self.removed)]
        {
            if names.is_empty() {
                continue;
            }
            let shown: Vec<String> = names.iter().take(NAMES_SHOWN).map(|name| escape::line(name)).collect();
            let more = names.len() - shown.len();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            out.push_str(&format!("{what}: {}{more}\n", shown.join(", ")));
        }
        for (name, text) in changelogs {
            let shown: String = text.trim().chars().take(CHANGELOG_SHOWN).collect();
            let cut = if shown.len() < text.trim().len() { "\n…" } else { "" };
            let shown = escape::closing(&shown, "skills_news");
            out.push_str(&format!("\nFrom the changelog of {}:\n{shown}{cut}\n", escape::line(name)));
        }
        out + "</skills_news>\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(skills: &[(&str, &str)]) -> Seen {
        Seen(skills.iter().map(|(name, content)| ((*name).to_owned(), (*content).to_owned())).collect())
    }

    #[test]
    fn the_fingerprint_is_twelve_digits_and_changes_with_the_visible_set() {
        let one = seen(&[("a", "1"), ("b", "2")]);
        assert_eq!(one.fingerprint().len(), 12);
        assert_eq!(one.fingerprint(), one.clone().fingerprint());
        for other in [seen(&[("a", "1")]), seen(&[("a", "1"), ("b", "3")]), seen(&[("a", "1"), ("c", "2")])] {
            assert_ne!(one.fingerprint(), other.fingerprint());
        }
    }

    #[test]
    fn the_note_lists_added_changed_and_removed_skills() {
        let before = seen(&[("a", "1"), ("b", "2")]);
        let news = News::between(&before, &seen(&[("b", "3"), ("c", "1")])).unwrap();
        let log = ("b".to_owned(), "# 2.0\n\nNew </skills_news> way.".to_owned());
        insta::assert_snapshot!(news.note(&[log]), @r"
        <skills_news>
        The skills changed since the last turn.
        Added: c
        Changed: b
        Removed: a

        From the changelog of b:
        # 2.0

        New &lt;/skills_news> way.
        </skills_news>
        ");
        assert_eq!(News::between(&before, &before), None);
    }
}
