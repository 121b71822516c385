//! Reviews: a version for a group, the organisation or everybody is published when another user approved exactly its files.

use crate::{
    actor::{Actor, TokenScope},
    db::{Row, args},
    error::{TeamError, at_most},
    id::new_id,
    judged::{VersionVerdict, gained},
    log::Note,
    permission::{Deed, Scope},
    revocations::refuse_revoked,
    skills::{PageOf, SEEN, SkillRecord, cursor, skill_columns},
    team::Team,
    upload::Upload,
    versions::{VersionRecord, VersionState, hold},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

/// A proposal to publish a version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Proposal {
    /// Its id.
    pub id: String,
    /// The skill.
    pub skill_id: String,
    /// The version.
    pub version: i64,
    /// The digest of its files: what a decision is about.
    pub tree: String,
    /// The version that was served when it was proposed.
    pub base: Option<i64>,
    /// `open`, `approved`, `rejected` or `withdrawn`.
    pub state: String,
    /// The user who proposed it.
    pub author: String,
    /// What the author wrote.
    pub note: String,
    /// When.
    pub created: i64,
    /// When it was decided.
    pub decided: Option<i64>,
}

impl Proposal {
    /// The columns from `at` on.
    pub(crate) fn of(row: &Row, at: usize) -> Result<Self, TeamError> {
        Ok(Self {
            id: row.text(at)?,
            skill_id: row.text(at + 1)?,
            version: row.int(at + 2)?,
            tree: row.text(at + 3)?,
            base: row.maybe_int(at + 4)?,
            state: row.text(at + 5)?,
            author: row.text(at + 6)?,
            note: row.text(at + 7)?,
            created: row.int(at + 8)?,
            decided: row.maybe_int(at + 9)?,
        })
    }
}

/// Everything that a reviewer reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ProposalDetail {
    /// The proposal.
    pub proposal: Proposal,
    /// The skill.
    pub skill: SkillRecord,
    /// The proposed version.
    pub version: VersionRecord,
    /// What it can do that the served version cannot.
    pub gained: Vec<String>,
    /// Decisions about it.
    pub decisions: Vec<DecisionRecord>,
    /// Comments, oldest first.
    pub comments: Vec<ReviewComment>,
    /// Whether the caller may decide, and if not, why.
    pub may_decide: MayDecide,
}

/// Whether a caller may decide.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct MayDecide {
    /// Whether it is allowed.
    pub allowed: bool,
    /// Why not.
    pub reason: String,
}

/// What was decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct DecisionRecord {
    /// The user.
    pub user: String,
    /// `approve` or `reject`.
    pub verdict: String,
    /// The digest that was decided about.
    pub digest: String,
    /// What the reviewer wrote.
    pub note: String,
    /// Why blocking findings were accepted.
    pub waiver: String,
    /// Until when.
    pub waiver_until: Option<i64>,
    /// When.
    pub created: i64,
}

/// A comment of a review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ReviewComment {
    /// Its id.
    pub id: String,
    /// The user.
    pub user: String,
    /// The file; empty: the whole proposal.
    pub path: String,
    /// The line, from 1.
    pub line: Option<i64>,
    /// What was written.
    pub body: String,
    /// When.
    pub created: i64,
}

/// A new comment.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CommentInput {
    /// The file; empty: the whole proposal.
    #[serde(default)]
    pub path: String,
    /// The line, from 1.
    pub line: Option<i64>,
    /// What is to be said.
    pub body: String,
}

/// A decision: it names the digest that the reviewer saw.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct DecisionInput {
    /// The digest that was shown.
    pub digest: String,
    /// What the reviewer writes.
    #[serde(default)]
    pub note: String,
    /// Why blocking findings are accepted; needed when there are any.
    #[serde(default)]
    pub waiver: String,
    /// For how many days.
    pub waiver_days: Option<i64>,
}

/// Characters of what an author or a reviewer writes.
pub(crate) const NOTE: usize = 10_000;
const PROPOSAL: &str = "SELECT id, skill_id, version, tree, base, state, author, note, created, decided FROM proposal WHERE id = $1";
/// Where the columns of the proposal begin.
const PROPOSAL_AT: usize = SEEN + 3;
const PROPOSALS: &str = concat!(
    "SELECT ",
    skill_columns!(),
    ", v.state, v.author, p.id, p.skill_id, p.version, p.tree, p.base, p.state, p.author, p.note, p.created, p.decided \
     FROM proposal p JOIN skill ON skill.id = p.skill_id \
     JOIN skill_version v ON v.skill_id = p.skill_id AND v.number = p.version \
     WHERE p.org = $1 AND ($3 = '' OR p.state = $3) AND (p.created > $4 OR (p.created = $4 AND p.id > $5)) \
     ORDER BY p.created, p.id LIMIT $6"
);

impl Team {
    /// The queue: the oldest 500 proposals of a state that the actor may see, oldest first.
    pub async fn proposals(&self, actor: &Actor, state: &str) -> Result<Vec<Proposal>, TeamError> {
        Ok(self.proposal_page(actor, state, None, 500).await?.items)
    }

    /// A page of the proposals of a state that the actor may see, oldest first.
    pub async fn proposal_page(
        &self,
        actor: &Actor,
        state: &str,
        after: Option<&str>,
        limit: i64,
    ) -> Result<PageOf<Proposal>, TeamError> {
        let user = actor.user()?;
        actor.needs(TokenScope::SkillsRead)?;
        let (mut last, mut items) = (cursor(after, true)?, Vec::new());
        let wanted = usize::try_from(limit).unwrap_or(1);
        loop {
            let values = args![&actor.org, user, state, last.0, &last.1, limit + 1];
            let rows = self.db.all(PROPOSALS, values).await?;
            let is_end = rows.len() <= wanted;
            for row in &rows {
                let proposal = Proposal::of(row, PROPOSAL_AT)?;
                let is_seen = self.sees_proposal(actor, row, &proposal)?;
                // Another page follows; its cursor is the last one before it.
                if is_seen && items.len() == wanted {
                    return Ok(PageOf { items, next: Some(format!("{}.{}", last.0, last.1)) });
                }
                last = (proposal.created, proposal.id.clone());
                if is_seen {
                    items.push(proposal);
                }
            }
            if is_end {
                return Ok(PageOf { items, next: None });
            }
        }
    }

    /// Who may not see the version does not see its proposal.
    fn sees_proposal(&self, actor: &Actor, row: &Row, proposal: &Proposal) -> Result<bool, TeamError> {
        let Ok(skill) = self.shown(actor, SkillRecord::of(row)?, row.maybe_int(SEEN)?) else {
            return Ok(false);
        };
        let (state, author) = (row.text(SEEN + 1)?.parse()?, row.text(SEEN + 2)?);
        debug_assert_eq!(proposal.skill_id, skill.id, "the columns of one row");
        Ok(self.sees_state(actor, &skill, state, &author))
    }

    /// How many open proposals wait for a decision of the actor.
    pub async fn waiting_reviews(&self, actor: &Actor) -> Result<usize, TeamError> {
        let rows = self
            .db
            .all(
                "SELECT p.author, s.org, s.scope, s.owner FROM proposal p JOIN skill s ON s.id = p.skill_id \
                 WHERE p.org = $1 AND p.state = 'open' LIMIT 500",
                args![&actor.org],
            )
            .await?;
        let mut count = 0;
        for row in rows {
            let scope = Scope::of(&row.text(2)?, &row.text(3)?)?;
            let is_own = actor.user.as_deref() == Some(row.text(0)?.as_str());
            if !is_own && self.may(actor, Deed::Approve, &row.text(1)?, &scope).is_ok() {
                count += 1;
            }
        }
        Ok(count)
    }

    /// One proposal with everything a reviewer reads.
    pub async fn proposal(&self, actor: &Actor, id: &str) -> Result<ProposalDetail, TeamError> {
        let row = self.db.maybe(PROPOSAL, args![id]).await?.ok_or(TeamError::NotFound)?;
        let proposal = Proposal::of(&row, 0)?;
        let skill = self.skill(actor, &proposal.skill_id).await?;
        let version = self.version(actor, &proposal.skill_id, proposal.version).await?;
        let before = match skill.default_version {
            Some(served) => self.version(actor, &skill.id, served).await?.capabilities,
            None => std::collections::BTreeSet::new(),
        };
        let gained = gained(&before, &version.capabilities);
        let may_decide = match self.decider(actor, &proposal, &skill) {
            Ok(()) => MayDecide { allowed: true, reason: String::new() },
            Err(error) => MayDecide { allowed: false, reason: error.to_string() },
        };
        Ok(ProposalDetail {
            decisions: self.decisions(id).await?,
            comments: self.comments(id).await?,
            proposal,
            skill,
            version,
            gained,
            may_decide,
        })
    }

    fn decider(&self, actor: &Actor, proposal: &Proposal, skill: &SkillRecord) -> Result<(), TeamError> {
        self.may(actor, Deed::Approve, &skill.org, &skill.scope)?;
        if actor.user()? == proposal.author {
            return Err(TeamError::Forbidden("another user must decide about your own proposal".to_owned()));
        }
        if proposal.state != "open" {
            return Err(TeamError::conflict(
                "decided",
                format!("the proposal is {} already", proposal.state),
            ));
        }
        Ok(())
    }

    async fn decisions(&self, proposal: &str) -> Result<Vec<DecisionRecord>, TeamError> {
        let rows = self
            .db
            .all(
                "SELECT user_id, verdict, digest, note, waiver, waiver_until, created FROM decision \
                 WHERE proposal_id = $1 ORDER BY created, id",
                args![proposal],
            )
            .await?;
        rows.iter()
            .map(|row| {
                Ok(DecisionRecord {
                    user: row.text(0)?,
                    verdict: row.text(1)?,
                    digest: row.text(2)?,
                    note: row.text(3)?,
                    waiver: row.text(4)?,
                    waiver_until: row.maybe_int(5)?,
                    created: row.int(6)?,
                })
            })
            .collect()
    }

    async fn comments(&self, proposal: &str) -> Result<Vec<ReviewComment>, TeamError> {
        let rows = self
            .db
            .all(
                "SELECT id, user_id, path, line, body, created FROM review_comment WHERE proposal_id = $1 \
                 ORDER BY created, id",
                args![proposal],
            )
            .await?;
        rows.iter()
            .map(|row| {
                Ok(ReviewComment {
                    id: row.text(0)?,
                    user: row.text(1)?,
                    path: row.text(2)?,
                    line: row.maybe_int(3)?,
                    body: row.text(4)?,
                    created: row.int(5)?,
                })
            })
            .collect()
    }

    /// Adds a comment to a proposal.
    pub async fn comment(
        &self,
        actor: &Actor,
        id: &str,
        input: &CommentInput,
    ) -> Result<ProposalDetail, TeamError> {
        let detail = self.proposal(actor, id).await?;
        actor.needs(TokenScope::SkillsWrite)?;
        actor.may_change(&detail.skill.scope)?;
        at_most("a path", &input.path, 1_000)?;
        if input.body.trim().is_empty() || input.body.len() > 10_000 {
            return Err(TeamError::invalid("wrong-comment", "a comment has 1 to 10,000 bytes"));
        }
        let mut tx = self.db.begin().await?;
        tx.run(
            "INSERT INTO review_comment (id, proposal_id, user_id, path, line, body, created) \
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
            args![new_id("comment")?, id, actor.user()?, &input.path, input.line, &input.body, self.now()],
        )
        .await?;
        let note = Note {
            org: &detail.skill.org,
            action: "proposal.comment",
            subject: id,
            scope: &detail.skill.scope,
            before: Value::Null,
            after: json!({ "path": input.path, "line": input.line }),
        };
        self.finish(tx, actor.label(), &[note]).await?;
        self.proposal(actor, id).await
    }

    /// Approves or rejects a proposal. The digest must be that of the proposed files, no user decides about an own
    /// proposal, and blocking findings need a waiver with a reason and an end.
    pub async fn decide(
        &self,
        actor: &Actor,
        id: &str,
        approves: bool,
        input: &DecisionInput,
    ) -> Result<ProposalDetail, TeamError> {
        let detail = self.proposal(actor, id).await?;
        self.decider(actor, &detail.proposal, &detail.skill)?;
        if input.digest != detail.proposal.tree {
            return Err(TeamError::conflict(
                "other-digest",
                "the proposal has other files than the ones you decided about; read it again",
            ));
        }
        at_most("a note", &input.note, NOTE)?;
        at_most("the reason of a waiver", &input.waiver, 1_000)?;
        let is_blocked = detail.version.verdict == VersionVerdict::Block;
        let now = self.now();
        let mut until = None;
        if approves && is_blocked {
            let days = input.waiver_days.unwrap_or(0);
            if input.waiver.trim().is_empty() || !(1..=366).contains(&days) {
                return Err(TeamError::conflict(
                    "needs-waiver",
                    "the audit reports blocking findings; write why they are accepted and for how many days (1 to 366)",
                ));
            }
            until = Some(now + days * 24 * 3_600 * 1_000);
        }
        let decided = |error| match error {
            TeamError::Conflict { .. } | TeamError::NotFound => {
                TeamError::conflict("decided", "another reviewer has decided already")
            }
            other => other,
        };
        let (state, verdict, version_state) =
            if approves { ("approved", "approve", "published") } else { ("rejected", "reject", "rejected") };
        let (skill, number) = (&detail.skill, detail.proposal.version);
        let mut tx = self.db.begin().await?;
        hold(&mut tx, &skill.id, number, VersionState::Pending).await.map_err(decided)?;
        if approves {
            refuse_revoked(&mut tx, &skill.org, &skill.id, &input.digest).await?;
        }
        let taken = tx
            .run(
                "UPDATE proposal SET state = $2, decided = $3 WHERE id = $1 AND state = 'open'",
                args![id, state, now],
            )
            .await?;
        if taken != 1 {
            return Err(decided(TeamError::NotFound));
        }
        tx.run(
            "INSERT INTO decision (id, proposal_id, user_id, verdict, digest, note, waiver, waiver_until, created) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            args![
                new_id("decision")?, id, actor.user()?, verdict, &input.digest, &input.note, &input.waiver, until, now
            ],
        )
        .await?;
        tx.run(
            "UPDATE skill_version SET state = $3 WHERE skill_id = $1 AND number = $2",
            args![&skill.id, number, version_state],
        )
        .await?;
        if approves {
            // An older proposal that is approved late does not replace a newer version.
            tx.run(
                "UPDATE skill SET default_version = $2, description = $3, updated = $4 \
                 WHERE id = $1 AND (default_version IS NULL OR default_version < $2)",
                args![&skill.id, number, &detail.version.description, now],
            )
            .await?;
        }
        let note = Note {
            org: &skill.org,
            action: if approves { "proposal.approve" } else { "proposal.reject" },
            subject: id,
            scope: &skill.scope,
            before: json!({ "served": skill.default_version }),
            after: json!({ "skill": skill.id, "version": number, "digest": input.digest, "note": input.note,
                           "waiver": input.waiver, "waiver_until": until }),
        };
        self.finish(tx, actor.label(), &[note]).await?;
        self.proposal(actor, id).await
    }

    /// Takes an own proposal back.
    pub async fn withdraw(&self, actor: &Actor, id: &str) -> Result<ProposalDetail, TeamError> {
        let detail = self.proposal(actor, id).await?;
        actor.needs(TokenScope::SkillsWrite)?;
        actor.may_change(&detail.skill.scope)?;
        if actor.user()? != detail.proposal.author {
            return Err(TeamError::Forbidden("only the author may withdraw a proposal".to_owned()));
        }
        let (skill, number) = (&detail.skill.id, detail.proposal.version);
        let mut tx = self.db.begin().await?;
        // A version that was published or revoked meanwhile stays that.
        if detail.proposal.state == "open" {
            hold(&mut tx, skill, number, VersionState::Pending).await?;
        }
        let taken = tx
            .run(
                "UPDATE proposal SET state = 'withdrawn', decided = $2 WHERE id = $1 AND state = 'open'",
                args![id, self.now()],
            )
            .await?;
        if taken != 1 {
            return Err(TeamError::conflict("decided", "the proposal was decided already"));
        }
        tx.run(
            "UPDATE skill_version SET state = 'rejected' WHERE skill_id = $1 AND number = $2",
            args![skill, number],
        )
        .await?;
        let note = Note {
            org: &detail.skill.org,
            action: "proposal.withdraw",
            subject: id,
            scope: &detail.skill.scope,
            before: Value::Null,
            after: json!({ "skill": skill, "version": number }),
        };
        self.finish(tx, actor.label(), &[note]).await?;
        self.proposal(actor, id).await
    }

    /// Proposes a version of an own skill, or of a group's, for a wider scope: its files become a version of the skill of
    /// that name there, which waits for a review.
    pub async fn propose(
        &self,
        actor: &Actor,
        id: &str,
        number: i64,
        to: &Scope,
        note: &str,
    ) -> Result<ProposalDetail, TeamError> {
        let skill = self.skill(actor, id).await?;
        self.may(actor, Deed::Edit, &skill.org, &skill.scope)?;
        if to.distance() <= skill.scope.distance() || matches!(to, Scope::Own(_)) {
            return Err(TeamError::invalid(
                "not-wider",
                "a skill is proposed for a wider scope than its own",
            ));
        }
        // Members may propose for their groups and for the organisation; what is global is decided by its administrators.
        if !self.may_read(actor, &skill.org, to) {
            return Err(TeamError::NotFound);
        }
        actor.may_change(to)?;
        let tree = self.contents(actor, id, number).await?;
        let upload = Upload {
            tree,
            title: Some(skill.title.clone()),
            notes: note.to_owned(),
            source: "proposal".to_owned(),
            source_id: skill.id.clone(),
            source_version: number.to_string(),
            ..Default::default()
        };
        let proposal = self.store_proposed(actor, to, upload).await?;
        self.proposal(actor, &proposal).await
    }
}
