//! The store itself: one connection, used by one thread at a time.

use crate::{
    error::{Inner, StoreError},
    open,
};
use sqlx::{Connection, SqliteConnection};
use std::{
    fmt,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};
use tokio::runtime::{Builder, Handle, Runtime};

/// What must survive. Every method blocks until it is done.
pub struct Store {
    path: PathBuf,
    /// `None` only while it is dropped.
    link: Mutex<Option<Link>>,
}

struct Link {
    runtime: Runtime,
    connection: SqliteConnection,
}

impl Store {
    /// Opens the store of a data folder, and makes it when there is none.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        let path = folder.join(open::FILE);
        open::prepare(folder, &path)
            .map_err(|error| StoreError::Io { path: path.clone(), why: error.to_string() })?;
        Self::connect(path)
    }

    /// Opens the store of a data folder when there is one, so that looking leaves no trace.
    pub fn open_existing(folder: &Path) -> Result<Option<Self>, StoreError> {
        let path = folder.join(open::FILE);
        match path.try_exists() {
            Ok(false) => Ok(None),
            Ok(true) => Self::connect(path).map(Some),
            Err(error) => Err(StoreError::Io { path, why: error.to_string() }),
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the whole file is sound; what is wrong with it otherwise. Reads all of it.
    pub fn verify(&self) -> Result<Result<(), String>, StoreError> {
        self.with(async |link| {
            let (found,): (String,) = sqlx::query_as("PRAGMA integrity_check(10)").fetch_one(link).await?;
            Ok(if found == "ok" { Ok(()) } else { Err(found) })
        })
    }

    fn connect(path: PathBuf) -> Result<Self, StoreError> {
        let link = outside_runtimes(|| {
            let runtime = Builder::new_current_thread()
                .enable_time()
                .build()
                .map_err(|error| StoreError::Io { path: path.clone(), why: error.to_string() })?;
            let connection = runtime.block_on(open::connect(&path)).map_err(|error| error.of(&path))?;
            Ok(Link { runtime, connection })
        })?;
        Ok(Self { path, link: Mutex::new(Some(link)) })
    }

    /// Does some work with the connection.
    pub(crate) fn with<T: Send>(
        &self,
        work: impl AsyncFnOnce(&mut SqliteConnection) -> Result<T, Inner> + Send,
    ) -> Result<T, StoreError> {
        let mut guard = self.link.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(link) = guard.as_mut() else {
            return Err(StoreError::Failed { path: self.path.clone(), why: "it is closed".to_owned() });
        };
        outside_runtimes(|| link.runtime.block_on(work(&mut link.connection)))
            .map_err(|error| error.of(&self.path))
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        let link = self.link.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        let Some(link) = link else { return };
        // Closing writes the log back into the file; if that fails, the next opening does it.
        outside_runtimes(move || {
            let Link { runtime, connection } = link;
            let _next_time = runtime.block_on(connection.close());
        });
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("path", &self.path).finish_non_exhaustive()
    }
}

/// A runtime may not wait within another; work asked for from within one is done on its own thread.
fn outside_runtimes<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if Handle::try_current().is_err() {
        return work();
    }
    std::thread::scope(|scope| match scope.spawn(work).join() {
        Ok(done) => done,
        Err(panic) => std::panic::resume_unwind(panic),
    })
}
