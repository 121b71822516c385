//! An answer as it comes.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// A piece of an answer, for whoever watches. The answer itself is the `Reply` at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Delta {
    /// Words.
    Text(String),
    /// Words that the model says to itself.
    Thinking(String),
    /// A call of a tool begins.
    Call {
        /// The tool.
        name: String,
    },
    /// It will be asked again; what came so far is void.
    Again {
        /// The attempt that begins, from 2.
        attempt: u32,
        /// After this pause.
        pause: Duration,
        /// Why.
        why: String,
    },
}

/// Says that nobody wants the answer any more. Clones are one and the same.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Nobody wants it any more.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether that was said.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }

    /// It is wanted again: the next step begins.
    pub fn reset(&self) {
        self.0.store(false, Ordering::SeqCst);
    }
}
