//! Numbers, sizes and times as users read them.

use super::marks::Markup;
use jiff::Timestamp;
use std::borrow::Borrow;

/// A number with commas: `48,213`.
pub(crate) fn number(value: i64) -> String {
    let digits = value.unsigned_abs().to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if value < 0 { format!("-{out}") } else { out }
}

/// A count with its noun: `1 skill`, `2 skills`.
pub(crate) fn count(value: usize, one: &str, several: &str) -> String {
    format!("{} {}", number(i64::try_from(value).unwrap_or(i64::MAX)), if value == 1 { one } else { several })
}

/// A size: `812 bytes`, `4.2 KB`.
pub(crate) fn size(bytes: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "one digit after the point is shown")]
    let value = bytes as f64;
    match bytes {
        1 => "1 byte".to_owned(),
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{:.1} KB", value / 1e3),
        _ => format!("{:.1} MB", value / 1e6),
    }
}

/// Part of a whole in percent, with one digit: `98.6 %`.
pub(crate) fn percent(part: i64, whole: i64) -> String {
    if whole <= 0 {
        return "–".to_owned();
    }
    let tenths = part.saturating_mul(1_000) / whole;
    if tenths % 10 == 0 { format!("{} %", tenths / 10) } else { format!("{}.{} %", tenths / 10, tenths % 10) }
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

fn parts(millis: i64) -> Option<(String, jiff::civil::Date, jiff::civil::Time)> {
    let at = Timestamp::from_millisecond(millis).ok()?;
    let second = Timestamp::from_second(at.as_second()).ok()?;
    let civil = second.to_zoned(jiff::tz::TimeZone::UTC);
    Some((second.to_string(), civil.date(), civil.time()))
}

fn month(date: jiff::civil::Date) -> &'static str {
    let at = usize::try_from(date.month()).unwrap_or(1).saturating_sub(1);
    MONTHS.get(at).copied().unwrap_or("January")
}

/// A date: `3 October 2026`.
pub(crate) fn date(millis: i64) -> String {
    parts(millis)
        .map_or_else(String::new, |(_, date, _)| format!("{} {} {}", date.day(), month(date), date.year()))
}

/// A short date for axes: `3 Oct`.
pub(crate) fn short_date(millis: i64) -> String {
    parts(millis).map_or_else(String::new, |(_, date, _)| format!("{} {}", date.day(), &month(date)[..3]))
}

/// The hour of a time: `14:00`.
pub(crate) fn hour(millis: i64) -> String {
    parts(millis).map_or_else(String::new, |(_, _, time)| format!("{:02}:00", time.hour()))
}

/// How long ago, up to a day, then the date; a time in the future is a date.
pub(crate) fn ago(millis: i64, now: i64) -> String {
    let seconds = (now - millis) / 1_000;
    match seconds {
        ..-60 => date(millis),
        -60..60 => "just now".to_owned(),
        60..3_600 => format!("{} min ago", seconds / 60),
        3_600..86_400 => format!("{} h ago", seconds / 3_600),
        86_400..172_800 => "yesterday".to_owned(),
        172_800..604_800 => format!("{} days ago", seconds / 86_400),
        _ => date(millis),
    }
}

/// How long something waits: `2 h`, `3 days`.
pub(crate) fn age(millis: i64, now: i64) -> String {
    let minutes = ((now - millis) / 60_000).max(0);
    match minutes {
        0..60 => format!("{minutes} min"),
        60..1_440 => format!("{} h", minutes / 60),
        1_440..2_880 => "1 day".to_owned(),
        _ => format!("{} days", minutes / 1_440),
    }
}

/// `<time>` with the relative time as text and the exact one as its value.
pub(crate) fn time(millis: impl Borrow<i64>, now: impl Borrow<i64>) -> Markup {
    exact(*millis.borrow(), &ago(*millis.borrow(), *now.borrow()))
}

/// `<time>` with the date and the time of day in UTC.
pub(crate) fn full_time(millis: impl Borrow<i64>) -> Markup {
    let millis = *millis.borrow();
    let text = parts(millis).map_or_else(String::new, |(_, date, time)| {
        format!(
            "{} {} {:02}:{:02}:{:02}",
            date.day(),
            &month(date)[..3],
            time.hour(),
            time.minute(),
            time.second()
        )
    });
    exact(millis, &text)
}

/// `<time>` with a date.
pub(crate) fn date_time(millis: impl Borrow<i64>) -> Markup {
    exact(*millis.borrow(), &date(*millis.borrow()))
}

fn exact(millis: i64, text: &str) -> Markup {
    let exact = parts(millis).map_or_else(String::new, |(exact, ..)| exact);
    Markup(format!("<time datetime=\"{exact}\" title=\"{exact}\">{text}</time>"))
}

/// The exact time in UTC, for files.
pub(crate) fn iso(millis: i64) -> String {
    parts(millis).map_or_else(String::new, |(exact, ..)| exact)
}

/// The first letters of a name, for its tile.
pub(crate) fn initials(name: &str) -> String {
    let mut words =
        name.split(|c: char| c.is_whitespace() || "-_.@".contains(c)).filter(|word| !word.is_empty());
    let first = words.next().and_then(|word| word.chars().next());
    let second = words.next().and_then(|word| word.chars().next());
    let letters: String = match (first, second) {
        (Some(a), Some(b)) => [a, b].iter().collect(),
        _ => name.chars().filter(|c| c.is_alphanumeric()).take(2).collect(),
    };
    letters.to_uppercase()
}

/// A digest as it is shown: the beginning and the end.
pub(crate) fn short_digest(digest: &str) -> String {
    let hex = digest.strip_prefix("sha256:").unwrap_or(digest);
    match (hex.get(..8), hex.get(hex.len().saturating_sub(4)..)) {
        (Some(begin), Some(end)) if hex.len() > 16 => format!("{begin}…{end}"),
        _ => hex.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_commas_and_counts_have_their_noun() {
        assert_eq!(
            [number(0), number(999), number(1_000), number(48_213), number(-1_234_567)],
            ["0", "999", "1,000", "48,213", "-1,234,567"]
        );
        assert_eq!(
            [count(1, "skill", "skills"), count(2_000, "skill", "skills")],
            ["1 skill", "2,000 skills"]
        );
        assert_eq!(
            [size(1), size(812), size(4_210), size(5_000_000)],
            ["1 byte", "812 bytes", "4.2 KB", "5.0 MB"]
        );
        assert_eq!([percent(1, 0), percent(1, 2), percent(986, 1_000)], ["–", "50 %", "98.6 %"]);
    }

    #[test]
    fn a_time_is_relative_up_to_a_week_and_a_date_afterwards() {
        let now = 1_790_000_000_000;
        let hour = 3_600_000;
        let shown: Vec<String> = [0, hour / 2, 5 * hour, 30 * hour, 72 * hour, 400 * hour, -48 * hour]
            .iter()
            .map(|back| ago(now - back, now))
            .collect();
        assert_eq!(
            shown,
            [
                "just now",
                "30 min ago",
                "5 h ago",
                "yesterday",
                "3 days ago",
                "4 September 2026",
                "23 September 2026"
            ]
        );
        assert_eq!(
            time(now, now).0,
            "<time datetime=\"2026-09-21T14:13:20Z\" title=\"2026-09-21T14:13:20Z\">just now</time>"
        );
    }

    #[test]
    fn a_tile_has_two_letters() {
        assert_eq!(
            [initials("Ada Lovelace"), initials("ada"), initials("a.b@c"), initials("")],
            ["AL", "AD", "AB", ""]
        );
    }
}
