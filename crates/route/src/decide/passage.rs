//! The part of a body that speaks most to a request.

use crate::{embed::cut, found::Found};

/// Characters of a passage.
const PASSAGE: usize = 300;

/// The lines around the one with most of the words that were found; `None` when no line has any.
pub(crate) fn best(body: &str, found: &Found) -> Option<String> {
    let words: Vec<&str> = found.why.iter().map(|reason| reason.word.as_str()).collect();
    let lines: Vec<&str> = body.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let count = |line: &str| {
        let line = line.to_lowercase();
        words.iter().filter(|word| line.contains(**word)).count()
    };
    let mut best = (0, 0);
    for (at, line) in lines.iter().enumerate() {
        let count = count(line);
        if count > best.0 {
            best = (count, at);
        }
    }
    let (count, at) = best;
    let rest = lines.get(at..).filter(|_| count > 0)?;
    let text: Vec<&str> = rest.iter().take(3).copied().collect();
    Some(cut(&text.join(" "), PASSAGE))
}
