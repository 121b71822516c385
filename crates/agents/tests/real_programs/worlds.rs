//! The recorded folder trees, how they become files, and what differs in them.

use crate::answers::SeenByProgram;
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

/// The folder of skills that every world uses, unless its question is which folders are read.
const SHARED: &str = ".agents/skills";

#[derive(Clone)]
enum Content {
    Bytes(Vec<u8>),
    Text(String),
    Link(String),
}

/// Paths in the order in which they are written: of two with the same path the last one counts.
type Files = Vec<(String, Content)>;

/// One question inside a world.
#[derive(Clone)]
pub(crate) struct Case {
    pub(crate) name: String,
    files: Files,
    paths: BTreeSet<String>,
    /// The folder for the reference validator.
    pub(crate) spec: Option<String>,
    /// Programs that pick one of several files at random: only names are compared.
    any_of: Vec<String>,
}

/// A home, a project and a working folder.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) cwd: String,
    pub(crate) name: String,
    files: Files,
    pub(crate) cases: Vec<Case>,
    /// Whether the program does not start here, and so offers nothing.
    pub(crate) refuses: bool,
    /// Whether the question is what the model of the program is shown.
    pub(crate) menu: bool,
    own_roots: bool,
}

/// A world on the disk.
pub(crate) struct Built {
    /// Its real path.
    pub(crate) at: PathBuf,
    _folder: TempDir,
}

impl Built {
    /// A path inside of the world.
    pub(crate) fn short(&self, path: &Path) -> String {
        path.strip_prefix(&self.at).unwrap_or(path).to_string_lossy().into_owned()
    }
}

/// The values of a file with one on each line.
pub(crate) fn lines(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    text.split('\n').filter(|line| !line.is_empty()).map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Rows as they are, and those of a series, which differ by a number that counts up.
pub(crate) fn rows(values: &[Value]) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    for value in values {
        if let Some(row) = value.as_array() {
            rows.push(row.clone());
            continue;
        }
        let number = |key: &str| usize::try_from(value[key].as_u64().unwrap()).unwrap();
        let (first, width) = (number("first"), number("width"));
        for at in first..first + number("count") {
            let text = format!("{at:0width$}");
            let filled = |one: &Value| match one.as_str() {
                Some(words) => Value::String(words.replace("{NUMBER}", &text)),
                None => one.clone(),
            };
            rows.push(value["rows"].as_array().unwrap().iter().map(filled).collect());
        }
    }
    rows
}

fn content(value: &Value) -> Content {
    if let Some(text) = value.as_str() {
        return Content::Text(text.to_owned());
    }
    if let Some(target) = value["link"].as_str() {
        return Content::Link(target.to_owned());
    }
    if let Some(digits) = value["hex"].as_str() {
        let byte = |at: usize| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).unwrap();
        return Content::Bytes((0..digits.len() / 2).map(byte).collect());
    }
    let part =
        |part: &Value| part[0].as_str().unwrap().repeat(usize::try_from(part[1].as_u64().unwrap()).unwrap());
    Content::Text(value["parts"].as_array().unwrap().iter().map(part).collect())
}

fn files(value: &Value) -> Files {
    let rows = rows(value.as_array().unwrap());
    rows.iter().map(|row| (row[0].as_str().unwrap().to_owned(), content(&row[1]))).collect()
}

fn case(value: &Value) -> Case {
    let any_of = value["any_of"].as_array().into_iter().flatten();
    let files = files(&value["files"]);
    Case {
        name: value["case"].as_str().unwrap().to_owned(),
        paths: files.iter().map(|(path, _)| path.clone()).collect(),
        files,
        spec: value["spec"].as_str().map(str::to_owned),
        any_of: any_of.map(|peer| peer.as_str().unwrap().to_owned()).collect(),
    }
}

/// All worlds by name.
pub(crate) fn read(folder: &Path) -> BTreeMap<String, World> {
    let world = |line: &Value| {
        let mark = |name: &str| line[name] == Value::Bool(true);
        let name = line["world"].as_str().unwrap().to_owned();
        let world = World {
            cwd: line["cwd"].as_str().unwrap().to_owned(),
            name: name.clone(),
            files: files(&line["files"]),
            cases: line["cases"].as_array().unwrap().iter().map(case).collect(),
            refuses: mark("refuses"),
            menu: mark("menu"),
            own_roots: mark("own_roots"),
        };
        (name, world)
    };
    lines(&folder.join("recorded/worlds.jsonl")).iter().map(world).collect()
}

impl World {
    /// The same world with its skills in another folder, for a program that does not read the shared one.
    pub(crate) fn for_root(&self, root: Option<&str>) -> Self {
        let mut world = self.clone();
        let Some(root) = root.filter(|_| !self.own_roots) else { return world };
        let all = world.cases.iter_mut().map(|case| &mut case.files).chain([&mut world.files]);
        for (path, content) in all.flatten() {
            *path = path.replace(SHARED, root);
            if let Content::Link(target) = content {
                *target = target.replace(SHARED, root);
            }
        }
        for case in &mut world.cases {
            case.paths = case.files.iter().map(|(path, _)| path.clone()).collect();
        }
        world
    }

    /// Writes the world to a folder of its own.
    pub(crate) fn build(&self) -> Built {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().canonicalize().unwrap();
        for (path, content) in self.files.iter().chain(self.cases.iter().flat_map(|case| &case.files)) {
            let path = at.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            match content {
                Content::Link(target) => symlink(target, &path).unwrap(),
                Content::Bytes(bytes) => fs::write(&path, bytes).unwrap(),
                Content::Text(text) => {
                    fs::write(&path, text.replace("{WORLD}", &at.to_string_lossy())).unwrap();
                }
            }
        }
        for part in ["home", "work", &self.cwd] {
            fs::create_dir_all(at.join(part)).unwrap();
        }
        Built { at, _folder: folder }
    }

    /// The case that a path belongs to: it is one of its files, or lies below one.
    fn case_of(&self, path: &str) -> Option<&Case> {
        let parts: Vec<&str> = Path::new(path).ancestors().filter_map(Path::to_str).collect();
        self.cases.iter().find(|case| parts.iter().any(|part| case.paths.contains(*part)))
    }
}

/// What differs in a world, by its name and the case; skills outside of every case are `(strays)`.
pub(crate) fn differences(
    world: &World,
    peer: &str,
    theirs: &BTreeSet<SeenByProgram>,
    ours: &BTreeSet<SeenByProgram>,
) -> BTreeMap<(String, String), String> {
    let mut cases: BTreeMap<Option<&str>, [BTreeSet<&SeenByProgram>; 2]> = BTreeMap::new();
    for (side, seen) in [theirs, ours].into_iter().enumerate() {
        for one in seen {
            let case = world.case_of(&one.path).map(|case| case.name.as_str());
            cases.entry(case).or_default()[side].insert(one);
        }
    }
    let mut found = BTreeMap::new();
    for (name, [theirs, ours]) in cases {
        let any = world
            .cases
            .iter()
            .any(|case| Some(case.name.as_str()) == name && case.any_of.iter().any(|other| other == peer));
        let names = |seen: &BTreeSet<&SeenByProgram>| {
            seen.iter().map(|one| one.name.clone()).collect::<BTreeSet<_>>()
        };
        let is_equal = name.is_some() && if any { names(&theirs) == names(&ours) } else { theirs == ours };
        if is_equal {
            continue;
        }
        let only = |one: &BTreeSet<&SeenByProgram>, other: &BTreeSet<&SeenByProgram>| {
            one.difference(other).take(4).map(|seen| format!("{seen:?}")).collect::<Vec<_>>().join(", ")
        };
        let words = format!("only {peer}: {}; only ours: {}", only(&theirs, &ours), only(&ours, &theirs));
        found.insert((world.name.clone(), name.unwrap_or("(strays)").to_owned()), words);
    }
    found
}
