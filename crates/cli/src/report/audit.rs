//! What an audit found: for a person, for a script, for a code-scanning service.

use super::{path, visible};
use crate::output::{BAD, DIM, GOOD, HEAD, Output, WARN};
use serde_json::{Value, json};
use skillful_audit::{Finding, NotScanned, Report, Rule, Severity, Verdict};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

/// Items of one kind of power that a person is shown.
const SHOWN_POWERS: usize = 12;

/// One skill and what was found in it.
pub(crate) struct Audited {
    /// The folder or the archive.
    pub(crate) place: PathBuf,
    /// What was found.
    pub(crate) report: Report,
}

/// For a person.
pub(crate) fn text(audited: &Audited, place: &str, output: &Output) -> String {
    let report = &audited.report;
    let style = match report.verdict {
        Verdict::Blocked => BAD,
        Verdict::Findings | Verdict::Incomplete => WARN,
        Verdict::NoFinding => GOOD,
    };
    let mut out = format!("{}: {}\n", output.paint(HEAD, place), output.paint(style, &report.sentence()));
    out.push_str(&findings(&report.findings, output));
    out.push_str(&not_scanned(&report.not_scanned));
    let capabilities: Vec<String> = report
        .capabilities
        .lists()
        .into_iter()
        .filter(|(_, list)| !list.is_empty())
        .map(|(name, list)| {
            let mut items: Vec<String> =
                list.iter().take(SHOWN_POWERS).map(|item| visible::sentence(item)).collect();
            if list.len() > SHOWN_POWERS {
                items.push(format!("and {} more", list.len() - SHOWN_POWERS));
            }
            format!("    {name}: {}\n", items.join(", "))
        })
        .collect();
    out.push_str(if capabilities.is_empty() {
        "  it may use: nothing that it names\n"
    } else {
        "  it may use:\n"
    });
    out.push_str(&capabilities.concat());
    out
}

/// Findings with their lines.
pub(crate) fn findings(found: &[Finding], output: &Output) -> String {
    let mut out = String::new();
    for finding in found {
        let style = match finding.severity {
            Severity::Block => BAD,
            Severity::Warn => WARN,
            Severity::Note => DIM,
        };
        let at = if finding.line > 0 { format!(":{}", finding.line) } else { String::new() };
        let weight = format!("{}[{}]", finding.severity, finding.rule.id());
        out.push_str(&format!(
            "  {} {}{at}\n",
            output.paint(style, &weight),
            visible::sentence(&finding.path)
        ));
        out.push_str(&format!("    | {}\n", visible::sentence(&finding.evidence)));
        if finding.severity > Severity::Note {
            out.push_str(&format!("    = why: {}\n    = fix: {}\n", finding.why, finding.fix));
        }
    }
    out
}

/// What was not looked at.
pub(crate) fn not_scanned(unread: &[NotScanned]) -> String {
    let mut out = String::new();
    for one in unread {
        out.push_str(&format!(
            "  not scanned: {}: {}\n",
            visible::sentence(&one.path),
            visible::sentence(&one.why)
        ));
    }
    out
}

/// For a script.
pub(crate) fn json(audited: &Audited) -> Value {
    let mut value = json!(audited.report);
    value["path"] = json!(audited.place);
    value["sentence"] = json!(audited.report.sentence());
    value
}

/// For a code-scanning service: SARIF 2.1.0. What was not scanned is told as a notification, and makes
/// the run unsuccessful, so that silence is not taken for a clean result.
pub(crate) fn sarif(audited: &[Audited], base: &Path, version: &str) -> Value {
    let findings =
        || audited.iter().flat_map(|one| one.report.findings.iter().map(move |finding| (one, finding)));
    let rules: BTreeSet<Rule> = findings().map(|(_, finding)| finding.rule).collect();
    let rules: Vec<Rule> = rules.into_iter().collect();
    let unread: Vec<Value> = audited
        .iter()
        .flat_map(|one| one.report.not_scanned.iter().map(move |unread| (one, unread)))
        .map(|(one, unread)| {
            let text = super::sarif::literal(&format!("not scanned: {}: {}", unread.path, unread.why));
            json!({ "level": "warning", "message": { "text": text }, "locations": [location(one, &unread.path, base)] })
        })
        .collect();
    let root = if base.is_absolute() { json!({ "uri": path::folder_uri(base) }) } else { json!({}) };
    json!({
        "$schema": super::sarif::SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "skillful audit",
                "version": version,
                "semanticVersion": version,
                "properties": { "ruleset": skillful_audit::RULESET },
                "rules": rules.iter().map(|rule| json!({
                    "id": rule.id(),
                    "shortDescription": { "text": super::sarif::literal(rule.why()) },
                    "defaultConfiguration": { "level": level(rule.severity()) },
                    "help": { "text": super::sarif::literal(rule.fix()) },
                })).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": { super::sarif::ROOT: root },
            "invocations": [{ "executionSuccessful": unread.is_empty(), "toolExecutionNotifications": unread }],
            "results": findings().map(|(one, finding)| result(one, finding, &rules, base)).collect::<Vec<_>>(),
        }],
    })
}

fn result(one: &Audited, finding: &Finding, rules: &[Rule], base: &Path) -> Value {
    let text = format!("{}: {}\nhelp: {}", finding.why, finding.evidence, finding.fix);
    let mut place = location(one, &finding.path, base);
    if let Some(span) = finding.span {
        place["physicalLocation"]["region"] = json!({ "startLine": span.line, "startColumn": span.column });
    }
    json!({
        "ruleId": finding.rule.id(),
        "ruleIndex": rules.binary_search(&finding.rule).unwrap_or_default(),
        "level": level(finding.severity),
        "message": { "text": super::sarif::literal(&text) },
        "locations": [place],
    })
}

fn location(one: &Audited, file: &str, base: &Path) -> Value {
    json!({ "physicalLocation": { "artifactLocation": super::sarif::artifact(&one.place.join(file), base) } })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "note",
        Severity::Warn => "warning",
        Severity::Block => "error",
    }
}
