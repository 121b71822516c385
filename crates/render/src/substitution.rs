//! Fills the placeholders of a body: arguments by the rules of a dialect, paths, variables, values
//! of the agent.
//!
//! There is one pass: inserted text is never read again, so that an argument that looks like a
//! placeholder or a command stays text. Placeholders without a value stay as written.

use crate::arguments::Arguments;
use skillful_catalog::profile::{ArgumentRule, MissingArgument};
use std::collections::{BTreeMap, BTreeSet};

mod slot;
#[cfg(test)]
mod tests;

pub use slot::Slot;
pub(crate) use slot::{Part, parts};

/// The dialect when no agent is given: that of Claude Code, which most skills use.
pub const OWN_DIALECT: ArgumentRule =
    ArgumentRule { first: Some(0), missing: MissingArgument::Literal, all: true, named: true, rest: false };

/// Label of arguments that no placeholder used.
const LABEL: &str = "ARGUMENTS: ";

/// The values of the placeholders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values {
    /// `$ARGUMENTS`, `$ARGUMENTS[N]`, `$N`.
    pub arguments: Arguments,
    /// The names of positions that the skill declares: `$name`.
    pub names: Vec<String>,
    /// `${NAME}`: paths.
    pub places: BTreeMap<String, String>,
    /// `{{NAME}}`: variables that may be shown to a model.
    pub variables: BTreeMap<String, String>,
    /// `{NAME}`: values that the agent supplies.
    pub agent: BTreeMap<String, String>,
}

/// A text with its placeholders filled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Substituted {
    /// The text.
    pub text: String,
    /// Whether a placeholder used an argument.
    pub took_arguments: bool,
    /// Known placeholders without a value, as written.
    pub unfilled: BTreeSet<String>,
}

/// Fills the placeholders of a text.
pub fn substitute(text: &str, values: &Values, rule: &ArgumentRule) -> Substituted {
    let highest = highest_position(text, values, rule);
    let mut out = Substituted { text: String::with_capacity(text.len()), ..Substituted::default() };
    for part in parts(text, values, rule) {
        match part {
            Part::Text(text) => out.text.push_str(text),
            Part::Slot(slot, written) => {
                out.took_arguments |= slot.is_argument();
                match value(&slot, values, rule, highest) {
                    Some(value) => out.text.push_str(&value),
                    None => {
                        out.text.push_str(written);
                        out.unfilled.insert(written.to_owned());
                    }
                }
            }
        }
    }
    out
}

/// Appends arguments that no placeholder used, once, with a label.
pub fn append_arguments(text: &mut String, arguments: &Arguments) {
    if arguments.is_empty() {
        return;
    }
    let end = text.trim_end().len();
    text.truncate(end);
    text.push_str(&format!("\n\n{LABEL}{}\n", arguments.text));
}

pub(crate) fn highest_position(text: &str, values: &Values, rule: &ArgumentRule) -> Option<usize> {
    if !rule.rest {
        return None;
    }
    let position = |part| match part {
        Part::Slot(Slot::At(index), _) => Some(index),
        _ => None,
    };
    parts(text, values, rule).into_iter().filter_map(position).max()
}

pub(crate) fn value(
    slot: &Slot<'_>,
    values: &Values,
    rule: &ArgumentRule,
    highest: Option<usize>,
) -> Option<String> {
    let words = &values.arguments.words;
    let at = |index: usize| {
        if highest == Some(index) && index < words.len() {
            return Some(words[index..].join(" "));
        }
        words.get(index).cloned()
    };
    match slot {
        Slot::All => Some(values.arguments.text.clone()),
        Slot::At(index) => at(*index).or_else(|| match rule.missing {
            MissingArgument::Literal => None,
            MissingArgument::Empty => Some(String::new()),
        }),
        Slot::Named(name) => {
            let index = values.names.iter().position(|known| known == name)?;
            Some(words.get(index).cloned().unwrap_or_default())
        }
        Slot::Path(name) => values.places.get(*name).cloned(),
        Slot::Variable(name) => values.variables.get(*name).cloned(),
        Slot::Agent(name) => values.agent.get(*name).cloned(),
    }
}
