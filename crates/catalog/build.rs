//! Embeds `hosts/*.toml` and `skills/**`, sorted, so that adding a host is adding a file.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../..");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());

    let hosts = files_below(&root.join("hosts"))?;
    let mut code =
        String::from("/// Every embedded host file by its id.\nstatic EMBEDDED: &[(&str, &str)] = &[\n");
    for file in hosts.iter().filter(|file| file.extension().is_some_and(|e| e == "toml")) {
        let id = file.file_stem().unwrap_or_default().to_string_lossy();
        code.push_str(&format!("    ({id:?}, include_str!({:?})),\n", file.canonicalize()?));
    }
    code.push_str("];\n");
    fs::write(out.join("hosts.rs"), code)?;

    let base = root.join("skills");
    let mut code = String::from(
        "/// Every file of the system skills by its path.\nstatic EMBEDDED: &[(&str, &[u8])] = &[\n",
    );
    for file in files_below(&base)? {
        let path = file.strip_prefix(&base).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        code.push_str(&format!("    ({path:?}, include_bytes!({:?})),\n", file.canonicalize()?));
    }
    code.push_str("];\n");
    fs::write(out.join("skills.rs"), code)
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
