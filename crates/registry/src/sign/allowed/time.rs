//! Times as OpenSSH writes them: `YYYYMMDD`, `YYYYMMDDHHMM` or `YYYYMMDDHHMMSS`, with `Z` for UTC.

use jiff::{
    civil::{Date, Time},
    tz::TimeZone,
};

const HOUR: i64 = 3600;
/// How far behind UTC the clock of a time zone can be, and how far ahead.
const BEHIND: i64 = 12 * HOUR;
const AHEAD: i64 = 14 * HOUR;

/// Which end of a span a time is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// It counts from then on.
    After,
    /// It counts until then.
    Before,
}

/// Seconds since 1970. A local time becomes the one that holds in every zone.
pub(super) fn seconds(text: &str, end: End) -> Option<i64> {
    let utc = text.strip_suffix('Z').or_else(|| text.strip_suffix("UTC"));
    let digits = utc.unwrap_or(text);
    if !matches!(digits.len(), 8 | 12 | 14) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let two = |from: usize| digits.get(from..from + 2).map_or(Some(0), |part| part.parse().ok());
    let year: i16 = digits.get(..4)?.parse().ok()?;
    if year < 1970 {
        return None;
    }
    let date = Date::new(year, two(4)?, two(6)?).ok()?;
    let time = Time::new(two(8)?, two(10)?, two(12)?, 0).ok()?;
    let zone = match (utc, end) {
        (Some(_), _) => 0,
        (None, End::After) => BEHIND,
        (None, End::Before) => -AHEAD,
    };
    let moment = TimeZone::UTC.to_timestamp(date.to_datetime(time)).ok()?;
    Some(moment.as_second() + zone)
}
