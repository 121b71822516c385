//! Which tools a hook is for: `Bash`, `Edit|Write`, `mcp__.*`, `*`.

use crate::policy::Aliases;
use serde::Serialize;

/// Which tools a hook is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Matcher {
    /// Every tool.
    All,
    /// One of these; `*` stands for any letters.
    Names(Vec<String>),
    /// An expression that is not read here. It counts for every tool: a guard that runs too often
    /// is a nuisance, one that does not run is a hole.
    Unread(String),
}

impl Matcher {
    /// Reads what an author wrote: names with `|` between them, `.*` or `*` for any letters.
    pub fn read(text: &str) -> Self {
        let text = text.trim();
        let bare = text.strip_prefix('^').unwrap_or(text);
        let bare = bare.strip_suffix('$').unwrap_or(bare);
        if bare.is_empty() || bare == "*" || bare == ".*" {
            return Self::All;
        }
        let bare = bare.replace(".*", "*");
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ':' | '/' | '*' | ' ');
        let names: Vec<String> = bare.split('|').map(|name| name.trim().to_owned()).collect();
        if names.iter().all(|name| !name.is_empty() && name.chars().all(plain)) {
            return Self::Names(names);
        }
        Self::Unread(text.to_owned())
    }

    /// Whether it is for a tool, by any of its names.
    pub fn fits(&self, tool: &str, aliases: &Aliases) -> bool {
        let Self::Names(names) = self else { return true };
        let ours = aliases.ours(tool);
        names.iter().any(|name| {
            let same = |other: &str| glob(&name.to_lowercase(), &other.to_lowercase());
            same(tool) || ours.iter().any(|one| same(one)) || !ours.is_disjoint(&aliases.ours(name))
        })
    }
}

/// Whether a text fits a pattern in which `*` stands for any letters. Linear but for backtracking to
/// the last star.
fn glob(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut p, mut t, mut star) = (0, 0, None);
    while t < text.len() {
        if pattern.get(p) == Some(&'*') {
            star = Some((p, t));
            p += 1;
        } else if pattern.get(p) == Some(&text[t]) {
            p += 1;
            t += 1;
        } else if let Some((at, from)) = star {
            p = at + 1;
            t = from + 1;
            star = Some((at, t));
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}
