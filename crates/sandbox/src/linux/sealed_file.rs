//! Passes bytes to a child process in a sealed memory file.

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
use std::{
    fs::File,
    io::{self, Seek, Write},
};

/// Makes a sealed file with these bytes, positioned at its start. It is a file and not a pipe, so that
/// nothing blocks when the child does not read.
pub(crate) fn sealed(bytes: &[u8]) -> io::Result<File> {
    let fd = memfd_create(c"sandbox", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
    let mut file = File::from(fd);
    file.write_all(bytes)?;
    file.rewind()?;
    fcntl_add_seals(&file, SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL)?;
    Ok(file)
}
