//! A library on disk and who uses it.

use skillful_catalog::{AgentProfiles, Catalog, Environment, Inputs, Principal, Settings, TrustStore};
use skillful_runtime::Engine;
use skillful_select::access::{Admitted, Asker, Way, admit};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

pub(crate) struct Library {
    pub(crate) home: tempfile::TempDir,
    pub(crate) settings: Settings,
    pub(crate) environment: Environment,
    pub(crate) principal: Principal,
    pub(crate) names: BTreeMap<String, String>,
}

impl Library {
    pub(crate) fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let base = home.path().canonicalize().unwrap();
        fs::create_dir_all(base.join("work/.git")).unwrap();
        let environment = Environment {
            cwd: base.join("work"),
            home: base,
            system: "linux".to_owned(),
            ..Environment::default()
        };
        let settings = Settings { system: false, ..Settings::default() };
        Self { home, settings, environment, principal: Principal::default(), names: BTreeMap::new() }
    }

    /// A skill of the user, with the lines of its frontmatter and its body.
    pub(crate) fn skill(self, name: &str, header: &str, body: &str) -> Self {
        let text = format!("---\nname: {name}\ndescription: About {name}.\n{header}\n---\n\n{body}\n");
        self.file(&format!(".agents/skills/{name}/SKILL.md"), &text)
    }

    /// A file below the home.
    pub(crate) fn file(self, path: &str, text: &str) -> Self {
        let file = self.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
        self
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.home.path().canonicalize().unwrap()
    }

    pub(crate) fn folder(&self, skill: &str) -> PathBuf {
        self.path().join(".agents/skills").join(skill)
    }

    pub(crate) fn catalog(&self) -> Catalog {
        self.with_inputs(Catalog::build)
    }

    pub(crate) fn with_inputs<T>(&self, work: impl FnOnce(Inputs<'_>) -> T) -> T {
        let (agents, trust) = (AgentProfiles::embedded(), TrustStore::default());
        work(Inputs {
            agents: &agents,
            environment: &self.environment,
            settings: &self.settings,
            trust: &trust,
        })
    }

    pub(crate) fn asker(&self) -> Asker<'_> {
        Asker::new(&self.principal, &self.environment)
    }

    pub(crate) fn engine<'a>(&'a self, catalog: &'a Catalog) -> Engine<'a> {
        Engine::new(catalog, self.asker(), &self.settings, &self.names)
    }

    /// A text with the home replaced.
    pub(crate) fn told(&self, text: &str) -> String {
        text.replace(&self.path().display().to_string(), "[HOME]")
    }
}

pub(crate) fn at(catalog: &Catalog, name: &str) -> usize {
    catalog.called(name).next().unwrap().0
}

pub(crate) fn link(target: &Path, place: &Path) {
    std::os::unix::fs::symlink(target, place).unwrap();
}

/// The gate's proof for a skill that a model may load.
#[track_caller]
pub(crate) fn admitted(engine: &Engine<'_>, name: &str) -> Admitted {
    admit(engine.catalog, at(engine.catalog, name), engine.asker, Way::Load).unwrap()
}
