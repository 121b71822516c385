//! Packages that are installed on this machine, found in the folders where installers put them. No program is run.
//!
//! A dependency is `name`, `name>=1.2,<2`, `pypi:name`, `npm:name@^1` or `@scope/name`. Without a prefix it is a Python
//! distribution or module. What cannot be understood counts as not installed.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

/// Entries of one folder that are looked at.
const ENTRIES: usize = 20_000;
/// Folders that are looked into.
const FOLDERS: usize = 64;
/// Bytes of a `package.json`.
const MANIFEST: u64 = 1 << 20;

/// What is installed: looked up when a skill first asks, and then once.
#[derive(Clone, Debug, Default)]
pub struct Packages {
    /// Folders with `lib/python3…` in them.
    prefixes: Vec<PathBuf>,
    /// Folders of Python packages that the user named.
    python: Vec<PathBuf>,
    node: Vec<PathBuf>,
    found: Arc<OnceLock<Distributions>>,
}

/// Python distributions by their normal name, each with its versions; modules beside them.
#[derive(Debug, Default)]
struct Distributions {
    versions: BTreeMap<String, Vec<String>>,
    modules: BTreeSet<String>,
}

impl Packages {
    /// The folders of a user: those of the programs on the search path, of the user's own installations and of an active
    /// virtual environment.
    pub fn of(variables: &BTreeMap<String, String>, home: &Path) -> Self {
        let list = |name: &str| -> Vec<PathBuf> {
            let text = variables.get(name).map(String::as_str).unwrap_or_default();
            std::env::split_paths(text).filter(|path| path.is_absolute()).collect()
        };
        let mut prefixes: Vec<PathBuf> = list("VIRTUAL_ENV");
        prefixes.extend(list("PATH").iter().filter_map(|folder| folder.parent().map(Path::to_path_buf)));
        prefixes.extend(["/usr", "/usr/local", "/opt/homebrew"].map(PathBuf::from));
        prefixes.push(home.join(".local"));
        prefixes.push(home.join(".npm-global"));
        let mut seen = BTreeSet::new();
        prefixes.retain(|prefix| seen.insert(prefix.clone()));
        prefixes.truncate(FOLDERS);
        let mut node = list("NODE_PATH");
        node.extend(prefixes.iter().map(|prefix| prefix.join("lib/node_modules")));
        Self { prefixes, python: list("PYTHONPATH"), node, found: Arc::default() }
    }

    /// Packages that are taken for installed, such as a test needs; each `name` or `name==version`.
    pub fn known<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut found = Distributions::default();
        for name in names {
            let (name, version) = name.split_once("==").unwrap_or((name, ""));
            found.versions.entry(normal(name)).or_default().push(version.to_owned());
        }
        Self { found: Arc::new(OnceLock::from(found)), ..Self::default() }
    }

    /// Whether a dependency is installed in a version that it allows.
    pub fn has(&self, dependency: &str) -> bool {
        // A condition such as `; python_version < "3.9"` cannot be judged without Python; the package is wanted.
        let text = dependency.split(';').next().unwrap_or_default().trim();
        if let Some(rest) = text.strip_prefix("npm:") {
            return self.has_node(rest);
        }
        if text.starts_with('@') {
            return self.has_node(text);
        }
        let text = text.strip_prefix("pypi:").or_else(|| text.strip_prefix("pip:")).unwrap_or(text);
        let end = text.find(['<', '>', '=', '!', '~', '[', ' ', '(']).unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        if name.is_empty() || name.contains([':', '/', '\\']) {
            return false;
        }
        let rest = rest.trim_start();
        // Extras are installed by the same installer and leave no mark of their own.
        let wanted =
            if rest.starts_with('[') { rest.split_once(']').map_or("?", |(_, rest)| rest) } else { rest };
        let wanted = wanted.trim().trim_start_matches('(').trim_end_matches(')').trim();
        let found = self.found.get_or_init(|| distributions(&self.python_folders()));
        let versions = found.versions.get(&normal(name));
        if wanted.is_empty() {
            return versions.is_some() || found.modules.contains(&name.replace('-', "_"));
        }
        versions.is_some_and(|versions| versions.iter().any(|version| fits(version, wanted)))
    }

    fn python_folders(&self) -> Vec<PathBuf> {
        let mut folders = self.python.clone();
        for lib in self.prefixes.iter().map(|prefix| prefix.join("lib")) {
            for name in subfolders(&lib).into_iter().filter(|name| name.starts_with("python3")) {
                let version = lib.join(name);
                folders.extend(["site-packages", "dist-packages"].map(|packages| version.join(packages)));
                // The standard library.
                folders.push(version);
            }
        }
        folders
    }

    fn has_node(&self, text: &str) -> bool {
        let at = text.get(1..).and_then(|rest| rest.find('@')).map(|at| at + 1);
        let (name, wanted) = at.map_or((text, ""), |at| (&text[..at], text[at + 1..].trim()));
        let plain = |part: &str| {
            !part.is_empty()
                && !part.starts_with('.')
                && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
        };
        let parts: Vec<&str> = name.strip_prefix('@').unwrap_or(name).split('/').collect();
        let sound =
            parts.iter().all(|part| plain(part)) && parts.len() == if name.starts_with('@') { 2 } else { 1 };
        sound && self.node.iter().any(|folder| installed_in(folder, name, wanted))
    }
}

fn installed_in(folder: &Path, name: &str, wanted: &str) -> bool {
    let manifest = folder.join(name).join("package.json");
    let Ok(text) = crate::bounded::read_text(&manifest, MANIFEST, None) else { return false };
    let Ok(json) = serde_json::from_str::<serde_json::Value>(&text) else { return false };
    let version = json["version"].as_str().unwrap_or_default();
    match wanted.strip_prefix('^').or_else(|| wanted.strip_prefix('~')) {
        _ if matches!(wanted, "" | "*" | "latest") => true,
        // A compatible version: not older, and of the same first part.
        Some(least) => fits(version, &format!(">={least}")) && first(version) == first(least),
        None if wanted.starts_with(|c: char| c.is_ascii_digit()) => fits(version, &format!("=={wanted}")),
        None => fits(version, wanted),
    }
}

fn first(version: &str) -> Option<&str> {
    version.split('.').next()
}

fn distributions(folders: &[PathBuf]) -> Distributions {
    let mut found = Distributions::default();
    for folder in folders {
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        for entry in entries.filter_map(Result::ok).take(ENTRIES) {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let metadata = name.strip_suffix(".dist-info").or_else(|| name.strip_suffix(".egg-info"));
            if let Some((package, version)) = metadata.and_then(|metadata| metadata.split_once('-')) {
                let version = version.split('-').next().unwrap_or_default().to_owned();
                found.versions.entry(normal(package)).or_default().push(version);
            } else if let Some(module) = name.strip_suffix(".py") {
                found.modules.insert(module.to_owned());
            } else if !name.contains('.') && entry.path().join("__init__.py").is_file() {
                found.modules.insert(name);
            }
        }
    }
    found
}

fn subfolders(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let names =
        entries.filter_map(Result::ok).take(ENTRIES).filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// Distributions are compared without case, and with `-`, `_` and `.` as one character.
fn normal(name: &str) -> String {
    let parts = name.split(['-', '_', '.']).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("-").to_ascii_lowercase()
}

/// Whether a version satisfies `>=1.2,<2`. A comparison that cannot be understood is not satisfied.
fn fits(version: &str, wanted: &str) -> bool {
    const SIGNS: [&str; 8] = ["===", "==", "!=", "~=", ">=", "<=", ">", "<"];
    wanted.split([',', ' ']).map(str::trim).filter(|part| !part.is_empty()).all(|part| {
        let Some((sign, than)) =
            SIGNS.iter().find_map(|sign| part.strip_prefix(sign).map(|than| (*sign, than.trim())))
        else {
            return false;
        };
        let (than, open) = than.strip_suffix(".*").map_or((than, false), |than| (than, true));
        let (Some(have), Some(than_parts)) = (numbers(version), numbers(than)) else { return false };
        let starts = have.iter().chain(std::iter::repeat(&0)).zip(&than_parts).all(|(a, b)| a == b);
        let order = compare(&have, &than_parts);
        match sign {
            "==" | "===" if open => starts,
            "!=" if open => !starts,
            "==" | "===" => order == Ordering::Equal,
            "!=" => order != Ordering::Equal,
            ">=" => order != Ordering::Less,
            "<=" => order != Ordering::Greater,
            ">" => order == Ordering::Greater,
            "<" => order == Ordering::Less,
            // `~=1.4.2` is at least that, and 1.4.
            _ => {
                let kept = &than_parts[..than_parts.len().saturating_sub(1)];
                than_parts.len() > 1
                    && order != Ordering::Less
                    && have.iter().chain(std::iter::repeat(&0)).zip(kept).all(|(a, b)| a == b)
            }
        }
    })
}

fn compare(a: &[u64], b: &[u64]) -> Ordering {
    let length = a.len().max(b.len());
    let part = |list: &[u64], at: usize| list.get(at).copied().unwrap_or_default();
    (0..length).map(|at| part(a, at).cmp(&part(b, at))).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

/// The numbers of a version; what follows them (`rc1`, `.post2`, `+local`) does not count.
fn numbers(version: &str) -> Option<Vec<u64>> {
    let version = version.trim_start_matches('v');
    let end = version.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(version.len());
    let numbers = version[..end].trim_end_matches('.').split('.').map(|part| part.parse().ok());
    numbers.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn versions_are_compared_by_their_numbers() {
        for (version, wanted, expected) in [
            ("2.0.1", ">=2", true),
            ("2.0.1", ">=2,<3", true),
            ("2.0.1", "<2", false),
            ("1.10", ">=1.9", true),
            ("1.0", "==1.0.0", true),
            ("1.4.9", "~=1.4.2", true),
            ("1.5.0", "~=1.4.2", false),
            ("1.4.9", "==1.4.*", true),
            ("1.5", "!=1.4.*", true),
            ("2.0rc1", ">=2", true),
            ("1.0", "nonsense", false),
            ("", ">=1", false),
            ("1.0", ">=x", false),
        ] {
            assert_eq!(fits(version, wanted), expected, "{version} {wanted}");
        }
    }

    #[test]
    fn packages_are_found_where_installers_put_them_and_anything_else_is_missing() {
        let top = tempfile::tempdir().unwrap();
        let lib = top.path().join("lib/python3.12/site-packages");
        fs::create_dir_all(lib.join("Py_YAML-6.0.1.dist-info")).unwrap();
        fs::create_dir_all(lib.join("yaml")).unwrap();
        fs::write(lib.join("yaml/__init__.py"), "").unwrap();
        fs::write(lib.join("six.py"), "").unwrap();
        fs::write(lib.join("old_one-1.2-py3.12.egg-info"), "").unwrap();
        fs::create_dir_all(top.path().join("lib/node_modules/@a/b")).unwrap();
        fs::write(top.path().join("lib/node_modules/@a/b/package.json"), r#"{"version": "3.1.0"}"#).unwrap();
        fs::create_dir_all(top.path().join("bin")).unwrap();
        let path = top.path().join("bin").display().to_string();
        let packages = Packages::of(&BTreeMap::from([("PATH".to_owned(), path)]), top.path());
        for (dependency, expected) in [
            ("py-yaml", true),
            ("PY.YAML>=6", true),
            ("py_yaml[extra]>=6,<7", true),
            ("py-yaml>=7", false),
            ("py-yaml (>=6)", true),
            ("yaml", true),
            ("yaml>=1", false),
            ("six", true),
            ("old-one==1.2", true),
            ("pypi:py-yaml", true),
            ("no-such-package-of-a-test>=2", false),
            ("no-such-package-of-a-test", false),
            ("npm:@a/b", true),
            ("@a/b@^3.0", true),
            ("@a/b@^4.0", false),
            ("npm:../../etc", false),
            ("cargo:serde", false),
            ("", false),
            ("py-yaml; python_version < '3'", true),
        ] {
            assert_eq!(packages.has(dependency), expected, "{dependency}");
        }
    }
}
