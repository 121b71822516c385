//! Programs and characters that are spelled so that a reader does not see them.

use super::{INTERPRETERS, SHELLS};
use crate::{
    flow::Labels,
    report::Severity,
    rule::Rule,
    shell::{Call, Reader},
};

/// A program whose name is put together so that a reader does not see it.
pub(super) fn spelled(reader: &mut Reader<'_>, program: &str, call: &Call) {
    let Some(first) = call.words.first() else { return };
    let known = SHELLS.contains(&program)
        || INTERPRETERS.contains(&program)
        || matches!(program, "curl" | "wget" | "nc" | "eval");
    let pieces = first.raw.matches('$').count() >= 2
        || (first.raw.contains("''") || first.raw.contains("\"\""))
        || first.raw.trim_start_matches('\\').contains('\\');
    let decoded = first.text.contains("$()") && first.labels.has(Labels::DECODED);
    if (known && pieces) || decoded || (separates(&first.raw) && !keeps(&first.raw)) {
        reader.flow.hit(Rule::Obfuscated, Severity::Block, call.range.clone());
    }
}

/// Whether blanks are spelled by the variable that holds them.
fn separates(word: &str) -> bool {
    word.contains("${IFS}") || word.contains("$IFS")
}

/// Whether a word only keeps the separator in a variable, to put it back later.
fn keeps(word: &str) -> bool {
    let Some((name, value)) = word.split_once('=') else { return false };
    name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && matches!(value.trim_matches('"'), "$IFS" | "${IFS}" | "${IFS-}")
}

/// How many characters are spelled by their numbers; colours are not counted.
pub(super) fn octals(text: &str) -> usize {
    let spelled = |part: &&str| {
        part.len() >= 3 && part.bytes().take(3).all(|b| b.is_ascii_digit()) && !part.starts_with("033")
    };
    text.split('\\').skip(1).filter(spelled).count()
}
