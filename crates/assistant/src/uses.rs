//! Uses of skills: each load counts, and once in a turn what uses a skill without loading it.

use crate::{event::Event, tool::Effect, turn_loop::TurnLoop};
use skillful_runtime::implicit_use::{UsedFile, files_of, skill_of};
use skillful_select::access::{Way, is_open};

impl TurnLoop<'_, '_, '_, '_> {
    /// Records the use of a skill.
    pub(crate) fn record_use(&mut self, skill: &str) {
        self.used.insert(skill.to_owned());
        if let Err(why) = self.setup.journal.record_use(skill) {
            self.setup.observe(&Event::Note(format!("the use of `{skill}` could not be recorded: {why}")));
        }
    }

    /// Records the use of a skill, unless this turn recorded one.
    pub(crate) fn record_use_once(&mut self, skill: &str) {
        if !self.used.contains(skill) {
            self.record_use(skill);
        }
    }

    /// Records the skills that a call uses without loading them: programs of theirs that it runs, and instructions that it
    /// reads.
    pub(crate) fn record_implicit_uses(&mut self, effects: &[Effect]) {
        let mut skills = Vec::new();
        for effect in effects {
            let files = match effect {
                Effect::Command { text, .. } => files_of(text, &self.setup.env.folder, &self.setup.env.home),
                Effect::Read(path) => vec![UsedFile::Text(path.clone())],
                Effect::Program { skill, .. } => {
                    skills.push(skill.clone());
                    continue;
                }
                _ => continue,
            };
            let engine = &self.setup.engine;
            let is_available = |at: usize| {
                [Way::Load, Way::Mention].iter().any(|way| is_open(engine.catalog, at, engine.asker, *way))
            };
            let found = files.iter().filter_map(|file| skill_of(engine.catalog, file));
            skills.extend(found.filter(|(at, _)| is_available(*at)).map(|(_, entry)| entry.address()));
        }
        for skill in skills {
            self.record_use_once(&skill);
        }
    }
}
