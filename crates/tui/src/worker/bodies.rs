//! The texts of skills, read in the background, for the search.

use crate::job::Snapshot;
use skillful::{Workspace, visible::sentence};
use skillful_catalog::body;
use std::{path::PathBuf, time::SystemTime};

/// Bodies that are read between two requests.
const STEP: usize = 100;
/// Bytes of one body, and of all bodies, that are searched.
const BODY: usize = 256 << 10;
const ALL: usize = 64 << 20;
/// Characters of a line that a list may show, and bytes of it in front of the match.
const EXCERPT: usize = 120;
const BEFORE: usize = 8;

/// A file, when it was changed last, and its text in lower case.
type Text = (PathBuf, Option<SystemTime>, String);

#[derive(Default)]
pub(crate) struct Bodies {
    /// By row: the file, when it was changed last, and its text in lower case.
    texts: Vec<Option<Text>>,
    /// The texts of the snapshot before, which are kept when their files are the same.
    before: Vec<Option<Text>>,
    next: usize,
    total: usize,
    bytes: usize,
}

impl Bodies {
    pub(crate) fn begin(&mut self, rows: usize) {
        self.before = std::mem::take(&mut self.texts);
        self.before.sort_by(|a, b| a.as_ref().map(|one| &one.0).cmp(&b.as_ref().map(|one| &one.0)));
        self.total = rows;
        self.texts = Vec::with_capacity(self.total);
        (self.next, self.bytes) = (0, 0);
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.next >= self.total
    }

    pub(crate) fn read_some(&mut self, workspace: &Workspace, snapshot: &Snapshot) {
        let catalog = workspace.catalog();
        let end = (self.next + STEP).min(self.total);
        for row in self.next..end {
            let skill = &snapshot.matrix.skills[row];
            let entry = skill.at.and_then(|at| catalog.entries.get(at));
            let text = entry.filter(|_| self.bytes < ALL).and_then(|entry| {
                let file = body::file(entry);
                let stamp = file.metadata().and_then(|about| about.modified()).ok();
                let known = self
                    .before
                    .binary_search_by(|one| one.as_ref().map(|one| one.0.as_path()).cmp(&Some(file)));
                let known = known.ok().and_then(|at| self.before[at].clone());
                if let Some(known) = known.filter(|known| stamp.is_some() && known.1 == stamp) {
                    return Some(known);
                }
                let mut text = body::read(entry).ok()?.to_lowercase();
                if text.len() > BODY {
                    let end = (0..=BODY).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
                    text.truncate(end);
                }
                Some((file.to_path_buf(), stamp, text))
            });
            self.bytes += text.as_ref().map_or(0, |(_, _, text)| text.len());
            self.texts.push(text);
        }
        self.next = end;
        if self.is_complete() {
            self.before = Vec::new();
        }
    }

    /// The rows whose bodies have all words, each with the line of the first word.
    pub(crate) fn search(&self, words: &[String]) -> Vec<(usize, String)> {
        let Some((first, rest)) = words.split_first() else { return Vec::new() };
        let hit = |(row, text): (usize, &Option<Text>)| {
            let (_, _, text) = text.as_ref()?;
            let at =
                text.find(first.as_str()).filter(|_| rest.iter().all(|word| text.contains(word.as_str())))?;
            let start = text[..at].rfind('\n').map_or(0, |line| line + 1);
            let end = text[at..].find('\n').map_or(text.len(), |line| at + line);
            // A line may be as long as the file, and a list shows only the beginning of what it gets.
            let start = if at - start > BEFORE { shortly_before(text, at) } else { start };
            let line: String = text[start..end].chars().take(EXCERPT).collect();
            Some((row, sentence(line.trim_start_matches(['#', '-', '*', ' ']))))
        };
        self.texts.iter().enumerate().filter_map(hit).collect()
    }
}

/// Some bytes before a match, at the beginning of a word where one begins there.
fn shortly_before(text: &str, found: usize) -> usize {
    let at = (found - BEFORE..found).find(|at| text.is_char_boundary(*at)).unwrap_or(found);
    text[at..found].find(' ').map_or(at, |blank| at + blank + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_is_at_the_beginning_of_what_a_list_shows() {
        let text = "# title\ncall the tool, wait for the answer, run a benchmark of the whole and compare it"
            .to_owned();
        let bodies = Bodies { texts: vec![Some((PathBuf::new(), None, text))], ..Bodies::default() };
        assert_eq!(bodies.search(&["bench".to_owned()])[0].1, "run a benchmark of the whole and compare it");
        assert_eq!(bodies.search(&["title".to_owned()])[0].1, "title");
    }
}
