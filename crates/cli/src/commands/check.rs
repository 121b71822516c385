//! `check`: every problem with its line and its fix, for terminals and for CI.

use super::{check_fix, diagnostics_look, printed, source_text};
use crate::{
    args::{CheckArgs, FailOn, Format},
    context::Context,
    error::{Exit, Failure, Outcome},
    output::{Cell, Table, harmless, wrapped},
    report::{json::with_ends, pretty, pretty::Look, sarif, summary},
};
use skillful::{
    library::repairable,
    shell_word::shell_word,
    views::{
        DiagnosticView,
        check::{self, CheckReport, CheckSummary, CodeCount},
    },
    workspace::{CheckRequest, CheckedSkills, Refusals},
};
use skillful_catalog::inspect::{Checked, Read};
use skillful_format::{Code, Diagnostic, Profile, Severity, check::PROFILES};
use std::{
    borrow::Cow,
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::OnceLock,
};

pub(crate) fn run(context: &mut Context, args: &CheckArgs) -> Outcome {
    let profile = profile_named(context, &args.profile)?;
    let agent = args.agent.as_deref().map(|name| context.known_agent(name).cloned()).transpose()?;
    if args.fix {
        let files = context.workspace.files_to_repair(&args.paths)?;
        return check_fix::run(context, args, &files, profile);
    }
    let ignored = ignored(&args.ignore)?;
    let format = match args.format {
        Format::Text if context.output.json => Format::Json,
        format => format,
    };
    let look = diagnostics_look(context);
    let counts_fixes = format == Format::Text && (args.summary || context.output.is_table());
    let agents = OnceLock::new();
    let effect = |checked: &Checked| {
        let is_shown =
            format == Format::Text && !args.summary && args.agent.is_none() && !checked.is_accepted();
        let agents = || agents.get_or_init(|| context.workspace.agents_found());
        is_shown.then(|| Refusals::of(agents(), &checked.file).sentence()).flatten()
    };
    let shape = |checked: &Checked, read: Option<Read<'_>>| {
        let sieved;
        let checked = if ignored.is_empty() {
            checked
        } else {
            sieved = without(checked.clone(), &ignored);
            &sieved
        };
        let text = |path: &Path| match read {
            Some(read) if path == checked.file => Some(Cow::Borrowed(read.text)),
            _ => source_text(path).map(Cow::Owned),
        };
        let fixable = read.filter(|_| counts_fixes).map_or_else(Vec::new, |read| repairable(checked, read));
        let shown = match format {
            Format::Json => Shown::Views(with_ends(&checked.diagnostics, text)),
            Format::Text if !args.summary => {
                let effect = effect(checked);
                let look = Look { effect: effect.as_deref(), fixable: &fixable, ..look };
                Shown::Text(pretty::render(&checked.diagnostics, look, text))
            }
            Format::Text | Format::Sarif => Shown::Later,
        };
        (shown, fixable)
    };
    let request = CheckRequest { paths: &args.paths, profile, agent: agent.as_ref() };
    let CheckedSkills { checked: mut shown, skipped } = context.workspace.check(&request, shape)?;
    if !ignored.is_empty() {
        for (checked, _) in &mut shown {
            *checked = without(std::mem::replace(checked, empty_check()), &ignored);
        }
    }
    let severities: Vec<Severity> =
        shown.iter().flat_map(|(one, _)| &one.diagnostics).map(|found| found.severity).collect();
    match format {
        Format::Json => {
            let views = shown.into_iter().map(|(checked, (shown, _))| (checked, shown.views())).collect();
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
            let (checked, shown): (Vec<Checked>, Vec<(Shown, Vec<Code>)>) = shown.into_iter().unzip();
            let mut fixable: BTreeMap<Code, usize> = BTreeMap::new();
            for code in shown.iter().flat_map(|(_, codes)| codes) {
                *fixable.entry(*code).or_default() += 1;
            }
            let texts = shown.into_iter().map(|(shown, _)| shown.text()).filter(|text| !text.is_empty());
            let mut out = texts.collect::<Vec<_>>().join("\n");
            if args.summary {
                out = codes(context, &check::codes(&checked), &fixable);
                if context.output.is_table() {
                    out.push('\n');
                }
            } else if !out.is_empty() && context.output.is_table() {
                out.push_str(&format!("\n{}\n", codes(context, &check::codes(&checked), &fixable)));
            } else if !out.is_empty() {
                out.push('\n');
            }
            out.push_str(&summary(&CheckSummary::of(&checked), |folder| context.short(Path::new(folder))));
            out.push('\n');
            if !skipped.is_empty() {
                let names: Vec<String> = skipped.iter().map(|file| context.short(file)).collect();
                let line = format!("Skipped, a file of another skill: {}", names.join(", "));
                out.push_str(&wrapped(&line, context.output.width, "  "));
            }
            let fixes: usize =
                fixable.iter().filter(|(code, _)| !ignored.contains(code)).map(|(_, count)| count).sum();
            if fixes > 0 && context.output.is_table() {
                let paths = args.paths.iter().map(|path| shell_word(&path.to_string_lossy()));
                let words: Vec<String> = paths.map(|path| format!(" {}", harmless(&path))).collect();
                out.push_str(&format!("Fix {fixes} now: skillful check{} --fix\n", words.concat()));
            }
            if !ignored.is_empty() {
                let words: Vec<&str> = ignored.iter().map(|code| code.as_str()).collect();
                out.push_str(&format!("Ignored: {}\n", words.join(", ")));
            }
            printed(context.output.page(&out))?;
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

/// The codes that words name.
fn ignored(words: &[String]) -> Result<Vec<Code>, Failure> {
    let code = |word: &String| {
        word.parse::<Code>().map_err(|()| {
            let known = Code::ALL.iter().map(|code| code.as_str());
            let near = skillful_catalog::names::nearest(word, known);
            let failure = Failure::usage(format!("no code named `{}`", harmless(word)));
            failure.hint(match near.first() {
                Some(near) => format!("skillful check --ignore {near}"),
                None => "the codes are in the output of skillful check --summary".to_owned(),
            })
        })
    };
    words.iter().map(code).collect()
}

fn without(mut checked: Checked, ignored: &[Code]) -> Checked {
    checked.diagnostics.retain(|found| !ignored.contains(&found.code));
    checked
}

fn empty_check() -> Checked {
    Checked { file: PathBuf::new(), diagnostics: Vec::new() }
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
pub(crate) fn profile_named(context: &Context, name: &str) -> Result<&'static Profile, Failure> {
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

/// How often each code was reported.
fn codes(context: &Context, codes: &[CodeCount], fixable: &BTreeMap<Code, usize>) -> String {
    let rows = codes.iter().map(|one| {
        let fixes = one.code.parse::<Code>().ok().and_then(|code| fixable.get(&code)).copied();
        let counts = [one.errors, one.warnings, one.notes, one.skills, fixes.unwrap_or(0)].map(Cell::number);
        std::iter::once(Cell::plain(&one.code)).chain(counts).collect()
    });
    let heads = vec!["CODE", "ERRORS", "WARNINGS", "NOTES", "SKILLS", "FIXABLE"];
    Table { heads, rows: rows.collect() }.render(&context.output)
}
