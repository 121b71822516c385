//! The marketplace: members offer own skills, others adopt them as live references.

use crate::{
    actor::Actor,
    db::args,
    error::TeamError,
    log::Note,
    permission::{Deed, OrgDeed, Scope, may_org},
    skills::SkillRecord,
    team::Team,
};
use serde_json::{Value, json};

impl Team {
    /// Offers an own skill to all members, or takes the offer back, which ends its adoptions at once.
    pub async fn offer(&self, actor: &Actor, id: &str, offers: bool) -> Result<SkillRecord, TeamError> {
        let skill = self.skill(actor, id).await?;
        self.may(actor, Deed::Edit, &skill.org, &skill.scope)?;
        if !matches!(skill.scope, Scope::Own(_)) {
            return Err(TeamError::conflict(
                "not-personal",
                "only a personal skill is offered; others have a scope of their own",
            ));
        }
        let mut tx = self.db.begin().await?;
        tx.run("UPDATE skill SET published = $2, updated = $3 WHERE id = $1", args![id, offers, self.now()])
            .await?;
        if !offers {
            tx.run("DELETE FROM adoption WHERE skill_id = $1", args![id]).await?;
        }
        // Who may see it changes with this, so that all members are to look again.
        let note = Note {
            org: &skill.org,
            action: if offers { "skill.offer" } else { "skill.unoffer" },
            subject: id,
            scope: &Scope::Org,
            before: json!({ "offered": skill.is_offered }),
            after: json!({ "offered": offers }),
        };
        self.finish(tx, actor.label(), &[note]).await?;
        self.skill(actor, id).await
    }

    /// Takes a skill out of every list, of new adoptions and of what members get, or puts it back. Nothing else changes.
    pub async fn list_skill(&self, actor: &Actor, id: &str, listed: bool) -> Result<SkillRecord, TeamError> {
        let skill = self.skill(actor, id).await?;
        may_org(actor, OrgDeed::ChangeSettings, &skill.org)?;
        let mut tx = self.db.begin().await?;
        tx.run("UPDATE skill SET listed = $2, updated = $3 WHERE id = $1", args![id, listed, self.now()])
            .await?;
        let note = Note {
            org: &skill.org,
            action: if listed { "skill.relist" } else { "skill.unlist" },
            subject: id,
            scope: &Scope::Org,
            before: json!({ "listed": skill.is_listed }),
            after: json!({ "listed": listed }),
        };
        self.finish(tx, actor.label(), &[note]).await?;
        self.skill(actor, id).await
    }

    /// Adopts a skill that another member offers.
    pub async fn adopt(&self, actor: &Actor, id: &str) -> Result<SkillRecord, TeamError> {
        let skill = self.skill(actor, id).await?;
        actor.may_change_own()?;
        let user = actor.user()?;
        if matches!(&skill.scope, Scope::Own(owner) if owner == user) {
            return Err(TeamError::conflict("own-skill", "this is your own skill"));
        }
        if !skill.is_offered_to(actor) {
            return Err(TeamError::NotFound);
        }
        let mut tx = self.db.begin().await?;
        // An offer that ends at this moment takes its adoptions with it.
        let offered = "UPDATE skill SET published = published WHERE id = $1 AND published = 1 AND listed = 1";
        if tx.run(offered, args![id]).await? == 0 {
            return Err(TeamError::NotFound);
        }
        tx.run(
            "INSERT INTO adoption (user_id, skill_id, created) VALUES ($1, $2, $3) ON CONFLICT (user_id, skill_id) DO NOTHING",
            args![user, id, self.now()],
        )
        .await?;
        let note = adoption_note(&skill, user, "adoption.create");
        self.finish(tx, user, &[note]).await?;
        Ok(skill)
    }

    /// Ends an adoption.
    pub async fn unadopt(&self, actor: &Actor, id: &str) -> Result<(), TeamError> {
        let skill = self.skill(actor, id).await?;
        actor.may_change_own()?;
        let user = actor.user()?;
        let mut tx = self.db.begin().await?;
        let removed =
            tx.run("DELETE FROM adoption WHERE user_id = $1 AND skill_id = $2", args![user, id]).await?;
        if removed == 0 {
            return Err(TeamError::NotFound);
        }
        self.finish(tx, user, &[adoption_note(&skill, user, "adoption.remove")]).await?;
        Ok(())
    }

    /// The skills that the user adopted.
    pub async fn adoptions(&self, actor: &Actor) -> Result<Vec<SkillRecord>, TeamError> {
        let rows = self
            .db
            .all(
                "SELECT skill_id FROM adoption WHERE user_id = $1 ORDER BY created, skill_id",
                args![actor.user()?],
            )
            .await?;
        let mut found = Vec::new();
        for row in rows {
            if let Ok(skill) = self.skill(actor, &row.text(0)?).await {
                found.push(skill);
            }
        }
        Ok(found)
    }
}

fn adoption_note<'a>(skill: &'a SkillRecord, user: &str, action: &'static str) -> Note<'a> {
    Note {
        org: &skill.org,
        action,
        subject: &skill.id,
        scope: &skill.scope,
        before: Value::Null,
        after: json!({ "user": user }),
    }
}
