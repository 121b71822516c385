//! `view`: what one agent loads here, and why not the rest, grouped by folder and by reason.

use super::{printed, tell_diagnostics, view_fix};
use crate::{
    args::ViewArgs,
    context::Context,
    error::{Exit, Outcome},
    output::{Cell, DIM, GOOD, HEAD, Table, WARN, columns, cut, harmless, thousands, wrapped},
};
use skillful::{
    shell_word::shell_word,
    views::{AgentView, MenuSize, MissedSkill, general_reason},
};
use skillful_catalog::{names::in_order, profile::Evidence};
use std::{collections::BTreeMap, path::Path};

/// Names that one line shows.
const NAMES: usize = 8;
/// Columns of a name that are always shown.
const NARROWEST: usize = 16;
/// The code of skills in a folder that the agent does not read.
const NOT_READ: &str = "root-not-read";
/// The code of skills that the agent's own settings disable.
const DISABLED: &str = "disabled";
/// The codes of reasons that name what is in the file of each skill.
const OF_THE_FILE: [&str; 3] = ["name", "description", "frontmatter"];

pub(crate) fn run(context: &mut Context, args: &ViewArgs) -> Outcome {
    if let Some(word) = &args.undo {
        return view_fix::undo(context, word);
    }
    let agent = context.known_agent(args.agent.as_deref().unwrap_or_default())?.clone();
    if args.fix {
        return view_fix::run(context, args, &agent);
    }
    let view = AgentView::of(&context.workspace, &agent);
    if context.output.json {
        printed(context.output.print_json(&view))?;
        return Ok(Exit::Clean);
    }
    tell_diagnostics(context, &context.diagnostics());
    let known = match agent.evidence {
        Evidence::Measured => match (&agent.program.name, &agent.program.compared) {
            (Some(program), Some(version)) => format!("compared with {program} {version}"),
            _ => "compared with the real program".to_owned(),
        },
        Evidence::Source => "from its source".to_owned(),
        Evidence::Documented => "from its documentation".to_owned(),
        Evidence::Folders => "only its folders are known; the rest is assumed".to_owned(),
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
    printed(context.output.page(&out))?;
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

fn skills(count: usize) -> String {
    if count == 1 { "1 skill".to_owned() } else { format!("{count} skills") }
}

/// The folder that has the link to a skill of the content store. An agent may name the place where the link leads.
fn linked_in<'v>(view: &'v AgentView, name: &str, skill: &Path) -> Option<&'v Path> {
    let mut roots = view.roots.iter().map(|root| Path::new(&root.path));
    roots.find(|root| root.join(name).canonicalize().is_ok_and(|real| real == skill))
}

/// The loaded skills by folder.
fn short(context: &Context, view: &AgentView) -> String {
    if view.seen.is_empty() {
        let places: Vec<String> =
            view.roots.iter().take(6).map(|root| context.short(Path::new(&root.path))).collect();
        return wrapped(&format!("  it looks in {}", places.join(", ")), context.output.width, "  ");
    }
    let mut folders: Vec<(String, Vec<&str>)> = Vec::new();
    let store = context.workspace.paths().contents();
    for seen in &view.seen {
        let skill = Path::new(&seen.path).parent().unwrap_or(Path::new("/"));
        let folder = skill.parent().unwrap_or(Path::new("/"));
        let linked = folder.starts_with(&store).then(|| linked_in(view, &seen.name, skill)).flatten();
        let folder = context.short(linked.unwrap_or(folder));
        match folders.iter_mut().find(|known| known.0 == folder) {
            Some(known) => known.1.push(&seen.name),
            None => folders.push((folder, vec![&seen.name])),
        }
    }
    for (_, names) in &mut folders {
        names.sort_by(|one, other| in_order(one, other));
    }
    let widest = folders.iter().map(|(folder, _)| folder.chars().count()).max().unwrap_or(0);
    let mut out = String::from("\n");
    for (folder, names) in &folders {
        let room = context.output.width.saturating_sub(widest + 10);
        let line = format!(
            "  {:<widest$}  {:>3}  {}",
            harmless(folder),
            names.len(),
            harmless(&named_within(context, names, room))
        );
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

/// What the agent does not load, by reason: first what another agent loads.
fn missed(context: &Context, title: &str, view: &AgentView) -> String {
    let shipped = context.workspace.paths().data.join("system");
    let all = view.unseen.iter().filter(|one| !Path::new(&one.path).starts_with(&shipped));
    let (missed, others): (Vec<&MissedSkill>, Vec<&MissedSkill>) =
        all.partition(|one| !one.loaded_by.is_empty());
    if missed.is_empty() && others.is_empty() {
        return format!(
            "\n{}\n",
            context.output.paint(GOOD, &format!("{title} loads every skill found here."))
        );
    }
    let mut out = String::new();
    if !missed.is_empty() {
        let head = format!("{title} misses {} that another agent loads", skills(missed.len()));
        out.push_str(&format!("\n{}\n", context.output.paint(WARN, &head)));
        out.push_str(&groups(context, title, view, &missed));
    }
    if !others.is_empty() {
        let head =
            format!("{title} does not load {} that no other agent found here loads", skills(others.len()));
        out.push_str(&format!("\n{head}\n"));
        out.push_str(&groups(context, title, view, &others));
    }
    out
}

/// Skills by the reason why the agent does not load them, each group with its fix.
fn groups(context: &Context, title: &str, view: &AgentView, missed: &[&MissedSkill]) -> String {
    let width = context.output.width;
    let mut out = String::new();
    let is_not_read = |one: &&&MissedSkill| one.code == NOT_READ && !one.loaded_by.is_empty();
    let not_read: Vec<&MissedSkill> = missed.iter().filter(is_not_read).copied().collect();
    if !not_read.is_empty() {
        // Folders that are there first: they show where a skill can go.
        let (there, others): (Vec<&Path>, Vec<&Path>) =
            view.roots.iter().map(|root| Path::new(&root.path)).partition(|path| path.is_dir());
        let reads: Vec<String> = there.into_iter().chain(others).map(|path| context.short(path)).collect();
        let reads = match reads.len() {
            0..=4 => reads.join(", "),
            all => format!("{}, … {} more", reads[..4].join(", "), all - 4),
        };
        let line = format!("  {:>3}  folder not read: {title} reads {}", not_read.len(), harmless(&reads));
        out.push_str(&wrapped(&line, width, "       "));
        out.push_str(&folders(context, &not_read, true));
        if view.fixable > 0 {
            let fix = format!("skillful view --agent {} --fix", view.agent);
            out.push_str(&format!("       fix: {fix:<43}  links {}\n", view.fixable));
        }
        let mut reasons: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for one in not_read.iter().filter(|one| one.not_linked.is_some()) {
            reasons
                .entry(one.not_linked.as_deref().unwrap_or_default())
                .or_default()
                .push(folder_name(one.path.as_path()));
        }
        for (why, names) in reasons {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let line = format!("       * not linked: {}: {}", named(&names), context.short_paths(why));
            out.push_str(&wrapped(&harmless_keeping_indent(&line), width, "         "));
        }
    }
    let mut groups: BTreeMap<(&str, String, Option<&str>), Vec<&MissedSkill>> = BTreeMap::new();
    for one in missed.iter().filter(|one| !is_not_read(one)) {
        let is_of_file = OF_THE_FILE.contains(&one.code.as_str());
        let reason = if is_of_file { general_reason(&one.reason) } else { one.reason.clone() };
        let key = (one.code.as_str(), reason, one.fix.as_deref());
        groups.entry(key).or_default().push(one);
    }
    for ((code, general, fix), skills) in groups {
        let is_same = skills.iter().all(|one| one.reason == skills[0].reason);
        let reason = if is_same { &skills[0].reason } else { &general };
        let line = format!("  {:>3}  {}", skills.len(), harmless(reason));
        out.push_str(&wrapped(&line, width, "       "));
        out.push_str(&folders(context, &skills, false));
        if !is_same {
            out.push_str(&format!("       each file and line: skillful check --agent {}\n", view.agent));
        }
        let fix = if code == DISABLED {
            let names: Vec<String> =
                skills.iter().filter_map(|one| one.name.as_deref().map(shell_word)).collect();
            Some(format!("skillful enable {} --agent {}", names.join(" "), view.agent))
        } else {
            fix.map(str::to_owned)
        };
        if let Some(fix) = fix {
            out.push_str(&wrapped(&format!("       fix: {}", harmless(&fix)), width, "       "));
        }
    }
    out
}

/// The lines of a group: a folder and its skills; a star marks what `--fix` does not link.
fn folders(context: &Context, skills: &[&MissedSkill], marks: bool) -> String {
    let mut out = String::new();
    let mut folders: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for skill in skills {
        let path = skill.path.as_path();
        let name = folder_name(path);
        let star = if marks && skill.not_linked.is_some() { "*" } else { "" };
        folders.entry(context.short(folder_of(path))).or_default().push(format!("{name}{star}"));
    }
    let folders = folders.into_iter().map(|(folder, mut skills)| {
        skills.sort_by(|one, other| in_order(one, other));
        (harmless(&folder), skills)
    });
    let folders: Vec<(String, Vec<String>)> = folders.collect();
    // A long path does not push the names of the others to the right edge.
    let widest = folders.iter().map(|(folder, _)| columns(folder)).filter(|width| *width <= 30).max();
    let widest = widest.unwrap_or(0);
    for (folder, skills) in folders {
        let skills: Vec<&str> = skills.iter().map(String::as_str).collect();
        let gap = " ".repeat(widest.saturating_sub(columns(&folder)));
        let room = context.output.width.saturating_sub(widest + 10);
        let line = format!("       {folder}{gap}  {}", harmless(&named_within(context, &skills, room)));
        out.push_str(&wrapped(&line, context.output.width, &" ".repeat(widest + 9)));
    }
    out
}

/// Text of skills after an indent of ours.
fn harmless_keeping_indent(line: &str) -> String {
    let text = line.trim_start();
    format!("{}{}", &line[..line.len() - text.len()], harmless(text))
}

/// The folder of a skill, or the file of a command.
fn skill_path(path: &Path) -> &Path {
    let is_skill = path.file_name().is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md"));
    if is_skill { path.parent().unwrap_or(path) } else { path }
}

fn folder_name(path: &Path) -> String {
    skill_path(path).file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn folder_of(path: &Path) -> &Path {
    skill_path(path).parent().unwrap_or(Path::new("/"))
}

/// The same in a column of a terminal: a name that is wider than the column is cut.
fn named_within(context: &Context, names: &[&str], room: usize) -> String {
    if !context.output.is_table() {
        return named(names);
    }
    let names: Vec<String> = names.iter().map(|name| cut(name, room.max(NARROWEST))).collect();
    named(&names.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Some names, and how many more.
pub(super) fn named(names: &[&str]) -> String {
    if names.len() <= NAMES {
        return names.join(", ");
    }
    format!("{}, … {} more", names[..NAMES - 1].join(", "), names.len() - NAMES + 1)
}
