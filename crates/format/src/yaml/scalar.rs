//! The core rules of YAML 1.2 for plain values, as far as frontmatter needs them.

use super::Value;
use granit_parser::ScalarStyle;
use std::borrow::Cow;

pub(super) fn scalar(text: Cow<'_, str>, style: ScalarStyle) -> Value {
    if !matches!(style, ScalarStyle::Plain) {
        return Value::Text(text.into_owned());
    }
    match text.as_ref() {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        plain if is_number(plain) => Value::Number(text.into_owned()),
        _ => Value::Text(text.into_owned()),
    }
}

/// A value that is all on one line, without the blanks around it; none when only the parser can read it. `in_list` is true
/// between brackets, where more characters mean something.
pub(super) fn scalar_of_line(text: &str, in_list: bool) -> Option<Value> {
    let bytes = text.as_bytes();
    match bytes.first()? {
        b'"' => {
            let inner = text[1..].strip_suffix('"')?;
            memchr::memchr2(b'"', b'\\', inner.as_bytes()).is_none().then(|| Value::Text(inner.to_owned()))
        }
        b'\'' => {
            let inner = text[1..].strip_suffix('\'')?;
            let unquoted = inner.replace("''", "\u{0}");
            // A quote that is left would have ended the value.
            (!unquoted.contains('\'')).then(|| Value::Text(unquoted.replace('\0', "'")))
        }
        b'-' | b'?' | b':' | b',' | b'[' | b']' | b'{' | b'}' | b'#' | b'&' | b'*' | b'!' | b'|' | b'>'
        | b'%' | b'@' | b'`' => None,
        _ => {
            let ends_value = |at: usize| match bytes[at] {
                b':' => bytes.get(at + 1).is_none_or(|next| *next == b' ' || in_list && is_bracket(*next)),
                b'#' => bytes[at - 1] == b' ',
                byte => in_list && is_bracket(byte),
            };
            let is_plain = !memchr::memchr2_iter(b':', b'#', bytes).any(ends_value)
                && (!in_list || !bytes.iter().any(|byte| is_bracket(*byte)));
            is_plain.then(|| scalar(Cow::Borrowed(text), ScalarStyle::Plain))
        }
    }
}

fn is_bracket(byte: u8) -> bool {
    matches!(byte, b'[' | b']' | b'{' | b'}' | b',')
}

pub(crate) fn is_number(text: &str) -> bool {
    if !text.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '-' | '+' | '.')) {
        return false;
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    let all = |digits: &str, radix| !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
    if let Some(digits) = text.strip_prefix("0x") {
        return all(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return all(digits, 8);
    }
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    digits(whole)
        && digits(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && exponent.is_none_or(|e| all(e.strip_prefix(['-', '+']).unwrap_or(e), 10))
}
