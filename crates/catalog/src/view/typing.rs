//! Which unquoted values a host takes for something else than text.

use crate::host::Typing;

/// Whether a plain value that YAML 1.2 calls text is something else in this dialect. Numbers and
/// booleans of YAML 1.2 itself are known before.
pub(super) fn is_other(plain: &str, typing: Typing) -> bool {
    match typing {
        Typing::Core => false,
        Typing::JsYaml3 => is_date(plain) || is_time(plain) || is_integer(plain, true) || is_sexagesimal(plain),
        Typing::JsYaml4 => is_date(plain) || is_time(plain) || is_integer(plain, false),
    }
}

/// Takes as many ASCII digits as `count` allows.
fn digits(text: &str, count: std::ops::RangeInclusive<usize>) -> Option<&str> {
    let length = text.bytes().take(*count.end()).take_while(u8::is_ascii_digit).count();
    (length >= *count.start()).then(|| &text[length..])
}

fn is_date(text: &str) -> bool {
    let rest = digits(text, 4..=4).and_then(|rest| rest.strip_prefix('-')).and_then(|rest| digits(rest, 2..=2));
    rest.and_then(|rest| rest.strip_prefix('-')).and_then(|rest| digits(rest, 2..=2)) == Some("")
}

fn is_time(text: &str) -> bool {
    fn after(text: &str) -> Option<&str> {
        let rest = digits(text, 4..=4)?.strip_prefix('-')?;
        let rest = digits(rest, 1..=2)?.strip_prefix('-')?;
        let rest = digits(rest, 1..=2)?;
        let rest = match rest.strip_prefix(['T', 't']) {
            Some(rest) => rest,
            None => {
                let clock = rest.trim_start_matches([' ', '\t']);
                (clock.len() < rest.len()).then_some(clock)?
            }
        };
        let rest = digits(rest, 1..=2)?.strip_prefix(':')?;
        let rest = digits(rest, 2..=2)?.strip_prefix(':')?;
        let rest = digits(rest, 2..=2)?;
        let rest = rest.strip_prefix('.').map_or(Some(rest), |part| digits(part, 0..=usize::MAX))?;
        if rest.is_empty() {
            return Some(rest);
        }
        let zone = rest.trim_start_matches([' ', '\t']);
        if let Some(rest) = zone.strip_prefix('Z') {
            return Some(rest);
        }
        let rest = digits(zone.strip_prefix(['-', '+'])?, 1..=2)?;
        rest.strip_prefix(':').map_or(Some(rest), |minutes| digits(minutes, 2..=2))
    }
    after(text) == Some("")
}

/// Integers and decimals with a base or with underscores; `octal` for a leading zero.
fn is_integer(text: &str, octal: bool) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let all = |text: &str, radix: u32| {
        text.chars().any(|c| c != '_') && !text.ends_with('_') && text.chars().all(|c| c == '_' || c.is_digit(radix))
    };
    match unsigned.as_bytes() {
        [b'0', b'b', ..] => all(&unsigned[2..], 2),
        [b'0', b'x', ..] => all(&unsigned[2..], 16),
        [b'0', b'o', ..] => !octal && all(&unsigned[2..], 8),
        [b'0', _, ..] if octal => all(&unsigned[1..], 8),
        [b'0'..=b'9', ..] => {
            let (whole, part) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
            all(whole, 10) && (part.is_empty() || all(part, 10))
        }
        _ => false,
    }
}

/// Numbers of base 60: `1:30`, `20:59.5`.
fn is_sexagesimal(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let mut parts = unsigned.split(':');
    let first = parts.next().unwrap_or_default();
    let starts = first.starts_with(|c: char| c.is_ascii_digit()) && first.bytes().all(|b| b.is_ascii_digit() || b == b'_');
    let mut count = 0;
    let rest = parts.all(|part| {
        count += 1;
        let whole = part.split('.').next().unwrap_or_default();
        matches!(whole.as_bytes(), [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9'])
            && part[whole.len()..].bytes().all(|b| b.is_ascii_digit() || b == b'.')
    });
    starts && rest && count > 0
}
