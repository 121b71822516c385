//! One connection over standard input and output.

use crate::server::{Live, Skills};
use rmcp::{
    ServiceExt,
    service::{QuitReason, ServerInitializeError},
    transport::stdio_pipes,
};
use std::sync::Arc;

/// How a connection ended.
#[derive(Debug, thiserror::Error)]
pub enum Ended {
    /// The client did not open a session as the protocol wants it.
    #[error("the client did not start a session: {0}")]
    NotStarted(String),
    /// Something of ours broke.
    #[error("the connection broke: {0}")]
    Broken(String),
}

/// Serves the client at the other end of the pipes until it goes away.
pub async fn serve_stdio(live: Arc<Live>) -> Result<(), Ended> {
    let service = match Skills::new(live).serve(stdio_pipes()).await {
        Ok(service) => service,
        // Whoever leaves before the first word wants nothing.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(Ended::NotStarted(error.to_string())),
    };
    match service.waiting().await {
        Ok(QuitReason::JoinError(error)) | Err(error) => Err(Ended::Broken(error.to_string())),
        Ok(_) => Ok(()),
    }
}
