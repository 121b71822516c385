//! What links, or copies, make an agent load the skills that it misses.
//!
//! A plan is made from the views of all agents found here. It never makes an agent list a skill twice, never hides a
//! skill behind another of the same name, and never gives an agent a skill that is untrusted, pending, invalid or
//! blocked by the audit. Every other skill has a reason.

use crate::{
    agent_sets::{AgentSet, AgentSets, MissedByOne},
    views::{PathText, SCHEMA},
    workspace::{UnknownAgent, Workspace},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skillful_agents::{UnseenCode, ViewRoot};
use skillful_catalog::{
    Catalog, Entry, Scope, SkillState,
    names::in_order,
    profile::{Collision, RepeatedFolder, RootKind},
};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::{Path, PathBuf},
};

/// What would be linked for an agent.
///
/// Made from the views of agents only: a caller can leave links out and add none.
/// [`Library::apply_links`](crate::Library::apply_links) makes the plan again and links what both contain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LinkPlan {
    /// The version of this object.
    schema: u32,
    /// The agent.
    agent: String,
    /// Its name for users.
    title: String,
    /// What is linked.
    links: Vec<PlannedLink>,
    /// What is not, and why.
    not_linked: Vec<NotLinked>,
    /// Other agents that load the same skills from there, by their names for users.
    also_loaded_by: Vec<String>,
    /// How many skills the agent loads before.
    loads: usize,
    /// The name of the record that undoes it; set when it was carried out.
    #[serde(skip_serializing_if = "Option::is_none")]
    undo: Option<String>,
    /// Whether copies were asked for.
    #[serde(skip)]
    copy: bool,
    /// The one skill that the plan is about.
    #[serde(skip)]
    key: Option<PathBuf>,
}

/// One skill that is linked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct PlannedLink {
    /// The skill.
    pub skill: String,
    /// Its folder.
    pub from: PathText,
    /// The link.
    pub to: PathText,
    /// A link, or a copy for an agent that follows no links.
    pub how: LinkHow,
}

/// How an agent gets a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LinkHow {
    /// A symbolic link to the folder of the skill.
    Link,
    /// A copy of its files.
    Copy,
}

/// One skill that an agent misses and that is not linked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NotLinked {
    /// The skill.
    pub skill: String,
    /// Its file.
    pub path: PathText,
    /// Why, in a few words.
    pub why: String,
    /// Whether the reason is another skill of the same name.
    pub same_name: bool,
}

/// Why a skill is not linked.
struct Refused {
    why: String,
    same_name: bool,
}

impl Refused {
    fn new(why: impl Into<String>) -> Self {
        Self { why: why.into(), same_name: false }
    }
}

impl LinkPlan {
    /// The plan for an agent, from the views of the agents found here. `copy` asks for copies instead of links.
    pub fn of(workspace: &Workspace, sets: &AgentSets<'_>, id: &str, copy: bool) -> Self {
        Self::of_skill(workspace, sets, id, copy, None)
    }

    /// The same, about one skill alone: the key that views have for it.
    pub fn of_skill(
        workspace: &Workspace,
        sets: &AgentSets<'_>,
        id: &str,
        copy: bool,
        key: Option<&Path>,
    ) -> Self {
        let empty = Self { copy, key: key.map(Path::to_path_buf), ..Self::empty(id) };
        let Some(set) = sets.get(id) else { return empty };
        let catalog = workspace.whole_catalog();
        let entries = by_key(&catalog);
        let mut planner = Planner {
            workspace,
            sets,
            set,
            catalog: &catalog,
            copy,
            names: set.names(),
            planned: BTreeSet::new(),
            also: BTreeSet::new(),
        };
        let mut plan = Self { title: set.profile.title.clone(), loads: set.view.seen.len(), ..empty };
        let missed = sets.missed(id);
        for missed in missed.iter().filter(|missed| key.is_none_or(|key| missed.unseen.key == key)) {
            let at = entries.get(missed.unseen.key.as_path()).copied();
            let skill = match at {
                Some(at) => catalog.entries[at].address(),
                None => missed.unseen.name.clone().unwrap_or_default(),
            };
            match planner.link(missed, at) {
                Ok((from, to, how)) => {
                    plan.links.push(PlannedLink { skill, from: from.into(), to: to.into(), how });
                }
                Err(Refused { why, same_name }) => {
                    let path = PathText::from(&missed.unseen.file);
                    plan.not_linked.push(NotLinked { skill, path, why, same_name });
                }
            }
        }
        plan.links.sort_by(|one, other| in_order(&one.skill, &other.skill));
        plan.not_linked.sort_by(|one, other| in_order(&one.skill, &other.skill));
        plan.also_loaded_by = planner.also.into_iter().collect();
        sets.blocked.keep();
        plan
    }

    fn empty(id: &str) -> Self {
        Self {
            schema: SCHEMA,
            agent: id.to_owned(),
            title: id.to_owned(),
            links: Vec::new(),
            not_linked: Vec::new(),
            also_loaded_by: Vec::new(),
            loads: 0,
            undo: None,
            copy: false,
            key: None,
        }
    }

    /// The same plan from a newer workspace, with every skill audited as it is now; an error when the agent is not
    /// known there.
    pub(crate) fn made_again(&self, workspace: &Workspace) -> Result<Self, UnknownAgent> {
        let profile = workspace.agent(&self.agent)?;
        let sets = AgentSets::audited_anew(workspace, profile);
        Ok(Self::of_skill(workspace, &sets, &profile.id, self.copy, self.key.as_deref()))
    }

    /// Records the name that undoes the plan.
    pub(crate) fn carried_out(&mut self, undo: String) {
        self.undo = Some(undo);
    }

    /// Leaves out the links that the user did not choose.
    pub fn keep(&mut self, is_chosen: impl FnMut(&PlannedLink) -> bool) {
        self.links.retain(is_chosen);
    }

    /// The agent, by id.
    pub fn agent(&self) -> &str {
        &self.agent
    }

    /// The agent's name for users.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// What is linked.
    pub fn links(&self) -> &[PlannedLink] {
        &self.links
    }

    /// What is not linked, and why.
    pub fn not_linked(&self) -> &[NotLinked] {
        &self.not_linked
    }

    /// Other agents that load the same skills from there, by their names for users.
    pub fn also_loaded_by(&self) -> &[String] {
        &self.also_loaded_by
    }

    /// How many skills the agent loads before.
    pub fn loads(&self) -> usize {
        self.loads
    }

    /// The name of the record that undoes it, when it was carried out.
    pub fn undo(&self) -> Option<&str> {
        self.undo.as_deref()
    }

    /// Whether everything that is linked is copied.
    pub fn copies(&self) -> bool {
        self.links.iter().all(|link| link.how == LinkHow::Copy)
    }
}

/// The nearest folder of a path that exists, links resolved.
pub(crate) fn real_part(path: &Path) -> Option<PathBuf> {
    path.ancestors().find(|folder| folder.symlink_metadata().is_ok())?.canonicalize().ok()
}

/// The key that views have for a skill.
pub(crate) fn view_key(entry: &Entry) -> PathBuf {
    match (entry.origin.kind, entry.origin.file.file_name()) {
        (RootKind::Commands, _) | (_, None) => entry.origin.real.clone(),
        (_, Some(file)) => entry.origin.real.join(file),
    }
}

/// The skills of a catalog by the key that views use.
fn by_key(catalog: &Catalog) -> HashMap<PathBuf, usize> {
    catalog.entries.iter().enumerate().map(|(at, entry)| (view_key(entry), at)).collect()
}

struct Planner<'a, 'w> {
    workspace: &'a Workspace,
    sets: &'a AgentSets<'w>,
    set: &'a AgentSet<'w>,
    catalog: &'a Catalog,
    copy: bool,
    /// What the agent loads by name.
    names: BTreeMap<String, Vec<&'a PathBuf>>,
    /// Names that the plan adds.
    planned: BTreeSet<String>,
    also: BTreeSet<String>,
}

impl Planner<'_, '_> {
    fn link(
        &mut self,
        missed: &MissedByOne<'_>,
        at: Option<usize>,
    ) -> Result<(PathBuf, PathBuf, LinkHow), Refused> {
        let title = &self.set.profile.title;
        match missed.unseen.code {
            UnseenCode::RootNotRead => {}
            UnseenCode::Disabled => return Err(Refused::new(format!("disabled in {title}"))),
            _ => return Err(Refused::new(missed.unseen.reason.clone())),
        }
        let at = at.ok_or_else(|| Refused::new("Skillful does not load it"))?;
        let entry = &self.catalog.entries[at];
        if entry.origin.kind != RootKind::Skills {
            return Err(Refused::new("a command file, which only some agents read"));
        }
        match entry.origin.scope {
            Scope::Project | Scope::User | Scope::Custom => {}
            scope => {
                return Err(Refused::new(format!("{} skill; its folder can change", scope.word())));
            }
        }
        match self.catalog.state(at, self.workspace.principal(), self.workspace.environment()) {
            SkillState::Available | SkillState::Unavailable { .. } | SkillState::Shadowed { .. } => {}
            state => return Err(Refused::new(state.word())),
        }
        let folder = entry.folder();
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for name in [&name, &entry.name] {
            self.is_free(name)?;
        }
        if let Some(refusal) = skillful_agents::refusal(self.set.profile, &entry.origin.file) {
            return Err(Refused::new(refusal.reason));
        }
        let (target, how, also) = self.place(entry, &name)?;
        // Last, since it reads every file of the skill.
        if self.sets.blocked.is_blocked(entry).map_err(Refused::new)? {
            return Err(Refused::new("BLOCKED by the audit"));
        }
        self.planned.extend([name.to_lowercase(), entry.name.to_lowercase()]);
        self.also.extend(also);
        Ok((folder.to_path_buf(), target, how))
    }

    /// Whether the agent has no skill of that name yet.
    fn is_free(&self, name: &str) -> Result<(), Refused> {
        let lower = name.to_lowercase();
        let title = &self.set.profile.title;
        let same = |why: String| Err(Refused { why, same_name: true });
        if let Some(file) = self.names.get(&lower).and_then(|files| files.first()) {
            let folder = file.parent().and_then(Path::parent).unwrap_or(file);
            return same(format!("{title} loads another {name} from {}", folder.display()));
        }
        if self.set.view.built_in.iter().any(|built_in| built_in.to_lowercase() == lower) {
            return same(format!("{title} has a built-in skill {name}"));
        }
        if self.planned.contains(&lower) {
            return same(format!("another {name} is linked"));
        }
        Ok(())
    }

    /// The path of the link, whether it is one, and the agents that load the skill from there besides.
    fn place(&self, entry: &Entry, name: &str) -> Result<(PathBuf, LinkHow, Vec<String>), Refused> {
        let title = &self.set.profile.title;
        let mut why = Refused::new(format!("{title} reads no folder for it here"));
        for root in self.candidates(entry) {
            let target = root.path.join(name);
            let how = if root.follows_links && !self.copy { LinkHow::Link } else { LinkHow::Copy };
            if target.symlink_metadata().is_ok() {
                why = Refused::new(format!("{} exists", target.display()));
                why.same_name = true;
                continue;
            }
            match self.others(entry, root, name, how) {
                Ok(also) => return Ok((target, how, also)),
                Err(refused) => why = refused,
            }
        }
        Err(why)
    }

    /// Folders that the agent reads for skills of the same owner: near the skill, shared ones first.
    fn candidates(&self, entry: &Entry) -> Vec<&ViewRoot> {
        let is_project = entry.origin.scope == Scope::Project;
        let wanted = if is_project { Scope::Project } else { Scope::User };
        let home = &self.workspace.environment().home;
        let project = self.catalog.project.canonicalize().unwrap_or_else(|_| self.catalog.project.clone());
        let mut roots: Vec<&ViewRoot> = self.set.view.roots.iter().collect();
        roots.retain(|root| {
            // A link of a repository could lead anywhere.
            let is_inside = || real_part(&root.path).is_some_and(|real| real.starts_with(&project));
            let is_own = if is_project { is_inside() } else { root.path.starts_with(home) };
            root.kind == RootKind::Skills && root.scope == wanted && is_own
        });
        let common = |root: &ViewRoot| {
            let pairs = root.path.components().zip(entry.origin.file.components());
            pairs.take_while(|(one, other)| one == other).count()
        };
        roots.sort_by_key(|root| {
            let near = if is_project { common(root) } else { 0 };
            (std::cmp::Reverse(near), !root.path.ends_with(".agents/skills"))
        });
        roots
    }

    /// The other agents that would load the skill from a folder. None of them may list a skill twice or lose one.
    fn others(
        &self,
        entry: &Entry,
        root: &ViewRoot,
        name: &str,
        how: LinkHow,
    ) -> Result<Vec<String>, Refused> {
        let mut also = Vec::new();
        for other in self.sets.agents.iter().filter(|other| other.profile.id != self.set.profile.id) {
            if !other.view.roots.iter().any(|known| known.path == root.path) {
                continue;
            }
            let title = &other.profile.title;
            let names = [name.to_lowercase(), entry.name.to_lowercase()];
            let mut same = other.view.seen.iter().filter(|seen| names.contains(&seen.name.to_lowercase()));
            if same.clone().any(|seen| !seen.key.starts_with(&entry.origin.real)) {
                let why = format!("{title} loads another {name}, and reads that folder as well");
                return Err(Refused { why, same_name: true });
            }
            let is_loaded = same.next().is_some();
            let knows_links =
                how == LinkHow::Link && other.profile.scan.repeated_folder == RepeatedFolder::One;
            if is_loaded && other.profile.collision == Collision::All && !knows_links {
                return Err(Refused::new(format!("{title} would list it twice")));
            }
            if !is_loaded {
                also.push(title.clone());
            }
        }
        Ok(also)
    }
}
