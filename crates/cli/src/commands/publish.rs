//! `publish`: skills into a folder that any web server can offer.

use super::{printed, registry::refused};
use crate::{
    args::PublishArgs,
    calendar,
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    output::{DIM, GOOD, harmless},
    shape,
    turn::now,
};
use serde_json::json;
use skillful_catalog::{disk, inspect::skill_files};
use skillful_format::Limits;
use skillful_registry::{
    Hand,
    publish::{self, Offer, Plan},
};
use std::path::{Path, PathBuf};

/// The time that archives pretend to be made at, for builds that must not depend on the clock.
const EPOCH: &str = "SOURCE_DATE_EPOCH";

pub(crate) fn run(context: &mut Context, args: &PublishArgs) -> Outcome {
    let folder = context.workspace.environment().cwd.join(&args.to);
    let plan = match (&args.withdraw, &args.why) {
        (Some(which), Some(why)) => {
            let (name, version) = which.split_once('@').ok_or_else(|| {
                Failure::usage("--withdraw takes a name and a version").hint("such as --withdraw pdf@1.2.0")
            })?;
            publish::plan_yank(&folder, name, version, why).map_err(refused)?
        }
        _ => {
            let mut offers = Vec::new();
            for place in places(context, &args.skills, &folder)? {
                offers.push(offer(context, &place, args.version.as_deref())?);
            }
            publish::plan(&folder, &offers, Some(&today(context))).map_err(lines)?
        }
    };
    let written = if args.dry_run {
        None
    } else {
        Some(publish::write(&plan, &folder, &Hand::default()).map_err(refused)?)
    };
    if context.output.json {
        let skills = plan.skills.iter().map(|step| {
            json!({
                "name": step.name,
                "version": step.version.to_string(),
                "new": !step.there,
                "notes": step.notes,
            })
        });
        printed(context.output.print_json(&json!({
            "schema": shape::SCHEMA,
            "folder": folder,
            "skills": skills.collect::<Vec<_>>(),
            "files": plan.files.iter().map(|(path, _)| path).collect::<Vec<_>>(),
            "done": written.is_some(),
        })))?;
        return Ok(Exit::Clean);
    }
    printed(context.output.print(&text(context, args, &plan, written, &folder)))?;
    Ok(Exit::Clean)
}

fn text(context: &Context, args: &PublishArgs, plan: &Plan, written: Option<usize>, folder: &Path) -> String {
    let mut out = String::new();
    for step in &plan.skills {
        let (word, style) = match (step.there, args.withdraw.is_some()) {
            (true, _) => ("keep", DIM),
            (false, true) => ("withdraw", GOOD),
            (false, false) => ("publish", GOOD),
        };
        let line = format!("{word} {} {}", harmless(&step.name), step.version);
        out.push_str(&format!("{}\n", context.output.paint(style, &line)));
        for note in &step.notes {
            out.push_str(&format!("  {}\n", harmless(note)));
        }
    }
    let files = |count: usize| if count == 1 { "1 file".to_owned() } else { format!("{count} files") };
    let place = context.short(folder);
    out.push_str(&match written {
        None => format!("would write {} to {place}\n", files(plan.files.len())),
        Some(0) => format!("nothing to do; {place} is up to date\n"),
        Some(count) => format!("wrote {} to {place}\n", files(count)),
    });
    out
}

/// Every reason on a line of its own.
fn lines(error: publish::PublishError) -> Failure {
    match error {
        publish::PublishError::Refused(all) => {
            let mut failure = Failure::new(match all.len() {
                1 => "nothing was published, since a skill cannot be".to_owned(),
                count => format!("nothing was published, since {count} skills cannot be"),
            });
            for one in all {
                for reason in one.reasons {
                    failure = failure.hint(format!("{}: {reason}", one.place));
                }
            }
            failure
        }
        error => refused(error),
    }
}

/// The folders of skills that the words mean. What was published before is no skill to publish.
fn places(context: &mut Context, words: &[String], target: &Path) -> Result<Vec<PathBuf>, Failure> {
    let cwd = context.workspace.environment().cwd.clone();
    let below = |path: &Path| -> Vec<PathBuf> {
        let folders = skill_files(path).into_iter().filter_map(|file| file.parent().map(Path::to_path_buf));
        folders.filter(|folder| !folder.starts_with(target)).collect()
    };
    let mut places = Vec::new();
    if words.is_empty() {
        places = below(&cwd);
    }
    for word in words {
        let path = cwd.join(word);
        if path.exists() {
            places.extend(below(&path));
        } else {
            let (catalog, at) = context.catalog_with(word)?;
            places.push(catalog.entries[at].origin.real.clone());
        }
    }
    places.sort();
    places.dedup();
    if places.is_empty() {
        return Err(
            Failure::usage("there is no SKILL.md to publish").hint("name skills, or folders that hold some")
        );
    }
    Ok(places)
}

fn offer(context: &Context, place: &Path, version: Option<&str>) -> Result<Offer, Failure> {
    let (tree, left_out) = disk::read_folder(place, &Limits::default())
        .map_err(failed(format!("read `{}`", place.display())))?;
    let real = place.canonicalize().unwrap_or_else(|_| place.to_path_buf());
    Ok(Offer {
        place: context.short(place),
        folder: real.file_name().and_then(|name| name.to_str()).map(str::to_owned),
        tree,
        left_out,
        version: version.map(str::to_owned),
    })
}

/// The date in UTC.
fn today(context: &Context) -> String {
    let told =
        context.workspace.environment().variables.get(EPOCH).and_then(|value| value.parse::<u64>().ok());
    calendar::date(told.unwrap_or_else(now))
}
