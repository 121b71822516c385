use super::*;
use crate::decide::Tier;

fn verdict(name: &str) -> Verdict {
    Verdict { skill: Some(name.to_owned()), confidence: 0.9, tier: Tier::Coding }
}

fn key_of(number: u32) -> Key {
    key(&Request::new("system", number.to_string(), 9), 1, "model")
}

const NOW: SystemTime = UNIX_EPOCH;

fn at(minutes: u64) -> SystemTime {
    NOW + Duration::from_hours(1_000) + Duration::from_mins(minutes)
}

#[test]
fn a_verdict_is_cached_for_one_hour() {
    let cache = Cache::open(None, 60);
    cache.put(key_of(1), &verdict("a"), at(0));
    assert_eq!(cache.get(&key_of(1), at(59)), Some(verdict("a")));
    assert_eq!(cache.get(&key_of(1), at(60)), None);
    assert_eq!(cache.get(&key_of(2), at(0)), None);
    assert_eq!(cache.get(&key_of(1), at(0) - Duration::from_mins(1)), None, "the clock was set back");
}

#[test]
fn verdicts_are_read_from_disk_and_a_damaged_file_is_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let open = || Cache::open(Some(folder.path()), 60);
    open().put(key_of(1), &verdict("a"), at(0));
    open().put(key_of(2), &verdict("b"), at(0));
    assert_eq!(open().get(&key_of(1), at(1)), Some(verdict("a")));
    assert_eq!(open().get(&key_of(2), at(1)), Some(verdict("b")));
    let file = folder.path().join(FILE);
    let mut bytes = std::fs::read(&file).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    std::fs::write(&file, &bytes).unwrap();
    assert_eq!(open().get(&key_of(1), at(1)), None);
}

#[test]
fn the_oldest_verdict_beyond_one_thousand_is_dropped() {
    let cache = Cache::open(None, 60);
    for number in 0..=1_000 {
        cache.put(key_of(number), &verdict("a"), at(0));
    }
    assert_eq!(cache.get(&key_of(0), at(0)), None);
    assert!(cache.get(&key_of(1), at(0)).is_some());
    assert!(cache.get(&key_of(1_000), at(0)).is_some());
    assert_eq!(cache.entries.lock().unwrap().len(), ENTRIES);
}

#[test]
fn a_lifetime_of_zero_disables_the_cache() {
    let cache = Cache::open(None, 0);
    cache.put(key_of(1), &verdict("a"), at(0));
    assert_eq!(cache.get(&key_of(1), at(0)), None);
}

#[test]
fn a_key_depends_on_every_part_of_the_request() {
    let base = key(&Request::new("s", "q", 9), 1, "m");
    assert_ne!(base, key(&Request::new("s", "r", 9), 1, "m"));
    assert_ne!(base, key(&Request::new("t", "q", 9), 1, "m"));
    assert_ne!(base, key(&Request::new("s", "q", 9), 2, "m"));
    assert_ne!(base, key(&Request::new("s", "q", 9), 1, "n"));
    assert_eq!(base, key(&Request::new("s", "q", 9), 1, "m"));
}
