//! A small world in a temporary folder: a home, a repository, two made-up agents.

use skillful_catalog::{
    AgentProfiles, Approvals, Catalog, Entry, Environment, Inputs, Placement, Principal, Settings,
    TrustStore,
    approvals::files_of,
    capability::capabilities,
    catalog::trust_key,
    gate::{Caller, Status, gate},
    settings::TrustMode,
    trust::TrustedFiles,
};
use skillful_format::{Code, Diagnostic};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, SystemTime},
};
use tempfile::TempDir;

/// Reads its own folders, the shared ones, and commands, in every folder of a repository.
const ALPHA: &str = r#"
id = "alpha"
title = "Alpha"
aliases = ["a"]
evidence = "folders"
[[root]]
scope = "project"
path = ".alpha/skills"
walk = "up"
[[root]]
scope = "project"
path = ".agents/skills"
walk = "up"
[[root]]
scope = "project"
path = ".alpha/commands"
walk = "up"
kind = "commands"
[[root]]
scope = "user"
path = "~/.alpha/skills"
[[root]]
scope = "user"
path = "~/.agents/skills"
[[root]]
scope = "user"
path = "~/.alpha/commands"
kind = "commands"
"#;

/// Shares one folder with the other agent and looks only where it stands.
const BETA: &str = r#"
id = "beta"
title = "Beta"
evidence = "folders"
[[root]]
scope = "project"
path = ".beta/skills"
[[root]]
scope = "project"
path = ".agents/skills"
walk = "up"
[[root]]
scope = "user"
path = "~/.beta/skills"
[[root]]
scope = "user"
path = "~/.beta/labs"
opt_in = true
"#;

/// A machine with one user and one repository, `repo`.
pub(crate) struct World {
    folder: TempDir,
    pub(crate) agents: AgentProfiles,
    pub(crate) environment: Environment,
    pub(crate) settings: Settings,
    pub(crate) trust: TrustStore,
    pub(crate) approvals: Arc<Approvals>,
}

impl World {
    /// An empty home, and the working folder in a repository that counts as trusted.
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let at = folder.path().canonicalize().unwrap();
        fs::create_dir_all(at.join("home")).unwrap();
        fs::create_dir_all(at.join("repo/.git")).unwrap();
        let mut agents = AgentProfiles::default();
        agents.add(ALPHA).unwrap();
        agents.add(BETA).unwrap();
        let environment = Environment {
            cwd: at.join("repo"),
            home: at.join("home"),
            system: "linux".to_owned(),
            ..Environment::default()
        };
        let settings = Settings { trust: TrustMode::All, ..Settings::default() };
        Self {
            folder,
            agents,
            environment,
            settings,
            trust: TrustStore::default(),
            approvals: Arc::default(),
        }
    }

    /// The same, where the user trusts nothing.
    pub(crate) fn untrusting() -> Self {
        let mut world = Self::new();
        world.settings.trust = TrustMode::Ask;
        world
    }

    /// With these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let world = Self::new();
        world.tree(files);
        world
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    /// Writes files and the folders above them.
    pub(crate) fn tree(&self, files: &[(&str, &str)]) {
        for (path, content) in files {
            self.file(path, content);
        }
    }

    pub(crate) fn file(&self, path: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn folder(&self, path: &str) -> PathBuf {
        let path = self.path(path);
        fs::create_dir_all(&path).unwrap();
        path
    }

    /// Makes `path` a link. A target that starts with a dot or a slash is taken as written, any
    /// other is a path of this world.
    pub(crate) fn link(&self, path: &str, target: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let target = if target.starts_with(['.', '/']) { PathBuf::from(target) } else { self.path(target) };
        std::os::unix::fs::symlink(target, path).unwrap();
    }

    pub(crate) fn remove(&self, path: &str) {
        let path = self.path(path);
        if path.symlink_metadata().unwrap().is_dir() {
            fs::remove_dir_all(path).unwrap();
        } else {
            fs::remove_file(path).unwrap();
        }
    }

    /// A skill `name` in a folder of skills, described by where it lies.
    pub(crate) fn skill(&self, root: &str, name: &str) -> PathBuf {
        self.file(&format!("{root}/{name}/SKILL.md"), skill(name, root))
    }

    pub(crate) fn inputs(&self) -> Inputs<'_> {
        Inputs {
            agents: &self.agents,
            environment: &self.environment,
            settings: &self.settings,
            trust: &self.trust,
            approvals: &self.approvals,
        }
    }

    pub(crate) fn build(&self) -> Catalog {
        Catalog::build(self.inputs())
    }

    /// Keeps a memory, and lets every stamp count as settled: as if the folders had been left alone
    /// for a while before each look.
    pub(crate) fn keep_memory(&mut self) {
        self.settings.cache = Some(self.path("cache"));
        self.settings.now = Some(SystemTime::now() + Duration::from_mins(1));
    }

    /// Does what `skillful trust` does in a folder.
    pub(crate) fn trust(&mut self, folder: &str) {
        let folder = self.path(folder).canonicalize().unwrap();
        let before = std::mem::replace(&mut self.environment.cwd, folder.clone());
        let catalog = self.build();
        self.environment.cwd = before;
        let skills = catalog
            .entries
            .iter()
            .filter(|entry| catalog.roots[entry.origin.root].needs_trust.is_some())
            .map(|entry| {
                let files = TrustedFiles { tree: files_of(entry).unwrap(), can: capabilities(entry) };
                (trust_key(&folder, entry), files)
            })
            .collect::<BTreeMap<String, TrustedFiles>>();
        let mut approvals = Approvals::clone(&self.approvals);
        approvals.approve(skills.values().map(|files| files.tree));
        self.approvals = Arc::new(approvals);
        self.trust.trust(folder, skills);
    }

    /// A path as this world spells it.
    pub(crate) fn short(&self, path: &Path) -> String {
        path.strip_prefix(self.path("")).unwrap_or(path).display().to_string()
    }

    /// Every entry as `address state file`, in order.
    pub(crate) fn list(&self) -> Vec<String> {
        let catalog = self.build();
        catalog.entries.iter().map(|entry| self.line(entry)).collect()
    }

    pub(crate) fn line(&self, entry: &Entry) -> String {
        format!("{} {} {}", entry.address(), entry.placement.word(), self.short(&entry.origin.file))
    }

    /// The file of the entry that is in use under an address.
    pub(crate) fn winner(&self, address: &str) -> String {
        let catalog = self.build();
        let ready: Vec<_> =
            catalog.called(address).filter(|(_, entry)| entry.placement == Placement::Active).collect();
        assert_eq!(ready.len(), 1, "`{address}` has one winner in {:?}", self.list());
        self.short(&ready[0].1.origin.file)
    }

    /// The addresses that the gate offers to a caller.
    pub(crate) fn offered(&self, caller: Caller) -> Vec<String> {
        let catalog = self.build();
        let anyone = Principal::default();
        let through = |entry: &&Entry| {
            gate(&catalog, entry, &anyone, &self.environment, caller).status == Status::Available
        };
        catalog.entries.iter().filter(through).map(Entry::address).collect()
    }
}

/// The text of a skill.
pub(crate) fn skill(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\nDo it.\n")
}

/// The text of a skill with further lines in its frontmatter.
pub(crate) fn skill_with(name: &str, header: &str) -> String {
    format!("---\nname: {name}\ndescription: for tests\n{header}\n---\nDo it.\n")
}

/// The state of the only entry of an address.
pub(crate) fn only<'a>(catalog: &'a Catalog, address: &str) -> &'a Entry {
    let found: Vec<_> = catalog.called(address).collect();
    assert_eq!(found.len(), 1, "one entry is called `{address}`");
    found[0].1
}

/// Every diagnostic of the catalog and of its skills.
pub(crate) fn told(catalog: &Catalog) -> Vec<&Diagnostic> {
    let own = catalog.entries.iter().flat_map(|entry| &entry.loaded.diagnostics);
    catalog.diagnostics.iter().chain(own).collect()
}

/// The findings of one kind.
pub(crate) fn told_of(catalog: &Catalog, code: Code) -> Vec<&Diagnostic> {
    told(catalog).into_iter().filter(|diagnostic| diagnostic.code == code).collect()
}

/// Waits until the file system's clock has moved, so that the next change has a stamp of its own.
pub(crate) fn tick() {
    use std::os::unix::fs::MetadataExt;
    let file = tempfile::NamedTempFile::new().unwrap();
    let stamp = |file: &tempfile::NamedTempFile| {
        fs::write(file.path(), "x").unwrap();
        let meta = file.path().metadata().unwrap();
        (meta.ctime(), meta.ctime_nsec())
    };
    let first = stamp(&file);
    while stamp(&file) == first {
        std::thread::yield_now();
    }
}
