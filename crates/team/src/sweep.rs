//! Contents that no version names are removed after a day. Requests never remove contents.

use crate::{db::args, error::TeamError, team::Team};
use std::time::Duration;

const DAY: i64 = 24 * 3_600 * 1_000;
/// How often a process of the team tidies up.
const EVERY: Duration = Duration::from_hours(1);

impl Team {
    /// Removes contents that no version names, archives what is not used, and yanks what a waiver accepted until now, once an hour until it is dropped. What fails, such
    /// as while the database is away, is done an hour later.
    pub async fn keep_tidy(self) {
        loop {
            tokio::time::sleep(EVERY).await;
            let _archived = self.curate().await;
            let _yanked = self.end_waivers().await;
            let _removed = self.sweep().await;
        }
    }

    /// Removes contents that no version names and that are older than a day.
    pub async fn sweep(&self) -> Result<usize, TeamError> {
        let old = self.now() - DAY;
        let mut removed = 0;
        for (digest, modified) in self.objects.list().await? {
            if modified > old {
                continue;
            }
            let name = format!("sha256:{digest}");
            // An upload of the same files looks under this lock whether its contents are still there.
            let mut tx = self.db.begin().await?;
            tx.lock_sequence().await?;
            let used = tx.maybe("SELECT 1 FROM skill_version WHERE tree = $1 LIMIT 1", args![&name]).await?;
            if used.is_some() {
                continue;
            }
            self.objects.remove(&digest).await?;
            tx.commit().await?;
            removed += 1;
            let mut tx = self.db.begin().await?;
            let forgotten = tx
                .run(
                    "DELETE FROM tree WHERE digest = $1 AND created < $2 \
                     AND NOT EXISTS (SELECT 1 FROM skill_version WHERE tree = $1)",
                    args![&name, old],
                )
                .await;
            // A version that was added in between keeps the row.
            if forgotten.is_ok() {
                tx.commit().await?;
            }
        }
        Ok(removed)
    }
}
