//! The way out of this machine: which addresses may be reached, one TLS set-up, and downloads that are bounded.
//!
//! Invariants: knows nothing of skills or models; no process environment, no proxy unless a caller names one, no
//! cookies, no credentials. A name is looked up once, judged, and what was judged is what is connected to.

mod address;
mod download;
mod tls;

pub use address::{Judge, NotTheWorlds, Reach, is_public};
pub use download::{Download, Net, NetError, Want, judged};
pub use tls::{USER_AGENT, tls};
