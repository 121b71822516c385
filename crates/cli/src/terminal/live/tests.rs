use super::*;
use crate::terminal::markdown::Markdown;
use proptest::prelude::*;

const SIZE: Size = Size { columns: 30, rows: 60 };

/// A terminal that shows a text as it arrives in these pieces.
struct Shown {
    parser: vt100::Parser,
    live: LiveLines,
    markdown: Markdown,
    size: Size,
}

impl Shown {
    fn new(size: Size) -> Self {
        let number = |count: usize| u16::try_from(count).unwrap();
        Self {
            parser: vt100::Parser::new(number(size.rows), number(size.columns), 2_000),
            live: LiveLines::default(),
            markdown: Markdown::new(size.columns),
            size,
        }
    }

    /// Prints whole lines, as a terminal driver passes them on.
    fn print(&mut self, text: &str) {
        self.parser.process(text.replace("\r\n", "\n").replace('\n', "\r\n").as_bytes());
    }

    fn push(&mut self, piece: &str) -> String {
        let text = self.markdown.push(piece);
        let changed = match self.markdown.draft() {
            Some(draft) => self.live.change(&text, draft, self.size),
            None => String::new(),
        };
        self.print(&changed);
        changed
    }

    fn finish(&mut self) {
        let text = self.markdown.finish();
        let changed = self.live.change(&text, Vec::new(), self.size);
        self.print(&changed);
    }

    fn screen(&self) -> String {
        self.parser.screen().contents().lines().map(|line| line.trim_end().to_owned() + "\n").collect()
    }
}

/// What a terminal shows of a text whose words arrive one by one, at each mark `¦`.
fn at_marks(text: &str, size: Size) -> String {
    let mut shown = Shown::new(size);
    let mut out = String::new();
    for piece in text.split('¦') {
        for word in piece.split_inclusive(' ') {
            shown.push(word);
        }
        out.push_str(&shown.screen());
        out.push_str("--------\n");
    }
    shown.finish();
    out + &shown.screen()
}

#[test]
fn a_line_shows_its_words_before_it_ends() {
    insta::assert_snapshot!(at_marks("The answer is¦ that **most of¦ it** works", SIZE), @"
    The answer is
    --------
    The answer is that most of
    --------
    The answer is that most of it
    works
    --------
    The answer is that most of it
    works
    ");
}

#[test]
fn a_line_that_wraps_grows_on_the_next_row() {
    insta::assert_snapshot!(at_marks("- one item that is long¦ enough to be wrapped at the width¦ of it\n- two¦ words", SIZE), @"
    • one item that is long
    --------
    • one item that is long enough
      to be wrapped at the width
    --------
    • one item that is long enough
      to be wrapped at the width
      of it
    • two
    --------
    • one item that is long enough
      to be wrapped at the width
      of it
    • two words
    --------
    • one item that is long enough
      to be wrapped at the width
      of it
    • two words
    ");
}

#[test]
fn code_tables_and_quotes_grow_too() {
    insta::assert_snapshot!(at_marks("```sh\ncargo te¦st\n```\n\n| name | size |\n|---|--:|\n| a | 1¦0 |\n| long name | 2 |\n\n> said¦ so", SIZE), @"
    │ sh
    │ cargo te
    --------
    │ sh
    │ cargo test

    name  size
    ────  ────
    a        1
    --------
    │ sh
    │ cargo test

    name       size
    ─────────  ────
    a            10
    long name     2

    ▎ said
    --------
    │ sh
    │ cargo test

    name       size
    ─────────  ────
    a            10
    long name     2

    ▎ said so
    --------
    │ sh
    │ cargo test

    name       size
    ─────────  ────
    a            10
    long name     2

    ▎ said so
    ");
}

#[test]
fn a_mark_whose_form_is_not_known_is_not_shown() {
    let mut shown = Shown::new(SIZE);
    for piece in ["-", "-", "-\n", "\n", "#", " ", "\n", "`", "``", "\n"] {
        shown.push(piece);
        let screen = shown.screen();
        assert!(!screen.contains(['-', '#', '`']), "{piece:?}: {screen}");
    }
}

#[test]
fn words_are_appended_without_drawing_the_line_again() {
    let mut shown = Shown::new(SIZE);
    shown.push("several words");
    assert_eq!(shown.push(" more"), "\u{1b}[?7l more\u{1b}[?7h");
}

#[test]
fn a_block_longer_than_the_terminal_shows_its_last_rows() {
    let size = Size { columns: 30, rows: 6 };
    let rows: String = (0..40).map(|row| format!("| row {row} | x |\n")).collect();
    let mut shown = Shown::new(size);
    for piece in format!("before\n\n| name | size |\n|---|---|\n{rows}").split_inclusive(' ') {
        shown.push(piece);
    }
    assert!(shown.screen().contains("row 39"), "{}", shown.screen());
    shown.finish();
    shown.parser.screen_mut().set_scrollback(2_000);
    assert_eq!(
        shown.screen().lines().take(4).collect::<Vec<_>>(),
        ["before", "", "name    size", "──────  ────"]
    );
}

#[test]
fn a_terminal_that_becomes_narrower_loses_no_line_above() {
    let mut live = LiveLines::default();
    live.change("", vec!["x".repeat(30)], SIZE);
    // Thirty columns take three rows of twelve.
    let changed = live.change("", vec!["y".to_owned()], Size { columns: 12, rows: 60 });
    assert!(changed.starts_with("\r\u{1b}[2A"), "{changed:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn any_cut_of_a_text_leaves_the_same_screen(
        text in crate::terminal::markdown::tests::texts(),
        cuts in prop::collection::vec(1usize..9, 1..12),
        columns in 20usize..70,
    ) {
        let size = Size { columns, rows: 200 };
        let mut whole = Shown::new(size);
        whole.push(&text);
        whole.finish();
        let mut plain = Markdown::new(columns);
        let printed = plain.push(&text) + &plain.finish();
        let mut once = Shown::new(size);
        once.print(&printed);
        prop_assert_eq!(whole.screen(), once.screen());
        let mut pieces = Shown::new(size);
        let mut rest: Vec<char> = text.chars().collect();
        for length in cuts.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let piece: String = rest.drain(..(*length).min(rest.len())).collect();
            pieces.push(&piece);
        }
        pieces.finish();
        prop_assert_eq!(pieces.screen(), once.screen());
    }
}
