//! Which skill a message selects among some.

use super::{LikelySkill, TriedSkill, TryReport, home::Home, unknown_agent};
use crate::error::TeamError;
use skillful_format::Tree;
use std::{collections::BTreeMap, path::Path};

pub(super) fn tried(
    skills: &BTreeMap<String, (Option<String>, Tree)>,
    message: &str,
    agent: Option<&str>,
    left_out: usize,
) -> Result<TryReport, TeamError> {
    let home = Home::new(&skills.keys().map(String::as_str).collect())?;
    let workspace = home.workspace();
    let root = match agent {
        Some(agent) => {
            let profile =
                workspace.agent(agent).map_err(|unknown| unknown_agent(&unknown.word, &unknown.near))?;
            home.root(&workspace, profile)
        }
        None => None,
    };
    let root = root.unwrap_or_else(|| home.user().join(".agents/skills"));
    for (name, (_, tree)) in skills {
        Home::put(&root, name, tree)?;
    }
    let mut workspace = home.workspace();
    if let Some(agent) = agent {
        workspace =
            workspace.with_agent(agent).map_err(|unknown| unknown_agent(&unknown.word, &unknown.near))?;
    }
    let view = workspace.explain(&workspace.turn(message)).selection;
    let id = |name: &str| skills.get(name).and_then(|(id, _)| id.clone());
    let is_ours = |path: &Path| path.starts_with(home.folder.path());
    Ok(TryReport {
        selected: view
            .selected
            .into_iter()
            .map(|one| TriedSkill {
                skill_id: id(&one.name),
                name: one.name,
                state: "available".to_owned(),
                reasons: one.why,
                fix: None,
            })
            .collect(),
        likely: view
            .likely
            .into_iter()
            .map(|one| LikelySkill {
                skill_id: id(&one.name),
                name: one.name,
                percent: one.percent,
                words: one.words,
            })
            .collect(),
        menu: view.menu,
        not_offered: view
            .not_offered
            .into_iter()
            .filter(|one| is_ours(one.path.as_path()))
            .map(|one| TriedSkill {
                skill_id: id(&one.name),
                name: one.name,
                state: one.state,
                reasons: one.reasons.iter().map(|reason| home.tidy(reason)).collect(),
                fix: one.fix.map(|fix| home.tidy(&fix)),
            })
            .collect(),
        problems: view
            .mentions
            .into_iter()
            .filter_map(|mention| Some(format!("`{}`: {}", mention.name, mention.problem?)))
            .collect(),
        compared: skills.len(),
        left_out,
    })
}
