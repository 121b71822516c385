//! The table of agents: those shipped with the program and those a person added.

use super::AgentProfile;
use skillful_format::Diagnostic;

include!(concat!(env!("OUT_DIR"), "/profiles.rs"));

/// All known agents, sorted by id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentProfiles {
    agents: Vec<AgentProfile>,
}

impl AgentProfiles {
    /// The agents shipped with the program. The build refuses a file that does not parse, so that
    /// none can be lost here.
    pub fn embedded() -> Self {
        let agents = EMBEDDED.iter().filter_map(|(_, text)| AgentProfile::parse(text).ok()).collect();
        Self { agents }
    }

    /// Only the shipped agent of that name, without reading the other files.
    pub fn embedded_agent(name: &str) -> Option<AgentProfile> {
        let direct =
            EMBEDDED.iter().find(|(id, _)| *id == name).and_then(|(_, text)| AgentProfile::parse(text).ok());
        direct.or_else(|| Self::embedded().agents.into_iter().find(|agent| agent.is_called(name)))
    }

    /// Adds or replaces an agent from a person's own file.
    pub fn add(&mut self, text: &str) -> Result<(), Box<Diagnostic>> {
        let agent = AgentProfile::parse(text)?;
        match self.agents.binary_search_by(|known| known.id.cmp(&agent.id)) {
            Ok(at) => self.agents[at] = agent,
            Err(at) => self.agents.insert(at, agent),
        }
        Ok(())
    }

    /// One agent by id or alias.
    pub fn get(&self, name: &str) -> Option<&AgentProfile> {
        self.agents.iter().find(|agent| agent.is_called(name))
    }

    /// All of them, by id.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &AgentProfile> {
        self.agents.iter()
    }
}
