//! Completion in the shell: commands and options, and the names of skills, agents and sources of this folder.
//!
//! A shell calls the program with `SKILLFUL_COMPLETE=SHELL`; the script that `skillful completions SHELL` prints sets that up.

use crate::{
    args::Global,
    context::Context,
    output::{ColorWhen, harmless},
};
use clap::{Arg, Command};
use clap_complete::{
    CompleteEnv,
    engine::{ArgValueCompleter, CompletionCandidate},
    env::Shells,
};
use skillful::{
    SkillState,
    library::{Library, Scope},
};
use skillful_catalog::{Scope as SkillScope, names::in_order};
use std::{
    collections::BTreeSet,
    env,
    ffi::{OsStr, OsString},
    time::SystemTime,
};

/// The variable that a shell sets when it asks for completions.
const VARIABLE: &str = "SKILLFUL_COMPLETE";
/// Whose skills a list can be narrowed to.
const SCOPES: [SkillScope; 7] = [
    SkillScope::Project,
    SkillScope::User,
    SkillScope::Custom,
    SkillScope::Managed,
    SkillScope::Plugin,
    SkillScope::Integration,
    SkillScope::System,
];
/// Candidates that one answer has at most.
const MOST: usize = 1_000;

/// Answers a shell, and ends the process, when one asks.
pub(crate) fn answer() {
    if env::var_os(VARIABLE).is_some() {
        CompleteEnv::with_factory(|| with_aliases(with_names(crate::command_line())))
            .var(VARIABLE)
            .complete();
    }
}

/// The command line in which other names of commands are completed like these. They stay out of lists.
fn with_aliases(command: Command) -> Command {
    crate::aliases::of_commands()
        .fold(command, |command, (name, meant)| command.mut_subcommand(meant, |inner| inner.alias(name)))
}

/// The script that a shell loads.
pub(crate) fn script(shell: &str) -> Option<Vec<u8>> {
    let mut script = Vec::new();
    let shells = Shells::builtins();
    let completer = shells.completer(shell)?;
    completer.write_registration(VARIABLE, "skillful", "skillful", "skillful", &mut script).ok()?;
    Some(script)
}

/// The command line whose arguments know the names of this folder.
fn with_names(command: Command) -> Command {
    let in_source = command.get_name() == "source";
    let installed = matches!(command.get_name(), "remove" | "update" | "diff");
    let in_list = command.get_name() == "list";
    command
        .mut_args(|argument| named(if in_list { list_filter(argument) } else { argument }, installed))
        .mut_subcommands(move |inner| {
            let inner = if in_source { inner.mut_args(source_label) } else { inner };
            with_names(inner)
        })
}

fn named(argument: Arg, installed: bool) -> Arg {
    let is = |id: &str| argument.get_id() == id;
    if is("agent") || is("missing_in") {
        return argument.add(ArgValueCompleter::new(|start: &OsStr| candidates(start, agents)));
    }
    let is_skill = is("skill") || is("skills") || installed && is("names");
    if is_skill && argument.get_value_names().is_none_or(|names| names.iter().all(|name| *name != "FILE")) {
        return argument.add(ArgValueCompleter::new(|start: &OsStr| candidates(start, skills)));
    }
    argument
}

fn source_label(argument: Arg) -> Arg {
    if argument.get_id() == "label" {
        return argument.add(ArgValueCompleter::new(|start: &OsStr| candidates(start, sources)));
    }
    argument
}

fn list_filter(argument: Arg) -> Arg {
    match argument.get_id().as_str() {
        "source" => argument.add(ArgValueCompleter::new(|start: &OsStr| candidates(start, list_sources))),
        "state" => argument.add(ArgValueCompleter::new(|start: &OsStr| words(start, &SkillState::WORDS))),
        "scope" => {
            argument.add(ArgValueCompleter::new(|start: &OsStr| words(start, &SCOPES.map(SkillScope::word))))
        }
        _ => argument,
    }
}

/// Words that are the same in every folder.
fn words(start: &OsStr, all: &[&str]) -> Vec<CompletionCandidate> {
    let start = start.to_str().unwrap_or_default();
    all.iter().filter(|word| word.starts_with(start)).map(CompletionCandidate::new).collect()
}

type Named = (String, Option<String>);

fn candidates(start: &OsStr, names: fn(&Context) -> Vec<Named>) -> Vec<CompletionCandidate> {
    let Some(start) = start.to_str() else { return Vec::new() };
    let Ok(context) = Context::new(&global()) else { return Vec::new() };
    let fitting = names(&context).into_iter().filter(|(name, _)| is_plain(name) && name.starts_with(start));
    let shown = |help: String| harmless(&help).into();
    fitting.take(MOST).map(|(name, help)| CompletionCandidate::new(name).help(help.map(shown))).collect()
}

/// Whether a name is one word to a shell and to this program. One that a shell would split or run, or that would be an
/// option, is not offered.
fn is_plain(name: &str) -> bool {
    !name.starts_with('-') && name.chars().all(|one| one.is_alphanumeric() || "._:@+-/".contains(one))
}

/// The options of every command, as far as they decide about names: the folder that the user named before.
fn global() -> Global {
    let words: Vec<OsString> = env::args_os().collect();
    let named = words.windows(2).find(|pair| pair[0] == "-C" || pair[0] == "--directory");
    Global {
        json: false,
        directory: named.map(|pair| pair[1].clone().into()),
        color: ColorWhen::Never,
        root: Vec::new(),
        trust_project: false,
        touch: Vec::new(),
        no_cache: false,
    }
}

fn skills(context: &Context) -> Vec<Named> {
    let catalog = context.workspace.catalog();
    let names = catalog.entries.iter().map(skillful::Entry::address);
    let pending = context.workspace.pending_downloads().iter().map(|one| one.name.clone());
    let names: BTreeSet<String> = names.chain(pending).collect();
    let mut names: Vec<String> = names.into_iter().collect();
    names.sort_by(|one, other| in_order(one, other));
    names.into_iter().map(|name| (name, None)).collect()
}

fn agents(context: &Context) -> Vec<Named> {
    let found: BTreeSet<&str> =
        context.workspace.agents_found().into_iter().map(|agent| agent.id.as_str()).collect();
    let mut all: Vec<_> = context.workspace.agents().iter().filter(|agent| agent.product).collect();
    all.sort_by_key(|agent| (!found.contains(agent.id.as_str()), agent.id.clone()));
    all.into_iter().map(|agent| (agent.id.clone(), Some(agent.title.clone()))).collect()
}

fn sources(context: &Context) -> Vec<Named> {
    let library = Library::open(&context.workspace, Scope::User, SystemTime::now());
    let sources = library.ok().and_then(|library| library.sources().ok()).unwrap_or_default();
    let source = |(label, entry): (String, skillful_registry::sources::SourceEntry)| {
        (label, Some(entry.source.to_string()))
    };
    sources.sources.into_iter().map(source).collect()
}

/// What `list --source` can name.
fn list_sources(context: &Context) -> Vec<Named> {
    skillful::views::list_sources(&context.workspace).into_iter().collect()
}

/// Writes the script for a shell, static where the shell has no other.
pub(crate) fn write(shell: clap_complete::Shell, out: &mut Vec<u8>) {
    match script(&shell.to_string()) {
        Some(script) => out.extend(script),
        None => clap_complete::generate(shell, &mut crate::command_line(), "skillful", out),
    }
}
