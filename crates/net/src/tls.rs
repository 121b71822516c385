//! How every client of ours speaks TLS.

use std::sync::Arc;
use ureq::tls::{RootCerts, TlsConfig, TlsProvider};

/// What we call ourselves.
pub const USER_AGENT: &str = concat!("skillful/", env!("CARGO_PKG_VERSION"));

/// The trust store of the system, and ring, because aws-lc is the dearest unit of a build.
pub fn tls() -> TlsConfig {
    TlsConfig::builder()
        .provider(TlsProvider::Rustls)
        .root_certs(RootCerts::PlatformVerifier)
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .build()
}
