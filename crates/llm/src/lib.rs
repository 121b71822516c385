//! Language models over two wire formats, and embeddings. Knows nothing of skills.
//!
//! The types are pure data; [`wire`] turns them into request bodies and parses answers. The feature `remote`
//! adds `Client`, which sends them: blocking, limited in time and size, without redirects.
//!
//! Invariants: keys and addresses come from the caller; a key never appears in an error or in `Debug` output;
//! text from a server is truncated and stripped of control characters before it is repeated.

mod base_url;
#[cfg(feature = "remote")]
mod client;
mod environment;
mod error;
mod key;
mod message;
mod provider;
#[cfg(feature = "remote")]
mod retry;
mod stream;
pub mod wire;

pub use base_url::{BadUrl, BaseUrl};
#[cfg(feature = "remote")]
pub use client::{Client, Limits, StreamLimits};
pub use environment::from_environment;
pub use error::Error;
pub use message::{Arguments, Effort, Message, Part, Price, Reply, Request, Role, Stop, ToolSpec, Usage};
pub use provider::{Provider, Wire};
pub use secrecy::{ExposeSecret, SecretString};
pub use stream::{Cancel, Delta};
pub use wire::Decoder;
