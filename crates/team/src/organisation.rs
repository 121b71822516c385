//! Settings of an organisation: policies.

use crate::{
    actor::{Actor, Role},
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

/// How many entries each list of settings has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SettingCounts {
    /// Sources of skills.
    pub sources: i64,
    /// Users that the list of users names.
    pub users: i64,
    /// Groups.
    pub groups: i64,
    /// Webhooks.
    pub webhooks: i64,
    /// Tokens that can still be used.
    pub tokens: i64,
}

impl Team {
    /// How many entries each list of settings has.
    pub async fn setting_counts(&self, actor: &Actor) -> Result<SettingCounts, TeamError> {
        may_org(actor, OrgDeed::ReadSettings, &actor.org)?;
        let row = self
            .db
            .maybe(
                "SELECT (SELECT count(*) FROM skill_source WHERE org = $1), \
                 (SELECT count(*) FROM user_account WHERE org = $1 OR $2 = 1), \
                 (SELECT count(*) FROM user_group WHERE org = $1), (SELECT count(*) FROM webhook WHERE org = $1), \
                 (SELECT count(*) FROM access_token t JOIN user_account u ON u.id = t.user_id \
                 WHERE u.org = $1 AND t.revoked IS NULL AND t.expires > $3)",
                args![&actor.org, actor.has(Role::SiteAdmin), self.now()],
            )
            .await?
            .ok_or_else(|| TeamError::Internal("a count is missing".to_owned()))?;
        Ok(SettingCounts {
            sources: row.int(0)?,
            users: row.int(1)?,
            groups: row.int(2)?,
            webhooks: row.int(3)?,
            tokens: row.int(4)?,
        })
    }

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
