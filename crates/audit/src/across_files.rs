//! Secrets that one file of a skill collects and another one sends. Each file alone is a helper; the module that is
//! imported beside the collector carries its values away.

use crate::{
    purpose::Purpose,
    report::Severity,
    rule::Rule,
    script::nearby::{self, leads_away},
};
use std::ops::Range;

/// A script of a skill.
#[derive(Clone, Copy)]
pub(crate) struct Script<'a> {
    pub(crate) path: &'a str,
    pub(crate) text: &'a str,
}

impl Script<'_> {
    /// The name under which other scripts import it.
    fn name(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or(self.path);
        name.split('.').next().unwrap_or(name)
    }

    fn names(&self, other: &Self) -> bool {
        let name = other.name();
        name.len() >= 3
            && self.text.lines().any(|line| {
                let line = line.trim_start();
                ["import ", "from ", "const ", "source ", ". ", "require", "let ", "var "]
                    .iter()
                    .any(|start| line.starts_with(start))
                    && line
                        .split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-'))
                        .any(|word| word == name)
            })
    }
}

/// Looks for a script that collects and another that sends, where one imports the other or a third imports both.
pub(crate) fn look(
    scripts: &[Script<'_>],
    purpose: &Purpose,
) -> Option<(usize, Rule, Severity, Range<usize>)> {
    if scripts.len() < 2 {
        return None;
    }
    let takers: Vec<_> =
        scripts.iter().enumerate().filter_map(|(at, one)| Some((at, nearby::collects(one.text)?))).collect();
    if takers.is_empty() {
        return None;
    }
    let senders =
        scripts.iter().enumerate().filter(|(_, one)| sends(one.text) && leads_away(one.text, purpose));
    for (sender, script) in senders {
        for (taker, place) in &takers {
            let other = &scripts[*taker];
            let tied = *taker != sender
                && (script.names(other)
                    || other.names(script)
                    || scripts.iter().any(|third| third.names(other) && third.names(script)));
            if tied {
                return Some((*taker, Rule::SecretSent, Severity::Block, place.clone()));
            }
        }
    }
    None
}

fn sends(text: &str) -> bool {
    [
        "requests.post(",
        "httpx.post(",
        ".post(",
        "data=",
        "method: 'POST'",
        "method: \"POST\"",
        "sendall(",
        "--data",
        "curl -d",
        "-X POST",
        "smtplib",
    ]
    .iter()
    .any(|word| text.contains(word))
}
