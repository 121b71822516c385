//! Files that the assistant read or changed. Skills of the folders around them join, and skills whose `paths` match them
//! become active.

use crate::{
    event::Event,
    fork,
    history::{Item, ItemKind},
    skills,
    tool::Effect,
    turn::TurnError,
    turn_loop::TurnLoop,
};
use skillful::Workspace;
use skillful_catalog::Scope;
use skillful_runtime::{
    compose,
    session::{Event as Happens, Outcome, Skill},
};
use skillful_select::{
    access::Way,
    selection::{SelectionReason, select},
    turn::Turn,
};
use std::path::{Path, PathBuf};

/// Knows which skills are near a file.
pub trait NearbySkills: Sync {
    /// Whether a file has a folder of skills near it that the catalog does not know.
    fn joins(&self, file: &Path) -> bool;
}

impl NearbySkills for Workspace {
    fn joins(&self, file: &Path) -> bool {
        let cwd = &self.environment().cwd;
        let real = cwd.canonicalize().unwrap_or_else(|_| cwd.clone());
        let Ok(below) = file.strip_prefix(&real) else { return false };
        let catalog = self.catalog();
        let folders = below.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
        folders.into_iter().any(|folder| {
            let roots = self.agents().iter().flat_map(|agent| &agent.roots);
            let roots = roots.filter(|root| root.scope == Scope::Project && root.path.is_relative());
            roots
                .map(|root| cwd.join(folder).join(root.path.as_str()))
                .any(|path| path.is_dir() && !catalog.roots.iter().any(|root| root.path == path))
        })
    }
}

/// The files that the effects of a call touch.
pub(crate) fn of(effects: &[Effect]) -> impl Iterator<Item = PathBuf> {
    let file = |effect: &Effect| match effect {
        Effect::Read(path) if path.is_file() => Some(path.clone()),
        Effect::Write(path) => Some(path.clone()),
        _ => None,
    };
    effects.iter().filter_map(file)
}

impl TurnLoop<'_, '_, '_, '_> {
    /// Remembers the files of a step. Returns whether skills near them have to join.
    pub(crate) fn take_touched(&mut self) -> Result<bool, TurnError> {
        let files = std::mem::take(&mut self.touched_now);
        let mut joins = false;
        let mut matched = false;
        for file in files {
            let Ok(below) = file.strip_prefix(&self.setup.env.folder) else { continue };
            let below = below.to_path_buf();
            if !self.session.state.touch(&below) {
                continue;
            }
            joins |= self.setup.nearby.is_some_and(|nearby| nearby.joins(&file));
            matched = true;
        }
        if matched {
            self.enter_by_path()?;
        }
        Ok(joins)
    }

    /// Loads the skills whose `paths` match a file that was touched.
    pub(crate) fn enter_by_path(&mut self) -> Result<(), TurnError> {
        let engine = self.setup.engine();
        let touched = self.session.state.touched().map(|file| file.display().to_string()).collect();
        let turn = Turn { folder: self.setup.env.folder.clone(), touched, ..Turn::default() };
        let by_path = |why: &SelectionReason| matches!(why, SelectionReason::Path { .. });
        for chosen in select(engine.catalog, &turn, engine.asker).selected {
            let entry = &engine.catalog.entries[chosen.entry()];
            let name = entry.address();
            let is_active = self.session.state.active().iter().any(|skill| skill.name == name);
            let skill = Skill::of(entry);
            if !chosen.why.iter().any(by_path) || is_active {
                continue;
            }
            if skill.fork {
                self.fork_by_path(&name, skill)?;
                continue;
            }
            self.apply(&Happens::Activate { skill, call: String::new() });
            match skills::enter(self, &name, Way::Select) {
                Ok(text) => self.push(vec![Item::user(ItemKind::Skill { name }, text)])?,
                Err(why) => self.setup.observe(&Event::NotActivated { skill: name, why }),
            }
        }
        Ok(())
    }

    /// Runs the sub-agent of a skill whose `paths` match a file that was touched, once in a session.
    fn fork_by_path(&mut self, name: &str, skill: Skill) -> Result<(), TurnError> {
        let outcome = self.apply(&Happens::Activate { skill, call: format!("path-{name}") });
        let lists = match outcome {
            Outcome::Fork { lists, .. } => lists,
            Outcome::AlreadyForked { .. } => return Ok(()),
            _ => {
                // Where no sub-agent can be started, the skill leads here.
                match skills::enter(self, name, Way::Select) {
                    Ok(text) => {
                        self.push(vec![Item::user(ItemKind::Skill { name: name.to_owned() }, text)])?;
                    }
                    Err(why) => self.setup.observe(&Event::NotActivated { skill: name.to_owned(), why }),
                }
                return Ok(());
            }
        };
        let engine = self.setup.engine();
        let loaded = skills::find(self, name, Way::Select).and_then(|proof| {
            let (_, instructions) = compose::load(&engine, &proof, "").map_err(|error| error.to_string())?;
            Ok(fork::SubAgentTask { proof, skill: name.to_owned(), instructions, lists })
        });
        let task = match loaded {
            Ok(task) => task,
            Err(why) => {
                self.setup.observe(&Event::NotActivated { skill: name.to_owned(), why });
                return Ok(());
            }
        };
        // Recorded before the start, so that it is not started twice after a crash.
        self.append(&[])?;
        let done = fork::run(self.setup, &task);
        self.spent.add(done.spent.usage, done.spent.cost);
        self.push(vec![Item::user(ItemKind::Note, fork::result_text(name, &done.output))])
    }
}
