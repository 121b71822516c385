//! Embeds `hosts/*.toml` and `skills/**`, sorted, so that adding a host is adding a file.

use std::{
    env,
    ffi::OsStr,
    fmt::Write,
    fs, io,
    path::{Path, PathBuf},
};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../..");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());

    let mut hosts = files_below(&root.join("hosts"))?;
    // By id: `a-b.toml` comes before `a.toml`, but `a` before `a-b`.
    hosts.sort_by_key(|file| file.file_stem().map(OsStr::to_os_string));
    let mut code =
        String::from("/// Every embedded host file by its id.\nstatic EMBEDDED: &[(&str, &str)] = &[\n");
    for file in hosts.iter().filter(|file| file.extension().is_some_and(|e| e == "toml")) {
        let id = file.file_stem().unwrap_or_default().to_string_lossy();
        let file = file.canonicalize()?;
        writeln!(code, "    ({id:?}, include_str!({:?})),", file.to_string_lossy())
            .map_err(io::Error::other)?;
    }
    code.push_str("];\n");
    fs::write(out.join("hosts.rs"), code)?;

    let base = root.join("skills");
    let mut code = String::from(
        "/// Every file of the system skills by its path.\nstatic EMBEDDED: &[(&str, &[u8])] = &[\n",
    );
    for file in files_below(&base)? {
        let path = file.strip_prefix(&base).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        let file = file.canonicalize()?;
        writeln!(code, "    ({path:?}, include_bytes!({:?})),", file.to_string_lossy())
            .map_err(io::Error::other)?;
    }
    code.push_str("];\n");
    fs::write(out.join("skills.rs"), code)?;

    // What a cache remembers is what this very code made of a file.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for sources in ["crates/catalog/src", "crates/format/src"] {
        for file in files_below(&root.join(sources))? {
            for byte in fs::read(file)? {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
        }
    }
    println!("cargo::rustc-env=SKILLFUL_SOURCES={hash:016x}");
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
