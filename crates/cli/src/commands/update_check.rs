//! `update --check`: which installed skills their sources have newer. Changes nothing on the disk.

use super::{
    library::{open, warn},
    printed,
};
use crate::{
    context::Context,
    error::Outcome,
    output::{Cell, DIM, GOOD, Table, WARN, harmless, tell},
    progress::Bar,
};
use skillful::views::status::{OutdatedView, StatusView};

pub(crate) fn run(context: &mut Context, names: &[String], global: bool) -> Outcome {
    let bar = Bar::new(context);
    let library = open(context, global, &bar)?;
    let view = library.outdated(names, std::env::temp_dir())?;
    if names.is_empty() {
        library.remember_outdated(&view)?;
    }
    drop(bar);
    if context.output.json {
        printed(context.output.print_json(&view))?;
    } else {
        warn(&view.warnings);
        printed(context.output.print(&text(context, &view)))?;
        for skill in &view.skills {
            if let Some(why) = &skill.why {
                tell(&format!("warning: {}: {}\n", harmless(&skill.skill), harmless(why)));
            }
        }
    }
    Ok(view.outcome().into())
}

fn text(context: &Context, view: &OutdatedView) -> String {
    if view.skills.is_empty() {
        return "nothing is installed here\n".to_owned();
    }
    let row = |skill: &StatusView| {
        let style = match skill.state {
            "update" => GOOD,
            "current" => DIM,
            _ => WARN,
        };
        let state = match (skill.state, skill.edited) {
            ("current", true) => "edited".to_owned(),
            (state, true) => format!("{state}, edited"),
            (state, false) => state.to_owned(),
        };
        vec![
            Cell::plain(&skill.skill),
            Cell::plain(&skill.locked),
            Cell::plain(skill.newest.as_deref().unwrap_or("-")),
            Cell::styled(state, style),
        ]
    };
    let rows = view.skills.iter().map(row).collect();
    Table { heads: vec!["NAME", "LOCKED", "NEWEST", "STATE"], rows }.render(&context.output)
}
