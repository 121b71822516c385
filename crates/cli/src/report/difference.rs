//! What changed between two versions of a skill, as text. Hidden characters are named, and a cut is marked.

use super::visible;
use crate::output::{BAD, DIM, GOOD, HEAD, Output};
use skillful_registry::install::{Detail, Difference, What};

/// Lines of one file that a plan shows.
pub(crate) const PLAN_LINES: usize = 60;
/// Characters of one line that a plan shows.
const PLAN_CHARACTERS: usize = 400;

/// All files, each with its head and its changed lines; with a limit, only the first lines of each.
pub(crate) fn text(output: &Output, differences: &[Difference], limit: Option<usize>) -> String {
    let mut out = String::new();
    for difference in differences {
        out.push_str(&format!("{}\n", output.paint(HEAD, &head(difference))));
        let Detail::Text(changed) = &difference.detail else { continue };
        // Not `lines()`: a line end of another system is a change too.
        let lines: Vec<&str> = changed.strip_suffix('\n').unwrap_or(changed).split('\n').collect();
        let shown = limit.unwrap_or(lines.len()).min(lines.len());
        for line in &lines[..shown] {
            let style = match line.as_bytes().first() {
                Some(b'+') => GOOD,
                Some(b'-') => BAD,
                Some(b'@' | b'\\') => DIM,
                _ => anstyle::Style::new(),
            };
            let (line, more) = match line.char_indices().nth(PLAN_CHARACTERS).filter(|_| limit.is_some()) {
                Some((at, _)) => (&line[..at], line[at..].chars().count()),
                None => (*line, 0),
            };
            let line = visible::exact(&line.replace('\t', "    ")).into_owned();
            let more = if more == 0 { String::new() } else { format!(" … {more} more characters") };
            out.push_str(&format!("  {}{more}\n", output.paint(style, &line)));
        }
        if shown < lines.len() {
            out.push_str(&format!("  … {} more lines\n", lines.len() - shown));
        }
    }
    out
}

fn head(difference: &Difference) -> String {
    let what = match difference.what {
        What::Added => " (new)",
        What::Removed => " (gone)",
        What::Changed => "",
    };
    let mode = match difference.executable {
        Some(true) => ", can be executed now",
        Some(false) => ", can no longer be executed",
        None => "",
    };
    let bytes = match difference.detail {
        Detail::Bytes { before, after } => format!(", {before} bytes before, {after} after"),
        Detail::Same | Detail::Text(_) => String::new(),
    };
    format!("{}{what}{mode}{bytes}", visible::exact(difference.path.as_str()))
}
