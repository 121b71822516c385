//! Contracts of the systems that Skillful unites, as far as they are about choosing a skill. One
//! file per system. Most of their contracts are shown beside the code; `docs/contracts.md` says
//! where. A name that ends in `differs_…` names what we do instead of the original.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails the test")]

mod agents;
mod codex;
mod golemcore;
mod istota;
mod library;
