//! Plain text for pipes: unchanged, but with escape sequences made visible.

use crate::report::visible;

/// Passes text on with control characters made visible.
#[derive(Debug)]
pub(crate) struct Plain {
    before: char,
    /// A carriage return, which is harmless only before the end of a line.
    returned: bool,
}

impl Default for Plain {
    fn default() -> Self {
        Self { before: ' ', returned: false }
    }
}

impl Plain {
    /// Converts a piece.
    pub(crate) fn push(&mut self, piece: &str) -> String {
        let mut out = String::with_capacity(piece.len());
        for c in piece.chars() {
            if std::mem::take(&mut self.returned) {
                out.push_str(if c == '\n' { "\r" } else { "<U+000D>" });
            }
            match c {
                '\r' => self.returned = true,
                '\n' | '\t' => out.push(c),
                c => visible::put(&mut out, self.before, c),
            }
            self.before = c;
        }
        out
    }

    /// Ends the text.
    pub(crate) fn finish(&mut self) -> String {
        let returned = std::mem::take(self).returned;
        if returned { "<U+000D>".to_owned() } else { String::new() }
    }
}
