use super::*;

const LONG: Duration = Duration::from_mins(1);

fn status(status: u16, retry_after: Option<Duration>) -> Error {
    Error::Status { status, message: String::new(), retry_after }
}

#[test]
fn only_transient_errors_are_retried() {
    for code in [408, 429, 500, 502, 503, 529] {
        assert!(status(code, None).is_transient(), "{code}");
    }
    for code in [301, 400, 401, 403, 404, 422] {
        assert!(!status(code, None).is_transient(), "{code}");
    }
    assert!(Error::Cut.is_transient() && Error::Stalled(LONG).is_transient());
    assert!(!Error::Timeout(LONG).is_transient() && !Error::BadKey.is_transient());
    assert!(!Error::Cancelled.is_transient());
}

#[test]
fn pauses_between_retries_grow() {
    assert_eq!(pause(&status(503, None), 1, LONG), Some(FIRST_PAUSE));
    assert_eq!(pause(&status(503, None), 2, LONG), Some(FIRST_PAUSE * 2));
    assert_eq!(pause(&Error::Cut, 3, LONG), Some(FIRST_PAUSE * 4));
}

#[test]
fn the_pause_the_server_asks_for_is_honoured_within_the_time_left() {
    let asked = Duration::from_secs(5);
    assert_eq!(pause(&status(429, Some(asked)), 1, LONG), Some(asked));
    assert_eq!(pause(&status(429, Some(asked)), 1, Duration::from_secs(4)), None);
}

#[test]
fn an_invalid_retry_after_header_is_ignored() {
    assert_eq!(retry_after(" 1.5 "), Some(Duration::from_millis(1500)));
    for strange in ["", "-1", "nan", "inf", "1e400", "Wed, 21 Oct 2026 07:28:00 GMT"] {
        assert_eq!(retry_after(strange), None, "{strange}");
    }
}
