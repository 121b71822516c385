//! Finds the reason why the agent does not see a skill that Skillful sees: one reason for each
//! skill.

use super::{
    Unseen, UnseenCode,
    roots::AgentRoots,
    setup::Setup,
    skill::{Cause, Loss, Skill},
    walk::SkipReason,
};
use skillful_catalog::{Catalog, Entry};
use skillful_profiles::{AgentProfile, RootKind, Scope};
use std::{
    collections::{HashMap, HashSet},
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

/// What is known about the agent's search for skills: its roots, and the files and folders it
/// skips.
pub(super) struct Discovery<'a> {
    pub(super) agent: &'a AgentProfile,
    pub(super) setup: &'a Setup<'a>,
    pub(super) roots: &'a AgentRoots<'a>,
    pub(super) skipped: HashMap<PathBuf, SkipReason>,
}

/// Every file that the agent does not load, once, sorted by path: files that one of its rules
/// refused, and files that it never reached. `keys` are the keys of the catalog's entries.
pub(super) fn unseen(
    discovery: &Discovery<'_>,
    catalog: &Catalog,
    keys: &[PathBuf],
    skills: &[Skill],
    losses: Vec<Loss>,
) -> Vec<Unseen> {
    // By their text, which is hashed much faster than the parts of a path.
    let mut reported: HashSet<OsString> = skills.iter().map(|skill| skill.found.key.clone().into()).collect();
    let mut entries: HashMap<&OsStr, &Entry> = HashMap::with_capacity(keys.len());
    for (key, entry) in keys.iter().zip(&catalog.entries) {
        entries.entry(key.as_os_str()).or_insert(entry);
    }
    let mut unseen = Vec::new();
    for Loss { file, key, name, cause: Cause { code, reason, fix } } in losses {
        if reported.insert(key.clone().into()) {
            let name = name.or_else(|| entries.get(key.as_os_str()).map(|entry| entry.name.clone()));
            unseen.push(Unseen { file, key, name, code, reason, fix });
        }
    }
    let never_reached = entries.into_iter().filter(|(key, _)| !reported.contains(*key));
    let mut never_reached: Vec<(&Path, &Entry)> =
        never_reached.map(|(key, entry)| (Path::new(key), entry)).collect();
    never_reached.sort_by_key(|(key, _)| *key);
    for (key, entry) in never_reached {
        let key = key.to_path_buf();
        let (file, Cause { code, reason, fix }) = discovery.cause(catalog, entry);
        unseen.push(Unseen { file, key, name: Some(entry.address()), code, reason, fix });
    }
    unseen.sort_by(|a, b| a.file.cmp(&b.file));
    unseen
}

/// Adds a warning to each skill that is not in Skillful's own catalog.
pub(super) fn add_unknown(catalog: &Catalog, keys: &[PathBuf], skills: &mut [Skill]) {
    // A file in a place that Skillful skips is in its catalog, and disabled.
    let loaded = keys.iter().zip(&catalog.entries).filter(|(_, entry)| entry.origin.skipped.is_none());
    let known: HashSet<&OsStr> = loaded.map(|(key, _)| key.as_os_str()).collect();
    for skill in skills.iter_mut().filter(|skill| !known.contains(skill.found.key.as_os_str())) {
        skill.warnings.push("Skillful does not load it".to_owned());
    }
}

impl Discovery<'_> {
    fn cause(&self, catalog: &Catalog, entry: &Entry) -> (PathBuf, Cause) {
        let ways =
            || std::iter::once(&entry.origin.file).chain(entry.origin.also.iter().map(|(_, path)| path));
        for way in ways() {
            if let Some(cause) = self.below_a_root(way) {
                return (way.clone(), cause);
            }
        }
        (entry.origin.file.clone(), self.no_root(catalog, entry))
    }

    /// Why a file below one of the agent's roots was not reached.
    fn below_a_root(&self, file: &Path) -> Option<Cause> {
        if let Some((path, why)) = file.ancestors().find_map(|path| self.skipped.get_key_value(path)) {
            return Some(self.skipped_path(path, why));
        }
        let root = self.roots.list.iter().find(|root| file.starts_with(&root.path))?;
        let reason =
            || format!("{} reads `{}` but does not reach this file", self.agent.title, root.path.display());
        Some(root.closed.clone().unwrap_or_else(|| Cause::new(UnseenCode::RootElsewhere, reason())))
    }

    fn skipped_path(&self, path: &Path, why: &SkipReason) -> Cause {
        let title = &self.agent.title;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let cause = |code, reason: String, fix: &str| Cause::new(code, reason).fix(fix);
        match why {
            SkipReason::Hidden => cause(
                UnseenCode::HiddenFolder,
                format!("{title} does not enter hidden folders such as `{name}`"),
                "give the folder a name without a dot",
            ),
            SkipReason::Skipped => cause(
                UnseenCode::SkippedFolder,
                format!("{title} does not enter folders called `{name}`"),
                "move the skill out of the folder",
            ),
            SkipReason::TooDeep(most) => cause(
                UnseenCode::TooDeep,
                format!("{title} looks {} below a root, and `{name}` is deeper", levels(*most)),
                "move the skill up",
            ),
            SkipReason::FolderLimit(most) => cause(
                UnseenCode::WalkLimit,
                format!("{title} stops after {most} folders of a root, without a message"),
                "keep fewer folders below the root; folders inside skills count too",
            ),
            SkipReason::EntryLimit(most) => cause(
                UnseenCode::WalkLimit,
                format!("{title} stops after {most} files and folders of a root, without a message"),
                "keep large folders out of the root",
            ),
            SkipReason::FolderLink => cause(
                UnseenCode::Link,
                format!("{title} does not follow the link `{name}`"),
                "replace the link with the folder itself",
            ),
            SkipReason::FileLink => cause(
                UnseenCode::Link,
                format!("{title} skips a `{name}` that is a link"),
                "replace the link with the file itself, or link the whole folder",
            ),
            SkipReason::FileName(wanted) => cause(
                UnseenCode::FileName,
                format!("{title} looks for `{wanted}`, not `{name}`"),
                "rename the file",
            ),
            SkipReason::RootFile => cause(
                UnseenCode::FileName,
                format!("{title} requires a folder for each skill below the root"),
                "move the file into a folder",
            ),
            SkipReason::Nested(by) => cause(
                UnseenCode::Nested,
                format!(
                    "it is inside the skill `{}`, where {title} does not look for other skills",
                    by.display()
                ),
                "move it out of that skill's folder",
            ),
            SkipReason::Cycle => {
                Cause::new(UnseenCode::Link, format!("the link `{name}` leads back to a folder above it"))
            }
            SkipReason::Outside => cause(
                UnseenCode::Link,
                format!("{title} skips a `{name}` that links lead out of its project or plugin"),
                "put the file itself into the project or the plugin",
            ),
            SkipReason::OurBound => Cause::new(
                UnseenCode::WalkLimit,
                "this view stopped at its own limit before it reached the file",
            ),
        }
    }

    /// Why the file is not below any of the agent's roots.
    fn no_root(&self, catalog: &Catalog, entry: &Entry) -> Cause {
        let title = &self.agent.title;
        let root = &catalog.roots[entry.origin.root];
        if root.scope == Scope::System {
            return Cause::new(
                UnseenCode::RootNotRead,
                format!("it is built into Skillful, and {title} does not load it"),
            );
        }
        let same = self.agent.roots.iter().find(|rule| {
            rule.scope == Scope::Project && rule.kind == root.kind && root.path.ends_with(rule.path.as_str())
        });
        if let Some(rule) = same.filter(|_| root.scope == Scope::Project) {
            let reason = format!("{title} reads `{}`, but not in this folder", rule.path.as_str());
            return Cause::new(UnseenCode::RootElsewhere, reason)
                .fix(format!("start {title} in `{}`", above(&root.path, rule.path.as_str())));
        }
        let what = if root.kind == RootKind::Commands { "command files in " } else { "" };
        let reason = format!("{title} does not read {what}`{}`", self.short(&root.path));
        let cause = Cause::new(UnseenCode::RootNotRead, reason);
        match self.better_place(root.scope) {
            Some(place) => cause.fix(format!("link or copy the skill to `{place}`")),
            None => cause,
        }
    }

    /// A folder in which the agent would see a skill of that scope; preferably one that other
    /// agents read too.
    fn better_place(&self, scope: Scope) -> Option<String> {
        let wanted = if scope == Scope::Project { Scope::Project } else { Scope::User };
        let open =
            self.roots.list.iter().filter(|root| root.closed.is_none() && root.kind == RootKind::Skills);
        let own: Vec<&Path> =
            open.filter(|root| root.scope == wanted).map(|root| root.path.as_path()).collect();
        let shared = own.iter().find(|path| path.ends_with(".agents/skills"));
        shared.or(own.first()).map(|path| self.short(path))
    }

    /// A short form of a folder: relative to the project, or with `~`.
    fn short(&self, path: &Path) -> String {
        let places = &self.setup.places;
        if let Ok(rest) = path.strip_prefix(places.project()) {
            return rest.display().to_string();
        }
        match path.strip_prefix(&places.environment.home) {
            Ok(rest) => format!("~/{}", rest.display()),
            Err(_) => path.display().to_string(),
        }
    }
}

fn levels(count: u32) -> String {
    if count == 1 { "one level".to_owned() } else { format!("{count} levels") }
}

/// The folder that contains a root.
fn above(root: &Path, template: &str) -> String {
    let levels = Path::new(template).components().count();
    root.ancestors().nth(levels).unwrap_or(root).display().to_string()
}
