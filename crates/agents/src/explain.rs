//! Why the agent does not see what Skillful sees, one true reason for each skill.

use super::{
    Unseen, UnseenCode,
    roots::AgentRoots,
    setup::Setup,
    skill::{Cause, Loss, Skill, key_of},
    walk::Why,
};
use skillful_catalog::{Catalog, Entry};
use skillful_profiles::{AgentProfile, RootKind, Scope};
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    path::{Path, PathBuf},
};

/// Everything that was decided before a header was read.
pub(super) struct Story<'a> {
    pub(super) agent: &'a AgentProfile,
    pub(super) setup: &'a Setup<'a>,
    pub(super) roots: &'a AgentRoots<'a>,
    pub(super) passed: HashMap<PathBuf, Why>,
}

/// Every file that is not seen, once, by path: what the agent lost on its way, and what it never came by.
pub(super) fn unseen(
    story: &Story<'_>,
    catalog: &Catalog,
    skills: &[Skill],
    losses: Vec<Loss>,
) -> Vec<Unseen> {
    let mut told: HashSet<PathBuf> = skills.iter().map(|skill| skill.found.key.clone()).collect();
    let mut entries: BTreeMap<PathBuf, &Entry> = BTreeMap::new();
    for entry in &catalog.entries {
        entries.entry(key_of(&entry.origin.file)).or_insert(entry);
    }
    let mut unseen = Vec::new();
    for Loss { file, key, name, cause: Cause { code, reason, fix } } in losses {
        if told.insert(key.clone()) {
            let name = name.or_else(|| entries.get(&key).map(|entry| entry.name.clone()));
            unseen.push(Unseen { file, name, code, reason, fix });
        }
    }
    for (key, entry) in entries {
        if told.insert(key) {
            let (file, Cause { code, reason, fix }) = story.cause(catalog, entry);
            unseen.push(Unseen { file, name: Some(entry.address()), code, reason, fix });
        }
    }
    unseen.sort_by(|a, b| a.file.cmp(&b.file));
    unseen
}

/// Says of each skill that Skillful's own catalogue lacks it, where it does.
pub(super) fn add_unknown(catalog: &Catalog, skills: &mut [Skill]) {
    let known: HashSet<PathBuf> = catalog.entries.iter().map(|entry| key_of(&entry.origin.file)).collect();
    for skill in skills.iter_mut().filter(|skill| !known.contains(&skill.found.key)) {
        skill.warnings.push("it is not in Skillful's own catalogue".to_owned());
    }
}

impl Story<'_> {
    fn cause(&self, catalog: &Catalog, entry: &Entry) -> (PathBuf, Cause) {
        let ways =
            || std::iter::once(&entry.origin.file).chain(entry.origin.also.iter().map(|(_, path)| path));
        for way in ways() {
            if let Some(cause) = self.on_the_way(way) {
                return (way.clone(), cause);
            }
        }
        (entry.origin.file.clone(), self.no_root(catalog, entry))
    }

    /// Why a file below one of the agent's roots was not reached.
    fn on_the_way(&self, file: &Path) -> Option<Cause> {
        if let Some((path, why)) = file.ancestors().find_map(|path| self.passed.get_key_value(path)) {
            return Some(self.passed_over(path, why));
        }
        let root = self.roots.list.iter().find(|root| file.starts_with(&root.path))?;
        let reason = || {
            format!("{} looks in `{}` and does not come by this file", self.agent.title, root.path.display())
        };
        Some(root.closed.clone().unwrap_or_else(|| Cause::new(UnseenCode::RootElsewhere, reason())))
    }

    fn passed_over(&self, path: &Path, why: &Why) -> Cause {
        let title = &self.agent.title;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let cause = |code, reason: String, fix: &str| Cause::new(code, reason).fix(fix);
        match why {
            Why::Hidden => cause(
                UnseenCode::HiddenFolder,
                format!("{title} does not enter hidden folders such as `{name}`"),
                "give the folder a name without a dot",
            ),
            Why::Skipped => cause(
                UnseenCode::SkippedFolder,
                format!("{title} does not enter folders called `{name}`"),
                "move the skill out of the folder",
            ),
            Why::TooDeep(most) => cause(
                UnseenCode::TooDeep,
                format!("{title} looks {} below a root, and `{name}` lies deeper", levels(*most)),
                "move the skill up",
            ),
            Why::FolderLimit(most) => cause(
                UnseenCode::WalkLimit,
                format!("{title} stops after {most} folders of a root, without a word"),
                "keep fewer folders below the root; folders inside skills count too",
            ),
            Why::EntryLimit(most) => cause(
                UnseenCode::WalkLimit,
                format!("{title} stops after {most} files and folders of a root, without a word"),
                "keep large folders out of the root",
            ),
            Why::FolderLink => cause(
                UnseenCode::Link,
                format!("{title} does not follow the link `{name}`"),
                "put the folder itself there",
            ),
            Why::FileLink => cause(
                UnseenCode::Link,
                format!("{title} passes over a `{name}` that is a link"),
                "put the file itself there, or link the whole folder",
            ),
            Why::FileName(wanted) => cause(
                UnseenCode::FileName,
                format!("{title} looks for `{wanted}`, not `{name}`"),
                "rename the file",
            ),
            Why::RootFile => cause(
                UnseenCode::FileName,
                format!("{title} wants a skill to have a folder of its own below the root"),
                "move the file into a folder",
            ),
            Why::Nested(by) => cause(
                UnseenCode::Nested,
                format!(
                    "it lies inside the skill `{}`, where {title} does not look for others",
                    by.display()
                ),
                "move it out of that skill's folder",
            ),
            Why::Cycle => {
                Cause::new(UnseenCode::Link, format!("the link `{name}` leads back to a folder above it"))
            }
            Why::OurBound => Cause::new(UnseenCode::WalkLimit, "this view did not walk so far"),
        }
    }

    /// Why none of the agent's roots holds the file.
    fn no_root(&self, catalog: &Catalog, entry: &Entry) -> Cause {
        let title = &self.agent.title;
        let root = &catalog.roots[entry.origin.root];
        if root.scope == Scope::System {
            return Cause::new(
                UnseenCode::RootNotRead,
                format!("it comes with Skillful, and {title} does not know it"),
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

    /// Where the agent would see a skill of that scope; best a folder that other agents read too.
    fn better_place(&self, scope: Scope) -> Option<String> {
        let wanted = if scope == Scope::Project { Scope::Project } else { Scope::User };
        let open =
            self.roots.list.iter().filter(|root| root.closed.is_none() && root.kind == RootKind::Skills);
        let own: Vec<&Path> =
            open.filter(|root| root.scope == wanted).map(|root| root.path.as_path()).collect();
        let shared = own.iter().find(|path| path.ends_with(".agents/skills"));
        shared.or(own.first()).map(|path| self.short(path))
    }

    /// A folder as people write it: relative to the project, or below `~`.
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

/// The folder that holds a root.
fn above(root: &Path, template: &str) -> String {
    let levels = Path::new(template).components().count();
    root.ancestors().nth(levels).unwrap_or(root).display().to_string()
}
