use super::{SkipReason, WalkPlan, Walked};
use skillful_catalog::walked::WalkedFolders;
use skillful_profiles::{Links, Nested, RepeatedFolder, ScanRule, Visit};
use std::{fs, path::Path};
use tempfile::TempDir;

fn tree(files: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in files {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    folder
}

fn plan(rule: &ScanRule) -> WalkPlan<'_> {
    WalkPlan { rule, depth: rule.depth, hidden: rule.hidden, links: Links::Follow, entries: None }
}

fn walk(root: &Path, plan: WalkPlan<'_>) -> Walked {
    super::walk(root, plan, &WalkedFolders::default())
}

fn any_depth() -> ScanRule {
    ScanRule { depth: Some(2048), root_skill: true, ..ScanRule::default() }
}

fn short(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap().to_string_lossy().into_owned()
}

fn files(root: &Path, walked: &Walked) -> Vec<String> {
    walked.files.iter().map(|file| short(root, file)).collect()
}

fn skipped(root: &Path, walked: &Walked) -> Vec<(String, SkipReason)> {
    walked.skipped.iter().map(|skipped| (short(root, &skipped.path), skipped.why.clone())).collect()
}

#[test]
fn folders_are_visited_level_by_level_in_order() {
    let root = tree(&["b/SKILL.md", "a/x/SKILL.md", "SKILL.md", "a.md"]);
    let rule = ScanRule { nested: Nested::Descend, ..any_depth() };
    assert_eq!(
        files(root.path(), &walk(root.path(), plan(&rule))),
        ["SKILL.md", "b/SKILL.md", "a/x/SKILL.md"]
    );
}

#[test]
fn every_skipped_path_has_its_reason() {
    let root = tree(&[
        ".h/SKILL.md",
        "_x/SKILL.md",
        "lib/SKILL.md",
        "a/skill.md",
        "b/SKILL.md",
        "b/in/SKILL.md",
        "c/d/SKILL.md",
    ]);
    let rule = ScanRule {
        depth: Some(1),
        skip: vec!["lib".to_owned()],
        skip_prefixes: vec!["_".to_owned()],
        ..ScanRule::default()
    };
    let walked = walk(root.path(), plan(&rule));
    assert_eq!(files(root.path(), &walked), ["b/SKILL.md"]);
    let nested = SkipReason::Nested(root.path().join("b/SKILL.md"));
    assert_eq!(
        skipped(root.path(), &walked),
        [
            (".h".to_owned(), SkipReason::Hidden),
            ("_x".to_owned(), SkipReason::Skipped),
            ("lib".to_owned(), SkipReason::Skipped),
            ("a/skill.md".to_owned(), SkipReason::FileName("SKILL.md".to_owned())),
            ("b/in".to_owned(), nested),
            ("c/d".to_owned(), SkipReason::TooDeep(1)),
        ]
    );
}

#[test]
fn a_skill_file_in_the_root_loads_only_if_the_agent_reads_it() {
    let root = tree(&["SKILL.md", "a.md", "b.txt"]);
    let walked = walk(root.path(), plan(&ScanRule::default()));
    assert_eq!(skipped(root.path(), &walked), [("SKILL.md".to_owned(), SkipReason::RootFile)]);
    let flat = ScanRule { flat_files: true, ..any_depth() };
    let walked = walk(root.path(), plan(&flat));
    assert_eq!(files(root.path(), &walked), ["SKILL.md"]);
    assert_eq!(walked.flat, [root.path().join("a.md")]);
}

#[test]
fn limits_count_folders_and_names_as_the_agent_does() {
    let root = tree(&["a/SKILL.md", "b/SKILL.md", "c/SKILL.md"]);
    let rule = ScanRule { folders: Some(3), ..any_depth() };
    let walked = walk(root.path(), plan(&rule));
    assert_eq!(
        files(root.path(), &walked),
        ["a/SKILL.md", "b/SKILL.md"],
        "the root counts as one of the three"
    );
    assert_eq!(skipped(root.path(), &walked), [("c".to_owned(), SkipReason::FolderLimit(3))]);

    let rule = any_depth();
    let walked = walk(root.path(), WalkPlan { entries: Some(4), ..plan(&rule) });
    assert_eq!(files(root.path(), &walked), ["a/SKILL.md"], "three folders, and the file of the first");
    assert_eq!(
        skipped(root.path(), &walked),
        [("b/SKILL.md".to_owned(), SkipReason::EntryLimit(4)), ("c".to_owned(), SkipReason::EntryLimit(4))]
    );
}

#[cfg(unix)]
mod links {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_followed_or_reported() {
        let root = tree(&["real/SKILL.md", "file/x"]);
        symlink("real", root.path().join("folder-link")).unwrap();
        symlink("../real/SKILL.md", root.path().join("file/SKILL.md")).unwrap();
        symlink("nowhere", root.path().join("dead")).unwrap();
        let skip = ScanRule { folder_links: Links::Skip, file_links: Links::Skip, ..any_depth() };
        let walked = walk(root.path(), plan(&skip));
        assert_eq!(files(root.path(), &walked), ["real/SKILL.md"]);
        assert_eq!(
            skipped(root.path(), &walked),
            [
                ("folder-link".to_owned(), SkipReason::FolderLink),
                ("file/SKILL.md".to_owned(), SkipReason::FileLink)
            ]
        );
        let one = any_depth();
        let walked = walk(root.path(), plan(&one));
        assert_eq!(
            files(root.path(), &walked),
            ["file/SKILL.md", "folder-link/SKILL.md"],
            "the first path wins"
        );
        let each = ScanRule { repeated_folder: RepeatedFolder::Each, ..any_depth() };
        let walked = walk(root.path(), plan(&each));
        assert_eq!(files(root.path(), &walked), ["file/SKILL.md", "folder-link/SKILL.md", "real/SKILL.md"]);
    }

    #[test]
    fn a_visible_link_to_a_hidden_folder_is_not_hidden() {
        let root = tree(&[".h/SKILL.md"]);
        symlink(".h", root.path().join("seen")).unwrap();
        let rule = ScanRule { hidden: Visit::Skip, ..any_depth() };
        assert_eq!(files(root.path(), &walk(root.path(), plan(&rule))), ["seen/SKILL.md"]);
    }

    #[test]
    fn a_cycle_ends_even_if_the_agent_has_no_protection() {
        let root = tree(&["a/SKILL.md", "b/SKILL.md"]);
        symlink("..", root.path().join("a/back")).unwrap();
        symlink("..", root.path().join("b/back")).unwrap();
        let rule = ScanRule { repeated_folder: RepeatedFolder::Each, nested: Nested::Descend, ..any_depth() };
        let walked = walk(root.path(), plan(&rule));
        assert_eq!(files(root.path(), &walked), ["a/SKILL.md", "b/SKILL.md"]);
        assert_eq!(
            skipped(root.path(), &walked),
            [("a/back".to_owned(), SkipReason::Cycle), ("b/back".to_owned(), SkipReason::Cycle)]
        );
    }
}
