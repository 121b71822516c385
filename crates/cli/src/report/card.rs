//! What the user sees of a skill before deciding about it: capabilities, findings, files.

use super::audit;
use crate::output::{BAD, DIM, GOOD, Output, WARN, harmless};
use skillful_audit::Verdict;
use skillful_registry::review::{Card, FileNote, Role};

/// Files of one role that a card names.
const FILES: usize = 40;
/// The column of the keys.
pub(crate) const KEY: usize = 14;

/// One line of a card: a key and its value.
pub(crate) fn line(output: &Output, key: &str, value: &str) -> String {
    format!("{} {value}\n", output.paint(DIM, &format!("{key:<KEY$}")))
}

/// The card as text. Of a new version it shows only the difference.
pub(crate) fn text(card: &Card, output: &Output) -> String {
    let is_delta = card.gained != card.capabilities || card.files.iter().any(|file| file.change.is_some());
    let mut out = String::new();
    if is_delta {
        for capability in &card.gained {
            out.push_str(&line(output, "new", &output.paint(WARN, &harmless(capability))));
        }
        for capability in &card.dropped {
            out.push_str(&line(output, "no longer", &harmless(capability)));
        }
    } else {
        let capabilities: Vec<String> =
            card.capabilities.iter().map(|capability| harmless(capability)).collect();
        let text = match capabilities.as_slice() {
            [] => "none (instructions only)".to_owned(),
            all => all.join("; "),
        };
        out.push_str(&line(output, "capabilities", &text));
    }
    let style = match card.report.verdict {
        Verdict::Blocked => BAD,
        Verdict::Findings | Verdict::Incomplete => WARN,
        Verdict::NoFinding => GOOD,
    };
    out.push_str(&line(output, "audit", &output.paint(style, &card.report.sentence())));
    let known = card.report.findings.len() - card.found.len();
    if known > 0 {
        out.push_str(&line(
            output,
            "",
            &if known == 1 {
                "1 finding as before".to_owned()
            } else {
                format!("{known} findings as before")
            },
        ));
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

/// A number of bytes with its unit.
pub(crate) fn size(bytes: usize) -> String {
    match bytes {
        1 => "1 byte".to_owned(),
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{}.{} kB", bytes / 1_000, bytes % 1_000 / 100),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    }
}
