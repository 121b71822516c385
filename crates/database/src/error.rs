//! What can go wrong with the memory, each with what a person can do.

use std::path::{Path, PathBuf};

/// Why something was not kept or not found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The file is not a sound database of ours.
    #[error(
        "`{}` is damaged ({why}); it was left as it is: rename it and the next turn begins a new one, \
         or save what can be read with `sqlite3 FILE .recover`", .path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A later version of this program wrote the file.
    #[error(
        "`{}` was written by a newer version of this program (its form is {found}, this one knows {known}); \
         update the program", .path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The last version known here.
        known: i64,
    },
    /// Somebody else held the file for too long.
    #[error("`{}` is in use by another program; try again when that one is done", .path.display())]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be read or written.
    #[error("`{}` cannot be used: {why}; make the folder writable, with room on the disk", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        why: String,
    },
    /// There is no such session.
    #[error("there is no session `{0}`")]
    Unknown(String),
    /// The first letters of more than one session.
    #[error("`{word}` begins more than one session: {}; write more of the id", .ids.join(", "))]
    Ambiguous {
        /// What was asked for.
        word: String,
        /// Some of the sessions it begins.
        ids: Vec<String>,
    },
    /// Larger than is kept.
    #[error("{what} of {size} bytes is over the {limit} that are kept; keep less of it")]
    TooLarge {
        /// What it is.
        what: &'static str,
        /// Its bytes.
        size: usize,
        /// The most.
        limit: usize,
    },
    /// Anything else that the database says.
    #[error("`{}` could not do that: {why}", .path.display())]
    Failed {
        /// The file.
        path: PathBuf,
        /// What it says.
        why: String,
    },
}

/// Inside the crate: our own errors, or those of the database, which do not know the file.
#[derive(Debug)]
pub(crate) enum Inner {
    Own(StoreError),
    Database(sqlx::Error),
}

impl From<sqlx::Error> for Inner {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error)
    }
}

impl From<StoreError> for Inner {
    fn from(error: StoreError) -> Self {
        Self::Own(error)
    }
}

impl Inner {
    /// Says which file it was.
    pub(crate) fn of(self, path: &Path) -> StoreError {
        match self {
            Self::Own(error) => error,
            Self::Database(error) => classify(&error, path),
        }
    }

    /// Whether somebody else holds the file.
    pub(crate) fn is_busy(&self) -> bool {
        matches!(self, Self::Database(error) if matches!(primary_code(error), Some(5 | 6)))
    }
}

/// SQLite's result code without its details.
fn primary_code(error: &sqlx::Error) -> Option<i64> {
    let code = error.as_database_error()?.code()?;
    code.parse::<i64>().ok().map(|code| code & 0xff)
}

fn classify(error: &sqlx::Error, path: &Path) -> StoreError {
    let path = path.to_path_buf();
    let why = match error {
        sqlx::Error::Database(error) => error.message().to_owned(),
        other => other.to_string(),
    };
    match (primary_code(error), error) {
        (Some(5 | 6), _) => StoreError::Locked { path },
        // Corrupt, not a database.
        (Some(11 | 26), _) => StoreError::Damaged { path, why },
        // Permission, read-only, input/output, full, cannot open.
        (Some(3 | 8 | 10 | 13 | 14), _) | (None, sqlx::Error::Io(_)) => StoreError::Io { path, why },
        // A value of another type than we write.
        (None, sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_)) => {
            StoreError::Damaged { path, why }
        }
        _ => StoreError::Failed { path, why },
    }
}
