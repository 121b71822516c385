//! Routing: which skills a request in plain words is about, and how sure that is.

mod alias;
mod analyse;
mod base;
mod build;
mod features;
mod field;
mod impact;
mod index;
mod math;
mod query;
mod record;
mod skill;
mod stop;
mod text;

pub use base::Damage;
pub use index::Index;
pub use skill::Skill;
