//! Whether the grammar reads a text in bounded time. It recurses into brackets, and does not come back from a
//! here-document inside a substitution that never ends.
//!
//! This looks at characters and not at lexemes: it must hold for any text, also where the grammar and the
//! lexer would disagree about quotes.

/// Bytes of one text that the grammar is asked about.
const TEXT_LIMIT: usize = 64 << 10;
/// Deepest brackets and blocks that the grammar is asked about.
const DEPTH_LIMIT: usize = 12;

pub(crate) fn is_bounded(text: &str) -> bool {
    text.len() <= TEXT_LIMIT && depth(text) <= DEPTH_LIMIT && here_documents_end(text)
}

/// Whether each here-document is plain and closed by a line of its own.
fn here_documents_end(text: &str) -> bool {
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("<<") {
        if let Some(behind) = after.strip_prefix('<') {
            rest = behind;
            continue;
        }
        let word = after.trim_start_matches('-').trim_start_matches([' ', '\t']);
        let quoted = word.starts_with(['\'', '"', '\\']);
        let word = word.trim_start_matches(['\'', '"', '\\']);
        let end = word.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(word.len());
        let (mark, behind) = word.split_at(end);
        let closes = quoted || !behind.starts_with(['\'', '"']);
        let Some((_, body)) = behind.split_once('\n') else { return false };
        let Some(at) = body.lines().position(|line| line.trim() == mark) else { return false };
        if mark.is_empty() || !closes {
            return false;
        }
        rest = body.splitn(at + 2, '\n').last().unwrap_or_default();
    }
    true
}

/// How deep brackets and blocks may be nested, at most.
fn depth(text: &str) -> usize {
    let (mut depth, mut most) = (0usize, 0usize);
    for byte in text.bytes() {
        match byte {
            b'(' | b'{' => {
                depth += 1;
                most = most.max(depth);
            }
            b')' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    let mut blocks = 0usize;
    let mut deepest = 0;
    for word in text.split(|c: char| c.is_whitespace() || c == ';') {
        match word {
            "if" | "do" | "case" => {
                blocks += 1;
                deepest = deepest.max(blocks);
            }
            "fi" | "done" | "esac" => blocks = blocks.saturating_sub(1),
            _ => {}
        }
    }
    most + deepest + text.matches('`').count() / 8
}
