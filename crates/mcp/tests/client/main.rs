//! Servers that skills bring, good and bad, as real processes and over real sockets.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its server must stop")]

mod calls;
mod declaring;
mod held;
mod http;
mod lies;
mod life;
mod real;
mod skills;
mod support;
