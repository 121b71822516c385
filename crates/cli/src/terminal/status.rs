//! The state of a session in one line.

use crate::output::{cut, harmless};
use skillful_assistant::event::Status;

/// Most tools that are named; the others are counted.
const TOOLS: usize = 6;

/// `skills: a › b · tools: Read, Bash(git *) · 12.3k/200k tokens · $0.04 · model`.
pub(crate) fn line(status: &Status, width: usize) -> String {
    let mut parts = Vec::new();
    if !status.active.is_empty() {
        let names: Vec<String> = status.active.iter().map(|name| harmless(name)).collect();
        parts.push(format!("skills: {}", names.join(" › ")));
    }
    if let Some(tools) = &status.tools {
        let mut names: Vec<String> = tools.iter().take(TOOLS).map(|name| harmless(name)).collect();
        if tools.len() > TOOLS {
            names.push(format!("{} more", tools.len() - TOOLS));
        }
        parts.push(format!("tools: {}", if names.is_empty() { "none".to_owned() } else { names.join(", ") }));
    }
    parts.push(format!("{}/{} tokens", short(status.context), short(status.window)));
    if let Some(cost) = status.cost {
        parts.push(money(cost));
    }
    parts.push(harmless(&status.model));
    cut(&parts.join(" · "), width)
}

/// A cost with enough digits.
pub(crate) fn money(cost: f64) -> String {
    if cost > 0.0 && cost < 0.01 { format!("${cost:.4}") } else { format!("${cost:.2}") }
}

/// `950`, `12.3k`, `200k`, `1M`.
pub(crate) fn short(tokens: usize) -> String {
    let tenths = |unit: usize, mark: &str| {
        let tenths = tokens / (unit / 10);
        match tenths % 10 {
            0 => format!("{}{mark}", tenths / 10),
            rest => format!("{}.{rest}{mark}", tenths / 10),
        }
    };
    match tokens {
        0..1000 => tokens.to_string(),
        1000..1_000_000 => tenths(1000, "k"),
        _ => tenths(1_000_000, "M"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_skills_tools_tokens_cost_and_model() {
        let status = Status {
            active: vec!["plan".to_owned(), "build\u{1b}".to_owned()],
            tools: Some(vec!["Read".to_owned(), "Bash(git *)".to_owned()]),
            model: "m".to_owned(),
            context: 12_345,
            window: 200_000,
            cost: Some(0.041),
            ..Status::default()
        };
        assert_eq!(
            line(&status, 200),
            "skills: plan › build<U+001B> · tools: Read, Bash(git *) · 12.3k/200k tokens · $0.04 · m"
        );
        assert_eq!(line(&Status { window: 1_000_000, ..Status::default() }, 80), "0/1M tokens · ");
        assert_eq!((short(999), short(1000), money(0.0012)), ("999".into(), "1k".into(), "$0.0012".into()));
    }
}
