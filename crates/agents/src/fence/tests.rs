use super::{Cut, Language, cuts};
use skillful_profiles::{Closer, EmptyBlock, Fence, FrontmatterRule, Unclosed};

fn frontmatter<'a>(text: &'a str, rule: &FrontmatterRule) -> Result<&'a str, &'static str> {
    cuts(text, rule).map(|cuts| cuts[0].frontmatter)
}

fn rule(opening: Fence, closing: Fence) -> FrontmatterRule {
    FrontmatterRule { opening, closing, ..FrontmatterRule::default() }
}

#[test]
fn each_agent_accepts_its_own_opening_fences() {
    let opens = |fence: Fence, line: &str| {
        frontmatter(&format!("{line}\na: b\n---\n"), &rule(fence, Fence::Exact)).is_ok()
    };
    let cases: [(&str, &[Fence]); 7] = [
        (
            "---",
            &[
                Fence::Exact,
                Fence::TrailingSpaces,
                Fence::Trimmed,
                Fence::AfterBlankLines,
                Fence::Hyphens,
                Fence::Prefix,
                Fence::Language,
            ],
        ),
        (
            "---\r",
            &[
                Fence::Exact,
                Fence::TrailingSpaces,
                Fence::Trimmed,
                Fence::AfterBlankLines,
                Fence::Hyphens,
                Fence::Prefix,
                Fence::Language,
            ],
        ),
        ("--- \t", &[Fence::TrailingSpaces, Fence::Trimmed, Fence::Hyphens, Fence::Prefix, Fence::Language]),
        (" ---", &[Fence::Trimmed, Fence::AfterBlankLines]),
        ("\n---", &[Fence::AfterBlankLines, Fence::Hyphens]),
        ("---yaml", &[Fence::Prefix, Fence::Language]),
        ("----", &[Fence::Hyphens, Fence::Prefix]),
    ];
    let all = [
        Fence::Exact,
        Fence::TrailingSpaces,
        Fence::Trimmed,
        Fence::AfterBlankLines,
        Fence::Hyphens,
        Fence::Prefix,
        Fence::Language,
    ];
    for (line, wanted) in cases {
        let found: Vec<Fence> = all.into_iter().filter(|fence| opens(*fence, line)).collect();
        assert_eq!(found, wanted, "{line:?}");
    }
}

#[test]
fn each_agent_accepts_its_own_closing_fences() {
    let long = |line: &str| format!("a: b\n{line}\nc");
    for (line, fences) in [
        ("--- ", [false, true, true, true]),
        ("  ---", [false, false, true, false]),
        ("---end", [false, false, false, true]),
        ("----", [false, false, false, true]),
        ("...", [false, false, false, false]),
    ] {
        for (fence, closes) in
            [Fence::Exact, Fence::TrailingSpaces, Fence::Trimmed, Fence::Prefix].into_iter().zip(fences)
        {
            let wanted = if closes { "a: b".to_owned() } else { long(line) };
            let text = format!("---\na: b\n{line}\nc\n---\n");
            assert_eq!(
                frontmatter(&text, &rule(Fence::Exact, fence)),
                Ok(wanted.as_str()),
                "{line:?} {fence:?}"
            );
        }
    }
}

#[test]
fn adjacent_fences_are_empty_frontmatter_no_frontmatter_or_text() {
    let text = "---\n---\nname: x\n---\n";
    let of = |empty| frontmatter(text, &FrontmatterRule { empty, ..rule(Fence::Exact, Fence::Prefix) });
    assert_eq!(of(EmptyBlock::Frontmatter), Ok(""));
    assert_eq!(of(EmptyBlock::NoFrontmatter), Err("nothing is between the fences"));
    assert_eq!(of(EmptyBlock::Text), Ok("---\nname: x"));
}

#[test]
fn frontmatter_without_a_closing_fence_is_none_or_the_whole_file() {
    let text = "---\nname: x\n";
    assert_eq!(frontmatter(text, &FrontmatterRule::default()), Err("the frontmatter has no closing fence"));
    assert_eq!(
        frontmatter(text, &FrontmatterRule { unclosed: Unclosed::WholeFile, ..FrontmatterRule::default() }),
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
        frontmatter("---\u{a0}\nx: y\n---\n", &rule),
        Ok("\u{a0}\nx: y"),
        "without a language name the line is text"
    );
}

#[test]
fn an_agent_that_tries_several_closers_gets_them_in_order() {
    let rule = FrontmatterRule { closer: Closer::FirstThatParses, ..rule(Fence::Exact, Fence::Exact) };
    let cuts = cuts("---\na: |\n---\nb\n---\nbody\n", &rule).unwrap();
    let all: Vec<(&str, &str)> = cuts.iter().map(|cut| (cut.frontmatter, cut.body)).collect();
    assert_eq!(all, [("a: |", "b\n---\nbody\n"), ("a: |\n---\nb", "body\n")]);
}

#[test]
fn fences_anywhere_cut_inside_lines() {
    let cuts = cuts("# Title\n--- a: b ---- body", &rule(Fence::Anywhere, Fence::Anywhere)).unwrap();
    let Cut { frontmatter, body, lines, .. } = cuts[0];
    assert_eq!((frontmatter, body, lines), (" a: b ", "- body", 1));
}

#[test]
fn a_closing_fence_anywhere_needs_an_opening_line() {
    let rule = rule(Fence::TrailingSpaces, Fence::Anywhere);
    let cut = |text| cuts(text, &rule).map(|cuts| (cuts[0].frontmatter, cuts[0].body));
    assert_eq!(cut("---\na: x --- y\n---\nbody\n"), Ok(("a: x ", "y\n---\nbody\n")));
    assert_eq!(cut("---\na: b\n---- \nbody\n"), Ok(("a: b\n", "- \nbody\n")));
    assert_eq!(cut("---\na: b\n"), Err("the frontmatter has no closing fence"));
    assert!(cut("# Title\n---\na: b\n---\n").is_err());
}
