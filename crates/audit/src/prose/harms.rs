//! Sentences that work against the user, as data: falsified results, hidden advertising, quiet deletion, weakened
//! code, disclosure. Each harm is a pattern that is tried only where one of its words occurs.

mod conduct;
mod convenience;
mod damage;
mod deceit;
mod disclosure;
mod planted;

use crate::{
    flow, hosts,
    purpose::{self, Purpose},
    report::Severity,
    rule::Rule,
};
use aho_corasick::{AhoCorasick, AhoCorasickKind};
use conduct::CONDUCT;
use convenience::CONVENIENCE;
use damage::DAMAGE;
use deceit::DECEIT;
use disclosure::DISCLOSURE;
use planted::PLANTED;
use regex::Regex;
use std::{
    ops::Range,
    sync::{LazyLock, OnceLock},
};

struct Harm {
    rule: Rule,
    severity: Severity,
    /// One of these lower-case words must occur before the pattern is tried.
    needs: &'static [&'static str],
    /// One of these, too, unless there are none.
    also: &'static [&'static str],
    regex: &'static str,
    /// Whether the paragraph must name a host that the skill has no reason to reach.
    foreign: bool,
    /// Whether a quotation shows the harm instead of asking for it.
    shown_in_quotes: bool,
    /// Whether a paragraph that warns, or that leaves the decision to the user, is not meant.
    cautioned: bool,
    /// Whether a paragraph that leaves the decision to the user, or that speaks of attacks, is not meant.
    left_to_user: bool,
}

const fn harm(rule: Rule, severity: Severity, needs: &'static [&'static str], regex: &'static str) -> Harm {
    Harm {
        rule,
        severity,
        needs,
        also: &[],
        regex,
        foreign: false,
        shown_in_quotes: true,
        cautioned: false,
        left_to_user: false,
    }
}

impl Harm {
    const fn also(self, also: &'static [&'static str]) -> Self {
        Self { also, ..self }
    }

    const fn cautioned(self) -> Self {
        Self { cautioned: true, ..self }
    }

    /// Only a decision of the user or a warning of an attack is a caution: "do not" may be a part of the harm.
    const fn cautioned_by_few(self) -> Self {
        Self { left_to_user: true, ..self }
    }
}

/// A harm whose words are usually quoted: a command, or a text to write.
const fn quoted_harm(
    rule: Rule,
    severity: Severity,
    needs: &'static [&'static str],
    regex: &'static str,
) -> Harm {
    Harm { shown_in_quotes: false, ..harm(rule, severity, needs, regex) }
}

const fn with_foreign_host(
    rule: Rule,
    severity: Severity,
    needs: &'static [&'static str],
    regex: &'static str,
) -> Harm {
    Harm { foreign: true, ..quoted_harm(rule, severity, needs, regex) }
}

/// Every harm, in a fixed order.
fn harms() -> impl Iterator<Item = &'static Harm> {
    DAMAGE.iter().chain(DECEIT).chain(DISCLOSURE).chain(CONDUCT).chain(PLANTED).chain(CONVENIENCE)
}

struct Compiled {
    needs: AhoCorasick,
    /// For each required word, the harm that requires it.
    owners: Vec<usize>,
    /// Compiled when one of its words occurs for the first time.
    regexes: Vec<OnceLock<Option<Regex>>>,
}

static COMPILED: LazyLock<Option<Compiled>> = LazyLock::new(|| {
    let mut words = Vec::new();
    let mut owners = Vec::new();
    for (at, harm) in harms().enumerate() {
        for word in harm.needs {
            words.push(*word);
            owners.push(at);
        }
    }
    // Every paragraph is searched, so that speed counts more than memory.
    let needs = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .kind(Some(AhoCorasickKind::DFA))
        .build(words)
        .ok()?;
    let regexes = harms().map(|_| OnceLock::new()).collect();
    Some(Compiled { needs, owners, regexes })
});

/// Compiles a pattern for a flat text: classes that exclude characters are limited to ASCII, which keeps the
/// compiled pattern small.
fn compile(regex: &str) -> Option<Regex> {
    let flat = regex.to_ascii_lowercase();
    let flat = flat.replace("[^.\\n]", r"[\t -\-/-~]").replace("[^.]", r"[\n\t -\-/-~]");
    crate::pattern::pattern(&flat.replace("[^\\n]", r"[\t -~]"))
}

/// A text in lower-case ASCII, and where each of its letters is in the original.
fn flat(text: &str) -> (String, Vec<usize>) {
    let mut flat = String::with_capacity(text.len());
    let mut places = Vec::with_capacity(text.len() + 1);
    for (at, c) in text.char_indices() {
        flat.push(match c {
            '’' | '‘' => '\'',
            '“' | '”' => '"',
            '\r' => ' ',
            c if c.is_ascii() => c.to_ascii_lowercase(),
            _ => '~',
        });
        places.push(at);
    }
    places.push(text.len());
    (flat, places)
}

/// Looks for every harm in a paragraph; the severity is that of a text that gives instructions.
pub(super) fn look(text: &str, purpose: &Purpose) -> Vec<(Rule, Severity, Range<usize>)> {
    let mut found = Vec::new();
    let Some(compiled) = COMPILED.as_ref() else { return found };
    let mut wanted = vec![false; compiled.regexes.len()];
    let mut any = false;
    for hit in compiled.needs.find_overlapping_iter(text) {
        if let Some(owner) = compiled.owners.get(hit.pattern().as_usize()) {
            wanted[*owner] = true;
            any = true;
        }
    }
    if !any {
        return found;
    }
    let (flat, places) = flat(text);
    for (at, harm) in harms().enumerate().filter(|(at, _)| wanted[*at]) {
        if !harm.also.is_empty() && !harm.also.iter().any(|word| flat.contains(word)) {
            continue;
        }
        let regex = compiled.regexes.get(at);
        let regex = regex.and_then(|regex| regex.get_or_init(|| compile(harm.regex)).as_ref());
        let Some(hit) = regex.and_then(|regex| regex.find(&flat)) else { continue };
        if is_negated(&flat[..hit.start()]) || (harm.foreign && !has_foreign_host(text, purpose)) {
            continue;
        }
        if harm.cautioned && is_cautious(&flat) {
            continue;
        }
        if harm.left_to_user && is_left_to_user(&flat) {
            continue;
        }
        if harm.needs == ["@"] && !is_foreign_mail(hit.as_str(), purpose) {
            continue;
        }
        let shown = harm.shown_in_quotes && is_quoted(&flat, hit.start());
        let severity = if shown { harm.severity.lower() } else { harm.severity };
        found.push((harm.rule, severity, places[hit.start()]..places[hit.end()]));
    }
    found
}

/// Whether the words before a harm, in the same sentence, forbid it or ask to look for it.
fn is_negated(before: &str) -> bool {
    static NEGATION: LazyLock<Option<Regex>> = LazyLock::new(|| {
        crate::pattern::pattern(
            r"\b(?:never|not|don'?t|cannot|can't|won't|avoid|without|no|nor|prevent|refuse|instead of|rather than|forbidden|prohibited|wrong|bad|detect|flag|catch|check (?:for|that|whether)|look for|anti-?patterns?|risk of|temptation|tempted)\b",
        )
    });
    let start = before.rfind([';', '\n']).map_or(0, |at| at + 1);
    let stop = before.rfind(". ").map_or(0, |at| at + 2);
    let from = start.max(stop).max(before.len().saturating_sub(120));
    NEGATION.as_ref().is_some_and(|regex| regex.is_match(&before[from..]))
}

/// Whether a text warns of what it names, or leaves it to the user.
pub(super) fn is_cautious(text: &str) -> bool {
    const CAUTION: [&str; 38] = [
        "user's yes",
        "user agreed",
        "user agrees",
        "user approves",
        "confirm with",
        "ask the user",
        "ask first",
        "asks the user",
        "user confirms",
        "user confirmation",
        "explicit",
        "after approval",
        "unless the user",
        "only if the user",
        "if the user asks",
        "if the user wants",
        "when the user asks",
        "danger",
        "destructive",
        "irreversible",
        "careful",
        "caution",
        "warning",
        "never ",
        "don't",
        "do not use",
        "avoid ",
        "anti-pattern",
        "antipattern",
        "bad practice",
        "insecure",
        "vulnerab",
        "attack",
        "phishing",
        "scam",
        "risk",
        "unethical",
        "misconduct",
    ];
    CAUTION.iter().any(|words| text.contains(words))
}

/// Whether a text leaves what it names to the user, or speaks of attacks.
fn is_left_to_user(text: &str) -> bool {
    const WORDS: [&str; 14] = [
        "ask the user",
        "asks the user",
        "user confirms",
        "user agrees",
        "user's yes",
        "if the user asks",
        "if the user wants",
        "when the user asks",
        "vulnerab",
        "attack",
        "phishing",
        "anti-pattern",
        "for tests",
        "in tests",
    ];
    WORDS.iter().any(|words| text.contains(words))
}

/// Whether a position is inside backticks or double quotes.
fn is_quoted(text: &str, at: usize) -> bool {
    let before = &text[..at];
    before.matches('`').count() % 2 == 1 || before.matches('"').count() % 2 == 1
}

/// Whether the mail address in a harm is foreign to the purpose of the skill.
pub(crate) fn is_foreign_mail(harm: &str, purpose: &Purpose) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '+' | '@');
    harm.split(|c: char| !is_part(c)).filter(|word| word.contains('@')).any(|mail| {
        let mail = mail.trim_matches('.');
        let host = mail.rsplit('@').next().unwrap_or_default();
        !purpose.names_mail(mail)
            && !mail.starts_with("your")
            && !purpose::is_example(host)
            && !purpose::is_letter(host)
            && !purpose::is_unowned(host)
            && !purpose::is_placeholder(host)
    })
}

pub(super) fn has_foreign_host(text: &str, purpose: &Purpose) -> bool {
    hosts::addresses(text)
        .iter()
        .any(|address| address.kind.is_suspicious() || flow::is_foreign(&address.host, purpose))
}
