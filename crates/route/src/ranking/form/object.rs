//! What an order is about: "timeline" in "please write a timeline of the outage".
//!
//! The object says what the writer wants to have; the words after it ("of the outage", "for our users", "that parses CSV") say
//! from what, for whom or about what. A skill that knows only the second part does something else.

use super::{AUXILIARIES, Clause, DETERMINERS, LIMIT, WH, clauses, is_in, without_quotes};
use crate::ranking::text::prefix;

/// Words that belong to the verb: "look into", "write up".
const PARTICLES: &str = "up out down over off through in on at away back into together apart again";
/// Words that end an object.
const ENDS: &str = "of for from in on at with about to into onto by as via using between against across through per during \
after before since until without within than like regarding that which who whose where when how why what whether if so \
because while and or but then plus versus vs is are was were has have had";
/// Words between a verb and its object.
const BETWEEN: &str =
    "me us you your i we my our his her their its it them just also only please some more quick short new";
/// Verbs that ask for an explanation when a clause follows.
const TELLING: &str = "explain describe define clarify tell teach know understand";

/// The objects of all orders of a message, as text.
pub(crate) fn objects(message: &str) -> String {
    let lower = prefix(message.trim(), LIMIT).to_lowercase().replace('’', "'");
    let (own, _) = without_quotes(&lower);
    let clauses = clauses(&own);
    let objects: Vec<String> = clauses.iter().filter_map(|clause| Some(clause.object()?.join(" "))).collect();
    objects.join(" ")
}

impl Clause<'_> {
    /// The words after the verb of an order or of a polite request.
    fn after_verb(&self) -> Option<&[&str]> {
        let rest = self.rest();
        if self.orders() {
            return rest.get(1..);
        }
        let words = self.words.as_slice();
        let polite =
            words.windows(2).position(|two| is_in("can could would will", two[0]) && two[1] == "you");
        let wants = words
            .windows(2)
            .position(|two| is_in("need want like help", two[0]) && is_in("to me us", two[1]));
        let please = words.iter().position(|word| is_in("please pls plz", word));
        if let Some(at) = polite.or(wants) {
            let after = words.get(at + 2..)?;
            let skipped = after.iter().take_while(|word| is_in(BETWEEN, word) || **word == "to").count();
            return after.get(skipped + 1..);
        }
        if let Some(at) = please.filter(|at| at + 1 < words.len()) {
            return words.get(at + 2..);
        }
        // "I need a background paper": the object follows at once.
        let needs = words
            .windows(2)
            .position(|two| is_in("i we i'd we'd", two[0]) && is_in("need want like", two[1]))?;
        words.get(needs + 2..)
    }

    fn object(&self) -> Option<&[&str]> {
        let after = self.after_verb()?;
        let is_before =
            |word: &&&str| is_in(PARTICLES, word) || is_in(DETERMINERS, word) || is_in(BETWEEN, word);
        let start = after.iter().take_while(is_before).count();
        let after = &after[start..];
        let end = after.iter().position(|word| is_in(ENDS, word)).unwrap_or(after.len());
        Some(&after[..end])
    }

    /// Asks for an explanation: "explain how", "what is the difference between".
    pub(super) fn asks_to_be_told(&self) -> bool {
        let tells = self.pair(|a, b| is_in(TELLING, a) && is_in(WH, b));
        let tells_me = self
            .words
            .windows(3)
            .any(|three| is_in(TELLING, three[0]) && is_in("me us to", three[1]) && is_in(WH, three[2]));
        let rest = self.rest();
        let what_is = rest.len() > 2
            && is_in("what who when where", rest[0])
            && is_in(AUXILIARIES, rest[1])
            && !is_in("i we my our this these you your", rest[2]);
        let difference = self.pair(|a, b| is_in("difference differences", a) && b == "between");
        tells || tells_me || what_is || difference
    }
}
