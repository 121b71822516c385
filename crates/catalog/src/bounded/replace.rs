//! The one writer of files that a repository could have prepared a trap for.

use super::{Boundary, ReadError, open_folder};
use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt as _, PermissionsExt as _};
use std::{
    ffi::OsStr,
    hash::{BuildHasher as _, Hasher as _, RandomState},
    io::{self, Write as _},
    path::Path,
};

/// Names that are tried for the new file before it gets its own.
const TRIES: usize = 16;

/// Replaces a file, or makes it: whole or not at all. A link is followed to the file that it means; with a boundary,
/// only inside it.
///
/// The new bytes are written under a name that nothing has and that cannot be guessed, so that no link that is already
/// in the folder leads them elsewhere. A file keeps its permissions; `mode` is for a new one.
pub fn replace(file: &Path, bytes: &[u8], mode: u32, within: Option<&Boundary>) -> io::Result<()> {
    let real = match file.symlink_metadata() {
        Ok(_) => file.canonicalize()?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => file.to_path_buf(),
        Err(error) => return Err(error),
    };
    let name = real.file_name().ok_or(ReadError::NotAFile)?;
    let above = real.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = open_folder(above, within)?;
    let mode = match folder.symlink_metadata(name) {
        Ok(known) if known.is_file() => known.permissions().mode() & 0o7777,
        // It changed since its path was resolved, or is a folder, a pipe or a device.
        Ok(_) => return Err(ReadError::NotAFile.into()),
        Err(_) => mode,
    };
    let (staged, mut out) = new_file(&folder, name, mode)?;
    let written = out
        .write_all(bytes)
        .and_then(|()| out.set_permissions(cap_std::fs::Permissions::from_mode(mode)))
        .and_then(|()| folder.rename(&staged, &folder, name));
    if written.is_err() {
        let _gone = folder.remove_file(&staged);
    }
    written
}

/// A new file under a name of its own.
fn new_file(folder: &Dir, name: &OsStr, mode: u32) -> io::Result<(String, cap_std::fs::File)> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(mode);
    let mut taken = io::Error::from(io::ErrorKind::AlreadyExists);
    for _ in 0..TRIES {
        let random = RandomState::new().build_hasher().finish();
        let staged = format!(".{}.skillful-{random:016x}", name.to_string_lossy());
        match folder.open_with(&staged, &options) {
            Ok(file) => return Ok((staged, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => taken = error,
            Err(error) => return Err(error),
        }
    }
    Err(taken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        fs,
        os::unix::fs::{PermissionsExt as _, symlink},
    };

    #[test]
    fn a_file_is_replaced_with_its_permissions_and_nothing_is_left_beside_it() {
        let top = tempfile::tempdir().unwrap();
        let (file, link) = (top.path().join("a"), top.path().join("b"));
        replace(&file, b"one", 0o600, None).unwrap();
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o750)).unwrap();
        symlink("a", &link).unwrap();
        replace(&link, b"two", 0o600, None).unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"two");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o750);
        assert_eq!(fs::read_dir(top.path()).unwrap().count(), 2);
    }

    #[test]
    fn nothing_is_written_outside_of_the_boundary_or_over_what_is_not_a_file() {
        let top = tempfile::tempdir().unwrap();
        let (inside, outside) = (top.path().join("in"), top.path().join("out"));
        fs::create_dir_all(inside.join("folder")).unwrap();
        fs::create_dir_all(&outside).unwrap();
        fs::write(outside.join("kept"), "kept").unwrap();
        symlink(outside.join("kept"), inside.join("link")).unwrap();
        symlink(&outside, inside.join("away")).unwrap();
        symlink(outside.join("new"), inside.join("dangling")).unwrap();
        let within = Boundary::of(&inside);
        for name in ["link", "away/new", "away/kept", "dangling", "folder"] {
            assert!(replace(&inside.join(name), b"x", 0o644, Some(&within)).is_err(), "{name}");
        }
        assert_eq!(fs::read(outside.join("kept")).unwrap(), b"kept");
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
        replace(&inside.join("plain"), b"x", 0o644, Some(&within)).unwrap();
    }
}
