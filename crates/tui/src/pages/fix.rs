//! The plan of a fix: repairs of a file, links for agents, and agents' own switches.

use super::Page;
use crate::{
    job::{Deed, Plan},
    text::count,
    theme::{Role, Theme},
};
use skillful::{
    agent_links::LinkHow,
    library::FixPlan,
    visible::{sentence, short_path},
};
use std::path::Path;

/// Columns of the labels.
const LABEL: usize = 12;

/// Everything that a fix would change. `folders`: the folder that is open, and the home of the user.
pub(crate) fn plan(plan: FixPlan, folders: (&Path, &Path), width: u16, theme: Theme) -> Plan {
    let short = |path: &Path| short_path(path, folders.0, folders.1);
    let mut page = Page::new(theme, width);
    let mut titles = Vec::new();
    for file in plan.repairs.iter().flat_map(|repairs| &repairs.files) {
        titles.push(format!("Repair {}", short(&file.path)));
        page.labelled("repairs", &file.codes.join(", "), LABEL, Role::Plain);
        page.blank();
        differences(&mut page, &file.difference, theme);
    }
    for change in plan.switches.iter().filter(|change| !change.done_before) {
        titles.push(format!("Enable it in {}", change.title));
        page.labelled("file", &short(&change.file), LABEL, Role::Plain);
        differences(&mut page, &change.difference, theme);
    }
    for links in plan.links.iter().filter(|plan| !plan.links().is_empty()) {
        let verb = if links.copies() { "Copy" } else { "Link" };
        titles.push(format!("{verb} {} for {}", count(links.links().len(), "skill"), links.title()));
        for link in links.links() {
            let arrow = if link.how == LinkHow::Copy { "copy of" } else { "->" };
            page.labelled("+", &format!("{} {arrow} {}", short(&link.to), short(&link.from)), 2, Role::Added);
        }
        if !links.also_loaded_by().is_empty() {
            page.labelled("also for", &links.also_loaded_by().join(", "), LABEL, Role::Plain);
        }
    }
    if !plan.not_fixed.is_empty() {
        page.blank();
        for why in &plan.not_fixed {
            page.labelled("stays", why, LABEL, Role::Quiet);
        }
    }
    let title = sentence(&titles.join("; "));
    Plan { title, lines: page.lines, deed: Some(Deed::Fix { plan: Box::new(plan) }), yes: "apply".to_owned() }
}

/// What a fix did, in one line.
pub(crate) fn done(plan: &FixPlan) -> String {
    let mut done = Vec::new();
    if let Some(repairs) = plan.repairs.as_ref().filter(|repairs| !repairs.files.is_empty()) {
        done.push(format!("Repaired {}.", count(repairs.files.len(), "file")));
    }
    for change in plan.switches.iter().filter(|change| !change.done_before) {
        done.push(format!("Enabled it in {}.", change.title));
    }
    for links in plan.links.iter().filter(|plan| !plan.links().is_empty()) {
        done.push(format!("Linked {} for {}.", count(links.links().len(), "skill"), links.title()));
    }
    sentence(&format!("{}   z undo", done.join(" ")))
}

fn differences(page: &mut Page, lines: &[String], theme: Theme) {
    for line in lines {
        let role = match line.trim_start_matches(|c: char| c == ' ' || c.is_ascii_digit()).as_bytes().first()
        {
            Some(b'+') => Role::Added,
            Some(b'-') => Role::Removed,
            _ => Role::Plain,
        };
        page.raw(line, 0, theme.style(role));
    }
}
