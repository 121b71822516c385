//! How much one caller may ask, so that one who floods does not slow the others down.

use governor::{
    DefaultKeyedRateLimiter, Quota, RateLimiter,
    clock::{Clock as _, DefaultClock},
};
use std::{
    collections::HashSet,
    net::IpAddr,
    num::NonZeroU32,
    sync::{
        PoisonError, RwLock,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};
use tokio::sync::Semaphore;

/// Seconds of requests that may come at once.
const BURST: u32 = 5;
/// An address without a credential gets this part of what a credential gets.
const WITHOUT: u32 = 5;
/// How long a refusal is delayed: a client that asks again at once costs a few requests in a second and not a processor.
const HELD: Duration = Duration::from_millis(100);
/// Refusals that are delayed at the same time; further ones are sent at once.
const HELD_AT_ONCE: usize = 1_000;
/// Credentials that are remembered as accepted.
const ACCEPTED: usize = 100_000;
/// Requests after which callers that are quiet again are forgotten.
const FORGET: u32 = 10_000;
/// Codes that one user may type in a minute.
const CODES: NonZeroU32 = NonZeroU32::new(20).unwrap();
/// Programs of one address that may begin to sign in in a minute.
const DEVICES: NonZeroU32 = NonZeroU32::new(60).unwrap();

/// The limits of all callers.
#[derive(Debug)]
pub(crate) struct Limits {
    known: Option<DefaultKeyedRateLimiter<u64>>,
    /// Requests of an address with credentials that were not accepted yet.
    untried: Option<DefaultKeyedRateLimiter<IpAddr>>,
    accepted: RwLock<HashSet<u64>>,
    unknown: Option<DefaultKeyedRateLimiter<IpAddr>>,
    codes: DefaultKeyedRateLimiter<String>,
    devices: DefaultKeyedRateLimiter<IpAddr>,
    since_forgotten: AtomicU32,
    held: Semaphore,
}

/// So many in a minute.
fn per_minute<K: std::hash::Hash + Eq + Clone>(requests: NonZeroU32) -> DefaultKeyedRateLimiter<K> {
    RateLimiter::keyed(Quota::per_minute(requests))
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
            untried: quota(requests).map(RateLimiter::keyed),
            accepted: RwLock::default(),
            unknown: quota(part).map(RateLimiter::keyed),
            codes: per_minute(CODES),
            devices: per_minute(DEVICES),
            since_forgotten: AtomicU32::new(0),
            held: Semaphore::new(HELD_AT_ONCE),
        }
    }

    /// Counts a code that a user types, so that codes cannot be guessed; an error is how long to wait.
    pub(crate) fn check_code(&self, user: &str) -> Result<(), Duration> {
        let now = DefaultClock::default().now();
        self.codes.check_key(&user.to_owned()).map_err(|late| late.wait_time_from(now))
    }

    /// Counts a program that begins to sign in; an error is how long to wait.
    pub(crate) fn check_device(&self, peer: Option<IpAddr>) -> Result<(), Duration> {
        let Some(peer) = peer else { return Ok(()) };
        let now = DefaultClock::default().now();
        self.devices.check_key(&peer).map_err(|late| late.wait_time_from(now))
    }

    /// Counts a request; an error is how long to wait.
    pub(crate) fn check(&self, credential: Option<u64>, peer: Option<IpAddr>) -> Result<(), Duration> {
        if self.since_forgotten.fetch_add(1, Ordering::Relaxed) % FORGET == FORGET - 1 {
            self.known.iter().for_each(RateLimiter::retain_recent);
            self.untried.iter().for_each(RateLimiter::retain_recent);
            self.unknown.iter().for_each(RateLimiter::retain_recent);
            self.codes.retain_recent();
            self.devices.retain_recent();
        }
        let now = DefaultClock::default().now();
        if let (Some(key), Some(peer), Some(untried)) = (credential, peer, &self.untried)
            && !self.accepted.read().unwrap_or_else(PoisonError::into_inner).contains(&key)
        {
            untried.check_key(&peer).map_err(|late| late.wait_time_from(now))?;
        }
        let counted = match (credential, peer, &self.known, &self.unknown) {
            (Some(key), _, Some(known), _) => known.check_key(&key),
            (None, Some(peer), _, Some(unknown)) => unknown.check_key(&peer),
            _ => return Ok(()),
        };
        counted.map_err(|late| late.wait_time_from(now))
    }

    /// Waits before a caller who asks too much gets the refusal, so that asking again in a loop slows down that caller alone.
    pub(crate) async fn hold(&self, wait: Duration) {
        if let Ok(_place) = self.held.try_acquire() {
            tokio::time::sleep(wait.min(HELD)).await;
        }
    }

    /// Remembers whether a credential was accepted.
    pub(crate) fn learn(&self, credential: u64, is_accepted: bool) {
        if self.untried.is_none() {
            return;
        }
        let has = self.accepted.read().unwrap_or_else(PoisonError::into_inner).contains(&credential);
        if has == is_accepted {
            return;
        }
        let mut accepted = self.accepted.write().unwrap_or_else(PoisonError::into_inner);
        if !is_accepted {
            accepted.remove(&credential);
            return;
        }
        // Those that are in use come back with their next request.
        if accepted.len() >= ACCEPTED {
            accepted.clear();
        }
        accepted.insert(credential);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;

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
    fn invented_credentials_are_counted_by_their_address_and_accepted_ones_are_not() {
        let limits = Limits::new(10);
        let peer = |last| Some(IpAddr::from([10, 0, 0, last]));
        assert!(limits.check(Some(1), peer(1)).is_ok());
        limits.learn(1, true);
        let invented = |at: u64| {
            let passed = limits.check(Some(at), peer(1)).is_ok();
            if passed {
                limits.learn(at, false);
            }
            passed
        };
        let passed = (100..500).filter(|at| invented(*at)).count();
        assert!((45..=60).contains(&passed), "{passed}");
        assert!(limits.check(Some(1), peer(1)).is_ok(), "an accepted credential of the same address");
        assert!(limits.check(Some(2), peer(2)).is_ok(), "another address");
        limits.learn(1, false);
        assert!(
            limits.check(Some(1), peer(1)).is_err(),
            "a credential that was revoked counts as an invented one"
        );
    }

    #[test]
    fn a_user_who_guesses_codes_is_stopped_and_others_are_not() {
        let limits = Limits::new(0);
        let guesses = (0..100).filter(|_| limits.check_code("ada").is_ok()).count();
        assert!((20..=21).contains(&guesses), "{guesses}");
        assert!(limits.check_code("bob").is_ok());
        let local = Some(IpAddr::from([127, 0, 0, 1]));
        assert!((0..100).filter(|_| limits.check_device(local).is_ok()).count() < 70);
    }

    #[tokio::test]
    async fn a_refusal_is_delayed_and_only_so_many_at_once() {
        let limits = Limits::new(10);
        let began = std::time::Instant::now();
        limits.hold(Duration::from_secs(5)).await;
        let took = began.elapsed();
        assert!(took >= HELD && took < Duration::from_secs(5), "{took:?}");
        let places = limits.held.acquire_many(u32::try_from(HELD_AT_ONCE).unwrap()).await.unwrap();
        let held = limits.hold(Duration::from_secs(5));
        assert!(std::pin::pin!(held).as_mut().now_or_never().is_some(), "no place is left");
        drop(places);
    }

    #[test]
    fn zero_means_no_limit() {
        let limits = Limits::new(0);
        assert!((0..10_000).all(|_| limits.check(Some(1), None).is_ok()));
    }
}
