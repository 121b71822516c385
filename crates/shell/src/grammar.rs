//! The grammar of the shell: `brush-parser`'s, translated into [`crate::script`]. No other module names it.

use crate::{
    script::{
        Assignment, Chain, Command, Compound, Item, List, Pipeline, Redirection, RedirectionKind, Simple,
        Target, Value,
    },
    word::Word,
};
use brush_parser::{
    ParserOptions, Token,
    ast::{self, CommandPrefixOrSuffixItem as Part, IoFileRedirectKind as FileKind, IoFileRedirectTarget},
    parse_tokens, uncached_tokenize_str,
};

/// Whether `!(x)`, `@(x)` and their kind are words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Globs {
    Plain,
    Extended,
}

/// Shell text cut into tokens.
pub(crate) struct Tokens {
    list: Vec<Token>,
    options: ParserOptions,
}

impl Tokens {
    pub(crate) fn of(text: &str, globs: Globs) -> Result<Self, String> {
        let options =
            ParserOptions { enable_extended_globbing: globs == Globs::Extended, ..ParserOptions::default() };
        let list = uncached_tokenize_str(text, &options.tokenizer_options()).map_err(|e| e.to_string())?;
        Ok(Self { list, options })
    }

    /// Each token as it is written, and whether it is an operator.
    pub(crate) fn written(&self) -> impl ExactSizeIterator<Item = (&str, bool)> {
        self.list.iter().map(|token| match token {
            Token::Operator(text, _) => (text.as_str(), true),
            Token::Word(text, _) => (text.as_str(), false),
        })
    }

    /// The commands that the tokens are; `text` is what they were cut from.
    pub(crate) fn parse(&self, text: &str) -> Result<List, String> {
        let program = parse_tokens(&self.list, &self.options).map_err(|error| error.to_string())?;
        let translator = Translator::new(text);
        let chains = program.complete_commands.iter().flat_map(|list| translator.list(list).chains);
        Ok(List { chains: chains.collect() })
    }
}

struct Translator {
    length: usize,
    /// The byte of each character, when they are not the same.
    offsets: Vec<usize>,
}

impl Translator {
    fn new(text: &str) -> Self {
        let offsets =
            if text.is_ascii() { Vec::new() } else { text.char_indices().map(|(at, _)| at).collect() };
        Self { length: text.len(), offsets }
    }

    fn byte(&self, index: usize) -> usize {
        let byte = if self.offsets.is_empty() { Some(index) } else { self.offsets.get(index).copied() };
        byte.unwrap_or(self.length).min(self.length)
    }

    fn word(&self, word: &ast::Word) -> Word {
        let range = word.loc.as_ref().map(|loc| self.byte(loc.start.index)..self.byte(loc.end.index));
        Word { raw: word.value.clone(), range }
    }

    fn words<'a>(&self, words: impl IntoIterator<Item = &'a ast::Word>) -> Vec<Word> {
        words.into_iter().map(|word| self.word(word)).collect()
    }

    fn list(&self, list: &ast::CompoundList) -> List {
        let chain = |ast::CompoundListItem(chain, separator): &ast::CompoundListItem| Chain {
            pipelines: chain.into_iter().map(|(_, pipeline)| self.pipeline(pipeline)).collect(),
            background: matches!(separator, ast::SeparatorOperator::Async),
        };
        List { chains: list.0.iter().map(chain).collect() }
    }

    fn pipeline(&self, pipeline: &ast::Pipeline) -> Pipeline {
        Pipeline {
            commands: pipeline.seq.iter().map(|command| self.command(command)).collect(),
            timed: pipeline.timed.is_some(),
            negated: pipeline.bang,
        }
    }

    fn command(&self, command: &ast::Command) -> Command {
        match command {
            ast::Command::Simple(simple) => Command::Simple(self.simple(simple)),
            ast::Command::Compound(compound, redirections) => {
                let redirections = redirections.iter().flat_map(|list| &list.0);
                Command::Compound(
                    self.compound(compound),
                    redirections.map(|redirection| self.redirection(redirection)).collect(),
                )
            }
            ast::Command::Function(function) => Command::Function(self.compound(&function.body.0)),
            ast::Command::ExtendedTest(..) => Command::Test,
        }
    }

    fn compound(&self, compound: &ast::CompoundCommand) -> Compound {
        use ast::CompoundCommand as Kind;
        match compound {
            Kind::BraceGroup(group) => Compound::Group(self.list(&group.list)),
            Kind::Subshell(shell) => Compound::Subshell(self.list(&shell.list)),
            Kind::ForClause(clause) => Compound::For {
                variable: clause.variable_name.clone(),
                values: self.words(clause.values.iter().flatten()),
                body: self.list(&clause.body.list),
            },
            Kind::ArithmeticForClause(clause) => Compound::ArithmeticFor(self.list(&clause.body.list)),
            Kind::CaseClause(clause) => {
                let branches = clause.cases.iter().filter_map(|case| case.cmd.as_ref());
                Compound::Case(branches.map(|list| self.list(list)).collect())
            }
            Kind::IfClause(clause) => {
                let mut lists = vec![self.list(&clause.condition), self.list(&clause.then)];
                for other in clause.elses.iter().flatten() {
                    lists.extend(other.condition.iter().map(|condition| self.list(condition)));
                    lists.push(self.list(&other.body));
                }
                Compound::If(lists)
            }
            Kind::WhileClause(clause) | Kind::UntilClause(clause) => {
                Compound::While { condition: self.list(&clause.0), body: self.list(&clause.1.list) }
            }
            Kind::Arithmetic(_) => Compound::Arithmetic,
            Kind::Coprocess(_) => Compound::Coprocess,
        }
    }

    fn simple(&self, simple: &ast::SimpleCommand) -> Simple {
        Simple {
            before: simple.prefix.iter().flat_map(|prefix| &prefix.0).map(|part| self.item(part)).collect(),
            program: simple.word_or_name.as_ref().map(|word| self.word(word)),
            after: simple.suffix.iter().flat_map(|suffix| &suffix.0).map(|part| self.item(part)).collect(),
        }
    }

    fn item(&self, part: &Part) -> Item {
        match part {
            Part::Word(word) => Item::Word(self.word(word)),
            Part::AssignmentWord(assignment, written) => {
                let loc = &assignment.loc;
                let mut written = self.word(written);
                written.range.get_or_insert(self.byte(loc.start.index)..self.byte(loc.end.index));
                Item::Assignment(self.assignment(assignment), written)
            }
            Part::IoRedirect(redirection) => Item::Redirection(self.redirection(redirection)),
            Part::ProcessSubstitution(_, shell) => Item::Process(self.list(&shell.list)),
        }
    }

    fn assignment(&self, assignment: &ast::Assignment) -> Assignment {
        let (name, index) = match &assignment.name {
            ast::AssignmentName::VariableName(name) => (name.clone(), None),
            ast::AssignmentName::ArrayElementName(name, index) => (name.clone(), Some(index.clone())),
        };
        let value = match &assignment.value {
            ast::AssignmentValue::Scalar(word) => Value::Scalar(self.word(word)),
            ast::AssignmentValue::Array(items) => {
                Value::Array(self.words(items.iter().map(|(_, word)| word)))
            }
        };
        Assignment { name, index, append: assignment.append, value }
    }

    fn redirection(&self, redirection: &ast::IoRedirect) -> Redirection {
        let (descriptor, kind, target) = match redirection {
            ast::IoRedirect::File(descriptor, kind, target) => {
                (*descriptor, file_kind(kind), self.target(target))
            }
            ast::IoRedirect::HereDocument(descriptor, document) => {
                (*descriptor, RedirectionKind::HereDocument, Target::Word(self.word(&document.doc)))
            }
            ast::IoRedirect::HereString(descriptor, word) => {
                (*descriptor, RedirectionKind::HereString, Target::Word(self.word(word)))
            }
            ast::IoRedirect::OutputAndError(word, _) => {
                (None, RedirectionKind::OutputAndError, Target::Word(self.word(word)))
            }
        };
        Redirection { descriptor, kind, target, shown: redirection.to_string() }
    }

    fn target(&self, target: &IoFileRedirectTarget) -> Target {
        match target {
            IoFileRedirectTarget::Filename(word) => Target::Word(self.word(word)),
            IoFileRedirectTarget::Duplicate(word) => Target::Duplicate(self.word(word)),
            IoFileRedirectTarget::Fd(descriptor) => Target::Descriptor(*descriptor),
            IoFileRedirectTarget::ProcessSubstitution(_, shell) => Target::Process(self.list(&shell.list)),
        }
    }
}

fn file_kind(kind: &FileKind) -> RedirectionKind {
    match kind {
        FileKind::Read => RedirectionKind::Read,
        FileKind::Write => RedirectionKind::Write,
        FileKind::Append => RedirectionKind::Append,
        FileKind::ReadAndWrite => RedirectionKind::ReadAndWrite,
        FileKind::Clobber => RedirectionKind::Clobber,
        FileKind::DuplicateInput => RedirectionKind::DuplicateInput,
        FileKind::DuplicateOutput => RedirectionKind::DuplicateOutput,
    }
}
