//! The library as it changes: looked at in the background, watched, and shared by all connections.

use crate::server::library::{Library, Snapshot};
use skillful_catalog::{
    reload::Changes,
    watch::{Watch, Woken},
};
use std::{
    io,
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread,
    time::{Duration, Instant, SystemTime},
};
use tokio::sync::watch;

/// How long the first look waits for somebody who needs it: whoever opens a session is answered first.
const HEAD_START: Duration = Duration::from_millis(50);
/// How often files besides the roots are looked at.
const STEP: Duration = Duration::from_secs(1);
/// How often roots that cannot be watched are looked at.
const BLIND_STEP: Duration = Duration::from_secs(5);

/// What is known of the library: nothing yet, the newest snapshot, or why there is none.
type Known = Option<Result<Arc<Snapshot>, String>>;

/// A library and its newest snapshot.
pub struct Live {
    library: Box<dyn Library>,
    known: watch::Sender<Known>,
    /// Counts the changes that anybody could see.
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
    pub fn start(library: impl Library) -> io::Result<Arc<Self>> {
        let (needed, asked) = sync_channel(1);
        let live = Arc::new(Self {
            library: Box::new(library),
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
        // Full when somebody asked already, closed when the first look is done.
        let _asked = self.needed.try_send(());
        let mut known = self.known.subscribe();
        let newest = known.wait_for(Option::is_some).await.map(|newest| newest.clone());
        // The sender lives as long as we do.
        newest.ok().flatten().unwrap_or_else(|| Err("the library is gone".to_owned()))
    }

    /// Told each time that skills changed.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.version.subscribe()
    }

    pub(crate) fn library(&self) -> &dyn Library {
        self.library.as_ref()
    }

    /// Keeps others from changing proposals meanwhile.
    pub(crate) fn manage(&self) -> MutexGuard<'_, ()> {
        self.managing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at the disk again. When that fails the old snapshot stays.
    pub(crate) fn reload(&self) -> Result<Arc<Snapshot>, String> {
        let _turn = self.looking.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.known.borrow().clone().and_then(Result::ok);
        let next = match self.library.look() {
            Ok(next) => Arc::new(next),
            Err(reason) => {
                if before.is_none() {
                    self.known.send_replace(Some(Err(reason.clone())));
                }
                return Err(reason);
            }
        };
        self.known.send_replace(Some(Ok(Arc::clone(&next))));
        if before.is_some_and(|before| !Changes::between(&before.catalog, &next.catalog).is_empty()) {
            self.version.send_modify(|version| *version += 1);
        }
        Ok(next)
    }
}

/// Looks first, then whenever something changes, as long as anybody holds the library.
fn follow(live: &Weak<Live>, asked: &Receiver<()>) {
    // Either way it is time.
    let _asked = asked.recv_timeout(HEAD_START);
    let reload = || live.upgrade().map(|live| live.reload());
    let Some(first) = reload() else { return };
    let mut watch = Watch::new().ok();
    let (mut stamps, mut blind) = (Vec::new(), true);
    let settle = |watch: &mut Option<Watch>, snapshot: &Snapshot| {
        let unwatched = watch.as_mut().map(|watch| watch.follow(&snapshot.catalog.roots));
        unwatched.is_none_or(|unwatched| !unwatched.is_empty())
    };
    if let Ok(snapshot) = first {
        blind = settle(&mut watch, &snapshot);
        // Taken before each look, so that no change falls between the two.
        stamps = stamps_of(&snapshot.depends_on);
        // What changed between the first look and the start of the watch.
        let Some(_second) = reload() else { return };
    }
    let mut last = Instant::now();
    loop {
        let woken = match &mut watch {
            Some(watch) => watch.wait(STEP),
            None => {
                thread::sleep(STEP);
                Woken::TimedOut
            }
        };
        let Some(live) = live.upgrade() else { return };
        let known = live.known.borrow().clone();
        let now = known.and_then(Result::ok).map(|snapshot| stamps_of(&snapshot.depends_on));
        // When there was nothing to look at, perhaps there is now.
        let moved = now.as_ref() != Some(&stamps);
        if woken == Woken::Changed || moved || blind && last.elapsed() >= BLIND_STEP {
            last = Instant::now();
            if let Ok(snapshot) = live.reload() {
                stamps = now.unwrap_or_else(|| stamps_of(&snapshot.depends_on));
                blind = settle(&mut watch, &snapshot);
            }
        }
    }
}

/// What tells that a file is another than before.
fn stamps_of(files: &[PathBuf]) -> Vec<Option<(SystemTime, u64)>> {
    let stamp = |file: &PathBuf| {
        let meta = std::fs::metadata(file).ok()?;
        Some((meta.modified().ok()?, meta.len()))
    };
    files.iter().map(stamp).collect()
}
