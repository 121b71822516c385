use super::*;
use proptest::prelude::*;

const SAMPLE: &str = "\
# What it *does*

It is **bold** and *soft*, has `code here` and a [link](https://example.org/a), and goes on for more than
one line.

- one item that is long enough to be wrapped at the width of this terminal
- two
  - nested
1. first

```rust
fn main() {}
```

> somebody said
> > and somebody else

| name | size |
|------|-----:|
| a    |    1 |
| long name | 22 |

---
end";

fn whole(text: &str, width: usize) -> String {
    let mut markdown = Markdown::new(width);
    markdown.push(text) + &markdown.finish()
}

/// The printed text, without colours.
fn bare(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        out.push_str(&rest[..at]);
        let end = rest[at..].find('m').map_or(rest.len(), |end| at + end + 1);
        rest = &rest[end..];
    }
    out + rest
}

fn is_ours(text: &str) -> bool {
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_control() && c != '\n') {
        let Some(after) = rest[at..].strip_prefix("\u{1b}[") else { return false };
        let Some(end) = after.find(|c: char| !(c.is_ascii_digit() || c == ';')) else { return false };
        if !after[end..].starts_with('m') {
            return false;
        }
        rest = &after[end + 1..];
    }
    true
}

#[test]
fn a_text_is_set_for_the_terminal() {
    insta::assert_snapshot!(bare(&whole(SAMPLE, 44)), @"
    What it does

    It is bold and soft, has code here and a
    link (https://example.org/a), and goes on
    for more than one line.

    • one item that is long enough to be wrapped
      at the width of this terminal
    • two
      • nested
    1. first

    │ rust
    │ fn main() {}

    ▎ somebody said
    ▎ ▎ and somebody else

    name       size
    ─────────  ────
    a             1
    long name    22

    ────────────────────────────────────────
    end
    ");
}

#[test]
fn styles_are_our_own_and_end_with_their_line() {
    let text = whole("**bold *both* bold** and `code`\n# Head", 80);
    insta::assert_snapshot!(text.replace('\u{1b}', "␛"), @"
    ␛[1mbold␛[0m ␛[1m␛[3mboth␛[0m ␛[1mbold␛[0m and ␛[36mcode␛[0m
    ␛[1mHead␛[0m
    ");
}

#[test]
fn a_long_paragraph_shows_before_it_ends() {
    let mut markdown = Markdown::new(30);
    let early = markdown.push("these words are **plainly** more than one line of thirty columns and");
    assert!(early.lines().count() >= 2, "{early:?}");
    assert_eq!(Markdown::new(30).push("an *open mark may still become something else over there"), "");
}

#[test]
fn a_table_that_does_not_fit_and_cells_without_a_head_stay_as_written() {
    let wide = "| a | b |\n|---|---|\n| one two three four | five six seven |\n";
    assert!(bare(&whole(wide, 24)).contains("| one two three four | five six seven |"));
    let more = "| a |\n|---|\n| b | lost? |\n";
    assert!(bare(&whole(more, 80)).contains("lost?"));
}

#[test]
fn what_is_no_markdown_is_not_lost() {
    for text in
        ["[a]: https://example.org", "<b>x</b>", "- # no heading", "a\n===", "1986. a year", "- [ ] task"]
    {
        let seen = bare(&whole(text, 80));
        for word in text.split_whitespace().filter(|word| *word != "-") {
            assert!(seen.contains(word), "{word} of {text:?} in {seen:?}");
        }
    }
}

#[test]
fn no_sequence_of_a_model_reaches_the_terminal() {
    let nasty = "a\u{1b}[2Jb `\u{1b}]0;x\u{7}` &#27;[31m &#x9b;\n```\n\u{1b}[1A\r\u{8}\n```\n[x](http://\u{1b}[A)\n| \u{1b}c |\n|---|\n";
    let text = whole(nasty, 80);
    assert!(is_ours(&text), "{text:?}");
    let mut plain = Plain::default();
    let text = plain.push(nasty) + &plain.finish();
    assert!(!text.contains('\u{1b}') && !text.contains('\r'), "{text:?}");
}

#[test]
fn plain_text_comes_out_as_it_went_in() {
    let text = "**a**\r\n\tb 👩\u{200d}🚀 ü\n";
    let mut plain = Plain::default();
    let out: String = text.chars().map(|c| plain.push(c.encode_utf8(&mut [0; 4]))).collect();
    assert_eq!(out + &plain.finish(), text);
}

pub(crate) fn texts() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "word ",
        "longer words here ",
        "*",
        "**",
        "_",
        "`",
        "``",
        "[a](b) ",
        "[",
        "](u)",
        "<b>",
        "<",
        "\n",
        "\n\n",
        "- ",
        "  - ",
        "1. ",
        "# ",
        "> ",
        "```\n",
        "    ",
        "| a | b |\n",
        "|---|---|\n",
        "---\n",
        "- - ",
        "\u{1b}[1m",
        "\\",
        "&amp; ",
        "ü",
        "漢字漢字 ",
        "\t",
        "\r\n",
        "~~~",
        "https://example.org/some/where ",
        "!",
        "=\n",
    ]);
    prop::collection::vec(pieces, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn any_cut_of_a_text_gives_the_same_lines(text in texts(), cuts in prop::collection::vec(0usize..600, 0..40), width in 20usize..70) {
        let expected = whole(&text, width);
        let mut cuts: Vec<usize> = cuts.into_iter().filter(|at| text.is_char_boundary(*at)).collect();
        cuts.sort_unstable();
        let mut markdown = Markdown::new(width);
        let (mut out, mut from) = (String::new(), 0);
        for cut in cuts {
            out.push_str(&markdown.push(&text[from..cut]));
            from = cut;
        }
        out.push_str(&markdown.push(&text[from..]));
        out.push_str(&markdown.finish());
        prop_assert_eq!(&out, &expected);
        prop_assert!(is_ours(&out), "{:?}", out);
        let mut markdown = Markdown::new(width);
        let mut single = String::new();
        for c in text.chars() {
            single.push_str(&markdown.push(c.encode_utf8(&mut [0; 4])));
        }
        single.push_str(&markdown.finish());
        prop_assert_eq!(single, expected);
    }

    #[test]
    fn no_letter_of_a_text_is_lost(text in texts(), width in 20usize..70) {
        let text = text.replace("&amp;", "and");
        let shown = bare(&whole(&text, width));
        let mut letters = shown.chars();
        for c in text.chars().filter(|c| c.is_alphanumeric()) {
            prop_assert!(letters.any(|shown| shown == c), "{:?} of {:?} in {:?}", c, text, shown);
        }
    }
}
