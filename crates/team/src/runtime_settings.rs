//! Settings that clients of a user keep at the server, in the sections and with the keys of golemcore, and what the declared variables
//! of a skill come to with them. Values that are secrets go in and never out.
//!
//! The server runs no tool and no server of a skill: clients obey these settings, and the server uses the variables alone.

mod form;
mod resolved;

pub use resolved::ResolvedVariables;

use crate::{
    actor::{Actor, words},
    db::{Tx, args},
    error::TeamError,
    log::Note,
    permission::{Deed, Scope},
    team::Team,
};
use form::{checked, checked_variable, default_of, keep_masked, masked};
use serde_json::{Value, json};
use std::{fmt, str::FromStr};

/// Variables of a user's environment.
const VARIABLES: usize = 200;
/// The key of the tools' section that holds them.
const ENVIRONMENT: &str = "shellEnvironmentVariables";

/// A section of the settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingSection {
    /// Skills and where the marketplace is.
    Skills,
    /// Tools, and the environment of commands.
    Tools,
    /// MCP servers.
    Mcp,
    /// `variables.json`: values for each skill, and `_global` for all.
    Variables,
}

words!(SettingSection { Skills = "skills", Tools = "tools", Mcp = "mcp", Variables = "variables" });

impl Team {
    /// A section, with its secrets masked.
    pub async fn setting(&self, actor: &Actor, section: SettingSection) -> Result<Value, TeamError> {
        Ok(masked(section, self.kept_setting(actor, section).await?))
    }

    /// The sections that golemcore has, with their secrets masked.
    pub async fn runtime_settings(&self, actor: &Actor) -> Result<Value, TeamError> {
        let mut all = json!({});
        for section in [SettingSection::Skills, SettingSection::Tools, SettingSection::Mcp] {
            all[section.word()] = self.setting(actor, section).await?;
        }
        Ok(all)
    }

    /// Replaces a section. A secret that comes back masked stays as it was.
    pub async fn set_setting(
        &self,
        actor: &Actor,
        section: SettingSection,
        given: Value,
    ) -> Result<(), TeamError> {
        let given = checked(section, given)?;
        self.change_setting(actor, section, |kept| {
            *kept = keep_masked(section, given, kept)?;
            Ok(())
        })
        .await
    }

    /// The variables of the environment, with their secrets masked.
    pub async fn shell_variables(&self, actor: &Actor) -> Result<Value, TeamError> {
        Ok(self.setting(actor, SettingSection::Tools).await?[ENVIRONMENT].take())
    }

    /// Adds a variable to the environment.
    pub async fn add_shell_variable(&self, actor: &Actor, given: &Value) -> Result<(), TeamError> {
        let (name, variable) = checked_variable(given)?;
        self.change_setting(actor, SettingSection::Tools, |kept| {
            let all = list(kept)?;
            if all.iter().any(|one| one["name"] == name.as_str()) {
                return Err(TeamError::conflict("variable-exists", format!("the variable `{name}` exists")));
            }
            if all.len() >= VARIABLES {
                return Err(TeamError::TooLarge(format!("at most {VARIABLES} variables")));
            }
            all.push(variable);
            Ok(())
        })
        .await
    }

    /// Changes a variable of the environment, also its name.
    pub async fn change_shell_variable(
        &self,
        actor: &Actor,
        name: &str,
        given: &Value,
    ) -> Result<(), TeamError> {
        let (new, mut variable) = checked_variable(given)?;
        self.change_setting(actor, SettingSection::Tools, |kept| {
            let all = list(kept)?;
            if new != name && all.iter().any(|one| one["name"] == new.as_str()) {
                return Err(TeamError::conflict("variable-exists", format!("the variable `{new}` exists")));
            }
            let one = all.iter_mut().find(|one| one["name"] == name).ok_or(TeamError::NotFound)?;
            if variable["value"] == skillful_catalog::variables::MASK {
                variable["value"] = one["value"].take();
            }
            *one = variable;
            Ok(())
        })
        .await
    }

    /// Removes a variable of the environment.
    pub async fn remove_shell_variable(&self, actor: &Actor, name: &str) -> Result<(), TeamError> {
        self.change_setting(actor, SettingSection::Tools, |kept| {
            let all = list(kept)?;
            let before = all.len();
            all.retain(|one| one["name"] != name);
            if all.len() == before { Err(TeamError::NotFound) } else { Ok(()) }
        })
        .await
    }

    /// A section with its secrets, for the server itself.
    async fn kept_setting(&self, actor: &Actor, section: SettingSection) -> Result<Value, TeamError> {
        let user = actor.user()?;
        self.may(actor, Deed::Read, &actor.org, &Scope::Own(user.to_owned()))?;
        let row = self.db.maybe(SETTING, args![user, section.word()]).await?;
        parsed(section, row.map(|row| row.text(0)).transpose()?)
    }

    async fn change_setting(
        &self,
        actor: &Actor,
        section: SettingSection,
        change: impl FnOnce(&mut Value) -> Result<(), TeamError>,
    ) -> Result<(), TeamError> {
        let user = actor.user()?;
        let scope = Scope::Own(user.to_owned());
        self.may(actor, Deed::Prefer, &actor.org, &scope)?;
        let mut tx: Tx = self.db.begin().await?;
        // Two changes at once, one after the other.
        tx.lock_sequence().await?;
        let row = tx.maybe(SETTING, args![user, section.word()]).await?;
        let mut kept = parsed(section, row.map(|row| row.text(0)).transpose()?)?;
        change(&mut kept)?;
        tx.run(
            "INSERT INTO user_setting (user_id, section, setting, updated) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (user_id, section) DO UPDATE SET setting = $3, updated = $4",
            args![user, section.word(), kept.to_string(), self.now()],
        )
        .await?;
        // Values stay out of the log.
        let note = Note {
            org: &actor.org,
            action: "settings.set",
            subject: section.word(),
            scope: &scope,
            before: Value::Null,
            after: Value::Null,
        };
        self.finish(tx, actor.label(), &[note]).await.map(|_| ())
    }
}

fn parsed(section: SettingSection, text: Option<String>) -> Result<Value, TeamError> {
    let Some(text) = text else { return Ok(default_of(section)) };
    serde_json::from_str(&text).map_err(|error| TeamError::Internal(format!("a stored setting: {error}")))
}

/// The variables of the tools' section; one without them gets an empty list.
fn list(tools: &mut Value) -> Result<&mut Vec<Value>, TeamError> {
    let slot = &mut tools[ENVIRONMENT];
    if !slot.is_array() {
        *slot = json!([]);
    }
    slot.as_array_mut().ok_or_else(|| TeamError::Internal("a stored setting is not a list".to_owned()))
}

const SETTING: &str = "SELECT setting FROM user_setting WHERE user_id = $1 AND section = $2";
