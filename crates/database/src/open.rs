//! Opens the database file: private, in write-ahead mode, with the newest schema.

use crate::{
    error::{DatabaseError, InternalError},
    sessions::to_int,
};
use sqlx::{
    Connection, SqliteConnection,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous},
};
use std::{
    fs::{self, DirBuilder, OpenOptions, Permissions},
    io,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt},
    path::Path,
    time::{Duration, Instant},
};

/// The name of the file within the data folder.
pub const FILE: &str = "sessions.db";

/// How long to wait for another process that has locked the file.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);
/// How long to wait between two attempts to open a locked file.
const PAUSE: Duration = Duration::from_millis(10);
/// The application id in the file's header, the bytes `Skil`; identifies databases of this program.
const APPLICATION_ID: i64 = 1_399_548_268;
/// One migration for each schema version; each sets `user_version` to its number.
const MIGRATIONS: [&str; 1] = [include_str!("../migrations/sqlite/0001_first.sql")];

/// Creates the folder and an empty file that only the user can read.
pub(crate) fn prepare(folder: &Path, path: &Path) -> io::Result<()> {
    if !folder.is_dir() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    // SQLite gives its side files the permissions of the database file.
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            if fs::metadata(path)?.permissions().mode() & 0o077 != 0 {
                fs::set_permissions(path, Permissions::from_mode(0o600))?;
            }
            Ok(())
        }
        Err(error) => Err(error),
    }
}

/// Connects to a file and migrates it to the newest schema. Several processes may do this at the same time.
pub(crate) async fn connect(path: &Path) -> Result<SqliteConnection, InternalError> {
    let begin = Instant::now();
    loop {
        // Changing the journal mode does not always wait for a lock, so the attempt is repeated.
        match connect_once(path).await {
            Err(error) if error.is_busy() && begin.elapsed() < LOCK_TIMEOUT => std::thread::sleep(PAUSE),
            result => return result,
        }
    }
}

async fn connect_once(path: &Path) -> Result<SqliteConnection, InternalError> {
    let plain = SqliteConnectOptions::new()
        .filename(path)
        .busy_timeout(LOCK_TIMEOUT)
        .foreign_keys(true)
        .synchronous(SqliteSynchronous::Normal);
    let mut connection = SqliteConnection::connect_with(&plain).await?;
    // Checks the file before it changes anything, even the journal mode.
    let found = file_format(&mut connection, path).await?;
    if found.journal != "wal" {
        connection.close().await?;
        let logged = plain.journal_mode(SqliteJournalMode::Wal);
        connection = SqliteConnection::connect_with(&logged).await?;
    }
    if found.version < known() {
        migrate(&mut connection, path).await?;
    }
    Ok(connection)
}

/// The newest schema version that this program knows.
fn known() -> i64 {
    to_int(MIGRATIONS.len() as u64)
}

struct FileFormat {
    version: i64,
    journal: String,
}

/// The schema version of the file, if it is a database of this program.
async fn file_format(connection: &mut SqliteConnection, path: &Path) -> Result<FileFormat, InternalError> {
    let (version, owner, tables, journal): (i64, i64, i64, String) = sqlx::query_as(
        "SELECT (SELECT user_version FROM pragma_user_version),
                (SELECT application_id FROM pragma_application_id),
                (SELECT COUNT(*) FROM sqlite_schema),
                (SELECT journal_mode FROM pragma_journal_mode)",
    )
    .fetch_one(connection)
    .await?;
    let known = known();
    if owner != APPLICATION_ID && (tables > 0 || version != 0) {
        let why = "it is the database of another program".to_owned();
        return Err(DatabaseError::Damaged { path: path.to_path_buf(), why }.into());
    }
    if version > known {
        return Err(DatabaseError::Newer { path: path.to_path_buf(), found: version, known }.into());
    }
    Ok(FileFormat { version, journal })
}

/// Applies the missing migrations in one transaction. When two processes migrate at the same time, the second
/// one finds nothing left to do.
async fn migrate(connection: &mut SqliteConnection, path: &Path) -> Result<(), InternalError> {
    let mut all = connection.begin_with("BEGIN IMMEDIATE").await?;
    let now = file_format(&mut all, path).await?;
    for migration in MIGRATIONS.iter().skip(usize::try_from(now.version).unwrap_or(0)) {
        sqlx::raw_sql(*migration).execute(&mut *all).await?;
    }
    Ok(all.commit().await?)
}
