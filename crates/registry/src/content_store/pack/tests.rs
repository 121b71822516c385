use super::*;

fn tree(files: &[(&str, &str, bool)]) -> Tree {
    let limits = Limits::default();
    let mut tree = Tree::default();
    for &(path, text, executable) in files {
        let path = TreePath::new(path, &limits).unwrap();
        tree.insert(path, TreeFile { bytes: text.into(), executable }, &limits).unwrap();
    }
    tree
}

#[test]
fn a_pack_is_read_as_the_tree_it_was_made_of() {
    let trees = [
        tree(&[]),
        tree(&[("SKILL.md", "", false)]),
        tree(&[
            ("SKILL.md", "7 - x\n\n", false),
            ("a.b", "\0\n", true),
            ("a/b", "x", false),
            ("ä/日 本", "y", true),
        ]),
    ];
    for tree in trees {
        let pack = write(&tree);
        assert_eq!(read(&pack, &Limits::default()), Ok(tree.clone()));
        assert_eq!(write(&read(&pack, &Limits::default()).unwrap()), pack);
        assert!(pack.len() as u64 <= most_bytes(&Limits::default()));
    }
}

#[test]
fn bytes_that_are_not_a_pack_are_refused_and_none_is_read_in_two_ways() {
    for wrong in [
        "",
        "skillful tree 2\n",
        "skillful tree 1\n1 - a",
        "skillful tree 1\n2 - a\nx",
        "skillful tree 1\n01 - a\nx",
        "skillful tree 1\n+1 - a\nx",
        "skillful tree 1\n99999999999999999999 - a\nx",
        "skillful tree 1\n1 y a\nx",
        "skillful tree 1\n1 - ../a\nx",
        "skillful tree 1\n1 - /a\nx",
        "skillful tree 1\n1 - b\nx1 - a\nx",
        "skillful tree 1\n1 - a\nx1 - a\nx",
        "skillful tree 1\n1 - a\nx1 - a/b\nx",
        "skillful tree 1\n1 - A\nx1 - a\nx",
    ] {
        assert!(read(wrong.as_bytes(), &Limits::default()).is_err(), "{wrong:?}");
    }
}

#[test]
fn any_bit_that_flips_gives_no_pack_or_another_tree() {
    let tree = tree(&[("SKILL.md", "text\n", false), ("run.sh", "#!/bin/sh\n", true)]);
    let pack = write(&tree);
    for bit in 0..pack.len() * 8 {
        let mut flipped = pack.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let is_noticed =
            read(&flipped, &Limits::default()).map_or(true, |other| other.digest() != tree.digest());
        assert!(is_noticed, "bit {bit}");
    }
}
