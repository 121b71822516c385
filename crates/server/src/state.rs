//! What every handler has.

use crate::{limits::Limits, metrics::Metrics, oidc::Provider};
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
    /// Where users sign in.
    pub(crate) oidc: Option<Arc<Provider>>,
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
