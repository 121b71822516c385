//! Reads the parser's events in one pass, with our own limits.

use super::{Key, MAX_DEPTH, MAX_NODES, Node, Value, scalar::scalar, simple};
use crate::{
    diagnostic::{Code, Diagnostic, Span},
    source::Positions,
};
use granit_parser::{ErrorKind, Event, Parser};
use std::ops::Range;

/// The result of reading a YAML text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Yaml {
    /// The tree, when the syntax is valid and no limit was reached.
    pub root: Option<Node>,
    /// Whether the text is not YAML at all, in contrast to YAML that we refuse. Only syntax errors
    /// can be repaired.
    pub syntax_failed: bool,
    /// All diagnostics about the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Converts a position in the YAML text to a position in the file it was taken from.
pub(crate) trait Origin {
    /// `range` is in bytes, `line` counts from 1 and `column` from 0, as the parser reports them.
    fn position(&mut self, range: Range<usize>, line: usize, column: usize) -> Span;
}

/// YAML that is a complete file, or a part of a file that starts on a new line.
pub(crate) struct PartOf {
    /// Bytes before the part.
    pub(crate) offset: usize,
    /// Lines before the part.
    pub(crate) lines: usize,
}

impl Origin for PartOf {
    fn position(&mut self, range: Range<usize>, line: usize, column: usize) -> Span {
        let small = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        Span {
            start: small(range.start + self.offset),
            end: small(range.end + self.offset),
            line: small(line + self.lines),
            column: small(column + 1),
        }
    }
}

/// YAML for which the parser's columns are wrong, because the parser skips byte order marks.
pub(crate) struct Counted<'a> {
    /// Bytes before the part.
    pub(crate) offset: usize,
    /// Finds positions in the whole file.
    pub(crate) positions: Positions<'a>,
}

impl Origin for Counted<'_> {
    fn position(&mut self, range: Range<usize>, _line: usize, _column: usize) -> Span {
        self.positions.span(range.start + self.offset..range.end + self.offset)
    }
}

/// Reads one YAML document.
pub(crate) fn parse(text: &str, origin: &mut impl Origin) -> Yaml {
    match simple::read(text, origin) {
        Some(root) => Yaml { root: Some(root), ..Yaml::default() },
        None => parse_with_events(text, origin),
    }
}

/// The same with the parser.
pub(super) fn parse_with_events(text: &str, origin: &mut impl Origin) -> Yaml {
    let mut reader = Reader { text, origin, nodes: 0, read: 0, diagnostics: Vec::new() };
    match reader.document() {
        Ok(root) => {
            let diagnostics = reader.diagnostics;
            // A tree with refused parts is discarded: partial frontmatter would open gates.
            let refused = diagnostics.iter().any(|d| d.code != Code::YamlDuplicateKey);
            Yaml { root: if refused { None } else { root }, syntax_failed: false, diagnostics }
        }
        Err(Stop::Refused(diagnostic)) => {
            reader.diagnostics.push(*diagnostic);
            Yaml { root: None, syntax_failed: false, diagnostics: reader.diagnostics }
        }
        Err(Stop::Syntax(diagnostic)) => {
            Yaml { root: None, syntax_failed: true, diagnostics: vec![*diagnostic] }
        }
    }
}

/// The comments of a text that [`parse`] accepts, each with its `#`.
pub(crate) fn comments(text: &str) -> Vec<Range<usize>> {
    let options = granit_parser::options! { max_buffered_comment_events: usize::MAX };
    Parser::new_from_str_with_options(text, options)
        .map_while(Result::ok)
        .filter(|(event, _)| matches!(event, Event::Comment(..)))
        .filter_map(|(_, at)| at.byte_range())
        .collect()
}

enum Stop {
    Syntax(Box<Diagnostic>),
    Refused(Box<Diagnostic>),
}

struct Reader<'a, O> {
    text: &'a str,
    origin: &'a mut O,
    nodes: usize,
    /// Where the last value that was read ends.
    read: usize,
    diagnostics: Vec<Diagnostic>,
}

/// A list or mapping that is not closed yet.
enum Open {
    List(Span, Vec<Node>),
    Map { span: Span, pairs: Vec<(Key, Node)>, key: Option<Key> },
}

impl<O: Origin> Reader<'_, O> {
    fn document(&mut self) -> Result<Option<Node>, Stop> {
        let mut open: Vec<Open> = Vec::new();
        let mut root: Option<Node> = None;
        let mut documents = 0;
        let options = granit_parser::options! { emit_comments: false };
        for event in Parser::new_from_str_with_options(self.text, options) {
            let (event, at) = event.map_err(|error| self.syntax(&error))?;
            self.read = at.end.byte_offset().map_or(self.read, |end| self.read.max(end));
            let finished = match event {
                Event::DocumentStart(..) => {
                    documents += 1;
                    if documents > 1 {
                        let at = self.position(&at);
                        return Err(refuse(Code::YamlDocuments, at, "a second YAML document starts here"));
                    }
                    continue;
                }
                Event::Alias(_) | Event::UnresolvedAlias(_) => {
                    let at = self.position(&at);
                    return Err(refuse(Code::YamlAnchor, at, "an alias (`*name`) is not allowed here"));
                }
                Event::Scalar(text, style, anchor, ref tag) => {
                    let span = self.admit(&at, anchor, tag.is_some(), open.len())?;
                    Node { span, value: scalar(text, style) }
                }
                Event::SequenceStart(_, anchor, ref tag) => {
                    let span = self.admit(&at, anchor, tag.is_some(), open.len())?;
                    open.push(Open::List(span, Vec::new()));
                    continue;
                }
                Event::MappingStart(_, anchor, ref tag) => {
                    let span = self.admit(&at, anchor, tag.is_some(), open.len())?;
                    open.push(Open::Map { span, pairs: Vec::new(), key: None });
                    continue;
                }
                Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                    Some(Open::List(span, items)) => Node { span, value: Value::List(items) },
                    Some(Open::Map { span, pairs, .. }) => Node { span, value: Value::Map(pairs) },
                    None => continue,
                },
                _ => continue,
            };
            match open.last_mut() {
                None => root = Some(finished),
                Some(Open::List(_, items)) => items.push(finished),
                Some(Open::Map { pairs, key, .. }) => match key.take() {
                    Some(key) => pairs.push((key, finished)),
                    None => *key = Some(new_key(&mut self.diagnostics, pairs, finished)),
                },
            }
        }
        Ok(root)
    }

    fn admit(
        &mut self,
        at: &granit_parser::Span,
        anchor: usize,
        tagged: bool,
        depth: usize,
    ) -> Result<Span, Stop> {
        self.nodes += 1;
        let at = self.position(at);
        if anchor != 0 {
            return Err(refuse(Code::YamlAnchor, at, "an anchor (`&name`) is not allowed here"));
        }
        if tagged {
            return Err(refuse(Code::YamlTag, at, "a tag (`!name`) is not allowed here"));
        }
        if depth >= MAX_DEPTH {
            return Err(too_deep(at));
        }
        if self.nodes > MAX_NODES {
            let message = format!("there are more than {MAX_NODES} keys and values, the limit of Skillful");
            return Err(refuse(Code::YamlTooLarge, at, &message));
        }
        Ok(at)
    }

    fn position(&mut self, at: &granit_parser::Span) -> Span {
        let start = at.start.byte_offset().unwrap_or(0);
        let end = at.end.byte_offset().unwrap_or(start).max(start);
        self.origin.position(start..end, at.start.line(), at.start.col())
    }

    fn syntax(&mut self, error: &granit_parser::ScanError) -> Stop {
        let marker = error.marker();
        let mut at = self.text.floor_char_boundary(marker.byte_offset().unwrap_or(self.text.len()));
        let (mut line, mut column) = (marker.line(), marker.col());
        // The parser notices at the end of the text what an author must repair where the quote begins.
        if is_open_quote(error.kind())
            && let Some(quote) = opening_quote(self.text, self.text.floor_char_boundary(self.read), at)
        {
            line -= line_ends(&self.text[quote..at]).min(line - 1);
            column = self.text[..quote].rsplit(['\n', '\r']).next().unwrap_or_default().chars().count();
            at = quote;
        }
        let end = self.text[at..].find(['\n', '\r']).map_or(self.text.len(), |length| at + length);
        let span = self.origin.position(at..end, line, column);
        if *error.kind() == ErrorKind::RecursionLimitExceeded {
            return too_deep(span);
        }
        let (message, help) = explain(error);
        Stop::Syntax(Box::new(Diagnostic::new(Code::YamlSyntax, message).at(span).help(help)))
    }
}

/// Whether an error is about a quote that is not closed.
fn is_open_quote(kind: &ErrorKind) -> bool {
    use ErrorKind as K;
    matches!(
        kind,
        K::UnclosedQuotedScalar | K::DocumentIndicatorInQuotedScalar | K::InvalidQuotedScalarIndent
    )
}

/// The quote that opens a value between two places and does not close it there.
fn opening_quote(text: &str, from: usize, to: usize) -> Option<usize> {
    let part = text.get(from..to)?;
    let (mut open, mut is_start, mut before) = (None, true, '\n');
    let mut chars = part.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match (open, c) {
            (Some((_, '"')), '\\') => _ = chars.next(),
            (Some((_, '\'')), '\'') if chars.peek().is_some_and(|(_, next)| *next == '\'') => {
                _ = chars.next();
            }
            (Some((_, quote)), _) if c == quote => (open, is_start) = (None, false),
            (Some(_), _) => {}
            (None, '"' | '\'') if is_start => open = Some((at, c)),
            (None, '#') if before.is_whitespace() => {
                while chars.next_if(|(_, next)| !matches!(next, '\n' | '\r')).is_some() {}
            }
            // A value starts on a new line and behind an indicator, and a blank does not change that.
            (None, '\n' | '\r' | '[' | '{' | ',') => is_start = true,
            (None, ' ' | '\t') => is_start |= matches!(before, ':' | '-' | '?'),
            (None, _) => is_start = false,
        }
        before = c;
    }
    open.map(|(at, _)| from + at)
}

/// Line ends of a text.
fn line_ends(text: &str) -> usize {
    text.matches('\n').count() + text.replace("\r\n", "").matches('\r').count()
}

/// Rewrites the parser's error as a message that helps the author of the frontmatter.
fn explain(error: &granit_parser::ScanError) -> (String, &'static str) {
    use ErrorKind as K;
    let (message, help) = match error.kind() {
        kind if is_open_quote(kind) => {
            ("a quoted value is not closed", "close the quote, or indent the lines that continue the value")
        }
        K::InvalidTrailingSingleQuotedScalar | K::InvalidTrailingDoubleQuotedScalar => {
            ("text follows a closing quote", "put the whole value in quotes and escape the quotes inside")
        }
        K::UnknownQuotedScalarEscape | K::InvalidQuotedScalarHexEscape | K::InvalidUnicodeEscape => {
            ("a backslash in double quotes does not start a known escape", "write `\\\\` for one backslash")
        }
        K::UnclosedFlowCollection { .. }
        | K::UnexpectedEofFlowSequence
        | K::UnexpectedEofFlowMapping
        | K::MismatchedFlowCollectionEnd { .. } => {
            ("a bracket or brace is not closed", "close it, or put the value in quotes")
        }
        K::TabNotAllowed | K::TabInBlockIndentation | K::TabInIndentation => {
            ("there is a tab where YAML requires spaces", "indent with spaces")
        }
        K::SimpleKeyExpected | K::InvalidSimpleKey => {
            ("this line is neither `key: value` nor the rest of a value", "add the key, or indent the line")
        }
        K::UnexpectedCharacter { character } => {
            let shown = character.escape_debug();
            return (format!("a value cannot start with `{shown}`"), "put the value in quotes");
        }
        _ => return (format!("this is not YAML: {}", error.info()), "put the value in quotes, or indent it"),
    };
    (message.to_owned(), help)
}

fn refuse(code: Code, at: Span, message: &str) -> Stop {
    Stop::Refused(Box::new(Diagnostic::new(code, message).at(at).help(match code {
        Code::YamlAnchor => "write the value out, or put it in quotes if it is text",
        Code::YamlTag => "remove the tag, or put the value in quotes if it is text",
        Code::YamlDocuments => "keep one document, and end the frontmatter with a line `---`",
        _ => "move the data to a file beside SKILL.md",
    })))
}

fn too_deep(at: Span) -> Stop {
    refuse(
        Code::YamlTooDeep,
        at,
        &format!("values are nested deeper than {MAX_DEPTH} levels, the limit of Skillful"),
    )
}

fn new_key(diagnostics: &mut Vec<Diagnostic>, pairs: &[(Key, Node)], node: Node) -> Key {
    let Node { span, value } = node;
    let text = match value {
        Value::Text(text) | Value::Number(text) => text,
        Value::Bool(flag) => flag.to_string(),
        value => {
            let kind = Node { span, value }.kind();
            diagnostics.push(
                Diagnostic::new(Code::KeyNotText, format!("a key is {kind} instead of text"))
                    .at(span)
                    .help("write the key as plain text followed by a colon"),
            );
            return Key { text: String::new(), span };
        }
    };
    if text == "<<" {
        diagnostics.push(
            Diagnostic::new(Code::YamlMergeKey, "a merge key (`<<`) is not allowed here")
                .at(span)
                .help("write the keys out"),
        );
    } else if pairs.iter().any(|(known, _)| known.text == text) {
        diagnostics.push(
            Diagnostic::new(Code::YamlDuplicateKey, format!("the key `{text}` appears a second time here"))
                .at(span)
                .help("keep one of the two; agents disagree about which one they use"),
        );
    }
    Key { text, span }
}
