//! The floor under a warm list: stats every path of a list ended by NUL bytes, and nothing else.

use std::{
    ffi::OsStr,
    fs,
    io::{self, Read},
    os::unix::ffi::OsStrExt,
};

fn main() -> io::Result<()> {
    let mut list = Vec::new();
    io::stdin().read_to_end(&mut list)?;
    let mut bytes = 0;
    for path in list.split(|byte| *byte == 0).filter(|path| !path.is_empty()) {
        bytes += fs::metadata(OsStr::from_bytes(path))?.len();
    }
    println!("{bytes}");
    Ok(())
}
