//! Finds positions of arguments such as `$1` in the text of a body, and distinguishes them from prices.
//!
//! Of 89 places in 10,000 real skills that look like a position, 84 were amounts of money. One digit alone
//! does not show which, so the rest of the body decides: a text that mentions any other amount is about money.

use std::ops::Range;

/// Words of a line that make `$5` in it an amount.
const MONEY_WORDS: [&str; 26] = [
    "balance",
    "billion",
    "budget",
    "charge",
    "cost",
    "credit",
    "discount",
    "dollar",
    "fee",
    "free",
    "million",
    "month",
    "paid",
    "pay",
    "per",
    "price",
    "pricing",
    "registration",
    "rounding",
    "sale",
    "spend",
    "spent",
    "tier",
    "usd",
    "usdc",
    "wallet",
];

/// The first position in a body, unless the body is about money.
#[derive(Default)]
pub(super) struct ArgumentPositions {
    first: Option<usize>,
    about_money: bool,
}

impl ArgumentPositions {
    /// Reads one run of text outside of code.
    pub(super) fn read(&mut self, body: &str, range: Range<usize>) {
        if self.about_money {
            return;
        }
        let bytes = body.as_bytes();
        for at in memchr::memchr_iter(b'$', bytes.get(range.clone()).unwrap_or_default()) {
            let at = range.start + at;
            match dollar(bytes, at) {
                Dollar::Amount => self.about_money = true,
                Dollar::Position if names_money(line(body, at)) => self.about_money = true,
                Dollar::Position => self.first = self.first.or(Some(at)),
                Dollar::Other => {}
            }
        }
    }

    /// The offset of the first position.
    pub(super) fn first(&self) -> Option<usize> {
        self.first.filter(|_| !self.about_money)
    }
}

/// Whether a body may have a position, wherever it stands.
pub(super) fn may_have(body: &str) -> bool {
    let bytes = body.as_bytes();
    memchr::memchr_iter(b'$', bytes)
        .any(|at| matches!(dollar(bytes, at), Dollar::Position) && !names_money(line(body, at)))
}

enum Dollar {
    /// `$20`, `$1.50`, `$5K`, `$5/month`, `$1-2`, `~$2`, `<$5`.
    Amount,
    /// `$1`, which a price can look like, too.
    Position,
    /// A variable, an escaped dollar sign, `US$`, `$1$` of a password hash, `"$1"` of a shell.
    Other,
}

fn dollar(bytes: &[u8], at: usize) -> Dollar {
    let before = at.checked_sub(1).map(|at| bytes[at]);
    let rest = &bytes[at + 1..];
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let after = &rest[digits..];
    let amount = digits > 1
        || matches!(before, Some(b'~' | b'<' | b'>' | b'-' | b'+' | b'='))
        || match after {
            [b'.' | b',', digit, ..] => digit.is_ascii_digit(),
            // Of several bytes: an en dash or an em dash.
            [b'/' | b'+' | b'-' | b'k' | b'K' | b'M' | b'B', ..] | [0xe2, 0x80, 0x93 | 0x94, ..] => true,
            _ => false,
        };
    match (digits, before) {
        (0, _) | (_, Some(b'\\' | b'"' | b'\'' | b'$' | b':')) => Dollar::Other,
        _ if amount => Dollar::Amount,
        (_, Some(byte)) if byte.is_ascii_alphanumeric() => Dollar::Other,
        _ if after.first().is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'$') => Dollar::Other,
        _ => Dollar::Position,
    }
}

fn line(body: &str, at: usize) -> &str {
    let start = body[..at].rfind('\n').map_or(0, |at| at + 1);
    let end = body[at..].find('\n').map_or(body.len(), |end| at + end);
    &body[start..end]
}

/// Whether a line has a word about money, also in the plural.
fn names_money(line: &str) -> bool {
    line.split(|c: char| !c.is_alphanumeric()).any(|word| {
        let word = word.to_lowercase();
        let singular = word.strip_suffix('s').unwrap_or(&word);
        MONEY_WORDS.contains(&word.as_str()) || MONEY_WORDS.contains(&singular)
    })
}
