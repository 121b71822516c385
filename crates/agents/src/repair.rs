//! Repairs that agents apply to frontmatter that is not YAML.

#[cfg(test)]
mod tests;

use skillful_format::yaml;

/// Quotes values that contain a colon, or that start like a list, a mapping or a reserved character
/// without being one. The rest of the frontmatter stays unchanged. Any text can be a key.
pub(super) fn quote(frontmatter: &str) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut block: Option<usize> = None;
    for line in frontmatter.split('\n') {
        let line = line.strip_suffix('\r').unwrap_or(line);
        let indent = line.len() - line.trim_start().len();
        if block.is_some_and(|above| line.trim().is_empty() || indent > above) {
            out.push(line.to_owned());
            continue;
        }
        block = None;
        let Some((key, value, comment)) = parts(line) else {
            out.push(line.to_owned());
            continue;
        };
        if value.starts_with(['|', '>']) {
            block = Some(indent);
        }
        if needs_quotes(value) {
            out.push(format!("{key}'{}'{comment}", value.replace('\'', "''")));
        } else {
            out.push(line.to_owned());
        }
    }
    out.join("\n")
}

/// Splits a line into the key with its colon and spaces, the value, and the text after the value.
fn parts(line: &str) -> Option<(&str, &str, &str)> {
    let colon = line.find(':')?;
    let rest = &line[colon + 1..];
    if line[..colon].trim().is_empty() || !(rest.is_empty() || rest.starts_with(char::is_whitespace)) {
        return None;
    }
    let start = line.len() - rest.trim_start().len();
    let text = &line[start..];
    let comment = text
        .match_indices('#')
        .map(|(at, _)| at)
        .find(|at| text[..*at].chars().next_back().is_none_or(char::is_whitespace));
    let value = text[..comment.unwrap_or(text.len())].trim_end();
    Some((&line[..start], value, &line[start + value.len()..]))
}

fn needs_quotes(value: &str) -> bool {
    if value.starts_with(['|', '>', '\'', '"']) {
        return false;
    }
    let colon = value.match_indices(':').any(|(at, _)| value[at + 1..].starts_with(char::is_whitespace));
    colon || (value.starts_with(['[', '{', '@', '`']) && yaml::parse_document(value).syntax_failed)
}

/// Quotes the values of unindented keys that contain a character with a meaning in YAML and are not quoted already.
pub(super) fn quote_words(frontmatter: &str) -> String {
    let line = |line: &str| {
        let value = word_or_hyphen_key(line).filter(|(_, value)| has_meaning(value) && !is_quoted(value));
        match value {
            Some((key, value)) => {
                format!("{key}: \"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
            }
            None => line.to_owned(),
        }
    };
    frontmatter.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

fn word_or_hyphen_key(line: &str) -> Option<(&str, &str)> {
    let length = line.bytes().take_while(|b| b.is_ascii_alphabetic() || *b == b'_' || *b == b'-').count();
    let value = line[length..].strip_prefix(':')?;
    let text = value.trim_start();
    (length > 0 && text.len() < value.len() && !text.is_empty()).then(|| (&line[..length], text))
}

fn has_meaning(value: &str) -> bool {
    value.contains(['{', '}', '[', ']', '*', '&', '#', '!', '|', '>', '%', '@', '`']) || value.contains(": ")
}

fn is_quoted(value: &str) -> bool {
    let in_marks = |mark: char| value.len() > 1 && value.starts_with(mark) && value.ends_with(mark);
    in_marks('"') || in_marks('\'')
}

/// Quotes values with a colon, for keys made of word characters.
pub(super) fn quote_colons(frontmatter: &str) -> String {
    let line = |line: &str| {
        let line = line.strip_suffix('\r').unwrap_or(line);
        match word_key(line).filter(|(_, value)| value.contains(':') && !is_settled(value)) {
            Some((key, value)) => {
                format!("{key}: \"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
            }
            None => line.to_owned(),
        }
    };
    frontmatter.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// Turns values that contain a colon into literal blocks, for unindented keys made of word
/// characters.
pub(super) fn block(frontmatter: &str) -> String {
    let mut out: Vec<String> = Vec::new();
    for line in frontmatter.split('\n') {
        let line = line.strip_suffix('\r').unwrap_or(line);
        match word_key(line) {
            Some((key, value)) if value.contains(':') && !is_settled(value) => {
                out.push(format!("{key}: |-"));
                out.push(format!("  {value}"));
            }
            _ => out.push(line.to_owned()),
        }
    }
    out.join("\n")
}

fn word_key(line: &str) -> Option<(&str, &str)> {
    let length = line.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
    let starts = line.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let value = line[length..].trim_start().strip_prefix(':')?;
    starts.then(|| (&line[..length], value.trim()))
}

fn is_settled(value: &str) -> bool {
    matches!(value, "" | ">" | "|") || value.starts_with(['"', '\''])
}
