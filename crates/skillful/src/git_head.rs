//! The commit that a repository has checked out, read from its files. No program is run in a repository that may not be
//! trusted.

use skillful_catalog::bounded::read_text;
use std::path::Path;

/// Bytes of a file that names one commit, branch or folder.
const LINE_LIMIT: u64 = 4 << 10;
/// Bytes of the list of packed branches.
const PACKED_LIMIT: u64 = 16 << 20;

/// The commit that is checked out, as hexadecimal digits; none when the files do not say.
pub(crate) fn commit_of(repository: &Path) -> Option<String> {
    let line = |path: &Path| read_text(path, LINE_LIMIT, None).ok().map(|text| text.trim().to_owned());
    let dot = repository.join(".git");
    // In a further work tree `.git` is a file that names the folder.
    let folder = match line(&dot) {
        Some(text) => repository.join(text.strip_prefix("gitdir:")?.trim()),
        None => dot,
    };
    let head = line(&folder.join("HEAD"))?;
    let Some(branch) = head.strip_prefix("ref:").map(str::trim) else { return commit(&head) };
    if !branch.starts_with("refs/") || branch.split('/').any(|part| part == "..") {
        return None;
    }
    let common = line(&folder.join("commondir")).map_or_else(|| folder.clone(), |common| folder.join(common));
    let loose = [&folder, &common].into_iter().find_map(|folder| line(&folder.join(branch)));
    loose.as_deref().and_then(commit).or_else(|| {
        let packed = read_text(&common.join("packed-refs"), PACKED_LIMIT, None).ok()?;
        packed.lines().find_map(|line| commit(line.strip_suffix(branch)?.strip_suffix(' ')?))
    })
}

fn commit(text: &str) -> Option<String> {
    let is_commit = matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_commit.then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commit_is_read_from_loose_and_packed_branches_and_from_further_work_trees() {
        let top = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = top.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let head = |folder: &str| commit_of(&top.path().join(folder));
        let [a, b] = ["a", "b"].map(|digit| digit.repeat(40));
        assert_eq!(head("r"), None);
        write("r/.git/HEAD", &format!("{a}\n"));
        assert_eq!(head("r"), Some(a.clone()));
        write("r/.git/HEAD", "ref: refs/heads/main\n");
        assert_eq!(head("r"), None);
        write("r/.git/packed-refs", &format!("# pack-refs\n{a} refs/heads/xmain\n{b} refs/heads/main\n"));
        assert_eq!(head("r"), Some(b.clone()));
        write("r/.git/refs/heads/main", &format!("{a}\n"));
        assert_eq!(head("r"), Some(a));
        write("r/.git/worktrees/w/HEAD", "ref: refs/heads/side\n");
        write("r/.git/worktrees/w/commondir", "../..\n");
        write("r/.git/refs/heads/side", &format!("{b}\n"));
        write("w/.git", "gitdir: ../r/.git/worktrees/w\n");
        assert_eq!(head("w"), Some(b));
        for text in ["ref: ../../secret", "ref: refs/../../../secret", "not a commit", ""] {
            write("r/.git/HEAD", text);
            assert_eq!(head("r"), None, "{text}");
        }
    }
}
