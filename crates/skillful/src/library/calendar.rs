//! Dates of moments that come in as values.

use std::time::{SystemTime, UNIX_EPOCH};

const DAY: u64 = 86_400;

/// Seconds since 1970.
pub(super) fn seconds(at: SystemTime) -> u64 {
    at.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// The day of the world's clock, as `2026-11-16`. Years begin in March here, so that the odd day is the last.
pub(super) fn day(seconds: u64) -> String {
    let days = seconds / DAY + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{month:02}-{day:02}", era * 400 + year + next)
}

/// The moment as JavaScript writes it.
pub(super) fn stamp(at: SystemTime) -> String {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    let second = since.as_secs() % DAY;
    let (hour, minute) = (second / 3_600, second / 60 % 60);
    let day = day(since.as_secs());
    format!("{day}T{hour:02}:{minute:02}:{:02}.{:03}Z", second % 60, since.subsec_millis())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (seconds, text) in [
            (0, "1970-01-01"),
            (951_782_400, "2000-02-29"),
            (951_868_800, "2000-03-01"),
            (1_763_164_800, "2025-11-15"),
            (1_794_700_799, "2026-11-14"),
            (4_107_542_399, "2100-02-28"),
            (4_107_542_400, "2100-03-01"),
        ] {
            assert_eq!(day(seconds), text);
        }
    }

    #[test]
    fn a_moment_is_written_as_javascript_does() {
        let at = UNIX_EPOCH + std::time::Duration::from_millis(1_763_164_861_007);
        assert_eq!(stamp(at), "2025-11-15T00:01:01.007Z");
    }
}
