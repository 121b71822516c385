//! Waiting for a condition instead of for a time.

use std::{
    thread,
    time::{Duration, Instant},
};

/// How long a condition may take on a machine that is busy with other things. Reaching it is a failure.
pub const PATIENCE: Duration = Duration::from_mins(2);

/// Waits until a condition holds.
///
/// # Panics
/// If it does not hold within [`PATIENCE`]; `what` names it.
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < PATIENCE, "waited in vain: {what}");
        thread::sleep(Duration::from_millis(10));
    }
}
