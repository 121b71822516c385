//! `check`: every problem with its line and its fix, for terminals and for CI.

use super::{diagnostics_look, printed, source_text};
use crate::{
    args::{CheckArgs, FailOn, Format},
    context::Context,
    error::{Exit, Failure, Outcome},
    output::{Cell, Table},
    report::{json::with_ends, pretty, sarif, summary},
};
use skillful::views::{
    DiagnosticView,
    check::{self, CheckReport, CheckSummary, CodeCount},
};
use skillful_agents::{Unseen, refusal};
use skillful_catalog::{
    AgentProfile,
    inspect::{Checked, check_files, skill_files},
};
use skillful_format::{Code, Diagnostic, Profile, Severity, check::PROFILES};
use std::path::{Path, PathBuf};

pub(crate) fn run(context: &mut Context, args: &CheckArgs) -> Outcome {
    let profile = profile_named(context, &args.profile)?;
    let agent = args.agent.as_deref().map(|name| context.known_agent(name).cloned()).transpose()?;
    let (files, empty) = files(context, &args.paths)?;
    let more = |file: &Path| agent.as_ref().map_or_else(Vec::new, |agent| refusals(agent, file));
    let format = if context.output.json { Format::Json } else { args.format };
    let look = diagnostics_look(context);
    let shape = |checked: &Checked, text: Option<&str>| {
        let read = |path: &Path| match text {
            Some(text) if path == checked.file => Some(text.to_owned()),
            _ => source_text(path),
        };
        match format {
            Format::Json => Shown::Views(with_ends(&checked.diagnostics, read)),
            Format::Text => Shown::Text(pretty::render(&checked.diagnostics, look, read)),
            Format::Sarif => Shown::Later,
        }
    };
    let mut shown = check_files(&files, profile, &more, shape);
    shown.extend(empty.iter().map(|folder| without_skill(folder)).map(|checked| {
        let shown = shape(&checked, None);
        (checked, shown)
    }));
    let severities: Vec<Severity> =
        shown.iter().flat_map(|(one, _)| &one.diagnostics).map(|found| found.severity).collect();
    match format {
        Format::Json => {
            let views = shown.into_iter().map(|(checked, shown)| (checked, shown.views())).collect();
            printed(context.output.print_json(&CheckReport::new(&args.profile, views)))?;
        }
        Format::Sarif => {
            let found: Vec<Diagnostic> = shown.into_iter().flat_map(|(one, _)| one.diagnostics).collect();
            let log = sarif::log(
                &found,
                &context.workspace.environment().cwd,
                env!("CARGO_PKG_VERSION"),
                source_text,
            );
            printed(context.output.print_sarif(&log))?;
        }
        Format::Text => {
            let (checked, shown): (Vec<Checked>, Vec<Shown>) = shown.into_iter().unzip();
            let texts = shown.into_iter().map(Shown::text).filter(|text| !text.is_empty());
            let mut out = texts.collect::<Vec<_>>().join("\n");
            if !out.is_empty() && context.output.is_table() {
                out.push_str(&format!("\n{}\n", codes(context, &check::codes(&checked))));
            } else if !out.is_empty() {
                out.push('\n');
            }
            out.push_str(&summary(&CheckSummary::of(&checked), |folder| context.short(Path::new(folder))));
            out.push('\n');
            printed(context.output.print(&out))?;
        }
    }
    let limit = match args.fail_on {
        FailOn::Error => Severity::Error,
        FailOn::Warning => Severity::Warning,
        FailOn::Note => Severity::Note,
    };
    let failed = severities.iter().any(|severity| *severity >= limit);
    Ok(if failed { Exit::Findings } else { Exit::Clean })
}

/// What is shown of one skill.
enum Shown {
    Views(Vec<DiagnosticView>),
    Text(String),
    /// The whole log is made at the end.
    Later,
}

impl Shown {
    fn views(self) -> Vec<DiagnosticView> {
        if let Self::Views(views) = self { views } else { Vec::new() }
    }

    fn text(self) -> String {
        if let Self::Text(text) = self { text } else { String::new() }
    }
}

/// What to check against.
fn profile_named(context: &Context, name: &str) -> Result<&'static Profile, Failure> {
    PROFILES.iter().find(|profile| profile.id == name).copied().ok_or_else(|| {
        let known: Vec<&str> = PROFILES.iter().map(|profile| profile.id).collect();
        let failure = Failure::usage(format!("no profile named `{name}`"))
            .cause(format!("the profiles are {}", known.join(" and ")));
        let near = skillful_catalog::names::nearest(name, known.iter().copied());
        match (context.workspace.agent(name), near.first()) {
            (Ok(agent), _) => failure.hint(format!("skillful check --agent {}", agent.id)),
            (Err(_), Some(near)) => failure.hint(format!("skillful check --profile {near}")),
            (Err(_), None) => failure.hint("leave --profile out, or name one of these"),
        }
    })
}

/// Why an agent would not load the file.
fn refusals(agent: &AgentProfile, file: &Path) -> Vec<Diagnostic> {
    let refusal = refusal(agent, file);
    let diagnostic = |unseen: Unseen| {
        let diagnostic = Diagnostic::new(
            Code::AgentRefuses,
            format!("{} does not load this: {}", agent.title, unseen.reason),
        );
        match unseen.fix {
            Some(fix) => diagnostic.help(fix),
            None => diagnostic,
        }
    };
    refusal.map(diagnostic).into_iter().collect()
}

/// The skill files that the paths mean, and the folders without one.
fn files(context: &Context, paths: &[PathBuf]) -> Result<(Vec<PathBuf>, Vec<PathBuf>), Failure> {
    let cwd = &context.workspace.environment().cwd;
    let mut files = Vec::new();
    let mut empty = Vec::new();
    for path in paths {
        let path = cwd.join(path);
        if path.symlink_metadata().is_err() {
            return Err(Failure::usage(format!("`{}` does not exist", path.display())));
        }
        let found = skill_files(&path);
        if found.is_empty() {
            empty.push(path);
        }
        files.extend(found);
    }
    if paths.is_empty() {
        files = skill_files(cwd);
        if files.is_empty() {
            return Err(Failure::usage("no SKILL.md at or below this folder")
                .hint("name the skills to check, or create one with `skillful new NAME`"));
        }
    }
    files.dedup();
    Ok((files, empty))
}

fn without_skill(folder: &Path) -> Checked {
    let diagnostic =
        Diagnostic::new(Code::NoSkillFile, "no SKILL.md at or below this folder").in_path(folder);
    Checked { file: folder.join("SKILL.md"), diagnostics: vec![diagnostic] }
}

/// How often each code was reported.
fn codes(context: &Context, codes: &[CodeCount]) -> String {
    let rows = codes.iter().map(|one| {
        let counts = [one.errors, one.warnings, one.notes, one.skills].map(Cell::number);
        std::iter::once(Cell::plain(&one.code)).chain(counts).collect()
    });
    let heads = vec!["CODE", "ERRORS", "WARNINGS", "NOTES", "SKILLS"];
    Table { heads, rows: rows.collect() }.render(&context.output)
}
