//! The table of agent profiles: those shipped with the program and those a user added.

use super::AgentProfile;
use skillful_format::Diagnostic;

include!(concat!(env!("OUT_DIR"), "/profiles.rs"));

/// All known agent profiles, sorted by id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentProfiles {
    agents: Vec<AgentProfile>,
}

impl AgentProfiles {
    /// The profiles shipped with the program. The tests check that every one of them parses.
    pub fn embedded() -> Self {
        let agents = EMBEDDED.iter().filter_map(|(_, text)| AgentProfile::parse(text).ok()).collect();
        Self { agents }
    }

    /// One shipped profile, found by id or alias, without parsing the other files.
    pub fn embedded_agent(name: &str) -> Option<AgentProfile> {
        let direct =
            EMBEDDED.iter().find(|(id, _)| *id == name).and_then(|(_, text)| AgentProfile::parse(text).ok());
        direct.or_else(|| Self::embedded().agents.into_iter().find(|agent| agent.is_called(name)))
    }

    /// Adds a profile from a user's own file, or replaces the one with the same id.
    pub fn add(&mut self, text: &str) -> Result<(), Box<Diagnostic>> {
        let agent = AgentProfile::parse(text)?;
        match self.agents.binary_search_by(|known| known.id.cmp(&agent.id)) {
            Ok(at) => self.agents[at] = agent,
            Err(at) => self.agents.insert(at, agent),
        }
        Ok(())
    }

    /// The profile with an id or alias.
    pub fn get(&self, name: &str) -> Option<&AgentProfile> {
        self.agents.iter().find(|agent| agent.is_called(name))
    }

    /// All profiles, sorted by id.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &AgentProfile> {
        self.agents.iter()
    }
}
