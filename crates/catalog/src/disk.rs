//! Skill folders on disk and in memory: reading a folder into a [`Tree`], writing a tree as a
//! folder. Both go through handles of folders, so that no link can lead them outside.

mod read;

pub use read::{read_dir, read_folder};

use cap_std::{ambient_authority, fs::Dir};
use skillful_format::Tree;
use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

/// Folders that belong to tools and never to a skill.
const NOISE: [&str; 4] = [".git", ".DS_Store", "__pycache__", "node_modules"];

/// Whether a file or folder of that name belongs to a tool, so that no folder is read with it.
pub fn is_noise(name: &str) -> bool {
    NOISE.contains(&name)
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
    write_each(tree, staged.path(), cap_std::fs::File::sync_all)?;
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

/// Writes the files of a tree into an empty folder, for a short time: a crash may lose them.
pub fn write_files(tree: &Tree, folder: &Path) -> io::Result<()> {
    write_each(tree, folder, |_| Ok(()))
}

fn write_each(
    tree: &Tree,
    folder: &Path,
    written: impl Fn(&cap_std::fs::File) -> io::Result<()>,
) -> io::Result<()> {
    let dir = Dir::open_ambient_dir(folder, ambient_authority())?;
    for (path, file) in tree.iter() {
        if let Some((folder, _)) = path.as_str().rsplit_once('/') {
            dir.create_dir_all(folder)?;
        }
        let mut options = cap_std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        set_mode(&mut options, file.executable);
        let mut out = dir.open_with(path.as_str(), &options)?;
        out.write_all(&file.bytes)?;
        written(&out)?;
    }
    Ok(())
}

/// Gives the folder `staged` the name `target`. What had that name, link or folder, gets the name
/// of `staged` in the same instant where the system can do that; returns whether there was anything.
pub(crate) fn put_in_place(staged: &Path, target: &Path) -> io::Result<bool> {
    for _ in 0..8 {
        if target.symlink_metadata().is_err() {
            match rename(staged, target, false) {
                Ok(()) => return Ok(false),
                // Another process put something there just now.
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
