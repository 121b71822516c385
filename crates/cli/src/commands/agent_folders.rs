//! `agents --folders`: the folders that are searched for skills, in order of precedence.

use super::{printed, tell_diagnostics};
use crate::{
    args::AgentsArgs,
    context::Context,
    error::{Exit, Outcome},
    output::{Cell, DIM, Table},
};
use skillful::views::{FolderList, SkillFolder};

pub(crate) fn run(context: &mut Context, args: &AgentsArgs) -> Outcome {
    let list = FolderList::of(&context.workspace, args.all);
    if context.output.json {
        printed(context.output.print_json(&list))?;
        return Ok(Exit::Clean);
    }
    tell_diagnostics(context, &context.diagnostics());
    printed(context.output.page(&text(context, &list)))?;
    Ok(Exit::Clean)
}

fn text(context: &Context, list: &FolderList) -> String {
    let row = |folder: &SkillFolder| {
        let style = if folder.present { anstyle::Style::new() } else { DIM };
        let skills = if folder.present { folder.skills.to_string() } else { "-".to_owned() };
        vec![
            Cell::styled(folder.scope.word(), style),
            Cell::styled(context.short(&folder.path), style),
            Cell::styled(skills, style),
            Cell::styled(folder.agents.join(", "), DIM),
        ]
    };
    let heads = vec!["SCOPE", "FOLDER", "SKILLS", "READ BY"];
    let mut out = Table { heads, rows: list.folders.iter().map(row).collect() }.render(&context.output);
    if list.missing > 0 {
        let folders = if list.missing == 1 { "folder does" } else { "folders do" };
        let line = format!("\n{} more {folders} not exist; --all lists them", list.missing);
        out.push_str(&context.output.paint(DIM, &line));
        out.push('\n');
    }
    out
}
