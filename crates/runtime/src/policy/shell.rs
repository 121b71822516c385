//! A command line as a list of simple commands, or the reason why it cannot be one.
//!
//! The grammar is `brush-parser`'s. Two checks stand around it, so that a difference between its
//! reading and a shell's cannot open a gate: every character must be in a token, and every word must
//! be one that all shells read alike.

use super::{
    unproven::Unproven,
    word::{self, Word},
};
use brush_parser::{
    ParserOptions, ast,
    ast::{CommandPrefixOrSuffixItem as Item, IoFileRedirectKind as Kind, IoFileRedirectTarget as Target},
    parse_tokens, uncached_tokenize_str,
};
use unicode_general_category::{GeneralCategory as Category, get_general_category};

/// A command longer than this is not read.
pub const COMMAND_LIMIT: usize = 16 << 10;
/// Openings of substitutions that are read before we give up; the grammar recurses.
const NEST_LIMIT: usize = 32;
/// More words than this are not a command that anybody reviews.
const WORD_LIMIT: usize = 2_000;

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
    pub(crate) words: Vec<Word>,
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
    if command.len() > COMMAND_LIMIT {
        return Err(Unproven::TooLong(COMMAND_LIMIT));
    }
    let text = std::str::from_utf8(command).map_err(|_| Unproven::NotText)?;
    if let Some(c) = text.chars().find(|c| !visible(*c)) {
        return Err(Unproven::Character(c.into()));
    }
    // Blanks around a command, a last line break among them, mean nothing to a shell.
    let text = text.trim_matches([' ', '\t', '\n']);
    if text.is_empty() {
        return Err(Unproven::Empty);
    }
    let openings = text.matches(['`', '(']).count() + text.matches("${").count();
    if openings > NEST_LIMIT && text.contains(['$', '`']) {
        return Err(Unproven::TooNested);
    }
    // The grammar does not come back from a here-document that never ends inside a substitution.
    if openings > 0 && text.contains("<<") {
        return Err(Unproven::Operator("<<".to_owned()));
    }
    // Extended globs are off in a shell that runs a command, so `!(x)` must not be read as a word.
    let options = ParserOptions { enable_extended_globbing: false, ..ParserOptions::default() };
    let tokens = uncached_tokenize_str(text, &options.tokenizer_options())
        .map_err(|error| Unproven::Syntax(error.to_string()))?;
    if tokens.len() > WORD_LIMIT {
        return Err(Unproven::TooLong(COMMAND_LIMIT));
    }
    account(text, &tokens)?;
    let program = parse_tokens(&tokens, &options).map_err(|error| Unproven::Syntax(error.to_string()))?;
    let mut commands = Vec::new();
    for list in &program.complete_commands {
        for ast::CompoundListItem(chain, separator) in &list.0 {
            if matches!(separator, ast::SeparatorOperator::Async) {
                return Err(Unproven::Operator("&".to_owned()));
            }
            for (_, pipeline) in chain {
                if pipeline.timed.is_some() {
                    return Err(Unproven::Launcher("time".to_owned()));
                }
                for command in &pipeline.seq {
                    commands.push(simple(command)?);
                }
            }
        }
    }
    if commands.is_empty() { Err(Unproven::Empty) } else { Ok(commands) }
}

/// Whether a character shows what it is. Tabs and line breaks are judged later, where they stand.
fn visible(c: char) -> bool {
    if c.is_ascii() {
        return !c.is_ascii_control() || matches!(c, '\t' | '\n');
    }
    !matches!(
        get_general_category(c),
        Category::Control
            | Category::Format
            | Category::LineSeparator
            | Category::ParagraphSeparator
            | Category::SpaceSeparator
            | Category::PrivateUse
            | Category::Surrogate
            | Category::Unassigned
    )
}

/// Shows that nothing but blanks lies between the tokens, and that every operator is one we judge.
fn account(text: &str, tokens: &[brush_parser::Token]) -> Result<(), Unproven> {
    let mut rest = text;
    for token in tokens {
        let (piece, operator) = match token {
            brush_parser::Token::Operator(piece, _) => (piece.as_str(), true),
            brush_parser::Token::Word(piece, _) => (piece.as_str(), false),
        };
        rest = rest.trim_start_matches([' ', '\t']);
        if operator && piece == "\n" || rest.starts_with('\n') {
            return Err(Unproven::Lines);
        }
        rest = rest.strip_prefix(piece).ok_or_else(|| hidden(rest))?;
        if operator
            && !matches!(piece, "&&" | "||" | "|" | ";" | ">" | ">>" | ">|" | "<" | ">&" | "&>" | "&>>")
        {
            return Err(Unproven::Operator(piece.to_owned()));
        }
    }
    if rest.trim_matches([' ', '\t']).is_empty() { Ok(()) } else { Err(hidden(rest)) }
}

fn hidden(rest: &str) -> Unproven {
    Unproven::Hidden(rest.trim_start().chars().take(16).collect())
}

fn simple(command: &ast::Command) -> Result<Simple, Unproven> {
    let compound = |what: &str| Err(Unproven::Compound(what.to_owned()));
    let command = match command {
        ast::Command::Simple(command) => command,
        ast::Command::Compound(ast::CompoundCommand::Subshell(_), _) => return compound("a subshell"),
        ast::Command::Compound(..) => return compound("a compound command"),
        ast::Command::Function(_) => return compound("a function"),
        ast::Command::ExtendedTest(..) => return compound("`[[`"),
    };
    let mut found = Simple { words: Vec::new(), files: Vec::new() };
    for item in command.prefix.iter().flat_map(|prefix| &prefix.0) {
        match item {
            Item::AssignmentWord(assignment, _) => harmless(assignment)?,
            Item::IoRedirect(redirect) => redirection(redirect, &mut found.files)?,
            Item::Word(word) => return Err(Unproven::Program(word.value.clone())),
            Item::ProcessSubstitution(..) => return compound("a process substitution"),
        }
    }
    let Some(program) = &command.word_or_name else {
        return Err(Unproven::Empty);
    };
    let name = word::read(&program.value)?;
    let sound = name.plain
        && !name.open
        && !name.text.is_empty()
        && name.text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_./+-".contains(&b));
    if !sound {
        return Err(Unproven::Program(program.value.clone()));
    }
    found.words.push(name);
    for item in command.suffix.iter().flat_map(|suffix| &suffix.0) {
        match item {
            // After the program an assignment is an argument like any other.
            Item::Word(word) | Item::AssignmentWord(_, word) => found.words.push(word::read(&word.value)?),
            Item::IoRedirect(redirect) => redirection(redirect, &mut found.files)?,
            Item::ProcessSubstitution(..) => return compound("a process substitution"),
        }
    }
    Ok(found)
}

fn harmless(assignment: &ast::Assignment) -> Result<(), Unproven> {
    let refused = || Unproven::Environment(assignment.name.to_string());
    let (ast::AssignmentName::VariableName(name), ast::AssignmentValue::Scalar(value)) =
        (&assignment.name, &assignment.value)
    else {
        return Err(refused());
    };
    let simple = |b: u8| b.is_ascii_alphanumeric() || b"_.@+-".contains(&b);
    let known = HARMLESS.contains(&name.as_str()) && !assignment.append;
    if known && value.value.bytes().all(simple) { Ok(()) } else { Err(refused()) }
}

fn redirection(redirect: &ast::IoRedirect, files: &mut Vec<Touch>) -> Result<(), Unproven> {
    let refused = || Unproven::Redirection(redirect.to_string());
    let (write, target) = match redirect {
        ast::IoRedirect::File(_, Kind::DuplicateOutput, Target::Fd(1 | 2)) => return Ok(()),
        ast::IoRedirect::File(_, Kind::DuplicateOutput, Target::Duplicate(word))
            if matches!(word.value.as_str(), "1" | "2") =>
        {
            return Ok(());
        }
        ast::IoRedirect::File(None | Some(0..=2), kind, Target::Filename(word)) => match kind {
            Kind::Read => (false, word),
            Kind::Write | Kind::Append | Kind::Clobber => (true, word),
            _ => return Err(refused()),
        },
        ast::IoRedirect::OutputAndError(word, _) => (true, word),
        _ => return Err(refused()),
    };
    let target = word::read(&target.value)?;
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
