//! Reads `name` and `description` line by line, for agents that do so when YAML fails.

#[cfg(test)]
mod tests;

/// Returns the two fields, if both exist. A key counts at any indentation, and the last one wins;
/// quotes and comments are part of the value; indented lines continue a description.
pub(super) fn read(frontmatter: &str) -> Option<(String, String)> {
    let mut name = None;
    let mut description = None;
    let mut lines = frontmatter.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).peekable();
    while let Some(line) = lines.next() {
        if let Some(value) = value_of(line, "name:") {
            name = Some(value.to_owned());
        } else if let Some(value) = value_of(line, "description:") {
            let mut parts = vec![value];
            while let Some(next) = lines.next_if(|next| is_continuation(next)) {
                parts.push(trim(next));
            }
            parts.retain(|part| !part.is_empty());
            description = Some(parts.join(" "));
        }
    }
    name.zip(description)
}

fn value_of<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let value = trim(line.trim_start_matches(is_blank).strip_prefix(key)?);
    // These characters end a line in the agent's patterns, so the line does not match.
    (!value.contains(['\r', '\u{2028}', '\u{2029}'])).then_some(value)
}

fn is_continuation(line: &str) -> bool {
    let text = line.trim_start_matches([' ', '\t']);
    text.len() < line.len() && text.starts_with(|c| !is_blank(c))
}

fn trim(text: &str) -> &str {
    text.trim_matches(is_blank)
}

/// White space as JavaScript defines it.
fn is_blank(c: char) -> bool {
    c == '\u{feff}' || (c.is_whitespace() && c != '\u{85}')
}
