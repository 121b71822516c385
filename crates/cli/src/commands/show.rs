//! `show`: one skill in full.

use super::{diagnostics_text, printed};
use crate::{
    args::ShowArgs,
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    output::{BAD, HEAD, WARN, harmless, wrapped},
};
use skillful::views::{AgentVerdict, SkillDetail, SkillSummary};
use skillful_catalog::body;
use skillful_format::LENIENT;
use std::path::Path;

/// Columns of the first column.
const LABEL: usize = 14;
/// Files that are named.
const FILES: usize = 6;

pub(crate) fn run(context: &mut Context, args: &ShowArgs) -> Outcome {
    if args.variables {
        return super::vars::run(context, &args.skill);
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
        printed(context.output.print(&detail.body))?;
        return Ok(Exit::Clean);
    }
    let mut out = describe(context, &detail);
    let diagnostics = LENIENT.apply(entry.loaded.diagnostics.clone());
    if !diagnostics.is_empty() {
        out.push('\n');
        out.push_str(&diagnostics_text(context, &diagnostics));
    }
    printed(context.output.print(&out))?;
    Ok(Exit::Clean)
}

/// One line with a label, wrapped below itself.
fn line(context: &Context, label: &str, value: &str) -> String {
    let indent = " ".repeat(LABEL);
    let value = harmless(&context.short_paths(value));
    wrapped(&format!("{label:<LABEL$}{value}"), context.output.width, &indent)
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
    for (at, reason) in summary.reasons.iter().enumerate() {
        let label = if at == 0 { "State" } else { "" };
        let state = if at == 0 { format!("{}: ", summary.state) } else { String::new() };
        out.push_str(&line(context, label, &format!("{state}{reason}")));
    }
    if summary.reasons.is_empty() {
        out.push_str(&line(context, "State", &summary.state));
    }
    if let Some(fix) = &summary.fix {
        out.push_str(&line(context, "", &format!("fix: {fix}")));
    }
    out.push_str(&line(context, "Callable by", &callers(summary)));
    out.push_str(&agents(context, detail));
    out.push('\n');
    if detail.capabilities.is_empty() {
        out.push_str(&line(context, "Capabilities", "none (instructions only)"));
    }
    for (at, capability) in detail.capabilities.iter().enumerate() {
        out.push_str(&line(context, if at == 0 { "Capabilities" } else { "" }, capability));
    }
    let lines = match detail.body.lines().count() {
        1 => "1 line".to_owned(),
        count => format!("{count} lines"),
    };
    out.push_str(&line(context, "Body", &format!("{lines}, about {} tokens", detail.body.len().div_ceil(4))));
    out
}

/// Where the skill and its parts are.
fn places(context: &Context, detail: &SkillDetail) -> Vec<(&'static str, String)> {
    let SkillDetail { summary, .. } = detail;
    let short = |path: &Path| context.short(path);
    let mut lines = vec![("File", short(&summary.path))];
    if !Path::new(&summary.path).starts_with(&summary.real_path) {
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
    let once = if summary.state == "available" { "" } else { ", once available" };
    let why =
        if calls.why_not.is_empty() { String::new() } else { format!(": {}", calls.why_not.join("; ")) };
    format!("{who}{once}{why}")
}
