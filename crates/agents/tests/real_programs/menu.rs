//! How the programs write a description into their menus.

use skillful_agents::Seen;
use unicode_general_category::{GeneralCategory as Category, get_general_category};
use unicode_normalization::UnicodeNormalization as _;

/// Claude Code shows no more of a description, in UTF-16 units.
const CLAUDE_LIMIT: usize = 1536;
/// Kimi Code shows no more of a description, in characters.
const KIMI_LIMIT: usize = 250;

/// The description in the menu of a program: with the hint that some append, on one line, and cut.
pub(crate) fn described(peer: &str, seen: &Seen) -> String {
    let between = if peer == "qwen" { " — " } else { " - " };
    let parts = [seen.description.as_deref(), seen.when_to_use.as_deref()];
    let parts: Vec<&str> = parts.into_iter().flatten().filter(|text| !text.is_empty()).collect();
    let text = parts.join(between);
    match peer {
        "qwen" => text.trim().lines().next().unwrap_or_default().trim().to_owned(),
        "kimi" if text.chars().count() > KIMI_LIMIT => {
            text.chars().take(KIMI_LIMIT - 3).collect::<String>() + "..."
        }
        "claude" => of_claude(&text),
        "goose" => text.nfc().collect(),
        _ => text,
    }
}

/// Control and format characters and line ends become spaces, tags are escaped, and the rest is cut.
fn of_claude(text: &str) -> String {
    let all: Vec<char> = text.chars().collect();
    let mut line = String::new();
    let mut was_unshown = false;
    for (at, &one) in all.iter().enumerate() {
        let joins = one == '\u{200d}'
            && at.checked_sub(1).is_some_and(|before| is_picture_before(all[before]))
            && all.get(at + 1).is_some_and(|after| is_picture_after(*after));
        let unshown = !joins && is_unshown(one);
        match one {
            _ if unshown && was_unshown => {}
            _ if unshown => line.push(' '),
            '<' => line.push_str("&lt;"),
            '>' => line.push_str("&gt;"),
            one => line.push(one),
        }
        was_unshown = unshown;
    }
    let units: Vec<u16> = line.encode_utf16().collect();
    if units.len() <= CLAUDE_LIMIT {
        return line;
    }
    String::from_utf16_lossy(&units[..CLAUDE_LIMIT - 1]) + "…"
}

fn is_picture_before(one: char) -> bool {
    matches!(one, '\u{1f000}'..='\u{1faff}' | '\u{fe0f}')
}

fn is_picture_after(one: char) -> bool {
    matches!(one, '\u{2600}'..='\u{27bf}' | '\u{1f000}'..='\u{1faff}')
}

fn is_unshown(one: char) -> bool {
    matches!(
        get_general_category(one),
        Category::Control
            | Category::Format
            | Category::Unassigned
            | Category::PrivateUse
            | Category::Surrogate
            | Category::LineSeparator
            | Category::ParagraphSeparator
    )
}
