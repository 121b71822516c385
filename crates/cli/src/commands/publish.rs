//! `publish`: skills into a folder that any web server can offer.

use super::{library, printed};
use crate::{
    args::PublishArgs,
    context::Context,
    error::{Exit, Failure, Outcome},
    output::{DIM, GOOD, harmless},
};
use skillful::library::{PublishRequest, Published};

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
    if !args.dry_run {
        library.apply_publish(&mut published)?;
    }
    if context.output.json {
        printed(context.output.print_json(&published))?;
    } else {
        printed(context.output.print(&text(context, args, &published)))?;
    }
    Ok(Exit::Clean)
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
