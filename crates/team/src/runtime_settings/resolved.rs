//! The declared variables of a skill with the values that its user has, found by the engine's rule: `vars.json` beside an own skill, the
//! skill's section and `_global` of `variables.json`, the environment, the default.

use super::{ENVIRONMENT, SettingSection};
use crate::{
    actor::Actor,
    error::TeamError,
    permission::Scope,
    preview::{
        beside,
        home::{Home, disk_error, folder_name},
    },
    skills::SkillRecord,
    team::Team,
};
use serde::Serialize;
use serde_json::Value;
use skillful_catalog::{
    Environment,
    variables::{SHARED_FILE, SharedVariables, resolve, without_values},
};
use skillful_format::{Limits, Tree};
use std::collections::{BTreeMap, BTreeSet};

/// What the declared variables of a skill come to for its user.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ResolvedVariables {
    /// Values by name, secrets masked.
    pub values: BTreeMap<String, String>,
    /// Required variables without a value.
    pub missing: Vec<String>,
}

impl Team {
    /// The variables of a skill that the user gets. `tree` are its files.
    pub async fn resolved_variables(
        &self,
        actor: &Actor,
        skill: &SkillRecord,
        tree: &Tree,
    ) -> Result<ResolvedVariables, TeamError> {
        let tools = self.kept_setting(actor, SettingSection::Tools).await?;
        let shared = self.kept_setting(actor, SettingSection::Variables).await?;
        let is_own = matches!(&skill.scope, Scope::Own(owner) if actor.user.as_ref() == Some(owner));
        // Values beside a skill of others are those of its author.
        let tree = if is_own { tree.clone() } else { without_values(tree.clone(), &Limits::default()).0 };
        beside(move || resolved(&tree, &environment(&tools), &shared)).await
    }
}

/// Variables by name.
fn environment(tools: &Value) -> BTreeMap<String, String> {
    let text = |one: &Value, key: &str| one[key].as_str().unwrap_or_default().to_owned();
    let all = tools[ENVIRONMENT].as_array().into_iter().flatten();
    all.map(|one| (text(one, "name"), text(one, "value"))).collect()
}

fn resolved(
    tree: &Tree,
    variables: &BTreeMap<String, String>,
    shared: &Value,
) -> Result<ResolvedVariables, TeamError> {
    let name = folder_name(tree);
    let home = Home::new(&BTreeSet::from([name.as_str()]))?;
    Home::put(&home.user().join(".agents/skills"), &name, tree)?;
    std::fs::write(home.own().join(SHARED_FILE), shared.to_string()).map_err(|error| disk_error(&error))?;
    let workspace = home.workspace();
    let catalog = workspace.catalog();
    let user = home.user().canonicalize().map_err(|error| disk_error(&error))?;
    let Some(entry) = catalog
        .entries
        .iter()
        .find(|entry| entry.folder().starts_with(&user) || entry.folder().starts_with(home.user()))
    else {
        return Ok(ResolvedVariables::default());
    };
    // Only looked up by name: a folder that one of them names is not opened.
    let environment = Environment { variables: variables.clone(), ..workspace.environment().clone() };
    let found = resolve(entry, &environment, &SharedVariables::new(workspace.settings()));
    Ok(ResolvedVariables {
        values: found.values.iter().map(|(name, value)| (name.clone(), value.to_string())).collect(),
        missing: found.missing,
    })
}
