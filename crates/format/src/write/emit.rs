//! Writes values as YAML: block style, one line for each text, and only forms that all readers read
//! the same way.

use crate::yaml::{Data, is_number, needs_escape, quoted};

/// Longest key that is written before its colon; YAML allows 1,024 characters.
const KEY_LIMIT: usize = 1_000;

pub(super) fn pair(out: &mut String, indent: usize, key: &str, data: &Data) {
    spaces(out, indent);
    key_and_value(out, indent, key, data);
}

fn key_and_value(out: &mut String, indent: usize, key: &str, data: &Data) {
    let key = text(key);
    if key.len() > KEY_LIMIT {
        out.push_str("? ");
        out.push_str(&key);
        out.push('\n');
        spaces(out, indent);
    } else {
        out.push_str(&key);
    }
    out.push(':');
    value(out, indent, data);
}

fn spaces(out: &mut String, count: usize) {
    out.extend(std::iter::repeat_n(' ', count));
}

/// Writes a value after `key:` or `-`, with its line end.
fn value(out: &mut String, indent: usize, data: &Data) {
    match data {
        Data::Map(pairs) if !pairs.is_empty() => {
            out.push('\n');
            for (key, data) in pairs {
                pair(out, indent + 2, key, data);
            }
        }
        Data::List(items) if !items.is_empty() => {
            out.push('\n');
            for item in items {
                spaces(out, indent + 2);
                out.push('-');
                list_item(out, indent + 2, item);
            }
        }
        Data::Null => out.push('\n'),
        _ => {
            out.push(' ');
            out.push_str(&scalar(data));
            out.push('\n');
        }
    }
}

/// Writes a value after a list dash: a mapping starts on the line of the dash.
fn list_item(out: &mut String, indent: usize, data: &Data) {
    match data {
        Data::Map(pairs) if !pairs.is_empty() => {
            for (at, (key, data)) in pairs.iter().enumerate() {
                if at == 0 {
                    out.push(' ');
                    key_and_value(out, indent + 2, key, data);
                } else {
                    pair(out, indent + 2, key, data);
                }
            }
        }
        _ => value(out, indent, data),
    }
}

fn scalar(data: &Data) -> String {
    match data {
        Data::Null => String::new(),
        Data::Bool(flag) => flag.to_string(),
        Data::Number(number) if is_number(number) => number.clone(),
        Data::Number(other) | Data::Text(other) => text(other),
        Data::List(_) => "[]".to_owned(),
        Data::Map(_) => "{}".to_owned(),
    }
}

pub(super) fn text(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { quoted(text) }
}

/// Words that some readers take for something other than text.
const WORDS: [&str; 9] = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];

/// Whether a text without quotes is read as itself, by every YAML reader and by line-oriented
/// readers.
fn is_plain(text: &str) -> bool {
    let starts = text.starts_with(|c: char| c.is_alphabetic() || c == '_');
    starts
        && !text.ends_with(|c: char| c.is_whitespace() || c == ':')
        && !WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
        && ![": ", " #", "---"].iter().any(|mark| text.contains(mark))
        && !text.chars().any(needs_escape)
}
