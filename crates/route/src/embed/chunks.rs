//! The texts that are embedded for a skill. After a change here, raise the number of the mark in
//! `vectors.rs`.

/// Longest name and description in characters.
const HEAD: usize = 2_000;
/// Length of one part of the body in characters, about 210 tokens.
const CHUNK: usize = 900;
/// Largest number of parts of a body.
const CHUNKS: usize = 6;

/// Name and description as one text.
pub(crate) fn head(name: &str, description: &str) -> String {
    cut(&format!("{name}: {description}"), HEAD)
}

/// Splits the start of a body into parts, at line ends where possible.
pub(crate) fn body(text: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut part = String::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let line = cut(line, CHUNK);
        if !part.is_empty() && part.chars().count() + line.chars().count() >= CHUNK {
            parts.push(std::mem::take(&mut part));
            if parts.len() == CHUNKS {
                return parts;
            }
        }
        if !part.is_empty() {
            part.push('\n');
        }
        part.push_str(&line);
    }
    if !part.is_empty() {
        parts.push(part);
    }
    parts
}

/// The first `characters` characters of a text.
pub(crate) fn cut(text: &str, characters: usize) -> String {
    text.chars().take(characters).collect()
}
