//! `push`: skills to the Skills API of a vendor.

use super::{library, printed};
use crate::{
    args::PushArgs,
    context::Context,
    error::{Exit, Outcome},
    output::{DIM, GOOD, WARN, harmless},
    progress::Bar,
};
use skillful::library::{PushAction, PushReport, PushRequest};

pub(crate) fn run(context: &Context, args: &PushArgs) -> Outcome {
    let bar = Bar::new(context);
    let library = library::open(context, args.global, &bar)?;
    let request = PushRequest {
        to: args.to.clone(),
        api: args.api.clone(),
        skills: args.skills.clone(),
        despite_findings: args.despite_findings.iter().cloned().collect(),
        dry_run: args.dry_run,
    };
    let report = library.push(&request)?;
    drop(bar);
    let is_refused = report.skills.iter().any(|skill| skill.action == PushAction::Refuse);
    if context.output.json {
        printed(context.output.print_json(&report))?;
    } else {
        printed(context.output.print(&text(context, &report)))?;
    }
    Ok(if is_refused { Exit::Findings } else { Exit::Clean })
}

fn text(context: &Context, report: &PushReport) -> String {
    let mut out = String::new();
    for skill in &report.skills {
        let (word, style) = match (skill.action, report.sent) {
            (PushAction::Keep, _) => ("keep", DIM),
            (PushAction::Refuse, _) => ("refuse", WARN),
            (PushAction::Create, true) => ("created", GOOD),
            (PushAction::Version, true) => ("added a version of", GOOD),
            (_, false) => ("would send", GOOD),
        };
        let version =
            skill.version.as_deref().map(|version| format!(" {}", harmless(version))).unwrap_or_default();
        let line = format!("{word} {}{version}", harmless(&skill.name));
        out.push_str(&format!("{}\n", context.output.paint(style, &line)));
        for why in &skill.why {
            out.push_str(&format!("  {}\n", harmless(why)));
        }
    }
    out
}
