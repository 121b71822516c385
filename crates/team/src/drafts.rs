//! Drafts: what an author is writing. A draft is seen by its author alone, and changes nothing that is published.

mod merge;
mod publish;

pub use merge::DraftConflict;

use crate::{
    actor::{Actor, TokenScope},
    db::{Row, Tx, args},
    error::{TeamError, at_most},
    id::new_id,
    team::Team,
    upload::text,
};
use serde::{Deserialize, Serialize};
use skillful_format::{Limits, Tree, TreeFile, TreePath};
use skillful_registry::install::{MARK_MINE, MARK_THEIRS};
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// Bytes that a draft may have.
const DRAFT_BYTES: usize = 4 << 20;
/// Drafts that a user may have.
const DRAFTS: i64 = 500;
/// Saves of a draft that are kept for merging.
const SAVES: i64 = 50;

/// The texts of a draft by path.
type Files = BTreeMap<String, String>;

/// What a save came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DraftSave {
    /// It is saved.
    Saved(Draft),
    /// Another save came in between; nothing was changed.
    Conflict(Box<DraftConflict>),
}

/// Whether a text has marks of two saves.
pub fn has_marks(text: &str) -> bool {
    [MARK_MINE, MARK_THEIRS].iter().any(|mark| text.contains(mark))
}

/// A draft.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Draft {
    /// Its id.
    pub id: String,
    /// The skill that it changes; empty: a new one.
    pub skill_id: String,
    /// The version that it began with.
    pub base: Option<i64>,
    /// A name for the list.
    pub name: String,
    /// The texts of its files.
    pub files: BTreeMap<String, String>,
    /// Grows with every save; a save names the one that it changes.
    pub revision: i64,
    /// When it was created.
    pub created: i64,
    /// When it was saved last.
    pub updated: i64,
}

/// What is saved.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct DraftInput {
    /// The skill that it changes.
    #[serde(default)]
    pub skill_id: String,
    /// The version that it began with.
    pub base: Option<i64>,
    /// A name for the list.
    #[serde(default)]
    pub name: String,
    /// The texts of its files.
    pub files: BTreeMap<String, String>,
    /// The revision that is changed; absent: a new draft.
    pub revision: Option<i64>,
}

impl Draft {
    fn of(row: &Row) -> Result<Self, TeamError> {
        Ok(Self {
            id: row.text(0)?,
            skill_id: row.text(1)?,
            base: row.maybe_int(2)?,
            name: row.text(3)?,
            files: serde_json::from_str(&row.text(4)?)
                .map_err(|error| TeamError::Internal(error.to_string()))?,
            revision: row.int(5)?,
            created: row.int(6)?,
            updated: row.int(7)?,
        })
    }

    /// Its files as a skill.
    pub fn tree(&self) -> Result<Tree, TeamError> {
        tree_of(&self.files)
    }
}

/// Texts as the files of a skill. A script of `scripts/` is executable when its text names an interpreter.
pub fn tree_of(files: &BTreeMap<String, String>) -> Result<Tree, TeamError> {
    let limits = Limits::default();
    let mut tree = Tree::default();
    for (path, content) in files {
        let place = TreePath::new(path, &limits)
            .map_err(|fault| TeamError::invalid("wrong-path", format!("`{path}` {fault}")))?;
        let file = TreeFile { executable: content.starts_with("#!"), bytes: content.clone().into_bytes() };
        tree.insert(place, file, &limits)
            .map_err(|refused| TeamError::invalid("wrong-file", refused.message))?;
    }
    Ok(tree)
}

/// What a credential needs for texts that its user has not published: a job that publishes reads none of them.
const WRITING: [TokenScope; 2] = [TokenScope::SkillsRead, TokenScope::SkillsWrite];
const DRAFT: &str = "SELECT id, skill_id, base, name, files, revision, created, updated FROM draft WHERE id = $1 AND author = $2";

impl Team {
    /// The drafts of the user, newest first.
    pub async fn drafts(&self, actor: &Actor) -> Result<Vec<Draft>, TeamError> {
        actor.needs_one(&WRITING)?;
        let rows = self
            .db
            .all(
                "SELECT id, skill_id, base, name, files, revision, created, updated FROM draft WHERE author = $1 \
                 ORDER BY updated DESC, id LIMIT 500",
                args![actor.user()?],
            )
            .await?;
        rows.iter().map(Draft::of).collect()
    }

    /// How many drafts the user has.
    pub async fn count_drafts(&self, actor: &Actor) -> Result<i64, TeamError> {
        let row = self.db.maybe("SELECT count(*) FROM draft WHERE author = $1", args![actor.user()?]).await?;
        row.map_or(Ok(0), |row| row.int(0))
    }

    /// One draft of the user.
    pub async fn draft(&self, actor: &Actor, id: &str) -> Result<Draft, TeamError> {
        actor.needs_one(&WRITING)?;
        Draft::of(&self.db.maybe(DRAFT, args![id, actor.user()?]).await?.ok_or(TeamError::NotFound)?)
    }

    /// Saves a new draft.
    pub async fn create_draft(&self, actor: &Actor, input: &DraftInput) -> Result<Draft, TeamError> {
        actor.needs(TokenScope::SkillsWrite)?;
        at_most("the name of a draft", &input.name, 255)?;
        let files = check_size(&input.files)?;
        if !input.skill_id.is_empty() {
            self.skill(actor, &input.skill_id).await?;
        }
        let user = actor.user()?;
        if self.count_drafts(actor).await? >= DRAFTS {
            return Err(TeamError::TooLarge(format!("you have {DRAFTS} drafts; delete one first")));
        }
        let id = new_id("draft")?;
        let mut tx = self.db.begin().await?;
        tx.run(
            "INSERT INTO draft (id, org, author, skill_id, base, name, files, revision, created, updated) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, 1, $8, $8)",
            args![&id, &actor.org, user, &input.skill_id, input.base, &input.name, &files, self.now()],
        )
        .await?;
        self.keep_save(&mut tx, &id, 1, &files).await?;
        tx.commit().await?;
        self.draft(actor, &id).await
    }

    /// Saves a draft again. Another save in between is a conflict, and nothing of it is lost.
    pub async fn save_draft(&self, actor: &Actor, id: &str, input: &DraftInput) -> Result<Draft, TeamError> {
        match self.save_or_merge(actor, id, input).await? {
            DraftSave::Saved(draft) => Ok(draft),
            DraftSave::Conflict(found) => Err(TeamError::conflict(
                "draft-changed",
                format!(
                    "the draft was saved elsewhere: revision {}, and you changed {}",
                    found.saved.revision,
                    input.revision.unwrap_or_default()
                ),
            )),
        }
    }

    /// Saves a draft again, or returns both saves and one text of both.
    pub async fn save_or_merge(
        &self,
        actor: &Actor,
        id: &str,
        input: &DraftInput,
    ) -> Result<DraftSave, TeamError> {
        actor.needs(TokenScope::SkillsWrite)?;
        let known = self.draft(actor, id).await?;
        at_most("the name of a draft", &input.name, 255)?;
        let files = check_size(&input.files)?;
        let revision = input.revision.ok_or_else(|| {
            TeamError::invalid(
                "no-revision",
                "name the revision that you change, so that no other change is lost",
            )
        })?;
        // A client that lost the answer to its save sends it again.
        if known.revision == revision.saturating_add(1)
            && known.files == input.files
            && known.name == input.name
        {
            return Ok(DraftSave::Saved(known));
        }
        let mut tx = self.db.begin().await?;
        let saved = tx
            .run(
                "UPDATE draft SET name = $3, files = $4, base = $5, revision = revision + 1, updated = $6 \
                 WHERE id = $1 AND revision = $2",
                args![id, revision, &input.name, &files, input.base, self.now()],
            )
            .await?;
        if saved != 1 {
            drop(tx);
            let known = self.draft(actor, id).await?;
            let base = self.draft_at(actor, id, revision).await?;
            return Ok(DraftSave::Conflict(Box::new(merge::merged(base.as_ref(), &input.files, known))));
        }
        self.keep_save(&mut tx, id, revision.saturating_add(1), &files).await?;
        tx.commit().await?;
        Ok(DraftSave::Saved(self.draft(actor, id).await?))
    }

    /// The texts of an own draft as they were saved at a revision; absent when that save is not kept any more.
    pub async fn draft_at(&self, actor: &Actor, id: &str, revision: i64) -> Result<Option<Files>, TeamError> {
        self.draft(actor, id).await?;
        let row = self
            .db
            .maybe("SELECT files FROM draft_save WHERE draft_id = $1 AND revision = $2", args![id, revision])
            .await?;
        let Some(row) = row else { return Ok(None) };
        let files = serde_json::from_str(&row.text(0)?);
        files.map(Some).map_err(|error| TeamError::Internal(error.to_string()))
    }

    async fn keep_save(&self, tx: &mut Tx, id: &str, revision: i64, files: &str) -> Result<(), TeamError> {
        tx.run(
            "INSERT INTO draft_save (draft_id, revision, files, created) VALUES ($1, $2, $3, $4)",
            args![id, revision, files, self.now()],
        )
        .await?;
        tx.run("DELETE FROM draft_save WHERE draft_id = $1 AND revision <= $2", args![id, revision - SAVES])
            .await?;
        Ok(())
    }

    /// Deletes a draft.
    pub async fn delete_draft(&self, actor: &Actor, id: &str) -> Result<(), TeamError> {
        actor.needs(TokenScope::SkillsWrite)?;
        let mut tx = self.db.begin().await?;
        let removed =
            tx.run("DELETE FROM draft WHERE id = $1 AND author = $2", args![id, actor.user()?]).await?;
        if removed == 0 {
            return Err(TeamError::NotFound);
        }
        tx.commit().await
    }
}

fn check_size(files: &BTreeMap<String, String>) -> Result<String, TeamError> {
    let bytes: usize = files.iter().map(|(path, content)| path.len() + content.len()).sum();
    if bytes > DRAFT_BYTES {
        return Err(TeamError::TooLarge(format!("a draft has at most {DRAFT_BYTES} bytes")));
    }
    tree_of(files)?;
    text(files)
}
