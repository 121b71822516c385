//! `cargo xtask package`: packages every crate that is published, and builds each from its package alone, so that
//! nothing that it reads at build time is outside of it. The crates find each other in a registry that Cargo makes for
//! this run. The working tree has to be committed; `--allow-dirty` and other options of `cargo package` are passed on.

use std::{fs, io, path::Path, process::Command};
use toml::{Table, Value};

/// Built here and removed afterwards: the builds share little with those of the workspace.
const TARGET: &str = "target/package-check";
/// Most keywords that a registry takes, and most characters of one.
const KEYWORDS: (usize, usize) = (5, 20);

/// Packages and verifies every published crate, and names them.
pub(crate) fn run(root: &Path, arguments: &[String]) -> io::Result<()> {
    let crates = published(root)?;
    let faults: Vec<String> = crates.iter().flat_map(|one| one.faults(root)).collect();
    if !faults.is_empty() {
        return Err(io::Error::other(faults.join("\n")));
    }
    let mut command = Command::new("cargo");
    command.args(["package", "--locked"]).args(arguments).current_dir(root);
    for one in &crates {
        command.args(["--package", &one.name]);
    }
    // Nothing of it is debugged or built again.
    command
        .env("CARGO_TARGET_DIR", root.join(TARGET))
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .env("CARGO_INCREMENTAL", "0");
    let status = command.status()?;
    fs::remove_dir_all(root.join(TARGET))?;
    if !status.success() {
        return Err(io::Error::other(format!("cargo package ended with {status}")));
    }
    for one in &crates {
        eprintln!("packaged: {}", one.name);
    }
    Ok(())
}

/// A crate that is published.
struct Published {
    name: String,
    /// Its folder, below the root of the workspace.
    folder: String,
    package: Table,
}

impl Published {
    /// What its manifest lacks.
    fn faults(&self, root: &Path) -> Vec<String> {
        let text = |key: &str| self.package.get(key).and_then(Value::as_str).unwrap_or_default();
        let is_inherited = |key: &str| {
            let value = self.package.get(key).and_then(Value::as_table);
            value.and_then(|value| value.get("workspace")).and_then(Value::as_bool) == Some(true)
        };
        let mut faults = Vec::new();
        if text("description").is_empty() {
            faults.push("has no description".to_owned());
        }
        for key in ["version", "edition", "rust-version", "license", "repository"] {
            if !is_inherited(key) {
                faults.push(format!("does not take its `{key}` from the workspace"));
            }
        }
        if text("readme").is_empty() || !root.join(&self.folder).join(text("readme")).is_file() {
            faults.push("has no README".to_owned());
        }
        let keywords = self.package.get("keywords").and_then(Value::as_array).cloned().unwrap_or_default();
        let fits = |word: &Value| word.as_str().is_some_and(|word| (1..=KEYWORDS.1).contains(&word.len()));
        if !(1..=KEYWORDS.0).contains(&keywords.len()) || !keywords.iter().all(fits) {
            faults.push(format!("needs 1 to {} keywords of at most {} letters", KEYWORDS.0, KEYWORDS.1));
        }
        faults.into_iter().map(|fault| format!("{}/Cargo.toml: {} {fault}", self.folder, self.name)).collect()
    }
}

/// The crates of the workspace that do not say `publish = false`, by name.
fn published(root: &Path) -> io::Result<Vec<Published>> {
    let mut crates = Vec::new();
    for entry in fs::read_dir(root.join("crates"))? {
        let folder = format!("crates/{}", entry?.file_name().to_string_lossy());
        let file = root.join(&folder).join("Cargo.toml");
        let text = fs::read_to_string(&file)?;
        let wrong = |why: String| io::Error::other(format!("{}: {why}", file.display()));
        let manifest: Table = toml::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        let package = manifest.get("package").and_then(Value::as_table).cloned();
        let package = package.ok_or_else(|| wrong("no [package]".to_owned()))?;
        let name = package.get("name").and_then(Value::as_str).map(str::to_owned);
        let name = name.ok_or_else(|| wrong("no name".to_owned()))?;
        if package.get("publish").and_then(Value::as_bool) != Some(false) {
            crates.push(Published { name, folder, package });
        }
    }
    crates.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(crates)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    #[test]
    fn every_published_crate_has_what_a_registry_shows_of_it() {
        let root = crate::root();
        let crates = published(&root).expect("the manifests");
        let faults: Vec<String> = crates.iter().flat_map(|one| one.faults(&root)).collect();
        assert!(faults.is_empty(), "{}", faults.join("\n"));
        let names: Vec<&str> = crates.iter().map(|one| one.name.as_str()).collect();
        assert!(names.contains(&"skillful") && !names.contains(&"skillful-testkit"), "{names:?}");
    }

    /// Paths of files that a source reads when it is compiled, as they are written.
    fn included(source: &str) -> Vec<&str> {
        let mut found = Vec::new();
        for call in ["include_str!(", "include_bytes!(", "include!("] {
            for rest in source.split(call).skip(1) {
                let argument = rest.trim_start().trim_start_matches("concat!(").trim_start();
                found.extend(argument.strip_prefix('"').and_then(|text| text.split('"').next()));
            }
        }
        found
    }

    /// The source and the build script of a crate: what `cargo package` compiles.
    fn compiled(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            let is_test = path.file_stem().is_some_and(|name| name == "tests");
            if path.is_dir() && !is_test {
                compiled(&path, found);
            } else if path.extension().is_some_and(|ending| ending == "rs") && !is_test {
                found.push(path);
            }
        }
    }

    #[test]
    fn no_published_crate_reads_a_file_outside_of_its_package_when_it_is_built() {
        let root = crate::root();
        let mut files = 0;
        for one in published(&root).expect("the manifests") {
            let folder = root.join(&one.folder).canonicalize().expect("its folder");
            let mut sources = Vec::new();
            compiled(&folder.join("src"), &mut sources);
            sources.extend(Some(folder.join("build.rs")).filter(|script| script.is_file()));
            for source in sources {
                let text = fs::read_to_string(&source).expect("a source");
                if source.ends_with("build.rs") {
                    assert!(!text.contains("\"..") && !text.contains("../"), "{}", source.display());
                }
                for path in included(&text).into_iter().filter(|path| !path.ends_with('/')) {
                    let read = source.parent().expect("a folder").join(path).canonicalize();
                    let read = read.unwrap_or_else(|error| panic!("{}: {path}: {error}", source.display()));
                    assert!(read.starts_with(&folder), "{}: {path}", source.display());
                    files += 1;
                }
            }
        }
        assert!(files > 30, "{files}");
    }

    #[test]
    fn a_crate_without_them_is_a_fault() {
        let root = crate::root();
        let mut one = published(&root).expect("the manifests").remove(0);
        assert!(one.faults(&root).is_empty());
        for key in ["description", "readme", "keywords", "repository"] {
            let kept = one.package.remove(key).expect("the key");
            assert_eq!(one.faults(&root).len(), 1, "without {key}");
            one.package.insert(key.to_owned(), kept);
        }
        let many = Value::Array(vec![Value::from("word"); KEYWORDS.0 + 1]);
        one.package.insert("keywords".to_owned(), many);
        assert_eq!(one.faults(&root).len(), 1, "with too many keywords");
    }
}
