//! Reload when the disk changes, through the one watcher of the engine.

use crate::job::Job;
use skillful::{Workspace, workspace::Watcher};
use std::{
    sync::{
        Arc,
        mpsc::{Receiver, Sender},
    },
    time::{Duration, Instant},
};

/// How long one wait for a change is, and how often folders that cannot be watched are read again.
const STEP: Duration = Duration::from_secs(1);
const BLIND: Duration = Duration::from_secs(5);

pub(super) fn work(snapshots: &Receiver<Arc<Workspace>>, jobs: &Sender<Job>) {
    let Ok(first) = snapshots.recv() else { return };
    let mut watcher = Watcher::new(&first);
    drop(first);
    // What changed between reading and the start of the watch.
    let mut is_changed = true;
    let mut read = Instant::now();
    loop {
        if is_changed || watcher.is_blind() && read.elapsed() >= BLIND {
            if jobs.send(Job::Refresh { quiet: false }).is_err() {
                return;
            }
            let Ok(next) = snapshots.recv() else { return };
            watcher.follow(&next);
            read = Instant::now();
        }
        // Refreshes that the user asked for.
        while let Ok(next) = snapshots.try_recv() {
            watcher.follow(&next);
        }
        is_changed = watcher.changed(STEP);
    }
}
