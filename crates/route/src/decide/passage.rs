//! Finds the part of a body that matches a request best.

use crate::{embed::cut, search_result::FoundSkill};

/// Length of a passage in characters.
const PASSAGE: usize = 300;

/// Returns the lines around the one that contains most of the matched words; `None` when no line contains
/// any.
pub(crate) fn best(body: &str, found: &FoundSkill) -> Option<String> {
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
