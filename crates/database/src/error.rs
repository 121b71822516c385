//! Errors of the database, each with what the user can do about it.

use std::path::{Path, PathBuf};

/// Why an operation on the database failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DatabaseError {
    /// The file is not a valid database of this program.
    #[error(
        "`{}` is damaged ({why}) and was not changed; rename it to start with a new one, \
         or recover its content with `sqlite3 FILE .recover`", .path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A later version of this program wrote the file.
    #[error(
        "`{}` was written by a newer version of this program (schema {found}, this version supports {known}); \
         update the program", .path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema version.
        found: i64,
        /// The newest schema version that this program knows.
        known: i64,
    },
    /// Another process locked the file for too long.
    #[error("`{}` is locked by another process; try again when it has finished", .path.display())]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be read or written.
    #[error("`{}` cannot be used: {why}; make the folder writable and free space on the disk", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        why: String,
    },
    /// The session does not exist.
    #[error("session `{0}` does not exist")]
    Unknown(String),
    /// The given prefix matches more than one session.
    #[error("`{word}` matches more than one session: {}; give more characters of the id", .ids.join(", "))]
    Ambiguous {
        /// The prefix.
        word: String,
        /// Some of the matching sessions.
        ids: Vec<String>,
    },
    /// A value exceeds its size limit.
    #[error("{what} of {size} bytes exceeds the limit of {limit} bytes")]
    TooLarge {
        /// Which value.
        what: &'static str,
        /// Its size in bytes.
        size: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// Any other error of the database.
    #[error("the operation on `{}` failed: {why}", .path.display())]
    Failed {
        /// The file.
        path: PathBuf,
        /// The error message.
        why: String,
    },
}

/// Errors inside the crate: our own, or those of sqlx, which do not name the file.
#[derive(Debug)]
pub(crate) enum InternalError {
    Own(DatabaseError),
    Database(sqlx::Error),
}

impl From<sqlx::Error> for InternalError {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error)
    }
}

impl From<DatabaseError> for InternalError {
    fn from(error: DatabaseError) -> Self {
        Self::Own(error)
    }
}

impl InternalError {
    /// Adds the path of the file.
    pub(crate) fn of(self, path: &Path) -> DatabaseError {
        match self {
            Self::Own(error) => error,
            Self::Database(error) => classify(&error, path),
        }
    }

    /// Whether another process has locked the file.
    pub(crate) fn is_busy(&self) -> bool {
        matches!(self, Self::Database(error) if matches!(primary_code(error), Some(5 | 6)))
    }
}

/// The primary result code of SQLite, without the extended part.
fn primary_code(error: &sqlx::Error) -> Option<i64> {
    let code = error.as_database_error()?.code()?;
    code.parse::<i64>().ok().map(|code| code & 0xff)
}

fn classify(error: &sqlx::Error, path: &Path) -> DatabaseError {
    let path = path.to_path_buf();
    let why = match error {
        sqlx::Error::Database(error) => error.message().to_owned(),
        other => other.to_string(),
    };
    match (primary_code(error), error) {
        (Some(5 | 6), _) => DatabaseError::Locked { path },
        // SQLITE_CORRUPT, SQLITE_NOTADB.
        (Some(11 | 26), _) => DatabaseError::Damaged { path, why },
        // SQLITE_PERM, SQLITE_READONLY, SQLITE_IOERR, SQLITE_FULL, SQLITE_CANTOPEN.
        (Some(3 | 8 | 10 | 13 | 14), _) | (None, sqlx::Error::Io(_)) => DatabaseError::Io { path, why },
        // A column has another type than this program writes.
        (None, sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_)) => {
            DatabaseError::Damaged { path, why }
        }
        _ => DatabaseError::Failed { path, why },
    }
}
