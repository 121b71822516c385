//! Network access: which addresses may be reached, the TLS configuration, and downloads with limits.
//!
//! Invariants: knows nothing of skills or models; does not read the process environment; uses no proxy unless
//! the caller names one and no cookies. A credential belongs to one origin and is sent to no other, also after a
//! redirect. A name is resolved once, its addresses are checked, and the connection uses exactly these addresses.

mod address;
mod download;
mod origin;
mod send;
mod tls;

pub use address::{CheckedResolver, PrivateAddress, Reach, is_public};
pub use download::{Download, DownloadRequest, Net, NetError, checked_agent};
pub use origin::NamedOrigin;
pub use send::{Reply, SendRequest};
pub use tls::{USER_AGENT, tls};
