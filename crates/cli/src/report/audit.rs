//! What an audit found: as text, and as SARIF for a code-scanning service.

use super::{path, sarif::Log, visible};
use crate::output::{BAD, DIM, GOOD, HEAD, Output, WARN, wrapped};
use serde_json::{Value, json};
use skillful::{shell_word::shell_word, views::audit::AuditView};
use skillful_audit::{Finding, ModelFinding, ModelHarm, ModelReview, NotScanned, Rule, Severity, Verdict};
use skillful_catalog::AgentProfile;
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
pub(crate) fn text(audited: &AuditView, place: &str, loaded_by: &[&AgentProfile], output: &Output) -> String {
    let report = &audited.report;
    let mut out = line(audited, output);
    if report.verdict != Verdict::NoFinding {
        let place = visible::sentence(place);
        out.push_str(&format!("{place}, {}, rules {}\n", report.files.text(), report.ruleset));
    }
    let model = report.model.as_ref().map(|review| model_findings(review, output)).unwrap_or_default();
    let found = findings(&report.findings, output) + &model + &not_scanned(&report.not_scanned);
    if !found.is_empty() {
        out.push_str(&format!("\n{found}\n"));
    }
    if let Some(review) = &report.model {
        out.push_str(&key_line(output, "Model", &model_line(review)));
    }
    out.push_str(&key_line(output, "Capabilities", &capabilities(audited)));
    let titles: Vec<&str> = loaded_by.iter().map(|agent| agent.title.as_str()).collect();
    if !titles.is_empty() {
        out.push_str(&key_line(output, "Loaded by", &titles.join(", ")));
    }
    let heavy = || report.findings.iter().filter(|finding| finding.severity > Severity::Note);
    // What an agent loads is there already.
    let fix = |fix: &str| match fix.strip_prefix("do not install it") {
        Some(rest) if !titles.is_empty() => format!("do not use it{rest}"),
        _ => fix.to_owned(),
    };
    let mut fixes: BTreeSet<String> = heavy().map(|finding| fix(finding.fix)).collect();
    // A fix that another one begins with is not repeated.
    let all = fixes.clone();
    fixes.retain(|fix| !all.iter().any(|other| other.starts_with(&format!("{fix};"))));
    let mut fixes: Vec<String> = fixes.into_iter().collect();
    if heavy().next().is_some() {
        let switched = loaded_by.iter().filter(|agent| agent.skill_switch.is_some());
        let name = visible::sentence(&shell_word(&audited.name));
        fixes.extend(switched.map(|agent| format!("skillful disable {name} --agent {}", agent.id)));
    }
    for (at, fix) in fixes.iter().enumerate() {
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
fn capabilities(audited: &AuditView) -> String {
    let every_tool = audited.every_tool.then(|| "every tool".to_owned());
    let lists = audited.report.capabilities.lists().into_iter().filter(|(_, list)| !list.is_empty());
    let lists = lists.map(|(name, list)| {
        let mut items: Vec<String> = list.iter().take(ITEMS).map(|item| visible::sentence(item)).collect();
        if list.len() > ITEMS {
            items.push(format!("{} more", list.len() - ITEMS));
        }
        format!("{name}: {}", items.join(", "))
    });
    let parts: Vec<String> = every_tool.into_iter().chain(lists).collect();
    if parts.is_empty() { "none (instructions only)".to_owned() } else { parts.join("; ") }
}

/// Findings with their lines, the worst first.
pub(crate) fn findings(found: &[Finding], output: &Output) -> String {
    let mut found: Vec<&Finding> = found.iter().collect();
    found.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    let width = found.iter().map(|finding| finding.rule.id().len()).max().unwrap_or(0).max(RULE);
    let mut out = String::new();
    for finding in found {
        let place = (finding.path.as_str(), finding.line);
        out.push_str(&head(finding.severity, (finding.rule.id(), width), place, output));
        out.push_str(&below(&[&finding.evidence, finding.why], output));
    }
    out
}

/// What a model found, with its quotes and reasons, and which parts of its answer do not count.
fn model_findings(review: &ModelReview, output: &Output) -> String {
    let mut out = String::new();
    for finding in &review.findings {
        let place = (finding.path.as_str(), finding.line);
        out.push_str(&head(finding.severity, (finding.harm.id(), RULE), place, output));
        out.push_str(&below(&[&finding.quote, &finding.reason], output));
    }
    for why in &review.not_usable {
        out.push_str(&format!("  NOT USABLE: the model's answer ({})\n", visible::sentence(why)));
    }
    for one in &review.not_read {
        let (path, why) = (visible::sentence(&one.path), visible::sentence(&one.why));
        out.push_str(&format!("  NOT READ BY THE MODEL: {path} ({why})\n"));
    }
    out
}

/// Which model read how much, and what its silence means.
fn model_line(review: &ModelReview) -> String {
    let model = visible::sentence(&review.model);
    let found = match review.findings.len() {
        0 if review.not_usable.is_empty() => "found nothing to add; that proves nothing".to_owned(),
        0 => "gave no usable finding".to_owned(),
        1 => "added 1 finding".to_owned(),
        count => format!("added {count} findings"),
    };
    format!("{model} read {} and {found}", review.files.text())
}

fn head(
    severity: Severity,
    (rule, width): (&str, usize),
    (path, line): (&str, u32),
    output: &Output,
) -> String {
    let style = match severity {
        Severity::Block => BAD,
        Severity::Warn => WARN,
        Severity::Note => DIM,
    };
    let at = if line > 0 { format!(":{line}") } else { String::new() };
    let severity = output.paint(style, &format!("{severity:<5}"));
    format!("  {severity}  {rule:<width$}  {}{at}\n", visible::sentence(path))
}

fn below(lines: &[&str], output: &Output) -> String {
    let indent = " ".repeat(9);
    let line =
        |words: &&str| wrapped(&format!("{indent}{}", visible::sentence(words)), output.width, &indent);
    lines.iter().map(line).collect()
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
    let of_model = || {
        let reviews = audited.iter().filter_map(|one| one.report.model.as_ref().map(|review| (one, review)));
        reviews.flat_map(|(one, review)| review.findings.iter().map(move |finding| (one, finding)))
    };
    let harms: BTreeSet<ModelHarm> = of_model().map(|(_, finding)| finding.harm).collect();
    let harms: Vec<ModelHarm> = harms.into_iter().collect();
    let mut results: Vec<Value> =
        findings().map(|(one, finding)| result(one, finding, &rules, base)).collect();
    results.extend(of_model().map(|(one, finding)| {
        let index = rules.len() + harms.binary_search(&finding.harm).unwrap_or_default();
        model_result(one, finding, index, base)
    }));
    let mut unread = unread;
    for (one, review) in
        audited.iter().filter_map(|one| one.report.model.as_ref().map(|review| (one, review)))
    {
        for why in &review.not_usable {
            let text = super::sarif::literal(&format!("the model's answer is not usable: {why}"));
            unread.push(json!({ "level": "warning", "message": { "text": text }, "locations": [location(one, "", base)] }));
        }
    }
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
                })).chain(harms.iter().map(|harm| json!({
                    "id": harm.id(),
                    "shortDescription": { "text": super::sarif::literal(harm.why()) },
                    "defaultConfiguration": { "level": "warning" },
                    "help": { "text": "read the quoted line and decide" },
                }))).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": { super::sarif::ROOT: root },
            "invocations": [{ "executionSuccessful": unread.is_empty(), "toolExecutionNotifications": unread }],
            "results": results,
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

fn model_result(one: &AuditView, finding: &ModelFinding, index: usize, base: &Path) -> Value {
    let text = format!("{}: {}", finding.reason, finding.quote);
    let mut place = location(one, &finding.path, base);
    place["physicalLocation"]["region"] = json!({ "startLine": finding.line });
    json!({
        "ruleId": finding.harm.id(),
        "ruleIndex": index,
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
