//! Why something was not done.

use thiserror::Error;

/// Why something was not done. What a caller may not see is `NotFound`, in the same words as what does not exist.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum TeamError {
    /// It does not exist, or not for this caller.
    #[error("not found")]
    NotFound,
    /// The caller is not signed in, or the credential is not valid.
    #[error("{0}")]
    Unauthenticated(String),
    /// The caller may see it and may not do this.
    #[error("{0}")]
    Forbidden(String),
    /// It does not fit to what is there.
    #[error("{message}")]
    Conflict {
        /// A stable word.
        code: &'static str,
        /// What and why.
        message: String,
    },
    /// The request is wrong.
    #[error("{message}")]
    Invalid {
        /// A stable word.
        code: &'static str,
        /// What and why, and how to fix it.
        message: String,
    },
    /// A limit of the server.
    #[error("{0}")]
    TooLarge(String),
    /// The caller asks too often.
    #[error("{0}")]
    TooMany(String),
    /// The database or the object store does not answer.
    #[error("{0}")]
    Unavailable(String),
    /// The object store gave other bytes than were stored.
    #[error("{0}")]
    Damaged(String),
    /// A fault of this program.
    #[error("{0}")]
    Internal(String),
}

impl TeamError {
    /// A wrong request.
    pub fn invalid(code: &'static str, message: impl Into<String>) -> Self {
        Self::Invalid { code, message: message.into() }
    }

    /// Something that does not fit to what is there.
    pub fn conflict(code: &'static str, message: impl Into<String>) -> Self {
        Self::Conflict { code, message: message.into() }
    }
}

/// Refuses a text that is longer than what it is for: it is kept, and repeated in the audit log and to every reader.
pub(crate) fn at_most(what: &str, text: &str, characters: usize) -> Result<(), TeamError> {
    if text.chars().count() > characters {
        return Err(TeamError::invalid("too-long", format!("{what} has at most {characters} characters")));
    }
    Ok(())
}

impl From<sqlx::Error> for TeamError {
    fn from(error: sqlx::Error) -> Self {
        match &error {
            sqlx::Error::Database(inner) if inner.is_unique_violation() => {
                Self::conflict("exists", "it exists already")
            }
            // Another user was faster: a preference of a skill that is deleted at this moment, for example.
            sqlx::Error::Database(inner) if inner.is_foreign_key_violation() => {
                Self::conflict("changed", "what this belongs to was deleted at this moment; read it again")
            }
            sqlx::Error::Database(inner)
                if matches!(inner.code().as_deref(), Some("5" | "517" | "40001" | "40P01")) =>
            {
                Self::Unavailable("the database is busy; try again".to_owned())
            }
            sqlx::Error::Database(inner) if inner.code().is_some_and(|code| code.starts_with("57P")) => {
                Self::Unavailable("the database is not available".to_owned())
            }
            // A connection that breaks in the middle of an answer is an error of the protocol.
            sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::Protocol(_)
            | sqlx::Error::Io(_)
            | sqlx::Error::Tls(_) => Self::Unavailable("the database is not available".to_owned()),
            // The text may hold values of users and is for the log only.
            _ => Self::Internal(format!("the database refused a query: {error}")),
        }
    }
}
