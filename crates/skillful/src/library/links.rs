//! Linking skills into the folders of an agent, and undoing it.
//!
//! The record of what a plan links is written first, so that a run that is stopped can be undone. Undoing removes a
//! link that still leads where it did, and a copy whose files are still the same; everything else stays.

use super::{Library, LibraryError};
use crate::{
    agent_links::{LinkHow, LinkPlan, PlannedLink},
    agent_sets::AgentSets,
    views::{PathText, SCHEMA},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skillful_catalog::{bounded, disk};
use skillful_format::{Digest, Limits, Tree, digest_bytes};
use std::{
    fs, io,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::{Path, PathBuf},
};

/// A larger record is not read.
const RECORD_LIMIT: u64 = 4 << 20;

/// What one plan linked.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct LinkRecord {
    agent: String,
    links: Vec<LinkedPath>,
    /// Folders that were made for the links.
    folders: Vec<PathBuf>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct LinkedPath {
    skill: String,
    path: PathBuf,
    /// What the link holds; of a copy the folder that was copied.
    target: PathBuf,
    how: LinkHow,
    /// The files of a copy.
    tree: Option<Digest>,
}

/// What undoing came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LinksUndone {
    /// The version of this view.
    pub schema: u32,
    /// The agent.
    pub agent: String,
    /// The skills whose links or copies were removed.
    pub removed: Vec<String>,
    /// What stays, and why.
    pub left: Vec<LeftLink>,
}

/// A link or a copy that undoing did not remove.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LeftLink {
    /// The link or the folder.
    pub path: PathText,
    /// Why it stays.
    pub why: String,
}

impl Library<'_> {
    /// Plans what makes an agent load the skills that it misses; `copy` asks for copies instead of links. Every skill
    /// is audited as it is now. Writes nothing.
    ///
    /// ```
    /// use skillful::{Environment, Library, Options, Workspace, library::Scope};
    /// use std::{fs, time::SystemTime};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = |below: &str| folder.path().join(below);
    /// fs::create_dir_all(path("home/.codex"))?;
    /// fs::create_dir_all(path("home/.claude/skills/pdf"))?;
    /// let text = "---\nname: pdf\ndescription: Read PDF files.\n---\nRead it.\n";
    /// fs::write(path("home/.claude/skills/pdf/SKILL.md"), text)?;
    /// let environment = Environment { cwd: path("home"), home: path("home"), ..Environment::default() };
    /// let workspace = Workspace::open(environment, Options::default());
    ///
    /// let library = Library::open(&workspace, Scope::User, SystemTime::UNIX_EPOCH)?;
    /// let mut plan = library.plan_links("codex", false)?;
    /// plan.keep(|link| link.skill == "pdf");
    /// library.apply_links(&mut plan)?;
    /// assert!(path("home/.agents/skills/pdf/SKILL.md").is_file());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn plan_links(&self, agent: &str, copy: bool) -> Result<LinkPlan, LibraryError> {
        self.plan_links_of(agent, copy, None)
    }

    /// The same about one skill alone: the key that views have for it.
    pub(super) fn plan_links_of(
        &self,
        agent: &str,
        copy: bool,
        key: Option<&Path>,
    ) -> Result<LinkPlan, LibraryError> {
        let profile = self.workspace.agent(agent)?;
        let sets = AgentSets::audited_anew(self.workspace, profile);
        Ok(LinkPlan::of_skill(self.workspace, &sets, &profile.id, copy, key))
    }

    /// Refuses a plan with a link that would not be planned now: the rules about folders of agents, about the state of
    /// a skill and about its audit hold when the link is made, and for this workspace.
    fn still_planned(&self, plan: &LinkPlan) -> Result<(), LibraryError> {
        let again = plan.made_again(&self.workspace.reopened())?;
        let Some(gone) = plan.links().iter().find(|link| !again.links().contains(link)) else {
            return Ok(());
        };
        let PlannedLink { skill, to, .. } = gone;
        let error = LibraryError::new(format!(
            "{skill} can no longer be linked at {}; nothing was linked",
            to.display()
        ))
        .fix(format!("skillful view --agent {} --fix", plan.agent()));
        match again.not_linked().iter().find(|one| one.skill == *skill) {
            Some(refused) => Err(error.cause(&refused.why)),
            None => Err(error),
        }
    }

    /// Carries out a plan: all of it, or nothing when a link of it would not be planned now. The plan then names its
    /// undo.
    pub fn apply_links(&self, plan: &mut LinkPlan) -> Result<(), LibraryError> {
        self.still_planned(plan)?;
        let mut record =
            LinkRecord { agent: plan.agent().to_owned(), links: Vec::new(), folders: Vec::new() };
        let mut trees = Vec::new();
        for link in plan.links() {
            let tree = match link.how {
                LinkHow::Link => None,
                LinkHow::Copy => Some(read_tree(&link.from)?),
            };
            let target = match link.how {
                LinkHow::Link => link_text(&link.from, &link.to),
                LinkHow::Copy => link.from.to_path_buf(),
            };
            let missing = link.to.ancestors().skip(1).take_while(|folder| !folder.exists());
            for folder in missing
                .filter(|folder| !record.folders.iter().any(|known| known == folder))
                .collect::<Vec<_>>()
            {
                record.folders.push(folder.to_path_buf());
            }
            record.links.push(LinkedPath {
                skill: link.skill.clone(),
                path: link.to.to_path_buf(),
                target,
                how: link.how,
                tree: tree.as_ref().map(Tree::digest),
            });
            trees.push(tree);
        }
        let undo = self.keep_record(&record)?;
        for ((link, tree), planned) in record.links.iter().zip(trees).zip(plan.links()) {
            let made = make(link, tree.as_ref());
            made.map_err(|error| {
                let PlannedLink { skill, to, .. } = planned;
                LibraryError::new(format!("failed to link {skill} at {}: {error}", to.display()))
                    .fix(format!("undo what was linked: skillful view --undo {undo}"))
            })?;
        }
        plan.carried_out(undo);
        Ok(())
    }

    /// Writes a record under a short name of its own.
    fn keep_record(&self, record: &LinkRecord) -> Result<String, LibraryError> {
        let folder = self.link_records();
        let text = serde_json::to_string_pretty(record).map_err(LibraryError::new)?;
        let nanos = self.now.duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_nanos();
        let digest = digest_bytes(format!("{nanos} {text}").as_bytes()).to_hex();
        fs::create_dir_all(&folder).map_err(LibraryError::io(format!("make `{}`", folder.display())))?;
        for length in 4..=digest.len() {
            let name = &digest[..length];
            let file = folder.join(format!("{name}.json"));
            match fs::OpenOptions::new().write(true).create_new(true).open(&file) {
                Ok(mut file) => {
                    io::Write::write_all(&mut file, text.as_bytes())
                        .map_err(LibraryError::io("write the record of links"))?;
                    return Ok(name.to_owned());
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(LibraryError::io(format!("write `{}`", file.display()))(error)),
            }
        }
        Err(LibraryError::new("no free name was found for the record of links"))
    }

    fn link_records(&self) -> PathBuf {
        self.workspace.paths().data.join("links")
    }

    /// Removes what a plan linked.
    pub fn undo_links(&self, name: &str) -> Result<LinksUndone, LibraryError> {
        let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        let unknown = || {
            let known = self.known_links();
            let error = LibraryError::new(format!("no links named `{name}` were made"));
            match known.as_slice() {
                [] => error.cause("nothing is linked that could be undone"),
                known => error.cause(format!("known: {}", known.join(", "))),
            }
        };
        if !is_name {
            return Err(unknown());
        }
        let file = self.link_records().join(format!("{name}.json"));
        let text = match bounded::read_text(&file, RECORD_LIMIT, None) {
            Ok(text) => text,
            Err(bounded::ReadError::Missing) => return Err(unknown()),
            Err(error) => {
                return Err(LibraryError::new(format!("the record of links cannot be read: {error}")));
            }
        };
        let record: LinkRecord = serde_json::from_str(&text)
            .map_err(|error| LibraryError::new(format!("`{}` is damaged: {error}", file.display())))?;
        let (mut removed, mut left) = (Vec::new(), Vec::new());
        for link in &record.links {
            match remove(link) {
                Ok(true) => removed.push(link.skill.clone()),
                Ok(false) => {}
                Err(why) => left.push(LeftLink { path: PathText::from(&link.path), why }),
            }
        }
        // The deepest first; a folder that holds something else stays.
        let mut folders = record.folders;
        folders.sort_by_key(|folder| std::cmp::Reverse(folder.components().count()));
        for folder in &folders {
            let _not_empty = fs::remove_dir(folder);
        }
        if left.is_empty() {
            fs::remove_file(&file).map_err(LibraryError::io("remove the record of links"))?;
        }
        Ok(LinksUndone { schema: SCHEMA, agent: record.agent, removed, left })
    }

    /// The names of the records that can be undone.
    pub fn known_links(&self) -> Vec<String> {
        let entries = fs::read_dir(self.link_records()).into_iter().flatten().filter_map(Result::ok);
        let mut names: Vec<String> = entries
            .filter_map(|entry| entry.file_name().to_str()?.strip_suffix(".json").map(str::to_owned))
            .collect();
        names.sort();
        names
    }
}

fn read_tree(folder: &Path) -> Result<Tree, LibraryError> {
    let read = disk::read_folder(folder, &Limits::default());
    read.map(|(tree, _)| tree)
        .map_err(|error| LibraryError::new(format!("failed to read `{}`: {error}", folder.display())))
}

/// What a link at `to` holds to lead to `from`: a relative path when both are below one folder of the user, so that
/// the folder can move.
fn link_text(from: &Path, to: &Path) -> PathBuf {
    let folder = to.parent().unwrap_or(to);
    let common = from.components().zip(folder.components()).take_while(|(one, other)| one == other).count();
    // `/` alone is not a folder that moves as a whole. A link in between would change what `..` means.
    let is_plain = folder
        .ancestors()
        .find(|folder| folder.exists())
        .is_some_and(|known| known.canonicalize().is_ok_and(|real| real == known));
    if common < 3 || !is_plain {
        return from.to_path_buf();
    }
    let up = folder.components().skip(common).map(|_| Path::new(".."));
    up.map(Path::to_path_buf)
        .chain(from.components().skip(common).map(|part| PathBuf::from(part.as_os_str())))
        .collect()
}

fn make(link: &LinkedPath, tree: Option<&Tree>) -> io::Result<()> {
    let folder = link.path.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(folder)?;
    let Some(tree) = tree else { return symlink(&link.target, &link.path) };
    // Beside the folder of skills: an agent would load a half-written skill.
    let staged = folder.parent().unwrap_or(folder).join(format!(".skillful-copy-{}", std::process::id()));
    let written = write_tree(&staged, tree).and_then(|()| {
        if link.path.symlink_metadata().is_ok() {
            return Err(io::Error::from(io::ErrorKind::AlreadyExists));
        }
        fs::rename(&staged, &link.path)
    });
    if written.is_err() {
        let _gone = fs::remove_dir_all(&staged);
    }
    written
}

fn write_tree(folder: &Path, tree: &Tree) -> io::Result<()> {
    fs::create_dir(folder)?;
    for (path, file) in tree.iter() {
        let to = folder.join(path.as_str());
        fs::create_dir_all(to.parent().unwrap_or(folder))?;
        fs::write(&to, &file.bytes)?;
        if file.executable {
            fs::set_permissions(&to, fs::Permissions::from_mode(0o755))?;
        }
    }
    Ok(())
}

/// Removes a link or a copy; returns whether there was one, or why it stays.
fn remove(link: &LinkedPath) -> Result<bool, String> {
    let Ok(found) = link.path.symlink_metadata() else { return Ok(false) };
    let failed = |error: io::Error| format!("it cannot be removed: {error}");
    match link.how {
        LinkHow::Link => {
            let leads = found.is_symlink().then(|| fs::read_link(&link.path).ok()).flatten();
            if leads.as_ref() != Some(&link.target) {
                return Err("it is not the link that was made".to_owned());
            }
            fs::remove_file(&link.path).map_err(failed)?;
        }
        LinkHow::Copy => {
            let same = found.is_dir()
                && disk::read_folder(&link.path, &Limits::default())
                    .is_ok_and(|(tree, _)| Some(tree.digest()) == link.tree);
            if !same {
                return Err("its files changed since they were copied".to_owned());
            }
            fs::remove_dir_all(&link.path).map_err(failed)?;
        }
    }
    Ok(true)
}
