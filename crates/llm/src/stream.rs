//! Types of streamed answers.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// A piece of an answer, for display. The complete answer is the `Reply` at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Delta {
    /// Text.
    Text(String),
    /// Reasoning of the model.
    Thinking(String),
    /// A tool call starts.
    Call {
        /// Name of the tool.
        name: String,
    },
    /// The call is retried; the pieces received so far are void.
    Retry {
        /// The number of the next attempt, from 2.
        attempt: u32,
        /// The pause before it.
        pause: Duration,
        /// The reason.
        why: String,
    },
}

/// A flag that cancels a call. Clones share the flag.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Cancels the call.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether the call was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }

    /// Clears the flag, for the next call.
    pub fn reset(&self) {
        self.0.store(false, Ordering::SeqCst);
    }
}
