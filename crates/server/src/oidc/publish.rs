//! Identities of CI jobs: the keys of their issuers, each asked for at most once an hour.

use super::{
    provider::{OidcConfig, Provider},
    token::claimed_issuer,
};
use skillful_team::{TeamError, publishers::JobToken};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

/// The issuers that publishers name.
#[derive(Debug, Default)]
pub(crate) struct Issuers(Mutex<BTreeMap<String, Arc<Provider>>>);

impl Issuers {
    fn get(
        &self,
        issuer: &str,
        audience: &str,
        reach: skillful_net::Reach,
    ) -> Result<Arc<Provider>, TeamError> {
        let mut known = self.0.lock().map_err(|_| TeamError::Internal("issuers are locked".to_owned()))?;
        let make = || {
            let config = OidcConfig {
                issuer: issuer.to_owned(),
                client_id: audience.to_owned(),
                ..OidcConfig::default()
            };
            Arc::new(Provider::checked(config, reach))
        };
        Ok(Arc::clone(known.entry(issuer.to_owned()).or_insert_with(make)))
    }
}

/// Exchanges the identity of a CI job for a token that publishes. The audience of the identity is the address of this server.
pub(crate) async fn exchange(
    app: &crate::state::App,
    identity: &str,
    publisher: Option<&str>,
) -> Result<JobToken, TeamError> {
    let refused = || {
        TeamError::Unauthenticated("the identity may not publish: its issuer is not known here".to_owned())
    };
    let issuer = claimed_issuer(identity).ok_or_else(refused)?;
    // Only issuers that an administrator named are asked for their keys.
    if !app.team.has_issuer(&issuer).await? {
        return Err(refused());
    }
    let reach = app.team.outbound().reach();
    let provider = app.issuers.get(&issuer, &app.address, reach)?;
    let claims = provider.identity(identity, app.team.now() / 1_000).await?;
    app.team.exchange_identity(&issuer, &claims, publisher).await
}
