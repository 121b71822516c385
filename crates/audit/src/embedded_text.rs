//! Judges sentences outside of pages: in comments and strings of code, in values of data, in
//! base64, hex and ROT13.

use crate::{
    file::{File, Text},
    flow::{Flow, Origin},
    lines,
    pattern::pattern,
    prose::{self, Voice},
    report::Severity,
    rule::Rule,
    shell,
};
use regex::Regex;
use std::{ops::Range, sync::LazyLock};

/// Shortest run of base64 that can contain a sentence.
const ENCODED: usize = 40;
/// Longest run that is decoded.
const DECODED: usize = 16 << 10;
/// Runs of one file that are decoded.
const RUNS: usize = 64;
/// Shortest text that can contain a request.
const SENTENCE: usize = 24;
/// Texts of one file that are judged.
const TEXTS: usize = 20_000;

/// Words that address an agent, or that ask it not to tell the user.
static AGENT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        // The top-level domain `.ai` does not address an agent.
        r"(?i)\b(?:assistants?|agents?|claude|llms?|gpt|copilot|system|previous instructions|the user)\b|(?:^|[^.\w/-])ai\b",
    )
});

/// Judges comments and strings of code: an agent that reads the file reads them, too.
pub(crate) fn in_code(file: &mut File<'_>, text: &Text<'_>) {
    static TEXT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern(
            r#"(?:#|//|--|\*)[ \t]*([^\n]{24,800})|"([^"\n]{24,800})"|'([^'\n]{24,800})'|(?s:"""(.{24,4000}?)""")"#,
        )
    });
    let Some(regex) = TEXT.as_ref() else { return };
    for found in regex.captures_iter(text.plain).take(TEXTS) {
        let Some(part) = (1..=4).find_map(|group| found.get(group)) else { continue };
        if part.as_str().matches(' ').count() < 4 {
            continue;
        }
        // A comment explains code to people; a comment that addresses an agent gives it
        // instructions.
        let to_agent = AGENT.as_ref().is_some_and(|regex| regex.is_match(part.as_str()));
        let matches = {
            let voice = if to_agent { Voice::of(file.about_attacks) } else { Voice::Remarks };
            prose::look(part.as_str(), voice, file.purpose)
        };
        weigh(file, text, &matches, part.start());
        commanded(file, text, part.as_str(), part.start());
    }
}

/// Judges lines of data: values are sentences that a model may read.
pub(crate) fn in_data(file: &mut File<'_>, text: &Text<'_>) {
    let mut at = 0;
    for line in text.plain.split_inclusive('\n').take(TEXTS) {
        let start = at;
        at += line.len();
        if line.len() < SENTENCE || line.len() > crate::limits::LINE_BYTES || !line.contains(' ') {
            continue;
        }
        // Quotes are the syntax of data and do not mark a quotation.
        let bare = line.replace(['"', '\''], " ");
        let matches = prose::look(&bare, Voice::of(file.about_attacks), file.purpose);
        weigh(file, text, &matches, start);
        commanded(file, text, line, start);
    }
}

/// One match may be an entry of a detection list; two matches, or one that names the data and the
/// destination, are an instruction.
fn weigh(file: &mut File<'_>, text: &Text<'_>, matches: &[prose::ShapeMatch], at: usize) {
    let orders = matches.iter().filter(|matched| matched.severity == Severity::Block).count();
    for one in matches {
        let specific = matches!(
            one.rule,
            Rule::AskSend
                | Rule::Conceal
                | Rule::RemoteOrders
                | Rule::MemoryPoison
                | Rule::Destroys
                | Rule::MoneySent
        );
        let severity = if specific || orders >= 2 { one.severity } else { one.severity.lower() };
        file.emit(text, one.rule, severity, &(at + one.range.start..at + one.range.end));
    }
}

/// Judges commands in texts that download and run something in one line.
fn commanded(file: &mut File<'_>, text: &Text<'_>, line: &str, at: usize) {
    for (place, command) in one_liners(line) {
        let mut flow = Flow::new(Origin::Block, file.purpose);
        shell::read(&command, &mut flow);
        let about = file.about_attacks;
        file.flow(text, &flow, |hit| {
            let severity = if about { hit.severity.shown() } else { hit.severity };
            (severity, at + place.start..at + place.end)
        });
    }
}

/// Lines of shell that download or decode something and run it, anywhere in a text.
pub(crate) fn one_liners(text: &str) -> Vec<(Range<usize>, String)> {
    static LINE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern(
            r"(?:\b(?:curl|wget)\s[^\n|]{4,400}\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b)|(?:\b(?:ba|z)?sh\s+-c\s+\\?[\x22']\$\((?:curl|wget)\s[^)\n]{4,300}\)\\?[\x22'])|(?:\becho\s[^\n|]{8,4000}\|\s*base64\s+(?:-d|-D|--decode)\s*\|\s*(?:ba|z|da)?sh\b)",
        )
    });
    let Some(regex) = LINE.as_ref() else { return Vec::new() };
    if !(text.contains("curl") || text.contains("wget") || text.contains("base64")) {
        return Vec::new();
    }
    let found = regex.find_iter(text).take(RUNS);
    found.map(|hit| (hit.range(), hit.as_str().replace("\\\"", "\"").replace("\\'", "'"))).collect()
}

/// Decodes base64, hex, ROT13 and reversed lines, and judges the result: instructions or commands.
pub(crate) fn encoded(file: &mut File<'_>, text: &Text<'_>) {
    for (range, says, how) in decoded(text.plain).into_iter().chain(turned(text.plain)) {
        if !is_harmful(&says, file) {
            continue;
        }
        // A text that is harmful as written is judged elsewhere.
        let written = text.plain.get(range.clone()).unwrap_or_default();
        if matches!(how, ROT13 | REVERSED) && is_harmful(written, file) {
            continue;
        }
        let (span, _) = text.span(&range);
        let shown = format!("{how} of \"{}\"", lines::evidence(&says));
        file.add(Rule::EncodedText, Severity::Block, Some(span), shown);
    }
}

/// Whether a decoded text has instructions or commands that would be blocked.
fn is_harmful(says: &str, file: &File<'_>) -> bool {
    let orders = prose::look(says, Voice::Instructs, file.purpose);
    if orders.iter().any(|matched| matched.severity == Severity::Block) {
        return true;
    }
    let mut flow = Flow::new(Origin::Auto, file.purpose);
    for line in says.lines().take(RUNS) {
        shell::read(line, &mut flow);
    }
    for (_, command) in one_liners(says) {
        shell::read(&command, &mut flow);
    }
    flow.hits.iter().any(|hit| hit.severity == Severity::Block)
}

const BASE64: &str = "base64";
const HEX: &str = "hex";
const ROT13: &str = "ROT13";
const REVERSED: &str = "the reverse";

/// Lines in ROT13 or written backwards, in a text that names such an encoding.
fn turned(text: &str) -> Vec<(Range<usize>, String, &'static str)> {
    static NAMES: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern(
            r"(?i)\brot[- _]?13\b|\bcaesar (?:cipher|shift)|\bbackwards\b|\brevers(?:e|ed|ing) (?:the|this|that|each|these) (?:texts?|lines?|strings?|sentences?|next|following|characters|letters)\b",
        )
    });
    let mut found = Vec::new();
    let Some(names) = NAMES.as_ref() else { return found };
    let (mut rotated, mut reversed) = (false, false);
    for name in names.find_iter(text).take(RUNS) {
        let name = name.as_str().to_ascii_lowercase();
        let rotates = name.starts_with("rot") || name.starts_with("caesar");
        rotated |= rotates;
        reversed |= !rotates;
    }
    if !(rotated || reversed) {
        return found;
    }
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let words = line.trim();
        if words.len() < SENTENCE || words.len() > DECODED || !words.contains(' ') || found.len() >= RUNS {
            continue;
        }
        if rotated {
            found.push((start..at, words.chars().map(rot13).collect(), ROT13));
        }
        if reversed {
            found.push((start..at, words.chars().rev().collect(), REVERSED));
        }
    }
    found
}

/// The letter thirteen places on.
fn rot13(c: char) -> char {
    let turn = |base: u8, c: char| match u8::try_from(c) {
        Ok(byte) => char::from(base + (byte - base + 13) % 26),
        Err(_) => c,
    };
    match c {
        'a'..='z' => turn(b'a', c),
        'A'..='Z' => turn(b'A', c),
        _ => c,
    }
}

/// The text of a run of hex digits, if it is readable.
fn hex(run: &[u8]) -> Option<String> {
    if !run.len().is_multiple_of(2) || !run.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let bytes: Option<Vec<u8>> =
        run.chunks_exact(2).map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?)).collect();
    let says = String::from_utf8(bytes?).ok()?;
    is_readable(&says).then_some(says)
}

fn is_readable(says: &str) -> bool {
    says.contains(' ') && says.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\t' | '\r'))
}

/// Runs of base64 or hex that decode to text.
fn decoded(text: &str) -> Vec<(Range<usize>, String, &'static str)> {
    let mut found = Vec::new();
    let mut start = None;
    for (at, byte) in text.bytes().chain([b' ']).enumerate() {
        let letter = byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_');
        match (letter, start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                start = None;
                if (ENCODED..=DECODED).contains(&(at - from)) && found.len() < RUNS {
                    let run = &text.as_bytes()[from..at];
                    let says =
                        hex(run).map(|says| (says, HEX)).or_else(|| decode(run).map(|says| (says, BASE64)));
                    found.extend(says.map(|(says, how)| (from..at, says, how)));
                }
            }
            _ => {}
        }
    }
    found
}

/// The text of a run of base64, if it is readable.
fn decode(run: &[u8]) -> Option<String> {
    let (mut bits, mut count) = (0u32, 0);
    let mut bytes = Vec::with_capacity(run.len() * 3 / 4);
    for byte in run {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => break,
        };
        bits = (bits << 6) | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from((bits >> count) & 0xff).ok()?);
        }
    }
    let says = String::from_utf8(bytes).ok()?;
    is_readable(&says).then_some(says)
}
