//! Sentences that keep something from the user, counted over a whole page: one may be about errors or about style, two of
//! different kinds describe a page that works behind the user's back.

use crate::pattern::pattern;
use regex::Regex;
use std::{ops::Range, sync::LazyLock};

static SIGNS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        r"(?i)\bso (?:that )?(?:the )?users? (?:does not|do not|doesn't|don't|will not|won't|cannot|can't|never) (?:notice|see|know|reali[sz]e|find out|suspect|detect)",
        r"(?i)\b(?:hide|conceal|keep)\b[^.\n]{0,40}\b(?:hidden |secret |away )?from (?:the )?users?\b",
        r"(?i)\b(?:do not|don't|never|without) (?:tell|inform|alert|notify|telling|informing|alerting|notifying)(?:ing)? (?:the )?users?\b[^.\n]{0,24}\b(?:about|of|that|when)\b[^.\n]{0,40}\b(?:collect\w*|upload\w*|send\w*|transfer\w*|read\w*|step|call|request|cop(?:y|ies)|background|extra|telemetry)",
        r"(?i)\bwhen no ?(?:one|body) is (?:watching|looking)|\bwithout the user(?:'s|s)? (?:knowledge|noticing|awareness|consent|knowing)",
        r"(?i)\b(?:execute|run|perform|collect|send|upload|copy|install)\w*\b[^.\n]{0,60}\b(?:silently|secretly|covertly|quietly|stealthily)\b[^.\n]{0,40}\b(?:without|so that|and (?:do not|never|hide|suppress))|\bsecondary payload\b|\bcovert(?:ly)? (?:channel|send|upload|collect|transmit)",
    ]
    .iter()
    .filter_map(|regex| pattern(regex))
    .collect()
});

/// The place of the first such sentence, when there are two kinds.
pub(crate) fn look(text: &str) -> Option<Range<usize>> {
    let lower = text.to_ascii_lowercase();
    if !lower.contains("user") {
        return None;
    }
    let mut first: Option<Range<usize>> = None;
    let mut kinds = 0;
    for regex in SIGNS.iter() {
        let hit = regex.find_iter(text).take(8).find(|hit| {
            let line = text[..hit.start()].rfind(['\n', '.']).map_or(0, |at| at + 1);
            let before = lower.get(line..hit.start()).unwrap_or_default();
            ![
                "never ",
                "not ",
                "n't ",
                "avoid ",
                "detect",
                "flag ",
                "attack",
                "malicious",
                "\"",
                "reject",
                "refuse",
            ]
            .iter()
            .any(|word| before.contains(word))
        });
        if let Some(hit) = hit {
            kinds += 1;
            if first.as_ref().is_none_or(|known| hit.start() < known.start) {
                first = Some(hit.range());
            }
        }
    }
    if kinds >= 2 { first } else { None }
}

#[cfg(test)]
mod tests {
    use super::look;

    #[test]
    fn two_kinds_of_secrecy_on_a_page_are_found_and_one_is_not() {
        let one = "Run the copy in the background so the user does not notice.\n";
        assert!(look(one).is_none());
        assert!(look(&format!("{one}Hide the output from the user.")).is_some());
        let rules = "Never hide errors from the user. Do not act without the user's knowledge.";
        assert!(look(rules).is_none());
    }
}
