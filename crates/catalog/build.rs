//! Embeds `skills/**` and its digest, and hashes this crate's sources so that a cache file made by other code is never read.

use sha2::{Digest, Sha256};
use std::{
    env,
    fmt::Write,
    fs, io,
    path::{Path, PathBuf},
};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());

    let base = root.join("skills");
    let mut digest = Sha256::new();
    let mut code = String::from(
        "/// Every file of the system skills by its path.\nstatic EMBEDDED: &[(&str, &[u8])] = &[\n",
    );
    for file in files_below(&base)? {
        let path = file.strip_prefix(&base).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        let file = file.canonicalize()?;
        let bytes = fs::read(&file)?;
        for part in [path.as_bytes(), &bytes] {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part);
        }
        writeln!(code, "    ({path:?}, include_bytes!({:?})),", file.to_string_lossy())
            .map_err(io::Error::other)?;
    }
    code.push_str("];\n");
    let name: String = digest.finalize()[..6].iter().map(|byte| format!("{byte:02x}")).collect();
    writeln!(code, "/// Digest of everything shipped.\nconst FINGERPRINT: &str = {name:?};")
        .map_err(io::Error::other)?;
    fs::write(out.join("skills.rs"), code)?;

    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for file in files_below(&root.join("src"))? {
        for byte in fs::read(file)? {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    println!("cargo::rustc-env=SOURCES_HASH={hash:016x}");
    Ok(())
}

fn files_below(folder: &Path) -> io::Result<Vec<PathBuf>> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files_below(&path)?);
        } else {
            println!("cargo::rerun-if-changed={}", path.display());
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
