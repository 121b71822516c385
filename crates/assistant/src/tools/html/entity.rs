//! Characters that a page spells out: `&amp;`, `&#8212;`, `&#x2014;`.

use std::borrow::Cow;

/// Bytes of the longest name that is looked for.
const LONGEST: usize = 10;

/// The names that pages use; the rest stays as it is written.
const NAMED: [(&str, &str); 60] = [
    ("AMP", "&"),
    ("Auml", "Ä"),
    ("GT", ">"),
    ("LT", "<"),
    ("Ouml", "Ö"),
    ("QUOT", "\""),
    ("Uuml", "Ü"),
    ("aacute", "á"),
    ("agrave", "à"),
    ("amp", "&"),
    ("apos", "'"),
    ("asymp", "≈"),
    ("auml", "ä"),
    ("bdquo", "„"),
    ("bull", "•"),
    ("ccedil", "ç"),
    ("cent", "¢"),
    ("check", "✓"),
    ("copy", "©"),
    ("darr", "↓"),
    ("deg", "°"),
    ("divide", "÷"),
    ("eacute", "é"),
    ("egrave", "è"),
    ("emsp", " "),
    ("ensp", " "),
    ("euro", "€"),
    ("frac12", "½"),
    ("ge", "≥"),
    ("gt", ">"),
    ("hellip", "…"),
    ("infin", "∞"),
    ("laquo", "«"),
    ("larr", "←"),
    ("ldquo", "“"),
    ("le", "≤"),
    ("lsquo", "‘"),
    ("lt", "<"),
    ("mdash", "—"),
    ("middot", "·"),
    ("minus", "−"),
    ("nbsp", " "),
    ("ndash", "–"),
    ("ne", "≠"),
    ("ouml", "ö"),
    ("para", "¶"),
    ("plusmn", "±"),
    ("pound", "£"),
    ("quot", "\""),
    ("raquo", "»"),
    ("rarr", "→"),
    ("rdquo", "”"),
    ("reg", "®"),
    ("rsquo", "’"),
    ("sect", "§"),
    ("shy", ""),
    ("szlig", "ß"),
    ("times", "×"),
    ("trade", "™"),
    ("uuml", "ü"),
];

/// The text with its characters.
pub(super) fn decode(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let near = &rest.as_bytes()[..rest.len().min(LONGEST + 1)];
        let end = near.iter().position(|byte| *byte == b';');
        match end.and_then(|end| one(&rest[..end]).map(|found| (found, end))) {
            Some((found, end)) => {
                out.push_str(&found);
                rest = &rest[end + 1..];
            }
            None => out.push('&'),
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn one(name: &str) -> Option<Cow<'static, str>> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        let character = char::from_u32(code).filter(|c| !c.is_control() || c.is_whitespace())?;
        return Some(Cow::Owned(character.to_string()));
    }
    NAMED.iter().find(|(known, _)| *known == name).map(|(_, text)| Cow::Borrowed(*text))
}
