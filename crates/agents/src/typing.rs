//! Decides which values without quotes an agent reads as something other than text.

#[cfg(test)]
mod tests;

use skillful_profiles::Typing;

/// Whether js-yaml reads a plain value as a number or a date. Booleans, `null` and the numbers of
/// YAML 1.2 are recognised before.
pub(super) fn is_other(plain: &str, typing: Typing) -> bool {
    match typing {
        Typing::Core => false,
        Typing::JsYaml3 => {
            is_date(plain) || is_time(plain) || is_number(plain, true) || is_sexagesimal(plain)
        }
        Typing::JsYaml4 => is_date(plain) || is_time(plain) || is_number(plain, false),
    }
}

/// A number of YAML 1.2 as JavaScript writes its value; as written when it writes an exponent.
pub(super) fn number(plain: &str) -> String {
    let (sign, unsigned) = match plain.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, plain.strip_prefix('+').unwrap_or(plain)),
    };
    let based = |text: &str, radix: u32| u32::from_str_radix(text, radix).ok().map(f64::from);
    let value = match unsigned {
        ".inf" | ".Inf" | ".INF" => Some(f64::INFINITY),
        _ if is_nan(unsigned) => Some(f64::NAN),
        _ => match (unsigned.strip_prefix("0x"), unsigned.strip_prefix("0o")) {
            (Some(digits), _) => based(digits, 16),
            (_, Some(digits)) => based(digits, 8),
            _ => unsigned.parse().ok(),
        },
    };
    match value.map(|value| sign * value) {
        Some(value) if value.is_nan() => "NaN".to_owned(),
        Some(value) if value.is_infinite() => if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned(),
        Some(0.0) => "0".to_owned(),
        Some(value) if (1e-6..1e21).contains(&value.abs()) => value.to_string(),
        _ => plain.to_owned(),
    }
}

/// Takes as many ASCII digits as `count` allows.
fn digits(text: &str, count: std::ops::RangeInclusive<usize>) -> Option<&str> {
    let length = text.bytes().take(*count.end()).take_while(u8::is_ascii_digit).count();
    (length >= *count.start()).then(|| &text[length..])
}

fn is_date(text: &str) -> bool {
    let rest =
        digits(text, 4..=4).and_then(|rest| rest.strip_prefix('-')).and_then(|rest| digits(rest, 2..=2));
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

/// Numbers, which may contain underscores. With `old`, also octal numbers with a leading zero.
fn is_number(text: &str, old: bool) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let all = |text: &str, radix: u32| {
        text.chars().any(|c| c != '_')
            && !text.ends_with('_')
            && text.chars().all(|c| c == '_' || c.is_digit(radix))
    };
    match unsigned.as_bytes() {
        [b'0', b'b', ..] => all(&unsigned[2..], 2),
        [b'0', b'x', ..] => all(&unsigned[2..], 16),
        [b'0', b'o', ..] => !old && all(&unsigned[2..], 8),
        [b'0', b'0'..=b'9' | b'_', ..] if old => all(&unsigned[1..], 8),
        [b'0'..=b'9', ..] => all(unsigned, 10) || is_float(unsigned),
        [b'.', ..] => matches!(unsigned, ".inf" | ".Inf" | ".INF") || is_float(unsigned) || is_nan(text),
        _ => false,
    }
}

fn is_nan(text: &str) -> bool {
    matches!(text, ".nan" | ".NaN" | ".NAN")
}

/// `1.5`, `1.`, `.5`, `1e3`, `1_0.2_5e-7`.
fn is_float(text: &str) -> bool {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit() || b == b'_');
    let power = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    digits(whole)
        && digits(part)
        && !(whole.is_empty() && part.is_empty())
        && !mantissa.ends_with('_')
        && exponent.is_none_or(|exponent| power(exponent.strip_prefix(['-', '+']).unwrap_or(exponent)))
}

/// Numbers of base 60: `1:30`, `20:59.5`.
fn is_sexagesimal(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let mut parts = unsigned.split(':');
    let first = parts.next().unwrap_or_default();
    let starts = first.starts_with(|c: char| c.is_ascii_digit())
        && first.bytes().all(|b| b.is_ascii_digit() || b == b'_');
    let mut count = 0;
    let rest = parts.all(|part| {
        count += 1;
        let whole = part.split('.').next().unwrap_or_default();
        matches!(whole.as_bytes(), [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9'])
            && part[whole.len()..].bytes().all(|b| b.is_ascii_digit() || b == b'.')
    });
    starts && rest && count > 0
}
