//! Opening the file: private, journalled, of a form we know.

use crate::{
    error::{Inner, StoreError},
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

/// How long somebody else may hold the file.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long to wait between two tries to open a file that is held.
const PAUSE: Duration = Duration::from_millis(10);
/// Says that a database is ours: `Skil` in the header of the file.
const OURS: i64 = 1_399_548_268;
/// One step each from one form of the file to the next; a step sets `user_version` to its number.
const STEPS: [&str; 1] = [include_str!("../migrations/sqlite/0001_first.sql")];

/// Makes the folder and an empty file, both for nobody else's eyes.
pub(crate) fn prepare(folder: &Path, path: &Path) -> io::Result<()> {
    if !folder.is_dir() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    // SQLite gives its side files the rights of the file.
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

/// A connection to a file whose form is the newest. Two programs may do this at the same time.
pub(crate) async fn connect(path: &Path) -> Result<SqliteConnection, Inner> {
    let begin = Instant::now();
    loop {
        // Changing the journal's mode does not always wait for the others by itself.
        match connect_once(path).await {
            Err(error) if error.is_busy() && begin.elapsed() < PATIENCE => std::thread::sleep(PAUSE),
            result => return result,
        }
    }
}

async fn connect_once(path: &Path) -> Result<SqliteConnection, Inner> {
    let plain = SqliteConnectOptions::new()
        .filename(path)
        .busy_timeout(PATIENCE)
        .foreign_keys(true)
        .synchronous(SqliteSynchronous::Normal);
    let mut connection = SqliteConnection::connect_with(&plain).await?;
    // Looks before it changes anything, even the journal's mode.
    let found = form(&mut connection, path).await?;
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

/// The newest form that we know.
fn known() -> i64 {
    to_int(STEPS.len() as u64)
}

struct Form {
    version: i64,
    journal: String,
}

/// The form of the file, if it is one of ours.
async fn form(connection: &mut SqliteConnection, path: &Path) -> Result<Form, Inner> {
    let (version, owner, tables, journal): (i64, i64, i64, String) = sqlx::query_as(
        "SELECT (SELECT user_version FROM pragma_user_version),
                (SELECT application_id FROM pragma_application_id),
                (SELECT COUNT(*) FROM sqlite_schema),
                (SELECT journal_mode FROM pragma_journal_mode)",
    )
    .fetch_one(connection)
    .await?;
    let known = known();
    if owner != OURS && (tables > 0 || version != 0) {
        let why = "it is the database of another program".to_owned();
        return Err(StoreError::Damaged { path: path.to_path_buf(), why }.into());
    }
    if version > known {
        return Err(StoreError::Newer { path: path.to_path_buf(), found: version, known }.into());
    }
    Ok(Form { version, journal })
}

/// Takes the steps that are missing, all or none. Whoever comes second finds them taken.
async fn migrate(connection: &mut SqliteConnection, path: &Path) -> Result<(), Inner> {
    let mut all = connection.begin_with("BEGIN IMMEDIATE").await?;
    let now = form(&mut all, path).await?;
    for step in STEPS.iter().skip(usize::try_from(now.version).unwrap_or(0)) {
        sqlx::raw_sql(*step).execute(&mut *all).await?;
    }
    Ok(all.commit().await?)
}
