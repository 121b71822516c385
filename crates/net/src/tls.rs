//! The TLS configuration of all HTTP clients.

use std::sync::Arc;
use ureq::tls::{RootCerts, TlsConfig, TlsProvider};

/// The value of the `user-agent` header.
pub const USER_AGENT: &str = concat!("skillful/", env!("CARGO_PKG_VERSION"));

/// Uses the system's trust store, and ring as the provider, because aws-lc takes too long to compile.
pub fn tls() -> TlsConfig {
    TlsConfig::builder()
        .provider(TlsProvider::Rustls)
        .root_certs(RootCerts::PlatformVerifier)
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .build()
}
