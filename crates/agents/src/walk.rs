//! Scans one root as an agent does: names in order, one folder after the other.
//!
//! Every skipped file or folder is kept with the rule that skipped it, because that rule answers
//! the question "why does the agent not see my skill?".

#[cfg(test)]
mod tests;

use skillful_catalog::{
    folder::{FileKind, Folder, Name},
    walked::{SkillHead, WalkedFolders},
};
use skillful_profiles::{Links, Nested, RepeatedFolder, ScanOrder, ScanRule, Visit};
use std::{
    borrow::Cow,
    cell::OnceCell,
    collections::{HashSet, VecDeque},
    path::{Path, PathBuf},
    sync::Arc,
};

/// Maximum depth that a view scans, even if the agent has no limit.
pub(super) const MOST_LEVELS: u32 = 64;
/// Maximum number of folders per root that a view scans, even if the agent has no limit.
pub(super) const MOST_FOLDERS: u32 = 250_000;

/// The rules for one root.
#[derive(Clone, Copy)]
pub(super) struct WalkPlan<'a> {
    pub(super) rule: &'a ScanRule,
    pub(super) depth: Option<u32>,
    pub(super) hidden: Visit,
    pub(super) links: Links,
    pub(super) entries: Option<u32>,
}

/// The result of a scan.
#[derive(Debug, Default)]
pub(super) struct Walked {
    pub(super) files: Vec<PathBuf>,
    /// What is known of the folder of each of these files.
    pub(super) surroundings: Vec<Surroundings>,
    /// Markdown files directly in the root that are skills.
    pub(super) flat: Vec<PathBuf>,
    pub(super) skipped: Vec<SkippedPath>,
    pub(super) notes: Vec<String>,
}

/// What a scan learned about the folder of a skill, so that nothing is looked up again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Surroundings {
    /// Whether neither the file nor its folder is a link.
    pub(super) is_plain: bool,
    /// The names in the folder that are not files, if all of them were read.
    pub(super) folders: Option<Vec<String>>,
    /// The head of the file, if it was read before.
    pub(super) head: Option<Arc<SkillHead>>,
}

/// A file or folder that the agent skips.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SkippedPath {
    pub(super) path: PathBuf,
    pub(super) why: SkipReason,
}

/// The rule that skipped a file or folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SkipReason {
    Hidden,
    Skipped,
    TooDeep(u32),
    FolderLimit(u32),
    EntryLimit(u32),
    FolderLink,
    FileLink,
    FileName(String),
    RootFile,
    Nested(PathBuf),
    Cycle,
    OurBound,
    Outside,
}

struct Pending {
    path: PathBuf,
    depth: u32,
    /// Whether its own name is a link.
    is_link: bool,
    /// The folder that contains it, as an index into the chain.
    parent: Option<usize>,
    /// Whether only its own skill file counts.
    is_closed: bool,
}

/// A folder that is opened when something in it has to be looked up.
struct Opened<'a> {
    path: &'a Path,
    folder: OnceCell<Option<Folder>>,
}

impl Opened<'_> {
    fn folder(&self) -> Option<&Folder> {
        self.folder.get_or_init(|| Folder::open(self.path).ok()).as_ref()
    }

    /// What something in it is, links followed.
    fn kind_of(&self, name: &str) -> Option<FileKind> {
        self.folder()?.kind_of(name)
    }
}

/// What is in a folder.
struct Listing<'a> {
    identity: (u64, u64),
    names: Cow<'a, [Name]>,
    /// The skill file whose head is known.
    head: Option<&'a (String, Arc<SkillHead>)>,
}

struct Walker<'a> {
    plan: WalkPlan<'a>,
    known_folders: &'a WalkedFolders,
    out: Walked,
    queue: VecDeque<Pending>,
    /// Identity and parent of every visited folder.
    chain: Vec<((u64, u64), Option<usize>)>,
    known: HashSet<(u64, u64)>,
    entries: u32,
}

/// Scans a root. A folder that was `opened` before is not opened again.
pub(super) fn walk(root: &Path, plan: WalkPlan<'_>, opened: &WalkedFolders) -> Walked {
    let mut walker = Walker {
        plan,
        known_folders: opened,
        out: Walked::default(),
        queue: VecDeque::from([Pending {
            path: root.to_path_buf(),
            depth: 0,
            // Not known.
            is_link: true,
            parent: None,
            is_closed: false,
        }]),
        chain: Vec::new(),
        known: HashSet::new(),
        entries: 0,
    };
    while let Some(pending) = walker.queue.pop_front() {
        match walker.limit() {
            Some(why) => walker.skip(pending.path, why),
            None => walker.visit(&pending),
        }
    }
    if walker.out.skipped.iter().any(|skipped| skipped.why == SkipReason::OurBound) {
        let root = root.display();
        walker.out.notes.push(format!(
            "this view stopped in `{root}` at {MOST_LEVELS} levels or {MOST_FOLDERS} folders; the agent has no such limit"
        ));
    }
    walker.out
}

impl<'a> Walker<'a> {
    /// The limit that ends the scan, if one is reached.
    fn limit(&self) -> Option<SkipReason> {
        let visited = u32::try_from(self.chain.len()).unwrap_or(u32::MAX);
        let folders = self.plan.rule.folders.filter(|most| visited >= *most).map(SkipReason::FolderLimit);
        let entries = self.plan.entries.filter(|most| self.entries > *most).map(SkipReason::EntryLimit);
        folders.or(entries).or((visited >= MOST_FOLDERS).then_some(SkipReason::OurBound))
    }

    fn skip(&mut self, path: PathBuf, why: SkipReason) {
        self.out.skipped.push(SkippedPath { path, why });
    }

    fn visit(&mut self, pending: &Pending) {
        let folder = Opened { path: &pending.path, folder: OnceCell::new() };
        let Some(Listing { identity, names, head }) = self.listing(&folder) else { return };
        let fresh = self.known.insert(identity);
        if !fresh && self.plan.rule.repeated_folder == RepeatedFolder::One {
            return;
        }
        if !fresh && self.is_below_itself(identity, pending.parent) {
            self.skip(pending.path.clone(), SkipReason::Cycle);
            return;
        }
        let own = self.chain.len();
        self.chain.push((identity, pending.parent));

        let names = self.counted(&pending.path, names);
        let skill = self.skill(&folder, pending, &names, head);
        let before = self.queue.len();
        for name in names.iter().filter(|_| !pending.is_closed) {
            self.child(&folder, pending, own, name, skill.as_deref());
        }
        if self.plan.rule.order == ScanOrder::Depth {
            let added = self.queue.len() - before;
            self.queue.rotate_right(added);
        }
    }

    fn listing(&self, folder: &Opened<'_>) -> Option<Listing<'a>> {
        if let Some(known) = self.known_folders.get(folder.path) {
            let names = Cow::Borrowed(known.names.as_slice());
            return Some(Listing { identity: known.identity, names, head: known.head.as_ref() });
        }
        let folder = folder.folder()?;
        let (Ok(stamp), Ok((names, _))) = (folder.stamp(), folder.names()) else { return None };
        Some(Listing { identity: stamp.identity(), names: Cow::Owned(names), head: None })
    }

    /// The entries that the agent examines before its limit.
    fn counted(&mut self, folder: &Path, mut names: Cow<'a, [Name]>) -> Cow<'a, [Name]> {
        let before = self.entries;
        self.entries = before.saturating_add(u32::try_from(names.len()).unwrap_or(u32::MAX));
        if let Some(most) = self.plan.entries.filter(|most| self.entries > *most) {
            for name in names.to_mut().drain(most.saturating_sub(before) as usize..) {
                self.out
                    .skipped
                    .push(SkippedPath { path: folder.join(name.text), why: SkipReason::EntryLimit(most) });
            }
        }
        names
    }

    fn is_below_itself(&self, identity: (u64, u64), parent: Option<usize>) -> bool {
        let mut at = parent;
        while let Some(index) = at {
            let (above, next) = self.chain[index];
            if above == identity {
                return true;
            }
            at = next;
        }
        false
    }

    /// The skill file of a folder.
    fn skill(
        &mut self,
        folder: &Opened<'_>,
        pending: &Pending,
        names: &[Name],
        head: Option<&(String, Arc<SkillHead>)>,
    ) -> Option<PathBuf> {
        let rule = self.plan.rule;
        let kind = |file: &str| names.iter().find(|name| name.text == file).map(|name| name.kind);
        for file in &rule.files {
            let path = pending.path.join(file);
            let is_file = match kind(file) {
                Some(FileKind::File) => true,
                Some(FileKind::Link) if self.links(rule.file_links) == Links::Follow => {
                    folder.kind_of(file) == Some(FileKind::File)
                }
                Some(FileKind::Link) => {
                    self.skip(path, SkipReason::FileLink);
                    continue;
                }
                _ => false,
            };
            if is_file && pending.depth == 0 && !rule.root_skill {
                self.skip(path, SkipReason::RootFile);
            } else if is_file {
                let folders = names.iter().filter(|name| name.kind != FileKind::File);
                self.out.surroundings.push(Surroundings {
                    is_plain: !pending.is_link && kind(file) == Some(FileKind::File),
                    folders: self.limit().is_none().then(|| folders.map(|name| name.text.clone()).collect()),
                    head: head.filter(|(name, _)| name == file).map(|(_, head)| Arc::clone(head)),
                });
                self.out.files.push(path.clone());
                return Some(path);
            }
        }
        // A name that differs only in case is a skill in other agents.
        let similar = |name: &&Name| {
            matches!(name.kind, FileKind::File | FileKind::Link)
                && !rule.files.contains(&name.text)
                && rule.files.iter().any(|file| file.eq_ignore_ascii_case(&name.text))
        };
        for name in names.iter().filter(similar) {
            self.skip(pending.path.join(&name.text), SkipReason::FileName(rule.files[0].clone()));
        }
        None
    }

    fn child(
        &mut self,
        folder: &Opened<'_>,
        pending: &Pending,
        own: usize,
        name: &Name,
        skill: Option<&Path>,
    ) {
        let rule = self.plan.rule;
        let path = pending.path.join(&name.text);
        let kind = if name.kind == FileKind::Link { folder.kind_of(&name.text) } else { Some(name.kind) };
        let is_flat = || {
            let name = Path::new(&name.text);
            rule.flat_files
                && !rule.files.iter().any(|file| name == Path::new(file))
                && name.extension().is_some_and(|ending| ending == "md")
        };
        let ends_root = rule.nested == Nested::StopAtRoot && skill.is_some();
        if pending.depth == 0 && kind == Some(FileKind::File) && !ends_root && is_flat() {
            self.out.flat.push(path);
            return;
        }
        if kind != Some(FileKind::Folder) {
            return;
        }
        let most = self.plan.depth.unwrap_or(u32::MAX);
        let why = if name.text.starts_with('.') && self.plan.hidden == Visit::Skip {
            Some(SkipReason::Hidden)
        } else if rule.skip.contains(&name.text)
            || rule.skip_prefixes.iter().any(|prefix| name.text.starts_with(prefix))
        {
            Some(SkipReason::Skipped)
        } else if name.kind == FileKind::Link && self.links(rule.folder_links) == Links::Skip {
            Some(SkipReason::FolderLink)
        } else if let Some(skill) =
            skill.filter(|_| ends_root || (rule.nested == Nested::Stop && pending.depth > 0))
        {
            Some(SkipReason::Nested(skill.to_path_buf()))
        } else if pending.depth >= most {
            Some(SkipReason::TooDeep(most))
        } else {
            (pending.depth >= MOST_LEVELS).then_some(SkipReason::OurBound)
        };
        match why {
            Some(why) => self.skip(path, why),
            None => {
                let is_closed = name.text.starts_with('.') && self.plan.hidden == Visit::OnlySkill;
                let is_link = name.kind == FileKind::Link;
                let depth = pending.depth + 1;
                self.queue.push_back(Pending { path, depth, is_link, parent: Some(own), is_closed });
            }
        }
    }

    fn links(&self, own: Links) -> Links {
        if self.plan.links == Links::Skip { Links::Skip } else { own }
    }
}
