//! What an audit found: as text, and as SARIF for a code-scanning service.

use super::{path, sarif::Log, visible};
use crate::output::{BAD, DIM, GOOD, HEAD, Output, WARN, wrapped};
use serde_json::{Value, json};
use skillful::views::audit::AuditView;
use skillful_audit::{Finding, NotScanned, Report, Rule, Severity, Verdict};
use std::{collections::BTreeSet, path::Path};

/// Items of one kind of capability that a text names.
const ITEMS: usize = 12;
/// The column of the lines below the findings.
const KEY: usize = 14;
/// The narrowest column of rules.
const RULE: usize = 18;

/// The first line of a skill: its name and the result.
pub(crate) fn line(audited: &AuditView, output: &Output) -> String {
    let report = &audited.report;
    let style = match report.verdict {
        Verdict::Blocked => BAD,
        Verdict::Findings | Verdict::Incomplete => WARN,
        Verdict::NoFinding => GOOD,
    };
    let result =
        if report.verdict == Verdict::NoFinding { audited.sentence.clone() } else { report.result() };
    format!("{}   {}\n", output.paint(HEAD, &visible::sentence(&audited.name)), output.paint(style, &result))
}

/// One skill in full; `place` is its folder or archive as the user writes it.
pub(crate) fn text(audited: &AuditView, place: &str, output: &Output) -> String {
    let report = &audited.report;
    let mut out = line(audited, output);
    if report.verdict != Verdict::NoFinding {
        let place = visible::sentence(place);
        out.push_str(&format!("{place}, {}, rules {}\n", report.files.text(), report.ruleset));
    }
    let found = findings(&report.findings, output) + &not_scanned(&report.not_scanned);
    if !found.is_empty() {
        out.push_str(&format!("\n{found}\n"));
    }
    out.push_str(&key_line(output, "Capabilities", &capabilities(report)));
    let fixes: BTreeSet<&str> = report
        .findings
        .iter()
        .filter(|finding| finding.severity > Severity::Note)
        .map(|finding| finding.fix)
        .collect();
    for (at, fix) in fixes.into_iter().enumerate() {
        out.push_str(&key_line(output, if at == 0 { "What to do" } else { "" }, fix));
    }
    out
}

fn key_line(output: &Output, key: &str, words: &str) -> String {
    let text = wrapped(&format!("{key:<KEY$}{words}"), output.width, &" ".repeat(KEY));
    let rest = text.get(key.len()..).unwrap_or_default();
    format!("{}{rest}", output.paint(DIM, key))
}

/// The lists of a report that are not empty, in one sentence.
fn capabilities(report: &Report) -> String {
    let lists = report.capabilities.lists().into_iter().filter(|(_, list)| !list.is_empty());
    let parts: Vec<String> = lists
        .map(|(name, list)| {
            let mut items: Vec<String> =
                list.iter().take(ITEMS).map(|item| visible::sentence(item)).collect();
            if list.len() > ITEMS {
                items.push(format!("{} more", list.len() - ITEMS));
            }
            format!("{name}: {}", items.join(", "))
        })
        .collect();
    if parts.is_empty() { "none (instructions only)".to_owned() } else { parts.join("; ") }
}

/// Findings with their lines.
pub(crate) fn findings(found: &[Finding], output: &Output) -> String {
    let mut out = String::new();
    let rule = found.iter().map(|finding| finding.rule.id().len()).max().unwrap_or(0).max(RULE);
    for finding in found {
        let style = match finding.severity {
            Severity::Block => BAD,
            Severity::Warn => WARN,
            Severity::Note => DIM,
        };
        let at = if finding.line > 0 { format!(":{}", finding.line) } else { String::new() };
        out.push_str(&format!(
            "  {}  {:<rule$}  {}{at}\n",
            output.paint(style, &format!("{:<5}", finding.severity)),
            finding.rule.id(),
            visible::sentence(&finding.path)
        ));
        let indent = " ".repeat(9);
        for words in [visible::sentence(&finding.evidence), finding.why.to_owned()] {
            out.push_str(&wrapped(&format!("{indent}{words}"), output.width, &indent));
        }
    }
    out
}

/// The files that were not scanned.
pub(crate) fn not_scanned(unread: &[NotScanned]) -> String {
    let line = |one: &NotScanned| {
        format!("  NOT SCANNED: {} ({})\n", visible::sentence(&one.path), visible::sentence(&one.why))
    };
    unread.iter().map(line).collect()
}

/// For a code-scanning service: SARIF 2.1.0. A file that was not scanned is a notification and makes
/// the run unsuccessful, so that it is not taken for a clean result.
pub(crate) fn sarif(audited: &[AuditView], base: &Path, version: &str) -> Log {
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
    Log(json!({
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
    }))
}

fn result(one: &AuditView, finding: &Finding, rules: &[Rule], base: &Path) -> Value {
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

fn location(one: &AuditView, file: &str, base: &Path) -> Value {
    json!({ "physicalLocation": { "artifactLocation": super::sarif::artifact(&Path::new(&one.path).join(file), base) } })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "note",
        Severity::Warn => "warning",
        Severity::Block => "error",
    }
}
