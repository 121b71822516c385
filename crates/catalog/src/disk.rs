//! Skill folders on disk and in memory: reading a folder into a [`Tree`], writing a tree as a
//! folder. Both go through handles of folders, so that no link can lead them outside.

use cap_std::{ambient_authority, fs::Dir};
use skillful_format::{Code, Diagnostic, Limits, Tree, TreeFile, TreePath};
use std::{
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

/// Folders that belong to tools and never to a skill.
const NOISE: [&str; 4] = [".git", ".DS_Store", "__pycache__", "node_modules"];

/// Reads a skill's folder. Links are no part of a skill; each one is a diagnostic.
pub fn read_folder(folder: &Path, limits: &Limits) -> io::Result<(Tree, Vec<Diagnostic>)> {
    let dir = Dir::open_ambient_dir(folder, ambient_authority())?;
    let mut reading = Reading { limits, tree: Tree::default(), diagnostics: Vec::new() };
    reading.folder(&dir, "", 0)?;
    for diagnostic in &mut reading.diagnostics {
        diagnostic.path.get_or_insert_with(|| folder.to_path_buf());
    }
    Ok((reading.tree, reading.diagnostics))
}

struct Reading<'a> {
    limits: &'a Limits,
    tree: Tree,
    diagnostics: Vec<Diagnostic>,
}

impl Reading<'_> {
    fn folder(&mut self, dir: &Dir, above: &str, depth: usize) -> io::Result<()> {
        let mut entries: Vec<_> = dir.entries()?.collect::<Result<_, _>>()?;
        entries.sort_by_key(cap_std::fs::DirEntry::file_name);
        for entry in entries {
            let name = entry.file_name();
            let Some(name) = name.to_str() else {
                self.tell(Code::EntryPath, format!("the name `{}` is not UTF-8", name.to_string_lossy()));
                continue;
            };
            if NOISE.contains(&name) {
                continue;
            }
            let path = if above.is_empty() { name.to_owned() } else { format!("{above}/{name}") };
            let kind = entry.file_type()?;
            if kind.is_symlink() {
                self.tell(Code::LinkSkipped, format!("`{path}` is a link and no part of the skill"));
            } else if kind.is_dir() {
                if depth >= self.limits.depth {
                    self.tell(Code::DepthLimit, format!("`{path}` is nested too deep and was left out"));
                } else {
                    self.folder(&entry.open_dir()?, &path, depth + 1)?;
                }
            } else if kind.is_file() {
                self.file(&entry, &path)?;
            } else {
                self.tell(Code::EntryKind, format!("`{path}` is neither a file nor a folder"));
            }
        }
        Ok(())
    }

    fn file(&mut self, entry: &cap_std::fs::DirEntry, path: &str) -> io::Result<()> {
        let tree_path = match TreePath::new(path, self.limits) {
            Ok(path) => path,
            Err(fault) => {
                self.tell(Code::EntryPath, format!("the path `{}` {fault}", path.escape_debug()));
                return Ok(());
            }
        };
        let file = entry.open()?;
        let meta = file.metadata()?;
        let mut bytes = Vec::new();
        file.take(self.limits.file_bytes + 1).read_to_end(&mut bytes)?;
        let executable = is_executable(&meta);
        if let Err(diagnostic) = self.tree.insert(tree_path, TreeFile { bytes, executable }, self.limits) {
            self.diagnostics.push(diagnostic);
        }
        Ok(())
    }

    fn tell(&mut self, code: Code, message: String) {
        self.diagnostics.push(Diagnostic::new(code, message));
    }
}

#[cfg(unix)]
fn is_executable(meta: &cap_std::fs::Metadata) -> bool {
    use cap_std::fs::MetadataExt;
    meta.mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &cap_std::fs::Metadata) -> bool {
    false
}

/// Writes a tree as the folder `target`: staged beside it, synced, then renamed. A folder that is
/// already there is kept under the returned name.
pub fn write_folder(tree: &Tree, target: &Path) -> io::Result<Option<PathBuf>> {
    let parent = target.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(parent)?;
    let staged = tempfile::Builder::new().prefix(".skillful-").tempdir_in(parent)?;
    let dir = Dir::open_ambient_dir(staged.path(), ambient_authority())?;
    for (path, file) in tree.iter() {
        if let Some((folder, _)) = path.as_str().rsplit_once('/') {
            dir.create_dir_all(folder)?;
        }
        let mut options = cap_std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        set_mode(&mut options, file.executable);
        let mut out = dir.open_with(path.as_str(), &options)?;
        out.write_all(&file.bytes)?;
        out.sync_all()?;
    }
    let backup = if target.symlink_metadata().is_ok() { Some(put_aside(target)?) } else { None };
    let staged = staged.keep();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&staged, std::fs::Permissions::from_mode(0o755))?;
    }
    if let Err(error) = std::fs::rename(&staged, target) {
        if let Some(backup) = &backup {
            std::fs::rename(backup, target)?;
        }
        std::fs::remove_dir_all(&staged)?;
        return Err(error);
    }
    Ok(backup)
}

/// Moves what is there to the first free `.<name>.backup-N`, which no agent reads.
fn put_aside(target: &Path) -> io::Result<PathBuf> {
    let name = target.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for number in 1..10_000 {
        let backup = target.with_file_name(format!(".{name}.backup-{number}"));
        if backup.symlink_metadata().is_err() {
            std::fs::rename(target, &backup)?;
            return Ok(backup);
        }
    }
    Err(io::Error::other(format!("there are too many backups of `{name}`")))
}

#[cfg(unix)]
fn set_mode(options: &mut cap_std::fs::OpenOptions, executable: bool) {
    use cap_std::fs::OpenOptionsExt;
    options.mode(if executable { 0o755 } else { 0o644 });
}

#[cfg(not(unix))]
fn set_mode(_: &mut cap_std::fs::OpenOptions, _: bool) {}
