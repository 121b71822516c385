//! The table of hosts: those shipped with the program and those a person added.

use super::Host;
use skillful_format::Diagnostic;

include!(concat!(env!("OUT_DIR"), "/hosts.rs"));

/// All known hosts, sorted by id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hosts {
    hosts: Vec<Host>,
}

impl Hosts {
    /// The hosts shipped with the program. The build refuses a file that does not parse, so that
    /// none can be lost here.
    pub fn embedded() -> Self {
        let hosts = EMBEDDED.iter().filter_map(|(_, text)| Host::parse(text).ok()).collect();
        Self { hosts }
    }

    /// Only the shipped host of that name, without reading the other files.
    pub fn embedded_host(name: &str) -> Option<Host> {
        let direct = EMBEDDED.iter().find(|(id, _)| *id == name).and_then(|(_, text)| Host::parse(text).ok());
        direct.or_else(|| Self::embedded().hosts.into_iter().find(|host| host.is_called(name)))
    }

    /// Adds or replaces a host from a person's own file.
    pub fn add(&mut self, text: &str) -> Result<(), Box<Diagnostic>> {
        let host = Host::parse(text)?;
        match self.hosts.binary_search_by(|known| known.id.cmp(&host.id)) {
            Ok(at) => self.hosts[at] = host,
            Err(at) => self.hosts.insert(at, host),
        }
        Ok(())
    }

    /// One host by id or alias.
    pub fn get(&self, name: &str) -> Option<&Host> {
        self.hosts.iter().find(|host| host.is_called(name))
    }

    /// All of them, by id.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Host> {
        self.hosts.iter()
    }
}
