//! Reading the answers of git: lists of files, and files.

use super::{super::GitError, program::Program};
use crate::source::Ref;
use skillful_format::TreePath;

/// One entry of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Listed {
    pub path: String,
    pub size: u64,
    mode: String,
    object: String,
}

impl Listed {
    pub(super) fn is_file(&self) -> bool {
        self.mode.starts_with("100")
    }

    pub(super) fn is_link(&self) -> bool {
        self.mode == "120000"
    }

    pub(super) fn is_executable(&self) -> bool {
        self.mode == "100755"
    }
}

impl Program<'_> {
    /// The commit that was fetched.
    pub(super) fn commit(&self) -> Result<String, GitError> {
        let args = ["rev-parse", "--verify", "--quiet", "--end-of-options", "refs/skillful/got^{commit}"];
        let answer = self.run("find a commit there", &args, &[])?;
        let commit = String::from_utf8(answer).map_err(|_| GitError::Answer)?;
        let commit = Ref::new(commit.trim()).map_err(|_| GitError::Answer)?;
        if commit.is_commit() { Ok(commit.to_string()) } else { Err(GitError::Answer) }
    }

    /// All entries of a commit, or of a folder of it.
    pub(super) fn list(&self, commit: &str, folder: Option<&TreePath>) -> Result<Vec<Listed>, GitError> {
        let tree = match folder {
            Some(folder) => format!("{commit}:{folder}"),
            None => format!("{commit}^{{tree}}"),
        };
        let kind = self.run("look into it", &["cat-file", "-t", &tree], &[]);
        if !kind.is_ok_and(|kind| kind.trim_ascii() == b"tree") {
            return Err(GitError::NoFolder(folder.map_or(".", TreePath::as_str).to_owned()));
        }
        let answer = self.run("list it", &["ls-tree", "-r", "-z", "-l", "--full-tree", &tree], &[])?;
        let mut listed = Vec::new();
        for line in answer.split(|byte| *byte == 0).filter(|line| !line.is_empty()) {
            if listed.len() >= self.bounds().files {
                return Err(GitError::TooManyFiles(self.bounds().files));
            }
            listed.push(entry(line).ok_or(GitError::Answer)?);
        }
        Ok(listed)
    }

    /// The bytes of entries, in their order.
    pub(super) fn contents(&self, entries: &[&Listed]) -> Result<Vec<Vec<u8>>, GitError> {
        let mut asked = String::new();
        for entry in entries {
            asked.push_str(&entry.object);
            asked.push('\n');
        }
        let answer = self.run("read it", &["cat-file", "--batch"], asked.as_bytes())?;
        let mut rest = answer.as_slice();
        let mut contents = Vec::with_capacity(entries.len());
        for entry in entries {
            let head = format!("{} blob {}\n", entry.object, entry.size);
            let body = rest.strip_prefix(head.as_bytes()).ok_or(GitError::Answer)?;
            let size = usize::try_from(entry.size).map_err(|_| GitError::Answer)?;
            let (bytes, after) = body.split_at_checked(size).ok_or(GitError::Answer)?;
            rest = after.strip_prefix(b"\n").ok_or(GitError::Answer)?;
            contents.push(bytes.to_vec());
        }
        Ok(contents)
    }
}

/// `<mode> <type> <object> <size>\t<path>`; a path that is not UTF-8 keeps a mark that no path may have.
fn entry(line: &[u8]) -> Option<Listed> {
    let at = line.iter().position(|byte| *byte == b'\t')?;
    let head = std::str::from_utf8(&line[..at]).ok()?;
    let mut words = head.split_ascii_whitespace();
    let (mode, _, object, size) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let is_hex = object.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_hex || words.next().is_some() {
        return None;
    }
    let size = if size == "-" { 0 } else { size.parse().ok()? };
    let path = match std::str::from_utf8(&line[at + 1..]) {
        Ok(path) => path.to_owned(),
        Err(_) => format!("{}\u{0}", String::from_utf8_lossy(&line[at + 1..])),
    };
    Some(Listed { path, size, mode: mode.to_owned(), object: object.to_owned() })
}
