//! The workspace as it changes: scanned in the background, watched, and shared by all connections.

use crate::server::snapshot::{Served, Snapshot};
use skillful::workspace::Watcher;
use skillful_catalog::reload::Changes;
use std::{
    io,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};
use tokio::sync::watch;

/// How long the first scan waits for a request that needs it, so that a client that opens a session is answered first.
const HEAD_START: Duration = Duration::from_millis(50);
/// How often files besides the roots are looked at.
const STEP: Duration = Duration::from_secs(1);
/// How often roots that cannot be watched are looked at.
const BLIND_STEP: Duration = Duration::from_secs(5);

/// What is known of the library: nothing yet, the newest snapshot, or why there is none.
type Known = Option<Result<Arc<Snapshot>, String>>;

/// A library and its newest snapshot.
pub struct Live {
    served: Served,
    known: watch::Sender<Known>,
    /// Counts the changes that a client could see.
    version: watch::Sender<u64>,
    /// Held while the disk is looked at, so that an older look never replaces a newer one.
    looking: Mutex<()>,
    /// Makes the first look begin.
    needed: SyncSender<()>,
    /// Held while a proposal is written or removed.
    managing: Mutex<()>,
}

impl Live {
    /// Starts to look, in a thread of its own that ends with the last holder of this.
    pub fn start(served: Served) -> io::Result<Arc<Self>> {
        let (needed, asked) = sync_channel(1);
        let live = Arc::new(Self {
            served,
            known: watch::Sender::new(None),
            version: watch::Sender::new(0),
            looking: Mutex::default(),
            needed,
            managing: Mutex::default(),
        });
        let follower = Arc::downgrade(&live);
        thread::Builder::new().name("skills".to_owned()).spawn(move || follow(&follower, &asked))?;
        Ok(live)
    }

    /// The newest snapshot; waits for the first one.
    pub(crate) async fn snapshot(&self) -> Result<Arc<Snapshot>, String> {
        // Full when a request asked already, closed when the first scan is done.
        let _asked = self.needed.try_send(());
        let mut known = self.known.subscribe();
        let newest = known.wait_for(Option::is_some).await.map(|newest| newest.clone());
        // The sender lives as long as we do.
        newest.ok().flatten().unwrap_or_else(|| Err("the library is gone".to_owned()))
    }

    /// Notified each time that skills changed.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.version.subscribe()
    }

    /// Whether models may propose skills.
    pub(crate) fn takes_proposals(&self) -> bool {
        self.served.proposals
    }

    /// Reports that a skill was loaded.
    pub(crate) fn used(&self, skill: &str) {
        (self.served.used)(skill);
    }

    /// Keeps others from changing proposals meanwhile.
    pub(crate) fn manage(&self) -> MutexGuard<'_, ()> {
        self.managing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at the disk again. When that fails the old snapshot stays.
    pub(crate) fn reload(&self) -> Result<Arc<Snapshot>, String> {
        let _turn = self.looking.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.known.borrow().clone().and_then(Result::ok);
        let next = match self.served.snapshot(before.as_deref()) {
            Ok(next) => Arc::new(next),
            Err(reason) => {
                if before.is_none() {
                    self.known.send_replace(Some(Err(reason.clone())));
                }
                return Err(reason);
            }
        };
        self.known.send_replace(Some(Ok(Arc::clone(&next))));
        match before {
            None => (self.served.opened)(&next.workspace),
            Some(before) if !Changes::between(&before.catalog, &next.catalog).is_empty() => {
                self.version.send_modify(|version| *version += 1);
                (self.served.opened)(&next.workspace);
            }
            Some(_) => {}
        }
        Ok(next)
    }
}

/// Looks first, then whenever something changes, as long as the server holds the library.
fn follow(live: &Weak<Live>, asked: &Receiver<()>) {
    // Either way it is time.
    let _asked = asked.recv_timeout(HEAD_START);
    let reload = || live.upgrade().map(|live| live.reload());
    let Some(mut newest) = reload() else { return };
    let mut watcher: Option<Watcher> = None;
    let mut last = Instant::now();
    loop {
        match (&newest, &mut watcher) {
            (Ok(snapshot), None) => {
                watcher = Some(Watcher::new(&snapshot.workspace));
                // What changed between the first look and the start of the watch.
                let Some(next) = reload() else { return };
                newest = next;
                continue;
            }
            (Ok(snapshot), Some(watcher)) => watcher.follow(&snapshot.workspace),
            (Err(_), _) => {}
        }
        let changed = match &mut watcher {
            Some(watcher) => watcher.changed(STEP) || watcher.is_blind() && last.elapsed() >= BLIND_STEP,
            None => {
                thread::sleep(STEP);
                true
            }
        };
        if live.strong_count() == 0 {
            return;
        }
        if changed {
            last = Instant::now();
            let Some(next) = reload() else { return };
            newest = next;
        }
    }
}
