//! Where a host stands: the working folder, the project around it, its configuration, its trust.

use super::{config::Config, trusted::Trusted};
use crate::{
    environment::Environment,
    host::{Evidence, FoundBy, Host, PathTemplate, ProjectRule, TrustRule, Walk},
    roots::working_folder,
};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The surroundings of one view.
pub(super) struct Setup<'a> {
    pub(super) places: Places<'a>,
    pub(super) config: Config,
    pub(super) trusted: Trusted,
    pub(super) notes: Vec<String>,
}

/// Folders by which paths of a host file are resolved.
#[derive(Clone)]
pub(super) struct Places<'a> {
    pub(super) environment: &'a Environment,
    /// The working folder, links resolved, as a started program would see it.
    pub(super) cwd: PathBuf,
    /// The top of the project, if there is one.
    pub(super) top: Option<PathBuf>,
}

impl<'a> Setup<'a> {
    pub(super) fn read(host: &Host, environment: &'a Environment) -> Self {
        let cwd = working_folder(&environment.cwd);
        let cwd = fs::canonicalize(&cwd).unwrap_or(cwd);
        let top = top_of(&cwd, &host.project);
        let mut places = Places { environment, cwd, top };
        let config = Config::read(host, &places);
        let markers = host.config.markers.as_ref().and_then(|key| config.last(key)).and_then(names);
        if let Some(markers) = markers {
            places.top = top_of(&places.cwd, &ProjectRule { markers, ..host.project.clone() });
        }
        let trusted = Trusted::read(host, &places, &config);
        let notes = notes(host, &config, &trusted);
        Self { places, config, trusted, notes }
    }
}

fn notes(host: &Host, config: &Config, trusted: &Trusted) -> Vec<String> {
    let mut notes = Vec::new();
    let title = &host.title;
    match host.evidence {
        Evidence::Folders => {
            notes.push(format!("only the folders of {title} are known; how it reads them is assumed"));
        }
        Evidence::Documented => notes.push(format!("the rules of {title} are those of its documentation")),
        Evidence::Source | Evidence::Measured => {}
    }
    if let Some((path, why)) = &config.broken {
        notes.push(format!("the configuration `{}` of {title} cannot be used: {why}", path.display()));
    }
    if host.trust == TrustRule::Needed && *trusted == Trusted::Unknown {
        notes.push(format!("{title} asks whether this folder is trusted; the view assumes that it is"));
    }
    notes
}

impl Places<'_> {
    /// What a path of a host file means here: one place, or one in each folder that is asked, the
    /// nearest first unless the walk says otherwise.
    pub(super) fn resolve(&self, template: &PathTemplate, walk: Walk) -> Vec<PathBuf> {
        let environment = self.environment;
        let in_folder = |folder: &Path| template.resolve(folder, &environment.home, &|name| environment.variable(name));
        if !template.is_relative() {
            return in_folder(&self.cwd).into_iter().collect();
        }
        self.folders(walk).iter().filter_map(|folder| in_folder(folder)).collect()
    }

    /// The folders of a project that a walk asks.
    fn folders(&self, walk: Walk) -> Vec<PathBuf> {
        let above = |top: &Path| -> Vec<PathBuf> {
            let below = self.cwd.ancestors().take_while(|folder| folder.starts_with(top));
            below.map(Path::to_path_buf).collect()
        };
        match (walk, &self.top) {
            (Walk::Here, _) | (Walk::Up | Walk::Down | Walk::Repository, None) => vec![self.cwd.clone()],
            (Walk::Up | Walk::UpToDisk, Some(top)) => above(top),
            (Walk::Down, Some(top)) => above(top).into_iter().rev().collect(),
            (Walk::Repository, Some(top)) => vec![top.clone()],
            (Walk::UpToDisk, None) => above(Path::new("/")),
        }
    }
}

/// The nearest folder at or above `cwd` that is the top of a project.
fn top_of(cwd: &Path, rule: &ProjectRule) -> Option<PathBuf> {
    let is_top = |folder: &&Path| {
        rule.markers.iter().map(|marker| folder.join(marker)).any(|marker| match rule.found_by {
            FoundBy::Marker => marker.symlink_metadata().is_ok(),
            FoundBy::Git => is_repository(&marker),
        })
    };
    cwd.ancestors().find(is_top).map(Path::to_path_buf)
}

/// What git itself takes for a repository: a folder with a head and objects, or a file that names one.
fn is_repository(dot: &Path) -> bool {
    if dot.is_dir() {
        return dot.join("HEAD").exists() && dot.join("objects").is_dir() && dot.join("refs").is_dir();
    }
    let Ok(text) = fs::read_to_string(dot) else { return false };
    let target = text.strip_prefix("gitdir:").map(str::trim);
    target.is_some_and(|target| dot.parent().unwrap_or(dot).join(target).join("HEAD").exists())
}

/// A list of texts; a value that is something else counts as not written.
fn names(value: &serde_json::Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|name| name.as_str().map(str::to_owned)).collect()
}
