//! Times as OpenSSH writes them: `YYYYMMDD`, `YYYYMMDDHHMM` or `YYYYMMDDHHMMSS`, with `Z` for UTC.

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;
/// How far behind UTC a clock on a wall can be, and how far ahead.
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
    let part = |from: usize, to: usize| -> i64 {
        digits.get(from..to).and_then(|part| part.parse().ok()).unwrap_or_default()
    };
    let (year, month, day) = (part(0, 4), part(4, 6), part(6, 8));
    let (hour, minute, second) = (part(8, 10), part(10, 12), part(12, 14));
    let is_real = year >= 1970
        && (1..=12).contains(&month)
        && (1..=days_of(year, month)).contains(&day)
        && hour < 24
        && minute < 60
        && second < 60;
    let zone = match (utc, end) {
        (Some(_), _) => 0,
        (None, End::After) => BEHIND,
        (None, End::Before) => -AHEAD,
    };
    is_real.then(|| days(year, month, day) * DAY + hour * HOUR + minute * 60 + second + zone)
}

fn days_of(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Days since 1970, for a date that exists.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let before = year - 1;
    let leaps = |year: i64| year / 4 - year / 100 + year / 400;
    let years = (year - 1970) * 365 + leaps(before) - leaps(1969);
    years + (1..month).map(|month| days_of(year, month)).sum::<i64>() + day - 1
}
