//! The fields of the frontmatter: every key that any supported agent reads, in every spelling.
//!
//! One table serves the decoder, the checks, the writer, the documentation and editors.

mod table;
mod value;

pub use table::FIELDS;
pub use value::{FieldPart, FieldValue, FieldWord};

/// One frontmatter field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name in Skillful's output and documentation; the writer uses this spelling.
    pub name: &'static str,
    /// Other spellings. Hyphens and underscores are always equal; for a gate, upper and lower case
    /// are too.
    pub spellings: &'static [&'static str],
    /// Whether it belongs to the agentskills.io specification.
    pub spec: bool,
    /// Whether the field decides who may use the skill. Such a field fails closed.
    pub gate: bool,
    /// What the field does, for its author.
    pub meaning: &'static str,
    /// The form of its value, and the words that an editor offers for it.
    pub value: FieldValue,
}

/// The field that a key means, in any spelling.
pub fn field(key: &str) -> Option<&'static Field> {
    FIELDS.iter().find(|field| field.is_spelled(key))
}

impl Field {
    /// Whether `key` is one of this field's spellings.
    pub fn is_spelled(&self, key: &str) -> bool {
        same(self.name, key)
            || self.spellings.iter().any(|spelling| same(spelling, key))
            // A gate written as `adminOnly` must still close: a capital letter cannot open it.
            || (self.gate && same_letters(self.name, key))
    }
}

/// Equal except for hyphens and underscores.
fn same(a: &str, b: &str) -> bool {
    let fold = |byte: u8| if byte == b'-' { b'_' } else { byte };
    a.len() == b.len() && a.bytes().zip(b.bytes()).all(|(a, b)| fold(a) == fold(b))
}

/// Equal except for case and separators between words.
fn same_letters(a: &str, b: &str) -> bool {
    fn letters(text: &str) -> impl Iterator<Item = u8> {
        text.bytes().filter(|b| !matches!(b, b'-' | b'_')).map(|b| b.to_ascii_lowercase())
    }
    letters(a).next() == letters(b).next() && letters(a).eq(letters(b))
}

#[cfg(test)]
mod tests;
