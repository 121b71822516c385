//! The database: one connection, used by one thread at a time.

use crate::{
    error::{DatabaseError, InternalError},
    open,
};
use sqlx::{Connection, SqliteConnection};
use std::{
    fmt,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};
use tokio::runtime::{Builder, Handle, Runtime};

/// The database of a user. Every method blocks until it is done.
pub struct Database {
    path: PathBuf,
    /// `None` only while the value is dropped.
    connection: Mutex<Option<OpenConnection>>,
}

/// A connection and the runtime that drives it.
struct OpenConnection {
    runtime: Runtime,
    sqlite: SqliteConnection,
}

impl Database {
    /// Opens the database of a data folder, and creates it if necessary.
    pub fn open(folder: &Path) -> Result<Self, DatabaseError> {
        let path = folder.join(open::FILE);
        open::prepare(folder, &path)
            .map_err(|error| DatabaseError::Io { path: path.clone(), why: error.to_string() })?;
        Self::connect(path)
    }

    /// Opens the database of a data folder if it exists. Creates nothing.
    pub fn open_existing(folder: &Path) -> Result<Option<Self>, DatabaseError> {
        let path = folder.join(open::FILE);
        match path.try_exists() {
            Ok(false) => Ok(None),
            Ok(true) => Self::connect(path).map(Some),
            Err(error) => Err(DatabaseError::Io { path, why: error.to_string() }),
        }
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Checks the integrity of the whole file; the inner error describes the damage. Reads all of it.
    pub fn verify(&self) -> Result<Result<(), String>, DatabaseError> {
        self.with(async |connection| {
            let (found,): (String,) =
                sqlx::query_as("PRAGMA integrity_check(10)").fetch_one(connection).await?;
            Ok(if found == "ok" { Ok(()) } else { Err(found) })
        })
    }

    fn connect(path: PathBuf) -> Result<Self, DatabaseError> {
        let connection = outside_runtimes(|| {
            let runtime = Builder::new_current_thread()
                .enable_time()
                .build()
                .map_err(|error| DatabaseError::Io { path: path.clone(), why: error.to_string() })?;
            let sqlite = runtime.block_on(open::connect(&path)).map_err(|error| error.of(&path))?;
            Ok(OpenConnection { runtime, sqlite })
        })?;
        Ok(Self { path, connection: Mutex::new(Some(connection)) })
    }

    /// Runs `work` with the connection.
    pub(crate) fn with<T: Send>(
        &self,
        work: impl AsyncFnOnce(&mut SqliteConnection) -> Result<T, InternalError> + Send,
    ) -> Result<T, DatabaseError> {
        let mut guard = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(connection) = guard.as_mut() else {
            return Err(DatabaseError::Failed {
                path: self.path.clone(),
                why: "the database is closed".to_owned(),
            });
        };
        outside_runtimes(|| connection.runtime.block_on(work(&mut connection.sqlite)))
            .map_err(|error| error.of(&self.path))
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let connection = self.connection.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        let Some(connection) = connection else { return };
        // Closing writes the log back into the file; if that fails, the next opening does it.
        outside_runtimes(move || {
            let OpenConnection { runtime, sqlite } = connection;
            let _next_time = runtime.block_on(sqlite.close());
        });
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Database").field("path", &self.path).finish_non_exhaustive()
    }
}

/// Runs `work` on a thread of its own when the caller is inside a runtime, because a runtime cannot block
/// inside another.
fn outside_runtimes<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if Handle::try_current().is_err() {
        return work();
    }
    std::thread::scope(|scope| match scope.spawn(work).join() {
        Ok(done) => done,
        Err(panic) => std::panic::resume_unwind(panic),
    })
}
