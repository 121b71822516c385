//! How an agent would show a skill: the entry of its menu, the text that its model reads, what is cut or refused. And "try": which skill
//! a message selects among what a user gets.
//!
//! The engine decides. Its files are put into a temporary home, in the folder that the agent reads, and the engine opens that home
//! as it opens every other one. No command of a skill runs.

mod agent_view;
pub(crate) mod home;
mod trial;

use crate::{
    actor::{Actor, TokenScope},
    error::TeamError,
    team::Team,
};
use agent_view::preview;
use home::folder_name;
use serde::{Deserialize, Serialize};
use skillful_catalog::AgentProfiles;
use skillful_format::Tree;
use std::collections::BTreeMap;
use trial::tried;
use utoipa::ToSchema;

/// Skills that one "try" compares at the most.
const TRIED: usize = 300;
/// Bytes of a message.
const MESSAGE: usize = 20_000;

/// An agent that a preview can be made for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PreviewAgent {
    /// Its id.
    pub id: String,
    /// Its name.
    pub title: String,
    /// How its rules are known: `measured`, `source`, `documented` or `folders`.
    pub evidence: String,
}

/// A skill as one agent would show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct SkillPreview {
    /// The agent.
    pub agent: PreviewAgent,
    /// Whether the agent loads the skill.
    pub loads: bool,
    /// Why not.
    pub refusal: Option<PreviewRefusal>,
    /// The name that the agent gives it.
    pub name: Option<String>,
    /// The description that the agent reads.
    pub description: Option<String>,
    /// Why the agent keeps it from its model, so that only a user calls it.
    pub user_only: Option<String>,
    /// The menu with this skill alone, as the model reads it.
    pub menu: String,
    /// What of the menu entry is cut, in sentences.
    pub cut: Vec<String>,
    /// The text that the model reads when the skill is loaded, after substitution; commands stand as written.
    pub text: Option<String>,
    /// Why the text is not given.
    pub text_refused: Option<String>,
    /// Commands of the text, which the agent would run before its model reads it.
    pub commands: Vec<String>,
    /// Placeholders without a value, as written.
    pub unfilled: Vec<String>,
    /// What the agent warns about, and limits of this preview.
    pub warnings: Vec<String>,
}

/// Why an agent does not load a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PreviewRefusal {
    /// The rule, a stable word.
    pub code: String,
    /// The same in a sentence.
    pub reason: String,
    /// How to fix it.
    pub fix: Option<String>,
}

/// A message to try.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct TryInput {
    /// What a user would write.
    pub message: String,
    /// A draft of the caller, which is used instead of the skill that it changes.
    pub draft: Option<String>,
    /// The agent; without it the rules of Skillful count.
    pub agent: Option<String>,
}

/// Which skills a message selects, and why not the others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct TryReport {
    /// Loaded for this message.
    pub selected: Vec<TriedSkill>,
    /// Skills of the menu that the message may mean, the likeliest first.
    pub likely: Vec<LikelySkill>,
    /// Names in the menu that a model chooses from.
    pub menu: Vec<String>,
    /// Not offered to a model.
    pub not_offered: Vec<TriedSkill>,
    /// Names in the message that mean no skill, with the reason.
    pub problems: Vec<String>,
    /// How many skills were compared.
    pub compared: usize,
    /// How many were not, since one comparison has at most 300.
    pub left_out: usize,
}

/// A skill of a "try".
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct TriedSkill {
    /// The skill; absent for a draft.
    pub skill_id: Option<String>,
    /// Its name.
    pub name: String,
    /// `available`, `unavailable` and so on.
    pub state: String,
    /// Every reason.
    pub reasons: Vec<String>,
    /// What to do about it.
    pub fix: Option<String>,
}

/// A skill that a message may mean.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct LikelySkill {
    /// The skill; absent for a draft.
    pub skill_id: Option<String>,
    /// Its name.
    pub name: String,
    /// The probability in percent.
    pub percent: u8,
    /// Words of the message that it has.
    pub words: Vec<String>,
}

impl Team {
    /// The agents that a preview can be made for, by name.
    pub fn preview_agents(&self) -> Vec<PreviewAgent> {
        let mut found: Vec<PreviewAgent> = AgentProfiles::embedded().iter().map(described).collect();
        found.sort_by_key(|agent| agent.title.to_lowercase());
        found
    }

    /// A version as an agent would show it.
    pub async fn preview(
        &self,
        actor: &Actor,
        id: &str,
        number: i64,
        agent: &str,
    ) -> Result<SkillPreview, TeamError> {
        self.preview_files(actor, self.contents(actor, id, number).await?, agent).await
    }

    /// Files that are not kept, such as those of a draft, as an agent would show them.
    pub async fn preview_files(
        &self,
        actor: &Actor,
        tree: Tree,
        agent: &str,
    ) -> Result<SkillPreview, TeamError> {
        actor.user()?;
        actor.needs(TokenScope::SkillsRead)?;
        let agent = agent.to_owned();
        beside(move || preview(&tree, &agent)).await
    }

    /// Which skills a message selects among what the caller gets, and why not the others.
    pub async fn try_message(&self, actor: &Actor, input: &TryInput) -> Result<TryReport, TeamError> {
        if input.message.trim().is_empty() || input.message.len() > MESSAGE {
            return Err(TeamError::invalid("wrong-message", format!("a message has 1 to {MESSAGE} bytes")));
        }
        let mut skills: BTreeMap<String, (Option<String>, Tree)> = BTreeMap::new();
        let mut left_out = 0;
        let draft = match &input.draft {
            Some(id) => Some(self.draft(actor, id).await?),
            None => None,
        };
        for one in self.effective(actor).await?.into_iter().filter(|one| one.is_on) {
            if draft.as_ref().is_some_and(|draft| draft.skill_id == one.skill.id) {
                continue;
            }
            if skills.len() >= TRIED {
                left_out += 1;
                continue;
            }
            let tree = head_of(&self.objects.get(&one.version.tree).await?);
            skills.insert(one.skill.name, (Some(one.skill.id), tree));
        }
        if let Some(draft) = draft {
            let tree = draft.tree()?;
            skills.insert(folder_name(&tree), (None, tree));
        }
        let (message, agent) = (input.message.clone(), input.agent.clone());
        beside(move || tried(&skills, &message, agent.as_deref(), left_out)).await
    }
}

/// Reading and searching files: not on a thread that answers requests.
pub(crate) async fn beside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, TeamError> + Send + 'static,
) -> Result<T, TeamError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| TeamError::Internal(error.to_string()))?
}

fn described(agent: &skillful_catalog::AgentProfile) -> PreviewAgent {
    PreviewAgent {
        id: agent.id.clone(),
        title: agent.title.clone(),
        evidence: agent.evidence.word().to_owned(),
    }
}

/// The files that decide whether a skill is selected.
fn head_of(tree: &Tree) -> Tree {
    let mut head = Tree::default();
    for (path, file) in tree.iter() {
        let is_head = matches!(path.as_str(), "SKILL.md" | "skill.md" | "skill.toml")
            || path.as_str().starts_with("agents/");
        if is_head {
            // A part of a tree that was within the limits is within them.
            let _inserted = head.insert(path.clone(), file.clone(), &skillful_format::Limits::default());
        }
    }
    head
}

fn unknown_agent(name: &str, near: &[String]) -> TeamError {
    let near = near.first().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    TeamError::invalid("unknown-agent", format!("no agent is named `{name}`{near}"))
}
