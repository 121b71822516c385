//! What a person sees of a skill before they agree to it: what it could do, what an audit found, its files.

use super::audit;
use crate::output::{BAD, DIM, GOOD, Output, WARN, harmless};
use skillful_audit::Verdict;
use skillful_registry::review::{Card, FileNote, Role};

/// Files of one role that a card names.
const FILES: usize = 40;
/// The column of the keys.
pub(crate) const KEY: usize = 14;

/// One line of a card: a key and what it says.
pub(crate) fn line(output: &Output, key: &str, value: &str) -> String {
    format!("{} {value}\n", output.paint(DIM, &format!("{key:<KEY$}")))
}

/// For a person. Of a new version it shows only the difference.
pub(crate) fn text(card: &Card, output: &Output) -> String {
    let is_delta = card.gained != card.capabilities || card.files.iter().any(|file| file.change.is_some());
    let mut out = String::new();
    if is_delta {
        for power in &card.gained {
            out.push_str(&line(output, "may now also", &output.paint(WARN, &harmless(power))));
        }
        for power in &card.dropped {
            out.push_str(&line(output, "no longer", &harmless(power)));
        }
    } else {
        let powers: Vec<String> = card.capabilities.iter().map(|power| harmless(power)).collect();
        let could =
            if powers.is_empty() { "do nothing by itself: text only".to_owned() } else { powers.join("; ") };
        out.push_str(&line(output, "could", &could));
    }
    let style = match card.report.verdict {
        Verdict::Blocked => BAD,
        Verdict::Findings | Verdict::Incomplete => WARN,
        Verdict::NoFinding => GOOD,
    };
    out.push_str(&line(output, "audit", &output.paint(style, &card.report.sentence())));
    let known = card.report.findings.len() - card.found.len();
    if known > 0 {
        out.push_str(&line(output, "", &format!("{known} of them as before")));
    }
    out.push_str(&audit::findings(&card.found, output));
    out.push_str(&audit::not_scanned(&card.report.not_scanned));
    for role in [Role::Skill, Role::Text, Role::Code, Role::Opaque] {
        let files: Vec<&FileNote> = card.files.iter().filter(|file| file.role == role).collect();
        for (at, file) in files.iter().take(FILES).enumerate() {
            let key = if at == 0 { role.as_str() } else { "" };
            out.push_str(&line(output, key, &named(file)));
        }
        if files.len() > FILES {
            out.push_str(&line(output, "", &format!("and {} more", files.len() - FILES)));
        }
    }
    out
}

fn named(file: &FileNote) -> String {
    let change = file.change.map_or_else(String::new, |change| format!(", {}", change.as_str()));
    format!("{} ({}{change})", harmless(file.path.as_str()), size(file.bytes))
}

/// A number of bytes as a person reads it.
pub(crate) fn size(bytes: usize) -> String {
    match bytes {
        1 => "1 byte".to_owned(),
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{}.{} kB", bytes / 1_000, bytes % 1_000 / 100),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    }
}
