use super::*;
use crate::{Data, source::FILE_LIMIT};

fn read(text: &str) -> Document {
    Document::read(text.as_bytes(), &Sidecars::default())
}

fn codes(document: &Document) -> Vec<&'static str> {
    document.diagnostics.iter().map(|found| found.code.as_str()).collect()
}

#[test]
fn a_file_without_frontmatter_is_a_body_only_skill() {
    let document = read("# Do it\n");
    assert_eq!((document.soundness, document.frontmatter.clone()), (Soundness::Sound, None));
    assert_eq!((document.manifest.clone(), document.body.clone()), (Manifest::default(), 0..8));
    assert_eq!(codes(&document), ["no-frontmatter"]);
}

#[test]
fn line_ends_spaces_and_a_byte_order_mark_change_nothing() {
    let expected = read("---\nname: a\ndescription: b\n---\nbody\n").manifest;
    for text in [
        "---\r\nname: a\r\ndescription: b\r\n---\r\nbody\r\n",
        "---\rname: a\rdescription: b\r---\rbody\r",
        "\u{feff}---\nname: a\ndescription: b\n---\n",
        "--- \t\nname: a\ndescription: b\n---  \n",
        "---\n\n# note\nname: a\n\ndescription: b\n\n---",
    ] {
        let document = read(text);
        assert_eq!((document.soundness, &document.manifest), (Soundness::Sound, &expected), "{text:?}");
    }
}

#[test]
fn empty_frontmatter_is_valid() {
    for text in ["---\n---\n", "---\n\n---\n", "---\n# only a note\n---\n", "---\n~\n---\n"] {
        let document = read(text);
        assert_eq!((document.soundness, codes(&document)), (Soundness::Sound, vec![]), "{text:?}");
    }
}

#[test]
fn frontmatter_that_is_not_a_mapping_is_broken() {
    for (frontmatter, kind) in
        [("- a\n", "a list"), ("text\n", "text"), ("1\n", "a number"), ("[a]\n", "a list")]
    {
        let document = read(&format!("---\n{frontmatter}---\n"));
        assert_eq!(
            (document.soundness, codes(&document)),
            (Soundness::Broken, vec!["frontmatter-not-a-map"])
        );
        assert!(document.diagnostics[0].message.contains(kind));
    }
}

#[test]
fn refused_yaml_makes_the_frontmatter_broken() {
    for (frontmatter, code) in [
        ("name: a\nname: b", "yaml-duplicate-key"),
        ("name: &x a", "yaml-anchor"),
        ("name: !!str a", "yaml-tag"),
        ("<<: {name: a}", "yaml-merge-key"),
    ] {
        let document = read(&format!("---\n{frontmatter}\nadmin_only: true\n---\nbody\n"));
        assert_eq!((document.soundness, codes(&document)), (Soundness::Broken, vec![code]), "{frontmatter}");
        assert_eq!(document.manifest, Manifest::default());
        assert_eq!(document.worst(), Some(Severity::Error));
    }
}

#[test]
fn bytes_that_are_not_text_are_reported_where_they_start() {
    for (bytes, code, line, column) in [
        (&b"---\nname: \xff\n---\n"[..], "not-utf8", 2, 7),
        (b"\xff\xfe-\0", "not-utf8", 1, 1),
        (b"---\nname: a\n---\n\xc3", "not-utf8", 4, 1),
        (b"---\nname: a\0\n---\n", "nul-byte", 2, 8),
    ] {
        let document = Document::read(bytes, &Sidecars::default());
        assert_eq!((document.soundness, codes(&document)), (Soundness::Broken, vec![code]));
        let span = document.diagnostics[0].span.unwrap();
        assert_eq!((span.line, span.column), (line, column));
    }
}

#[test]
fn a_file_over_the_limit_is_not_read() {
    let limit = usize::try_from(FILE_LIMIT).unwrap();
    let mut text = "---\nname: a\n---\n".to_owned();
    text.push_str(&"x".repeat(limit - text.len()));
    assert_eq!(read(&text).soundness, Soundness::Sound);
    text.push('x');
    assert_eq!((read(&text).soundness, codes(&read(&text))), (Soundness::Broken, vec!["file-too-large"]));
}

#[test]
fn stacked_frontmatter_blocks_merge_and_the_first_wins() {
    let text = "---\nname: a\nglobs: x\n---\n\n---\nname: b\nlicense: MIT\npaths: y\nother: 1\n---\nbody\n";
    let document = read(text);
    assert_eq!(document.soundness, Soundness::Sound);
    assert_eq!(&text[document.body.clone()], "body\n");
    let manifest = &document.manifest;
    assert_eq!((manifest.name.as_deref(), manifest.license.as_deref()), (Some("a"), Some("MIT")));
    assert_eq!(manifest.paths, ["x"]);
    assert_eq!(manifest.extra, [("other".to_owned(), Data::Number("1".to_owned()))]);
    assert_eq!(codes(&document), ["yaml-documents"]);
    let span = document.value_span("license").unwrap();
    assert_eq!((&text[span.start as usize..span.end as usize], span.line, span.column), ("MIT", 8, 10));
}

#[test]
fn a_gate_in_a_second_frontmatter_block_applies() {
    let stacked = |above: &str, below: &str| read(&format!("---\n{above}\n---\n---\n{below}\n---\nbody\n"));
    assert!(stacked("name: a", "name: b\nadmin_only: true").manifest.admin_only);
    assert_eq!(stacked("admin_only: false", "name: b\nadmin_only: true").soundness, Soundness::Broken);
    assert_eq!(stacked("name: a", "name: b\nadmin_only: true\nx: \"y").soundness, Soundness::Broken);
    assert_eq!(stacked("admin_only: true", "name: b\nadmin-only: true").soundness, Soundness::Sound);
}

#[test]
fn a_horizontal_rule_at_the_start_of_a_body_is_not_frontmatter() {
    for body in
        ["---\n\n# Title\n\n---\n", "---\nNote: x\n---\n", "---\nname: a\n", "---\nname: b\nx: \"y\n---\n"]
    {
        let text = format!("---\nname: a\n---\n{body}");
        let document = read(&text);
        assert_eq!((&text[document.body.clone()], codes(&document)), (body, vec![]), "{body:?}");
    }
}

#[test]
fn positions_of_values_are_exact() {
    for (start, end) in [("", "\n"), ("\u{feff}", "\r\n"), ("", "\r")] {
        let text = format!("{start}---{end}name: a{end}when-to-use: 'é b'{end}---{end}");
        let document = read(&text);
        let at = |span: Span| (&text[span.start as usize..span.end as usize], span.line, span.column);
        assert_eq!(document.value_span("when_to_use").map(at), Some(("'é b'", 3, 14)));
        assert_eq!(document.value_span("name").map(at), Some(("a", 2, 7)));
        assert_eq!(document.value_span("license"), None);
    }
}

#[test]
fn frontmatter_that_ends_with_text_behind_its_fence_is_called_unclosed() {
    for (text, line) in [
        (
            "---\nname: a\ndescription: b\n---# Title\nQuick and simple.\n\n## Commands\n```\nrun it\n```\n--- \nMore\n",
            4,
        ),
        ("---\nname: a\ndescription: \"b\nc.\"\n---```markdown\nkind: x\n```\ntext\n---\nMore\n", 5),
        ("---\nname: a\ndescription: b\ntags:\n  - c\n\n# Title\n\nTrack it.\n\n---\nMore\n", 7),
    ] {
        let document = read(text);
        assert_eq!(document.soundness, Soundness::Broken, "{text}");
        let found: Vec<_> =
            document.diagnostics.iter().map(|d| (d.code.as_str(), d.span.map_or(0, |s| s.line))).collect();
        assert_eq!(found, [("frontmatter-unclosed", line)], "{text}");
    }
    // A comment in frontmatter that can be read stays a comment.
    assert_eq!(read("---\nname: a\n\n# note\ndescription: b\n---\n").soundness, Soundness::Sound);
}
