//! The end of waivers. A version with blocking findings was published since a reviewer accepted them until a time; when that time is
//! over, it is yanked until another review.

use crate::{
    db::{Tx, args},
    error::TeamError,
    log::Note,
    permission::Scope,
    team::Team,
    versions::{VersionState, hold},
};
use serde_json::json;

/// Who yanks it, in the audit log.
const ACTOR: &str = "server";
/// Why, for the users of the skill.
const REASON: &str =
    "the waiver of its blocking findings has ended; upload the files again for another review";

impl Team {
    /// Yanks published versions whose waiver has ended; returns how many.
    pub async fn end_waivers(&self) -> Result<usize, TeamError> {
        let mut ended = 0;
        for row in self.db.all(ENDED, args![self.now()]).await? {
            let (skill, number) = (row.text(0)?, row.int(1)?);
            let (org, scope) = (row.text(2)?, Scope::of(&row.text(3)?, &row.text(4)?)?);
            let mut tx = self.db.begin().await?;
            // Another process, or a user, was faster.
            if hold(&mut tx, &skill, number, VersionState::Published).await.is_err() {
                continue;
            }
            tx.run(
                "UPDATE skill_version SET state = 'yanked', reason = $3 WHERE skill_id = $1 AND number = $2",
                args![&skill, number, REASON],
            )
            .await?;
            self.serve_newest(&mut tx, &skill).await?;
            let note = Note {
                org: &org,
                action: "version.yank",
                subject: &skill,
                scope: &scope,
                before: json!({ "version": number, "state": "published" }),
                after: json!({ "version": number, "state": "yanked", "reason": REASON, "waiver_until": row.int(5)? }),
            };
            self.finish(tx, ACTOR, &[note]).await?;
            ended += 1;
        }
        Ok(ended)
    }

    /// Refuses to publish a version again whose waiver has ended.
    pub(crate) async fn refuse_ended_waiver(
        &self,
        tx: &mut Tx,
        skill: &str,
        number: i64,
    ) -> Result<(), TeamError> {
        let until = tx.one(UNTIL, args![skill, number]).await?.maybe_int(0)?;
        if until.is_none_or(|until| until > self.now()) {
            return Ok(());
        }
        Err(TeamError::conflict("waiver-ended", format!("version {number} stays yanked: {REASON}")))
    }
}

const ENDED: &str = "SELECT v.skill_id, v.number, s.org, s.scope, s.owner, max(d.waiver_until) FROM decision d \
    JOIN proposal p ON p.id = d.proposal_id JOIN skill_version v ON v.skill_id = p.skill_id AND v.number = p.version \
    JOIN skill s ON s.id = v.skill_id WHERE v.state = 'published' AND d.verdict = 'approve' AND d.waiver_until IS NOT NULL \
    GROUP BY v.skill_id, v.number, s.org, s.scope, s.owner HAVING max(d.waiver_until) <= $1 ORDER BY v.skill_id, v.number";
const UNTIL: &str = "SELECT max(d.waiver_until) FROM decision d JOIN proposal p ON p.id = d.proposal_id \
    WHERE p.skill_id = $1 AND p.version = $2 AND d.verdict = 'approve'";
