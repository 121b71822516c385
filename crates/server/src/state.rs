//! What every handler has.

use crate::{
    api::KeptPages,
    forwarded::Proxies,
    health::LastReady,
    limits::Limits,
    machine::Machine,
    mcp::SkillSets,
    metrics::Metrics,
    oidc::{Provider, publish::Issuers},
    page::LastCheck,
};
use skillful_team::Team;
use std::sync::Arc;

/// The state of the server. Cheap to clone.
#[derive(Clone, Debug)]
pub struct App {
    /// The team.
    pub team: Team,
    /// Names by which the server is reached: `127.0.0.1:8080`, `skills.example.org`.
    pub(crate) hosts: Arc<Vec<String>>,
    /// The address that is shown to users: `http://127.0.0.1:8080`.
    pub(crate) address: Arc<str>,
    /// Counters.
    pub(crate) metrics: Arc<Metrics>,
    /// How much a caller may ask.
    pub(crate) limits: Arc<Limits>,
    /// Pages of lists that are as new as the newest change.
    pub(crate) pages: Arc<KeptPages>,
    /// The sets of skills that are served over MCP.
    pub(crate) mcp: Arc<SkillSets>,
    /// Where users sign in.
    pub(crate) oidc: Option<Arc<Provider>>,
    /// The proxies whose header with the client's address counts.
    pub(crate) proxies: Arc<Proxies>,
    /// The issuers of CI identities.
    pub(crate) issuers: Arc<Issuers>,
    /// Whether database and object store answered a moment ago.
    pub(crate) last_ready: Arc<LastReady>,
    /// The last check of the audit log.
    pub(crate) last_check: Arc<LastCheck>,
    /// The machine of the one user that the server runs for.
    pub(crate) machine: Option<Arc<Machine>>,
}

impl App {
    /// The end of a cookie that only goes over TLS where the address has it.
    pub(crate) fn secure(&self) -> &'static str {
        if self.address.starts_with("https://") { "; Secure" } else { "" }
    }

    /// The address that users open.
    pub fn address(&self) -> &str {
        &self.address
    }
}
