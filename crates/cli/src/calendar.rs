//! Dates and times as text, in UTC.

use jiff::Timestamp;

/// The date of a time in seconds since 1970, such as `2026-11-15`; at most 9999-12-30, the last one that exists in
/// every time zone.
pub(crate) fn date(seconds: u64) -> String {
    let time = i64::try_from(seconds).ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
    time.unwrap_or(Timestamp::MAX).strftime("%Y-%m-%d").to_string()
}

/// The current time as JavaScript writes it, such as `2026-11-15T18:12:34.567Z`.
pub(crate) fn timestamp() -> String {
    written(Timestamp::now())
}

fn written(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
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
            (1_735_603_200, "2024-12-31"),
            (1_763_164_800, "2025-11-15"),
            (1_794_700_799, "2026-11-14"),
            (1_794_700_800, "2026-11-15"),
            (4_107_542_399, "2100-02-28"),
            (4_107_542_400, "2100-03-01"),
            (u64::MAX, "9999-12-30"),
        ] {
            assert_eq!(date(seconds), text);
        }
    }

    #[test]
    fn a_time_has_milliseconds_and_a_zone() {
        let time = |milliseconds| written(Timestamp::from_millisecond(milliseconds).unwrap());
        assert_eq!(time(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(time(1_794_766_354_567), "2026-11-15T18:12:34.567Z");
        assert_eq!(time(1_794_766_354_060), "2026-11-15T18:12:34.060Z");
    }
}
