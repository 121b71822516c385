//! Places of a working tree that the configuration of git names: a folder of hooks, a file that is included, a program or
//! script of a filter or an alias. Git runs them, so that they are guarded as `.git` itself is.

use skillful_catalog::bounded::read_text;
use std::{
    collections::{BTreeSet, VecDeque},
    path::{Component, Path, PathBuf},
};

/// Bytes of a file of git that are read.
const LIMIT: u64 = 1 << 20;
/// Files of configuration that are read, with those that they include.
const FILES: usize = 32;
/// Keys whose values are addresses, names of branches or of users, or the place of the tree itself.
const NOT_PLACES: [&str; 11] = [
    "url",
    "pushurl",
    "fetch",
    "push",
    "merge",
    "remote",
    "insteadof",
    "pushinsteadof",
    "name",
    "email",
    "worktree",
];
/// Programs that git runs from a folder of hooks.
const HOOKS: [&str; 18] = [
    "applypatch-msg",
    "commit-msg",
    "fsmonitor-watchman",
    "post-applypatch",
    "post-checkout",
    "post-commit",
    "post-index-change",
    "post-merge",
    "post-rewrite",
    "pre-applypatch",
    "pre-auto-gc",
    "pre-commit",
    "pre-merge-commit",
    "pre-push",
    "pre-rebase",
    "prepare-commit-msg",
    "reference-transaction",
    "sendemail-validate",
];

/// A setting: section and key in small letters, and its value.
struct Setting {
    section: String,
    key: String,
    value: String,
}

/// The places in the working tree around a folder that the configuration of its repository, of the user or of the machine
/// names. They need not exist.
pub fn named(folder: &Path, home: &Path) -> BTreeSet<PathBuf> {
    let found = folder.ancestors().find(|above| above.join(".git").symlink_metadata().is_ok());
    let Some(tree) = found else { return BTreeSet::new() };
    let git = git_folder(&tree.join(".git"));
    let common = match read_text(&git.join("commondir"), LIMIT, None) {
        Ok(text) => plain(&git.join(text.trim_end())),
        Err(_) => git.clone(),
    };
    let mut files: VecDeque<PathBuf> = [
        common.join("config"),
        git.join("config.worktree"),
        home.join(".gitconfig"),
        home.join(".config/git/config"),
        PathBuf::from("/etc/gitconfig"),
    ]
    .into();
    let (mut seen, mut places) = (BTreeSet::new(), BTreeSet::new());
    while let Some(file) = files.pop_front() {
        if seen.len() == FILES || !seen.insert(file.clone()) {
            continue;
        }
        let Ok(text) = read_text(&file, LIMIT, None) else { continue };
        for setting in settings(&text) {
            let Setting { section, key, value } = &setting;
            if section.starts_with("include") && key == "path" {
                let included = plain(&from(file.parent().unwrap_or(tree), value, home));
                files.push_back(included.clone());
                places.insert(included);
            } else if section == "core" && key == "hookspath" {
                let folder = plain(&from(tree, value, home));
                if folder == tree {
                    places.extend(HOOKS.iter().map(|hook| tree.join(hook)));
                }
                places.insert(folder);
            } else if section == "alias" || !NOT_PLACES.contains(&key.as_str()) {
                let words = value.split(|c: char| c.is_whitespace() || "\"'`$;&|()<>{}=!,".contains(c));
                let paths = words.filter(|word| word.contains('/'));
                places.extend(paths.map(|word| plain(&from(tree, word, home))));
            }
        }
    }
    let dot = tree.join(".git");
    let inside = |path: &PathBuf| path != tree && path.starts_with(tree) && !path.starts_with(&dot);
    let real: Vec<PathBuf> = places.iter().filter_map(|path| path.canonicalize().ok()).collect();
    places.into_iter().chain(real).filter(inside).collect()
}

/// What `.git` is, or leads to.
fn git_folder(dot: &Path) -> PathBuf {
    let text = read_text(dot, LIMIT, None).unwrap_or_default();
    match (text.trim_end().strip_prefix("gitdir:"), dot.parent()) {
        (Some(to), Some(above)) => plain(&above.join(to.trim())),
        _ => dot.to_owned(),
    }
}

/// A path of a setting; `~` is the home.
fn from(folder: &Path, path: &str, home: &Path) -> PathBuf {
    path.strip_prefix("~/").map_or_else(|| folder.join(path), |below| home.join(below))
}

/// The path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            other => plain.push(other),
        }
    }
    plain
}

/// The settings of a file. What git would refuse is read as far as it goes: a place too many is harmless.
fn settings(text: &str) -> Vec<Setting> {
    let mut found = Vec::new();
    let mut section = String::new();
    let joined = text.replace("\\\r\n", "").replace("\\\n", "");
    for line in joined.lines() {
        let mut line = line.trim();
        if let Some(rest) = line.strip_prefix('[') {
            let Some((head, rest)) = rest.split_once(']') else { continue };
            section = head.split(['"', ' ', '\t', '.']).next().unwrap_or_default().to_lowercase();
            line = rest.trim();
        }
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        let (key, value) = line.split_once('=').unwrap_or((line, ""));
        let (section, key) = (section.clone(), key.trim().to_lowercase());
        found.push(Setting { section, key, value: unquoted(value) });
    }
    found
}

/// A value without its quotes and its comment.
fn unquoted(value: &str) -> String {
    let (mut text, mut quoted) = (String::new(), false);
    let mut letters = value.trim().chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => quoted = !quoted,
            '\\' => text.extend(letters.next()),
            '#' | ';' if !quoted => break,
            letter => text.push(letter),
        }
    }
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn told(config: &str) -> Vec<String> {
        let top = tempfile::tempdir().unwrap();
        let real = top.path().canonicalize().unwrap();
        let tree = real.join("work");
        fs::create_dir_all(tree.join(".git")).unwrap();
        fs::create_dir_all(tree.join("src")).unwrap();
        fs::write(tree.join(".git/config"), config).unwrap();
        fs::write(tree.join("more.gitconfig"), "[core]\n\thooksPath = from/included\n").unwrap();
        let places = named(&tree.join("src"), &real.join("home"));
        places.iter().map(|place| place.strip_prefix(&tree).unwrap().display().to_string()).collect()
    }

    #[test]
    fn places_that_a_configuration_of_git_names_are_found_however_it_is_written() {
        for (config, places) in [
            ("[core]\n\thooksPath = tools/hooks\n", &["tools/hooks"][..]),
            ("[CORE] HOOKSPATH=\"tools/hooks\" # ours\n", &["tools/hooks"]),
            ("[core]\nhookspath = tools\\\n/hooks\n", &["tools/hooks"]),
            ("[core]\nhooksPath = hooks\n", &["hooks"]),
            ("[core]\nhooksPath = ./a/../hooks/\n", &["hooks"]),
            ("[include]\npath = ../more.gitconfig\n", &["from/included", "more.gitconfig"]),
            ("[includeIf \"gitdir:~/\"]\npath = ../more.gitconfig\n", &["from/included", "more.gitconfig"]),
            ("[include]\npath = ../missing\n", &["missing"]),
            ("[core]\nfsmonitor = ./tools/watch --all\n", &["tools/watch"]),
            (
                "[filter \"x\"]\nclean = python3 tools/clean.py %f\nsmudge = \"'tools/smudge'\"\n",
                &["tools/clean.py", "tools/smudge"],
            ),
            ("[alias]\nx = \"!f() { sh tools/x.sh; }; f\"\n", &["tools/x.sh"]),
            ("[diff]\nexternal = tools/diff;rest\n", &["tools/diff"]),
            ("[submodule \"x\"]\nupdate = !tools/up\nurl = ./lib/x\n", &["tools/up"]),
        ] {
            assert_eq!(told(config), places, "{config}");
        }
        let all = told("[core]\nhooksPath = .\n");
        assert!(all.contains(&"pre-commit".to_owned()) && all.len() == HOOKS.len(), "{all:?}");
    }

    #[test]
    fn an_ordinary_configuration_names_no_place() {
        let usual = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n[remote \"origin\"]\n\turl = ./a/b\n\tfetch = \
                     +refs/heads/*:refs/remotes/origin/*\n[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n\
                     [user]\n\tname = a/b\n[filter \"lfs\"]\n\tprocess = git-lfs filter-process\n[core]\n\thooksPath = \
                     .git/hooks\n\teditor = /usr/bin/vim\n";
        assert_eq!(told(usual), Vec::<String>::new());
    }

    #[test]
    fn the_configuration_of_a_linked_working_tree_and_of_the_user_counts() {
        let top = tempfile::tempdir().unwrap();
        let real = top.path().canonicalize().unwrap();
        let (tree, git) = (real.join("work"), real.join("main/.git/worktrees/work"));
        for folder in [&tree, &git, &real.join("home")] {
            fs::create_dir_all(folder).unwrap();
        }
        fs::write(tree.join(".git"), format!("gitdir: {}\n", git.display())).unwrap();
        fs::write(git.join("commondir"), "../..\n").unwrap();
        fs::write(real.join("main/.git/config"), "[core]\nhooksPath = tools/hooks\n").unwrap();
        fs::write(git.join("config.worktree"), "[core]\nfsmonitor = bin/watch\n").unwrap();
        fs::write(real.join("home/.gitconfig"), "[core]\nhooksPath = .my-hooks\n").unwrap();
        let expected = [".my-hooks", "bin/watch", "tools/hooks"].map(|place| tree.join(place));
        assert_eq!(named(&tree, &real.join("home")), BTreeSet::from(expected));
    }
}
