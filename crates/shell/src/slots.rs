//! How a shell reads each placeholder of a command: bare, within quotes, in a here-document, or as code. Who
//! fills the placeholder decides by it how to write a reference, or refuses.
//!
//! It follows the lexer only as far as the answer is certain; what comes after that is [`SlotContext::Lost`].

mod command;
#[cfg(test)]
mod tests;

use crate::lexer::{Context, Dialect, Lexeme, Lexer};
use command::CommandSoFar;
pub use command::is_assignment;
use std::ops::Range;

/// Stands for a placeholder in the text that is read.
pub const SLOT: char = '\u{1}';

/// A placeholder of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// What the shell makes of a value there.
    pub context: SlotContext,
    /// The words of its simple command before it, without quotes; redirections are not among them.
    pub words: Vec<String>,
    /// The beginning of its own word; none when it starts one.
    pub prefix: Option<String>,
    /// What its word is for.
    pub role: SlotRole,
}

/// What the word of a placeholder is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotRole {
    /// It is the name of a command, or an argument.
    Argument,
    /// It assigns to a variable.
    Assignment,
    /// It names the file of a redirection.
    RedirectionTarget,
}

/// What the shell makes of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotContext {
    /// Outside of quotes.
    Bare,
    /// Between `"`.
    Double,
    /// Between `'`.
    Single,
    /// In a here-document that the shell expands.
    HereDocument,
    /// In a comment.
    Comment,
    /// Behind a backslash.
    Escaped,
    /// Between `$'` and `'`.
    AnsiC,
    /// Between backquotes.
    Backquotes,
    /// In `${…}`.
    Expansion,
    /// In `((…))`, `$((…))` or `$[…]`.
    Arithmetic,
    /// In a here-document that the shell does not expand.
    LiteralHereDocument,
    /// In a line of a here-document that runs a command or expands a variable in braces.
    HereDocumentCode,
    /// Behind quotes that cannot be followed.
    Lost,
}

/// The placeholders of a text, in order.
pub fn slots(text: &str) -> Vec<Slot> {
    read(text).0
}

/// The placeholders of a text, in order, and the words of each of its commands, also of nested ones, without quotes.
/// Expansions in braces stand behind the words of their command.
pub fn read(text: &str) -> (Vec<Slot>, Vec<Vec<String>>) {
    let commands = vec![CommandSoFar::default()];
    let mut tracker = Tracker { text, commands, ended: Vec::new(), slots: Vec::new() };
    let mut lexer = Lexer::new(text, Dialect::Script);
    while let Some((lexeme, range)) = lexer.next() {
        if let Err(LostAt(at)) = tracker.add(lexeme, &range, &lexer) {
            tracker.mark(&text[at..], SlotContext::Lost);
            break;
        }
    }
    while let Some(mut command) = tracker.commands.pop() {
        tracker.ended.push(command.end());
    }
    tracker.ended.retain(|words| !words.is_empty());
    (tracker.slots, tracker.ended)
}

/// The byte from which on the text cannot be followed.
struct LostAt(usize);

struct Tracker<'a> {
    text: &'a str,
    /// The simple command of each level of nesting, the outermost first.
    commands: Vec<CommandSoFar>,
    /// The words of the commands that ended.
    ended: Vec<Vec<String>>,
    slots: Vec<Slot>,
}

impl Tracker<'_> {
    fn command(&mut self) -> &mut CommandSoFar {
        if self.commands.is_empty() {
            self.commands.push(CommandSoFar::default());
        }
        let last = self.commands.len() - 1;
        &mut self.commands[last]
    }

    fn add(&mut self, lexeme: Lexeme, range: &Range<usize>, lexer: &Lexer<'_>) -> Result<(), LostAt> {
        let text = &self.text[range.clone()];
        let lost = Err(LostAt(range.start));
        if self.command().is_delimiter() && !may_delimit(lexeme, self.command().prefix().is_some()) {
            return lost;
        }
        if matches!(lexeme, Lexeme::Open(_)) {
            self.command().start_quoted();
        }
        if lexer.is_in_expansion() {
            // Quotes in there follow rules of their own.
            if text.contains(['"', '\'']) {
                return lost;
            }
            self.mark(text, SlotContext::Expansion);
            self.command().expand(text);
            return Ok(());
        }
        if lexer.is_in_arithmetic() {
            self.mark(text, SlotContext::Arithmetic);
            return Ok(());
        }
        match lexeme {
            Lexeme::Open(Context::Substitution | Context::Process | Context::Subshell) => {
                self.commands.push(CommandSoFar::default());
            }
            Lexeme::Close(Context::Substitution | Context::Process | Context::Subshell) => {
                let ended = self.commands.pop().map(|mut command| command.end());
                self.ended.extend(ended);
            }
            Lexeme::Open(_) | Lexeme::Close(_) | Lexeme::HereEnd => {}
            Lexeme::Text | Lexeme::Parameter => {
                let double = lexer.innermost() == Some(Context::Double);
                let context = if double { SlotContext::Double } else { SlotContext::Bare };
                self.run(range, context)?;
            }
            Lexeme::Single { closed } => {
                self.command().start_quoted();
                let inner = range.start + 1..range.end - usize::from(closed);
                self.run(&inner, SlotContext::Single)?;
            }
            Lexeme::Escape => {
                self.mark(text, SlotContext::Escaped);
                // A line break behind a backslash joins two lines.
                if text != "\\\n" {
                    self.command().start_quoted();
                    self.command().push(&text[1..]);
                }
            }
            // What it spells is not known, so it is not a word that could name a command.
            Lexeme::AnsiC { .. } => self.mark(text, SlotContext::AnsiC),
            Lexeme::OldArithmetic { .. } => self.mark(text, SlotContext::Arithmetic),
            Lexeme::Backquotes { .. } => {
                self.command().start_quoted();
                let followed = text.find(['"', '\'']);
                self.mark(&text[..followed.unwrap_or(text.len())], SlotContext::Backquotes);
                if let Some(followed) = followed {
                    return Err(LostAt(range.start + followed));
                }
            }
            Lexeme::Blank => self.command().end_word(),
            Lexeme::Newline => {
                let ended = self.command().end();
                self.ended.push(ended);
            }
            Lexeme::Operator => {
                let ended = self.command().operator(text);
                self.ended.push(ended);
            }
            // Nothing runs in a comment; its quotes count for nothing.
            Lexeme::Comment => self.mark(text, SlotContext::Comment),
            Lexeme::HereBody { expands } => self.here_document(text, expands),
        }
        Ok(())
    }

    /// Text with slots that the shell gives to a command as a word, or as a part of one.
    fn run(&mut self, range: &Range<usize>, context: SlotContext) -> Result<(), LostAt> {
        let text = &self.text[range.clone()];
        for (at, part) in text.split(SLOT).enumerate() {
            if at > 0 {
                let command = self.command();
                if command.is_delimiter() {
                    return Err(LostAt(range.start));
                }
                let role = match (command.is_target(), command.is_assignment()) {
                    (true, _) => SlotRole::RedirectionTarget,
                    (_, true) => SlotRole::Assignment,
                    _ => SlotRole::Argument,
                };
                let (words, prefix) = (command.words().to_vec(), command.prefix().map(str::to_owned));
                command.push(SLOT.encode_utf8(&mut [0; 4]));
                self.slots.push(Slot { context, words, prefix, role });
            }
            if !part.is_empty() {
                self.command().push(part);
            }
        }
        Ok(())
    }

    /// Slots for which the words before them make no difference.
    fn mark(&mut self, text: &str, context: SlotContext) {
        let slot = Slot { context, words: Vec::new(), prefix: None, role: SlotRole::Argument };
        self.slots.extend(std::iter::repeat_n(slot, text.matches(SLOT).count()));
    }

    /// Commands in a here-document have quotes of their own.
    fn here_document(&mut self, body: &str, expands: bool) {
        for line in body.split_inclusive('\n') {
            let nests = line.contains("$(") || line.contains("${") || line.contains('`');
            let context = match (expands, nests) {
                (false, _) => SlotContext::LiteralHereDocument,
                (true, true) => SlotContext::HereDocumentCode,
                (true, false) => SlotContext::HereDocument,
            };
            self.mark(line, context);
        }
    }
}

/// Whether the delimiter of a here-document may go on with a lexeme.
fn may_delimit(lexeme: Lexeme, started: bool) -> bool {
    match lexeme {
        Lexeme::Text
        | Lexeme::Escape
        | Lexeme::Single { .. }
        | Lexeme::Parameter
        | Lexeme::Open(Context::Double)
        | Lexeme::Close(Context::Double)
        | Lexeme::Blank => true,
        Lexeme::Newline | Lexeme::Operator => started,
        _ => false,
    }
}
