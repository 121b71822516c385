//! Findings for a code-scanning service: a SARIF 2.1.0 log.
//!
//! A result without a path has no location, which the standard allows; GitHub refuses such a
//! result, so a caller that uploads leaves findings about settings out.

use super::{
    path,
    sources::{Sources, end},
    visible,
};
use serde::Serialize;
use serde_json::{Map, Value, json};
use skillful_format::{Code, Diagnostic, Severity};
use std::{collections::BTreeSet, path::Path};

/// Where the published schema of a log is.
pub(super) const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// The name of the base folder in the log.
pub(super) const ROOT: &str = "SRCROOT";

/// A SARIF log. Only this program's reports make one.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct Log(pub(super) Value);

/// The log of one run of this program at `version`.
///
/// Paths below `base` become relative, so that a log means the same on another machine. `read` gives
/// the text of a file, for the end of a range.
pub fn log(
    diagnostics: &[Diagnostic],
    base: &Path,
    version: &str,
    read: impl Fn(&Path) -> Option<String>,
) -> Log {
    let codes: BTreeSet<Code> = diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
    let codes: Vec<Code> = codes.into_iter().collect();
    let mut sources = Sources::new(read);
    let results: Vec<Value> =
        diagnostics.iter().map(|diagnostic| result(diagnostic, &codes, base, &mut sources)).collect();
    Log(json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "skillful",
                "version": version,
                "rules": codes.iter().map(|code| rule(*code)).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "newlineSequences": ["\r\n", "\n", "\r"],
            "originalUriBaseIds": { ROOT: root(base) },
            "results": results,
        }],
    }))
}

fn rule(code: Code) -> Value {
    let usual = match code.severity() {
        Severity::Error => "an error",
        Severity::Warning => "a warning",
        Severity::Note => "a note",
    };
    let help = format!("{} This is usually {usual}; a profile may say otherwise.", code.meaning());
    json!({
        "id": code.as_str(),
        "shortDescription": { "text": literal(code.meaning()) },
        "defaultConfiguration": { "level": level(code.severity()) },
        "help": { "text": literal(&help) },
    })
}

fn result<F>(diagnostic: &Diagnostic, codes: &[Code], base: &Path, sources: &mut Sources<'_, F>) -> Value
where
    F: Fn(&Path) -> Option<String>,
{
    let mut text = literal(&diagnostic.message);
    if let Some(help) = &diagnostic.help {
        text.push_str("\nhelp: ");
        text.push_str(&literal(help));
    }
    let mut result = json!({
        "ruleId": diagnostic.code.as_str(),
        "ruleIndex": codes.binary_search(&diagnostic.code).unwrap_or_default(),
        "level": level(diagnostic.severity),
        "message": { "text": text },
    });
    if let Some(path) = &diagnostic.path {
        let mut place = Map::new();
        place.insert("artifactLocation".into(), artifact(path, base));
        if let Some(region) = region(diagnostic, sources) {
            place.insert("region".into(), region);
        }
        result["locations"] = json!([{ "physicalLocation": place }]);
    }
    result
}

fn region<F>(diagnostic: &Diagnostic, sources: &mut Sources<'_, F>) -> Option<Value>
where
    F: Fn(&Path) -> Option<String>,
{
    let span = diagnostic.span?;
    let mut region = json!({ "startLine": span.line, "startColumn": span.column });
    if let Some(text) = sources.text(diagnostic.path.as_deref(), span) {
        let (line, column) = end(text, span);
        region["endLine"] = line.into();
        region["endColumn"] = column.into();
    }
    Some(region)
}

pub(super) fn artifact(path: &Path, base: &Path) -> Value {
    match path::below(path, base) {
        Some(rest) => json!({ "uri": path::uri(rest), "uriBaseId": ROOT }),
        None if path.is_relative() => json!({ "uri": path::uri(path), "uriBaseId": ROOT }),
        None => json!({ "uri": path::uri(path) }),
    }
}

/// A base must be absolute to be of use elsewhere; otherwise the reader of the log supplies it.
fn root(base: &Path) -> Value {
    if base.is_absolute() { json!({ "uri": path::folder_uri(base) }) } else { json!({}) }
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

/// Text that a viewer shows as it is. The standard doubles braces, which else mark a placeholder,
/// and makes a link of `[text](target)`: a name in a skill could otherwise plant one.
pub(super) fn literal(text: &str) -> String {
    visible::sentence(text).replace('{', "{{").replace('}', "}}").replace("](", "] (")
}

#[cfg(test)]
mod tests;
