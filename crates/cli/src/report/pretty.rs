//! Diagnostics for a terminal: what, where, the line itself, and the fix.

use super::{
    excerpt::{Excerpt, excerpt},
    path,
    sources::{Sources, range},
    visible,
};
use crate::output::columns;
use annotate_snippets::{
    AnnotationKind, Group, Level, Renderer, Snippet,
    renderer::{DEFAULT_LINE_NUM_STYLE, Style},
};
use anstream::adapter::strip_str;
use skillful_format::{Code, Diagnostic, Severity};
use std::{borrow::Cow, fmt::Write as _, path::Path};

/// Narrower than this, an excerpt is useless.
const LEAST_WIDTH: usize = 40;
/// Columns of ` | ` and of the rail beside a range of several lines.
const DECORATION: usize = 5;
/// Excerpts are cut before they reach the renderer, which would else cut a second time.
const NEVER_CUT: usize = 1 << 20;

/// Whether escape sequences for colour are written. The caller knows the terminal and `NO_COLOR`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colour {
    /// Plain text.
    #[default]
    Never,
    /// ANSI colours.
    Always,
}

/// How findings are laid out.
#[derive(Clone, Copy, Debug)]
pub struct Look<'a> {
    /// Paths below this folder are shown relative to it.
    pub base: &'a Path,
    /// Paths below this folder begin with `~`; none where programs read the output.
    pub home: Option<&'a Path>,
    /// Colours or none.
    pub colour: Colour,
    /// Columns of the terminal.
    pub width: usize,
    /// Whether sentences are broken at that width, which only a terminal needs.
    pub wraps: bool,
    /// What an error of this file means for the agents found here.
    pub effect: Option<&'a str>,
    /// The codes that `check --fix` repairs in this file.
    pub fixable: &'a [Code],
}

/// All findings in the given order, a blank line between two, a line end after the last.
///
/// `read` gives the text of a file and is asked at most once for each; a borrowed text is the one that was checked. Without
/// a text, the place is named and no line is shown.
pub fn render<'a, T: Into<Cow<'a, str>>>(
    diagnostics: &[Diagnostic],
    look: Look<'_>,
    read: impl Fn(&Path) -> Option<T>,
) -> String {
    let mut sources = Sources::new(read);
    let mut path = ShownPath::default();
    let shown: Vec<String> =
        diagnostics.iter().map(|diagnostic| finding(diagnostic, look, &mut sources, &mut path)).collect();
    shown.join("\n")
}

/// The last path that was shown: most findings of a skill are about one file.
#[derive(Default)]
struct ShownPath<'d> {
    path: Option<&'d Path>,
    text: String,
}

impl<'d> ShownPath<'d> {
    fn of(&mut self, path: &'d Path, look: Look<'_>) -> &str {
        if self.path.is_none_or(|last| last.as_os_str() != path.as_os_str()) {
            self.text = path::shown(path, look.base, look.home);
            self.path = Some(path);
        }
        &self.text
    }
}

fn finding<'a, 'd, F, T>(
    diagnostic: &'d Diagnostic,
    look: Look<'_>,
    sources: &mut Sources<'a, F>,
    path: &mut ShownPath<'d>,
) -> String
where
    F: Fn(&Path) -> Option<T>,
    T: Into<Cow<'a, str>>,
{
    let mut shown: Option<(usize, Excerpt)> = None;
    if let Some(span) = diagnostic.span
        && let Some(text) = sources.text(diagnostic.path.as_deref(), span)
    {
        let range = range(span);
        let first = span.line as usize;
        let lines = text[range.clone()].split(['\n', '\r']).count();
        let room = look.width.max(LEAST_WIDTH) - digits(first + lines) - DECORATION;
        shown = Some((first, excerpt(text, &range, room)));
    }
    let finding = Finding {
        level: diagnostic.severity,
        code: diagnostic.code.as_str(),
        message: visible::sentence(&diagnostic.message),
        place: place(diagnostic, look, path),
        excerpt: shown,
        effect: look.effect.filter(|_| diagnostic.severity == Severity::Error).map(visible::sentence),
        help: help(diagnostic, look),
    };
    let plain = if look.colour == Colour::Never { plain::finding(&finding) } else { None };
    let text = plain.unwrap_or_else(|| rendered(finding, look.colour));
    if look.wraps && text.lines().any(|line| columns(line) > look.width) {
        return folded(&text, look.width);
    }
    text
}

/// Breaks the title and the sentences below the excerpt between words, at a width.
fn folded(text: &str, width: usize) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for (at, line) in text.lines().enumerate() {
        let plain = strip_str(line).to_string();
        let sentence = plain.trim_start();
        let column = match sentence.strip_prefix("= ").and_then(|named| named.find(": ")) {
            _ if at == 0 => 2,
            Some(name) => plain.len() - sentence.len() + name + 4,
            None => 0,
        };
        if column > 0 && columns(&plain) > width {
            broken(line, width, column, &mut out);
        } else {
            out.push_str(line);
        }
        out.push('\n');
    }
    out
}

/// Breaks one line between words; escape sequences have no columns.
fn broken(line: &str, width: usize, indent: usize, out: &mut String) {
    let mut used = 0;
    for word in line.split_inclusive(' ') {
        let plain = strip_str(word).to_string();
        if used > indent && used + columns(plain.trim_end()) > width {
            out.truncate(out.trim_end().len());
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent));
            used = indent;
        }
        out.push_str(word);
        used += columns(&plain);
    }
}

/// The fix of a finding, and whether a command applies it.
fn help(diagnostic: &Diagnostic, look: Look<'_>) -> Option<String> {
    let help = diagnostic.help.as_deref().map(visible::sentence)?;
    let by_command = if look.fixable.contains(&diagnostic.code) { "   --fix can do this" } else { "" };
    Some(help + by_command)
}

/// What is shown of one diagnostic.
struct Finding {
    level: Severity,
    code: &'static str,
    message: String,
    place: Option<String>,
    /// The lines that it marks, and the number of the first.
    excerpt: Option<(usize, Excerpt)>,
    effect: Option<String>,
    help: Option<String>,
}

/// A finding as the renderer of snippets draws it.
fn rendered(finding: Finding, colour: Colour) -> String {
    let Finding { level: severity, code, message, place, excerpt, effect, help } = finding;
    let mut group = Group::with_title(level(severity).primary_title(message).id(code));
    let mut gutter = 0;
    if let Some((first, shown)) = excerpt {
        gutter = digits(first + shown.text.matches('\n').count());
        let mark = AnnotationKind::Primary.span(shown.mark);
        group = group.element(Snippet::source(shown.text).line_start(first).annotation(mark));
    }
    if let Some(effect) = effect {
        group = group.element(Level::NOTE.with_name("effect").message(effect));
    }
    if let Some(help) = help {
        group = group.element(Level::HELP.with_name("fix").message(help));
    }
    let rendered = renderer(colour).render(&[group]);
    with_place(&rendered, place.as_deref(), gutter, colour)
}

/// Writes the place below the title. The renderer would count columns in the excerpt, which is
/// escaped and cut, and so name a column that is not in the file.
fn with_place(rendered: &str, place: Option<&str>, gutter: usize, colour: Colour) -> String {
    let (title, rest) = rendered.split_once('\n').unwrap_or((rendered, ""));
    let style = match colour {
        Colour::Never => Style::new(),
        Colour::Always => DEFAULT_LINE_NUM_STYLE,
    };
    let mut shown = format!("{title}\n");
    if let Some(place) = place {
        // Writing to a `String` cannot fail.
        let _ = writeln!(shown, "{:gutter$}{style}-->{style:#} {place}", "");
    }
    if !rest.is_empty() {
        shown.push_str(rest);
        shown.push('\n');
    }
    shown
}

/// `file:line:column`, as far as they are known.
fn place<'d>(diagnostic: &'d Diagnostic, look: Look<'_>, shown: &mut ShownPath<'d>) -> Option<String> {
    let path = diagnostic.path.as_deref().map(|path| shown.of(path, look));
    match (path, diagnostic.span) {
        (Some(path), Some(span)) => Some(format!("{path}:{}:{}", span.line, span.column)),
        (Some(path), None) => Some(path.to_owned()),
        (None, Some(span)) => Some(format!("line {}, column {}", span.line, span.column)),
        (None, None) => None,
    }
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Note => Level::NOTE,
        Severity::Warning => Level::WARNING,
        Severity::Error => Level::ERROR,
    }
}

fn renderer(colour: Colour) -> Renderer {
    match colour {
        Colour::Never => Renderer::plain(),
        Colour::Always => Renderer::styled(),
    }
    .term_width(NEVER_CUT)
}

fn digits(number: usize) -> usize {
    number.checked_ilog10().map_or(1, |log| log as usize + 1)
}

mod plain;
#[cfg(test)]
mod tests;
