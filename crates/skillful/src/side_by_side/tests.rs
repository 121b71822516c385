use super::*;
use skillful_format::Limits;

fn tree(files: &[(&str, &[u8])]) -> Tree {
    let limits = Limits::default();
    let mut tree = Tree::default();
    for (path, bytes) in files {
        let file = TreeFile { executable: bytes.starts_with(b"#!"), bytes: bytes.to_vec() };
        tree.insert(TreePath::new(path, &limits).unwrap(), file, &limits).unwrap();
    }
    tree
}

/// Rows as text: `2-|` and `2+|` before a changed line, `[…]` around changed words, `{…}` around invisible characters.
fn shown(file: &FileComparison) -> String {
    let side = |line: &Option<DiffLine>, sign: char| match line {
        None => String::new(),
        Some(line) => {
            let part = |part: &DiffPart| match (&part.invisible, part.changed) {
                (Some(what), _) => format!("{{{} {what}}}", part.text),
                (None, true) => format!("[{}]", part.text),
                (None, false) => part.text.clone(),
            };
            let sign = if line.changed { sign } else { ' ' };
            format!("{}{sign}{}", line.number, line.parts.iter().map(part).collect::<String>())
        }
    };
    let rows = file.rows.as_ref().unwrap().iter();
    rows.map(|row| match row {
        DiffRow::Gap(count) => format!("({count})\n"),
        DiffRow::Lines { old, new } => format!("{} | {}\n", side(old, '-'), side(new, '+')),
    })
    .collect()
}

#[test]
fn two_versions_stand_side_by_side_with_changed_words_and_named_invisible_characters() {
    let old = "a\nb\nc\nd\ne\nRound money.\nf\n";
    let new = "a\nb\nc\nd\ne\nRound money well.\u{200b}\u{e0073}\u{e006b}\u{e0069}\u{e0070}\nnew\nf\n";
    let files = compare(
        &tree(&[("SKILL.md", old.as_bytes()), ("b.bin", b"\0a"), ("gone", b"x\n")]),
        &tree(&[("SKILL.md", new.as_bytes()), ("b.bin", b"\0bb"), ("a.sh", b"#!/bin/sh\n")]),
        &|_, _| false,
    );
    let heads: Vec<String> = files
        .iter()
        .map(|file| {
            let FileComparison { path, change, added, removed, invisible, executable, .. } = file;
            format!("{path} {change:?} +{added} -{removed} {invisible} {executable:?}")
        })
        .collect();
    assert_eq!(
        heads,
        [
            "SKILL.md Changed +2 -1 5 None",
            "a.sh Added +1 -0 0 Some(true)",
            "b.bin Changed +0 -0 0 None",
            "gone Removed +0 -1 0 None"
        ]
    );
    assert_eq!(
        shown(&files[0]),
        "(2)\n3 c | 3 c\n4 d | 4 d\n5 e | 5 e\n\
         6-Round [money.] | 6+Round [money][ ][well.]{U+200B zero width space}\
         {4 × U+E0073 4 characters: tag character, U+E0073 to U+E0070; they spell “skip”}\n | 7+new\n7 f | 8 f\n"
            .replace("[money][ ][well.]", "[money well.]")
    );
    assert_eq!(files[2].rows, None);
}

#[test]
fn a_line_with_a_finding_is_shown_although_it_did_not_change() {
    let text: String = (1..=30).map(|at| format!("{at}\n")).collect();
    let changed = text.replacen("30", "thirty", 1);
    let (old, new) = (tree(&[("SKILL.md", text.as_bytes())]), tree(&[("SKILL.md", changed.as_bytes())]));
    assert!(!compare(&old, &new, &|_, _| false)[0].shows_line(5));
    assert!(compare(&old, &new, &|path, line| path == "SKILL.md" && line == 5)[0].shows_line(5));
}

#[test]
fn a_line_end_of_another_system_is_named_and_a_long_line_is_cut() {
    let long = "x".repeat(LINE_LIMIT + 7);
    let file =
        whole("a", &TreeFile { executable: false, bytes: format!("a\r\nb\rc\n{long}\n").into_bytes() });
    let shown = shown(&file);
    assert!(shown.contains("1 a{U+000D carriage return}"), "{shown}");
    assert!(shown.contains("b{U+000D carriage return}c"));
    assert!(shown.contains(" … 7 more characters"));
}
