//! One SQL text for SQLite and PostgreSQL: connections, transactions, rows.
//!
//! Only text and 64-bit numbers cross this border, so that a query means the same in both.

mod readers;

use crate::error::TeamError;
use readers::Readers;
use sqlx::{
    Connection as _, Postgres, Row as _, Sqlite,
    postgres::{PgArguments, PgConnectOptions, PgConnection, PgPool, PgPoolOptions, PgRow},
    query::Query,
    sqlite::{
        SqliteArguments, SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteRow,
        SqliteSynchronous,
    },
};
use std::{fs::OpenOptions, io, os::unix::fs::OpenOptionsExt as _, path::Path, sync::Arc, time::Duration};

/// How long a request waits for a connection before it is refused.
const ACQUIRE: Duration = Duration::from_secs(3);
/// How long a query that only reads may take, on a connection that became silent for example.
const READ: Duration = Duration::from_secs(15);
/// How long the first question of a request may take.
const FIRST: Duration = Duration::from_secs(3);
/// Connections of a process to PostgreSQL that read, and those that write.
const PG_READERS: usize = 10;
const PG_WRITERS: u32 = 6;
/// Connections that read the file of SQLite.
const FILE_READERS: usize = 8;
/// How long a writer waits for another process that has locked the file.
const BUSY: Duration = Duration::from_secs(10);
/// The lock that migrations hold in PostgreSQL.
const MIGRATION_LOCK: i64 = 0x536b_696c_6c01;
/// The lock that numbers of changes are taken under in PostgreSQL.
const SEQUENCE_LOCK: i64 = 0x536b_696c_6c02;
/// One file for each version of the schema.
pub(crate) const MIGRATIONS: [&str; 5] = [
    include_str!("../migrations/0001_first.sql"),
    include_str!("../migrations/0002_outbound.sql"),
    include_str!("../migrations/0003_draft_saves.sql"),
    include_str!("../migrations/0004_idle_and_settings.sql"),
    include_str!("../migrations/0005_revoked.sql"),
];

/// The database of a team.
#[derive(Clone, Debug)]
pub enum Db {
    /// One file; readers side by side, one writer.
    Sqlite {
        /// Connections that only read.
        read: Arc<Readers<Sqlite>>,
        /// The one connection that writes.
        write: SqlitePool,
    },
    /// A PostgreSQL server that several processes share.
    Postgres {
        /// Connections that only read.
        read: Arc<Readers<Postgres>>,
        /// Connections that write, and the one that listens.
        write: PgPool,
    },
}

/// A value that is bound to a query.
#[derive(Clone, Debug)]
pub enum Arg {
    /// A text or its absence.
    Text(Option<String>),
    /// A number or its absence.
    Int(Option<i64>),
}

impl From<&str> for Arg {
    fn from(text: &str) -> Self {
        Self::Text(Some(text.to_owned()))
    }
}

impl From<String> for Arg {
    fn from(text: String) -> Self {
        Self::Text(Some(text))
    }
}

impl From<&String> for Arg {
    fn from(text: &String) -> Self {
        Self::Text(Some(text.clone()))
    }
}

impl From<i64> for Arg {
    fn from(number: i64) -> Self {
        Self::Int(Some(number))
    }
}

impl From<Option<i64>> for Arg {
    fn from(number: Option<i64>) -> Self {
        Self::Int(number)
    }
}

impl From<bool> for Arg {
    fn from(truth: bool) -> Self {
        Self::Int(Some(i64::from(truth)))
    }
}

/// The values of a query, in order.
macro_rules! args {
    ($($value:expr),* $(,)?) => { vec![$($crate::db::Arg::from($value)),*] };
}
pub(crate) use args;

/// A row of a result.
#[derive(Debug)]
pub enum Row {
    /// Of SQLite.
    Sqlite(SqliteRow),
    /// Of PostgreSQL.
    Postgres(PgRow),
}

impl Row {
    /// A text.
    pub fn text(&self, at: usize) -> Result<String, TeamError> {
        Ok(match self {
            Self::Sqlite(row) => row.try_get(at)?,
            Self::Postgres(row) => row.try_get(at)?,
        })
    }

    /// A number.
    pub fn int(&self, at: usize) -> Result<i64, TeamError> {
        Ok(match self {
            Self::Sqlite(row) => row.try_get(at)?,
            Self::Postgres(row) => row.try_get(at)?,
        })
    }

    /// A number that may be absent.
    pub fn maybe_int(&self, at: usize) -> Result<Option<i64>, TeamError> {
        Ok(match self {
            Self::Sqlite(row) => row.try_get(at)?,
            Self::Postgres(row) => row.try_get(at)?,
        })
    }

    /// Whether a number is not 0.
    pub fn truth(&self, at: usize) -> Result<bool, TeamError> {
        Ok(self.int(at)? != 0)
    }
}

/// Refuses a text that PostgreSQL cannot hold, with both databases alike.
fn holdable(args: &[Arg]) -> Result<(), TeamError> {
    let has_null = |arg: &Arg| matches!(arg, Arg::Text(Some(text)) if text.contains('\0'));
    if args.iter().any(has_null) {
        return Err(TeamError::invalid(
            "wrong-text",
            "a text has the character U+0000, which cannot be kept",
        ));
    }
    Ok(())
}

type SqliteQuery<'q> = Query<'q, sqlx::Sqlite, SqliteArguments>;
type PgQuery<'q> = Query<'q, sqlx::Postgres, PgArguments>;

fn sqlite(sql: &'static str, args: &[Arg]) -> SqliteQuery<'static> {
    args.iter().cloned().fold(sqlx::query(sql), |query, arg| match arg {
        Arg::Text(text) => query.bind(text),
        Arg::Int(number) => query.bind(number),
    })
}

fn postgres(sql: &'static str, args: &[Arg]) -> PgQuery<'static> {
    args.iter().cloned().fold(sqlx::query(sql), |query, arg| match arg {
        Arg::Text(text) => query.bind(text),
        Arg::Int(number) => query.bind(number),
    })
}

/// The answer to a query that only reads.
async fn in_time<T>(
    limit: Duration,
    query: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, TeamError> {
    match tokio::time::timeout(limit, query).await {
        Ok(done) => Ok(done?),
        Err(_) => Err(TeamError::Unavailable("the database does not answer in time".to_owned())),
    }
}

/// Whether an address is that of a PostgreSQL server; else it is the path of a SQLite file.
pub fn is_server(address: &str) -> bool {
    address.starts_with("postgres://") || address.starts_with("postgresql://")
}

/// A new file is for its owner alone: it holds addresses of users and secrets of webhooks. SQLite gives the files beside it the same
/// mode. The mode of an existing file is the choice of its administrator.
fn keep_private(path: &Path) -> Result<(), TeamError> {
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(TeamError::Unavailable(format!("{}: {error}", path.display()))),
    }
}

/// The parts of a migration for one kind of database. What stands behind a line `-- only KIND` is for that kind, until the next such
/// line.
fn parts(text: &'static str, kind: &'static str) -> impl Iterator<Item = &'static str> {
    let mut parts = text.split("\n-- only ");
    let common = parts.next();
    common.into_iter().chain(parts.filter_map(move |part| {
        let (only, part) = part.split_once('\n')?;
        (only == kind).then_some(part)
    }))
}

fn newest(migrations: &[&'static str]) -> i64 {
    i64::try_from(migrations.len()).unwrap_or(i64::MAX)
}

/// A connection that cannot be made, with the cause: the administrator who starts the server reads it.
fn unreachable(error: sqlx::Error) -> TeamError {
    match error {
        sqlx::Error::Io(why) => TeamError::Unavailable(format!("the database does not answer: {why}")),
        sqlx::Error::Tls(why) => {
            TeamError::Unavailable(format!("the database does not answer with TLS: {why}"))
        }
        sqlx::Error::PoolTimedOut => {
            TeamError::Unavailable(format!("the database does not answer within {} s", ACQUIRE.as_secs()))
        }
        other => other.into(),
    }
}

fn newer(found: i64, newest: i64) -> TeamError {
    TeamError::Unavailable(format!(
        "the database has schema {found} of a newer release; this program knows schema {newest}: update the program"
    ))
}

impl Db {
    /// Opens a database by its address: `postgres://…`, or the path of a SQLite file.
    pub async fn open(address: &str) -> Result<Self, TeamError> {
        Self::open_knowing(address, &MIGRATIONS).await
    }

    /// The version of the schema that an existing database has, 0 for none; nothing is changed. A schema of a newer release is
    /// refused, and so is a database in which this user may not create tables that are still to come.
    pub async fn look(address: &str) -> Result<i64, TeamError> {
        let is_server = is_server(address);
        let db = if is_server {
            let options: PgConnectOptions = address.parse()?;
            let reached = tokio::time::timeout(ACQUIRE, PgConnection::connect_with(&options)).await;
            reached.map_err(|_| unreachable(sqlx::Error::PoolTimedOut))?.map_err(unreachable)?;
            let write = PgPoolOptions::new().connect_lazy_with(options.clone());
            Self::Postgres { read: Readers::new(options, 1), write }
        } else {
            let options = SqliteConnectOptions::new().filename(address).busy_timeout(BUSY);
            let write = SqlitePoolOptions::new().connect_lazy_with(options.clone());
            Self::Sqlite { read: Readers::new(options, 1), write }
        };
        let has_schema = if is_server {
            "SELECT count(*) FROM pg_tables WHERE tablename = 'schema_version' AND schemaname = ANY (current_schemas(false))"
        } else {
            "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'schema_version'"
        };
        let number = |row: Option<Row>| row.map_or(Ok(0), |row| row.int(0));
        let found = if number(db.maybe(has_schema, args![]).await?)? == 0 {
            0
        } else {
            number(db.maybe("SELECT coalesce(max(number), 0) FROM schema_version", args![]).await?)?
        };
        let newest = newest(&MIGRATIONS);
        if found > newest {
            return Err(newer(found, newest));
        }
        let may_create = "SELECT has_schema_privilege(current_schema(), 'CREATE')::int::bigint";
        if is_server && found < newest && number(db.maybe(may_create, args![]).await?)? == 0 {
            return Err(TeamError::Unavailable("its user may not create tables in this database".to_owned()));
        }
        Ok(found)
    }

    /// Opens it as a program does that knows only these versions of the schema, such as an older release.
    pub async fn open_knowing(address: &str, migrations: &[&'static str]) -> Result<Self, TeamError> {
        let db = if is_server(address) {
            let options: PgConnectOptions = address.parse()?;
            let write = PgPoolOptions::new().max_connections(PG_WRITERS).acquire_timeout(ACQUIRE);
            let write = write.connect_with(options.clone()).await.map_err(unreachable)?;
            Self::Postgres { read: Readers::new(options, PG_READERS), write }
        } else {
            Self::open_file(Path::new(address)).await?
        };
        db.migrate(migrations).await?;
        Ok(db)
    }

    async fn open_file(path: &Path) -> Result<Self, TeamError> {
        keep_private(path)?;
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .busy_timeout(BUSY);
        let write = SqlitePoolOptions::new()
            .max_connections(1)
            .acquire_timeout(BUSY)
            .connect_with(options.clone())
            .await?;
        Ok(Self::Sqlite { read: Readers::new(options.read_only(true), FILE_READERS), write })
    }

    /// Brings the schema to the newest version. A schema of a newer release is refused.
    async fn migrate(&self, migrations: &[&'static str]) -> Result<(), TeamError> {
        let mut tx = self.begin().await?;
        if let Tx::Postgres(_) = tx {
            tx.run("SELECT pg_advisory_xact_lock($1)", args![MIGRATION_LOCK]).await?;
        }
        tx.run("CREATE TABLE IF NOT EXISTS schema_version (number BIGINT NOT NULL)", args![]).await?;
        let found = tx.one("SELECT coalesce(max(number), 0) FROM schema_version", args![]).await?.int(0)?;
        let newest = newest(migrations);
        if found > newest {
            return Err(newer(found, newest));
        }
        for (number, text) in (1..).zip(migrations) {
            if number > found {
                for part in parts(text, self.kind()) {
                    tx.script(part).await?;
                }
                tx.run("INSERT INTO schema_version (number) VALUES ($1)", args![number]).await?;
            }
        }
        tx.commit().await
    }

    /// Begins a transaction that writes.
    pub async fn begin(&self) -> Result<Tx, TeamError> {
        Ok(match self {
            Self::Sqlite { write, .. } => Tx::Sqlite(write.begin_with("BEGIN IMMEDIATE").await?),
            Self::Postgres { write, .. } => Tx::Postgres(write.begin().await?),
        })
    }

    /// All rows of a query that only reads.
    pub async fn all(&self, sql: &'static str, args: Vec<Arg>) -> Result<Vec<Row>, TeamError> {
        self.rows(READ, sql, args, false).await
    }

    /// All rows of the question that a request begins with. A database that became silent is noticed by it within seconds, on
    /// whichever connection.
    pub(crate) async fn first(&self, sql: &'static str, args: Vec<Arg>) -> Result<Vec<Row>, TeamError> {
        self.rows(FIRST, sql, args, false).await
    }

    /// The first row of a query that only reads.
    pub async fn maybe(&self, sql: &'static str, args: Vec<Arg>) -> Result<Option<Row>, TeamError> {
        Ok(self.rows(READ, sql, args, true).await?.pop())
    }

    async fn rows(
        &self,
        limit: Duration,
        sql: &'static str,
        args: Vec<Arg>,
        only_one: bool,
    ) -> Result<Vec<Row>, TeamError> {
        holdable(&args)?;
        Ok(match self {
            Self::Sqlite { read, .. } => {
                in_time(limit, read.rows(sql, &args, only_one)).await?.into_iter().map(Row::Sqlite).collect()
            }
            Self::Postgres { read, .. } => in_time(limit, read.rows(sql, &args, only_one))
                .await?
                .into_iter()
                .map(Row::Postgres)
                .collect(),
        })
    }

    /// Whether the database answers.
    pub async fn is_ready(&self) -> bool {
        self.first("SELECT 1", args![]).await.is_ok()
    }

    /// The kind, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Sqlite { .. } => "SQLite",
            Self::Postgres { .. } => "PostgreSQL",
        }
    }
}

/// A transaction that writes; dropped without `commit`, it changes nothing.
#[derive(Debug)]
pub enum Tx {
    /// Of SQLite.
    Sqlite(sqlx::Transaction<'static, sqlx::Sqlite>),
    /// Of PostgreSQL.
    Postgres(sqlx::Transaction<'static, sqlx::Postgres>),
}

impl Tx {
    /// Carries out a statement; returns how many rows it changed.
    pub async fn run(&mut self, sql: &'static str, args: Vec<Arg>) -> Result<u64, TeamError> {
        holdable(&args)?;
        Ok(match self {
            Self::Sqlite(tx) => sqlite(sql, &args).execute(&mut **tx).await?.rows_affected(),
            Self::Postgres(tx) => postgres(sql, &args).execute(&mut **tx).await?.rows_affected(),
        })
    }

    /// Carries out several statements without values.
    async fn script(&mut self, sql: &'static str) -> Result<(), TeamError> {
        match self {
            Self::Sqlite(tx) => sqlx::raw_sql(sql).execute(&mut **tx).await.map(|_| ())?,
            Self::Postgres(tx) => sqlx::raw_sql(sql).execute(&mut **tx).await.map(|_| ())?,
        }
        Ok(())
    }

    /// All rows.
    pub async fn all(&mut self, sql: &'static str, args: Vec<Arg>) -> Result<Vec<Row>, TeamError> {
        holdable(&args)?;
        Ok(match self {
            Self::Sqlite(tx) => {
                sqlite(sql, &args).fetch_all(&mut **tx).await?.into_iter().map(Row::Sqlite).collect()
            }
            Self::Postgres(tx) => {
                postgres(sql, &args).fetch_all(&mut **tx).await?.into_iter().map(Row::Postgres).collect()
            }
        })
    }

    /// The first row, if there is one.
    pub async fn maybe(&mut self, sql: &'static str, args: Vec<Arg>) -> Result<Option<Row>, TeamError> {
        holdable(&args)?;
        Ok(match self {
            Self::Sqlite(tx) => sqlite(sql, &args).fetch_optional(&mut **tx).await?.map(Row::Sqlite),
            Self::Postgres(tx) => postgres(sql, &args).fetch_optional(&mut **tx).await?.map(Row::Postgres),
        })
    }

    /// The first row; its absence is an error of this program.
    pub async fn one(&mut self, sql: &'static str, args: Vec<Arg>) -> Result<Row, TeamError> {
        self.maybe(sql, args).await?.ok_or_else(|| TeamError::Internal("a row is missing".to_owned()))
    }

    /// Waits for the right to take the next number of a change, until the transaction ends, so that numbers have the
    /// order of commits. SQLite has one writer, which holds that right already.
    pub(crate) async fn lock_sequence(&mut self) -> Result<(), TeamError> {
        if let Self::Postgres(_) = self {
            self.run("SELECT pg_advisory_xact_lock($1)", args![SEQUENCE_LOCK]).await?;
        }
        Ok(())
    }

    /// Notifies other processes of a change. The message may get lost; they also look by themselves.
    pub(crate) async fn notify(&mut self) -> Result<(), TeamError> {
        if let Self::Postgres(_) = self {
            self.run("SELECT pg_notify('skillful', '')", args![]).await?;
        }
        Ok(())
    }

    /// Makes the changes last.
    pub async fn commit(self) -> Result<(), TeamError> {
        match self {
            Self::Sqlite(tx) => tx.commit().await?,
            Self::Postgres(tx) => tx.commit().await?,
        }
        Ok(())
    }
}
