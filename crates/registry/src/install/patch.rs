//! The edits of an installed skill as text: a unified difference in the form of git, kept in the lock.
//!
//! A patch is applied to exactly the tree that it was made from, so that every line of it must fit; what comes out
//! is compared by its digest. Changes of files that are not text have no patch.

use super::merge::lines;
use similar::TextDiff;
use skillful_format::{Limits, Tree, TreeFile, TreePath};
use std::{collections::BTreeMap, fmt::Write};

/// Unchanged lines around a change.
const AROUND: usize = 3;
const NOTHING: &str = "/dev/null";

/// The patch that makes one tree of another; none when a changed file is not text.
pub fn patch(before: &Tree, after: &Tree) -> Option<String> {
    let old: BTreeMap<&TreePath, &TreeFile> = before.iter().collect();
    let new: BTreeMap<&TreePath, &TreeFile> = after.iter().collect();
    let mut paths: Vec<&TreePath> = old.keys().chain(new.keys()).copied().collect();
    paths.sort();
    paths.dedup();
    let mut out = String::new();
    for path in paths {
        let (old, new) = (old.get(path).copied(), new.get(path).copied());
        if old != new {
            one_file(&mut out, path, old, new)?;
        }
    }
    Some(out)
}

fn one_file(out: &mut String, path: &TreePath, old: Option<&TreeFile>, new: Option<&TreeFile>) -> Option<()> {
    let read = |file: Option<&TreeFile>| match file {
        Some(file) => lines::text(&file.bytes).ok().map(str::to_owned),
        None => Some(String::new()),
    };
    let (before, after) = (read(old)?, read(new)?);
    writeln!(out, "diff --git a/{path} b/{path}").ok()?;
    match (old, new) {
        (None, Some(new)) => writeln!(out, "new file mode {}", mode(new)).ok()?,
        (Some(old), None) => writeln!(out, "deleted file mode {}", mode(old)).ok()?,
        (Some(old), Some(new)) if old.executable != new.executable => {
            writeln!(out, "old mode {}\nnew mode {}", mode(old), mode(new)).ok()?;
        }
        _ => {}
    }
    if before != after {
        let from = if old.is_some() { format!("a/{path}") } else { NOTHING.to_owned() };
        let to = if new.is_some() { format!("b/{path}") } else { NOTHING.to_owned() };
        let difference = TextDiff::from_lines(&before, &after);
        out.push_str(&difference.unified_diff().context_radius(AROUND).header(&from, &to).to_string());
        if !out.ends_with('\n') {
            out.push('\n');
        }
    }
    Some(())
}

fn mode(file: &TreeFile) -> &'static str {
    if file.executable { "100755" } else { "100644" }
}

/// What a tree becomes with a patch; none when the patch is not one of this tree.
pub fn patched(before: &Tree, patch: &str) -> Option<Tree> {
    let mut files: BTreeMap<TreePath, TreeFile> =
        before.iter().map(|(path, file)| (path.clone(), file.clone())).collect();
    let limits = Limits::default();
    let mut rest = patch.split_inclusive('\n').peekable();
    while let Some(line) = rest.next() {
        let names = line.strip_prefix("diff --git a/")?.trim_end_matches('\n');
        // `P b/P`: both names are the same.
        let path = names.get(..names.len().checked_sub(3)? / 2)?;
        let path = TreePath::new(path, &limits).ok().filter(|path| names == format!("{path} b/{path}"))?;
        let mut file = files.remove(&path);
        let mut body = Vec::new();
        while let Some(line) = rest.next_if(|line| !line.starts_with("diff --git a/")) {
            body.push(line);
        }
        let mut body = body.as_slice();
        let mut is_deleted = false;
        while let Some((line, next)) = body.split_first() {
            let line = line.trim_end_matches('\n');
            if let Some(mode) = line.strip_prefix("new file mode ") {
                let made = TreeFile { bytes: Vec::new(), executable: mode == "100755" };
                file = file.is_none().then_some(made);
            } else if line.starts_with("deleted file mode ") {
                is_deleted = true;
            } else if let Some(mode) = line.strip_prefix("new mode ") {
                file.as_mut()?.executable = mode == "100755";
            } else if !line.starts_with("old mode ") {
                break;
            }
            body = next;
        }
        let mut file = file?;
        if !body.is_empty() {
            file.bytes = text_patched(std::str::from_utf8(&file.bytes).ok()?, body)?.into_bytes();
        }
        if is_deleted {
            if !file.bytes.is_empty() {
                return None;
            }
        } else {
            files.insert(path, file);
        }
    }
    let mut tree = Tree::default();
    for (path, file) in files {
        tree.insert(path, file, &limits).ok()?;
    }
    Some(tree)
}

/// The hunks of one file, the two header lines first.
fn text_patched(before: &str, patch: &[&str]) -> Option<String> {
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let mut hunks = patch.strip_prefix_with("--- ")?.strip_prefix_with("+++ ")?;
    let (mut out, mut at) = (String::with_capacity(before.len()), 0);
    while let Some((head, mut lines)) = hunks.split_first() {
        let range = head.strip_prefix("@@ -")?.split(' ').next()?;
        let (start, count) = range.split_once(',').unwrap_or((range, "1"));
        let (start, count): (usize, usize) = (start.parse().ok()?, count.parse().ok()?);
        // A range of no lines names the line before it.
        let start = if count == 0 { start } else { start.checked_sub(1)? };
        out.push_str(&old.get(at..start)?.concat());
        at = start;
        while let Some((line, next)) = lines.split_first() {
            if line.starts_with("@@ -") {
                break;
            }
            // The line before `\ No newline at end of file` has none.
            let bare = next.first().is_some_and(|next| next.starts_with('\\'));
            let (sign, text) = line.split_at_checked(1)?;
            let text = if bare { text.strip_suffix('\n')? } else { text };
            match sign {
                " " | "-" if *old.get(at)? != text => return None,
                " " => {
                    out.push_str(text);
                    at += 1;
                }
                "-" => at += 1,
                "+" => out.push_str(text),
                "\\" => {}
                _ => return None,
            }
            lines = next;
        }
        hunks = lines;
    }
    out.push_str(&old.get(at..)?.concat());
    Some(out)
}

trait Lines<'a> {
    fn strip_prefix_with(self, prefix: &str) -> Option<&'a [&'a str]>;
}

impl<'a> Lines<'a> for &'a [&'a str] {
    /// The lines after the first, when that begins so.
    fn strip_prefix_with(self, prefix: &str) -> Option<&'a [&'a str]> {
        let (first, rest) = self.split_first()?;
        first.starts_with(prefix).then_some(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tree(files: &[(&str, &str, bool)]) -> Tree {
        let limits = Limits::default();
        let mut tree = Tree::default();
        for (path, text, executable) in files {
            let file = TreeFile { bytes: text.as_bytes().to_vec(), executable: *executable };
            tree.insert(TreePath::new(path, &limits).unwrap(), file, &limits).unwrap();
        }
        tree
    }

    #[test]
    fn a_patch_makes_the_edited_tree_of_the_installed_one() {
        let before =
            tree(&[("SKILL.md", "a\nb\nc\n", false), ("gone b/x", "x", false), ("run", "r\n", false)]);
        let after = tree(&[("SKILL.md", "a\nB\nc", false), ("new.md", "n\n", true), ("run", "r\n", true)]);
        let patch = patch(&before, &after).unwrap();
        assert!(
            patch.contains("@@ -1,3 +1,3 @@\n a\n-b\n-c\n+B\n+c\n\\ No newline at end of file\n"),
            "{patch}"
        );
        assert_eq!(patched(&before, &patch).unwrap().digest(), after.digest());
    }

    #[test]
    fn a_patch_of_another_tree_or_with_a_line_changed_makes_nothing() {
        let before = tree(&[("SKILL.md", "a\nb\nc\n", false)]);
        let after = tree(&[("SKILL.md", "a\nB\nc\n", false)]);
        let patch = patch(&before, &after).unwrap();
        assert!(patched(&after, &patch).is_none());
        assert!(patched(&before, &patch.replace("-b", "-x")).is_none());
        assert!(patched(&before, &patch.replace("a/SKILL.md b", "a/../x b")).is_none());
        assert!(patched(&before, "nonsense\n").is_none());
    }

    #[test]
    fn files_that_are_not_text_have_no_patch() {
        let before = tree(&[("x", "\0", false)]);
        assert!(patch(&before, &tree(&[("x", "\0\0", false)])).is_none());
    }

    proptest! {
        #[test]
        fn every_edit_of_text_comes_back(old in "[ab\n\\-+@ ]{0,40}", new in "[ab\n\\-+@ ]{0,40}") {
            let (before, after) = (tree(&[("f", &old, false), ("k", "k", false)]), tree(&[("f", &new, false)]));
            let patch = patch(&before, &after).unwrap();
            prop_assert_eq!(patched(&before, &patch).map(|tree| tree.digest()), Some(after.digest()));
        }
    }
}
