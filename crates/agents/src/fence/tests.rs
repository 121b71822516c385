use super::{Cut, Language, cuts};
use skillful_profiles::{Closer, EmptyBlock, Fence, HeaderRule, Unclosed};

fn header<'a>(text: &'a str, rule: &HeaderRule) -> Result<&'a str, &'static str> {
    cuts(text, rule).map(|cuts| cuts[0].header)
}

fn rule(opening: Fence, closing: Fence) -> HeaderRule {
    HeaderRule { opening, closing, ..HeaderRule::default() }
}

#[test]
fn an_opening_fence_is_what_the_agent_takes_for_one() {
    let opens = |fence: Fence, line: &str| {
        header(&format!("{line}\na: b\n---\n"), &rule(fence, Fence::Exact)).is_ok()
    };
    let cases: [(&str, &[Fence]); 7] = [
        (
            "---",
            &[
                Fence::Exact,
                Fence::Blanks,
                Fence::Trimmed,
                Fence::AfterBlankLines,
                Fence::Prefix,
                Fence::Language,
            ],
        ),
        (
            "---\r",
            &[
                Fence::Exact,
                Fence::Blanks,
                Fence::Trimmed,
                Fence::AfterBlankLines,
                Fence::Prefix,
                Fence::Language,
            ],
        ),
        ("--- \t", &[Fence::Blanks, Fence::Trimmed, Fence::Prefix, Fence::Language]),
        (" ---", &[Fence::Trimmed, Fence::AfterBlankLines]),
        ("\n---", &[Fence::AfterBlankLines]),
        ("---yaml", &[Fence::Prefix, Fence::Language]),
        ("----", &[Fence::Prefix]),
    ];
    let all =
        [Fence::Exact, Fence::Blanks, Fence::Trimmed, Fence::AfterBlankLines, Fence::Prefix, Fence::Language];
    for (line, wanted) in cases {
        let found: Vec<Fence> = all.into_iter().filter(|fence| opens(*fence, line)).collect();
        assert_eq!(found, wanted, "{line:?}");
    }
}

#[test]
fn a_closing_fence_is_what_the_agent_takes_for_one() {
    let long = |line: &str| format!("a: b\n{line}\nc");
    for (line, fences) in [
        ("--- ", [false, true, true, true]),
        ("  ---", [false, false, true, false]),
        ("---end", [false, false, false, true]),
        ("----", [false, false, false, true]),
        ("...", [false, false, false, false]),
    ] {
        for (fence, closes) in
            [Fence::Exact, Fence::Blanks, Fence::Trimmed, Fence::Prefix].into_iter().zip(fences)
        {
            let wanted = if closes { "a: b".to_owned() } else { long(line) };
            let text = format!("---\na: b\n{line}\nc\n---\n");
            assert_eq!(header(&text, &rule(Fence::Exact, fence)), Ok(wanted.as_str()), "{line:?} {fence:?}");
        }
    }
}

#[test]
fn nothing_between_fences_is_a_header_no_header_or_text() {
    let text = "---\n---\nname: x\n---\n";
    let of = |empty| header(text, &HeaderRule { empty, ..rule(Fence::Exact, Fence::Prefix) });
    assert_eq!(of(EmptyBlock::Header), Ok(""));
    assert_eq!(of(EmptyBlock::NoHeader), Err("there is nothing between its fences"));
    assert_eq!(of(EmptyBlock::Text), Ok("---\nname: x"));
}

#[test]
fn a_header_that_never_closes_is_none_or_the_whole_file() {
    let text = "---\nname: x\n";
    assert_eq!(header(text, &HeaderRule::default()), Err("the header never closes"));
    assert_eq!(
        header(text, &HeaderRule { unclosed: Unclosed::WholeFile, ..HeaderRule::default() }),
        Ok("name: x\n")
    );
}

#[test]
fn the_word_after_the_fence_is_the_language() {
    let rule = rule(Fence::Language, Fence::Prefix);
    for (word, wanted) in [
        ("", Language::Yaml),
        ("yaml", Language::Yaml),
        (" YML ", Language::Yaml),
        ("json", Language::Json),
        ("js", Language::Code),
        ("javascript", Language::Code),
        ("toml", Language::Unknown("toml")),
    ] {
        let text = format!("---{word}\nx\n---\n");
        assert_eq!(cuts(&text, &rule).map(|cuts| cuts[0].language), Ok(wanted), "{word:?}");
    }
    assert_eq!(
        header("---\u{a0}\nx: y\n---\n", &rule),
        Ok("\u{a0}\nx: y"),
        "without a word the line is text"
    );
}

#[test]
fn an_agent_that_tries_several_closers_gets_them_in_order() {
    let rule = HeaderRule { closer: Closer::FirstThatParses, ..rule(Fence::Exact, Fence::Exact) };
    let cuts = cuts("---\na: |\n---\nb\n---\nbody\n", &rule).unwrap();
    let all: Vec<(&str, &str)> = cuts.iter().map(|cut| (cut.header, cut.body)).collect();
    assert_eq!(all, [("a: |", "b\n---\nbody\n"), ("a: |\n---\nb", "body\n")]);
}

#[test]
fn fences_anywhere_cut_inside_lines() {
    let cuts = cuts("# Title\n--- a: b ---- body", &rule(Fence::Anywhere, Fence::Anywhere)).unwrap();
    let Cut { header, body, lines, .. } = cuts[0];
    assert_eq!((header, body, lines), (" a: b ", "- body", 1));
}
