//! What stands at a place of a text. It reads lines and not YAML, since a text that is being written is often broken.

use skillful_format::source;
use std::ops::Range;

/// What stands at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A key of the frontmatter, or where one can be written.
    Key {
        /// The keys above it, outermost first.
        parents: Vec<String>,
        /// The bytes of the key.
        word: Range<usize>,
        /// Whether a colon follows it.
        has_colon: bool,
    },
    /// A value of the frontmatter.
    Value {
        /// The keys that lead to it, outermost first.
        path: Vec<String>,
        /// The bytes of the word at the place.
        word: Range<usize>,
    },
    /// The target of a link in the body.
    Target(Range<usize>),
    /// The name behind a `$` in the body.
    Mention(Range<usize>),
    /// Anything else.
    Other,
}

/// Lines above a place that are searched for its keys.
const LINES_ABOVE: usize = 4_096;

/// The bytes of the frontmatter; of frontmatter that is not closed yet, everything below the fence.
pub fn frontmatter(text: &str) -> Option<Range<usize>> {
    if let Some(range) = source::split(text).frontmatter {
        return Some(range);
    }
    let first = text.trim_start_matches('\u{feff}');
    let start = text.len() - first.len();
    let line = first.find('\n')?;
    (first[..line].trim_end() == "---").then(|| start + line + 1..text.len())
}

/// What stands at a byte of a text.
pub fn at(text: &str, offset: usize) -> Place {
    let offset = text.floor_char_boundary(offset);
    let line = line_around(text, offset);
    match frontmatter(text) {
        Some(frontmatter) if frontmatter.start <= offset && offset <= frontmatter.end => {
            // The line of the closing fence is not part of the frontmatter.
            if line.start >= frontmatter.end && !text[frontmatter.end..].is_empty() {
                return Place::Other;
            }
            in_frontmatter(text, frontmatter.start, line, offset)
        }
        Some(frontmatter) if offset < frontmatter.start => Place::Other,
        _ => in_body(text, line, offset),
    }
}

/// A line that may have a key.
struct Row<'a> {
    /// Bytes before the first list dash or the content.
    indent: usize,
    has_dash: bool,
    /// Bytes before the content.
    start: usize,
    key: Option<(&'a str, usize)>,
}

fn row(line: &str) -> Row<'_> {
    let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
    let mut start = indent;
    while let Some(rest) = line[start..].strip_prefix('-') {
        if !(rest.is_empty() || rest.starts_with(' ')) {
            break;
        }
        start = line.len() - rest.trim_start_matches(' ').len();
    }
    let content = &line[start..];
    let key = content.find(':').and_then(|colon| {
        let after = &content[colon + 1..];
        let key = content[..colon].trim_end().trim_matches(['"', '\'']);
        let is_key = !key.is_empty()
            && key.chars().all(|c| c.is_alphanumeric() || "_-./".contains(c))
            && (after.is_empty() || after.starts_with([' ', '\t', '\r']));
        is_key.then_some((key, start + colon))
    });
    Row { indent, has_dash: start > indent, start, key }
}

fn in_frontmatter(text: &str, start: usize, line: Range<usize>, offset: usize) -> Place {
    let content = &text[line.clone()];
    let own = row(content);
    let column = offset - line.start;
    let Some(parents) = parents(text, start, line.start, &own) else { return Place::Other };
    if content.trim_start().starts_with('#') {
        return Place::Other;
    }
    match own.key {
        Some((key, colon)) if column > colon => {
            let mut path = parents;
            path.push(key.to_owned());
            Place::Value { path, word: word(text, line.start + colon + 1..line.end, offset) }
        }
        Some((_, colon)) => {
            Place::Key { parents, word: line.start + own.start..line.start + colon, has_colon: true }
        }
        None if own.has_dash && !parents.is_empty() => {
            Place::Value { path: parents, word: word(text, line.start + own.start..line.end, offset) }
        }
        None => {
            let end = line.start + content.trim_end().len();
            let from = line.start + own.start.min(column);
            Place::Key { parents, word: from..end.max(from), has_colon: false }
        }
    }
}

/// The keys above a line, outermost first; `None` inside of a text of several lines.
fn parents(text: &str, start: usize, line: usize, own: &Row<'_>) -> Option<Vec<String>> {
    let mut parents = Vec::new();
    let (mut indent, mut in_list) = (own.indent, own.has_dash);
    if own.has_dash && own.key.is_some() {
        // The key belongs to a mapping inside of the list.
        indent = own.indent;
    }
    let mut first = true;
    for above in text[start..line].lines().rev().take(LINES_ABOVE) {
        if above.trim().is_empty() || above.trim_start().starts_with('#') {
            continue;
        }
        let row = row(above);
        let Some((key, colon)) = row.key else { continue };
        let key_indent = row.start;
        let is_above = key_indent < indent || (in_list && !row.has_dash && key_indent == indent);
        if !is_above {
            continue;
        }
        let value = above[colon + 1..].trim();
        if first && !value.is_empty() && !value.starts_with(['#', '[', '{']) {
            return None;
        }
        first = false;
        parents.push(key.to_owned());
        indent = row.indent;
        in_list = row.has_dash;
        if indent == 0 && !in_list {
            break;
        }
    }
    parents.reverse();
    Some(parents)
}

/// The word around a place within a range: what stands between blanks, commas, brackets and quotes.
fn word(text: &str, within: Range<usize>, offset: usize) -> Range<usize> {
    let offset = offset.clamp(within.start, within.end);
    let splits = |c: char| c.is_whitespace() || ",[]{}\"'".contains(c);
    let start = text[within.start..offset].rfind(splits).map_or(within.start, |at| {
        let at = within.start + at;
        at + text[at..].chars().next().map_or(1, char::len_utf8)
    });
    let end = text[offset..within.end].find(splits).map_or(within.end, |at| offset + at);
    start..end
}

fn in_body(text: &str, line: Range<usize>, offset: usize) -> Place {
    let before = &text[line.start..offset];
    if let Some(open) = before.rfind("](")
        && !before[open..].contains(')')
    {
        let start = line.start + open + 2;
        let end = text[offset..line.end].find([')', ' ']).map_or(line.end, |at| offset + at);
        return Place::Target(start..end);
    }
    let is_name = |c: char| c.is_alphanumeric() || "-_:./".contains(c);
    let start = before.trim_end_matches(is_name).len();
    if before[..start].ends_with('$')
        && !before[..start - 1].ends_with(|c: char| c.is_alphanumeric() || c == '$')
    {
        let from = line.start + start;
        let end = text[offset..line.end].find(|c| !is_name(c)).map_or(line.end, |at| offset + at);
        let end = from + text[from..end].trim_end_matches(['.', ':']).len();
        return Place::Mention(from..end.max(from));
    }
    Place::Other
}

/// The line around a byte, without its end.
fn line_around(text: &str, offset: usize) -> Range<usize> {
    let start = text[..offset].rfind(['\n', '\r']).map_or(0, |at| at + 1);
    let end = text[offset..].find(['\n', '\r']).map_or(text.len(), |at| offset + at);
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The place of `|` in a text, with its word.
    fn shown(marked: &str) -> String {
        let offset = marked.find('|').expect("a mark");
        let text = marked.replacen('|', "", 1);
        match at(&text, offset) {
            Place::Key { parents, word, has_colon } => {
                format!("key {parents:?} {:?}{}", &text[word], if has_colon { " :" } else { "" })
            }
            Place::Value { path, word } => format!("value {path:?} {:?}", &text[word]),
            Place::Target(range) => format!("target {:?}", &text[range]),
            Place::Mention(range) => format!("mention {:?}", &text[range]),
            Place::Other => "other".to_owned(),
        }
    }

    #[test]
    fn places_are_known_while_the_text_is_written() {
        for (text, wanted) in [
            ("---\nna|\n---\n", "key [] \"na\""),
            ("---\n|\n---\n", "key [] \"\""),
            ("---\nnam|e: x\n---\n", "key [] \"name\" :"),
            ("---\nname: x|y\n---\n", "value [\"name\"] \"xy\""),
            ("---\neffort: |\n", "value [\"effort\"] \"\""),
            ("---\nallowed-tools: Read, Ba|\n---\n", "value [\"allowed-tools\"] \"Ba\""),
            ("---\nallowed-tools: [Read, \"Ba|\"]\n---\n", "value [\"allowed-tools\"] \"Ba\""),
            ("---\nrequires:\n  sk|\n---\n", "key [\"requires\"] \"sk\""),
            ("---\nrequires:\n  skills:\n    - a|\n---\n", "value [\"requires\", \"skills\"] \"a\""),
            ("---\nrequires:\n  skills: [a, b|]\n---\n", "value [\"requires\", \"skills\"] \"b\""),
            ("---\ncompanion_skills:\n- a|\n---\n", "value [\"companion_skills\"] \"a\""),
            ("---\nenv:\n  - var: X\n    fr|\n---\n", "key [\"env\"] \"fr\""),
            ("---\nenv:\n  - var: X\n    from: |\n---\n", "value [\"env\", \"from\"] \"\""),
            ("---\nvars:\n  A:\n    req|\n---\n", "key [\"vars\", \"A\"] \"req\""),
            ("---\ndescription: text\n  more| text\n---\n", "other"),
            ("---\ndescription: >\n  more| text\n---\n", "other"),
            ("---\nname: x\n---|\n", "other"),
            ("-|--\nname: x\n---\n", "other"),
            ("---\nname: x\n---\nsee [a](ref|) now\n", "target \"ref\""),
            ("---\nname: x\n---\nuse $dep|loy.\n", "mention \"deploy\""),
            ("---\nname: x\n---\nuse US$dep|loy.\n", "other"),
            ("---\nname: x\n---\n|", "other"),
            ("|", "other"),
        ] {
            assert_eq!(shown(text), wanted, "{text}");
        }
    }
}
