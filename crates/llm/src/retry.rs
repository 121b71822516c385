//! When to ask again.

use crate::error::Error;
use std::time::Duration;

/// Calls at most, the first included, when an answer comes in one piece.
pub(crate) const ATTEMPTS: u32 = 3;
/// The first pause; each further one is twice as long.
pub(crate) const FIRST_PAUSE: Duration = Duration::from_millis(400);

/// How long to wait before the next attempt, or `None` when the time left would be used up by waiting.
pub(crate) fn pause(error: &Error, attempt: u32, left: Duration) -> Option<Duration> {
    let asked = match error {
        Error::Status { retry_after, .. } => *retry_after,
        _ => None,
    };
    let pause = asked.unwrap_or(FIRST_PAUSE * 2_u32.pow(attempt.saturating_sub(1).min(8)));
    (pause < left).then_some(pause)
}

/// The header in seconds; a date is not worth a clock.
pub(crate) fn retry_after(header: &str) -> Option<Duration> {
    let seconds: f64 = header.trim().parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests;
