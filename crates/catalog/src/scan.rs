//! Walking one root: breadth first, in parallel, in a fixed order, within bounds.
//!
//! A folder is visited once however many ways lead to it, so link cycles end. A folder that a
//! previous walk has seen and whose stamps are unchanged is not opened again; that is the whole
//! cache, and it is never stale because every stamp is compared.

use crate::{
    bounded::Boundary,
    folder::{FileKind, Folder, Name, Stamp},
    load::{self, Loaded},
    parallel,
    profile::{Links, Nested, RepeatedFolder, ScanRule, Visit},
    skipped_place,
    walked::WalkedFolder,
};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use skillful_format::{Code, Diagnostic};
use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
    sync::Arc,
};

/// What one folder held when it was visited.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct FolderRecord {
    /// Relative to the root; empty for the root itself.
    pub(crate) path: String,
    stamp: Stamp,
    /// The real path, where a link led here. Never remembered: a folder above may have moved.
    #[serde(skip)]
    pub(crate) real: Option<PathBuf>,
    children: Vec<Name>,
    /// What the links here led to. Their targets change without a trace in this folder.
    links: Vec<(String, Option<FileKind>)>,
    /// Boxed, because records are moved about and most of their size is here.
    pub(crate) skill: Option<SkillRecord>,
    diagnostics: Vec<Diagnostic>,
    /// What was seen in it, for a walk that keeps that.
    #[serde(skip)]
    pub(crate) walked: Option<Box<WalkedFolder>>,
}

/// The skill of a folder.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SkillRecord {
    /// Name of the file.
    pub(crate) file: String,
    /// The file and the sidecars the skill was read from; `None` for one that was not there.
    stamps: Vec<(String, Option<Stamp>)>,
    /// In a box: records are moved about, and this is by far their largest part.
    pub(crate) loaded: Box<Loaded>,
}

impl FolderRecord {
    /// Identity of the folder, equal for every path that leads to it.
    pub(crate) fn identity(&self) -> (u64, u64) {
        self.stamp.identity()
    }

    /// Whether nothing below changed since the record was made at `taken`.
    fn is_current(&self, root: &Folder, taken: i64) -> bool {
        let same = |path: &str, stamp: &Stamp| stamp.is_settled(taken) && root.stamp_of(path) == Some(*stamp);
        let own = if self.path.is_empty() { "." } else { &self.path };
        same(own, &self.stamp)
            && self.links.iter().all(|(name, kind)| root.kind_of(&join(&self.path, name)) == *kind)
            && self.skill.iter().flat_map(|skill| &skill.stamps).all(|(file, stamp)| {
                let path = join(&self.path, file);
                match stamp {
                    Some(stamp) => same(&path, stamp),
                    None => root.stamp_of(&path).is_none(),
                }
            })
    }
}

/// What a walk remembers for the next one.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    pub(crate) taken: i64,
    pub(crate) records: HashMap<String, Box<FolderRecord>>,
}

/// Everything a walk found.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    /// The root, links resolved.
    pub(crate) real: PathBuf,
    /// Folders in the order of the walk; those with a skill are the finds. A folder that two ways
    /// lead to is here twice, and entered once. Each in a box, so that one after the other gives its memory back.
    #[expect(
        clippy::vec_box,
        reason = "a vector of records is moved when it grows, and stays in memory to the end"
    )]
    pub(crate) records: Vec<Box<FolderRecord>>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Whether anything had to be read anew.
    pub(crate) changed: bool,
}

struct Pending {
    path: String,
    depth: u32,
    /// Whether this very name is a link.
    linked: bool,
    /// Whether it lies where Skillful loads no skills: nothing is reported there but skills and limits.
    aside: bool,
    /// The real path of the folder above, where a link led there.
    above: Option<PathBuf>,
}

/// How deep a walk goes where Skillful loads no skills: as deep as an agent without a limit finds skills in practice.
const ASIDE_LEVELS: u32 = 32;

/// The ground of a walk: its root, how it follows links, and where they may lead.
struct Ground<'a> {
    root: &'a Path,
    rule: &'a ScanRule,
    links: Links,
    within: Option<&'a Boundary>,
    /// Whether each record has what was seen in its folder.
    keeps: bool,
}

enum Visited {
    /// A link, or a folder behind one, that is outside of the boundary.
    Outside,
    Same(Option<PathBuf>),
    Fresh(Box<FolderRecord>),
    Failed(Errno),
}

/// Walks `root` by an agent's rule. With a boundary, nothing outside of it is entered or read. A walk that `keeps` has what it
/// saw in its records.
pub(crate) fn scan(
    root: &Path,
    rule: &ScanRule,
    links: Links,
    within: Option<&Boundary>,
    mut memory: Memory,
    keeps: bool,
) -> Scan {
    let ground = Ground { root, rule, links, within, keeps };
    let mut scan =
        Scan { real: std::fs::canonicalize(root).unwrap_or_else(|_| root.to_path_buf()), ..Scan::default() };
    let handle = match Folder::open(root) {
        Ok(handle) => handle,
        Err(Errno::NOENT | Errno::NOTDIR) => return scan,
        Err(error) => {
            scan.diagnostics.push(unreadable(root, error));
            return scan;
        }
    };
    if handle.leaves(root, within).is_some() {
        scan.diagnostics.push(outside(root));
        return scan;
    }
    let mut seen = HashSet::new();
    let mut room = rule.folders.map_or(usize::MAX, |most| most as usize);
    let mut too_deep: Option<(PathBuf, u32)> = None;
    let mut level = vec![Pending { path: String::new(), depth: 0, linked: false, aside: false, above: None }];
    while !level.is_empty() {
        let left_out = level.get(room).map(|pending| root.join(&pending.path));
        level.truncate(room);
        room -= level.len();
        let visits = parallel::map(&level, |pending| visit(&ground, &handle, pending, &memory));
        let mut next = Vec::new();
        for (pending, visit) in level.into_iter().zip(visits) {
            let record = match visit {
                Visited::Same(real) => match memory.records.remove(&pending.path) {
                    Some(mut record) => {
                        record.real = real;
                        record
                    }
                    None => continue,
                },
                Visited::Fresh(record) => {
                    scan.changed = true;
                    record
                }
                Visited::Outside => {
                    scan.diagnostics.push(outside(&root.join(&pending.path)));
                    continue;
                }
                // Gone since its name was read.
                Visited::Failed(Errno::NOENT) => continue,
                Visited::Failed(error) => {
                    scan.diagnostics.push(unreadable(&root.join(&pending.path), error));
                    continue;
                }
            };
            if !seen.insert(record.identity()) && rule.repeated_folder == RepeatedFolder::One {
                if pending.linked && !pending.aside {
                    scan.diagnostics.push(twin(root, &scan.real, &pending, &record));
                }
                scan.records.push(record);
                continue;
            }
            scan.diagnostics.extend(record.diagnostics.iter().cloned());
            if !record.children.is_empty() {
                // A root that is to be a skill alone has no levels: what lies below it is its own.
                let is_own = record.skill.is_some() && (pending.depth > 0 || rule.depth == Some(0));
                let most = rule
                    .depth
                    .map(|most| if pending.aside || is_own && most == 0 { ASIDE_LEVELS } else { most });
                if let Some(most) = most.filter(|most| pending.depth >= *most) {
                    too_deep.get_or_insert_with(|| (root.join(&pending.path), most));
                } else {
                    let aside = pending.aside || is_own;
                    next.extend(record.children.iter().map(|child| Pending {
                        path: join(&record.path, &child.text),
                        depth: pending.depth + 1,
                        linked: child.kind == FileKind::Link,
                        aside: aside || skipped_place::is_skipped(&child.text),
                        above: record.real.clone(),
                    }));
                }
            }
            scan.records.push(record);
        }
        level = next;
        if let (Some(first), Some(most)) = (left_out, rule.folders) {
            scan.diagnostics.push(
                Diagnostic::new(
                    Code::FolderLimit,
                    format!(
                        "Skillful reads {most} folders of a root; `{}` and what follows was not read",
                        first.display()
                    ),
                )
                .in_path(root)
                .help("raise `scan.folders` in the configuration, or split the root"),
            );
            break;
        }
    }
    if let Some((path, most)) = too_deep
        && most > 1
    {
        scan.diagnostics.push(
            Diagnostic::new(
                Code::DepthLimit,
                format!("Skillful reads {most} levels below a root; folders below this one were not read"),
            )
            .in_path(path)
            .help("move the skills up, or make the inner folder a root of its own"),
        );
    }
    scan.changed |= !memory.records.is_empty();
    scan
}

/// A link to a folder that was already read, which is a cycle when the link lies inside it.
fn twin(root: &Path, real_root: &Path, pending: &Pending, record: &FolderRecord) -> Diagnostic {
    let here = match &pending.above {
        Some(above) => above.clone(),
        None => real_root.join(pending.path.rsplit_once('/').map_or("", |(above, _)| above)),
    };
    let inside = record.real.as_ref().is_some_and(|real| here.starts_with(real));
    let (code, what) = if inside {
        (Code::LinkCycle, "leads back to a folder above it")
    } else {
        (Code::LinkTwin, "leads to a folder that was already read")
    };
    Diagnostic::new(code, format!("the link `{}` {what}", pending.path)).in_path(root.join(&pending.path))
}

/// A link that leads out of the repository or plugin.
fn outside(path: &Path) -> Diagnostic {
    Diagnostic::new(Code::LinkOutside, "the link leads out of the repository or plugin and was not followed")
        .in_path(path)
        .help("copy what it leads to, or install it with `skillful add`")
}

fn visit(ground: &Ground<'_>, handle: &Folder, pending: &Pending, memory: &Memory) -> Visited {
    let named = ground.root.join(&pending.path);
    let real = match &pending.above {
        _ if pending.linked => std::fs::canonicalize(&named).ok(),
        Some(above) => {
            Some(above.join(pending.path.rsplit_once('/').map_or(&*pending.path, |(_, name)| name)))
        }
        None => None,
    };
    // Where a link may lead is asked each time: what is installed changes without a trace in the folder.
    if let (true, Some(within), Some(real)) = (pending.linked, ground.within, &real)
        && !within.permits(&named, real)
    {
        return Visited::Outside;
    }
    if let Some(record) = memory.records.get(&pending.path)
        && record.is_current(handle, memory.taken)
    {
        return Visited::Same(real);
    }
    let own = if pending.path.is_empty() { "." } else { &pending.path };
    let folder = match handle.open_below(own) {
        Ok(folder) => folder,
        Err(error) => return Visited::Failed(error),
    };
    // An installed skill is a link into the content store; its files stay in its own folder.
    let installed = match (ground.within, &real) {
        (Some(within), Some(real)) if !within.holds(real) => Some(Boundary::of(real)),
        _ => None,
    };
    let within = installed.as_ref().or(ground.within);
    if folder.leaves(&named, within).is_some() {
        return Visited::Outside;
    }
    match fresh(&Ground { within, ..*ground }, &folder, pending) {
        Ok(mut record) => {
            record.real = real;
            Visited::Fresh(Box::new(record))
        }
        Err(error) => Visited::Failed(error),
    }
}

fn fresh(ground: &Ground<'_>, folder: &Folder, pending: &Pending) -> Result<FolderRecord, Errno> {
    let Ground { root, rule, links, within, keeps } = *ground;
    // The stamp comes first: a change during the reading then makes the record outdated.
    let stamp = folder.stamp()?;
    let (names, strange) = folder.names()?;
    let here = || root.join(&pending.path);
    let mut diagnostics: Vec<Diagnostic> = strange
        .into_iter()
        .map(|name| {
            Diagnostic::new(Code::FolderUnreadable, format!("the name `{name}` is not UTF-8; it was skipped"))
                .in_path(here())
                .help("rename it")
        })
        .collect();
    let mut head = None;
    let skill = if pending.depth == 0 && !rule.root_skill {
        None
    } else {
        let file_links = if links == Links::Skip { Links::Skip } else { rule.file_links };
        let kept = keeps.then_some(&mut head);
        load::skill_of(folder, &here(), &names, &rule.files, (file_links, within), &mut diagnostics, kept)
    };
    let walked = keeps.then(|| {
        let head = skill.as_ref().and_then(|(file, ..)| Some((file.clone(), Arc::new(head?))));
        Box::new(WalkedFolder { identity: stamp.identity(), names: names.clone(), head })
    });
    let skill =
        skill.map(|(file, sources, loaded)| SkillRecord { file, stamps: sources, loaded: Box::new(loaded) });
    // A stray file in a root hides nothing below it; inside a skill everything is the skill's own.
    let descend = pending.depth == 0 || skill.is_none() || rule.nested == Nested::Descend;
    let folder_links = if links == Links::Skip { Links::Skip } else { rule.folder_links };
    // Links inside a skill are the skill's own affair.
    let is_aside = pending.aside || pending.depth > 0 && skill.is_some();
    let mut children = Vec::new();
    let mut led_to = Vec::new();
    for name in names {
        let is_skill_file = rule.files.contains(&name.text);
        if !(is_skill_file || descend && is_entered(&name.text, rule)) {
            continue;
        }
        match name.kind {
            FileKind::Folder if descend => children.push(name),
            FileKind::Link => {
                let kind = folder.kind_of(&name.text);
                led_to.push((name.text.clone(), kind));
                match kind {
                    _ if !descend => {}
                    Some(FileKind::Folder) if folder_links == Links::Follow => children.push(name),
                    Some(FileKind::Folder) if is_aside => {}
                    Some(FileKind::Folder) => diagnostics.push(
                        Diagnostic::new(
                            Code::LinkRefused,
                            format!("the link `{}` was not followed", name.text),
                        )
                        .in_path(here().join(&name.text))
                        .help("links are not followed in this scope; copy the folder"),
                    ),
                    // The loader reported it.
                    None if !is_skill_file && !is_aside => diagnostics.push(
                        Diagnostic::new(
                            Code::LinkBroken,
                            format!("the link `{}` points at nothing", name.text),
                        )
                        .in_path(here().join(&name.text))
                        .help("repair or remove the link"),
                    ),
                    _ => {}
                }
            }
            FileKind::Folder | FileKind::File | FileKind::Other => {}
        }
    }
    Ok(FolderRecord {
        path: pending.path.clone(),
        stamp,
        real: None,
        children,
        links: led_to,
        skill,
        diagnostics,
        walked,
    })
}

/// Whether a walk by this rule enters a folder of that name.
pub(crate) fn is_entered(name: &str, rule: &ScanRule) -> bool {
    let is_hidden = name.starts_with('.') && rule.hidden == Visit::Skip;
    let is_skipped = rule.skip.iter().any(|skip| skip == name)
        || rule.skip_prefixes.iter().any(|prefix| name.starts_with(prefix.as_str()));
    !is_hidden && !is_skipped
}

pub(crate) fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

fn unreadable(path: &Path, error: Errno) -> Diagnostic {
    Diagnostic::new(Code::FolderUnreadable, format!("the folder could not be read: {error}"))
        .in_path(path)
        .help("check its permissions")
}
