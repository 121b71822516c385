use super::*;
use std::fs;

fn project(files: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in files {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "x").unwrap();
    }
    folder
}

fn names() -> GuardedNames {
    let mut names = GuardedNames::default();
    for name in [".git", "AGENTS.md", ".claude", ".vscode/tasks.json"] {
        names.add(Path::new(name), "test");
    }
    names
}

fn told(folder: &tempfile::TempDir, paths: impl IntoIterator<Item = PathBuf>) -> Vec<String> {
    let root = folder.path();
    paths.into_iter().map(|path| path.strip_prefix(root).unwrap().display().to_string()).collect()
}

#[test]
fn guarded_places_keys_and_entries_of_git_are_found_at_every_depth() {
    let folder = project(&[
        "AGENTS.md",
        "a/b/agents.MD",
        "a/.claude/settings.json",
        "a/.claude/.env",
        ".vscode/tasks.json",
        ".vscode/other.json",
        "deep/er/.env.local",
        ".git/HEAD",
        ".git/config",
        ".git/hooks/pre-commit",
        ".git/index",
        ".git/objects/ab/c",
        ".git/refs/heads/main",
        "sub/.git/hooks/x",
        "bare/HEAD",
        "bare/objects/x",
        "bare/refs/x",
        "bare/config",
        "tree/.git",
        "skill/SKILL.md",
        "skill/vars.json",
        "other/vars.json",
    ]);
    let found = scan(&[folder.path().to_owned()], &names());
    assert!(found.complete);
    assert_eq!(
        told(&folder, found.guarded),
        [
            ".git/config",
            ".git/hooks",
            ".vscode/tasks.json",
            "AGENTS.md",
            "a/.claude",
            "a/b/agents.MD",
            "bare/config",
            "sub/.git/hooks",
            "tree/.git",
        ]
    );
    assert_eq!(told(&folder, found.git), [".git", "bare", "sub/.git"]);
    assert_eq!(told(&folder, found.keys), ["a/.claude/.env", "deep/er/.env.local"]);
    assert_eq!(told(&folder, found.variables), ["skill/vars.json"]);
}

#[test]
fn what_is_added_is_named_once_and_ordinary_work_of_git_is_not() {
    let folder = project(&[".git/HEAD", ".git/config", ".git/objects/x", ".git/refs/x"]);
    let roots = [folder.path().to_owned()];
    let before = scan(&roots, &names());
    let put = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    for name in
        [".git/index", ".git/COMMIT_EDITMSG", ".git/index.lock", ".git/logs/HEAD", ".git/rebase-merge/done"]
    {
        put(name, "x");
    }
    let began = SystemTime::now();
    assert_eq!(told(&folder, scan(&roots, &names()).added(&before, began)), Vec::<String>::new());
    put(".git/commondir", "/evil");
    put("new/.git/config", "x");
    put("new/.git/hooks/x", "x");
    put("AGENTS.md", "x");
    put("data/HEAD", "x");
    put("data/objects/x", "x");
    put("data/refs/x", "x");
    put("data/config", "x");
    put(".git/sequencer/todo", "pick a\nexec evil\n");
    put(".git/rebase-apply/strategy", "ort\n");
    assert_eq!(
        told(&folder, scan(&roots, &names()).added(&before, began)),
        [".git/commondir", ".git/sequencer", "AGENTS.md", "data/config", "data/HEAD", "new/.git"]
    );
}

#[test]
fn a_place_is_guarded_by_its_name_and_by_the_folders_above_it() {
    let names = names();
    for path in [
        "/p/AGENTS.md",
        "/p/x/.Claude/a",
        "/p/.git/HEAD",
        "/p/.vscode/tasks.json",
        "/p/.git",
        "/p/.git/worktrees/x/commondir",
        "/h/.claude/worktrees/p/.claude/a",
    ] {
        assert!(names.reason(Path::new(path)).is_some(), "{path}");
    }
    for path in [
        "/p/agents.txt",
        "/p/.vscode/x.json",
        "/p/claude",
        "/p/.gitignore",
        "/p/.github/x",
        "/h/.claude/worktrees/p/src/a",
    ] {
        assert!(names.reason(Path::new(path)).is_none(), "{path}");
    }
}

#[test]
fn a_merge_strategy_that_git_does_not_bring_along_is_a_program() {
    for (file, text, runs) in [
        ("strategy", "ort\n", false),
        ("strategy", "../../x\n", true),
        ("strategy", "evil", true),
        ("opts", "[options]\n\tstrategy = ort\n\tstrategy-option = ours\n\tedit = true\n", false),
        ("opts", "[options]\n\tstrategy-option = ../../x\n", false),
        ("opts", "[options]\n\tstrategy = ../../x\n", true),
        ("opts", "[OPTIONS] Strategy=\"../../x\"\n", true),
        ("opts", "[options]\nstrategy = o\\\nrt/../x\n", true),
    ] {
        let folder = project(&[]);
        fs::write(folder.path().join(file), text).unwrap();
        assert_eq!(!runs_nothing(folder.path()), runs, "{file}: {text}");
    }
}
