//! Embeds `agents/*.toml`, sorted by id, so that a new agent needs only a new file.

use std::{
    env,
    ffi::OsStr,
    fmt::Write,
    fs, io,
    path::{Path, PathBuf},
};

fn main() -> io::Result<()> {
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("agents");
    let mut files = profiles_in(&folder)?;
    // Sort by id: `a-b.toml` comes before `a.toml`, but `a` before `a-b`.
    files.sort_by_key(|file| file.file_stem().map(OsStr::to_os_string));
    let mut code =
        String::from("/// Every embedded agent profile by its id.\nstatic EMBEDDED: &[(&str, &str)] = &[\n");
    for file in &files {
        let id = file.file_stem().unwrap_or_default().to_string_lossy();
        writeln!(code, "    ({id:?}, include_str!({:?})),", file.to_string_lossy())
            .map_err(io::Error::other)?;
    }
    code.push_str("];\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("profiles.rs"), code)
}

fn profiles_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let entries = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let files = entries.collect::<io::Result<Vec<_>>>()?;
    Ok(files.into_iter().filter(|file| file.extension().is_some_and(|ending| ending == "toml")).collect())
}
