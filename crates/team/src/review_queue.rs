//! What was decided about proposals: the newest first, and how long proposals waited.

use crate::{Actor, TeamError, TokenScope, db::args, proposals::Proposal, team::Team};

/// Decided proposals that are looked at.
const NEWEST: i64 = 500;
/// Decisions whose waiting time counts for the median.
const COUNTED: i64 = 200;

impl Team {
    /// The newest proposals that were approved, rejected or withdrawn, as far as the actor may see them.
    pub async fn decided_proposals(&self, actor: &Actor) -> Result<Vec<Proposal>, TeamError> {
        actor.user()?;
        actor.needs(TokenScope::SkillsRead)?;
        let rows = self
            .db
            .all(
                "SELECT id, skill_id, version, tree, base, state, author, note, created, decided FROM proposal \
                 WHERE org = $1 AND state <> 'open' ORDER BY decided DESC, id LIMIT $2",
                args![&actor.org, NEWEST],
            )
            .await?;
        let mut found = Vec::new();
        for row in &rows {
            let proposal = Proposal::of(row, 0)?;
            // Who may not see the version does not see its proposal.
            if self.version(actor, &proposal.skill_id, proposal.version).await.is_ok() {
                found.push(proposal);
            }
        }
        Ok(found)
    }

    /// The median time until a decision, in milliseconds, over the newest decisions of the organisation.
    pub async fn median_wait(&self, actor: &Actor) -> Result<Option<i64>, TeamError> {
        actor.user()?;
        let rows = self
            .db
            .all(
                "SELECT decided - created FROM proposal WHERE org = $1 AND decided IS NOT NULL ORDER BY decided DESC LIMIT $2",
                args![&actor.org, COUNTED],
            )
            .await?;
        let mut waits = rows.iter().map(|row| row.int(0)).collect::<Result<Vec<_>, _>>()?;
        waits.sort_unstable();
        Ok(waits.get(waits.len() / 2).copied())
    }
}
