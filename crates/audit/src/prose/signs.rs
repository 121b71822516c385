//! Signs: what an instruction does, to what, whom it reaches and what it hides. One sign says little, so that
//! each has a weight, alone and together with others; an instruction is judged by the sum.
//!
//! The weights are fitted, not chosen: see `tools/fit_signs.py`. Words that warn or that leave the decision
//! to the user count against a finding only by their weights.

mod weights;
mod words;

use super::harms::is_foreign_mail;
use crate::{
    flow, hosts,
    purpose::{self, Purpose},
    report::Severity,
};
use aho_corasick::{AhoCorasick, AhoCorasickKind};
use std::{ops::Range, sync::LazyLock};
use weights::{BIAS, BLOCK, WARN, WEIGHTS};
use words::WORDS;

/// Bytes of a passage that is judged as a whole; a longer one is judged by its sentences.
const PASSAGE: usize = 420;
/// Shortest passage that can be an instruction.
const SHORTEST: usize = 25;
/// Signs that are found by what they are rather than by words.
const RECIPIENTS: [&str; 6] = ["url", "domain", "known-host", "mail", "address", "account"];

/// Signs that count only where the verb is an instruction.
const ACTS: [&str; 8] = ["send", "delete", "change", "grant", "spend", "skip", "fake", "say"];
/// Words before a verb that says what is done, or before the second verb of an instruction.
const DONE: [&str; 15] = [
    "is",
    "are",
    "be",
    "gets",
    "get",
    "to",
    "or",
    "quietly",
    "silently",
    "automatically",
    "immediately",
    "it",
    "them",
    "simply",
    "just",
];

/// Words before an address that something goes to.
const TARGETS: [&str; 9] = ["to", "at", "into", "onto", "via", "through", "with", "towards", "on"];
/// Words before an address that tells more.
const SOURCES: [&str; 5] = ["of", "see", "per", "visit", "read"];
/// Ends of a text before an example.
const EXAMPLES: [&str; 6] = ["e.g.", "e.g", "for example", "for instance", "such as", "例如"];
/// What may open an address.
const OPENING: [char; 11] = [' ', '\n', '`', '"', '\'', '(', '<', '*', '（', '，', '：'];
/// Hosts that everybody publishes packages at.
const REGISTRIES: [&str; 8] =
    ["crates.io", "npmjs.com", "npmjs.org", "pypi.org", "rubygems.org", "docker.io", "ghcr.io", "docs.rs"];

/// Words before a verb that is forbidden; `t` ends "don't".
const FORBIDS: [&str; 4] = ["never", "not", "t", "avoid"];

/// The sum of weights is in hundredths.
type Weight = i32;

struct Compiled {
    words: AhoCorasick,
    /// For each word: its sign, and whether it must be a whole word.
    owners: Vec<(usize, bool)>,
    weights: Vec<(u64, Weight)>,
}

static COMPILED: LazyLock<Option<Compiled>> = LazyLock::new(|| {
    let (mut words, mut owners) = (Vec::new(), Vec::new());
    for (at, (_, list)) in WORDS.iter().enumerate() {
        for word in list.split('|') {
            let (word, whole) = word.strip_suffix('$').map_or((word, false), |word| (word, true));
            words.push(word);
            owners.push((at, whole));
        }
    }
    let weights = WEIGHTS.iter().filter_map(|(names, weight)| {
        let mask = names.split('+').try_fold(0, |mask, name| Some(mask | bit(name)?));
        mask.map(|mask| (mask, *weight))
    });
    let weights = weights.collect();
    let words = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .kind(Some(AhoCorasickKind::DFA))
        .build(words)
        .ok()?;
    Some(Compiled { words, owners, weights })
});

fn names() -> impl Iterator<Item = &'static str> {
    WORDS.iter().map(|(name, _)| *name).chain(RECIPIENTS)
}

/// The bit of a sign; `recipient` stands for any of the fixed recipients and is set with them.
fn bit(name: &str) -> Option<u64> {
    let at =
        if name == "recipient" { Some(names().count()) } else { names().position(|known| known == name) };
    at.map(|at| 1 << at)
}

/// Judges a paragraph: passages whose signs together point against the user.
pub(super) fn look(text: &str, purpose: &Purpose) -> Vec<(Severity, Range<usize>)> {
    let Some(compiled) = COMPILED.as_ref() else { return Vec::new() };
    let judged = passages(text).filter_map(|range| {
        let signs = compiled.signs(&text[range.clone()], purpose);
        let sum = compiled.sum(signs);
        // Words alone describe honest work as often as harm. What is done for a recipient that only this text names
        // is not the user's; without one the signs warn at most.
        let severity = if sum >= BLOCK && signs & bit("recipient").unwrap_or_default() != 0 {
            Severity::Block
        } else if sum >= WARN {
            Severity::Warn
        } else {
            return None;
        };
        Some((severity, range))
    });
    judged.collect()
}

/// The passages of a paragraph and the names of their signs.
pub(crate) fn signs(text: &str, purpose: &Purpose) -> Vec<(Range<usize>, Vec<&'static str>)> {
    let Some(compiled) = COMPILED.as_ref() else { return Vec::new() };
    let found = passages(text).map(|range| {
        let signs = compiled.signs(&text[range.clone()], purpose);
        let names = names().chain(["recipient"]).enumerate();
        (range, names.filter(|(at, _)| signs & (1 << at) != 0).map(|(_, name)| name).collect())
    });
    found.collect()
}

impl Compiled {
    fn sum(&self, signs: u64) -> Weight {
        let counted = self.weights.iter().filter(|(mask, _)| signs & mask == *mask);
        counted.fold(BIAS, |sum, (_, weight)| sum + weight)
    }

    fn signs(&self, text: &str, purpose: &Purpose) -> u64 {
        let (mut signs, mut is_done, mut is_forbidden) = (0, false, false);
        for hit in self.words.find_overlapping_iter(text) {
            let (sign, whole) = self.owners[hit.pattern().as_usize()];
            if !super::frames::is_word(text, hit.range(), whole) {
                continue;
            }
            if ACTS.contains(&WORDS[sign].0) {
                is_forbidden |= is_after(text, hit.start(), &FORBIDS);
                if !is_instructed(text, hit.start()) {
                    continue;
                }
                is_done = true;
            }
            signs |= 1 << sign;
        }
        // A text that only forbids asks for nothing.
        if is_forbidden && !is_done { 0 } else { signs | recipients(text, purpose) }
    }
}

/// Whether a verb at a place is an instruction, or says what is done.
fn is_instructed(text: &str, at: usize) -> bool {
    super::frames::is_instruction(&text[..at]) || is_after(text, at, &DONE)
}

/// Whether one of some words stands before a place.
fn is_after(text: &str, at: usize, words: &[&str]) -> bool {
    let word = text[..at].trim_end().rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    words.iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// The signs of the recipients that a text names. A host that is only mentioned (a link to read, an example, where
/// something is described) receives nothing.
fn recipients(text: &str, purpose: &Purpose) -> u64 {
    let mut found = Vec::new();
    let addresses = hosts::addresses(text);
    for address in &addresses {
        let is_here = matches!(address.host.as_str(), "0.0.0.0" | "127.0.0.1" | "localhost");
        if is_here || is_mentioned(text, address.range.start) {
            found.push("known-host");
        } else if address.kind == hosts::HostKind::Bare {
            found.push("address");
        } else if address.kind.is_suspicious() || is_new(&address.host, text, purpose) {
            found.push("url");
        } else {
            found.push("known-host");
        }
    }
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '@' | '_' | '+');
    for word in text.split(|c: char| !part(c)) {
        // Where the word begins in the text.
        let at = word.as_ptr() as usize - text.as_ptr() as usize;
        let is_of_address = || addresses.iter().any(|address| address.range.contains(&at));
        let at = at + (word.len() - word.trim_start_matches(['.', '-']).len());
        let word = word.trim_matches(['.', '-']);
        if is_account(word) {
            let before = text[..at].trim_end_matches(OPENING).len();
            let is_named = is_after(text, before, &["token", "contract", "commit", "digest"]);
            found.extend((!is_named).then_some("account"));
            continue;
        }
        let is_mention = || match addresses.iter().find(|address| address.range.contains(&at)) {
            Some(address) => is_mentioned(text, address.range.start),
            None => is_mentioned(text, at),
        };
        if word.contains('@') {
            let (name, host) = word.rsplit_once('@').unwrap_or_default();
            let is_placeholder = name.contains('_') && !name.contains(|c: char| c.is_ascii_lowercase());
            let is_mail = name.len() > 1
                && name != "git"
                && !name.contains('@')
                && is_domain(&host.to_ascii_lowercase());
            let is_foreign = is_mail && !is_placeholder && is_foreign_mail(word, purpose);
            found.extend(is_foreign.then_some("mail"));
        } else if is_domain(word) && !is_pattern(text, at) {
            let host = word.to_ascii_lowercase();
            match hosts::kind_of(&host, "") {
                _ if is_mention() => {}
                hosts::HostKind::Bare if host == "0.0.0.0" => {}
                hosts::HostKind::Bare => found.push("address"),
                hosts::HostKind::Local => {}
                _ if !is_of_address() && REGISTRIES.contains(&host.as_str()) => {}
                _ if is_new(&host, text, purpose) => found.push("domain"),
                _ => {}
            }
        }
    }
    found.extend(has_spaced_account(text).then_some("account"));
    let mut signs = found.iter().filter_map(|name| bit(name)).fold(0, |signs, bit| signs | bit);
    if found.iter().any(|name| *name != "known-host") {
        signs |= bit("recipient").unwrap_or_default();
    }
    signs
}

/// Whether an address is only mentioned: the target of a link that nothing is sent to, an example, a source to read, or an entry of a list of references.
fn is_mentioned(text: &str, at: usize) -> bool {
    let before = &text[..at];
    let link = before.ends_with("](").then(|| before.rfind('[')).flatten();
    let before = before[..link.unwrap_or(before.len())].trim_end_matches(OPENING);
    // `Registry: https://…` without anything before the name.
    let label = before.strip_suffix(':').filter(|label| !label.contains(['.', ',', ';']) && label.len() < 40);
    let is_entry = label.is_some_and(|label| {
        let words = label.split_whitespace().count();
        words <= 3 && !label.contains('`') && label.starts_with(|c: char| c.is_uppercase())
    });
    let before = before.trim_end_matches([',', ':']);
    // An example may be a whole command.
    let is_code = text[..at].matches('`').count() % 2 == 1;
    let code = text[..at].rfind('`').filter(|_| is_code).unwrap_or(before.len());
    let is_example = [before, text[..code].trim_end_matches(OPENING).trim_end_matches([',', ':'])]
        .iter()
        .any(|before| EXAMPLES.iter().any(|word| before.to_lowercase().ends_with(word)));
    let is_source = is_after(text, before.len(), &SOURCES);
    let is_target = is_after(text, before.len(), &TARGETS);
    is_example || is_source || is_entry || link.is_some() && !is_target
}

/// Whether the name at a place is a part of a pattern of file names.
fn is_pattern(text: &str, at: usize) -> bool {
    text[..at].ends_with("*.") || text[..at].ends_with("**/")
}

/// Whether a host is foreign to the skill and named in this text only.
fn is_new(host: &str, text: &str, purpose: &Purpose) -> bool {
    let host = host.to_ascii_lowercase();
    let here = text.to_ascii_lowercase().matches(&host).count();
    flow::is_foreign(&host, purpose)
        && !purpose::is_unowned(&host)
        && purpose.times_named(&host) <= here.max(1)
}

/// Whether a word is a host without a scheme.
fn is_domain(word: &str) -> bool {
    const TOPS: [&str; 40] = [
        "com", "net", "org", "io", "dev", "co", "app", "cloud", "xyz", "top", "live", "biz", "ru", "shop",
        "pro", "market", "network", "tools", "stream", "bet", "legal", "cc", "info", "me", "tech", "online",
        "site", "club", "eu", "de", "uk", "cn", "fr", "ai", "store", "space", "link", "host", "digital",
        "exchange",
    ];
    let mut labels = word.rsplit('.');
    let top = labels.next().unwrap_or_default();
    let name = labels.next().unwrap_or_default();
    name.len() >= 3
        && TOPS.contains(&top)
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'))
        || word.split('.').count() == 4 && word.split('.').all(|part| part.parse::<u8>().is_ok())
}

/// Whether a word is an account that money can be sent to: a wallet or an IBAN.
fn is_account(word: &str) -> bool {
    let hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let upper = word.bytes().filter(u8::is_ascii_uppercase).count();
    let lower = word.bytes().filter(u8::is_ascii_lowercase).count();
    let plain = word.bytes().all(|byte| byte.is_ascii_alphanumeric());
    word.strip_prefix("0x").is_some_and(|rest| rest.len() == 40 && hex(rest))
        || plain && (26..=44).contains(&word.len()) && digits >= 3 && upper >= 5 && lower >= 5
        || plain && (15..=34).contains(&word.len()) && upper >= 2 && lower == 0 && digits >= 12
        || word.starts_with("bc1q") && plain && word.len() >= 30
}

/// Whether a text has an IBAN in groups of four.
fn has_spaced_account(text: &str) -> bool {
    let is_head = |word: &str| {
        matches!(word.as_bytes(), [a, b, c, d]
            if a.is_ascii_uppercase() && b.is_ascii_uppercase() && c.is_ascii_digit() && d.is_ascii_digit())
    };
    let words: Vec<&str> = text.split_whitespace().collect();
    words.windows(4).any(|group| {
        is_head(group[0].trim_start_matches(|c: char| !c.is_ascii_alphanumeric()))
            && group[1..].iter().all(|word| word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit()))
    })
}

/// The passages of a paragraph: itself, or the sentences of a long one.
fn passages(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut ranges = Vec::new();
    if text.len() <= PASSAGE {
        ranges.push(0..text.len());
    } else {
        let bytes = text.as_bytes();
        let mut start = 0;
        for at in 0..bytes.len() {
            let ends = matches!(bytes[at], b'.' | b'!' | b'?' | b'\n')
                && bytes.get(at + 1).is_none_or(u8::is_ascii_whitespace);
            if ends || at + 1 == bytes.len() {
                ranges.push(start..at + 1);
                start = at + 1;
            }
        }
        ranges.retain(|range| range.len() <= PASSAGE);
    }
    ranges.retain(|range| range.len() >= SHORTEST);
    ranges.into_iter()
}
