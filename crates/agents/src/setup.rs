//! The surroundings of an agent: working folder, project, configuration and trust.

use super::{config::Config, extension, trusted::Trusted};
use skillful_catalog::{
    Environment, bounded,
    roots::{Ground, working_folder},
};
use skillful_profiles::{AgentProfile, BrokenConfig, Evidence, FoundBy, PathTemplate, TrustRule, Walk};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

/// The surroundings of one view.
pub(super) struct Setup<'a> {
    pub(super) places: Places<'a>,
    pub(super) config: Config,
    pub(super) trusted: Trusted,
    pub(super) notes: Vec<String>,
}

/// The folders against which paths of an agent profile are resolved.
#[derive(Clone)]
pub(super) struct Places<'a> {
    pub(super) environment: &'a Environment,
    /// The working folder with links resolved, as a started program sees it.
    pub(super) cwd: PathBuf,
    tops: Arc<Tops>,
    /// How the agent finds the project.
    found_by: FoundBy,
    markers: Vec<String>,
}

/// The working folder that several agents are asked about, so that each question to the disk is asked once.
pub(super) struct Surroundings<'a> {
    environment: &'a Environment,
    cwd: PathBuf,
    tops: Arc<Tops>,
}

impl<'a> Surroundings<'a> {
    pub(super) fn of(environment: &'a Environment) -> Self {
        let cwd = working_folder(&environment.cwd);
        let cwd = fs::canonicalize(&cwd).unwrap_or(cwd);
        Self { environment, cwd, tops: Arc::default() }
    }
}

/// Top folders of projects that were looked for: how, by which markers, and how many levels above the working folder.
type Tops = Mutex<Vec<(FoundBy, Vec<String>, Option<usize>)>>;

impl<'a> Setup<'a> {
    pub(super) fn read(agent: &AgentProfile, environment: &'a Environment) -> Self {
        Self::within(agent, &Surroundings::of(environment))
    }

    /// The same, beside other agents.
    pub(super) fn within(agent: &AgentProfile, around: &Surroundings<'a>) -> Self {
        let Surroundings { environment, ref cwd, ref tops } = *around;
        let mut places = Places {
            environment,
            cwd: cwd.clone(),
            tops: Arc::clone(tops),
            found_by: agent.project.found_by,
            markers: agent.project.markers.clone(),
        };
        let mut config = Config::read(agent, &places);
        let markers = agent.config.markers.as_ref().and_then(|key| config.last(key)).and_then(names);
        places.markers = markers.unwrap_or(places.markers);
        let trusted = Trusted::read(agent, &places, &mut config);
        if let Some((path, why)) = extension::fault(agent, &places, &config) {
            config.refuse(path, why, BrokenConfig::NothingLoads);
        }
        let notes = notes(agent, &config, trusted);
        Self { places, config, trusted, notes }
    }
}

fn notes(agent: &AgentProfile, config: &Config, trusted: Trusted) -> Vec<String> {
    let mut notes = Vec::new();
    let title = &agent.title;
    match agent.evidence {
        Evidence::Folders => {
            notes.push(format!("only the folders of {title} are known; how it reads them is an assumption"));
        }
        Evidence::Documented => notes.push(format!("the rules of {title} come from its documentation")),
        Evidence::Source | Evidence::Measured => {}
    }
    if let Some((path, why)) = &config.broken {
        notes.push(format!("the configuration `{}` of {title} cannot be read: {why}", path.display()));
    }
    let urls =
        agent.config.urls.as_ref().and_then(|key| config.last(key)).and_then(serde_json::Value::as_array);
    if let Some(urls) = urls.filter(|urls| !urls.is_empty()) {
        let servers = if urls.len() == 1 { "server" } else { "servers" };
        notes.push(format!(
            "{title} downloads skills from {} {servers}, which this view does not show",
            urls.len()
        ));
    }
    if agent.trust == TrustRule::Needed && trusted == Trusted::Unknown {
        notes.push(format!(
            "{title} asks the user to trust this folder; this view assumes that the folder is trusted"
        ));
    }
    notes
}

impl Places<'_> {
    /// Resolves a path of an agent profile: one path, or one in each folder of the walk, nearest
    /// first unless the walk says otherwise.
    pub(super) fn resolve(
        &self,
        template: &PathTemplate,
        walk: Walk,
        found_by: Option<FoundBy>,
    ) -> Vec<PathBuf> {
        let environment = self.environment;
        let in_folder = |folder: &Path| {
            template.resolve(folder, &environment.home, &|name| environment.set_variable(name))
        };
        if !template.is_relative() {
            return in_folder(&self.cwd).into_iter().collect();
        }
        let repository = self.top(found_by.unwrap_or(self.found_by)).map(Path::to_path_buf);
        let ground = Ground { cwd: self.cwd.clone(), repository };
        ground.folders(walk).iter().filter_map(|folder| in_folder(folder)).collect()
    }

    /// The top folder of the project, or the working folder if there is none.
    pub(super) fn project(&self) -> &Path {
        self.top(self.found_by).unwrap_or(&self.cwd)
    }

    fn top(&self, found_by: FoundBy) -> Option<&Path> {
        let mut tops = self.tops.lock().unwrap_or_else(PoisonError::into_inner);
        let known = tops.iter().find(|(by, markers, _)| *by == found_by && *markers == self.markers);
        let levels = match known {
            Some((_, _, levels)) => *levels,
            None => {
                let levels = self.levels(found_by);
                tops.push((found_by, self.markers.clone(), levels));
                levels
            }
        };
        self.cwd.ancestors().nth(levels?)
    }

    /// How many levels above the working folder the project begins.
    fn levels(&self, found_by: FoundBy) -> Option<usize> {
        let marks = |marker: PathBuf| match found_by {
            FoundBy::Head if marker.ends_with(".git") && marker.is_dir() => marker.join("HEAD").exists(),
            FoundBy::Marker | FoundBy::Head => marker.symlink_metadata().is_ok(),
            FoundBy::Git => is_repository(&marker),
        };
        self.cwd.ancestors().position(|folder| self.markers.iter().any(|marker| marks(folder.join(marker))))
    }
}

/// Bytes of a `.git` file that are read: it holds one path.
const GIT_FILE: usize = 8 << 10;

/// Whether git accepts this as a repository: a folder with a head and objects, or a file that names
/// one.
fn is_repository(dot: &Path) -> bool {
    if dot.is_dir() {
        return dot.join("HEAD").exists() && dot.join("objects").is_dir() && dot.join("refs").is_dir();
    }
    let Ok((text, _)) = bounded::read_start(dot, GIT_FILE, None) else { return false };
    let target = text.strip_prefix("gitdir:").map(str::trim);
    target.is_some_and(|target| dot.parent().unwrap_or(dot).join(target).join("HEAD").exists())
}

/// A list of texts; a value of another type counts as missing.
fn names(value: &serde_json::Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|name| name.as_str().map(str::to_owned)).collect()
}
