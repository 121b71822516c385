//! Dates and times as text, in UTC. The times come in as values.

use jiff::Timestamp;
use std::time::{SystemTime, UNIX_EPOCH};

/// Seconds since 1970; 0 for an earlier time.
pub fn seconds(at: SystemTime) -> u64 {
    at.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// The date of a time in seconds since 1970, such as `2026-11-16`; at most 9999-12-30, the last one that exists
/// in every time zone.
///
/// ```
/// assert_eq!(skillful::calendar::date(951_782_400), "2000-02-29");
/// ```
pub fn date(seconds: u64) -> String {
    let time = i64::try_from(seconds).ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
    time.unwrap_or(Timestamp::MAX).strftime("%Y-%m-%d").to_string()
}

/// A time as JavaScript writes it, such as `2025-11-15T00:01:01.007Z`.
pub fn timestamp(at: SystemTime) -> String {
    let time = Timestamp::try_from(at.max(UNIX_EPOCH)).unwrap_or(Timestamp::MAX);
    time.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (seconds, text) in [
            (0, "1970-01-01"),
            (951_782_400, "2000-02-29"),
            (951_868_800, "2000-03-01"),
            (1_735_603_200, "2024-12-31"),
            (1_763_164_800, "2025-11-15"),
            (1_794_700_799, "2026-11-14"),
            (4_107_542_399, "2100-02-28"),
            (4_107_542_400, "2100-03-01"),
            (u64::MAX, "9999-12-30"),
        ] {
            assert_eq!(date(seconds), text);
        }
    }

    #[test]
    fn a_time_is_written_as_javascript_does() {
        let at = |milliseconds| timestamp(UNIX_EPOCH + Duration::from_millis(milliseconds));
        assert_eq!(at(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(at(1_763_164_861_007), "2025-11-15T00:01:01.007Z");
        assert_eq!(timestamp(UNIX_EPOCH - Duration::from_secs(1)), "1970-01-01T00:00:00.000Z");
    }
}
