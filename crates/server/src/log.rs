//! The log of the server: one JSON object for each line of standard error, without contents, tokens or addresses of users.

use std::io::Write as _;

/// Writes an event. Values are short words of ours or ids.
pub(crate) fn event(level: &str, fields: &[(&str, &str)]) {
    let mut line = serde_json::Map::new();
    line.insert("time".to_owned(), jiff::Timestamp::now().to_string().into());
    line.insert("level".to_owned(), level.into());
    for (key, value) in fields {
        line.insert((*key).to_owned(), (*value).into());
    }
    let text = serde_json::Value::Object(line).to_string();
    // A log that cannot be written stops no request.
    drop(writeln!(std::io::stderr().lock(), "{text}"));
}
