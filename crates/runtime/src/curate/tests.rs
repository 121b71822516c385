use super::*;

const NOW: u64 = 1_000 * DAY;

fn known(idle: u64, state: UsageState) -> Known {
    Known { accepted: NOW - idle, last_used: None, pinned: false, state }
}

#[test]
fn an_authored_skill_is_stale_at_thirty_idle_days_and_archived_at_ninety() {
    use UsageState::{Active, Archived, Stale};
    for (idle, from, to) in [
        (30 * DAY - 1, Active, None),
        (30 * DAY, Active, Some(Stale)),
        (30 * DAY, Stale, None),
        (90 * DAY - 1, Stale, None),
        (90 * DAY, Stale, Some(Archived)),
        (90 * DAY, Active, Some(Archived)),
        (0, Stale, Some(Active)),
        (500 * DAY, Archived, None),
        (0, Archived, None),
    ] {
        assert_eq!(known(idle, from).next(NOW), to, "{idle} s, {from:?}");
    }
}

#[test]
fn idle_counts_from_the_last_use_else_from_acceptance() {
    let old = known(200 * DAY, UsageState::Active);
    assert_eq!(old.idle(NOW), 200 * DAY);
    assert_eq!(Known { last_used: Some(NOW - DAY), ..old }.next(NOW), None);
    // Accepted again after it was used.
    let again = Known { last_used: Some(NOW - 300 * DAY), ..known(DAY, UsageState::Active) };
    assert_eq!(again.idle(NOW), DAY);
    assert_eq!(Known { last_used: Some(NOW + DAY), ..old }.idle(NOW), 0, "a clock that was set back");
}

#[test]
fn a_pinned_skill_is_exempt_and_wakes() {
    let pinned = |state| Known { pinned: true, ..known(500 * DAY, state) };
    assert_eq!(pinned(UsageState::Active).next(NOW), None);
    assert_eq!(pinned(UsageState::Stale).next(NOW), Some(UsageState::Active));
}
