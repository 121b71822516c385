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
};
use skillful_agents::{Unseen, refusal};
use skillful_catalog::{
    AgentProfile, Scope,
    bounded::Repositories,
    inspect::{Checked, Read, all_skill_files, check_below, check_files, check_files_in, command_files},
};
use skillful_format::{Code, Diagnostic, Profile, Severity, check::PROFILES};
use std::{
    borrow::Cow,
    cmp::Ordering,
    collections::{BTreeMap, HashSet},
    path::{Path, PathBuf},
    sync::OnceLock,
};

pub(crate) fn run(context: &mut Context, args: &CheckArgs) -> Outcome {
    let profile = profile_named(context, &args.profile)?;
    let agent = args.agent.as_deref().map(|name| context.known_agent(name).cloned()).transpose()?;
    if args.fix {
        let (files, _) = files(context, &args.paths)?;
        return check_fix::run(context, args, &files, profile);
    }
    let ignored = ignored(&args.ignore)?;
    let more = |file: &Path| agent.as_ref().map_or_else(Vec::new, |agent| refusals(agent, file));
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
        is_shown
            .then(|| effect_of(agents.get_or_init(|| context.workspace.agents_found()), &checked.file))
            .flatten()
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
    let (mut shown, skipped) = checked(context, &args.paths, profile, &more, &shape)?;
    shown.sort_by(|(one, _), (other, _)| in_order_of_paths(&one.file, &other.file));
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

/// What an error in a file means for the agents found here: which of them refuse the file.
fn effect_of(agents: &[&AgentProfile], file: &Path) -> Option<String> {
    let is_read = |agent: &&AgentProfile| agent.scan.files.iter().any(|name| file.ends_with(name));
    let (refuse, read): (Vec<_>, Vec<_>) =
        agents.iter().copied().filter(is_read).partition(|agent| refusal(agent, file).is_some());
    let titles = |agents: &[&AgentProfile]| {
        let titles: Vec<&str> = agents.iter().map(|agent| agent.title.as_str()).collect();
        titles.join(", ")
    };
    let verb = |agents: &[&AgentProfile], one: &str, many: &str| {
        if agents.len() == 1 { one.to_owned() } else { many.to_owned() }
    };
    match (refuse.is_empty(), read.is_empty()) {
        (true, true) => None,
        (false, true) => Some(format!("{} {} it", titles(&refuse), verb(&refuse, "refuses", "refuse"))),
        (true, false) => Some(format!("{} {} it all the same", titles(&read), verb(&read, "reads", "read"))),
        (false, false) => {
            let verbs = (verb(&refuse, "refuses", "refuse"), verb(&read, "reads", "read"));
            Some(format!("{} {} it; {} {} it", titles(&refuse), verbs.0, titles(&read), verbs.1))
        }
    }
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

/// What was checked, and the skill files that were not, because they are files of a skill.
type Results<T> = (Vec<(Checked, T)>, Vec<PathBuf>);

/// Checks what the paths mean, in their order; a folder without a skill is a finding.
fn checked<T: Send>(
    context: &Context,
    paths: &[PathBuf],
    profile: &Profile,
    more: &(dyn Fn(&Path) -> Vec<Diagnostic> + Sync),
    shape: &(impl Fn(&Checked, Option<Read<'_>>) -> T + Sync),
) -> Result<Results<T>, Failure> {
    let workspace = &context.workspace;
    let repositories = Repositories::with_installed(&workspace.paths().contents(), workspace.approvals());
    if paths.is_empty() {
        let (files, skipped) = files(context, paths)?;
        return Ok((check_files_in(&repositories, &files, profile, more, shape), skipped));
    }
    let (mut all, mut skipped, mut empty) = (Vec::new(), Vec::new(), Vec::new());
    for path in named(context, paths, false)? {
        // A skill that is installed as a link is one file to check.
        let linked = path.join("SKILL.md");
        let (mut found, inner) = if path.is_symlink() && linked.is_file() {
            (check_files_in(&repositories, &[linked], profile, more, shape), Vec::new())
        } else {
            check_below(&path, profile, more, shape)
        };
        skipped.extend(inner);
        if found.is_empty() && path.is_dir() {
            let commands = command_files(&path, context.workspace.agents().iter());
            found = check_files(&commands, profile, more, shape);
        }
        if found.is_empty() {
            let checked = without_skill(&path);
            let shaped = shape(&checked, None);
            empty.push((checked, shaped));
        }
        all.extend(found);
    }
    all.dedup_by(|(next, _), (one, _)| next.file == one.file);
    all.extend(empty);
    Ok((all, skipped))
}

/// The paths of the command line, which must exist; a word that is not a path is the name of a skill. A skill that comes
/// with the program is not the user's to change.
pub(super) fn named(context: &Context, paths: &[PathBuf], writes: bool) -> Result<Vec<PathBuf>, Failure> {
    let workspace = &context.workspace;
    let place = |path: &PathBuf| {
        let place = workspace.environment().cwd.join(path);
        if place.symlink_metadata().is_ok() {
            return Ok(place);
        }
        let missing = || Failure::usage(format!("`{}` does not exist", path.display()));
        let word = path.to_str().filter(|word| !word.contains('/')).ok_or_else(missing)?;
        let hint = "name a folder, a SKILL.md or a skill; skillful list shows the skills";
        let at = workspace.find(word).map_err(|_| missing().hint(hint))?;
        let origin = &workspace.catalog().entries[at].origin;
        if writes && origin.scope == Scope::System {
            return Err(Failure::new(format!("`{word}` comes with Skillful and is not changed")));
        }
        Ok(origin.file.clone())
    };
    paths.iter().map(place).collect()
}

/// The skill files that the paths mean, and those that are files of a skill.
fn files(context: &Context, paths: &[PathBuf]) -> Result<(Vec<PathBuf>, Vec<PathBuf>), Failure> {
    let (mut files, mut skipped) = (Vec::new(), Vec::new());
    for path in named(context, paths, true)? {
        let (mut found, inner) = all_skill_files(&path);
        skipped.extend(inner);
        if found.is_empty() && path.is_dir() {
            found = command_files(&path, context.workspace.agents().iter());
        }
        files.extend(found);
    }
    if paths.is_empty() {
        (files, skipped) = everything(context);
        if files.is_empty() {
            return Err(Failure::usage("no SKILL.md at or below this folder, and no skill for any agent")
                .hint("name the skills to check, or create one with `skillful new NAME`"));
        }
    }
    files.dedup();
    Ok((files, skipped))
}

/// Every SKILL.md below this folder, and every skill that is found for this folder and this user; each once. Skills that
/// come with the program are not the user's to repair.
fn everything(context: &Context) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let (mut files, skipped) = all_skill_files(&context.workspace.environment().cwd);
    let mut known: HashSet<PathBuf> = files.iter().filter_map(|file| file.canonicalize().ok()).collect();
    let catalog = context.workspace.catalog();
    let entries = catalog.entries.iter().filter(|entry| entry.origin.scope != Scope::System);
    for entry in entries.filter(|entry| entry.origin.skipped.is_none()) {
        let file = &entry.origin.file;
        if file.canonicalize().is_ok_and(|real| known.insert(real)) {
            files.push(file.clone());
        }
    }
    // A folder that cannot be read may hold a skill: the check of its file reports it.
    let unreadable = catalog.diagnostics.iter().filter(|found| found.code == Code::FolderUnreadable);
    for folder in unreadable.filter_map(|found| found.path.as_deref()) {
        let file = folder.join("SKILL.md");
        if !files.contains(&file) {
            files.push(file);
        }
    }
    (files, skipped)
}

fn without_skill(folder: &Path) -> Checked {
    let diagnostic =
        Diagnostic::new(Code::NoSkillFile, "no SKILL.md at or below this folder").in_path(folder);
    Checked { file: folder.join("SKILL.md"), diagnostics: vec![diagnostic] }
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

/// The order of paths by their parts, as lists sort names: capitals stand beside their small letters.
fn in_order_of_paths(one: &Path, other: &Path) -> Ordering {
    let key = |byte: &u8| if *byte == b'/' { 0 } else { byte.to_ascii_lowercase() };
    let (first, second) = (one.as_os_str().as_encoded_bytes(), other.as_os_str().as_encoded_bytes());
    first.iter().map(key).cmp(second.iter().map(key)).then_with(|| one.cmp(other))
}
