use super::*;
use crate::Sidecars;

/// The diagnostics of a file in a profile, as `severity code line:column`.
fn findings(text: &str, folder: &str, profile: &Profile) -> Vec<String> {
    let document = Document::read(text.as_bytes(), &Sidecars::default());
    let found = check(text, &document, Some(folder), &|path| path == "references/a b.md", profile);
    found
        .iter()
        .map(|d| {
            let place = d.span.map_or_else(String::new, |s| format!(" {}:{}", s.line, s.column));
            format!("{} {}{place}", d.severity, d.code)
        })
        .collect()
}

fn rejected(text: &str, folder: &str) -> bool {
    findings(text, folder, &SPEC).iter().any(|found| found.starts_with("error"))
}

fn skill(name: &str, more: &str) -> String {
    format!("---\nname: {name}\ndescription: Does a thing.\n{more}---\nBody.\n")
}

/// Cases from the validator's own tests, without the three that concern paths.
#[test]
fn the_specification_profile_agrees_with_the_reference_validator() {
    let long = |count: usize| "a".repeat(count);
    for (text, folder, code) in [
        (skill("my-skill", ""), "my-skill", None),
        (skill("MySkill", ""), "MySkill", Some("name-upper-case")),
        (skill(&long(70), ""), &long(70), Some("name-too-long")),
        (skill("-my-skill", ""), "-my-skill", Some("name-hyphens")),
        (skill("my-skill-", ""), "my-skill-", Some("name-hyphens")),
        (skill("my--skill", ""), "my--skill", Some("name-hyphens")),
        (skill("my_skill", ""), "my_skill", Some("name-characters")),
        (skill("correct-name", ""), "wrong-name", Some("name-differs-from-folder")),
        (skill("my-skill", "unknown_field: x\n"), "my-skill", Some("unknown-key")),
        (skill("my-skill", "license: MIT\nmetadata:\n  author: Test\n"), "my-skill", None),
        (skill("my-skill", "allowed-tools: Bash(jq:*) Bash(git:*)\n"), "my-skill", None),
        (skill("技能", ""), "技能", None),
        (skill("мой-навык", ""), "мой-навык", None),
        (skill("навык", ""), "навык", None),
        (skill("НАВЫК", ""), "НАВЫК", Some("name-upper-case")),
        (
            format!("---\nname: my-skill\ndescription: {}\n---\nBody.\n", long(1100)),
            "my-skill",
            Some("description-too-long"),
        ),
        (skill("my-skill", "compatibility: Requires Python 3.11+\n"), "my-skill", None),
        (
            skill("my-skill", &format!("compatibility: {}\n", long(550))),
            "my-skill",
            Some("compatibility-length"),
        ),
        (skill("cafe\u{301}", ""), "caf\u{e9}", None),
    ] {
        let found = findings(&text, folder, &SPEC);
        match code {
            None => assert_eq!(found, [""; 0], "{text}"),
            Some(code) => {
                assert!(found.iter().any(|f| f.starts_with(&format!("error {code}"))), "{text} {found:?}");
            }
        }
    }
}

/// How the reference validator treats the same file: `true` where it refuses.
#[test]
fn the_specification_profile_refuses_what_the_reference_refuses() {
    for (case, text, refuses) in [
        ("byte order mark", format!("\u{feff}{}", skill("a", "")), true),
        ("CRLF", skill("a", "").replace('\n', "\r\n"), false),
        ("blank line before the fence", format!("\n{}", skill("a", "")), true),
        ("unquoted colon", "---\nname: a\ndescription: x: y\n---\nb\n".to_owned(), true),
        ("three hyphens in a value", "---\nname: a\ndescription: x --- y\n---\nb\n".to_owned(), false),
        ("block text", "---\nname: a\ndescription: >\n  x\n---\nb\n".to_owned(), false),
        ("flow list of tools", skill("a", "allowed-tools: [Read, Write]\n"), true),
        ("top-level version", skill("a", "version: 1\n"), true),
        ("other folder", skill("b", ""), true),
        ("upper case", skill("A", ""), true),
        ("Devanagari vowel sign", skill("कौ", ""), true),
        ("no name", "---\ndescription: x\n---\nb\n".to_owned(), true),
        ("no description", "---\nname: a\n---\nb\n".to_owned(), true),
        ("blank description", "---\nname: a\ndescription: '  '\n---\nb\n".to_owned(), true),
        ("duplicate key", skill("a", "name: a\n"), true),
        ("nested metadata", skill("a", "metadata:\n  b:\n    c: d\n"), false),
        ("number metadata", skill("a", "metadata:\n  version: 1.0\n"), false),
        ("no frontmatter", "b\n".to_owned(), true),
        ("unclosed frontmatter", "---\nname: a\n".to_owned(), true),
        ("list instead of a mapping", "---\n- a\n---\nb\n".to_owned(), true),
        ("broken YAML", "---\nname: [a\n---\nb\n".to_owned(), true),
        ("anchor", skill("a", "license: &x MIT\n"), true),
        ("underscore spelling", skill("a", "allowed_tools: Read\n"), true),
        (
            "second frontmatter block",
            "---\nname: a\ndescription: x\n---\n---\nname: b\nversion: 1: 2\nx: y\n---\nb\n".to_owned(),
            false,
        ),
        ("control character in a name", "---\nname: \"a\\x07\"\ndescription: x\n---\nb\n".to_owned(), true),
    ] {
        let found = findings(&text, "a", &SPEC);
        assert_eq!(rejected(&text, "a"), refuses, "{case}: {found:?}");
    }
    assert!(!rejected(&skill("123", ""), "123"), "a number is a name");
    assert!(!rejected(&skill("ａｂｃ", ""), "abc"), "full-width letters are their plain ones");
    assert!(!rejected(&skill("straße", ""), "straße"));
}

#[test]
fn the_lenient_profile_accepts_keys_of_other_agents() {
    let text = skill("a", "version: 1\nallowed-tools: [Read]\nmetadata: {b: {c: d}}\nown: 1\n");
    assert_eq!(findings(&text, "a", &LENIENT), ["note unknown-key 7:1"]);
}

#[test]
fn body_diagnostics_have_positions_in_the_file() {
    let text = "---\nname: a\ndescription: b\n---\nSee [x](references/a%20b.md), [é](./references/c.md#d), ![y](no.png).\n\n`$1` and $2 and $3\n\n```\n$4 [z](z/q.md)\n```\n[w](https://x.y/z.md) [v](../out.md) [u](#here)\n";
    assert_eq!(
        findings(text, "a", &LENIENT),
        ["warning file-missing 5:31", "warning file-missing 5:57", "note argument-index 7:10"]
    );
    assert_eq!(findings("---\nname: a\ndescription: b\n---\n \n", "a", &LENIENT), ["warning body-empty 5:1"]);
    let long = format!("---\nname: a\ndescription: b\n---\n{}", "x\n".repeat(501));
    assert_eq!(findings(&long, "a", &LENIENT), ["note body-long 5:1"]);
}

#[test]
fn findings_are_in_the_order_of_the_file_and_the_same_every_run() {
    let text = "---\nzzz: 1\nname: B--b\nabc: 2\ndescription: <x>\n---\n[a](b/c.md) [a](b/c.md)\n";
    let first = findings(text, "x", &SPEC);
    assert_eq!(first, findings(text, "x", &SPEC));
    assert_eq!(
        first,
        [
            "error unknown-key 2:1",
            "error name-differs-from-folder 3:7",
            "error name-hyphens 3:7",
            "error name-upper-case 3:7",
            "error unknown-key 4:1",
            "note description-angle-brackets 5:14",
            "warning file-missing 7:1",
        ]
    );
}

#[test]
fn many_findings_cost_one_pass() {
    let body: String = (0..20_000).map(|at| format!("[a](b/{at}.md) ")).collect();
    let text = format!("---\nname: a\ndescription: b\n---\n{body}");
    let (took, found) = skillful_testkit::cpu_time(|| findings(&text, "a", &LENIENT).len());
    assert_eq!(found, 20_000);
    assert!(took.as_secs() < 20, "{took:?}");
}

#[test]
fn a_missing_file_is_reported_at_its_first_link() {
    let text = "---\nname: a\ndescription: b\n---\n[a](x/y.md)\n\n[b](./x/y.md#part) and [c](x/z.md)\n";
    assert_eq!(findings(text, "a", &LENIENT), ["warning file-missing 5:1", "warning file-missing 7:24"]);
}

/// The line of `argument-index` in a body, if it is reported.
#[track_caller]
fn position(body: &str, expected: Option<u32>) {
    let text = format!("---\nname: a\ndescription: b\n---\n{body}\n");
    let document = Document::read(text.as_bytes(), &Sidecars::default());
    let found = check(&text, &document, Some("a"), &|_| true, &LENIENT);
    let lines: Vec<u32> = found.iter().filter_map(|found| Some(found.span?.line)).collect();
    assert_eq!(lines, expected.into_iter().map(|line| line + 4).collect::<Vec<_>>(), "{body}: {found:?}");
}

#[test]
fn positions_of_arguments_are_reported() {
    position("Make a project named $1 in this folder.", Some(1));
    position("Arguments:\n\n$1: name of it (required)\n$2: its goal", Some(3));
    position("Add a category called **$0** with table **$1**.", Some(1));
    position("**Address**: $1", Some(1));
    position("- $1 the file\n- $2 the format", Some(1));
}

#[test]
fn prices_are_not_positions_of_arguments() {
    for body in [
        "| Free | $0 | 100 calls |\n|---|---|---|\n| Pro | $25/mo | all |",
        "Add $5 credits for tests.",
        "The jump from $1 to $0 is bigger than that from $2 to $1; a plan at $99 is not.",
        "About $3–6 for each video.",
        "Users arrive at $0 cost.",
        "~$2 for each run",
        "Stage 1 ($0-$1M)",
        "It is $5K+ with funding, $0 without.",
        "Even $1 per user changes it.",
        "The balance shows $0.",
        "root:$1$abc$hash",
        "if grep x \"$1\"; then",
        "costs US$5",
        "from $1 million",
        "keep only $1-2 there",
        "A $2 fee is noise.\n\nDo not treat the $2 artifact as a crisis.",
    ] {
        position(body, None);
    }
}

/// Pieces of Markdown around links, images, addresses and argument positions.
const PIECES: &[&str] = &[
    "[", "]", "(", ")", ":", "!", "<", ">", "@", "$", "1", "9", "\\", "`", "```", "~~~", "\n", "\n\n",
    "    ", " ", "> ", "- ", "# ", "a", "[a]", "]: ", "b/c.md", "x.y", "&#93;", "&rsqb;", "&#36;", "mailto:",
    "\"t\"", "\u{a0}", "é", "*", "_", "|", "---",
];

proptest::proptest! {
    #[test]
    fn a_body_that_is_not_parsed_has_no_finding(
        pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..40)
    ) {
        let body = pieces.concat();
        let here = |path: &str| path == "x.y";
        let mut arguments = ArgumentPositions::default();
        let mut links = Vec::new();
        for (event, range) in Parser::new(&body).into_offset_iter() {
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    links.extend(crate::outline::local_path(&dest_url).filter(|path| !here(path)));
                }
                Event::Text(_) => arguments.read(&body, range),
                _ => {}
            }
        }
        let needed = !links.is_empty() || arguments.first().is_some();
        proptest::prop_assert!(!needed || marks::may_find(&body, &here), "{body:?}: {links:?}");
    }
}

#[test]
fn only_a_body_that_may_have_a_finding_is_parsed() {
    for body in [
        "[a](b/c.md)",
        "![a](b.png)",
        "[a][b]\n\n[b]: c/d.md",
        "[a]\n\n[a]:\nc/d.md",
        "<me@example.org>",
        "[a]( b/c.md)",
        "[a](b\\/c.md)",
        "[a](<b/c.md>)",
        "[a](b(c)/d.md)",
        "> [a]\n>\n> [a]:\n> c/d.md",
        "run $1",
        "[a]($1)",
    ] {
        assert!(marks::may_find(body, &|_| false), "{body}");
    }
    for body in [
        "Plain words.",
        "- [ ] a task",
        "an [aside] and (a remark)",
        "`a[0]` and <b>",
        "me@example.org",
        "$HOME and US$",
        "costs $1",
        "[a](https://example.org/b.md) and [b](#part)",
        "[a]: https://example.org/b.md",
        "for x in list[0]:\n    pass",
        "[a](here.md) and [b]: here.md",
    ] {
        assert!(!marks::may_find(body, &|path| path == "here.md"), "{body}");
    }
    let text = "---\nname: a\ndescription: b\n---\n[a][b]\n\n[b]: c/d.md\n";
    assert_eq!(findings(text, "a", &LENIENT), ["warning file-missing 5:1"]);
}
