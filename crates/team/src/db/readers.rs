//! Connections that only read, kept between questions.
//!
//! The pool of sqlx asks a connection whether it lives when it is taken and when it is given back: three round trips for one
//! question. Here only a connection that was idle is asked. One that breaks while it is asked something is replaced and the
//! question is asked again, since it only reads; one whose question was cut off is closed.

use super::{ACQUIRE, Arg, postgres, sqlite};
use sqlx::{ConnectOptions, Connection, Database, Either, Postgres, Sqlite};
use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};
use tokio::{sync::Semaphore, time::timeout};

/// How long a connection is taken for alive after its last answer.
const TRUSTED: Duration = Duration::from_secs(1);
/// How long a connection that was idle may take to say that it lives.
const ALIVE: Duration = Duration::from_secs(1);
/// How old a connection becomes; the process at its other end keeps what it read for as long.
const AGE: Duration = Duration::from_mins(30);

/// A connection with when it was opened and when it answered last.
struct Kept<C> {
    connection: C,
    opened: Instant,
    answered: Instant,
}

/// So many connections that only read.
pub struct Readers<D: Database> {
    options: <D::Connection as Connection>::Options,
    places: Semaphore,
    /// The one that answered last is at the end and is taken first.
    kept: Mutex<Vec<Kept<D::Connection>>>,
}

impl<D: Database> fmt::Debug for Readers<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Readers").field("database", &D::NAME).finish_non_exhaustive()
    }
}

impl<D: Database> Readers<D> {
    pub(super) fn new(options: <D::Connection as Connection>::Options, count: usize) -> Arc<Self> {
        Arc::new(Self { options, places: Semaphore::new(count), kept: Mutex::default() })
    }

    fn taken(&self) -> Option<Kept<D::Connection>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    fn forget(&self) {
        // Closed after the lock is free.
        let _closed = std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn keep(&self, mut one: Kept<D::Connection>) {
        one.answered = Instant::now();
        if one.opened.elapsed() < AGE {
            self.kept.lock().unwrap_or_else(PoisonError::into_inner).push(one);
        }
    }

    async fn open(&self) -> Result<Kept<D::Connection>, sqlx::Error> {
        let now = Instant::now();
        Ok(Kept { connection: self.options.connect().await?, opened: now, answered: now })
    }

    /// A connection that was used before and lives, else a new one.
    async fn connection(&self) -> Result<Either<Kept<D::Connection>, Kept<D::Connection>>, sqlx::Error> {
        if let Some(mut one) = self.taken() {
            if one.answered.elapsed() < TRUSTED
                || matches!(timeout(ALIVE, one.connection.ping()).await, Ok(Ok(())))
            {
                return Ok(Either::Left(one));
            }
            // The others have been idle for longer.
            self.forget();
        }
        self.open().await.map(Either::Right)
    }
}

/// Whether a connection cannot be used after this error.
fn is_broken(error: &sqlx::Error) -> bool {
    match error {
        // The server ends the connection: it stops, or an administrator asked for it.
        sqlx::Error::Database(inner) => inner.code().is_some_and(|code| code.starts_with("57P")),
        sqlx::Error::Io(_) | sqlx::Error::Tls(_) | sqlx::Error::Protocol(_) | sqlx::Error::WorkerCrashed => {
            true
        }
        _ => false,
    }
}

macro_rules! readers {
    ($database:ty, $query:ident) => {
        impl Readers<$database> {
            /// The rows of a question, or the first one.
            pub(super) async fn rows(
                &self,
                sql: &'static str,
                args: &[Arg],
                only_one: bool,
            ) -> Result<Vec<<$database as Database>::Row>, sqlx::Error> {
                let late = |_| sqlx::Error::PoolTimedOut;
                let taking = async {
                    let place = self.places.acquire().await.map_err(|_| sqlx::Error::PoolClosed)?;
                    Ok::<_, sqlx::Error>((place, self.connection().await?))
                };
                let (_place, mut taken) = timeout(ACQUIRE, taking).await.map_err(late)??;
                loop {
                    let (mut one, was_kept) = match taken {
                        Either::Left(one) => (one, true),
                        Either::Right(one) => (one, false),
                    };
                    let question = $query(sql, args);
                    let answer = if only_one {
                        question
                            .fetch_optional(&mut one.connection)
                            .await
                            .map(|row| row.into_iter().collect())
                    } else {
                        question.fetch_all(&mut one.connection).await
                    };
                    match answer {
                        Err(error) if is_broken(&error) && was_kept => {
                            self.forget();
                            taken = Either::Right(timeout(ACQUIRE, self.open()).await.map_err(late)??);
                        }
                        Err(error) if is_broken(&error) => return Err(error),
                        answer => {
                            self.keep(one);
                            return answer;
                        }
                    }
                }
            }
        }
    };
}

readers!(Sqlite, sqlite);
readers!(Postgres, postgres);
