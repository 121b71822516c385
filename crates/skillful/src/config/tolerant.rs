//! Reading a configuration file of which a part is wrong: the rest counts, and each part that cannot be read is named, so
//! that what it guards can be closed.

use super::ConfigFile;
use std::ops::Range;
use toml::{Table, Value};

/// Faults of one file after which nothing of it is believed.
const FAULTS: usize = 32;

/// A part of a file that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unread {
    /// Its key, dotted; empty when it is not known which settings are lost.
    pub(super) key: String,
    /// What is wrong with it.
    pub(super) why: String,
    /// Where it is.
    pub(super) span: Option<Range<usize>>,
    /// Whether it is not a setting at all, so that it guards nothing.
    pub(super) unknown: bool,
    /// Of a `[[skill]]`, the name and the path that can be read.
    pub(super) skill: (Option<String>, Option<String>),
}

/// What of a file can be read.
pub(super) fn read(text: &str) -> (ConfigFile, Vec<Unread>) {
    let mut unread = Vec::new();
    let mut table = table(text, &mut unread);
    if let Ok(file) = try_into(&table) {
        return (file, unread);
    }
    let mut kept = Table::new();
    for (key, value) in std::mem::take(&mut table) {
        match probe(&key, value.clone()) {
            Ok(_) => {
                kept.insert(key, value);
            }
            Err(error) => {
                let good = good_part(&key, value, error.message(), text, &mut unread);
                kept.extend(good.map(|good| (key, good)));
            }
        }
    }
    match try_into(&kept) {
        Ok(file) => (file, unread),
        Err(error) => {
            unread.push(fault(String::new(), error.message(), None));
            (ConfigFile::default(), unread)
        }
    }
}

/// The part of a value that can be read; each other part is reported.
fn good_part(key: &str, value: Value, why: &str, text: &str, unread: &mut Vec<Unread>) -> Option<Value> {
    let report = |key: String, why: &str| {
        let span = place_of(text, &key);
        Unread { unknown: why.starts_with("unknown field"), ..fault(key, why, span) }
    };
    match value {
        Value::Table(children) if probe(key, Value::Table(Table::new())).is_ok() => {
            let mut good = Table::new();
            for (child, value) in children {
                let one = Table::from_iter([(child.clone(), value.clone())]);
                match probe(key, Value::Table(one)) {
                    Ok(_) => {
                        good.insert(child, value);
                    }
                    Err(error) => unread.push(report(format!("{key}.{child}"), error.message())),
                }
            }
            Some(Value::Table(good))
        }
        Value::Array(items) if key == "skill" => {
            let mut good = Vec::new();
            for item in items {
                match probe(key, Value::Array(vec![item.clone()])) {
                    Ok(_) => good.push(item),
                    Err(error) => {
                        let word = |key: &str| item.get(key).and_then(Value::as_str).map(str::to_owned);
                        let skill = (word("name"), word("path"));
                        // The words that are known still say which skill was meant.
                        let found = report(key.to_owned(), error.message());
                        unread.push(Unread { skill, unknown: false, ..found });
                    }
                }
            }
            Some(Value::Array(good))
        }
        _ => {
            unread.push(report(key.to_owned(), why));
            None
        }
    }
}

fn probe(key: &str, value: Value) -> Result<ConfigFile, toml::de::Error> {
    try_into(&Table::from_iter([(key.to_owned(), value)]))
}

fn try_into(table: &Table) -> Result<ConfigFile, toml::de::Error> {
    Value::Table(table.clone()).try_into()
}

fn fault(key: String, why: &str, span: Option<Range<usize>>) -> Unread {
    Unread { key, why: why.to_owned(), span, unknown: false, skill: (None, None) }
}

/// The table of a text. A line that is not TOML is skipped, and the key that it sets is named, where that can be seen.
fn table(text: &str, unread: &mut Vec<Unread>) -> Table {
    let mut rest = text.to_owned();
    loop {
        let error = match toml::from_str::<Table>(&rest) {
            Ok(table) => return table,
            Err(error) => error,
        };
        let mut at = error.span().map_or(0, |span| span.start).min(rest.len());
        while !rest.is_char_boundary(at) {
            at -= 1;
        }
        let start = rest[..at].rfind('\n').map_or(0, |end| end + 1);
        let end = rest[start..].find('\n').map_or(rest.len(), |end| start + end);
        let key = key_of(&rest[start..end]).map(|key| match section(&rest[..start]) {
            Some(section) => format!("{section}.{key}"),
            None => key.to_owned(),
        });
        let is_blank = rest[start..end].trim().is_empty();
        if is_blank || unread.len() >= FAULTS {
            unread.push(fault(String::new(), error.message(), Some(at..at)));
            return Table::new();
        }
        let span = error.span().filter(|span| span.end <= rest.len()).unwrap_or(start..end);
        unread.push(fault(key.unwrap_or_default(), error.message(), Some(span)));
        rest.replace_range(start..end, &" ".repeat(end - start));
    }
}

/// The key that a line sets.
fn key_of(line: &str) -> Option<&str> {
    let (key, _) = line.split_once('=')?;
    let key = key.trim();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    (!key.is_empty() && key.chars().all(plain)).then_some(key)
}

/// The section that follows a text.
fn section(before: &str) -> Option<&str> {
    let header = before.lines().rev().map(str::trim).find(|line| line.starts_with('['))?;
    Some(header.trim_start_matches('[').split(']').next().unwrap_or_default().trim())
}

/// Where a key stands, as far as lines show it.
fn place_of(text: &str, key: &str) -> Option<Range<usize>> {
    let mut at = 0;
    let mut header = "";
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        if trimmed.starts_with('[') {
            header = trimmed.trim_start_matches('[').split(']').next().unwrap_or_default().trim();
            if header == key {
                return Some(at..at + line.trim_end().len());
            }
        } else if let Some(name) = key_of(line) {
            let is_it = match header {
                "" => name == key,
                header => key.strip_prefix(header).and_then(|rest| rest.strip_prefix('.')) == Some(name),
            };
            if is_it {
                return Some(at..at + line.trim_end().len());
            }
        }
        at += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_counts_and_each_wrong_part_is_named() {
        for (text, expected) in [
            ("nonsense = 1\nadmin = true\n", vec![("nonsense", true)]),
            ("admin = 3\n[run]\ncommands = false\n", vec![("admin", false)]),
            ("[run]\nforbidden_tools = 5\ncommands = false\n", vec![("run.forbidden_tools", false)]),
            ("[run]\nforbidden_tools = [\"Bash\", 5]\n", vec![("run.forbidden_tools", false)]),
            ("[run]\nforbiden = []\n", vec![("run.forbiden", true)]),
            ("run = 5\n", vec![("run", false)]),
            ("[nope]\na = 1\n", vec![("nope", true)]),
            ("[run]\ncommands = maybe\nforbidden_tools = [\"Bash\"]\n", vec![("run.commands", false)]),
            ("admin = true\nadmin = false\n", vec![("admin", false)]),
            ("[run\ncommands = false\n", vec![("", false), ("commands", true)]),
            ("[[skill]]\nname = \"a\"\nenabled = \"no\"\n", vec![("skill", false)]),
            ("[[skill]]\nname = \"a\"\nnope = 1\nenabled = false\n", vec![("skill", false)]),
            ("admin = \"\"\"", vec![("admin", false)]),
        ] {
            let (_, unread) = read(text);
            let found: Vec<(&str, bool)> = unread.iter().map(|one| (one.key.as_str(), one.unknown)).collect();
            assert_eq!(found, expected, "{text:?}");
        }
        let (file, _) =
            read("nonsense = 1\nadmin = true\n[run]\ncommands = 7\nforbidden_tools = [\"Bash\"]\n");
        assert_eq!(file.admin, Some(true));
        assert!(file.run.is_some_and(|run| format!("{run:?}").contains("Bash")));
        let (_, unread) = read("[[skill]]\nname = \"a\"\nenabled = 1\n");
        assert_eq!(unread[0].skill, (Some("a".to_owned()), None));
    }
}
