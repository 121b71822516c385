//! What a model may read of a skill.

use crate::{SKILL, tree};
use skillful_format::{
    Code,
    package::{Content, READ_LIMIT, text_resources},
};

#[test]
fn texts_up_to_the_limit_and_reasons_for_the_rest() {
    let limit = usize::try_from(READ_LIMIT).unwrap();
    let tree = tree(&[
        ("SKILL.md", SKILL, false),
        ("a.md", "ä text".as_bytes(), false),
        ("b.bin", b"\xff\xfe", false),
        ("c.nul", b"a\0b", false),
        ("d.txt", &vec![b'd'; limit], false),
        ("e.txt", &vec![b'e'; limit + 1], false),
        ("f.bin", &vec![0; limit + 1], false),
        ("g/SKILL.md", b"", false),
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
