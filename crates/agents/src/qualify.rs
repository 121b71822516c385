//! Qualifies names of skills with their plugin: `acme:deploy`.

use super::{
    UnseenCode, config,
    json::JsonForm,
    skill::{Cause, FoundSkill, Loss, Skill},
};
use serde_json::Value as Json;
use skillful_profiles::{AgentProfile, Qualify};
use std::{
    collections::{BTreeSet, HashMap},
    path::{Path, PathBuf},
};

/// The namespaces of folders; each manifest is read once.
pub(super) struct Namespaces<'a> {
    agent: &'a AgentProfile,
    known: HashMap<PathBuf, Option<String>>,
}

impl<'a> Namespaces<'a> {
    pub(super) fn new(agent: &'a AgentProfile) -> Self {
        Self { agent, known: HashMap::new() }
    }

    /// Qualifies the name of a skill, if the agent does so.
    pub(super) fn apply(&mut self, skill: Skill) -> Result<Skill, Box<Loss>> {
        let rule = &self.agent.plugins;
        let owner = match rule.qualify {
            Qualify::Never | Qualify::Ambiguous => None,
            Qualify::Owner => skill.found.owner.clone(),
            Qualify::Nearest => skill.found.owner.clone().or_else(|| self.nearest(&skill.found)),
        };
        let Some(owner) = owner else { return Ok(skill) };
        let name = format!("{owner}:{}", skill.name);
        if let Some(most) = rule.max.filter(|most| name.chars().count() > *most as usize) {
            let reason =
                format!("{} refuses qualified names over {most} characters: `{name}`", self.agent.title);
            let cause = Cause::new(UnseenCode::Name, reason).fix("shorten the name");
            return Err(Box::new(cause.lose(&skill.found, Some(skill.name))));
        }
        let label = skill.label.map(|label| format!("{owner}:{label}"));
        Ok(Skill { name, label, ..skill })
    }

    fn nearest(&mut self, skill: &FoundSkill) -> Option<String> {
        let manifests = &self.agent.plugins.manifests;
        let is_plain = skill.surroundings.as_ref().is_some_and(|known| known.is_plain);
        // Most folders of skills have no manifest, which their scan has shown.
        let own = usize::from(is_plain && !manifests.iter().any(|manifest| skill.may_have(manifest)));
        skill.real.ancestors().skip(1 + own).find_map(|folder| {
            if let Some(known) = self.known.get(folder) {
                return known.clone();
            }
            let namespace = manifests.iter().find_map(|manifest| namespace(folder, manifest));
            self.known.insert(folder.to_path_buf(), namespace.clone());
            namespace
        })
    }
}

/// Qualifies the names that skills of several plugins share, in agents that do only that.
pub(super) fn ambiguous(agent: &AgentProfile, skills: &mut [Skill]) {
    if agent.plugins.qualify != Qualify::Ambiguous {
        return;
    }
    let mut owners: HashMap<String, BTreeSet<String>> = HashMap::new();
    for skill in skills.iter() {
        if let Some(owner) = &skill.found.owner {
            owners.entry(skill.name.clone()).or_default().insert(owner.clone());
        }
    }
    for skill in skills {
        let is_shared = owners.get(&skill.name).is_some_and(|owners| owners.len() > 1);
        if let Some(owner) = skill.found.owner.as_ref().filter(|_| is_shared) {
            skill.name = format!("{owner}:{}", skill.name);
        }
    }
}

/// The name in the manifest of a folder; a broken manifest counts as missing.
fn namespace(folder: &Path, manifest: &str) -> Option<String> {
    let json = config::read(&folder.join(manifest), JsonForm::Comments).ok()??;
    let own = || folder.file_name().map(|name| name.to_string_lossy().into_owned());
    match json.as_object()?.get("name") {
        None => own(),
        Some(Json::String(name)) if name.trim().is_empty() => own(),
        Some(Json::String(name)) => Some(name.clone()),
        Some(_) => None,
    }
}
