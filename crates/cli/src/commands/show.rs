//! `show`: one skill in full, made from its view.

use super::{diagnostics_text, printed};
use crate::{
    args::ShowArgs,
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    output::{BAD, HEAD, WARN, count, harmless, wrapped},
    report::{capability, card::size},
};
use skillful::views::{AgentVerdict, AskedFor, HolderState, SkillDetail, SkillSummary};
use skillful_catalog::body;
use skillful_format::{LENIENT, Severity};
use std::path::Path;

/// Columns of the first column.
const LABEL: usize = 15;
/// Columns of the kinds of capabilities.
const KIND: usize = 13;
/// Files that are named.
const FILES: usize = 6;

pub(crate) fn run(context: &mut Context, args: &ShowArgs) -> Outcome {
    if args.variables {
        return super::variables::run(context, &args.skill);
    }
    let (catalog, at) = context.catalog_with(&args.skill)?;
    let entry = &catalog.entries[at];
    let detail = SkillDetail::of(&context.workspace, at)
        .map_err(failed(format!("read `{}`", body::file(entry).display())))?;
    if context.output.json {
        printed(context.output.print_json(&detail))?;
        return Ok(Exit::Clean);
    }
    if args.body {
        if detail.summary.state == "invalid" {
            return Err(Failure::new(format!("`{}` cannot be read", args.skill))
                .hint("run `skillful show` without --body"));
        }
        printed(context.output.page(&detail.body))?;
        return Ok(Exit::Clean);
    }
    let diagnostics = LENIENT.apply(entry.loaded.diagnostics.clone());
    let mut out = describe(context, &detail);
    let of = |severity| diagnostics.iter().filter(|one| one.severity == severity).count();
    let parts: Vec<String> =
        [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Note, "note")]
            .into_iter()
            .filter(|(severity, _)| of(*severity) > 0)
            .map(|(severity, noun)| count(of(severity), noun))
            .collect();
    let parts = if parts.is_empty() { "none".to_owned() } else { parts.join(", ") };
    out.push_str(&line(context, "Diagnostics", &parts));
    out.push_str(&similar(context, &detail));
    if !diagnostics.is_empty() {
        out.push('\n');
        out.push_str(&diagnostics_text(context, &diagnostics));
    }
    printed(context.output.page(&out))?;
    Ok(Exit::Clean)
}

/// One line with a label, wrapped below itself.
fn line(context: &Context, label: &str, value: &str) -> String {
    let indent = " ".repeat(LABEL);
    let value = harmless(&context.short_paths(value));
    wrapped(&format!("{label:<LABEL$}{value}"), context.output.width, &indent)
}

/// Several lines with one label.
fn lines(context: &Context, label: &str, values: &[String]) -> String {
    let label = |at: usize| if at == 0 { label } else { "" };
    values.iter().enumerate().map(|(at, value)| line(context, label(at), value)).collect()
}

fn describe(context: &Context, detail: &SkillDetail) -> String {
    let SkillDetail { summary, .. } = detail;
    let style = match summary.state.as_str() {
        "available" => anstyle::Style::new(),
        "invalid" => BAD,
        _ => WARN,
    };
    let mut out = format!(
        "{}   {}   {}\n",
        context.output.paint(HEAD, &harmless(&summary.name)),
        context.output.paint(style, &summary.state),
        summary.scope
    );
    for (name, state) in &detail.also {
        out.push_str(&harmless(&format!("also: {name} ({state})")));
        out.push('\n');
    }
    if let Some(description) = &summary.description {
        out.push_str(&wrapped(&harmless(description), context.output.width, ""));
    }
    out.push('\n');
    for (label, value) in places(context, detail) {
        out.push_str(&line(context, label, &value));
    }
    out.push_str(&line(context, "Source", &source(context, detail)));
    let mut reasons: Vec<String> = summary.reasons.clone();
    match reasons.first_mut() {
        Some(first) => *first = format!("{}: {first}", summary.state),
        None => reasons.push(summary.state.clone()),
    }
    out.push_str(&lines(context, "State", &reasons));
    if let Some(fix) = fix(detail) {
        out.push_str(&line(context, "", &format!("fix: {fix}")));
    }
    out.push_str(&line(context, "Callable by", &callers(summary)));
    out.push_str(&agents(context, detail));
    out.push_str("\nCapabilities\n");
    out.push_str(&capability::lines(&detail.can, KIND, context.output.width));
    if !detail.not_declared.is_empty() {
        out.push_str(&format!("  {:<KIND$}{}\n", "declares no", detail.not_declared.join(", ")));
    }
    out.push_str(&lines(context, "Asks for", &asks(detail)));
    out.push_str(&lines(context, "Needs", &needs(detail)));
    out.push_str(&line(context, "Findings", &findings(detail)));
    out.push_str(&body(context, detail));
    out
}

/// The file, its size, and where its parts come from.
fn places(context: &Context, detail: &SkillDetail) -> Vec<(&'static str, String)> {
    let SkillDetail { summary, .. } = detail;
    let short = |path: &Path| context.short(path);
    let size = detail
        .size
        .map_or_else(String::new, |one| format!(", {}, {}", count(one.files, "file"), size(one.bytes)));
    let mut lines = vec![("File", format!("{}{size}", short(&summary.path)))];
    if !summary.path.starts_with(&summary.real_path) {
        lines.push(("Really at", short(&summary.real_path)));
    }
    lines.extend(summary.also_at.iter().map(|path| ("Also at", short(path))));
    if let Some(parts) = &summary.overridden {
        lines.push(("Body from", short(&parts.body)));
        lines.push((
            "Fields from",
            parts.metadata.iter().map(|file| short(file)).collect::<Vec<_>>().join(", "),
        ));
    }
    if !detail.files.is_empty() {
        let shown = detail.files.iter().take(FILES).cloned().collect::<Vec<_>>().join(", ");
        let rest = detail.files.len().saturating_sub(FILES);
        lines.push(("Files", if rest > 0 { format!("{shown} and {rest} more") } else { shown }));
    }
    lines
}

fn source(context: &Context, detail: &SkillDetail) -> String {
    let origin = &detail.source;
    let Some(source) = &origin.source else {
        let whose = match detail.summary.scope.as_str() {
            "project" => "this repository, ",
            "system" => return "shipped with Skillful".to_owned(),
            _ => "",
        };
        return format!("{whose}not installed by Skillful");
    };
    let version = origin.version.as_ref().map_or_else(String::new, |version| format!(" {version}"));
    let signed =
        origin.signer.as_ref().map_or_else(|| ", not signed".to_owned(), |by| format!(", signed by {by}"));
    let lock = origin.lock.as_ref().map_or_else(String::new, |lock| format!(", {}", context.short(lock)));
    format!("{source}{version}{signed}{lock}")
}

/// The command that changes the state; for a requirement that is not met, what meets it.
fn fix(detail: &SkillDetail) -> Option<String> {
    let unmet: Vec<&str> =
        detail.needs.iter().filter(|need| !need.met).filter_map(|need| need.fix.as_deref()).collect();
    match (detail.summary.state.as_str(), unmet.as_slice()) {
        ("unavailable", [first, ..]) => Some((*first).to_owned()),
        _ => detail.summary.fix.clone(),
    }
}

/// The secrets and the server that it asks for, each with the answer or the command that gives it.
fn asks(detail: &SkillDetail) -> Vec<String> {
    let one = |asked: &AskedFor| {
        let state = match asked.state {
            HolderState::Allowed => "allowed",
            HolderState::Denied => "DENIED",
            HolderState::Changed => "NOT ALLOWED since it changed",
            HolderState::NotAllowed => "NOT ALLOWED",
        };
        let fix = asked.fix.as_ref().map_or_else(String::new, |fix| format!("    {fix}"));
        format!("{}: {state}{fix}", asked.what)
    };
    detail.asks.iter().map(one).collect()
}

fn needs(detail: &SkillDetail) -> Vec<String> {
    if detail.needs.is_empty() {
        return vec!["nothing else".to_owned()];
    }
    let need = |need: &skillful_runtime::requirements::Need| {
        let state = match (need.met, need.kind) {
            (true, "variable" | "secret") => "set",
            (false, "variable" | "secret") => "NOT SET",
            (true, _) => "found",
            (false, _) => "NOT FOUND",
        };
        if need.kind == "program" {
            return format!("{}: {state}", need.name);
        }
        format!("{} {}: {state}", need.kind, need.name)
    };
    detail.needs.iter().map(need).collect()
}

fn findings(detail: &SkillDetail) -> String {
    let Some(found) = detail.findings else { return "not audited: its folder cannot be read".to_owned() };
    let mut text = format!("{} blocking, {}", found.blocking, count(found.warnings, "warning"));
    if found.notes > 0 {
        text.push_str(&format!(", {}", count(found.notes, "note")));
    }
    if found.not_scanned > 0 {
        text.push_str(&format!(", {} NOT SCANNED", count(found.not_scanned, "file")));
    }
    if found.blocking + found.warnings + found.notes + found.not_scanned > 0 {
        text.push_str(&format!("    skillful audit {}", detail.summary.name));
    }
    text
}

fn body(context: &Context, detail: &SkillDetail) -> String {
    let lines = count(detail.body.lines().count(), "line");
    line(context, "Body", &format!("{lines}, about {}", count(detail.body.len().div_ceil(4), "token")))
}

fn similar(context: &Context, detail: &SkillDetail) -> String {
    let names: Vec<String> =
        detail.similar.iter().map(|one| format!("{} ({:.0} %)", one.name, one.probability * 100.0)).collect();
    if names.is_empty() { String::new() } else { line(context, "Similar", &names.join(", ")) }
}

/// What each agent of this machine makes of the skill, by its own rules.
fn agents(context: &Context, detail: &SkillDetail) -> String {
    let widest = detail.agents.iter().map(|agent| agent.title.chars().count()).max().unwrap_or(0);
    let mut out = String::from("\nAgents\n");
    for agent in &detail.agents {
        let AgentVerdict { title, loads, why, .. } = agent;
        let verdict = match why {
            None if *loads && detail.summary.state == "untrusted" => {
                format!("loads it now; Skillful's trust does not limit {title}")
            }
            None => "loads it".to_owned(),
            Some(why) => format!("does not load it: {why}"),
        };
        let line = format!("  {title:<widest$}  {}", harmless(&context.short_paths(&verdict)));
        out.push_str(&wrapped(&line, context.output.width, &" ".repeat(widest + 4)));
    }
    if detail.agents.is_empty() {
        out.push_str("  no agent found on this machine\n");
    }
    out
}

fn callers(summary: &SkillSummary) -> String {
    if summary.state == "invalid" {
        return "no caller, until its file can be read".to_owned();
    }
    let calls = &summary.calls;
    let who = match (calls.user, calls.model) {
        (true, true) => "you and models",
        (true, false) => "you",
        (false, true) => "models",
        (false, false) => "no caller",
    };
    let once = match summary.state.as_str() {
        "available" => "",
        "untrusted" => ", once trusted",
        "pending" => ", once approved",
        "disabled" => ", once enabled",
        _ => ", once available",
    };
    let why =
        if calls.why_not.is_empty() { String::new() } else { format!(": {}", calls.why_not.join("; ")) };
    format!("{who}{once}{why}")
}
