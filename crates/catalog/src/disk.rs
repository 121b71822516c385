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

/// Whether a file or folder of that name belongs to a tool, so that no folder is read with it.
pub fn is_noise(name: &str) -> bool {
    NOISE.contains(&name)
}

/// Reads a skill's folder. Links are no part of a skill; each one is a diagnostic.
pub fn read_folder(folder: &Path, limits: &Limits) -> io::Result<(Tree, Vec<Diagnostic>)> {
    let (tree, mut diagnostics) = read_dir(&Dir::open_ambient_dir(folder, ambient_authority())?, limits)?;
    for diagnostic in &mut diagnostics {
        diagnostic.path.get_or_insert_with(|| folder.to_path_buf());
    }
    Ok((tree, diagnostics))
}

/// The same for a folder that is already open.
pub fn read_dir(dir: &Dir, limits: &Limits) -> io::Result<(Tree, Vec<Diagnostic>)> {
    let mut reading = Reading { limits, tree: Tree::default(), full: false, diagnostics: Vec::new() };
    reading.folder(dir, "", 0)?;
    Ok((reading.tree, reading.diagnostics))
}

struct Reading<'a> {
    limits: &'a Limits,
    tree: Tree,
    /// A bound was hit, so that reading more would only say the same again.
    full: bool,
    diagnostics: Vec<Diagnostic>,
}

impl Reading<'_> {
    fn folder(&mut self, dir: &Dir, above: &str, depth: usize) -> io::Result<()> {
        let mut entries: Vec<_> = dir.entries()?.collect::<Result<_, _>>()?;
        entries.sort_by_key(cap_std::fs::DirEntry::file_name);
        for entry in entries {
            if self.full {
                return Ok(());
            }
            let name = entry.file_name();
            let Some(name) = name.to_str() else {
                self.tell(Code::EntryPath, format!("the name `{}` is not UTF-8", name.to_string_lossy()));
                continue;
            };
            if is_noise(name) {
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
        // One read for all of it and one that says it was all.
        let expected = meta.len().min(self.limits.file_bytes) + 1;
        let mut bytes = Vec::with_capacity(usize::try_from(expected).unwrap_or_default());
        file.take(self.limits.file_bytes + 1).read_to_end(&mut bytes)?;
        let executable = is_executable(&meta);
        if let Err(diagnostic) = self.tree.insert(tree_path, TreeFile { bytes, executable }, self.limits) {
            self.full = matches!(diagnostic.code, Code::ArchiveTooMany | Code::ArchiveTooLarge);
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

/// Writes a tree as the folder `target`: staged beside it, synced, then put in place. A folder that
/// is already there is kept under the returned name. Whatever happens, and whenever, there is the
/// old folder or the new one.
pub fn write_folder(tree: &Tree, target: &Path) -> io::Result<Option<PathBuf>> {
    if target.file_name().is_none() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the target has no name"));
    }
    let parent = target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
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
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(staged.path(), std::fs::Permissions::from_mode(0o755))?;
    }
    sync_folder(staged.path());
    let backup = if put_in_place(staged.path(), target)? {
        // The old folder has the staged name now; from here on nothing may remove it.
        Some(put_aside(&staged.keep(), target)?)
    } else {
        None
    };
    sync_folder(parent);
    Ok(backup)
}

/// Gives the folder `staged` the name `target`. What had that name, link or folder, gets the name
/// of `staged` in the same instant where the system can do that; says whether there was anything.
pub(crate) fn put_in_place(staged: &Path, target: &Path) -> io::Result<bool> {
    for _ in 0..8 {
        if target.symlink_metadata().is_err() {
            match rename(staged, target, false) {
                Ok(()) => return Ok(false),
                // Somebody else put something there just now.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(error),
            }
        }
        match rename(staged, target, true) {
            Ok(()) => return Ok(true),
            // What was there is gone.
            Err(error) if error.kind() == io::ErrorKind::NotFound && staged.is_dir() => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other(format!("`{}` keeps changing", target.display())))
}

/// Renames, or exchanges two names.
#[cfg(target_os = "linux")]
fn rename(from: &Path, to: &Path, exchange: bool) -> io::Result<()> {
    use rustix::{
        fs::{CWD, RenameFlags, renameat_with},
        io::Errno,
    };
    let flags = if exchange { RenameFlags::EXCHANGE } else { RenameFlags::NOREPLACE };
    match renameat_with(CWD, from, CWD, to, flags) {
        // Some file systems know neither.
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => rename_in_steps(from, to, exchange),
        done => done.map_err(io::Error::from),
    }
}

#[cfg(not(target_os = "linux"))]
fn rename(from: &Path, to: &Path, exchange: bool) -> io::Result<()> {
    rename_in_steps(from, to, exchange)
}

fn rename_in_steps(from: &Path, to: &Path, exchange: bool) -> io::Result<()> {
    if !exchange {
        return std::fs::rename(from, to);
    }
    let between = from.with_extension("old");
    std::fs::rename(to, &between)?;
    if let Err(error) = std::fs::rename(from, to) {
        std::fs::rename(&between, to)?;
        return Err(error);
    }
    std::fs::rename(&between, from)
}

/// Makes renames in a folder last. Not every system can do that for a folder.
fn sync_folder(folder: &Path) {
    let _unsynced = std::fs::File::open(folder).and_then(|folder| folder.sync_all());
}

/// Moves the old folder to the first free `.<name>.backup-N`, which no agent reads.
fn put_aside(old: &Path, target: &Path) -> io::Result<PathBuf> {
    let name = target.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for number in 1..10_000 {
        let backup = target.with_file_name(format!(".{name}.backup-{number}"));
        if backup.symlink_metadata().is_err() {
            match rename(old, &backup, false) {
                Ok(()) => return Ok(backup),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }
    Err(io::Error::other(format!("there are too many backups of `{name}`; the last is `{}`", old.display())))
}

#[cfg(unix)]
fn set_mode(options: &mut cap_std::fs::OpenOptions, executable: bool) {
    use cap_std::fs::OpenOptionsExt;
    options.mode(if executable { 0o755 } else { 0o644 });
}

#[cfg(not(unix))]
fn set_mode(_: &mut cap_std::fs::OpenOptions, _: bool) {}
