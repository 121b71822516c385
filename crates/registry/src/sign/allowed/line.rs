//! One line: names, options, a key, a comment.

use super::{
    super::{Fingerprint, signer::is_principal},
    AllowedLine,
    time::{self, End},
};
use ssh_key::PublicKey;

const BLANK: [char; 4] = [' ', '\t', '\r', '\n'];

/// A key, nothing for a comment or an empty line, or why it is neither.
pub(super) fn read(line: &str, number: usize) -> Result<Option<AllowedLine>, String> {
    let line = line.trim_matches(BLANK);
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let (principals, rest) = word(line).ok_or("a quotation mark is open")?;
    if !is_principal(&principals) {
        return Err("the names before the key cannot be used".to_owned());
    }
    let (options, (key, comment)) = match key(rest) {
        Some(key) => (Options::default(), key),
        None => {
            let (options, rest) = options(rest)?;
            (options, key(rest).ok_or("there is no public key that can be read")?)
        }
    };
    Ok(Some(AllowedLine {
        number,
        principals,
        namespaces: options.namespaces,
        valid_after: options.valid_after,
        valid_before: options.valid_before,
        kind: key.algorithm().as_str().to_owned(),
        fingerprint: Fingerprint::of(key.key_data()),
        comment,
    }))
}

/// The first word of a line, and what follows. A quotation mark anywhere in it goes, and the word ends at the next.
pub(super) fn word(line: &str) -> Option<(String, &str)> {
    let end = line.find([' ', '\t', '"']).unwrap_or(line.len());
    let (start, rest) = line.split_at(end);
    match rest.strip_prefix('"') {
        Some(quoted) => {
            let (more, rest) = quoted.split_once('"')?;
            Some((format!("{start}{more}"), rest.trim_start_matches(BLANK)))
        }
        None => Some((start.to_owned(), rest.trim_start_matches(BLANK))),
    }
}

/// A key and the comment behind it.
fn key(text: &str) -> Option<(PublicKey, String)> {
    let (kind, rest) = text.split_once(BLANK)?;
    let rest = rest.trim_start_matches(BLANK);
    let (encoded, comment) = rest.split_once(BLANK).unwrap_or((rest, ""));
    let key = PublicKey::from_openssh(&format!("{kind} {encoded}")).ok()?;
    Some((key, comment.trim_matches(BLANK).to_owned()))
}

#[derive(Default)]
struct Options {
    namespaces: Option<String>,
    valid_after: Option<i64>,
    valid_before: Option<i64>,
}

/// The options before a key, and what follows them.
fn options(mut rest: &str) -> Result<(Options, &str), String> {
    let mut options = Options::default();
    loop {
        let end = rest.find(['=', ',', ' ', '\t']).unwrap_or(rest.len());
        let (name, behind) = rest.split_at(end);
        let name = name.to_ascii_lowercase();
        if name == "cert-authority" {
            return Err("certificates are not supported; name each key on a line of its own".to_owned());
        }
        let known = ["namespaces", "valid-after", "valid-before"].contains(&name.as_str());
        let quoted = behind.strip_prefix('=').filter(|_| known);
        let Some(quoted) = quoted else {
            return Err(
                "there is neither a public key nor an option that is known behind the names".to_owned()
            );
        };
        let (value, behind) =
            unquoted(quoted).ok_or_else(|| format!("the value of `{name}` is not in quotation marks"))?;
        let time = |end| {
            time::seconds(&value, end)
                .ok_or_else(|| format!("`{name}` is a time such as 20270131Z or 202701312359Z"))
        };
        let twice = match name.as_str() {
            "namespaces" => options.namespaces.replace(value).is_some(),
            "valid-after" => options.valid_after.replace(time(End::After)?).is_some(),
            _ => options.valid_before.replace(time(End::Before)?).is_some(),
        };
        if twice {
            return Err(format!("`{name}` is there twice"));
        }
        match behind.strip_prefix(',') {
            Some(more) => rest = more,
            None if behind.is_empty() || behind.starts_with(BLANK) => {
                if options
                    .valid_after
                    .zip(options.valid_before)
                    .is_some_and(|(after, before)| before <= after)
                {
                    return Err("it ends before it begins to count".to_owned());
                }
                return Ok((options, behind.trim_start_matches(BLANK)));
            }
            None => return Err(format!("there is no comma behind the value of `{name}`")),
        }
    }
}

/// A value in quotation marks, in which `\"` is one.
fn unquoted(text: &str) -> Option<(String, &str)> {
    let text = text.strip_prefix('"')?;
    let mut value = String::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((value, &text[at + 1..])),
            '\\' if chars.peek().is_some_and(|(_, next)| *next == '"') => {
                chars.next();
                value.push('"');
            }
            c => value.push(c),
        }
    }
    None
}
