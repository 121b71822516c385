//! `publish`: skills into a folder that any web server can offer.

use super::{library, printed};
use crate::{
    args::PublishArgs,
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    output::{DIM, GOOD, harmless, tell},
    prompt,
    report::audit as report,
};
use skillful::library::{PublishRequest, Published};
use std::collections::BTreeSet;

pub(crate) fn run(context: &mut Context, args: &PublishArgs) -> Outcome {
    let withdraw = match (&args.withdraw, &args.why) {
        (Some(which), Some(why)) => {
            let (name, version) = which.split_once('@').ok_or_else(|| {
                Failure::usage("--withdraw takes a name and a version").hint("such as --withdraw pdf@1.2.0")
            })?;
            Some((name.to_owned(), version.to_owned(), why.clone()))
        }
        _ => None,
    };
    let request = PublishRequest {
        skills: args.skills.clone(),
        to: args.to.clone(),
        version: args.version.clone(),
        withdraw,
    };
    let library = library::user(context)?;
    let mut published = library.plan_publish(&request)?;
    let mut despite: BTreeSet<String> = args.despite_findings.iter().cloned().collect();
    let names: Vec<&str> = published.skills.iter().map(|skill| skill.name.as_str()).collect();
    if let Some(unknown) = despite.iter().find(|name| !names.contains(&name.as_str())) {
        let message = format!("--despite-findings {}: no such skill is published here", harmless(unknown));
        return Err(Failure::usage(message).hint(format!("the skills are {}", names.join(", "))));
    }
    if !args.dry_run {
        if !context.output.json && prompt::is_possible() {
            despite.extend(answers(context, &published, &despite)?);
        }
        library.apply_publish(&mut published, &despite)?;
    }
    let is_open = published.skills.iter().any(|skill| skill.blocked && !despite.contains(&skill.name));
    if context.output.json {
        printed(context.output.print_json(&published))?;
    } else {
        printed(context.output.print(&text(context, args, &published)))?;
    }
    Ok(if is_open { Exit::Findings } else { Exit::Clean })
}

/// Asks about each skill with blocking findings that no option names: its name is the answer.
fn answers(
    context: &Context,
    published: &Published,
    known: &BTreeSet<String>,
) -> Result<BTreeSet<String>, Failure> {
    let mut answers = BTreeSet::new();
    for skill in published.skills.iter().filter(|skill| skill.blocked && !known.contains(&skill.name)) {
        let name = harmless(&skill.name);
        tell(&format!("{name} {}\n{}", skill.version, report::findings(&skill.findings, &context.output)));
        let question = format!("it has blocking findings; type \"{name}\" to publish it anyway:");
        let answer = prompt::line(&question).map_err(failed("ask"))?;
        if answer.is_some_and(|answer| answer.trim() == skill.name) {
            answers.insert(skill.name.clone());
        }
    }
    Ok(answers)
}

fn text(context: &Context, args: &PublishArgs, published: &Published) -> String {
    let mut out = String::new();
    for skill in &published.skills {
        let (word, style) = match (skill.new, args.withdraw.is_some()) {
            (false, _) => ("keep", DIM),
            (true, true) => ("withdraw", GOOD),
            (true, false) => ("publish", GOOD),
        };
        let line = format!("{word} {} {}", harmless(&skill.name), skill.version);
        out.push_str(&format!("{}\n", context.output.paint(style, &line)));
        for note in &skill.notes {
            out.push_str(&format!("  {}\n", harmless(note)));
        }
        if skill.new {
            out.push_str(&report::findings(&skill.findings, &context.output));
        }
    }
    let files = |count: usize| if count == 1 { "1 file".to_owned() } else { format!("{count} files") };
    let place = context.short(&published.folder);
    out.push_str(&match published.written {
        None => format!("would write {} to {place}\n", files(published.files.len())),
        Some(0) => format!("nothing to do; {place} is up to date\n"),
        Some(count) => format!("wrote {} to {place}\n", files(count)),
    });
    out
}
