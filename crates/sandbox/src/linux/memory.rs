//! Bytes handed to a child as a file that is only in memory and cannot be changed any more.

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
use std::{
    fs::File,
    io::{self, Seek, Write},
};

/// A sealed file of these bytes, at its beginning. A file instead of a pipe: nobody has to feed it, so a child
/// that does not read can block nobody.
pub(crate) fn sealed(bytes: &[u8]) -> io::Result<File> {
    let fd = memfd_create(c"sandbox", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
    let mut file = File::from(fd);
    file.write_all(bytes)?;
    file.rewind()?;
    fcntl_add_seals(&file, SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL)?;
    Ok(file)
}
