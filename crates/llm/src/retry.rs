//! When to retry a call.

use crate::error::Error;
use std::time::Duration;

/// Largest number of attempts, the first included, for an answer that is not streamed.
pub(crate) const ATTEMPTS: u32 = 3;
/// The first pause; each further one is twice as long.
pub(crate) const FIRST_PAUSE: Duration = Duration::from_millis(400);

/// The pause before the next attempt, or `None` when the call must not be retried or the time left is too
/// short.
pub(crate) fn pause(error: &Error, attempt: u32, left: Duration) -> Option<Duration> {
    let asked = match error {
        Error::Status { retry_after, .. } => *retry_after,
        _ => None,
    };
    let pause = asked.unwrap_or(FIRST_PAUSE * 2_u32.pow(attempt.saturating_sub(1).min(8)));
    (pause < left).then_some(pause)
}

/// Parses a `retry-after` header in seconds. Dates are ignored, because they would need a clock.
pub(crate) fn retry_after(header: &str) -> Option<Duration> {
    let seconds: f64 = header.trim().parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests;
