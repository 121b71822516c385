//! Shell that the grammar refuses, taken apart by its lines, pipes and quotes.

use super::{Call, Out, Reader, programs};
use std::ops::Range;

pub(super) fn read(reader: &mut Reader<'_>, stdin: &Out) -> Out {
    let text = reader.text;
    let mut out = Out::default();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        let mut input = stdin.clone();
        for (command, piped) in commands(line) {
            if reader.left == 0 {
                return out;
            }
            reader.left -= 1;
            let place = reader.at.clone().unwrap_or(start + command.start..start + command.end);
            let from = if piped { input } else { stdin.clone() };
            input = one(reader, &line[command], place, from);
        }
        out.add(&input);
    }
    out
}

/// The commands of a line, and whether each takes the output of the one before.
fn commands(line: &str) -> Vec<(Range<usize>, bool)> {
    let mut found = Vec::new();
    let mut quote = None;
    let (mut start, mut piped, mut depth) = (0, false, 0usize);
    let bytes = line.as_bytes();
    for (at, byte) in bytes.iter().copied().enumerate() {
        match (quote, byte) {
            (Some(open), byte) if byte == open => quote = None,
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'(') => depth += 1,
            (None, b')') => depth = depth.saturating_sub(1),
            (None, b'|' | b';' | b'&') if depth == 0 => {
                if at > start {
                    found.push((start..at, piped));
                }
                let doubled = bytes.get(at + 1) == Some(&b'|') || (at > 0 && bytes[at - 1] == b'|');
                piped = byte == b'|' && !doubled;
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push((start..line.len(), piped));
    found
}

fn one(reader: &mut Reader<'_>, command: &str, place: Range<usize>, stdin: Out) -> Out {
    let mut call = Call { stdin, range: place.clone(), ..Call::default() };
    let mut words = words(command).into_iter();
    while let Some(word) = words.next() {
        // Prompts of examples.
        if call.words.is_empty() && matches!(word, "$" | "%" | ">" | "#" | "!") {
            continue;
        }
        let target = word.trim_start_matches(['1', '2', '&']);
        if let Some(file) = target.strip_prefix(">>").or_else(|| target.strip_prefix('>')) {
            let file = file.trim_start_matches('&');
            let file = if file.is_empty() { words.next().unwrap_or_default() } else { file };
            let read = reader.text_of_word(file, Some(&place));
            call.writes.push((read.text, read.labels));
            continue;
        }
        let read = reader.text_of_word(word, Some(&place));
        call.words.push(read);
    }
    if call.words.is_empty() { Out::default() } else { programs::call(reader, call) }
}

/// Words by blanks, with quotes and brackets keeping theirs.
fn words(command: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut quote = None;
    let mut depth = 0usize;
    let mut start = None;
    for (at, c) in command.char_indices() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '(') => depth += 1,
            (None, ')') => depth = depth.saturating_sub(1),
            _ => {}
        }
        if c.is_whitespace() && quote.is_none() && depth == 0 {
            if let Some(from) = start.take() {
                found.push(&command[from..at]);
            }
        } else if start.is_none() {
            start = Some(at);
        }
    }
    found.extend(start.map(|from| &command[from..]));
    found
}
