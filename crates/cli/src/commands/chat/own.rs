//! The commands of a chat itself. A skill of the same name is reached by `/skill:name`.

use super::Chat;
use crate::{
    assistant::session,
    context::Context,
    error::Failure,
    output::{self, DIM, cut, harmless},
    terminal::{
        complete::{COMMAND, Choice, Vocabulary},
        status,
    },
};
use skillful_assistant::models::Models;
use skillful_assistant::{approval::ApprovalMode, model_set::ModelRequest};
use skillful_catalog::Catalog;
use skillful_select::access::{Way, offered, reach};

/// A command of the chat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Own {
    Help,
    Skills,
    Model,
    ApprovalMode,
    Status,
    Compact,
    New,
    Quit,
}

/// Each with its word and what it does.
const ALL: [(Own, &str, &str); 8] = [
    (Own::Help, "help", "list these commands"),
    (Own::Skills, "skills", "list the skills that you can call"),
    (Own::Model, "model", "show who answers, or choose: /model NAME"),
    (
        Own::ApprovalMode,
        "mode",
        "show when you are asked, or choose: /mode read-only, ask, auto-safe or autonomous",
    ),
    (Own::Status, "status", "show the state of the session"),
    (Own::Compact, "compact", "summarise the session so far"),
    (Own::New, "new", "begin a new session"),
    (Own::Quit, "quit", "leave"),
];

/// The command that a line is, and what follows it.
pub(super) fn read(line: &str) -> Option<(Own, &str)> {
    let line = line.strip_prefix('/')?;
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let word = if word == "exit" { "quit" } else { word };
    ALL.iter().find(|(_, name, _)| *name == word).map(|(own, ..)| (*own, rest.trim()))
}

/// Why a line that begins with the name of a command or a skill calls none: there is none of that name.
pub(super) fn unknown(context: &Context, line: &str) -> Option<String> {
    let name = line.strip_prefix('/')?.split_whitespace().next()?;
    // `/etc/hosts` is a path.
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.');
    if !name.chars().all(is_name) {
        return None;
    }
    let name = name.strip_prefix("skill:").unwrap_or(name);
    let refusal = reach(&context.workspace.catalog(), name, context.workspace.asker(), Way::Slash).err()?;
    let why = refusal.message();
    refusal.skill.is_none().then(|| format!("{why}; /help lists the commands"))
}

/// Everything that can be completed: our commands, and the skills that the user may call.
pub(super) fn vocabulary(context: &Context, catalog: &Catalog) -> Vocabulary {
    let asker = context.workspace.asker();
    let skill = |mark: &'static str| {
        move |at: usize| {
            let entry = &catalog.entries[at];
            let address = entry.address();
            let taken = mark == "/" && ALL.iter().any(|(_, name, _)| *name == address);
            let word = if taken { format!("/skill:{address}") } else { format!("{mark}{address}") };
            Choice {
                word: harmless(&word),
                about: harmless(entry.description().unwrap_or_default()),
                argument: harmless(entry.loaded.manifest.argument_hint.as_deref().unwrap_or_default()),
            }
        }
    };
    let own = ALL.iter().map(|(_, name, about)| Choice {
        word: format!("/{name}"),
        about: (*about).to_owned(),
        argument: COMMAND.to_owned(),
    });
    Vocabulary {
        slash: own.chain(offered(catalog, asker, Way::Slash).into_iter().map(skill("/"))).collect(),
        dollar: offered(catalog, asker, Way::Mention).into_iter().map(skill("$")).collect(),
    }
}

pub(super) fn perform(
    chat: &mut Chat,
    context: &mut Context,
    command: Own,
    rest: &str,
) -> Result<(), Failure> {
    match command {
        Own::Help => {
            let width = output::error_width();
            for (_, name, about) in &ALL {
                output::tell(&output::wrapped(&format!("/{name:<8} {about}"), width, "          "));
            }
            let others =
                "/NAME … calls a skill, $NAME mentions one; \\ at the end of a line, or Alt-Enter, goes on";
            output::tell(&output::wrapped(others, width, "  "));
        }
        Own::Skills => {
            chat.assistant.renew(context);
            let words = vocabulary(context, &context.workspace.catalog());
            let skills: Vec<&Choice> = words.slash.iter().skip(ALL.len()).collect();
            if skills.is_empty() {
                output::tell("no skill here can be called by name\n");
            }
            for skill in skills {
                let line = cut(&format!("{}  {}", skill.word, skill.about), context.output.width);
                output::tell(&format!("{line}\n"));
            }
        }
        Own::Model if rest.is_empty() => {
            let line = &chat.assistant.models.usual;
            let at = line.provider.base_url.as_str();
            output::tell(&format!("{} at {at}\n", harmless(&line.provider.model)));
            for (name, line) in &chat.assistant.models.named {
                output::tell(&format!("{}: {}\n", harmless(name), harmless(&line.provider.model)));
            }
        }
        Own::Model => match Models::of(&context.workspace).connect(Some(rest)) {
            Ok(Some(connected)) => {
                chat.assistant.models = connected.models;
                let name = rest.to_lowercase();
                let usual = chat.assistant.models.usual.clone();
                output::tell(&format!("{} answers from now on\n", harmless(&usual.provider.model)));
                chat.assistant.models.named.insert(name.clone(), usual);
                chat.assistant.wanted = ModelRequest { model: Some(name), ..chat.assistant.wanted.clone() };
            }
            Ok(None) => output::tell("no model is connected\n"),
            Err(failure) => output::tell(&format!("{}\n", harmless(&failure.message))),
        },
        Own::ApprovalMode => mode(chat, rest),
        Own::Status => {
            let line = status::line(&chat.assistant.face().status(), context.output.width);
            output::tell(&format!("{line}\n"));
            if let Some(id) = chat.assistant.recorder.id() {
                output::tell(&format!("session {}\n", harmless(&id)));
            }
            output::tell(&format!("mode {}\n", word(chat.assistant.mode)));
        }
        Own::Compact => match chat.assistant.compact(context) {
            Ok(true) => {}
            Ok(false) => output::tell("there is nothing to leave out yet\n"),
            Err(failure) => output::tell(&format!("{}\n", harmless(&failure.message))),
        },
        Own::New => {
            let (keeper, run) = session::open(context, chat.no_session, None)?;
            chat.assistant.recorder = keeper;
            chat.assistant.session = run;
            output::tell(&format!("{}\n", context.output.paint(DIM, "a new session")));
        }
        Own::Quit => {}
    }
    Ok(())
}

fn mode(chat: &mut Chat, rest: &str) {
    let wanted = [ApprovalMode::Ask, ApprovalMode::AutoSafe, ApprovalMode::Autonomous]
        .into_iter()
        .find(|mode| word(*mode) == rest);
    match wanted {
        Some(mode) => chat.assistant.set_mode(mode),
        None if rest == READ_ONLY => chat.assistant.only_read(),
        None if rest.is_empty() => {}
        None => output::tell("there are the modes read-only, ask, auto-safe and autonomous\n"),
    }
    tell_mode(chat);
}

/// The mode behind the present one, from the one that allows least to the one that allows most. To choose one is to
/// answer whether the assistant may work in the folder.
pub(super) fn next_mode(chat: &mut Chat) {
    match chat.assistant.mode {
        _ if chat.assistant.is_read_only() => chat.assistant.set_mode(ApprovalMode::Ask),
        ApprovalMode::Ask => chat.assistant.set_mode(ApprovalMode::AutoSafe),
        ApprovalMode::AutoSafe => chat.assistant.set_mode(ApprovalMode::Autonomous),
        ApprovalMode::Autonomous => chat.assistant.only_read(),
    }
    tell_mode(chat);
}

fn tell_mode(chat: &Chat) {
    if chat.assistant.is_read_only() {
        let why = chat.assistant.why_read_only();
        let text = format!("mode read-only: {why}; /mode auto-safe lets the assistant change files");
        output::tell(&output::wrapped(&text, output::error_width(), "  "));
        return;
    }
    let when = match chat.assistant.mode {
        ApprovalMode::Ask => "before anything that changes or leaves the project",
        ApprovalMode::AutoSafe => "before anything that leaves the project",
        ApprovalMode::Autonomous => {
            "only before a change of what agents and tools run or outside the project, a read of keys, or a command with the network"
        }
    };
    let text = format!("mode {}: you are asked {when}", word(chat.assistant.mode));
    output::tell(&output::wrapped(&text, output::error_width(), "  "));
}

/// The mode of a folder in which the assistant does not work.
const READ_ONLY: &str = "read-only";

fn word(mode: ApprovalMode) -> &'static str {
    match mode {
        ApprovalMode::Ask => "ask",
        ApprovalMode::AutoSafe => "auto-safe",
        ApprovalMode::Autonomous => "autonomous",
    }
}
