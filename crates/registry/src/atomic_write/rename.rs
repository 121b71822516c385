//! Names that change in one instant: to one that is free, or with another.

use cap_std::fs::Dir;
use std::io;

/// A name in a folder.
pub(crate) type Name<'a> = (&'a Dir, &'a str);

#[cfg(target_os = "linux")]
fn renamed(from: Name<'_>, to: Name<'_>, flags: rustix::fs::RenameFlags) -> io::Result<bool> {
    use rustix::io::Errno;
    match rustix::fs::renameat_with(from.0, from.1, to.0, to.1, flags) {
        Ok(()) => Ok(true),
        // Some file systems know neither flag.
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

pub(super) fn rename_new(from: Name<'_>, to: Name<'_>) -> io::Result<bool> {
    #[cfg(target_os = "linux")]
    match renamed(from, to, rustix::fs::RenameFlags::NOREPLACE) {
        Ok(true) => return Ok(true),
        Ok(false) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
        Err(error) => return Err(error),
    }
    if to.0.symlink_metadata(to.1).is_ok() {
        return Ok(false);
    }
    from.0.rename(from.1, to.0, to.1).map(|()| true)
}

pub(super) fn exchange(from: Name<'_>, to: Name<'_>) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    if renamed(from, to, rustix::fs::RenameFlags::EXCHANGE)? {
        return Ok(());
    }
    let between = super::temporary_name()?;
    to.0.rename(to.1, from.0, &between)?;
    if let Err(error) = from.0.rename(from.1, to.0, to.1) {
        from.0.rename(&between, to.0, to.1)?;
        return Err(error);
    }
    from.0.rename(&between, from.0, from.1)
}
