//! The texts that are embedded for a skill. A change here needs another mark in `vectors.rs`.

/// Characters of name and description.
const HEAD: usize = 2_000;
/// Characters of a part of the body: about 210 tokens.
const CHUNK: usize = 900;
/// Parts of a body at most.
const CHUNKS: usize = 6;

/// What a skill says it is.
pub(crate) fn head(name: &str, description: &str) -> String {
    cut(&format!("{name}: {description}"), HEAD)
}

/// The start of a body in parts, broken at line ends where that is possible.
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

/// The first characters of a text.
pub(crate) fn cut(text: &str, characters: usize) -> String {
    text.chars().take(characters).collect()
}
