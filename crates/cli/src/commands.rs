//! One module per command.

pub(crate) mod add;
pub(crate) mod agent_folders;
pub(crate) mod agent_settings;
pub(crate) mod agents;
pub(crate) mod ask;
pub(crate) mod audit;
pub(crate) mod chat;
pub(crate) mod check;
pub(crate) mod check_fix;
pub(crate) mod clean;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod diff;
pub(crate) mod doctor;
pub(crate) mod eval;
pub(crate) mod exec;
pub(crate) mod explain;
pub(crate) mod export;
pub(crate) mod fmt;
pub(crate) mod library;
pub(crate) mod list;
pub(crate) mod list_watch;
pub(crate) mod login;
pub(crate) mod lsp;
pub(crate) mod mcp;
pub(crate) mod mcp_answer;
pub(crate) mod mcp_sign_in;
pub(crate) mod mcp_tools;
pub(crate) mod menu;
pub(crate) mod new;
pub(crate) mod overview;
pub(crate) mod proxy;
pub(crate) mod publish;
pub(crate) mod push;
pub(crate) mod remove;
pub(crate) mod review;
pub(crate) mod run_skill;
pub(crate) mod sandbox;
pub(crate) mod search;
pub(crate) mod secret;
pub(crate) mod serve;
pub(crate) mod sessions;
pub(crate) mod show;
pub(crate) mod sign;
pub(crate) mod sign_keys;
pub(crate) mod source;
pub(crate) mod starter;
pub(crate) mod switch;
pub(crate) mod sync;
mod sync_team;
pub(crate) mod tour;
pub(crate) mod trust;
pub(crate) mod ui;
pub(crate) mod unused;
pub(crate) mod update;
pub(crate) mod update_check;
pub(crate) mod use_skill;
pub(crate) mod variables;
pub(crate) mod verify;
pub(crate) mod view;
pub(crate) mod view_fix;

use crate::{
    context::Context,
    error::Failure,
    output,
    report::{Colour, Look, pretty},
};
use skillful::views::DiagnosticView;
use skillful_catalog::{Catalog, bounded};
use skillful_format::{Diagnostic, Severity, source::FILE_LIMIT};
use std::path::Path;

/// Prints diagnostics about our own files and about folders on standard error, so that they do not mix with
/// the output.
pub(crate) fn tell_diagnostics(context: &Context, diagnostics: &[Diagnostic]) {
    for diagnostic in diagnostics {
        let place = diagnostic.path.as_ref().map_or_else(String::new, |path| {
            let at =
                diagnostic.span.map_or_else(String::new, |span| format!(":{}:{}", span.line, span.column));
            format!("{}{at}: ", context.short(path))
        });
        let message = context.short_paths(&diagnostic.message);
        let line = format!("{}[{}]: {place}{message}\n", diagnostic.severity, diagnostic.code);
        output::tell(&output::harmless(line.trim_end()));
        output::tell("\n");
    }
}

/// Prints the number of problems of the skills in one line. A command about one message does not print all of them.
pub(crate) fn tell_catalog(context: &Context, catalog: &Catalog) {
    tell_diagnostics(context, &context.diagnostics());
    let wrong = catalog.diagnostics.iter().filter(|one| one.severity >= Severity::Warning).count();
    match wrong {
        0 => {}
        1 => output::tell("1 problem with the skills here: skillful list\n"),
        many => output::tell(&format!("{many} problems with the skills here: skillful list\n")),
    }
}

/// Everything wrong that a command met: with our own files, with the skills, and with its own work.
pub(crate) fn diagnostic_views(
    context: &Context,
    catalog: &Catalog,
    own: &[Diagnostic],
) -> Vec<DiagnosticView> {
    DiagnosticView::all(context.diagnostics().iter().chain(&catalog.diagnostics).chain(own))
}

/// Diagnostics with the lines they point at.
pub(crate) fn diagnostics_text(context: &Context, diagnostics: &[Diagnostic]) -> String {
    pretty::render(diagnostics, diagnostics_look(context), source_text)
}

/// How diagnostics are laid out on this terminal.
pub(crate) fn diagnostics_look(context: &Context) -> Look<'_> {
    let colour = if context.output.color { Colour::Always } else { Colour::Never };
    let environment = context.workspace.environment();
    let home = context.output.is_table().then_some(environment.home.as_path());
    Look {
        base: &environment.cwd,
        home,
        colour,
        width: context.output.width,
        wraps: context.output.is_table(),
        effect: None,
        fixable: &[],
    }
}

/// The text of a file that diagnostics point into.
pub(crate) fn source_text(file: &Path) -> Option<String> {
    bounded::read_text(file, FILE_LIMIT, bounded::around(file).as_ref()).ok()
}

/// A failed print is a failure like any other.
pub(crate) fn printed(result: std::io::Result<()>) -> Result<(), Failure> {
    result.map_err(crate::error::failed("write the output"))
}
