//! `view`: what one agent loads here, and why not the rest, grouped by folder and by reason.

use super::{printed, tell_diagnostics};
use crate::{
    args::ViewArgs,
    context::Context,
    error::{Exit, Outcome},
    output::{Cell, DIM, GOOD, HEAD, Table, WARN, columns, harmless, wrapped},
};
use skillful::views::{AgentView, MenuSize};
use skillful_catalog::profile::Evidence;
use std::{collections::BTreeMap, path::Path};

/// Names that one line shows.
const NAMES: usize = 8;

pub(crate) fn run(context: &mut Context, args: &ViewArgs) -> Outcome {
    let agent = context.known_agent(&args.agent)?.clone();
    let view = AgentView::of(&context.workspace, &agent);
    if context.output.json {
        printed(context.output.print_json(&view))?;
        return Ok(Exit::Clean);
    }
    tell_diagnostics(context, &context.diagnostics());
    let known = match agent.evidence {
        Evidence::Measured => "compared with the real program",
        Evidence::Source => "from its source",
        Evidence::Documented => "from its documentation",
        Evidence::Folders => "only its folders are known; the rest is assumed",
    };
    let count = skills(view.seen.len());
    let head =
        format!("{} loads {count} in {}", agent.title, context.named(&context.workspace.environment().cwd));
    let rules = format!("rules {known}");
    let fits = columns(&head) + columns(&rules) + 3 <= context.output.width;
    let gap = if fits { "   " } else { "\n" };
    let mut out =
        format!("{}{gap}{}\n", context.output.paint(HEAD, &head), context.output.paint(DIM, &rules));
    if !args.unseen {
        out.push_str(&if args.long { long(context, &view) } else { short(context, &view) });
    }
    out.push_str(&missed(context, &agent.title, &view));
    out.push_str(&menu(&view));
    for note in &view.notes {
        out.push('\n');
        out.push_str(&wrapped(&format!("note: {}", harmless(note)), context.output.width, "  "));
    }
    printed(context.output.print(&out))?;
    Ok(Exit::Clean)
}

/// `Menu: 18 skills, 1,390 of 16,000 characters, none shortened, none left out`.
fn menu(view: &AgentView) -> String {
    let MenuSize { used, limit, unit, shortened, left_out, .. } = &view.menu;
    let counted = |count: usize, what: &str| match count {
        0 => format!("none {what}"),
        count => format!("{count} {what}"),
    };
    format!(
        "\nMenu: {}, {} of {} {unit}, {}, {}\n",
        skills(view.menu.skills),
        thousands(*used),
        thousands(*limit),
        counted(*shortened, "shortened"),
        counted(*left_out, "left out")
    )
}

/// A number with a comma between thousands.
fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

fn skills(count: usize) -> String {
    if count == 1 { "1 skill".to_owned() } else { format!("{count} skills") }
}

/// The loaded skills by folder.
fn short(context: &Context, view: &AgentView) -> String {
    if view.seen.is_empty() {
        let places: Vec<String> =
            view.roots.iter().take(6).map(|root| context.short(Path::new(&root.path))).collect();
        return wrapped(&format!("  it looks in {}", places.join(", ")), context.output.width, "  ");
    }
    let mut folders: Vec<(String, Vec<&str>)> = Vec::new();
    for seen in &view.seen {
        let folder = Path::new(&seen.path).parent().and_then(Path::parent).unwrap_or(Path::new("/"));
        let folder = context.short(folder);
        match folders.iter_mut().find(|known| known.0 == folder) {
            Some(known) => known.1.push(&seen.name),
            None => folders.push((folder, vec![&seen.name])),
        }
    }
    let widest = folders.iter().map(|(folder, _)| folder.chars().count()).max().unwrap_or(0);
    let mut out = String::from("\n");
    for (folder, names) in &folders {
        let line =
            format!("  {:<widest$}  {:>3}  {}", harmless(folder), names.len(), harmless(&named(names)));
        out.push_str(&wrapped(&line, context.output.width, &" ".repeat(widest + 9)));
    }
    let hidden: Vec<&str> =
        view.seen.iter().filter(|seen| seen.hidden.is_some()).map(|seen| seen.name.as_str()).collect();
    if !hidden.is_empty() {
        let line = format!("  not offered to its model: {}", harmless(&named(&hidden)));
        out.push_str(&wrapped(&line, context.output.width, "    "));
    }
    if !view.built_in.is_empty() {
        let names: Vec<&str> = view.built_in.iter().map(String::as_str).collect();
        let line = format!("  part of the program: {}", harmless(&named(&names)));
        out.push_str(&wrapped(&line, context.output.width, "    "));
    }
    for seen in view.seen.iter().filter(|seen| !seen.warnings.is_empty()) {
        let line =
            format!("  warning: {}", harmless(&format!("{}: {}", seen.name, seen.warnings.join("; "))));
        out.push_str(&wrapped(&line, context.output.width, "    "));
    }
    out
}

/// One skill per line.
fn long(context: &Context, view: &AgentView) -> String {
    let rows = view.seen.iter().map(|seen| {
        let words = match (&seen.hidden, seen.warnings.first()) {
            (_, Some(warning)) => Cell::styled(warning, WARN),
            (Some(why), None) => Cell::styled(format!("not offered to its model: {why}"), WARN),
            (None, None) => Cell::plain(seen.description.as_deref().unwrap_or_default()),
        };
        let folder = Path::new(&seen.path).parent().unwrap_or(Path::new("/"));
        vec![Cell::plain(&seen.name), Cell::styled(context.short(folder), DIM), words]
    });
    let table = Table { heads: vec!["NAME", "FOLDER", "DESCRIPTION"], rows: rows.collect() };
    format!("\n{}", table.render(&context.output))
}

/// What the agent does not load, by reason.
fn missed(context: &Context, title: &str, view: &AgentView) -> String {
    let shipped = context.workspace.paths().data.join("system");
    let missed: Vec<_> =
        view.unseen.iter().filter(|one| !Path::new(&one.path).starts_with(&shipped)).collect();
    if missed.is_empty() {
        return format!(
            "\n{}\n",
            context.output.paint(GOOD, &format!("{title} loads every skill found here."))
        );
    }
    let mut groups: BTreeMap<(&str, &str, Option<&str>), Vec<&Path>> = BTreeMap::new();
    for one in &missed {
        let key = (one.code.as_str(), one.reason.as_str(), one.fix.as_deref());
        groups.entry(key).or_default().push(one.path.as_path());
    }
    let head = format!("{title} misses {}", skills(missed.len()));
    let mut out = format!("\n{}\n", context.output.paint(WARN, &head));
    for ((_, reason, fix), paths) in groups {
        let line = format!("  {:>3}  {}", paths.len(), harmless(reason));
        out.push_str(&wrapped(&line, context.output.width, "       "));
        for (folder, skills) in by_folder(context, &paths) {
            let skills: Vec<&str> = skills.iter().map(String::as_str).collect();
            let line = format!("       {}  {}", harmless(&folder), harmless(&named(&skills)));
            out.push_str(&wrapped(&line, context.output.width, "         "));
        }
        if let Some(fix) = fix {
            out.push_str(&wrapped(
                &format!("       fix: {}", harmless(fix)),
                context.output.width,
                "       ",
            ));
        }
    }
    out
}

/// Files of skills by the folder that holds the skills, each with the names of its skills.
fn by_folder(context: &Context, paths: &[&Path]) -> BTreeMap<String, Vec<String>> {
    let mut folders: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in paths {
        let is_skill = path.file_name().is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md"));
        let named = if is_skill { path.parent().unwrap_or(path) } else { path };
        let name = named.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let folder = named.parent().unwrap_or(Path::new("/"));
        folders.entry(context.short(folder)).or_default().push(name);
    }
    folders
}

/// Some names, and how many more.
fn named(names: &[&str]) -> String {
    if names.len() <= NAMES {
        return names.join(", ");
    }
    format!("{}, … {} more", names[..NAMES - 1].join(", "), names.len() - NAMES + 1)
}
