//! `search`: finds skills by task, here and in sources.

use super::{diagnostic_views, printed, source, tell_catalog, tell_diagnostics};
use crate::{
    args::SearchArgs,
    context::Context,
    error::{Exit, Outcome},
    output::{Cell, DIM, GOOD, Table, WARN},
};
use skillful::{
    views::{FoundView, SearchView},
    workspace::Searcher,
};
use skillful_route::MIN_SERVED;

/// Most words of a request that a line names.
const WORDS_SHOWN: usize = 6;

pub(crate) fn run(context: &mut Context, args: &SearchArgs) -> Outcome {
    let catalog = context.workspace.catalog();
    let query = args.query.join(" ");
    let judged = context.workspace.search(&query, args.top, Searcher::User);
    let index = context.workspace.index();
    let skills = judged.found.iter().map(|found| FoundView::with_state(&context.workspace, found)).collect();
    let mut view = SearchView::new(query, judged.served, skills);
    if args.sources {
        let answers = source::ask(context, None, args.refresh)?;
        view.offered = Some(answers.search(&view.query, args.top));
        view.unreachable = Some(answers.unreachable);
    }
    let exit = match &view.unreachable {
        Some(unreachable) if !unreachable.is_empty() => Exit::Incomplete,
        _ if view.is_empty() => Exit::Findings,
        _ => Exit::Clean,
    };
    if context.output.json {
        view.diagnostics = diagnostic_views(context, &catalog, index.diagnostics());
        printed(context.output.print_json(&view))?;
        return Ok(exit);
    }
    tell_catalog(context, &catalog);
    tell_diagnostics(context, index.diagnostics());
    printed(context.output.print(&text(context, &view)))?;
    Ok(exit)
}

fn text(context: &Context, view: &SearchView) -> String {
    let row = |found: &FoundView| {
        let style = if found.probability >= MIN_SERVED { GOOD } else { DIM };
        vec![
            Cell::plain(&found.address),
            Cell::styled(percent(found.probability), style),
            Cell::styled(found.words(WORDS_SHOWN), DIM),
            match &found.state {
                Some(state) => {
                    let fix = found.fix.as_ref().map_or_else(String::new, |fix| format!(": {fix}"));
                    Cell::styled(format!("{}{fix}", state.to_uppercase()), WARN)
                }
                None => Cell::plain(found.description.as_deref().unwrap_or_default()),
            },
        ]
    };
    let mut out = if view.skills.is_empty() {
        "no skill here matches any of these words\n".to_owned()
    } else {
        let heads = vec!["SKILL", "MATCH", "WORDS", "DESCRIPTION"];
        Table { heads, rows: view.skills.iter().map(row).collect() }.render(&context.output)
    };
    match view.offered.as_deref() {
        None => {}
        Some([]) => out.push_str("\nno skill of a source matches any of these words\n"),
        Some(offered) => {
            out.push('\n');
            out.push_str(&source::table(context, offered));
            out.push_str(&source::next(offered));
        }
    }
    out
}

/// A probability as a percentage.
pub(crate) fn percent(probability: f32) -> String {
    format!("{:.0} %", f64::from(probability) * 100.0)
}
