//! Quotes text so that every YAML reader reads it back unchanged.

use std::fmt::Write;

/// A YAML double-quoted value on one line. It never contains three hyphens in a row, because the
/// reference parser takes them for a fence anywhere.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    push_escaped(&mut out, text);
    out.push('"');
    out
}

/// Writes the inside of a double-quoted value.
pub(crate) fn push_escaped(out: &mut String, text: &str) {
    let mut hyphens = 0;
    for c in text.chars() {
        hyphens = if c == '-' { hyphens + 1 } else { 0 };
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '-' if hyphens == 3 => {
                hyphens = 0;
                out.push_str("\\x2D");
            }
            c if needs_escape(c) => {
                // Writing to a string cannot fail.
                let _ = match u32::from(c) {
                    code @ 0..=0xff => write!(out, "\\x{code:02X}"),
                    code @ 0x100..=0xffff => write!(out, "\\u{code:04X}"),
                    code => write!(out, "\\U{code:08X}"),
                };
            }
            c => out.push(c),
        }
    }
}

/// Characters that a YAML reader refuses or takes for the end of a line, and invisible characters
/// that change how the rest is displayed.
pub(crate) fn needs_escape(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{feff}' | '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}')
}
