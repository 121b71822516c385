//! Reads yes and no in every spelling that agents accept.

use crate::yaml::{Data, Node};

/// Whether a value means yes or no; `None` when it means neither.
pub(crate) fn yes_no(node: &Node) -> Option<bool> {
    yes_no_of(node.scalar()?)
}

/// The same for a value without a position.
pub(crate) fn yes_no_of_data(data: &Data) -> Option<bool> {
    match data {
        Data::Bool(flag) => Some(*flag),
        Data::Number(text) | Data::Text(text) => yes_no_of(text),
        Data::Null | Data::List(_) | Data::Map(_) => None,
    }
}

fn yes_no_of(text: &str) -> Option<bool> {
    let is = |words: &[&str]| words.iter().any(|word| text.trim().eq_ignore_ascii_case(word));
    if is(&["true", "yes", "on", "1"]) {
        Some(true)
    } else if is(&["false", "no", "off", "0"]) {
        Some(false)
    } else {
        None
    }
}
