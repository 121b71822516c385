//! Whether one folder contains another, however the two are spelled: through links, and through bind mounts, which
//! show one folder under several paths.

use std::{
    fs,
    os::unix::ffi::OsStringExt,
    path::{Path, PathBuf},
};

/// The table of mounts of this process.
const TABLE: &str = "/proc/self/mountinfo";

/// Whether `folder` contains `path` or is the same folder.
pub fn contains(folder: &Path, path: &Path) -> bool {
    seen_from(folder, path).is_some()
}

/// The path under which `path` is seen inside `folder`, if it is.
pub fn seen_from(folder: &Path, path: &Path) -> Option<PathBuf> {
    // Without the table only links are known.
    let table = fs::read(TABLE).map(|table| String::from_utf8_lossy(&table).into_owned()).unwrap_or_default();
    seen_by(&table, &real(folder), &real(path))
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn seen_by(table: &str, folder: &Path, path: &Path) -> Option<PathBuf> {
    if let Ok(rest) = path.strip_prefix(folder) {
        return Some(folder.join(rest));
    }
    let (outer_device, outer) = place(table, folder)?;
    let (device, inner) = place(table, path)?;
    let rest = inner.strip_prefix(outer).ok().filter(|_| device == outer_device)?;
    Some(folder.join(rest))
}

/// The device of a path, and where it is on that device.
fn place<'t>(table: &'t str, path: &Path) -> Option<(&'t str, PathBuf)> {
    let mut best: Option<(usize, &str, PathBuf)> = None;
    for line in table.lines() {
        let mut fields = line.split(' ').skip(2);
        let (Some(device), Some(root), Some(point)) = (fields.next(), fields.next(), fields.next()) else {
            continue;
        };
        let point = unescaped(point);
        let Ok(rest) = path.strip_prefix(&point) else { continue };
        let depth = point.components().count();
        // A later mount at the same place covers an earlier one.
        if best.as_ref().is_none_or(|(known, ..)| depth >= *known) {
            best = Some((depth, device, unescaped(root).join(rest)));
        }
    }
    best.map(|(_, device, path)| (device, path))
}

/// A path of the table, in which blanks and some other bytes are written as `\040`.
fn unescaped(text: &str) -> PathBuf {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let octal = after.get(..3).and_then(|three| std::str::from_utf8(three).ok());
        match octal.and_then(|three| u8::from_str_radix(three, 8).ok()).filter(|_| *first == b'\\') {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[3..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    PathBuf::from(std::ffi::OsString::from_vec(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "\
21 1 8:1 / / rw - ext4 /dev/sda1 rw
22 21 8:2 / /home rw - ext4 /dev/sda2 rw
23 21 8:2 /ann /mnt/ann rw - ext4 /dev/sda2 rw
24 21 8:1 /srv /export rw - ext4 /dev/sda1 rw
25 21 8:2 /ann /mnt/with\\040blank rw - ext4 /dev/sda2 rw
";

    #[test]
    fn a_folder_contains_another_through_a_bind_mount_of_it_or_of_a_parent() {
        for (folder, path, seen) in [
            ("/home/ann", "/home/ann/work", Some("/home/ann/work")),
            ("/home/ann", "/home/ann", Some("/home/ann")),
            ("/home/ann", "/mnt/ann", Some("/home/ann")),
            ("/mnt/ann", "/home/ann", Some("/mnt/ann")),
            ("/home", "/mnt/ann", Some("/home/ann")),
            ("/home", "/mnt/with blank/x", Some("/home/ann/x")),
            ("/srv", "/export/a", Some("/srv/a")),
            ("/", "/home/ann", Some("/home/ann")),
            ("/home/ann/work", "/mnt/ann", None),
            ("/mnt/ann", "/home/bob", None),
            ("/srv/a", "/export", None),
        ] {
            let found = seen_by(MOUNTS, Path::new(folder), Path::new(path));
            assert_eq!(found.as_deref(), seen.map(Path::new), "{folder} {path}");
        }
    }
}
