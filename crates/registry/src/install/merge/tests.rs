use super::*;
use proptest::prelude::*;

fn tree(files: &[(&str, &str)]) -> Tree {
    let limits = Limits::default();
    let mut tree = Tree::default();
    for (path, text) in files {
        let executable = path.starts_with('+');
        let path = TreePath::new(path.trim_start_matches('+'), &limits).unwrap();
        tree.insert(path, TreeFile { bytes: text.as_bytes().to_vec(), executable }, &limits).unwrap();
    }
    tree
}

fn told(merged: &Merged) -> Vec<String> {
    merged.files.iter().map(|file| format!("{} {:?}", file.path, file.how)).collect()
}

fn text<'a>(merged: &'a Merged, path: &str) -> &'a str {
    std::str::from_utf8(&merged.tree.get(path).unwrap().bytes).unwrap()
}

#[test]
fn each_file_goes_to_who_changed_it_and_every_change_is_named() {
    let base = tree(&[
        ("kept", "k"),
        ("mine", "b"),
        ("theirs", "b"),
        ("same", "b"),
        ("gone-here", "b"),
        ("gone-there", "b"),
        ("both", "1\n2\n3\n4\n5\n"),
        ("mode", "m"),
    ]);
    let mine = tree(&[
        ("kept", "k"),
        ("mine", "m"),
        ("theirs", "b"),
        ("same", "s"),
        ("gone-there", "b"),
        ("both", "one\n2\n3\n4\n5\n"),
        ("+mode", "m"),
        ("new-here", "n"),
    ]);
    let theirs = tree(&[
        ("kept", "k"),
        ("mine", "b"),
        ("theirs", "t"),
        ("same", "s"),
        ("gone-here", "b"),
        ("both", "1\n2\n3\n4\nfive\n"),
        ("mode", "M"),
        ("new-there", "n"),
    ]);
    let merged = merge(&base, &mine, &theirs, Side::Mine);
    assert_eq!(
        told(&merged),
        [
            "both Joined",
            "gone-here Mine",
            "gone-there Theirs",
            "mine Mine",
            "mode Joined",
            "new-here Mine",
            "new-there Theirs",
            "same Same",
            "theirs Theirs",
        ]
    );
    assert_eq!(text(&merged, "both"), "one\n2\n3\n4\nfive\n");
    assert!(merged.tree.get("mode").unwrap().executable && text(&merged, "mode") == "M");
    assert!(merged.tree.get("gone-here").is_none() && merged.tree.get("gone-there").is_none());
}

#[test]
fn a_conflict_keeps_the_selected_side_and_leaves_no_marks() {
    let base = tree(&[("lines", "1\n2\n3\n"), ("a", "b"), ("c", "b"), ("data", "\0")]);
    let mine = tree(&[("lines", "1\nmine\n3\n"), ("c", "mine"), ("new", "mine"), ("data", "\0m")]);
    let theirs = tree(&[("lines", "1\ntheirs\n3\n"), ("a", "theirs"), ("new", "theirs"), ("data", "\0t")]);
    let kept = merge(&base, &mine, &theirs, Side::Mine);
    assert_eq!(kept.tree, mine);
    let given = merge(&base, &mine, &theirs, Side::Theirs);
    assert_eq!(given.tree, theirs);
    assert_eq!(told(&kept), told(&given));
    assert_eq!(
        told(&kept),
        [
            "a Conflict(RemovedHere)",
            "c Conflict(RemovedThere)",
            "data Conflict(NotText)",
            "lines Conflict(Lines)",
            "new Conflict(Added)",
        ]
    );
}

#[test]
fn names_that_cannot_stand_side_by_side_are_a_conflict_and_not_a_loss() {
    let base = tree(&[("a", "b")]);
    let mine = tree(&[("a", "b"), ("Readme.md", "mine"), ("x", "mine")]);
    let theirs = tree(&[("a", "b"), ("README.md", "theirs"), ("x/y", "theirs")]);
    let kept = merge(&base, &mine, &theirs, Side::Mine);
    assert_eq!(kept.tree, mine);
    assert_eq!(told(&kept), ["README.md Conflict(Clash)", "Readme.md Mine", "x Mine", "x/y Conflict(Clash)"]);
    let given = merge(&base, &mine, &theirs, Side::Theirs);
    assert_eq!(given.tree, theirs);
    assert_eq!(
        told(&given),
        ["README.md Theirs", "Readme.md Conflict(Clash)", "x Conflict(Clash)", "x/y Theirs"]
    );
}

#[test]
fn changes_that_touch_are_a_conflict_and_a_line_between_them_is_enough() {
    let join = |mine: &str, theirs: &str| lines::merge(b"1\n2\n3\n4\n", mine.as_bytes(), theirs.as_bytes());
    assert_eq!(join("1\nx\n3\n4\n", "1\n2\ny\n4\n"), Err(Conflict::Lines));
    assert_eq!(join("x\n2\n3\n4\n", "1\n2\ny\n4\n").unwrap(), b"x\n2\ny\n4\n");
    assert_eq!(join("1\n2\n3\n4\nend\n", "1\n2\n3\n4\nend\n").unwrap(), b"1\n2\n3\n4\nend\n");
    assert_eq!(join("1\n2\n3\n4\na\n", "1\n2\n3\n4\nb\n"), Err(Conflict::Lines));
    assert_eq!(join("", "1\n2\n3\n4\n5\n"), Err(Conflict::Lines));
}

#[test]
fn a_merge_never_makes_a_new_capability_or_broken_frontmatter() {
    let skill = |tools: &str, rest: &str| {
        let text = format!("---\nname: a\ndescription: d\n{tools}---\nbody\nbody\nbody\n{rest}");
        tree(&[("SKILL.md", &text)])
    };
    // Two additions that git would join: a key twice is frontmatter that cannot be read.
    let base = tree(&[("SKILL.md", "---\nname: a\nx: 1\ny: 2\nz: 3\ndescription: d\n---\n")]);
    let mine =
        tree(&[("SKILL.md", "---\nallowed-tools: Read\nname: a\nx: 1\ny: 2\nz: 3\ndescription: d\n---\n")]);
    let theirs =
        tree(&[("SKILL.md", "---\nname: a\nx: 1\ny: 2\nz: 3\nallowed-tools: Grep\ndescription: d\n---\n")]);
    let merged = merge(&base, &mine, &theirs, Side::Mine);
    assert_eq!(merged.tree, mine);
    assert_eq!(told(&merged), ["SKILL.md Conflict(Unsound)"]);
    // A list whose parts come from both sides.
    let base = tree(&[("SKILL.md", "---\nname: a\ndescription: d\n---\none\n!`ls \\\n-l\n-a\n-b`\ntwo\n")]);
    let mine = tree(&[("SKILL.md", "---\nname: a\ndescription: d\n---\none\n!`rm \\\n-l\n-a\n-b`\ntwo\n")]);
    let theirs =
        tree(&[("SKILL.md", "---\nname: a\ndescription: d\n---\none\n!`ls \\\n-l\n-a\n-rf`\ntwo\n")]);
    let merged = merge(&base, &mine, &theirs, Side::Mine);
    assert_eq!(merged.tree, mine);
    assert_eq!(told(&merged), ["SKILL.md Conflict(Unsound)"]);
    // Plain text is joined.
    let merged = merge(&skill("", ""), &skill("allowed-tools: Read\n", ""), &skill("", "more\n"), Side::Mine);
    assert_eq!(told(&merged), ["SKILL.md Joined"]);
}

#[test]
fn without_a_base_nothing_gives_way() {
    let (mine, theirs) = (tree(&[("a", "same"), ("b", "mine")]), tree(&[("a", "same"), ("c", "theirs")]));
    let merged = merge_without_base(&mine, &theirs, Side::Mine);
    assert_eq!(merged.tree, mine);
    assert_eq!(told(&merged), ["b Conflict(NoBase)", "c Conflict(NoBase)"]);
}

fn any_text() -> impl Strategy<Value = String> {
    proptest::collection::vec("[abc]", 0..8).prop_map(|lines| lines.join("\n"))
}

fn any_tree() -> impl Strategy<Value = Tree> {
    let file = (any_text(), any::<bool>());
    // Few names, some of which cannot stand side by side.
    let name = prop_oneof![Just("a"), Just("A"), Just("b"), Just("b/c"), Just("B/c"), Just("SKILL.md")];
    proptest::collection::vec((name, file), 0..6).prop_map(|files| {
        let limits = Limits::default();
        let mut tree = Tree::default();
        for (path, (text, executable)) in files {
            let path = TreePath::new(path, &limits).unwrap();
            let _clash = tree.insert(path, TreeFile { bytes: text.into_bytes(), executable }, &limits);
        }
        tree
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn the_laws_of_a_merge_hold(base in any_tree(), mine in any_tree(), theirs in any_tree()) {
        for prefer in [Side::Mine, Side::Theirs] {
            prop_assert_eq!(&merge(&base, &mine, &base, prefer).tree, &mine);
            prop_assert_eq!(&merge(&base, &base, &theirs, prefer).tree, &theirs);
            prop_assert_eq!(&merge(&base, &mine, &mine, prefer).tree, &mine);
            let merged = merge(&base, &mine, &theirs, prefer);
            prop_assert_eq!(&merged, &merge(&base, &mine, &theirs, prefer));
            for (path, file) in mine.iter() {
                let base_file = base.get(path.as_str());
                let same = merged.tree.get(path.as_str()) == Some(file);
                let how = merged.files.iter().find(|one| one.path == *path).map(|one| one.how);
                // What the user wrote is there, or what became of it is named.
                let given = matches!(how, Some(How::Joined | How::Conflict(_)));
                prop_assert!(same || base_file == Some(file) || given, "{} {:?}", path, how);
                let in_conflict = matches!(how, Some(How::Conflict(_)));
                prop_assert!(!in_conflict || prefer == Side::Theirs || same);
            }
            if prefer == Side::Theirs {
                for (path, file) in theirs.iter() {
                    let how = merged.files.iter().find(|one| one.path == *path).map(|one| one.how);
                    let same = merged.tree.get(path.as_str()) == Some(file);
                    prop_assert!(!matches!(how, Some(How::Conflict(_))) || same);
                }
            }
        }
    }

    #[test]
    fn no_line_that_the_user_added_is_missing_after_a_join(base in any_text(), mine in any_text(), theirs in any_text()) {
        let join = |a: &str, b: &str| lines::merge(base.as_bytes(), a.as_bytes(), b.as_bytes());
        let one = join(&mine, &theirs);
        prop_assert_eq!(&one, &join(&theirs, &mine), "sides do not matter");
        if let Ok(merged) = one {
            let merged = String::from_utf8(merged).unwrap();
            let count = |text: &str, line: &str| text.split_inclusive('\n').filter(|l| *l == line).count();
            for line in mine.split_inclusive('\n') {
                let added = count(&mine, line).saturating_sub(count(&base, line));
                let removed_there = count(&base, line).saturating_sub(count(&theirs, line));
                prop_assert!(count(&merged, line) + removed_there >= added, "{line:?} of {mine:?} in {merged:?}");
            }
        }
    }
}

#[test]
fn a_draft_gets_both_sides_between_marks_where_both_changed_the_same_lines() {
    let marked = |base: &str, mine: &str, theirs: &str| {
        let merged = lines::merge_marked(base, mine, theirs).unwrap();
        (merged.text, merged.conflicts)
    };
    assert_eq!(
        marked("1\n2\n3\n4\n", "one\n2\n3\n4\n", "1\n2\n3\nfour\n"),
        ("one\n2\n3\nfour\n".to_owned(), 0)
    );
    assert_eq!(
        marked("1\n2\n3\n", "1\nmine\n3\n", "1\ntheirs\n3\n"),
        ("1\n<<<<<<< your text\nmine\n=======\ntheirs\n>>>>>>> saved elsewhere\n3\n".to_owned(), 1)
    );
    // The last line has no end; a mark still begins a line.
    assert_eq!(
        marked("a", "b", "c"),
        ("<<<<<<< your text\nb\n=======\nc\n>>>>>>> saved elsewhere\n".to_owned(), 1)
    );
    assert!(lines::merge_marked("a", "b\0", "c").is_err());
}
