//! Splits Markdown into prose, code, hidden parts and links, each with its position and heading.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use std::ops::Range;

/// The part of a page below one heading.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    pub(crate) title: Range<usize>,
    pub(crate) range: Range<usize>,
    /// The section that contains it.
    pub(crate) above: Option<usize>,
    level: HeadingLevel,
}

/// A piece of a page.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) part: Part,
    pub(crate) range: Range<usize>,
    pub(crate) section: Option<usize>,
    /// Whether the piece is in a table, where pages show examples rather than give instructions.
    pub(crate) shown: bool,
}

/// The content of a piece.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    Prose,
    /// A block of code: its language, its text, and pairs of offsets in that text and in the page.
    Code {
        language: String,
        text: String,
        places: Vec<(usize, usize)>,
    },
    Html,
    /// Code inside a sentence, with its backticks.
    Inline,
    Link {
        target: String,
        title: String,
        image: bool,
    },
}

/// A page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Page {
    pub(crate) sections: Vec<Section>,
    pub(crate) pieces: Vec<Piece>,
}

/// Splits a page; ranges are moved by `offset`.
pub(crate) fn read(text: &str, offset: usize) -> Page {
    let mut reader = Reader::default();
    for (event, range) in
        Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH).into_offset_iter()
    {
        reader.event(event, range.start + offset..range.end + offset);
    }
    reader.flush();
    let end = text.len() + offset;
    let starts: Vec<usize> =
        reader.page.sections.iter().skip(1).map(|section| section.range.start).chain([end]).collect();
    for (section, end) in reader.page.sections.iter_mut().zip(starts) {
        section.range.end = end;
    }
    reader.page
}

/// A block of code that is being read.
struct Block {
    language: String,
    text: String,
    places: Vec<(usize, usize)>,
    range: Range<usize>,
}

#[derive(Default)]
struct Reader {
    page: Page,
    run: Option<Range<usize>>,
    code: Option<Block>,
    shown: usize,
    heading: Option<(HeadingLevel, Range<usize>)>,
}

impl Reader {
    fn piece(&mut self, part: Part, range: Range<usize>) {
        let section = self.page.sections.len().checked_sub(1);
        self.page.pieces.push(Piece { part, range, section, shown: self.shown > 0 });
    }

    fn flush(&mut self) {
        if let Some(range) = self.run.take() {
            self.piece(Part::Prose, range);
        }
    }

    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                self.flush();
                let language = match kind {
                    CodeBlockKind::Fenced(info) => {
                        info.split([' ', ',', '{']).next().unwrap_or_default().to_ascii_lowercase()
                    }
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some(Block { language, text: String::new(), places: Vec::new(), range });
            }
            Event::End(TagEnd::CodeBlock) => {
                if let Some(Block { language, text, places, range }) = self.code.take() {
                    self.piece(Part::Code { language, text, places }, range);
                }
            }
            Event::Text(text) if self.code.is_some() => {
                if let Some(Block { text: all, places, .. }) = &mut self.code {
                    places.push((all.len(), range.start));
                    all.push_str(&text);
                }
            }
            Event::Html(_) | Event::InlineHtml(_) => {
                if matches!(event, Event::Html(_)) {
                    self.flush();
                } else {
                    // A model reads a tag inside a sentence as part of the sentence.
                    self.extend(range.clone());
                }
                // The parser returns the lines of one block one by one.
                match self.page.pieces.last_mut() {
                    Some(last) if matches!(last.part, Part::Html) && last.range.end >= range.start => {
                        last.range.end = range.end;
                    }
                    _ => self.piece(Part::Html, range),
                }
            }
            Event::Start(Tag::Link { dest_url, title, .. }) => self.link(&dest_url, &title, false, range),
            Event::Start(Tag::Image { dest_url, title, .. }) => self.link(&dest_url, &title, true, range),
            Event::Start(Tag::Heading { level, .. }) => {
                self.flush();
                self.heading = Some((level, range));
            }
            Event::End(TagEnd::Heading(_)) => {
                self.flush();
                if let Some((level, title)) = self.heading.take() {
                    let above = self.page.sections.iter().rposition(|section| section.level < level);
                    // A heading of a higher level ends the search.
                    let range = title.clone();
                    self.page.sections.push(Section { title, range, above, level });
                }
            }
            Event::Start(Tag::Table(_)) => {
                self.flush();
                self.shown += 1;
            }
            Event::End(TagEnd::Table) => {
                self.flush();
                self.shown = self.shown.saturating_sub(1);
            }
            Event::Start(
                Tag::Paragraph
                | Tag::BlockQuote(_)
                | Tag::Item
                | Tag::List(_)
                | Tag::TableRow
                | Tag::TableHead,
            )
            | Event::End(
                TagEnd::Paragraph
                | TagEnd::BlockQuote(_)
                | TagEnd::Item
                | TagEnd::List(_)
                | TagEnd::TableRow
                | TagEnd::TableHead,
            )
            | Event::Rule => self.flush(),
            Event::Code(_) => {
                self.extend(range.clone());
                self.piece(Part::Inline, range);
            }
            Event::Text(_) | Event::SoftBreak | Event::HardBreak => self.extend(range),
            _ => {}
        }
    }

    fn extend(&mut self, range: Range<usize>) {
        self.run = Some(match self.run.take() {
            Some(run) => run.start.min(range.start)..run.end.max(range.end),
            None => range,
        });
    }

    fn link(&mut self, target: &str, title: &str, image: bool, range: Range<usize>) {
        let part = Part::Link { target: target.to_owned(), title: title.to_owned(), image };
        self.extend(range.clone());
        self.piece(part, range);
    }
}

/// Converts an offset in the text of a block to an offset in the page.
pub(crate) fn place(places: &[(usize, usize)], at: usize) -> usize {
    let index = places.partition_point(|(inside, _)| *inside <= at).saturating_sub(1);
    places.get(index).map_or(at, |(inside, outside)| outside + (at - inside.min(&at)))
}
