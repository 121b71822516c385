//! Whether a sentence orders an act: imperative, passive, negated, cautious.

use crate::{lines, prose::frames::is_instruction};
use regex::Regex;
use std::sync::LazyLock;

/// How an act is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Voice {
    Active,
    Passive,
}

/// Whether a word is used as an act of the sentence: not as a part of a name, not after an article, not negated, and
/// not as something that is possible.
pub(super) fn is_act(sentence: &str, start: usize, end: usize, is_loose: bool) -> Option<Voice> {
    const NOT_AFTER: [&str; 44] = [
        "the",
        "a",
        "an",
        "of",
        "this",
        "that",
        "your",
        "their",
        "its",
        "our",
        "no",
        "not",
        "never",
        "don't",
        "cannot",
        "can't",
        "without",
        "to",
        "can",
        "could",
        "may",
        "might",
        "would",
        "will",
        "which",
        "who",
        "does",
        "do",
        "did",
        "how",
        "if",
        "when",
        "whether",
        "per",
        "with",
        "for",
        "in",
        "on",
        "from",
        "against",
        "into",
        "prevents",
        "accidental",
        "new",
    ];
    let before = &sentence[..start];
    if before.chars().next_back().is_some_and(|c| matches!(c, '-' | '_' | '/' | '.' | '$' | '~' | '@' | '<'))
    {
        return None;
    }
    // A part of a name, or a word of its own in a list.
    let after = sentence[end..].trim_start();
    if sentence[end..].starts_with(['_', '(', '/', '=']) || after.starts_with([',', '—']) {
        return None;
    }
    let mut words = before
        .split(|c: char| c.is_whitespace() || matches!(c, '`' | '*' | '"' | '\'' | '('))
        .rev()
        .filter(|word| !word.is_empty());
    let last = words.next().unwrap_or_default();
    // Asked in so many words: "is required to reset".
    // `name — Disable the firewall` describes a command.
    if before.trim_end().ends_with("--") || before.trim_end().ends_with('—') || before.contains("** -") {
        return None;
    }
    let asked = last == "to"
        && words.next().is_some_and(|word| {
            matches!(word, "required" | "needed" | "necessary" | "sure" | "have" | "remember" | "need")
        });
    if NOT_AFTER.contains(&last) && !asked {
        return None;
    }
    let token = &sentence[start..];
    let token = &token[..token.find(|c: char| !c.is_alphanumeric()).unwrap_or(token.len())];
    let is_base = !token.ends_with("ed")
        && !token.ends_with("ing")
        && !token.ends_with("ion")
        && (!token.ends_with('s') || token.ends_with("ss"))
        && token != "sent";
    let is_passive = matches!(last, "be" | "is" | "are" | "get" | "gets") && !is_base;
    let opens = ["for ", "to ", "as ", "in "].iter().any(|word| sentence.trim_start().starts_with(word));
    let ordered = is_base
        && (is_instruction(before)
            || asked
            || (opens && !before.contains(','))
            || before.trim_end().ends_with('|'));
    let voice = match () {
        () if ordered => Voice::Active,
        () if is_passive && (is_loose || last == "be") => Voice::Passive,
        () if is_loose => Voice::Active,
        () => return None,
    };
    (!is_negated(before)).then_some(voice)
}

/// Whether the clause before an act forbids it or looks for it.
pub(super) fn is_negated(before: &str) -> bool {
    static NEGATION: LazyLock<Option<Regex>> = LazyLock::new(|| {
        crate::pattern::pattern(
            r"\b(?:never|not|don'?t|cannot|can't|won't|avoid|prevents?|refuse|instead of|rather than|forbid\w*|prohibit\w*|must not|should not|wrong|bad|detects?|flags?|catch\w*|check (?:for|that|whether|if)|look for|anti-?patterns?|risk of|tempt\w*|if (?:you|an?|the user|it|they)|whether|what happens|would|attempts? to|tries to|trying to)\b",
        )
    });
    let clause = before.rfind([';', ':']).map_or(0, |at| at + 1);
    let stop = before.rfind(", ").map_or(0, |at| at + 2);
    let from = lines::floor(before, clause.max(stop).max(before.len().saturating_sub(90)));
    NEGATION.as_ref().is_some_and(|regex| regex.is_match(&before[from..]))
}

/// Whether a sentence warns of what it names, leaves it to the user, or shows an example.
pub(super) fn is_cautious(sentence: &str, asks: bool) -> bool {
    const CAUTION: [&str; 65] = [
        "confirm with",
        "user confirm",
        "user approv",
        "user agree",
        "user has approved",
        "user accept",
        "user explicitly",
        "explicit",
        "after approval",
        "after confirm",
        "unless",
        "only if",
        "if requested",
        "if the user asks",
        "if the user wants",
        "when the user asks",
        "user asked",
        "user requests",
        "on request",
        "with permission",
        "danger",
        "destructive",
        "irreversibl",
        "careful",
        "caution",
        "warning:",
        "warn ",
        "do not use",
        "don't use",
        "should not",
        "shouldn't",
        "must not disable",
        "avoid ",
        "anti-pattern",
        "bad practice",
        "insecure",
        "attacker",
        "attack",
        "phishing",
        "scam",
        "risk of",
        "unethical",
        "e.g.",
        "for example",
        "such as",
        "for instance",
        "instead of",
        "rather than",
        "your own",
        "authorization",
        "bearer",
        "-x post",
        "-h \"",
        "if you want",
        "you can",
        "you may",
        "optional",
        "allows you",
        "lets you",
        "supports ",
        "test environment",
        "localhost",
        "127.0.0.1",
        "self-signed",
        "common mistake",
    ];
    // "Never mention it" conceals; "never do it" warns.
    let warns = sentence.match_indices("never ").any(|(at, _)| {
        let rest = &sentence[at + 6..];
        !["mention", "reveal", "tell", "say", "disclose", "refuse", "ask", "name", "made", "show"]
            .iter()
            .any(|word| rest.starts_with(word))
    });
    warns
        || CAUTION.iter().any(|words| sentence.contains(words))
        || (!asks && sentence.contains("ask the user"))
}
