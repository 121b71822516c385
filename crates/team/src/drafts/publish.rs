//! A draft begins with a version and becomes one.

use super::{Draft, DraftInput, tree_of};
use crate::{
    actor::Actor,
    error::TeamError,
    permission::{Deed, Scope},
    team::Team,
    upload::{Stored, Upload},
};
use skillful_format::{Limits, Tree};
use std::collections::BTreeMap;

impl Team {
    /// A draft with the texts of a version. Files that are not text stay those of the version.
    pub async fn draft_of_version(
        &self,
        actor: &Actor,
        skill: &str,
        number: i64,
    ) -> Result<Draft, TeamError> {
        let record = self.skill(actor, skill).await?;
        let tree = self.contents(actor, skill, number).await?;
        let text = |bytes: &[u8]| {
            std::str::from_utf8(bytes).ok().filter(|text| !text.contains('\0')).map(str::to_owned)
        };
        let files: BTreeMap<String, String> = tree
            .iter()
            .filter_map(|(path, file)| Some((path.as_str().to_owned(), text(&file.bytes)?)))
            .collect();
        let input = DraftInput {
            skill_id: skill.to_owned(),
            base: Some(number),
            name: record.name,
            files,
            revision: None,
        };
        self.create_draft(actor, &input).await
    }

    /// The version that a draft began with.
    pub async fn draft_base(&self, actor: &Actor, draft: &Draft) -> Result<Option<Tree>, TeamError> {
        match draft.base.filter(|_| !draft.skill_id.is_empty()) {
            Some(number) => Ok(Some(self.contents(actor, &draft.skill_id, number).await?)),
            None => Ok(None),
        }
    }

    /// The files that a draft becomes: its texts, and the files of its base that are not text.
    pub async fn draft_tree(&self, actor: &Actor, draft: &Draft) -> Result<Tree, TeamError> {
        let own = tree_of(&draft.files)?;
        let Some(base) = self.draft_base(actor, draft).await? else { return Ok(own) };
        let limits = Limits::default();
        let mut tree = Tree::default();
        let refused = |found: skillful_format::Diagnostic| TeamError::invalid("wrong-file", found.message);
        for (path, file) in own.iter() {
            let mut file = file.clone();
            // The permission to execute is not part of the text, so that the one of the version stays.
            file.executable |= base.get(path.as_str()).is_some_and(|before| before.executable);
            tree.insert(path.clone(), file, &limits).map_err(refused)?;
        }
        for (path, file) in base.iter() {
            let is_text = std::str::from_utf8(&file.bytes).is_ok_and(|text| !text.contains('\0'));
            if !is_text && own.get(path.as_str()).is_none() {
                tree.insert(path.clone(), file.clone(), &limits).map_err(refused)?;
            }
        }
        Ok(tree)
    }

    /// Makes a version of a draft. The revision is the one that the author saw; the draft is deleted afterwards. A new skill
    /// goes to `scope`; a change of a skill that the actor may not change themselves is proposed to those who may.
    pub async fn publish_draft(
        &self,
        actor: &Actor,
        id: &str,
        revision: i64,
        scope: &Scope,
        notes: &str,
    ) -> Result<Stored, TeamError> {
        let draft = self.draft(actor, id).await?;
        if draft.revision != revision {
            return Err(TeamError::conflict(
                "draft-changed",
                format!("the draft was saved elsewhere: revision {}, and you saw {revision}", draft.revision),
            ));
        }
        if let Some(path) = draft.files.iter().find(|(_, text)| super::has_marks(text)).map(|(path, _)| path)
        {
            return Err(TeamError::conflict(
                "unmerged",
                format!(
                    "`{path}` still has marks of two saves; choose a text between the marks and delete them"
                ),
            ));
        }
        let tree = self.draft_tree(actor, &draft).await?;
        let folder = Some(draft.name.clone()).filter(|name| !name.is_empty());
        let upload = Upload { tree, folder, notes: notes.to_owned(), ..Default::default() };
        let stored = if draft.skill_id.is_empty() {
            self.create_skill(actor, scope, upload).await?
        } else {
            let skill = self.skill(actor, &draft.skill_id).await?;
            match self.may(actor, Deed::Edit, &skill.org, &skill.scope) {
                Ok(()) => self.add_version(actor, &skill.id, upload).await?,
                Err(TeamError::Forbidden(_)) if !matches!(skill.scope, Scope::Own(_)) => {
                    let proposal = self.store_proposed(actor, &skill.scope, upload).await?;
                    let detail = self.proposal(actor, &proposal).await?;
                    Stored { skill: detail.skill, version: detail.version, proposal: Some(proposal) }
                }
                Err(error) => return Err(error),
            }
        };
        self.delete_draft(actor, id).await?;
        Ok(stored)
    }
}
