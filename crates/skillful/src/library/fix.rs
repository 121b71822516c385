//! The fix of one skill, of what an agent makes of it, or of all that an agent misses: a plan, its writing, its undo.
//!
//! A fix is made of what the library can do besides: repairs of a file, links into the folders of an agent, and the
//! agent's own switch.

use super::{AgentSettingsChange, Library, LibraryError, RepairPlan};
use crate::agent_links::{LinkPlan, view_key};
use skillful_agents::UnseenCode;
use skillful_format::check::LENIENT;
use std::path::{Path, PathBuf};

/// What is to be fixed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FixRequest {
    /// The file of a skill that is invalid.
    File(PathBuf),
    /// What these agents make of the skill with this file.
    Agents {
        /// The file of the skill.
        file: PathBuf,
        /// The agents.
        agents: Vec<String>,
    },
    /// All that an agent misses.
    Missed(String),
}

/// What a fix would change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FixPlan {
    /// Repairs of the file.
    pub repairs: Option<RepairPlan>,
    /// Links and copies, by agent.
    pub links: Vec<LinkPlan>,
    /// Switches of agents.
    pub switches: Vec<AgentSettingsChange>,
    /// What stays as it is, and why.
    pub not_fixed: Vec<String>,
}

/// A fix that was carried out: what takes it back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AppliedFix {
    repairs: Option<RepairPlan>,
    links: Vec<String>,
    switches: Vec<AgentSettingsChange>,
}

impl FixPlan {
    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.repairs.as_ref().is_none_or(|plan| plan.files.is_empty())
            && self.links.iter().all(|plan| plan.links().is_empty())
            && self.switches.iter().all(|change| change.done_before)
    }
}

impl Library<'_> {
    /// Plans a fix. An error names why there is none.
    pub fn plan_fix(&self, request: &FixRequest) -> Result<FixPlan, LibraryError> {
        let plan = match request {
            FixRequest::File(file) => plan_repairs(file),
            FixRequest::Agents { file, agents } => {
                let mut plan = FixPlan::default();
                for agent in agents {
                    self.plan_agent(file, agent, &mut plan)?;
                }
                plan
            }
            FixRequest::Missed(agent) => {
                let links = self.plan_links(agent, false)?;
                let not_fixed = links.not_linked().iter().map(|one| format!("{}: {}", one.skill, one.why));
                FixPlan { not_fixed: not_fixed.collect(), links: vec![links], ..FixPlan::default() }
            }
        };
        if !plan.is_empty() {
            return Ok(plan);
        }
        Err(match plan.not_fixed.as_slice() {
            [] => LibraryError::new("there is nothing to fix"),
            why => LibraryError::new(format!("Skillful cannot fix this: {}", why.join("; "))),
        })
    }

    /// Carries out a plan, and returns what takes it back.
    pub fn apply_fix(&self, plan: FixPlan) -> Result<AppliedFix, LibraryError> {
        let mut applied = AppliedFix::default();
        if let Some(mut repairs) = plan.repairs {
            Self::apply_repairs(&mut repairs)?;
            applied.repairs = Some(repairs.reversed());
        }
        for mut change in plan.switches {
            self.apply_agent_settings(&mut change)?;
            applied.switches.push(change.reversed());
        }
        for mut links in plan.links.into_iter().filter(|plan| !plan.links().is_empty()) {
            self.apply_links(&mut links)?;
            applied.links.extend(links.undo().map(str::to_owned));
        }
        Ok(applied)
    }

    /// Takes a fix back. What changed since then stays, and is an error.
    pub fn undo_fix(&self, applied: AppliedFix) -> Result<(), LibraryError> {
        if let Some(mut repairs) = applied.repairs {
            Self::apply_repairs(&mut repairs)?;
        }
        for mut change in applied.switches {
            self.apply_agent_settings(&mut change)?;
        }
        for name in applied.links {
            let undone = self.undo_links(&name)?;
            if let Some(left) = undone.left.first() {
                return Err(LibraryError::new(format!("{} stays: {}", left.path, left.why)));
            }
        }
        Ok(())
    }

    /// What makes one agent load one skill: its own switch, else a link.
    fn plan_agent(&self, file: &Path, agent: &str, plan: &mut FixPlan) -> Result<(), LibraryError> {
        let profile = self.workspace.agent(agent).map_err(LibraryError::new)?;
        let title = &profile.title;
        let catalog = self.workspace.whole_catalog();
        let entry = catalog.entries.iter().find(|entry| entry.origin.file == file);
        let entry = entry.ok_or_else(|| {
            LibraryError::new(format!("`{}` is gone", file.display())).fix("reload the list")
        })?;
        let key = view_key(entry);
        let view = self.workspace.view(profile);
        let unseen = view.unseen.iter().find(|unseen| unseen.key == key);
        if let Some(name) =
            unseen.filter(|one| one.code == UnseenCode::Disabled).and_then(|one| one.name.clone())
            && profile.skill_switch.is_some()
        {
            plan.switches.push(self.plan_agent_switch(profile, &[name], true)?);
            return Ok(());
        }
        // A link for one agent can serve another.
        if plan.links.iter().any(|plan| plan.also_loaded_by().contains(title)) {
            return Ok(());
        }
        let links = self.plan_links_of(&profile.id, false, Some(&key))?;
        for one in links.not_linked() {
            let fix = unseen.and_then(|unseen| unseen.fix.as_ref());
            let fix = fix.map_or_else(String::new, |fix| format!("; fix: {fix}"));
            plan.not_fixed.push(format!("{title}: {}{fix}", one.why));
        }
        if links.links().is_empty() && links.not_linked().is_empty() {
            let why = unseen.map_or("it is not among the skills that other agents load", |one| &one.reason);
            plan.not_fixed.push(format!("{title}: {why}"));
        }
        plan.links.push(links);
        Ok(())
    }
}

/// Repairs that keep what a skill means; when there are none, those that change its name or text.
fn plan_repairs(file: &Path) -> FixPlan {
    let files = [file.to_path_buf()];
    let repairs = [false, true].map(|all| Library::plan_repairs(&files, &LENIENT, all));
    let repairs = repairs.into_iter().find(|plan| !plan.files.is_empty());
    let not_fixed = match repairs {
        Some(_) => Vec::new(),
        None => vec!["its author has to repair it".to_owned()],
    };
    FixPlan { repairs, not_fixed, ..FixPlan::default() }
}
