//! Shell text as commands: lists, pipelines, simple commands, redirections, assignments.

use crate::word::Word;

/// Commands one after another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct List {
    /// In their order.
    pub chains: Vec<Chain>,
}

/// Pipelines that `&&` and `||` join.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// In their order.
    pub pipelines: Vec<Pipeline>,
    /// Whether `&` puts it into the background.
    pub background: bool,
}

/// Commands that `|` joins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pipeline {
    /// In their order; none for a lone `!`.
    pub commands: Vec<Command>,
    /// Whether `time` stands before it.
    pub timed: bool,
    /// Whether `!` turns its result around.
    pub negated: bool,
}

/// One command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// A program with its arguments.
    Simple(Simple),
    /// A loop, a branch, a group, with its redirections.
    Compound(Compound, Vec<Redirection>),
    /// The definition of a function.
    Function(Compound),
    /// `[[ … ]]`
    Test,
}

/// A program with its arguments, redirections and assignments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Simple {
    /// Assignments and redirections before the program.
    pub before: Vec<Item>,
    /// The program; none when the command only assigns or redirects.
    pub program: Option<Word>,
    /// Arguments and redirections.
    pub after: Vec<Item>,
}

/// A part of a simple command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// An argument.
    Word(Word),
    /// `name=value`; after the program it is an argument like any other.
    Assignment(Assignment, Word),
    /// A redirection.
    Redirection(Redirection),
    /// `<(…)` or `>(…)`
    Process(List),
}

/// `name=value`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The name of the variable.
    pub name: String,
    /// The index, for an element of an array.
    pub index: Option<String>,
    /// Whether `+=` appends.
    pub append: bool,
    /// What is assigned.
    pub value: Value,
}

/// What is assigned to a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// One word.
    Scalar(Word),
    /// `(a b c)`
    Array(Vec<Word>),
}

/// A compound command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Compound {
    /// `{ …; }`
    Group(List),
    /// `( … )`
    Subshell(List),
    /// `for variable in values; do body; done`
    For {
        /// The variable.
        variable: String,
        /// Its values.
        values: Vec<Word>,
        /// What is repeated.
        body: List,
    },
    /// `for ((…)); do body; done`
    ArithmeticFor(List),
    /// `while condition; do body; done`, and `until`
    While {
        /// What decides.
        condition: List,
        /// What is repeated.
        body: List,
    },
    /// The conditions and branches of `if`, in their order.
    If(Vec<List>),
    /// The branches of `case`, in their order.
    Case(Vec<List>),
    /// `(( … ))`
    Arithmetic,
    /// `coproc …`
    Coprocess,
}

/// A redirection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirection {
    /// The descriptor that is named.
    pub descriptor: Option<i32>,
    /// What it does.
    pub kind: RedirectionKind,
    /// Where to, or from where.
    pub target: Target,
    /// As the grammar spells it, for a message.
    pub shown: String,
}

/// What a redirection does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedirectionKind {
    /// `<`
    Read,
    /// `>`
    Write,
    /// `>>`
    Append,
    /// `>|`
    Clobber,
    /// `<>`
    ReadAndWrite,
    /// `<&`
    DuplicateInput,
    /// `>&`
    DuplicateOutput,
    /// `&>` and `&>>`
    OutputAndError,
    /// `<<` and `<<-`
    HereDocument,
    /// `<<<`
    HereString,
}

/// Where a redirection leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A file; for a here-string the word itself, for a here-document its body.
    Word(Word),
    /// What `>&` and `<&` name.
    Duplicate(Word),
    /// A descriptor.
    Descriptor(i32),
    /// `<(…)` or `>(…)`
    Process(List),
}
