//! The table of agent profiles: those shipped with the program and those a user added.

use super::AgentProfile;
use skillful_format::Diagnostic;

include!(concat!(env!("OUT_DIR"), "/profiles.rs"));

/// All known agent profiles, sorted by id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentProfiles {
    agents: Vec<AgentProfile>,
}

/// The tests compare every profile with its file, so that this never fails.
fn unpacked(bytes: &[u8]) -> Option<AgentProfile> {
    postcard::from_bytes(bytes).ok()
}

impl AgentProfiles {
    /// The profiles shipped with the program. The build script made them from `agents/*.toml`.
    pub fn embedded() -> Self {
        Self { agents: EMBEDDED.iter().filter_map(|(_, bytes)| unpacked(bytes)).collect() }
    }

    /// One shipped profile, found by id or alias, without reading the others when `name` is an id.
    pub fn embedded_agent(name: &str) -> Option<AgentProfile> {
        match EMBEDDED.binary_search_by_key(&name, |(id, _)| id) {
            Ok(at) => unpacked(EMBEDDED[at].1),
            Err(_) => Self::embedded().agents.into_iter().find(|agent| agent.is_called(name)),
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, path::Path};

    #[test]
    fn what_is_embedded_is_what_the_files_say() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("agents");
        let mut read = AgentProfiles::default();
        for file in fs::read_dir(folder).expect("the folder of profiles") {
            let file = file.expect("a file").path();
            read.add(&fs::read_to_string(&file).expect("a text")).expect("a profile");
        }
        assert!(read.iter().len() > 80, "{} profiles", read.iter().len());
        assert_eq!(AgentProfiles::embedded(), read);
        for agent in read.iter() {
            assert_eq!(AgentProfiles::embedded_agent(&agent.id).as_ref(), Some(agent));
            for alias in &agent.aliases {
                assert!(
                    AgentProfiles::embedded_agent(alias).is_some_and(|one| one.is_called(alias)),
                    "{alias}"
                );
            }
        }
    }
}
