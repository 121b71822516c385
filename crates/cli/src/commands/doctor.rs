//! `doctor`: problems of this machine and this folder, or of one skill, each with its fix.

mod skill;

use super::printed;
use crate::{
    args::{DoctorArgs, WorkArgs},
    context::Context,
    error::{Exit, Outcome},
    output::{BAD, DIM, GOOD, WARN, harmless, wrapped},
};
use skillful::views::{DoctorReport, Health, HealthFinding};
use skillful_assistant::models::Models;

pub(crate) fn run(context: &mut Context, args: &DoctorArgs) -> Outcome {
    context.for_agent(args.agent.as_deref())?;
    let report = match &args.skill {
        Some(word) => {
            let (catalog, at) = context.catalog_with(word)?;
            let mut report = DoctorReport::empty(vec![catalog.entries[at].address()]);
            report.findings = skill::findings(context, &catalog, at);
            report.findings.sort_by_key(|finding| finding.health);
            report
        }
        None => DoctorReport::of(&context.workspace, vec![sandbox(context), model(context)]),
    };
    if context.output.json {
        printed(context.output.print_json(&report))?;
    } else {
        printed(context.output.print(&text(context, &report, args.skill.is_some())))?;
    }
    let (errors, _) = report.counts();
    Ok(if errors > 0 { Exit::Findings } else { Exit::Clean })
}

/// What holds the commands of skills here.
fn sandbox(context: &Context) -> HealthFinding {
    match context.execution(WorkArgs::default()).sandbox.report().best() {
        Some(tier) => HealthFinding::new(Health::Ok, "sandbox", format!("{tier}; no network, no home")),
        None => {
            HealthFinding::new(Health::Warning, "sandbox", "none works here, so no command of a skill runs")
                .fix("skillful sandbox")
        }
    }
}

/// The model that would answer. No server is asked.
fn model(context: &Context) -> HealthFinding {
    match Models::of(&context.workspace).connection() {
        Ok(Some((model, address))) => {
            HealthFinding::new(Health::Ok, "model", format!("{model} at {address}"))
        }
        Ok(None) => {
            let message = "none; ask shows matching skills only";
            HealthFinding::new(Health::Ok, "model", message)
        }
        Err(error) => {
            let finding = HealthFinding::new(Health::Warning, "model", error.message);
            HealthFinding { fix: error.hint, ..finding }
        }
    }
}

fn text(context: &Context, report: &DoctorReport, one: bool) -> String {
    let output = &context.output;
    let plural = |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    let mut out = match report.counts() {
        (0, 0) => "No problems found.\n\n".to_owned(),
        (errors, warnings) => format!("{}, {}\n\n", plural(errors, "error"), plural(warnings, "warning")),
    };
    if one {
        out = format!("{}: {out}", harmless(&report.skills.join(", ")));
    }
    let home = format!("{}/", context.workspace.environment().home.display());
    for finding in &report.findings {
        let message = harmless(&finding.message.replace(&home, "~/"));
        if finding.health == Health::Ok {
            let line = format!("ok  {:<14}  {message}", finding.topic);
            let indent = " ".repeat(20);
            out.push_str(&output.paint(GOOD, "ok"));
            out.push_str(&wrapped(&line, output.width, &indent)[2..]);
            continue;
        }
        let style = if finding.health == Health::Error { BAD } else { WARN };
        let word = finding.health.word();
        let line = format!("{word:<7}  {message}");
        out.push_str(&output.paint(style, word));
        out.push_str(&wrapped(&line, output.width, "         ")[word.len()..]);
        if let Some(fix) = &finding.fix {
            let line = wrapped(
                &format!("         fix: {}", harmless(&context.short_paths(fix))),
                output.width,
                "         ",
            );
            out.push_str(&output.paint(DIM, line.trim_end()));
            out.push('\n');
        }
    }
    out
}
