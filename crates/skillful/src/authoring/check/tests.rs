use super::*;
use skillful_format::{SPEC, TreeFile, TreePath};

fn tree(text: &str) -> Tree {
    let limits = Limits::default();
    let mut tree = Tree::default();
    let file = TreeFile { executable: false, bytes: text.as_bytes().to_vec() };
    tree.insert(TreePath::new("SKILL.md", &limits).unwrap(), file, &limits).unwrap();
    tree
}

#[test]
fn a_problem_has_its_line_and_its_fix_in_the_units_of_a_browser() {
    // The picture has two units and four bytes.
    let text = "---\nname: PDF\ndescription: \u{1f600} Reads PDF files: fast. Use when asked.\n---\nText.\n";
    let checked = check_tree(&tree(text), Some("pdf"), &SPEC).unwrap();
    let units: Vec<u16> = text.encode_utf16().collect();
    assert!(!checked.problems.is_empty());
    for problem in &checked.problems {
        let Some(fix) = &problem.fix else { continue };
        let mut fixed = units.clone();
        for edit in fix.edits.iter().rev() {
            fixed.splice(edit.start..edit.end, edit.text.encode_utf16());
        }
        let fixed = String::from_utf16(&fixed).unwrap();
        let again = check_tree(&tree(&fixed), Some("pdf"), &SPEC).unwrap();
        let same = |other: &TextProblem| other.code == problem.code && other.line == problem.line;
        assert!(!again.problems.iter().any(same), "{} is still there after its fix:\n{fixed}", problem.code);
        assert_eq!(
            super::fixed(&tree(text), Some("pdf"), &SPEC, &problem.code, problem.line),
            Some(tree(&fixed)),
            "the server's fix of {} is the browser's",
            problem.code
        );
    }
    assert!(checked.problems.iter().any(|problem| problem.fix.is_some()));
}

#[test]
fn a_place_is_the_same_in_bytes_and_in_units() {
    let text = "ä\u{1f600}b\nc";
    for (byte, _) in text.char_indices().chain([(text.len(), ' ')]) {
        assert_eq!(byte_at(text, units_at(text, byte)), byte);
        assert_eq!(Units::of(text).at(byte), units_at(text, byte));
    }
    assert_eq!(byte_at(text, 999), text.len());
}

#[test]
fn files_without_a_skill_file_have_no_check() {
    assert!(check_tree(&Tree::default(), None, &SPEC).is_none());
}
