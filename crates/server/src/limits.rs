//! How much one caller may ask, so that one who floods does not slow the others down.

use governor::{
    DefaultKeyedRateLimiter, Quota, RateLimiter,
    clock::{Clock as _, DefaultClock},
};
use std::{
    net::IpAddr,
    num::NonZeroU32,
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

/// Seconds of requests that may come at once.
const BURST: u32 = 5;
/// An address without a credential gets this part of what a credential gets.
const WITHOUT: u32 = 5;
/// Requests after which callers that are quiet again are forgotten.
const FORGET: u32 = 10_000;

/// The limits of all callers.
#[derive(Debug)]
pub(crate) struct Limits {
    known: Option<DefaultKeyedRateLimiter<u64>>,
    unknown: Option<DefaultKeyedRateLimiter<IpAddr>>,
    since_forgotten: AtomicU32,
}

fn quota(requests: u32) -> Option<Quota> {
    let each = NonZeroU32::new(requests)?;
    Some(Quota::per_second(each).allow_burst(each.saturating_mul(NonZeroU32::new(BURST)?)))
}

impl Limits {
    /// So many requests of one credential in a second; 0 means no limit.
    pub(crate) fn new(requests: u32) -> Self {
        let part = if requests == 0 { 0 } else { (requests / WITHOUT).max(1) };
        Self {
            known: quota(requests).map(RateLimiter::keyed),
            unknown: quota(part).map(RateLimiter::keyed),
            since_forgotten: AtomicU32::new(0),
        }
    }

    /// Counts a request; an error is how long to wait.
    pub(crate) fn check(&self, credential: Option<u64>, peer: Option<IpAddr>) -> Result<(), Duration> {
        if self.since_forgotten.fetch_add(1, Ordering::Relaxed) % FORGET == FORGET - 1 {
            self.known.iter().for_each(RateLimiter::retain_recent);
            self.unknown.iter().for_each(RateLimiter::retain_recent);
        }
        let now = DefaultClock::default().now();
        let counted = match (credential, peer, &self.known, &self.unknown) {
            (Some(key), _, Some(known), _) => known.check_key(&key),
            (None, Some(peer), _, Some(unknown)) => unknown.check_key(&peer),
            _ => return Ok(()),
        };
        counted.map_err(|late| late.wait_time_from(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_who_floods_is_refused_and_others_are_not() {
        let limits = Limits::new(10);
        let flood = (0..200).filter(|_| limits.check(Some(1), None).is_ok()).count();
        assert!((50..=60).contains(&flood), "{flood}");
        assert!(limits.check(Some(2), None).is_ok());
        let local = Some(IpAddr::from([127, 0, 0, 1]));
        let without = (0..200).filter(|_| limits.check(None, local).is_ok()).count();
        assert!((10..=15).contains(&without), "{without}");
    }

    #[test]
    fn zero_means_no_limit() {
        let limits = Limits::new(0);
        assert!((0..10_000).all(|_| limits.check(Some(1), None).is_ok()));
    }
}
