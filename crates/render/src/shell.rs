//! Commands of a body as a shell gets them: every placeholder is a reference that the shell resolves
//! itself, quoted by where it stands, so that no argument is ever read as shell text.
//!
//! A place where even a quoted reference would be read as code (arithmetic, `eval`, the program text
//! of another interpreter, the name of the command itself) is refused, with the reason.

mod danger;
#[cfg(test)]
mod tests;

use crate::substitution::{Part, Slot, Values, highest_position, parts, value};
use danger::{refusal, runs_what_it_reads};
use schemars::JsonSchema;
use serde::Serialize;
use skillful_catalog::profile::ArgumentRule;
use skillful_shell::{
    slots::{self, SLOT, SlotContext},
    typed::quote,
};
use std::collections::BTreeMap;

/// Name of the variable that holds the arguments as typed.
const ALL: &str = "ARGUMENTS";
/// Before the number of an argument.
const ARGUMENT: &str = "ARGUMENT_";
/// Before the name of every other value, so that none can be `PATH` or `IFS`.
const PREFIX: &str = "SKILL_";

/// A command with what its references mean.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ShellCommand {
    /// The text for a shell; no argument is in it.
    pub text: String,
    /// What the references mean. Arguments are not the shell's own `$1`, since a `$1` for which there is no argument
    /// stays as its author wrote it, wherever it stands.
    pub environment: BTreeMap<String, String>,
    /// Why it must not run, whatever the arguments are.
    pub refused: Option<String>,
    /// The same with every value spelled out as a quoted word: for a judge, never for a shell.
    #[serde(skip)]
    pub spelled: String,
    /// Whether a placeholder takes an argument.
    #[serde(skip)]
    pub took_arguments: bool,
}

/// A command of a body, ready for a shell.
pub fn command(text: &str, values: &Values, rule: &ArgumentRule) -> ShellCommand {
    let parts = parts(text, values, rule);
    let highest = highest_position(text, values, rule);
    let filled = |slot: &Slot<'_>| value(slot, values, rule, highest);
    let mut masked = String::with_capacity(text.len());
    for part in &parts {
        match part {
            Part::Text(text) => masked.push_str(text),
            // Without a value it stays as the author wrote it: `awk '{print $1}'` without arguments.
            Part::Slot(slot, written) if filled(slot).is_none() => masked.push_str(written),
            Part::Slot(..) => masked.push(SLOT),
        }
    }
    let mut out = ShellCommand::default();
    if text.contains([SLOT, '\0']) {
        out.refused = Some("it holds a control character".to_owned());
        return out;
    }
    let (found, commands) = slots::read(&masked);
    let is_used = found.iter().any(|slot| slot.context != SlotContext::Comment);
    if let Some(why) = runs_what_it_reads(&commands).filter(|_| is_used) {
        out.refused = Some(format!("an argument could become code: {why}"));
    }
    let mut found = found.into_iter();
    for (at, part) in parts.iter().enumerate() {
        match part {
            Part::Text(text) => {
                out.text.push_str(text);
                out.spelled.push_str(text);
            }
            Part::Slot(slot, written) => {
                out.took_arguments |= slot.is_argument();
                let Some(value) = filled(slot) else {
                    out.text.push_str(written);
                    out.spelled.push_str(written);
                    continue;
                };
                let found = found.next();
                let context = found.as_ref().map_or(SlotContext::Lost, |found| found.context);
                let refused = found.as_ref().map_or(Some("its quotes cannot be followed"), refusal);
                let alone = stands_alone(parts.get(at.wrapping_sub(1)), parts.get(at + 1));
                let words = alone && context == SlotContext::Bare && *slot == Slot::All && refused.is_none();
                out.spelled.push_str(&match context {
                    SlotContext::Bare if words => {
                        values.arguments.words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ")
                    }
                    SlotContext::Double | SlotContext::Comment => format!("\"{}\"", quote(&value)),
                    SlotContext::Single => format!("'{}'", quote(&value)),
                    _ => quote(&value),
                });
                if words {
                    // Each word its own, as typing them there would have given.
                    let words = values.arguments.words.iter().enumerate();
                    let words = words.map(|(at, word)| format!("\"{}\"", out.argument(at, word.clone())));
                    let words = words.collect::<Vec<_>>().join(" ");
                    out.text.push_str(&words);
                    continue;
                }
                let reference = out.reference(slot, value);
                match context {
                    SlotContext::Bare => out.text.push_str(&format!("\"{reference}\"")),
                    SlotContext::Single => out.text.push_str(&format!("'\"{reference}\"'")),
                    _ => out.text.push_str(&reference),
                }
                if let Some(why) = refused {
                    let message = format!("{written} stands where an argument could become code: {why}");
                    out.refused.get_or_insert(message);
                }
            }
        }
    }
    out
}

impl ShellCommand {
    /// The reference to a value, which it remembers.
    fn reference(&mut self, slot: &Slot<'_>, value: String) -> String {
        let name = match slot {
            Slot::All => ALL.to_owned(),
            Slot::At(index) => return self.argument(*index, value),
            Slot::Path(name) => (*name).to_owned(),
            Slot::Named(name) | Slot::Variable(name) | Slot::Agent(name) => {
                let fits = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
                PREFIX.to_owned() + &name.chars().map(fits).collect::<String>()
            }
        };
        let reference = format!("${{{name}}}");
        self.environment.insert(name, value);
        reference
    }

    /// The reference to an argument, which it remembers. The last position of some dialects takes all the rest, so that
    /// one position can have two values.
    fn argument(&mut self, index: usize, value: String) -> String {
        let name = |word: &str| format!("{ARGUMENT}{word}{}", index + 1);
        let plain = name("");
        let is_other = self.environment.get(&plain).is_some_and(|known| *known != value);
        let name = if is_other { name("REST_") } else { plain };
        let reference = format!("${{{name}}}");
        self.environment.insert(name, value);
        reference
    }
}

/// Whether a slot is a whole word.
fn stands_alone(before: Option<&Part<'_>>, after: Option<&Part<'_>>) -> bool {
    let ends = |c: char| c.is_whitespace() || matches!(c, ';' | '|' | '&' | ')' | '(');
    let text = |part: Option<&Part<'_>>| match part {
        Some(Part::Text(text)) => Some((*text).to_owned()),
        Some(Part::Slot(..)) => None,
        None => Some(String::new()),
    };
    text(before).is_some_and(|text| text.chars().next_back().is_none_or(ends))
        && text(after).is_some_and(|text| text.chars().next().is_none_or(ends))
}
