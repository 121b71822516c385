//! Reads `agents/*.toml` and embeds each profile as postcard, sorted by id: a new agent needs only a new file, a profile that
//! cannot be read fails the build, and the program parses no TOML when it starts.

use std::{
    env,
    ffi::OsStr,
    fmt::Write,
    fs, io,
    path::{Path, PathBuf},
};

#[path = "src/rules/mod.rs"]
#[expect(
    dead_code,
    unused_imports,
    unreachable_pub,
    reason = "only reading and writing a profile is needed here"
)]
mod rules;

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/rules");
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("agents");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let mut files = profiles_in(&folder)?;
    // Sort by id: `a-b.toml` comes before `a.toml`, but `a` before `a-b`.
    files.sort_by_key(|file| file.file_stem().map(OsStr::to_os_string));
    let mut code =
        String::from("/// Every embedded agent profile by its id.\nstatic EMBEDDED: &[(&str, &[u8])] = &[\n");
    for file in &files {
        let id = file.file_stem().unwrap_or_default().to_string_lossy();
        let profile =
            packed(file, &id).map_err(|why| io::Error::other(format!("{}: {why}", file.display())))?;
        let at = out.join(format!("{id}.profile"));
        fs::write(&at, profile)?;
        writeln!(code, "    ({id:?}, include_bytes!({:?})),", at.to_string_lossy())
            .map_err(io::Error::other)?;
    }
    code.push_str("];\n");
    fs::write(out.join("profiles.rs"), code)
}

fn packed(file: &Path, id: &str) -> Result<Vec<u8>, String> {
    let text = fs::read_to_string(file).map_err(|error| error.to_string())?;
    let profile: rules::AgentProfile = toml::from_str(&text).map_err(|error| error.to_string())?;
    if let Some(fault) = profile.fault() {
        return Err(fault);
    }
    if profile.id != id {
        return Err(format!("the id is `{}`; the name of the file says `{id}`", profile.id));
    }
    postcard::to_stdvec(&profile).map_err(|error| error.to_string())
}

fn profiles_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let entries = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let files = entries.collect::<io::Result<Vec<_>>>()?;
    Ok(files.into_iter().filter(|file| file.extension().is_some_and(|ending| ending == "toml")).collect())
}
