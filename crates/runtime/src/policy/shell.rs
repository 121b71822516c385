//! A command line as a list of simple commands that grants can be compared with, or the reason why it cannot
//! be one. `skillful-shell` reads it; which of its forms may be judged is decided here.

use super::unproven::Unproven;
use skillful_shell::{
    Literal, Unreadable, Word,
    script::{Assignment, Command, Compound, Item, Redirection, RedirectionKind as Kind, Target, Value},
    strict,
};

/// Variables that change how a program speaks and not what it does.
const HARMLESS: [&str; 10] = [
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "LC_MESSAGES",
    "TZ",
    "NO_COLOR",
    "FORCE_COLOR",
    "CI",
    "NODE_ENV",
    "RUST_BACKTRACE",
];

/// One program with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Simple {
    /// The program and its arguments; never empty.
    pub(crate) words: Vec<Literal>,
    /// Files that a redirection opens.
    pub(crate) files: Vec<Touch>,
}

/// A file that a redirection opens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Touch {
    /// Whether it is written.
    pub(crate) write: bool,
    /// As the command spells it.
    pub(crate) path: String,
}

impl Simple {
    /// The name of the program.
    pub(crate) fn program(&self) -> &str {
        self.words.first().map_or("", |word| word.text.as_str())
    }
}

/// Takes a command line apart.
pub(crate) fn read(command: &[u8]) -> Result<Vec<Simple>, Unproven> {
    let mut commands = Vec::new();
    for chain in strict::read(command)?.chains {
        if chain.background {
            return Err(Unreadable::Operator("&".to_owned()).into());
        }
        for pipeline in chain.pipelines {
            if pipeline.timed {
                return Err(Unproven::Launcher("time".to_owned()));
            }
            for command in &pipeline.commands {
                commands.push(simple(command)?);
            }
        }
    }
    // A lone `!` is a pipeline without a command.
    if commands.is_empty() { Err(Unreadable::Empty.into()) } else { Ok(commands) }
}

fn simple(command: &Command) -> Result<Simple, Unproven> {
    let compound = |what: &str| Err(Unproven::Compound(what.to_owned()));
    let command = match command {
        Command::Simple(command) => command,
        Command::Compound(Compound::Subshell(_), _) => return compound("a subshell"),
        Command::Compound(..) => return compound("a compound command"),
        Command::Function(_) => return compound("a function"),
        Command::Test => return compound("`[[`"),
    };
    let mut found = Simple { words: Vec::new(), files: Vec::new() };
    for item in &command.before {
        match item {
            Item::Assignment(assignment, _) => harmless(assignment)?,
            Item::Redirection(redirection) => file_of(redirection, &mut found.files)?,
            Item::Word(word) => return Err(Unproven::Program(word.raw.clone())),
            Item::Process(_) => return compound("a process substitution"),
        }
    }
    let Some(program) = &command.program else {
        return Err(Unreadable::Empty.into());
    };
    found.words.push(program_name(program)?);
    for item in &command.after {
        match item {
            // After the program an assignment is an argument like any other.
            Item::Word(word) | Item::Assignment(_, word) => found.words.push(Literal::of(word)?),
            Item::Redirection(redirection) => file_of(redirection, &mut found.files)?,
            Item::Process(_) => return compound("a process substitution"),
        }
    }
    Ok(found)
}

fn program_name(program: &Word) -> Result<Literal, Unproven> {
    let name = Literal::of(program)?;
    let sound = name.plain
        && !name.open
        && !name.text.is_empty()
        && name.text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_./+-".contains(&b));
    if sound { Ok(name) } else { Err(Unproven::Program(program.raw.clone())) }
}

fn harmless(assignment: &Assignment) -> Result<(), Unproven> {
    let simple = |b: u8| b.is_ascii_alphanumeric() || b"_.@+-".contains(&b);
    let known = HARMLESS.contains(&assignment.name.as_str())
        && assignment.index.is_none()
        && !assignment.append
        && matches!(&assignment.value, Value::Scalar(value) if value.raw.bytes().all(simple));
    if known { Ok(()) } else { Err(Unproven::Environment(assignment.name.clone())) }
}

fn file_of(redirection: &Redirection, files: &mut Vec<Touch>) -> Result<(), Unproven> {
    let refused = || Unproven::Redirection(redirection.shown.clone());
    let standard = matches!(redirection.descriptor, None | Some(0..=2));
    let (write, target) = match (redirection.kind, &redirection.target) {
        (Kind::DuplicateOutput, Target::Descriptor(1 | 2)) => return Ok(()),
        (Kind::DuplicateOutput, Target::Duplicate(word)) if matches!(word.raw.as_str(), "1" | "2") => {
            return Ok(());
        }
        (Kind::Read, Target::Word(word)) if standard => (false, word),
        (Kind::Write | Kind::Append | Kind::Clobber, Target::Word(word)) if standard => (true, word),
        (Kind::OutputAndError, Target::Word(word)) => (true, word),
        _ => return Err(refused()),
    };
    let target = Literal::of(target)?;
    if target.is("/dev/null") {
        return Ok(());
    }
    // Bash opens sockets for some names below /dev.
    if target.open || target.text.starts_with("/dev/") || target.text.starts_with("/proc/") {
        return Err(refused());
    }
    files.push(Touch { write, path: target.text });
    Ok(())
}
