//! Search: the words of all skills in memory, kept in step by the numbers of changes.
//!
//! A word is kept as a number made of its first eight bytes, so that a prefix is a range of numbers, and "configuration"
//! also finds "configure". Who may read a skill is decided for each search, by the same function as everywhere.

use crate::{
    actor::Actor,
    db::{Row, args},
    error::TeamError,
    permission::Scope,
    skills::{PageOf, SkillRecord, page_of},
    team::Team,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Words of one skill that are kept; a description has at most 1,024 characters.
const KEPT: usize = 300;
/// Words of one search that count.
const ASKED: usize = 4;
/// Changes that are followed one by one; after more of them everything is read again.
const FOLLOWED: i64 = 1_000;
/// Skills that are read at a time.
const READ: i64 = 2_000;
/// Bytes of a word that are compared.
const BYTES: usize = 8;

/// Every word that begins with the same bytes, from the first to the last number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct WordRange {
    pub(crate) first: i64,
    pub(crate) last: i64,
}

/// The words of a text in lower case. Letters of Chinese, Japanese and Korean, which have no blanks between words, are taken
/// two by two.
fn words(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for run in text.to_lowercase().split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty()) {
        if !run.chars().any(is_ideograph) {
            found.insert(run.to_owned());
            continue;
        }
        let letters: Vec<char> = run.chars().collect();
        if let [letter] = letters.as_slice() {
            found.insert(letter.to_string());
        }
        found.extend(letters.windows(2).map(|pair| pair.iter().collect::<String>()));
    }
    found
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{20000}'..='\u{3ffff}')
}

/// The number of a word: its first eight bytes, filled up with `fill`, in an order that signed numbers keep.
fn number(word: &str, fill: u8) -> i64 {
    let mut bytes = [fill; BYTES];
    for (to, from) in bytes.iter_mut().zip(word.bytes()) {
        *to = from;
    }
    i64::from_be_bytes(bytes) ^ i64::MIN
}

/// What is searched for: each word means all words that begin with it. The longest ones count, since they are the rarest.
pub(crate) fn asked(text: &str) -> Vec<WordRange> {
    let mut found: Vec<String> = words(text).into_iter().collect();
    found.sort_by_key(|word| std::cmp::Reverse(word.len()));
    found.truncate(ASKED);
    found.iter().map(|word| WordRange { first: number(word, 0), last: number(word, 0xff) }).collect()
}

/// What a search wants.
#[derive(Clone, Debug)]
pub(crate) struct Wanted<'a> {
    pub(crate) words: Vec<WordRange>,
    pub(crate) scope: &'a str,
    pub(crate) offered: bool,
    pub(crate) oldest_first: bool,
    /// The last skill of the page before.
    pub(crate) after: (i64, &'a str),
    pub(crate) limit: i64,
}

/// What a search needs to know of a skill.
#[derive(Clone, Debug)]
struct Searched {
    id: String,
    org: String,
    scope: Scope,
    is_offered: bool,
    created: i64,
    words: Box<[i64]>,
}

/// The words of all skills, as of one change.
#[derive(Debug, Default)]
pub(crate) struct SearchIndex {
    /// The newest change that it has; nothing was read yet without one.
    seq: Option<i64>,
    /// A deleted skill leaves an empty place, which the next new one takes.
    places: Vec<Option<Searched>>,
    free: Vec<u32>,
    by_id: HashMap<String, u32>,
    by_word: BTreeMap<i64, Vec<u32>>,
}

impl SearchIndex {
    fn remove(&mut self, id: &str) {
        let Some(place) = self.by_id.remove(id) else { return };
        let Some(skill) = self.places.get_mut(place as usize).and_then(Option::take) else { return };
        for word in &skill.words {
            if let Some(places) = self.by_word.get_mut(word) {
                places.retain(|one| *one != place);
            }
        }
        self.free.push(place);
    }

    fn insert(&mut self, row: &Row) -> Result<(), TeamError> {
        let id = row.text(0)?;
        self.remove(&id);
        let text = format!("{} {} {}", row.text(4)?, row.text(5)?, row.text(6)?);
        let skill = Searched {
            id: id.clone(),
            org: row.text(1)?,
            scope: Scope::of(&row.text(2)?, &row.text(3)?)?,
            is_offered: row.truth(7)? && row.truth(8)?,
            created: row.int(9)?,
            words: words(&text)
                .iter()
                .take(KEPT)
                .map(|word| number(word, 0))
                .collect::<BTreeSet<_>>()
                .into_iter()
                .collect(),
        };
        let place = self.free.pop().unwrap_or_else(|| u32::try_from(self.places.len()).unwrap_or(u32::MAX));
        for word in &skill.words {
            self.by_word.entry(*word).or_default().push(place);
        }
        if self.places.len() <= place as usize {
            self.places.resize(place as usize + 1, None);
        }
        if let Some(slot) = self.places.get_mut(place as usize) {
            *slot = Some(skill);
        }
        self.by_id.insert(id, place);
        Ok(())
    }

    /// Skills that have every word.
    fn with_words(&self, ranges: &[WordRange]) -> Vec<&Searched> {
        let mut count = vec![0_u8; self.places.len()];
        for (wanted, range) in (0_u8..).zip(ranges) {
            let places = self.by_word.range(range.first..=range.last).flat_map(|(_, places)| places);
            for place in places {
                // A skill counts for a word only when it had all words before.
                if let Some(count) = count.get_mut(*place as usize).filter(|count| **count == wanted) {
                    *count += 1;
                }
            }
        }
        let all = u8::try_from(ranges.len()).unwrap_or(u8::MAX);
        let found = count.iter().zip(&self.places).filter(|(count, _)| **count == all);
        found.filter_map(|(_, skill)| skill.as_ref()).collect()
    }
}

impl Team {
    /// Searches the skills that an actor may read.
    pub(crate) async fn search(
        &self,
        actor: &Actor,
        wanted: &Wanted<'_>,
    ) -> Result<PageOf<SkillRecord>, TeamError> {
        if wanted.words.is_empty() {
            return Ok(PageOf { items: Vec::new(), next: None });
        }
        let newest = *self.changed.borrow();
        if self.words.read().await.seq.is_none_or(|seq| seq < newest) {
            self.bring_words_up_to_date().await?;
        }
        let limit = usize::try_from(wanted.limit).unwrap_or(1);
        let (mut items, mut last) = (Vec::new(), (wanted.after.0, wanted.after.1.to_owned()));
        loop {
            let found = self.found(actor, &Wanted { after: (last.0, &last.1), ..wanted.clone() }).await;
            let is_last = found.len() <= limit;
            for place in found {
                // What was deleted or moved in between is not found; the one function decides again about the row of now.
                match self.skill(actor, &place.1).await {
                    Ok(skill) => items.push(skill),
                    Err(TeamError::NotFound) => {}
                    Err(error) => return Err(error),
                }
                last = place;
            }
            // What follows takes the place of a skill that is not shown, so that a short page is the last one.
            if is_last || items.len() > limit {
                items.truncate(limit.saturating_add(1));
                return Ok(page_of(items, wanted.limit));
            }
        }
    }

    /// The places of a page and of one more: when they were made, and their ids.
    async fn found(&self, actor: &Actor, wanted: &Wanted<'_>) -> Vec<(i64, String)> {
        let index = self.words.read().await;
        let is_wanted = |skill: &&Searched| {
            let at = (skill.created, skill.id.as_str());
            let follows = if wanted.oldest_first { at > wanted.after } else { at < wanted.after };
            let offered = skill.is_offered
                && matches!(skill.scope, Scope::Own(_))
                && actor.user.is_some()
                && actor.org == skill.org;
            follows
                && (wanted.scope.is_empty() || skill.scope.columns().0 == wanted.scope)
                && if wanted.offered { offered } else { self.may_read(actor, &skill.org, &skill.scope) }
        };
        let mut found: Vec<&Searched> =
            index.with_words(&wanted.words).into_iter().filter(is_wanted).collect();
        found.sort_unstable_by(|one, other| {
            let order = (one.created, &one.id).cmp(&(other.created, &other.id));
            if wanted.oldest_first { order } else { order.reverse() }
        });
        let limit = usize::try_from(wanted.limit).unwrap_or(1).saturating_add(1);
        found.into_iter().take(limit).map(|skill| (skill.created, skill.id.clone())).collect()
    }

    async fn bring_words_up_to_date(&self) -> Result<(), TeamError> {
        let mut index = self.words.write().await;
        let newest = self.last_change().await?;
        let changes = match index.seq {
            Some(seq) if seq >= newest => return Ok(()),
            Some(seq) if newest - seq <= FOLLOWED => {
                self.db
                    .all("SELECT kind, subject FROM change WHERE seq > $1 AND seq <= $2", args![seq, newest])
                    .await?
            }
            _ => return self.read_all_words(&mut index, newest).await,
        };
        for change in &changes {
            let (kind, subject) = (change.text(0)?, change.text(1)?);
            if kind == "group.delete" {
                // Its skills are personal now.
                return self.read_all_words(&mut index, newest).await;
            }
            let skill = if kind.starts_with("proposal.") {
                let row =
                    self.db.maybe("SELECT skill_id FROM proposal WHERE id = $1", args![&subject]).await?;
                row.map_or(Ok(subject), |row| row.text(0))?
            } else {
                subject
            };
            match self.db.maybe(WORDS_OF_ONE, args![&skill]).await? {
                Some(row) => index.insert(&row)?,
                None => index.remove(&skill),
            }
        }
        index.seq = Some(newest);
        Ok(())
    }

    /// Reads every skill. What changes meanwhile has a number after `newest` and is read again.
    async fn read_all_words(&self, index: &mut SearchIndex, newest: i64) -> Result<(), TeamError> {
        *index = SearchIndex::default();
        let mut after = String::new();
        loop {
            let rows = self.db.all(WORDS_OF_ALL, args![&after, READ]).await?;
            for row in &rows {
                index.insert(row)?;
            }
            match rows.last() {
                Some(row) => after = row.text(0)?,
                None => break,
            }
        }
        index.seq = Some(newest);
        Ok(())
    }
}

const WORDS_OF_ALL: &str = "SELECT id, org, scope, owner, name, title, description, published, listed, created \
                            FROM skill WHERE id > $1 ORDER BY id LIMIT $2";
const WORDS_OF_ONE: &str = "SELECT id, org, scope, owner, name, title, description, published, listed, created \
                            FROM skill WHERE id = $1";

#[cfg(test)]
mod tests {
    use super::*;

    fn finds(text: &str, asked_for: &str) -> bool {
        let kept: Vec<i64> = words(text).iter().map(|word| number(word, 0)).collect();
        asked(asked_for).iter().all(|range| kept.iter().any(|word| (range.first..=range.last).contains(word)))
    }

    #[test]
    fn a_search_finds_words_and_their_beginnings_in_any_case_and_language() {
        for (text, query) in [
            ("pdf-tools: Fills forms", "PDF"),
            ("pdf-tools: Fills forms", "form pdf"),
            ("Kubernetes roll-out", "kube"),
            ("configure the build", "configuration"),
            ("Prüfung der Änderung", "änder"),
            ("代码审查助手", "审查"),
            ("é", "É"),
        ] {
            assert!(finds(text, query), "{query} in {text}");
        }
        for (text, query) in [("pdf-tools", "docx"), ("pdf-tools", "tools xml"), ("代码审查", "查审")] {
            assert!(!finds(text, query), "{query} in {text}");
        }
    }

    #[test]
    fn a_search_of_many_words_is_bounded() {
        let long: String = (0..10_000).map(|number| format!("word{number} ")).collect();
        assert_eq!(asked(&long).len(), ASKED);
        assert!(asked(" ,;% ").is_empty());
    }
}
