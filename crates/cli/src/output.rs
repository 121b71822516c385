//! What reaches the terminal: colour, width, tables, JSON. The only module that prints.

use crate::{
    pager,
    report::{
        json::{self, Layout},
        sarif::Log,
        visible,
    },
};
use anstyle::{AnsiColor, Style};
use skillful::views::View;
use std::io::{self, BufWriter, IsTerminal, Write};

pub(crate) use skillful_tui::text::{columns, count, cut, thousands};

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ColorWhen {
    /// When the output is a terminal and `NO_COLOR` is unset or empty.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// How and where to show things.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    /// As JSON.
    pub json: bool,
    /// With colour.
    pub color: bool,
    /// Columns of the terminal.
    pub width: usize,
    /// Whether tables are laid out in columns; a pipe gets tabs and loses nothing.
    pub(crate) table: bool,
    /// Whether a long text goes through a pager.
    pub(crate) pages: bool,
}

/// Columns from which on tables have their wide form.
const WIDE: usize = 120;
/// Columns when the terminal reports none.
const DEFAULT_WIDTH: usize = 120;

/// Colours by meaning.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// Something to look at.
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default();
/// Something broken.
pub(crate) const BAD: Style = AnsiColor::Red.on_default();
/// Something that does not matter now.
pub(crate) const DIM: Style = Style::new().dimmed();
/// A heading.
pub(crate) const HEAD: Style = Style::new().bold();

impl Output {
    /// For this process.
    pub(crate) fn new(json: bool, when: ColorWhen, variable: impl Fn(&str) -> Option<String>) -> Self {
        let terminal = io::stdout().is_terminal();
        let color = match when {
            ColorWhen::Always => true,
            ColorWhen::Never => false,
            ColorWhen::Auto => {
                terminal
                    && variable("NO_COLOR").is_none_or(|value| value.is_empty())
                    && variable("TERM").is_none_or(|term| term != "dumb")
            }
        };
        let named = variable("COLUMNS").and_then(|columns| columns.parse().ok());
        let measured = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        let width =
            named.or_else(|| if terminal { measured() } else { None }).unwrap_or(DEFAULT_WIDTH).max(40);
        // A caller that sets COLUMNS wants the layout of a terminal of that width.
        let table = terminal || named.is_some();
        let dumb = variable("TERM").is_none_or(|term| term == "dumb");
        let pages = terminal && io::stdin().is_terminal() && !dumb && !json;
        Self { json, color, width, table, pages }
    }

    /// Whether tables are laid out in columns. In a pipe they are tab-separated, without heads and summaries.
    pub(crate) fn is_table(&self) -> bool {
        self.table
    }

    /// Whether there is room for the wide form of a table.
    pub(crate) fn is_wide(&self) -> bool {
        !self.table || self.width >= WIDE
    }

    /// Text in a style, when there is colour.
    pub(crate) fn paint(&self, style: Style, text: &str) -> String {
        if self.color { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    /// Prints to standard output. A reader that went away is not a failure.
    #[expect(clippy::unused_self, reason = "a caller that prints holds an output")]
    pub(crate) fn print(&self, text: &str) -> io::Result<()> {
        match io::stdout().lock().write_all(text.as_bytes()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            result => result,
        }
    }

    /// Prints through the user's pager what is longer than the terminal; into a pipe as it is.
    pub(crate) fn page(&self, text: &str) -> io::Result<()> {
        let rows = terminal_size::terminal_size().map(|(_, height)| usize::from(height.0));
        let is_long = rows.is_some_and(|rows| text.lines().count() >= rows);
        if self.pages && is_long && pager::run(text)? { Ok(()) } else { self.print(text) }
    }

    /// Prints a part of a line, and does not wait for the rest of it.
    pub(crate) fn print_now(&self, text: &str) -> io::Result<()> {
        self.print(text)?;
        match io::stdout().lock().flush() {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            result => result,
        }
    }

    /// Prints a view as JSON: indented on a terminal, one line otherwise.
    #[expect(clippy::unused_self, reason = "a caller that prints holds an output")]
    pub(crate) fn print_json(&self, view: &impl View) -> io::Result<()> {
        write_json(view)
    }

    /// Prints one view of a stream as JSON: always one line, also on a terminal.
    pub(crate) fn print_json_line(&self, view: &impl View) -> io::Result<()> {
        self.print(&json::to_text(view, Layout::OneLine).map_err(io::Error::other)?)
    }

    /// Prints a SARIF log, whose schema is not ours.
    #[expect(clippy::unused_self, reason = "a caller that prints holds an output")]
    pub(crate) fn print_sarif(&self, log: &Log) -> io::Result<()> {
        write_json(log)
    }
}

/// Writes JSON to standard output. Private, so that only views and SARIF logs are printed.
fn write_json(value: &impl serde::Serialize) -> io::Result<()> {
    let layout = if io::stdout().is_terminal() { Layout::Indented } else { Layout::OneLine };
    // Buffered, since the serializer writes in small pieces.
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let written = json::write(&mut out, value, layout).map_err(io::Error::from);
    match written.and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// Columns of the terminal that standard error goes to; elsewhere nothing is wrapped.
pub(crate) fn error_width() -> usize {
    let measured = terminal_size::terminal_size_of(io::stderr()).map(|(width, _)| usize::from(width.0));
    measured.unwrap_or(usize::MAX)
}

/// Prints to standard error.
pub(crate) fn tell(text: &str) {
    let _ignored = io::stderr().lock().write_all(text.as_bytes());
}

/// Prints a view to standard error.
pub(crate) fn tell_json(view: &impl View) {
    if let Ok(text) = json::to_text(view, Layout::OneLine) {
        tell(&text);
    }
}

/// Text that cannot move the cursor, change colours or reverse direction. All text of a skill goes
/// through here before it reaches a terminal.
pub(crate) fn harmless(text: &str) -> String {
    visible::sentence(text)
}

/// Several lines of such text, each with its end.
pub(crate) fn harmless_lines(text: &str) -> String {
    text.lines().map(|line| visible::exact(&line.replace('\t', "    ")).into_owned() + "\n").collect()
}

/// A sentence in lines of at most `width` columns; every line but the first begins with `indent`.
pub(crate) fn wrapped(text: &str, width: usize, indent: &str) -> String {
    let mut out = String::new();
    let mut line = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let blank = rest.len() - rest.trim_start_matches(' ').len();
        let end = rest[blank..].find(' ').map_or(rest.len(), |at| blank + at);
        let (word, after) = rest.split_at(end);
        if !line.trim().is_empty() && columns(&line) + columns(word) > width {
            out.push_str(line.trim_end());
            out.push('\n');
            line = indent.to_owned() + word.trim_start();
        } else {
            line.push_str(word);
        }
        rest = after;
    }
    out.push_str(line.trim_end());
    out.push('\n');
    out
}

/// One cell of a table.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    /// Harmless text.
    pub text: String,
    /// Its style.
    pub style: Style,
    /// Whether it ends where its column ends.
    is_number: bool,
}

impl Cell {
    /// A number; 0 is a dash.
    pub(crate) fn number(count: usize) -> Self {
        let text = if count == 0 { "-".to_owned() } else { count.to_string() };
        Self { is_number: true, ..Self::plain(text) }
    }

    /// A number with commas between thousands; 0 is 0.
    pub(crate) fn figure(count: usize) -> Self {
        Self { is_number: true, ..Self::plain(thousands(count)) }
    }

    /// A plain cell.
    pub(crate) fn plain(text: impl AsRef<str>) -> Self {
        Self::styled(text, Style::new())
    }

    /// A cell with a style.
    pub(crate) fn styled(text: impl AsRef<str>, style: Style) -> Self {
        Self { text: harmless(text.as_ref()), style, is_number: false }
    }
}

/// A table whose last column takes what is left of the width.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    /// The heads of the columns.
    pub heads: Vec<&'static str>,
    /// The rows, each as long as the heads.
    pub rows: Vec<Vec<Cell>>,
}

/// Columns that the last column keeps, when it has so much to show.
const LAST: usize = 24;
/// Columns that any other column keeps.
const LEAST: usize = 8;

impl Table {
    /// Takes columns from the widest texts until the table is as wide as the terminal at most. Returns what is left
    /// for the last column.
    fn fit(&self, widths: &mut [usize], width: usize) -> usize {
        let Some(end) = widths.len().checked_sub(1) else { return width };
        let is_number =
            |at: usize| self.rows.iter().any(|row| row.get(at).is_some_and(|cell| cell.is_number));
        let longest = self.rows.iter().filter_map(|row| row.get(end)).map(|cell| columns(&cell.text)).max();
        let wanted = longest.unwrap_or(0).max(self.heads[end].len()).min(LAST.max(width / 4));
        loop {
            let used: usize = widths.iter().take(end).map(|width| width + 2).sum();
            let widest = (0..end).filter(|at| !is_number(*at)).max_by_key(|at| widths[*at]);
            match widest {
                Some(at) if used + wanted > width && widths[at] > LEAST.max(self.heads[at].len()) => {
                    widths[at] -= 1;
                }
                _ => return width.saturating_sub(used).max(LEAST),
            }
        }
    }

    /// As text, with a line end after each row.
    pub(crate) fn render(&self, output: &Output) -> String {
        if !output.is_table() {
            let cells = self.rows.iter().flatten();
            let mut out = String::with_capacity(cells.map(|cell| cell.text.len() + 1).sum());
            for row in &self.rows {
                for (at, cell) in row.iter().enumerate() {
                    if at > 0 {
                        out.push('\t');
                    }
                    if cell.text.contains('\t') {
                        out.push_str(&cell.text.replace('\t', " "));
                    } else {
                        out.push_str(&cell.text);
                    }
                }
                out.push('\n');
            }
            return out;
        }
        let count = self.heads.len();
        let mut widths: Vec<usize> = self.heads.iter().map(|head| head.len()).collect();
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row).take(count.saturating_sub(1)) {
                *width = (*width).max(columns(&cell.text));
            }
        }
        // No column but the last may eat the line.
        let most = (output.width / 3).max(16);
        for width in widths.iter_mut().take(count.saturating_sub(1)) {
            *width = (*width).min(most);
        }
        let last = self.fit(&mut widths, output.width);
        let mut out = String::with_capacity(self.rows.len() * output.width);
        let is_number =
            |at: usize| self.rows.first().and_then(|row| row.get(at)).is_some_and(|cell| cell.is_number);
        let head = |(at, head): (usize, &&str)| Cell { is_number: is_number(at), ..Cell::styled(head, HEAD) };
        let heads: Vec<Cell> = self.heads.iter().enumerate().map(head).collect();
        for row in std::iter::once(&heads).chain(&self.rows) {
            for (at, cell) in row.iter().enumerate() {
                let limit = if at + 1 == count { last } else { widths[at] };
                let text = cut(&cell.text, limit);
                if cell.is_number {
                    let width = if at + 1 == count { self.heads[at].len() } else { widths[at] };
                    out.extend(std::iter::repeat_n(' ', width.saturating_sub(columns(&text))));
                }
                let pad = match at + 1 == count {
                    true => 0,
                    false if cell.is_number => 2,
                    false => widths[at] + 2 - columns(&text).min(widths[at]),
                };
                if output.color && cell.style != Style::new() {
                    out.push_str(&format!("{}{text}{:#}", cell.style, cell.style));
                } else {
                    out.push_str(&text);
                }
                out.extend(std::iter::repeat_n(' ', pad));
            }
            out.truncate(out.trim_end_matches(' ').len());
            out.push('\n');
        }
        out
    }
}
