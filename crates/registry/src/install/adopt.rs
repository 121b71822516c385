//! Skills that another installer put in place: taken into the lock as they are, without a byte being changed.

use super::{
    InstallError, PlacementPlan, Site, alias,
    place::{Folders, Now},
    plan::{Planning, places},
};
use crate::{
    content_store::ContentStore,
    lock::{
        Lock, Locked, Resolved,
        npm::{Loss, Wanted},
    },
};
use skillful_catalog::capability;
use skillful_format::{Limits, Tree, TreePath};
use std::collections::BTreeSet;

/// Entries of a folder that are looked at for skills that no lock names.
const STRAYS: usize = 10_000;

/// What adopting comes to.
#[derive(Clone, Debug, PartialEq)]
pub struct Adoption {
    /// Everything stays in its place; only the lock and the content store change.
    pub plan: PlacementPlan,
    /// What was not taken over, and why.
    pub losses: Vec<Loss>,
    /// Skills in these folders that no lock names.
    pub strays: Vec<TreePath>,
}

impl Adoption {
    /// The files of the skills that are taken over.
    pub fn trees(&self) -> impl Iterator<Item = &Tree> {
        self.plan.trees.values()
    }
}

/// Plans to take over the skills in these folders of agents; when copies differ, the first folder decides.
pub fn plan_adopt(
    wanted: &[Wanted],
    folders: &[TreePath],
    lock: &Lock,
    site: &Site,
    contents: &ContentStore,
) -> Result<Adoption, InstallError> {
    let mut planning = Planning::new(lock, site, contents);
    let mut losses = Vec::new();
    let mut open = Folders::new(site);
    for wanted in wanted {
        if let Some(old) = lock.skills.get(&wanted.name) {
            if old.source != wanted.source {
                let why = format!("it is in the lock already, from `{}`", old.source);
                losses.push(Loss { what: wanted.name.to_string(), why });
            }
            continue;
        }
        let mut found = There::default();
        for folder in folders {
            let place = TreePath::new(&format!("{folder}/{}", wanted.name), &Limits::default());
            let Ok(place) = place else { continue };
            let now = open
                .open(&place)
                .and_then(|()| open.look(&place))
                .map_err(|error| InstallError::Disk { path: site.path(&place), action: "read", error })?;
            found.add(place, now, &mut losses);
        }
        match found.locked(wanted, site, &mut losses) {
            Some((locked, tree)) => {
                planning.trees.insert(locked.tree, tree);
                planning.skill(&wanted.name, &locked, None)?;
                planning.after.skills.insert(wanted.name.clone(), locked);
            }
            None => losses.push(Loss {
                what: wanted.name.to_string(),
                why: format!(
                    "it is not in a folder that an agent reads; `skillful add {}` fetches it",
                    wanted.source
                ),
            }),
        }
    }
    let plan = planning.plan();
    let strays = strays(folders, &plan.after, site);
    Ok(Adoption { plan, losses, strays })
}

/// Skills that a user put there by hand, or whose lock is gone.
fn strays(folders: &[TreePath], lock: &Lock, site: &Site) -> Vec<TreePath> {
    let known: BTreeSet<&TreePath> = lock.skills.values().flat_map(places).map(|(place, _)| place).collect();
    let mut strays = BTreeSet::new();
    for folder in folders {
        let Ok(dir) = site.folder(folder.as_str()) else { continue };
        for entry in dir.entries().into_iter().flatten().flatten().take(STRAYS) {
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            let place = TreePath::new(&format!("{folder}/{name}"), &Limits::default());
            let is_skill = entry.open_dir().is_ok_and(|folder| folder.is_file("SKILL.md"));
            strays.extend(place.ok().filter(|place| is_skill && !known.contains(place)));
        }
    }
    strays.into_iter().collect()
}

/// Where a skill lies.
#[derive(Default)]
struct There {
    copies: Vec<(TreePath, Tree)>,
    links: Vec<(TreePath, std::path::PathBuf)>,
}

impl There {
    fn add(&mut self, place: TreePath, now: Now, losses: &mut Vec<Loss>) {
        match now {
            Now::Absent => {}
            Now::Folder { tree, .. } => self.copies.push((place, *tree)),
            Now::Link(to) => self.links.push((place, to)),
            Now::Other => losses.push(Loss {
                what: place.to_string(),
                why: "something there is not part of a skill; it is left alone".to_owned(),
            }),
        }
    }

    /// The entry of the lock; none when there is no copy.
    fn locked(self, wanted: &Wanted, site: &Site, losses: &mut Vec<Loss>) -> Option<(Locked, Tree)> {
        let (_, tree) = self.copies.first()?;
        let (tree, digest) = (tree.clone(), tree.digest());
        let mut copied = BTreeSet::new();
        for (place, other) in &self.copies {
            if other.digest() == digest {
                copied.insert(place.clone());
            } else {
                let why = "it differs from the copy in the first folder, and is left alone".to_owned();
                losses.push(Loss { what: place.to_string(), why });
            }
        }
        let mut locked = Locked {
            source: wanted.source.clone(),
            folder: wanted.source.folder.clone(),
            resolved: Resolved::default(),
            artefact: None,
            tree: digest,
            edited: None,
            signer: None,
            capabilities: capability::of_tree(&tree).unwrap_or_default(),
            pending: false,
            copied,
            linked: BTreeSet::new(),
            aliases: BTreeSet::new(),
            rest: std::collections::BTreeMap::new(),
        };
        for (place, to) in self.links {
            if alias::leads_to_copy(site, &place, &to, &locked) {
                locked.aliases.insert(place);
            } else {
                let why = "it is a link to somewhere else, and is left alone".to_owned();
                losses.push(Loss { what: place.to_string(), why });
            }
        }
        Some((locked, tree))
    }
}
