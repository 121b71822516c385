//! Invisible characters. Every part of Skillful that prints or judges text uses this one test, so
//! that no part misses a character that another part reports.

use unicode_general_category::{GeneralCategory as G, get_general_category};

/// Whether a character is invisible on a screen, whether or not it has an effect.
pub fn is_hidden(c: char) -> bool {
    if matches!(c, ' '..='~') {
        return false;
    }
    matches!(
        get_general_category(c),
        G::Control
            | G::Format
            | G::Surrogate
            | G::PrivateUse
            | G::Unassigned
            | G::LineSeparator
            | G::ParagraphSeparator
    ) || is_blank_letter(c)
}

/// Letters and marks that Unicode does not classify as invisible but that have no shape: fillers
/// and variation selectors.
fn is_blank_letter(c: char) -> bool {
    matches!(
        c,
        '\u{34f}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{ffa0}'
            | '\u{e0100}'..='\u{e01ef}'
    )
}
