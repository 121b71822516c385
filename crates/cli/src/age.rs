//! Ages as text. A month is 30 days and a year 365.

const STEPS: [(u64, &str); 5] =
    [(365 * 86_400, "year"), (30 * 86_400, "month"), (86_400, "day"), (3_600, "hour"), (60, "minute")];

/// `just now`, `5 minutes ago`, `2 days ago`; both in seconds since 1970.
pub(crate) fn ago(at: u64, now: u64) -> String {
    let seconds = now.saturating_sub(at);
    let step = STEPS.iter().map(|(length, word)| (seconds / length, word)).find(|(count, _)| *count > 0);
    match step {
        None => "just now".to_owned(),
        Some((1, word)) => format!("1 {word} ago"),
        Some((count, word)) => format!("{count} {word}s ago"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_given_in_its_largest_unit() {
        for (seconds, words) in [
            (0, "just now"),
            (59, "just now"),
            (60, "1 minute ago"),
            (7_200, "2 hours ago"),
            (86_400, "1 day ago"),
            (40 * 86_400, "1 month ago"),
            (800 * 86_400, "2 years ago"),
        ] {
            assert_eq!(ago(1_000_000_000, 1_000_000_000 + seconds), words);
        }
        assert_eq!(ago(10, 5), "just now", "a clock that was set back");
    }
}
