//! A copy of the tree that may be broken, with a target folder of its own.

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    fs, io,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    process::Command,
};

/// The copy. A later run takes it up again, so that only what changed is built.
pub(crate) struct Scratch {
    tree: PathBuf,
    target: PathBuf,
}

impl Scratch {
    /// Brings the copy in step with the working tree: every file that git knows or would add.
    pub(crate) fn copy(root: &Path) -> io::Result<Self> {
        let base = root.join("target/mutants");
        let scratch = Self { tree: base.join("tree"), target: base.join("target") };
        let output = Command::new("git")
            .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .current_dir(root)
            .output()?;
        if !output.status.success() {
            return Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()));
        }
        let names = output.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        let known: BTreeSet<PathBuf> = names
            .map(|name| PathBuf::from(OsStr::from_bytes(name)))
            .filter(|name| root.join(name).symlink_metadata().is_ok())
            .collect();
        for name in &known {
            place(&root.join(name), &scratch.tree.join(name))?;
        }
        scratch.remove_unknown(Path::new(""), &known)?;
        Ok(scratch)
    }

    /// The folder of the copy.
    pub(crate) fn tree(&self) -> &Path {
        &self.tree
    }

    /// Where the copy is built.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    pub(crate) fn read(&self, file: &str) -> io::Result<String> {
        fs::read_to_string(self.tree.join(file))
    }

    pub(crate) fn write(&self, file: &str, text: &str) -> io::Result<()> {
        fs::write(self.tree.join(file), text)
    }

    fn remove_unknown(&self, folder: &Path, known: &BTreeSet<PathBuf>) -> io::Result<()> {
        for entry in fs::read_dir(self.tree.join(folder))? {
            let entry = entry?;
            let name = folder.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                self.remove_unknown(&name, known)?;
            } else if !known.contains(&name) {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }
}

/// Copies a file or a link unless it is there already: an untouched file is not built again.
fn place(from: &Path, to: &Path) -> io::Result<()> {
    let parent = to.parent().ok_or_else(|| io::Error::other("a file without a folder"))?;
    fs::create_dir_all(parent)?;
    if from.is_symlink() {
        let target = fs::read_link(from)?;
        if fs::read_link(to).is_ok_and(|known| known == target) {
            return Ok(());
        }
        let _absent = fs::remove_file(to);
        return std::os::unix::fs::symlink(target, to);
    }
    let bytes = fs::read(from)?;
    if !to.is_symlink() && fs::read(to).is_ok_and(|known| known == bytes) {
        return Ok(());
    }
    let _absent = fs::remove_file(to);
    fs::copy(from, to).map(drop)
}
