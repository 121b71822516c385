//! Fixes: the edits that correct what a diagnostic reports.
//!
//! A fix is a value: this crate does not write files. An *automatic* fix keeps what the skill means to Skillful today,
//! so that it may be applied without a look at it; the others are offered.

#[cfg(test)]
mod tests;

use crate::{
    diagnostic::{Code, Diagnostic, Span},
    document::Document,
    field,
    lint::is_letter_or_number,
    repair::repair,
    sidecar::{Sidecars, is_supplied},
    source::{is_fence, lines},
    write,
    yaml::{Key, Node, Value},
};
use std::ops::Range;
use unicode_normalization::UnicodeNormalization;

/// How often fixes are applied to the result of fixes: a repair can make others visible.
const ROUNDS: usize = 4;

/// The bytes of `range` become `text`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextEdit {
    /// Bytes of the file.
    pub range: Range<usize>,
    /// What stands there afterwards.
    pub text: String,
}

/// One way to correct what a diagnostic reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// The code of the diagnostic.
    pub code: Code,
    /// The position of the diagnostic.
    pub span: Option<Span>,
    /// What the fix does, as an order.
    pub title: String,
    /// The edits, in the order of the text, without overlaps.
    pub edits: Vec<TextEdit>,
    /// Whether the fix keeps what the skill means to Skillful.
    pub automatic: bool,
}

/// The fixes for the diagnostics of a file, in their order. `folder` is the name of the skill's folder.
pub fn fixes(text: &str, document: &Document, folder: Option<&str>, found: &[Diagnostic]) -> Vec<Fix> {
    let file = File { text, document, folder };
    let repairs = file.repairs();
    let mut fixes: Vec<Fix> = Vec::new();
    // A diagnostic with a path is about another file.
    for diagnostic in found.iter().filter(|diagnostic| diagnostic.path.is_none()) {
        let repaired =
            repairs.iter().find(|(one, _)| one.code == diagnostic.code && one.span == diagnostic.span);
        let fix = match repaired {
            Some((one, edits)) => Some(File::fix(title_of_repair(one.code), edits.clone(), true)),
            None => file.fix_of(diagnostic),
        };
        fixes.extend(fix.map(|fix| Fix { code: diagnostic.code, span: diagnostic.span, ..fix }));
    }
    fixes
}

/// The text with these edits; `None` when they overlap or do not fit.
pub fn apply<'e>(text: &str, edits: impl IntoIterator<Item = &'e TextEdit>) -> Option<String> {
    let mut sorted: Vec<&TextEdit> = edits.into_iter().collect();
    sorted.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for edit in sorted {
        out.push_str(text.get(done..edit.range.start)?);
        text.get(edit.range.clone())?;
        out.push_str(&edit.text);
        done = edit.range.end;
    }
    out.push_str(text.get(done..)?);
    Some(out)
}

/// The text after all automatic fixes. `check` reads and checks a text. A fix that overlaps another one is applied to
/// the result of that one.
pub fn fix_all(
    text: &str,
    folder: Option<&str>,
    check: impl Fn(&str) -> (Document, Vec<Diagnostic>),
) -> String {
    let mut text = text.to_owned();
    for _ in 0..ROUNDS {
        let (document, found) = check(&text);
        let mut chosen: Vec<TextEdit> = Vec::new();
        for fix in fixes(&text, &document, folder, &found).into_iter().filter(|fix| fix.automatic) {
            let free = |edit: &TextEdit| {
                chosen
                    .iter()
                    .all(|other| edit.range.end < other.range.start || other.range.end < edit.range.start)
            };
            if fix.edits.iter().all(free) {
                chosen.extend(fix.edits);
            }
        }
        match apply(&text, &chosen) {
            Some(next) if next != text => text = next,
            _ => break,
        }
    }
    text
}

fn title_of_repair(code: Code) -> &'static str {
    match code {
        Code::TabIndentation => "indent with spaces",
        Code::TextAfterBlockMark => "start the text on a new line",
        Code::UnindentedText => "write the value as YAML reads it",
        _ => "put the value in quotes",
    }
}

/// A file whose diagnostics are to be fixed.
struct File<'a> {
    text: &'a str,
    document: &'a Document,
    folder: Option<&'a str>,
}

impl File<'_> {
    fn fix(title: impl Into<String>, edits: Vec<TextEdit>, automatic: bool) -> Fix {
        Fix { code: Code::YamlSyntax, span: None, title: title.into(), edits, automatic }
    }

    /// The repairs that reading made, each with its edits in the file.
    fn repairs(&self) -> Vec<(Diagnostic, Vec<TextEdit>)> {
        if self.document.soundness != crate::Soundness::Repaired {
            return Vec::new();
        }
        let Some(range) = self.document.frontmatter.clone() else { return Vec::new() };
        let Some(repaired) = repair(self.text, range.clone()) else { return Vec::new() };
        let moved = |(edit, text): (Range<usize>, String)| TextEdit {
            range: range.start + edit.start..range.start + edit.end,
            text,
        };
        let groups = repaired.edits_by_diagnostic().into_iter();
        let edits = groups.map(|group| group.into_iter().map(moved).collect());
        repaired.diagnostics.iter().cloned().zip(edits).collect()
    }

    fn fix_of(&self, diagnostic: &Diagnostic) -> Option<Fix> {
        let span = diagnostic.span.map(|span| span.start as usize..span.end as usize);
        match diagnostic.code {
            Code::ByteOrderMark => Some(Self::fix("remove the byte order mark", cut(span?), true)),
            Code::FenceBlanks => Some(Self::fix("remove the spaces", put(span?, "---"), true)),
            Code::FrontmatterNotFirst => {
                let fence = span?.start;
                Some(Self::fix("remove the blank lines", cut(0..fence), false))
            }
            Code::NoFrontmatter => self.no_frontmatter(span),
            Code::YamlSyntax => self.open_quote(span?),
            Code::FrontmatterUnclosed => self.unclosed(span?),
            Code::FenceInQuotes => {
                let (key, node) = self.own().find(|(key, _)| {
                    self.region(key)
                        .is_some_and(|region| region.contains(&span.clone().unwrap_or(0..0).start))
                })?;
                Some(Self::fix("write the value on one line", self.rewritten(key, node, true)?, true))
            }
            Code::NameMissing if self.document.pair("name").is_some() => {
                self.value("name", self.folder?, "use the folder's name", true)
            }
            Code::NameMissing => {
                let (folder, at) = (self.folder?, self.document.frontmatter.clone()?.start);
                let line = format!("name: {}{}", write::scalar_text(folder), self.line_end());
                Some(Self::fix("add the folder's name", put(at..at, &line), true))
            }
            Code::NameEmpty => self.value("name", self.folder?, "use the folder's name", true),
            Code::NameNotFolder => self.value("name", self.folder?, "use the folder's name", false),
            Code::NameUpperCase | Code::NameCharacters | Code::NameHyphens => {
                let name = slug(self.document.manifest.name.as_deref()?)?;
                self.value("name", &name, &format!("rename the skill to `{name}`"), false)
            }
            Code::DescriptionMissing => self.commented_out(),
            Code::TwoSpellings => {
                let key = self.own().map(|(key, _)| key).find(|key| Some(key.span) == diagnostic.span)?;
                Some(Self::fix(format!("remove `{}`", key.text), cut(self.region(key)?), false))
            }
            Code::ToolListForm => {
                let (key, node) = self.own().find(|(_, node)| Some(node.span) == diagnostic.span)?;
                let edits = self.rewritten(key, node, true)?;
                Some(Self::fix("write the tools as one text", edits, true))
            }
            Code::NonSpecKey => {
                let key = self.own().map(|(key, _)| key).find(|key| Some(key.span) == diagnostic.span)?;
                let field = field::field(&key.text).filter(|field| field.spec)?;
                Some(Self::fix(format!("write `{}`", field.name), put(span?, field.name), true))
            }
            _ => None,
        }
    }

    fn line_end(&self) -> &'static str {
        match self.text.find('\n') {
            Some(at) if self.text[..at].ends_with('\r') => "\r\n",
            _ => "\n",
        }
    }

    /// The pairs that the file itself contains.
    fn own(&self) -> impl Iterator<Item = &(Key, Node)> {
        self.document.keys.iter().filter(|(key, _)| !is_supplied(key))
    }

    /// The lines of a top-level key, without comments and blank lines behind them.
    fn region(&self, key: &Key) -> Option<Range<usize>> {
        let frontmatter = self.document.frontmatter.clone()?;
        let start = key.span.start as usize;
        if !frontmatter.contains(&start) {
            return None;
        }
        let starts = self.own().map(|(key, _)| key.span.start as usize);
        let limit =
            starts.filter(|other| *other > start).min().unwrap_or(frontmatter.end).min(frontmatter.end);
        let own = lines(&self.text[..limit], start);
        let kept = own.filter(|line| {
            let content = line.text(self.text);
            !content.trim().is_empty() && !content.starts_with('#')
        });
        kept.last().map(|line| start..line.next)
    }

    /// The pair in canonical form. A pair with a comment inside stays, since the comment would be lost.
    fn rewritten(&self, key: &Key, node: &Node, alone: bool) -> Option<Vec<TextEdit>> {
        let region = self.region(key)?;
        let written = &self.text[region.clone()];
        let scalar = node.scalar().is_some();
        if !scalar && (written.contains(" #") || written.contains("\n#")) {
            return None;
        }
        Some(put(region, &write::pair(&key.text, node, alone).replace('\n', self.line_end())))
    }

    /// Sets the value of a field.
    fn value(&self, name: &str, new: &str, title: &str, automatic: bool) -> Option<Fix> {
        let (key, node) = self.document.pair(name)?;
        let new = write::scalar_text(new);
        let range = node.span.start as usize..node.span.end as usize;
        let written = self.text.get(range.clone())?;
        let edits = match node.value {
            Value::List(_) | Value::Map(_) => return None,
            _ if written.trim().is_empty() => {
                let after = key.span.end as usize;
                let colon = after + self.text.get(after..)?.find(':')? + 1;
                put(colon..colon, &format!(" {new}"))
            }
            _ if written.contains(['\n', '\r']) => return None,
            _ => put(range, &new),
        };
        Some(Self::fix(title, edits, automatic))
    }

    /// A description that YAML reads as a comment.
    fn commented_out(&self) -> Option<Fix> {
        let (key, _) = self.document.pair("description")?;
        let after = key.span.end as usize;
        let line = lines(self.text, after).next()?.text(self.text);
        let value = line.trim_start_matches([' ', '\t', ':']);
        let start = after + line.len() - value.len();
        let value = value.trim_end();
        value.starts_with('#').then(|| {
            let edits = put(start..start + value.len(), &crate::yaml::quoted(value));
            Self::fix("put the value in quotes", edits, false)
        })
    }

    fn no_frontmatter(&self, span: Option<Range<usize>>) -> Option<Fix> {
        // The first line resembles a fence. The severity does not show it: a profile may have raised it.
        if self.document.soundness == crate::Soundness::Broken {
            return Some(Self::fix("make the first line `---`", put(0..span?.end, "---"), false));
        }
        let end = self.line_end();
        let name = write::scalar_text(self.folder?);
        let at = self.document.body.start;
        let block = format!("---{end}name: {name}{end}description: \"\"{end}---{end}{end}");
        Some(Self::fix("add frontmatter", put(at..at, &block), false))
    }

    /// Closes a value that is reported at its opening quote at the end of that line, when that makes the frontmatter
    /// readable.
    fn open_quote(&self, span: Range<usize>) -> Option<Fix> {
        let quote = self.text.get(span.start..span.start + 1).filter(|quote| matches!(*quote, "\"" | "'"))?;
        let line = lines(self.text, span.start).next()?;
        let end = line.start + line.text(self.text).trim_end().len();
        let edits = put(end..end, quote);
        let closed = Document::read_text(&apply(self.text, &edits)?, &Sidecars::default());
        let is_readable = closed.soundness != crate::Soundness::Broken;
        is_readable.then(|| Self::fix("close the quote", edits, true))
    }

    /// Closes the frontmatter before the line that is reported, when there is such a line.
    fn unclosed(&self, span: Range<usize>) -> Option<Fix> {
        let line = lines(self.text, span.start).next()?;
        let content = line.text(self.text);
        let end = self.line_end();
        let edits = if content.starts_with('#') {
            put(line.start..line.start, &format!("---{end}"))
        } else if content.starts_with("---") && !is_fence(content) {
            put(line.start + 3..line.start + 3, end)
        } else {
            return None;
        };
        Some(Self::fix("close the frontmatter here", edits, false))
    }
}

fn put(range: Range<usize>, text: &str) -> Vec<TextEdit> {
    vec![TextEdit { range, text: text.to_owned() }]
}

fn cut(range: Range<usize>) -> Vec<TextEdit> {
    put(range, "")
}

/// A name made of lower-case letters, digits and single hyphens.
fn slug(name: &str) -> Option<String> {
    let mut out = String::new();
    for c in name.trim().nfkc().flat_map(char::to_lowercase) {
        if is_letter_or_number(c) {
            out.push(c);
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
    }
    let out = out.trim_end_matches('-');
    (!out.is_empty()).then(|| out.to_owned())
}
