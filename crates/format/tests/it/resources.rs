//! What a model may read of a skill.

use skillful_format::{
    Code, Limits, Tree, TreeFile, TreePath,
    resources::{Content, READ_LIMIT, text_resources},
};

/// A tree with these files.
fn tree(files: &[(&str, &[u8])]) -> Tree {
    let limits = Limits::default();
    let mut tree = Tree::default();
    for &(path, bytes) in files {
        let file = TreeFile { bytes: bytes.to_vec(), executable: false };
        tree.insert(TreePath::new(path, &limits).unwrap(), file, &limits).unwrap();
    }
    tree
}

#[test]
fn texts_up_to_the_limit_and_reasons_for_the_rest() {
    let limit = usize::try_from(READ_LIMIT).unwrap();
    let tree = tree(&[
        ("SKILL.md", b"---\nname: demo\ndescription: a skill for tests\n---\nDo the thing.\n"),
        ("a.md", "ä text".as_bytes()),
        ("b.bin", b"\xff\xfe"),
        ("c.nul", b"a\0b"),
        ("d.txt", &vec![b'd'; limit]),
        ("e.txt", &vec![b'e'; limit + 1]),
        ("f.bin", &vec![0; limit + 1]),
        ("g/SKILL.md", b""),
    ]);
    let found: Vec<_> = text_resources(&tree)
        .iter()
        .map(|resource| (resource.path.as_str(), resource.bytes, resource.content.code()))
        .collect();
    assert_eq!(
        found,
        [
            ("a.md", 7, None),
            ("b.bin", 2, Some(Code::FileBinary)),
            ("c.nul", 3, Some(Code::FileBinary)),
            ("d.txt", READ_LIMIT, None),
            ("e.txt", READ_LIMIT + 1, Some(Code::FileOverReadLimit)),
            ("f.bin", READ_LIMIT + 1, Some(Code::FileBinary)),
            ("g/SKILL.md", 0, None),
        ]
    );
    assert_eq!(text_resources(&tree)[0].content, Content::Text("ä text"));
}
