//! A team: its database, its contents and its clock.

use crate::{
    actor::Actor,
    catalog::Remembered,
    db::{Db, args},
    error::TeamError,
    listing::KeptLists,
    objects::Objects,
    outbound::Outbound,
    permission::{Deed, Openness, Scope, may},
    search::SearchIndex,
};
use std::{
    fmt,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::sync::{RwLock, watch};

/// The organisation that every server has.
pub const FIRST_ORG: &str = "main";
/// How long a process waits for a notification before it looks for changes itself.
const LOOK: Duration = Duration::from_secs(2);

/// Milliseconds since 1970.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// A team's skills and everything that is decided about them. Cheap to clone.
#[derive(Clone)]
pub struct Team {
    pub(crate) db: Db,
    pub(crate) objects: Objects,
    pub(crate) openness: Openness,
    /// The number of the newest change that this process knows.
    pub(crate) changed: Arc<watch::Sender<i64>>,
    /// The words of all skills, made at the first search.
    pub(crate) words: Arc<RwLock<SearchIndex>>,
    pub(crate) outbound: Arc<Outbound>,
    /// What sources offered a short time ago.
    pub(crate) remembered: Remembered,
    /// Lists of users, each of the change that it was made at.
    pub(crate) lists: Arc<Mutex<KeptLists>>,
    clock: Clock,
}

impl fmt::Debug for Team {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Team").field("database", &self.db.kind()).finish_non_exhaustive()
    }
}

impl Team {
    /// A team on a database and an object store. The first organisation is created.
    pub async fn open(db: Db, objects: Objects, openness: Openness, clock: Clock) -> Result<Self, TeamError> {
        let (changed, _) = watch::channel(0);
        let team = Self {
            db,
            objects,
            openness,
            changed: Arc::new(changed),
            outbound: Arc::default(),
            remembered: Remembered::default(),
            words: Arc::default(),
            lists: Arc::default(),
            clock,
        };
        let mut tx = team.db.begin().await?;
        tx.run(
            "INSERT INTO org (id, name, created) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING",
            args![FIRST_ORG, "Main", team.now()],
        )
        .await?;
        tx.commit().await?;
        team.changed.send_replace(team.last_change().await?);
        Ok(team)
    }

    /// The time in milliseconds since 1970.
    pub fn now(&self) -> i64 {
        (self.clock)()
    }

    /// The database.
    pub fn db(&self) -> &Db {
        &self.db
    }

    /// The contents.
    pub fn objects(&self) -> &Objects {
        &self.objects
    }

    /// What is open to callers who are not signed in.
    pub fn openness(&self) -> Openness {
        self.openness
    }

    /// Whether an actor may do something with what belongs to a scope.
    pub fn may(&self, actor: &Actor, deed: Deed, org: &str, scope: &Scope) -> Result<(), TeamError> {
        may(actor, deed, org, scope, self.openness)
    }

    pub(crate) fn may_read(&self, actor: &Actor, org: &str, scope: &Scope) -> bool {
        self.may(actor, Deed::Read, org, scope).is_ok()
    }

    /// The number of the newest change; wakes whenever it grows.
    pub fn watch(&self) -> watch::Receiver<i64> {
        self.changed.subscribe()
    }

    /// Keeps this process in step with the others, until it is dropped. A notification is only a hint: it may be lost, so
    /// that the number is also read every two seconds.
    pub async fn keep_in_step(self) {
        loop {
            self.wait_for_hint().await;
            if let Ok(newest) = self.last_change().await {
                self.changed.send_if_modified(|known| {
                    let grew = newest > *known;
                    *known = newest.max(*known);
                    grew
                });
            }
        }
    }

    async fn wait_for_hint(&self) {
        let Db::Postgres { write, .. } = &self.db else { return tokio::time::sleep(LOOK).await };
        let Ok(mut listener) = sqlx::postgres::PgListener::connect_with(write).await else {
            return tokio::time::sleep(LOOK).await;
        };
        if listener.listen("skillful").await.is_err() {
            return tokio::time::sleep(LOOK).await;
        }
        loop {
            // An error or a silent two seconds: look at the table.
            match tokio::time::timeout(LOOK, listener.recv()).await {
                Ok(Ok(_)) => match self.last_change().await {
                    Ok(newest) => {
                        self.changed.send_if_modified(|known| {
                            let grew = newest > *known;
                            *known = newest.max(*known);
                            grew
                        });
                    }
                    Err(_) => return,
                },
                Ok(Err(_)) | Err(_) => return,
            }
        }
    }
}
