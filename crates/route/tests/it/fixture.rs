//! A temporary workspace with skills, and its catalog.

use crate::sample::SKILLS;
use skillful_catalog::{
    AgentProfiles, Catalog, Environment, Inputs, Settings, TrustStore, settings::TrustMode,
};
use skillful_route::{Freshness, Router};
use std::{
    fs,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

const AGENT: &str = r#"
id = "alpha"
title = "Alpha"
evidence = "folders"
[[root]]
scope = "user"
path = "~/.alpha/skills"
[[root]]
scope = "project"
path = ".alpha/skills"
"#;

pub(crate) const QUERIES: &[&str] = &[
    "fill the pdf form for my tax return",
    "deploy my service to kubernetes",
    "which commit broke the tests",
    "why is my postgres query slow",
    "beekeeping and roses",
    "hello, how are you?",
];

/// A temporary home and project folder.
pub(crate) struct TestWorkspace {
    folder: PathBuf,
    /// Removes the folder when dropped.
    owned: Option<TempDir>,
    agents: AgentProfiles,
    environment: Environment,
    settings: Settings,
}

impl TestWorkspace {
    pub(crate) fn empty() -> Self {
        let folder = TempDir::new().unwrap();
        let mut workspace = Self::at(&folder.path().canonicalize().unwrap());
        workspace.owned = Some(folder);
        workspace
    }

    /// Opens the workspace that another process made.
    pub(crate) fn at(at: &Path) -> Self {
        fs::create_dir_all(at.join("home")).unwrap();
        fs::create_dir_all(at.join("repo/.git")).unwrap();
        let mut agents = AgentProfiles::default();
        agents.add(AGENT).unwrap();
        let environment =
            Environment { cwd: at.join("repo"), home: at.join("home"), ..Environment::default() };
        let settings = Settings { trust: TrustMode::All, ..Settings::default() };
        Self { folder: at.to_owned(), owned: None, agents, environment, settings }
    }

    pub(crate) fn new() -> Self {
        let workspace = Self::empty();
        for (name, description, body) in SKILLS {
            workspace.skill(name, description, body);
        }
        workspace
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.join(path)
    }

    pub(crate) fn skill(&self, name: &str, description: &str, body: &str) -> PathBuf {
        let folder = self.path("home/.alpha/skills").join(name);
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("SKILL.md");
        fs::write(&file, format!("---\nname: {name}\ndescription: {description}\n---\n\n{body}\n")).unwrap();
        file
    }

    pub(crate) fn remove(&self, name: &str) {
        fs::remove_dir_all(self.path("home/.alpha/skills").join(name)).unwrap();
    }

    pub(crate) fn catalog(&self) -> Catalog {
        Catalog::build(Inputs {
            agents: &self.agents,
            environment: &self.environment,
            settings: &self.settings,
            trust: &TrustStore::default(),
            approvals: skillful_catalog::Approvals::none(),
        })
    }

    pub(crate) fn enter(&mut self, folder: &str) {
        self.environment.cwd = self.path(folder);
        fs::create_dir_all(self.environment.cwd.join(".git")).unwrap();
    }

    pub(crate) fn cache(&self) -> PathBuf {
        self.path("cache")
    }

    pub(crate) fn open(&self) -> (Catalog, Router, Freshness) {
        let catalog = self.catalog();
        let (router, freshness) = Router::open(&catalog, Some(&self.cache()));
        (catalog, router, freshness)
    }

    /// The index files.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        files(&self.cache())
    }

    /// The results of a router without a cache.
    pub(crate) fn expected(&self) -> Vec<Vec<(String, f32, f32)>> {
        let catalog = self.catalog();
        let (router, _) = Router::open(&catalog, None);
        answers(&catalog, &router)
    }
}

pub(crate) fn files(cache: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(cache) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "idx"));
    files.sort();
    files
}

/// Name, score and probability of everything found for every query.
pub(crate) fn answers(catalog: &Catalog, router: &Router) -> Vec<Vec<(String, f32, f32)>> {
    let all = |_| true;
    let answer = |query: &&str| {
        let found = router.search(query, 20, &all);
        found.into_iter().map(|f| (catalog.entries[f.entry].name.clone(), f.score, f.probability)).collect()
    };
    QUERIES.iter().map(answer).collect()
}

pub(crate) fn first(catalog: &Catalog, router: &Router, query: &str) -> String {
    let found = router.search(query, 1, &|_| true);
    found.first().map(|found| catalog.entries[found.entry].name.clone()).unwrap_or_default()
}
