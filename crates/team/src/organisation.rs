//! Settings of an organisation: policies.

use crate::{
    actor::Actor,
    db::args,
    error::TeamError,
    log::Note,
    permission::{OrgDeed, Scope, may_org},
    team::Team,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

/// A rule of the organisation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Policy {
    /// Its name.
    pub rule: String,
    /// Its setting.
    pub setting: String,
}

/// Every rule with its settings, the first one is the default.
pub const RULES: &[(&str, &[&str])] = &[
    // Whether versions for a group or the organisation need the yes of another user.
    ("review", &["required", "off"]),
    // Whether personal skills that are not used are archived, and how far a model may enable what it wrote.
    crate::idle::RULE,
    crate::model_made::RULE,
    // How much one owner may keep.
    crate::quotas::SKILLS,
    crate::quotas::VERSIONS,
    crate::quotas::MEGABYTES,
];

impl Team {
    /// The rules that are in force.
    pub async fn policies(&self, actor: &Actor) -> Result<Vec<Policy>, TeamError> {
        may_org(actor, OrgDeed::ReadSettings, &actor.org)?;
        let rows = self.db.all("SELECT rule, setting FROM policy WHERE org = $1", args![&actor.org]).await?;
        let mut set = std::collections::BTreeMap::new();
        for row in rows {
            set.insert(row.text(0)?, row.text(1)?);
        }
        Ok(RULES
            .iter()
            .map(|(rule, settings)| Policy {
                rule: (*rule).to_owned(),
                setting: set.remove(*rule).unwrap_or_else(|| settings[0].to_owned()),
            })
            .collect())
    }

    /// Changes a rule.
    pub async fn set_policy(&self, actor: &Actor, policy: &Policy) -> Result<Policy, TeamError> {
        may_org(actor, OrgDeed::ChangeSettings, &actor.org)?;
        let Some((_, settings)) = RULES.iter().find(|(rule, _)| *rule == policy.rule) else {
            let known: Vec<&str> = RULES.iter().map(|(rule, _)| *rule).collect();
            return Err(TeamError::invalid(
                "unknown-rule",
                format!("`{}` is not one of {}", policy.rule, known.join(", ")),
            ));
        };
        if !settings.contains(&policy.setting.as_str()) {
            return Err(TeamError::invalid(
                "unknown-setting",
                format!("`{}` is not one of {}", policy.setting, settings.join(", ")),
            ));
        }
        let mut tx = self.db.begin().await?;
        tx.run(
            "INSERT INTO policy (org, rule, setting) VALUES ($1, $2, $3) ON CONFLICT (org, rule) DO UPDATE SET setting = $3",
            args![&actor.org, &policy.rule, &policy.setting],
        )
        .await?;
        let note = Note {
            org: &actor.org,
            action: "policy.set",
            subject: &policy.rule,
            scope: &Scope::Org,
            before: serde_json::Value::Null,
            after: json!({ "setting": policy.setting }),
        };
        self.finish(tx, actor.label(), &[note]).await?;
        Ok(policy.clone())
    }
}
