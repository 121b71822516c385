//! A parallel `map` that keeps the order of its items.

use std::{
    num::NonZeroUsize,
    sync::{
        OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// More threads than this do not make a disk faster.
const MOST_THREADS: usize = 8;
/// Fewer things than this are not worth a thread.
const FEW: usize = 48;
/// Things a thread takes at a time: large enough that threads rarely meet, small enough that they
/// end together.
const CHUNK: usize = 32;

/// `items.map(work)` for few items with much work each: one thread per core, each takes one item at a time.
pub fn map_each<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    run(items, threads(items.len()), 1, work)
}

/// `items.map(work)`, in parallel where that pays.
pub fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    run(items, threads(items.len().div_ceil(FEW)), CHUNK, work)
}

/// How many threads work that can be divided into so many parts is worth. The cores are counted once, and only when there is
/// something to divide: the system reads a dozen files for it.
fn threads(parts: usize) -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    if parts <= 1 {
        return parts;
    }
    let cores = || thread::available_parallelism().map_or(1, NonZeroUsize::get).min(MOST_THREADS);
    parts.min(*CORES.get_or_init(cores))
}

/// `items.map(work)` with some threads, each of which takes `chunk` items at a time.
fn run<T: Sync, R: Send>(items: &[T], threads: usize, chunk: usize, work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    if threads <= 1 {
        return items.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let run = || {
        let mut done: Vec<(usize, Vec<R>)> = Vec::new();
        loop {
            let start = next.fetch_add(chunk, Ordering::Relaxed);
            if start >= items.len() {
                return done;
            }
            let end = (start + chunk).min(items.len());
            done.push((start, items[start..end].iter().map(&work).collect()));
        }
    };
    let mut parts = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(run)).collect();
        let mut parts = run();
        for other in others {
            match other.join() {
                Ok(done) => parts.extend(done),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        parts
    });
    parts.sort_unstable_by_key(|(start, _)| *start);
    parts.into_iter().flat_map(|(_, results)| results).collect()
}
