//! The program `skillful`: commands, configuration, output, wiring. It contains no rules about skills;
//! the libraries do.

mod age;
mod aliases;
pub mod args;
mod assistant;
mod browser;
mod commands;
mod completion;
mod consent;
mod context;
mod curator;
mod error;
mod help;
mod memory;
pub mod output;
mod pager;
mod progress;
mod prompt;
pub mod report;
mod requirements;
mod team_usage;
mod terminal;
mod turn;
mod usage_error;
mod work;

use args::{Cli, Command, Global, McpArgs, McpCommand};
use clap::{
    Args as _, CommandFactory, FromArgMatches as _, Parser,
    error::{ContextKind, ContextValue, ErrorKind},
};
use context::Context;
use error::{Exit, Failure};
use skillful::views::{ErrorItem, ErrorReport, ErrorView};
use std::{ffi::OsString, process::ExitCode};

/// Runs the program and returns its exit code.
pub fn run() -> ExitCode {
    completion::answer();
    let words = aliases::expand(std::env::args_os());
    if let Some(text) = version_asked(&words).or_else(|| help::topics::asked(&words)) {
        let _ignored = std::io::Write::write_all(&mut std::io::stdout(), text.as_bytes());
        return Exit::Clean.into();
    }
    let cli = match parsed(&words) {
        Ok(cli) => cli,
        Err(error) => return not_parsed(&error, &words),
    };
    match command(&cli) {
        Ok(exit) => exit.into(),
        Err(failure) => {
            fail(&cli, &failure);
            failure.exit.into()
        }
    }
}

/// Reads the command line. Without a word there is no command to know: the options that every command has are a tenth of all.
fn parsed(words: &[OsString]) -> Result<Cli, clap::Error> {
    if words.len() > 1 {
        return Cli::try_parse_from(words);
    }
    let options = Global::augment_args(clap::Command::new("skillful")).try_get_matches_from(words)?;
    Ok(Cli { global: Global::from_arg_matches(&options)?, command: None })
}

/// The version, when nothing else is asked for: reading the whole command line takes longer than everything else.
fn version_asked(words: &[OsString]) -> Option<&'static str> {
    let [_, flag] = words else { return None };
    let asked = flag == "--version" || flag == "-V";
    asked.then_some(concat!("skillful ", env!("CARGO_PKG_VERSION"), "\n"))
}

/// Help and versions go to standard output. A command that does not exist gets the nearest name.
fn not_parsed(error: &clap::Error, words: &[OsString]) -> ExitCode {
    if error.kind() == ErrorKind::DisplayHelp
        && let Some(help) = help::asked(&help::complete(), words)
    {
        let _ignored = std::io::Write::write_all(&mut std::io::stdout(), help.as_bytes());
        return Exit::Clean.into();
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
        && let Some(help) = help::asked(&help::complete(), words)
    {
        output::tell(&help);
        return Exit::Usage.into();
    }
    let unknown = match (error.kind(), error.get(ContextKind::InvalidSubcommand)) {
        (ErrorKind::InvalidSubcommand, Some(ContextValue::String(word))) => Some(word),
        _ => None,
    };
    if let (ErrorKind::UnknownArgument, Some(ContextValue::String(option))) =
        (error.kind(), error.get(ContextKind::InvalidArg))
        && option.starts_with('-')
    {
        let near = match error.get(ContextKind::SuggestedArg) {
            Some(ContextValue::String(near)) => Some(near.as_str()).filter(|near| is_near(option, near)),
            _ => None,
        };
        let (command, fix) = aliases::option_instead(words, option, near);
        output::tell(&format!("error: {command} has no option {}\n", output::harmless(option)));
        output::tell(&format!("  fix:   {fix}\n"));
        return Exit::Usage.into();
    }
    let Some(word) = unknown else {
        if let Some(wrong) = usage_error::explained(error, words) {
            output::tell(&wrong);
            return Exit::Usage.into();
        }
        let _ignored = error.print();
        return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
    };
    output::tell(&format!("error: no command \"{}\"\n", output::harmless(word)));
    output::tell(&format!("  fix:   {}\n", aliases::instead(words, word)));
    Exit::Usage.into()
}

/// Whether one option may be meant by another word: `--dry` or `--jsno`, and not `--touch` by `--to`.
fn is_near(option: &str, near: &str) -> bool {
    let [option, near] = [option, near].map(|word| word.trim_start_matches('-'));
    !skillful_catalog::names::nearest(option, [near].into_iter()).is_empty()
}

fn command(cli: &Cli) -> Result<Exit, Failure> {
    if let Some(Command::Completions(args)) = &cli.command {
        return commands::completions::run(args);
    }
    if let Some(Command::Tour(args)) = &cli.command {
        return commands::tour::run(&cli.global, args);
    }
    let mut context = Context::new(&cli.global)?;
    let outcome = carry_out(cli, &mut context);
    if !matches!(&cli.command, Some(Command::Sync(args)) if args.send_usage) {
        team_usage::send_later(&context);
    }
    // Programs that read JSON get whole paths.
    let outcome = outcome.map_err(|failure| {
        if cli.global.json { failure } else { failure.map(|text| context.short_paths(text)) }
    });
    // The process ends here, and the system frees its memory faster than thousands of skills one by one.
    std::mem::forget(context.workspace);
    outcome
}

fn carry_out(cli: &Cli, context: &mut Context) -> Result<Exit, Failure> {
    let Some(command) = &cli.command else { return commands::overview::run(context) };
    match command {
        Command::Ask(args) => commands::ask::run(context, args),
        Command::Chat(args) => commands::chat::run(context, args),
        Command::Run(args) => commands::run_skill::run(context, args),
        Command::Search(args) => commands::search::run(context, args),
        Command::Use(args) => commands::use_skill::run(context, args),
        Command::Exec(args) => commands::exec::run(context, args),
        Command::Eval(args) => commands::eval::run(context, args),
        Command::List(args) if args.watch => commands::list_watch::run(context, args.seconds),
        Command::List(args) => commands::list::run(context, args),
        Command::Show(args) => commands::show::run(context, args),
        Command::Ui(args) => commands::ui::run(context, args),
        Command::Check(args) => commands::check::run(context, args),
        Command::Audit(args) => commands::audit::run(context, args),
        Command::New(args) => commands::new::run(context, args),
        Command::Fmt(args) => commands::fmt::run(context, args),
        Command::Lsp(args) => commands::lsp::run(context, args),
        Command::Add(args) => commands::add::run(context, args),
        Command::Remove(args) => commands::remove::run(context, args),
        Command::Sync(args) => commands::sync::run(context, args),
        Command::Verify(args) => commands::verify::run(context, args),
        Command::Update(args) => commands::update::run(context, args),
        Command::Diff(args) => commands::diff::run(context, args),
        Command::Clean(args) => commands::clean::run(context, args),
        Command::Sign(args) => commands::sign::run(context, args),
        Command::Publish(args) => commands::publish::run(context, args),
        Command::Push(args) => commands::push::run(context, args),
        Command::Source(args) => commands::source::run(context, args),
        Command::Starter(args) => commands::starter::run(context, args),
        Command::Export(args) => commands::export::run(context, args),
        Command::View(args) => commands::view::run(context, args),
        Command::Explain(args) => commands::explain::run(context, args),
        Command::Menu(args) => commands::menu::run(context, args),
        Command::Secret(args) => commands::secret::run(context, args),
        Command::Proxy(args) => commands::proxy::run(context, args),
        Command::Sessions(args) => commands::sessions::run(context, args),
        Command::Review(args) => commands::review::run(context, args),
        Command::Agents(args) if args.folders => commands::agent_folders::run(context, args),
        Command::Agents(_) => commands::agents::run(context),
        Command::Enable(args) => commands::switch::run(context, args, true),
        Command::Disable(args) => commands::switch::run(context, args, false),
        Command::Trust(args) => commands::trust::run(context, args),
        Command::Untrust(args) => commands::trust::undo(context, args),
        Command::Doctor(args) => commands::doctor::run(context, args),
        Command::Sandbox => commands::sandbox::run(context),
        Command::Mcp(McpArgs { command: Some(McpCommand::Tools(args)), .. }) => {
            commands::mcp_tools::run(context, args)
        }
        Command::Mcp(McpArgs { command: Some(McpCommand::Allow(args)), .. }) => {
            commands::mcp_answer::run(context, args, true)
        }
        Command::Mcp(McpArgs { command: Some(McpCommand::Deny(args)), .. }) => {
            commands::mcp_answer::run(context, args, false)
        }
        Command::Mcp(McpArgs { command: Some(McpCommand::SignIn(args)), .. }) => {
            commands::mcp_sign_in::sign_in(context, args)
        }
        Command::Mcp(McpArgs { command: Some(McpCommand::SignOut(args)), .. }) => {
            commands::mcp_sign_in::sign_out(context, args)
        }
        Command::Mcp(McpArgs { command: Some(McpCommand::Install(args)), .. }) => {
            commands::agent_settings::mcp(context, args, true)
        }
        Command::Mcp(McpArgs { command: Some(McpCommand::Uninstall(args)), .. }) => {
            commands::agent_settings::mcp(context, args, false)
        }
        Command::Mcp(args) => commands::mcp::run(context, args),
        Command::Serve(args) => commands::serve::run(context, args),
        Command::Login(args) => commands::login::run(context, args),
        Command::Logout(args) => commands::login::out(context, args),
        Command::Config(args) => commands::config::run(context, args),
        Command::Completions(_) | Command::Tour(_) => Ok(Exit::Clean),
    }
}

/// Prints what failed, why, and the fix on standard error, as JSON with `--json`.
fn fail(cli: &Cli, failure: &Failure) {
    let words: Vec<OsString> = std::env::args_os().collect();
    let as_command = |hint: &String| usage_error::as_command(hint, &failure.message, &words);
    let hints: Vec<String> = failure.hints.iter().map(as_command).collect();
    if cli.global.json {
        let items =
            failure.items.iter().map(|(name, why)| ErrorItem { name: name.clone(), why: why.clone() });
        let report = ErrorReport::new(ErrorView {
            message: failure.message.clone(),
            items: items.collect(),
            cause: failure.cause.clone(),
            fixes: hints,
        });
        output::tell_json(&report);
        return;
    }
    let width = output::error_width();
    let line = |label: &str, words: &str| {
        let text = format!("{label}{}", output::harmless(words));
        output::tell(&output::wrapped(&text, width, "         "));
    };
    line("error: ", &failure.message);
    let names: Vec<String> = failure.items.iter().map(|(name, _)| output::harmless(name)).collect();
    let widest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    for (name, (_, why)) in names.iter().zip(&failure.items) {
        line(&format!("  {name:<widest$}  "), why);
    }
    if let Some(cause) = &failure.cause {
        line("  cause: ", cause);
    }
    for (at, hint) in hints.iter().enumerate() {
        line(if at == 0 { "  fix:   " } else { "         " }, hint);
    }
}

/// The whole command line.
pub fn command_line() -> clap::Command {
    Cli::command()
}

/// The help of every command as `--help` prints it, with the path of the command.
pub fn helps() -> Vec<(String, String)> {
    fn below(root: &clap::Command, command: &clap::Command, above: &str, helps: &mut Vec<(String, String)>) {
        for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
            let path = format!("{above}{}", inner.get_name());
            helps.push((path.clone(), help::text(root, inner, &path, true)));
            below(root, inner, &format!("{path} "), helps);
        }
    }
    let root = help::complete();
    let mut helps = Vec::new();
    below(&root, &root, "", &mut helps);
    helps
}

/// The command and the options that words on a command line mean, the name of the program first.
pub fn parse(words: impl Iterator<Item = OsString>) -> Result<clap::ArgMatches, clap::Error> {
    command_line().try_get_matches_from(aliases::expand(words))
}

/// Writes the manual pages into a folder that exists.
pub fn write_manual(folder: &std::path::Path) -> std::io::Result<()> {
    clap_mangen::generate_to(command_line(), folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_short_way_to_the_version_prints_what_the_parser_prints() {
        for flag in ["--version", "-V"] {
            let words = ["skillful", flag].map(OsString::from);
            assert_eq!(version_asked(&words), Some(&*Cli::command().render_version()));
        }
        for words in [&["skillful"][..], &["skillful", "list"], &["skillful", "list", "--version"]] {
            assert_eq!(version_asked(&words.iter().map(OsString::from).collect::<Vec<_>>()), None);
        }
    }
}
