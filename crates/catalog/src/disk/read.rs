//! A folder, read into a [`Tree`]: one handle per folder and file, by names of one part and never through a
//! link, so that nothing leads outside.

use super::is_noise;
use rustix::{
    fd::{AsFd, OwnedFd},
    fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, fstat, openat, statat},
};
use skillful_format::{Code, Diagnostic, Limits, Tree, TreeFile, TreePath, path_text};
use std::{
    ffi::{CString, OsStr},
    fs::File,
    io::{self, Read},
    os::unix::ffi::OsStrExt as _,
    path::Path,
};

/// Opening never waits: a pipe may have taken the place of the file.
const FILE: OFlags = OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);
const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
/// Any of the three permissions to execute.
const EXECUTABLE: Mode = Mode::XUSR.union(Mode::XGRP).union(Mode::XOTH);

/// Reads a skill's folder. Links are not part of a skill; each one is a diagnostic.
pub fn read_folder(folder: &Path, limits: &Limits) -> io::Result<(Tree, Vec<Diagnostic>)> {
    let (tree, mut diagnostics) = read(openat(CWD, folder, FOLDER, Mode::empty())?, limits)?;
    for diagnostic in &mut diagnostics {
        diagnostic.path.get_or_insert_with(|| folder.into());
    }
    Ok((tree, diagnostics))
}

/// The same for a folder that is already open.
pub fn read_dir(dir: &impl AsFd, limits: &Limits) -> io::Result<(Tree, Vec<Diagnostic>)> {
    // The handle that is given may be one that can only be looked up in.
    read(openat(dir, c".", FOLDER, Mode::empty())?, limits)
}

fn read(folder: OwnedFd, limits: &Limits) -> io::Result<(Tree, Vec<Diagnostic>)> {
    let mut reading = Reading { limits, tree: Tree::default(), full: false, diagnostics: Vec::new() };
    reading.folder(folder, "", 0)?;
    Ok((reading.tree, reading.diagnostics))
}

struct Reading<'a> {
    limits: &'a Limits,
    tree: Tree,
    /// A limit was reached; reading more would report the same again.
    full: bool,
    diagnostics: Vec<Diagnostic>,
}

impl Reading<'_> {
    fn folder(&mut self, folder: OwnedFd, above: &str, depth: usize) -> io::Result<()> {
        let mut dir = Dir::new(folder)?;
        let mut entries: Vec<(CString, FileType)> = Vec::new();
        while let Some(entry) = dir.read() {
            let entry = entry?;
            let name = entry.file_name();
            if !matches!(name.to_bytes(), b"." | b"..") {
                entries.push((name.to_owned(), entry.file_type()));
            }
        }
        entries.sort_by(|(a, _), (b, _)| a.cmp(b));
        let dir = dir.fd()?;
        for (name, kind) in entries {
            if self.full {
                return Ok(());
            }
            let Ok(text) = name.to_str() else {
                self.report(
                    Code::EntryPath,
                    format!("the name of `{}` is not UTF-8", shown_path(above, name.to_bytes())),
                );
                continue;
            };
            if is_noise(text) {
                continue;
            }
            let path = if above.is_empty() { text.to_owned() } else { format!("{above}/{text}") };
            let kind = match kind {
                // Some file systems do not return the kind with the name.
                FileType::Unknown => {
                    FileType::from_raw_mode(statat(dir, &name, AtFlags::SYMLINK_NOFOLLOW)?.st_mode)
                }
                known => known,
            };
            match kind {
                FileType::Symlink => {
                    self.report(Code::LinkSkipped, format!("`{path}` is a link and not part of the skill"));
                }
                FileType::Directory if depth >= self.limits.depth => {
                    self.report(Code::DepthLimit, format!("`{path}` is nested too deep and was skipped"));
                }
                FileType::Directory => {
                    let folder = openat(dir, &name, FOLDER.union(OFlags::NOFOLLOW), Mode::empty())?;
                    self.folder(folder, &path, depth + 1)?;
                }
                FileType::RegularFile => self.file(openat(dir, &name, FILE, Mode::empty())?, &path)?,
                _ => self.report(Code::EntryKind, format!("`{path}` is neither a file nor a folder")),
            }
        }
        Ok(())
    }

    fn file(&mut self, file: OwnedFd, path: &str) -> io::Result<()> {
        let tree_path = match TreePath::new(path, self.limits) {
            Ok(path) => path,
            Err(fault) => {
                self.report(Code::EntryPath, format!("the path `{}` {fault}", path.escape_debug()));
                return Ok(());
            }
        };
        let meta = fstat(&file)?;
        if FileType::from_raw_mode(meta.st_mode) != FileType::RegularFile {
            self.report(Code::EntryKind, format!("`{path}` is neither a file nor a folder"));
            return Ok(());
        }
        // One read for all of it and one that says it was all.
        let size = u64::try_from(meta.st_size).unwrap_or_default();
        let expected = size.min(self.limits.file_bytes) + 1;
        let mut bytes = Vec::with_capacity(usize::try_from(expected).unwrap_or_default());
        File::from(file).take(self.limits.file_bytes + 1).read_to_end(&mut bytes)?;
        let executable = Mode::from_raw_mode(meta.st_mode).intersects(EXECUTABLE);
        if let Err(diagnostic) = self.tree.insert(tree_path, TreeFile { bytes, executable }, self.limits) {
            self.full = matches!(diagnostic.code, Code::ArchiveTooMany | Code::ArchiveTooLarge);
            self.diagnostics.push(diagnostic);
        }
        Ok(())
    }

    fn report(&mut self, code: Code, message: String) {
        self.diagnostics.push(Diagnostic::new(code, message));
    }
}

/// The path of an entry whose name is not UTF-8.
fn shown_path(above: &str, name: &[u8]) -> String {
    let name = path_text(Path::new(OsStr::from_bytes(name))).into_owned();
    if above.is_empty() { name } else { format!("{above}/{name}") }
}
