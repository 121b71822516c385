use super::*;
use insta::assert_snapshot;
use skillful_format::{Code, Span, source::span_in};
use std::cell::Cell;

const BASE: &str = "/work";
const FILE: &str = "/work/skills/deploy/SKILL.md";
const TEXT: &str = "\
---
name: deploy
description: Deploy: the whole site
\tlicense: MIT
---
# Deploy
";

fn look() -> Look<'static> {
    Look {
        base: Path::new(BASE),
        home: None,
        colour: Colour::Never,
        width: 80,
        wraps: false,
        effect: None,
        fixable: &[],
    }
}

fn span_of(text: &str, words: &str) -> Span {
    let start = text.find(words).unwrap();
    span_in(text, start..start + words.len())
}

fn at(code: Code, message: &str, text: &str, words: &str) -> Diagnostic {
    Diagnostic::new(code, message).in_path(FILE).at(span_of(text, words))
}

fn show(diagnostics: &[Diagnostic], text: &str) -> String {
    render(diagnostics, look(), |_| Some(text.to_owned()))
}

#[test]
fn a_finding_shows_place_line_mark_and_help() {
    let finding =
        at(Code::UnquotedColon, "the value of `description` holds `: `", TEXT, "Deploy: the whole site")
            .help("put the value in double quotes");
    assert_snapshot!(show(&[finding], TEXT), @"
    warning[unquoted-colon]: the value of `description` holds `: `
     --> skills/deploy/SKILL.md:3:14
      |
    3 | description: Deploy: the whole site
      |              ^^^^^^^^^^^^^^^^^^^^^^
      |
      = fix: put the value in double quotes
    ");
}

#[test]
fn an_error_names_its_effect_and_a_repair_that_a_command_can_do() {
    let error = at(Code::YamlSyntax, "a quoted value is not closed", TEXT, "Deploy: the whole site")
        .with_severity(Severity::Error)
        .help("close the quote");
    let warning = at(Code::NameReserved, "the name `deploy` is reserved", TEXT, "deploy").help("rename it");
    let look = Look { effect: Some("Cursor refuses it"), fixable: &[Code::YamlSyntax], ..look() };
    let shown = render(&[error.clone(), warning], look, |_| Some(TEXT.to_owned()));
    assert!(
        shown.contains("\n  = effect: Cursor refuses it\n  = fix: close the quote   --fix can do this\n"),
        "{shown}"
    );
    assert_eq!(shown.matches("effect").count(), 1, "a warning has none: {shown}");
    assert!(shown.ends_with("  = fix: rename it\n"), "{shown}");
    // The renderer of snippets writes the same lines.
    let coloured = render(&[error], Look { colour: Colour::Always, ..look }, |_| Some(TEXT.to_owned()));
    assert!(coloured.contains("Cursor refuses it") && coloured.contains("--fix can do this"), "{coloured}");
}

#[test]
fn on_a_terminal_sentences_break_between_words_and_excerpts_stay() {
    let finding = at(Code::YamlSyntax, "a quoted value is not closed", TEXT, "Deploy: the whole site")
        .help("close the quote, or indent the lines that continue the value, so that YAML reads them");
    let look = Look { wraps: true, width: 60, fixable: &[Code::YamlSyntax], ..look() };
    assert_snapshot!(render(std::slice::from_ref(&finding), look, |_| Some(TEXT.to_owned())), @"
    error[yaml-syntax]: a quoted value is not closed
     --> skills/deploy/SKILL.md:3:14
      |
    3 | description: Deploy: the whole site
      |              ^^^^^^^^^^^^^^^^^^^^^^
      |
      = fix: close the quote, or indent the lines that continue
             the value, so that YAML reads them   --fix can do
             this
    ");
    let coloured = render(&[finding], Look { colour: Colour::Always, ..look }, |_| Some(TEXT.to_owned()));
    let plain = anstream::adapter::strip_str(&coloured).to_string();
    assert!(plain.lines().all(|line| columns(line) <= 60), "{plain}");
}

#[test]
fn findings_keep_their_order_with_a_blank_line_between() {
    let findings = [
        at(Code::TabIndentation, "the line is indented with a tab", TEXT, "\t"),
        at(Code::NameReserved, "the name `deploy` is reserved", TEXT, "deploy")
            .with_severity(Severity::Error),
        at(Code::NonSpecKey, "`license` is not known here", TEXT, "license"),
    ];
    assert_snapshot!(show(&findings, TEXT), @r"
    warning[tab-indentation]: the line is indented with a tab
     --> skills/deploy/SKILL.md:4:1
      |
    4 |     license: MIT
      | ^^^^

    error[name-reserved]: the name `deploy` is reserved
     --> skills/deploy/SKILL.md:2:7
      |
    2 | name: deploy
      |       ^^^^^^

    note[non-spec-key]: `license` is not known here
     --> skills/deploy/SKILL.md:4:2
      |
    4 |     license: MIT
      |     ^^^^^^^
    ");
}

#[test]
fn a_range_of_several_lines_is_marked_from_end_to_end() {
    let text = "---\nname: x\ndescription: \"one\n---\ntwo\n\nthree\nfour\nfive\nsix\"\n---\n";
    let finding = at(
        Code::FenceInQuotes,
        "a quoted value holds `---`",
        text,
        "\"one\n---\ntwo\n\nthree\nfour\nfive\nsix\"",
    );
    assert_snapshot!(show(&[finding], text), @r#"
    warning[fence-in-quotes]: a quoted value holds `---`
      --> skills/deploy/SKILL.md:3:14
       |
     3 |   description: "one
       |  ______________^
     4 | | ---
     5 | | two
    ...  |
     9 | | five
    10 | | six"
       | |____^
    "#);
}

#[test]
fn without_a_place_only_the_header_lines_are_shown() {
    let findings = [
        Diagnostic::new(Code::ConfigInvalid, "`colour` is not a setting"),
        Diagnostic::new(Code::ConfigInvalid, "`colour` is not a setting").help("remove it"),
        Diagnostic::new(Code::NoSkillFile, "there is no SKILL.md").in_path("/work/skills/empty"),
        Diagnostic::new(Code::FileUnreadable, "the file cannot be read")
            .in_path("/elsewhere/SKILL.md")
            .help("check its permissions"),
        Diagnostic::new(Code::YamlSyntax, "a mapping is not closed").at(span_of(TEXT, "deploy")),
    ];
    assert_snapshot!(show(&findings, TEXT), @"
    warning[config-invalid]: `colour` is not a setting

    warning[config-invalid]: `colour` is not a setting
     |
     = fix: remove it

    error[no-skill-file]: there is no SKILL.md
    --> skills/empty

    error[file-unreadable]: the file cannot be read
    --> /elsewhere/SKILL.md
     |
     = fix: check its permissions

    error[yaml-syntax]: a mapping is not closed
    --> line 2, column 7
    ");
}

#[test]
fn a_text_that_is_gone_or_has_changed_is_not_marked() {
    let finding = at(Code::NameReserved, "the name `deploy` is reserved", TEXT, "deploy");
    for now in [None, Some(""), Some("---\n"), Some("name: something else\nand more\n"), Some("äöüäöüäöüäöü")]
    {
        let shown = render(std::slice::from_ref(&finding), look(), |_| now.map(str::to_owned));
        assert_eq!(
            shown, "warning[name-reserved]: the name `deploy` is reserved\n--> skills/deploy/SKILL.md:2:7\n",
            "{now:?}"
        );
    }
}

#[test]
fn a_long_description_does_not_fill_the_screen() {
    let words = "all the words of a very long description ".repeat(125);
    let text = format!("---\nname: x\ndescription: {words}\n---\n");
    let whole = at(Code::DescriptionTooLong, "the description has 5,125 characters", &text, words.trim_end());
    let start = text.len() / 2;
    let part =
        Diagnostic::new(Code::DescriptionAngle, "here").in_path(FILE).at(span_in(&text, start..start + 4));
    assert_snapshot!(show(&[whole, part], &text), @r"
    warning[description-too-long]: the description has 5,125 characters
     --> skills/deploy/SKILL.md:3:14
      |
    3 | description: all the words of a very long description all the words of a…
      |              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

    note[description-angle-brackets]: here
     --> skills/deploy/SKILL.md:3:2566
      |
    3 | …a very long description all the words of a very long description all the…
      |                                    ^^^^
    ");
}

#[test]
fn the_column_is_that_of_the_file_and_not_of_the_excerpt() {
    let text = "\tdescription: \u{1b}[31mred\n";
    assert_snapshot!(show(&[at(Code::YamlSyntax, "x", text, "red")], text), @r"
    error[yaml-syntax]: x
     --> skills/deploy/SKILL.md:1:20
      |
    1 |     description: <U+001B>[31mred
      |                              ^^^
    ");
}

#[test]
fn nothing_a_skill_holds_reaches_the_terminal_raw() {
    let text = "name: \u{1b}]0;title\u{7}\u{202e}txt.exe\u{200b}\u{9b}2J\n";
    let finding =
        at(Code::NameCharacters, "the name `\u{1b}[2J\u{202e}` is odd\nerror: fake", text, text.trim_end())
            .help("use\u{8} letters")
            .in_path("/work/\u{1b}[1m/SKILL.md");
    let shown = show(&[finding], text);
    assert!(!shown.contains(|c| c != '\n' && visible::is_hidden(c)));
    assert_snapshot!(shown, @"
    warning[name-characters]: the name `<U+001B>[2J<U+202E>` is odd error: fake
     --> <U+001B>[1m/SKILL.md:1:1
      |
    1 | name: <U+001B>]0;title<U+0007><U+202E>txt.exe<U+200B><U+009B>2J
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = fix: use<U+0008> letters
    ");
}

#[test]
fn a_long_excerpt_stays_within_the_width() {
    let text = "日本語 ".repeat(400);
    let finding = at(Code::DescriptionTooLong, "long", &text, &text);
    for width in [0, 40, 79, 200] {
        let shown = render(std::slice::from_ref(&finding), Look { width, ..look() }, |_| Some(text.clone()));
        let widest = shown.lines().map(unicode_width::UnicodeWidthStr::width).max().unwrap();
        assert!(widest <= width.max(LEAST_WIDTH), "{widest} of {width}");
    }
}

#[test]
fn colours_are_written_only_on_demand() {
    let finding = at(Code::NameReserved, "the name is reserved", TEXT, "deploy").help("choose another");
    let plain = show(std::slice::from_ref(&finding), TEXT);
    let coloured = render(&[finding], Look { colour: Colour::Always, ..look() }, |_| Some(TEXT.to_owned()));
    assert!(!plain.contains('\u{1b}'));
    assert_eq!(anstream::adapter::strip_str(&coloured).to_string(), plain);
    assert!(coloured.contains("\u{1b}["));
}

#[test]
fn each_file_is_read_once_and_only_for_a_span() {
    let reads = Cell::new(0);
    let finding = at(Code::NameReserved, "x", TEXT, "deploy");
    let plain = Diagnostic::new(Code::NoSkillFile, "y").in_path("/work/other");
    let _ = render(&[finding.clone(), plain, finding], look(), |_| {
        reads.set(reads.get() + 1);
        Some(TEXT.to_owned())
    });
    assert_eq!(reads.get(), 1);
}

#[test]
fn any_range_of_a_text_can_be_shown() {
    let text = "\u{feff}---\r\n\tä: 日本\u{202e}\r\r\n\n\n  // \u{1b}[1m🦀e\u{301}\n}\n\n---\n";
    let ends: Vec<usize> = (0..=text.len()).filter(|at| text.is_char_boundary(*at)).collect();
    for &start in &ends {
        for &end in ends.iter().filter(|end| **end >= start) {
            let finding = Diagnostic::new(Code::YamlSyntax, "x").in_path(FILE).at(span_in(text, start..end));
            let shown = show(&[finding], text);
            assert!(shown.contains('^'), "{start}..{end}\n{shown}");
            assert!(!shown.contains(|c| c != '\n' && visible::is_hidden(c)), "{start}..{end}\n{shown}");
        }
    }
}

#[test]
fn nothing_found_is_nothing_shown() {
    assert_eq!(show(&[], TEXT), "");
}

/// Pieces of the lines that findings mark.
const PIECES: &[&str] = &[
    "name",
    ": ",
    " ",
    "  ",
    "        ",
    "-",
    "\"",
    "'",
    "é",
    "—",
    "…",
    "技能",
    "🦀",
    "\u{301}",
    "\u{200d}",
    "\u{fe0f}",
    "\u{a0}",
    "\t",
    "\u{1b}",
    "\u{ad}",
    "{}",
    "ÀÁ",
    "ｆｕｌｌ",
    "\u{1100}\u{1161}",
    "long words that go on and on ",
];

proptest::proptest! {
    #[test]
    fn a_finding_without_colours_is_what_the_renderer_of_snippets_draws(
        line in proptest::collection::vec(proptest::sample::select(PIECES), 0..12),
        message in proptest::collection::vec(proptest::sample::select(PIECES), 1..6),
        help in proptest::option::of(proptest::collection::vec(proptest::sample::select(PIECES), 1..6)),
        (before, from, length) in (0..120_usize, 0..40_usize, 0..40_usize),
        place in proptest::option::of(proptest::strategy::Just("skills/a/SKILL.md:1:1")),
        width in 40..200_usize,
    ) {
        let text = format!("{}{}\nnext\n", "\n".repeat(before), line.concat());
        let from = text.floor_char_boundary(before + from);
        let to = text.ceil_char_boundary((from + length).min(text.len()));
        let span = span_in(&text, from..to);
        let room = width - digits(span.line as usize) - DECORATION;
        let finding = Finding {
            level: Severity::Warning,
            code: "unknown-key",
            message: visible::sentence(&message.concat()),
            place: place.map(str::to_owned),
            excerpt: Some((span.line as usize, excerpt(&text, &(from..to), room))),
            effect: place.map(|_| "Cursor refuses it".to_owned()),
            help: help.map(|help| visible::sentence(&help.concat())),
        };
        if let Some(plain) = plain::finding(&finding) {
            proptest::prop_assert_eq!(plain, rendered(finding, Colour::Never));
        }
    }
}
