//! `OpenAI` Responses. Nothing is stored on the server: each request has the whole session, and reasoning comes back
//! encrypted.

mod ask;
mod read;
mod stream;

pub use ask::request;
pub use read::reply;
pub(super) use stream::Stream;

/// Marks reasoning of this format in the signature field; the item follows as JSON. Signatures of other formats contain
/// no colon.
pub(in crate::wire) const REASONING: &str = "responses:";
