//! Skills that an integration brings along: set up for one user, a group, the organisation or all, and set up again with each of its
//! versions. What a user has under the same name wins; one broken skill keeps none of the others away.

use crate::{
    actor::{Actor, TokenScope},
    db::args,
    drafts::tree_of,
    error::TeamError,
    log::Note,
    permission::{Deed, Scope},
    skills::{SkillChange, SkillRecord},
    team::Team,
    upload::{Hold, Stored, Upload, name_of},
    versions::VersionState,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use utoipa::ToSchema;

/// The source of such a skill.
const SOURCE: &str = "integration";
/// Skills of one integration.
const SKILLS: usize = 100;
/// Characters of its name and of its version.
const NAME: usize = 64;

/// A skill of an integration.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct IntegrationSkill {
    /// Its folder, which is its name when the frontmatter has none.
    pub name: String,
    /// Texts by path; one is `SKILL.md`.
    pub files: BTreeMap<String, String>,
}

/// What an integration brings along.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct IntegrationInput {
    /// `own` (for the user alone, also without it), `group`, `org` or `global`.
    pub scope: Option<String>,
    /// The group.
    pub group: Option<String>,
    /// The version of its manifest.
    #[serde(default)]
    pub version: String,
    /// Its skills.
    pub skills: Vec<IntegrationSkill>,
}

/// A skill after the integration was set up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct IntegratedSkill {
    /// The skill.
    pub skill_id: String,
    /// Its name.
    pub name: String,
    /// `created`, `updated` or `unchanged`.
    pub outcome: String,
    /// The version with these files.
    pub version: i64,
    /// Its state; a pending one waits for a yes.
    pub state: VersionState,
}

/// A skill that was not taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct SkippedSkill {
    /// Its name.
    pub name: String,
    /// Why.
    pub reason: String,
}

/// What setting an integration up did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct IntegrationReport {
    /// The integration.
    pub domain: String,
    /// For whom.
    pub scope: Scope,
    /// The version of its manifest.
    pub version: String,
    /// Skills that are there now.
    pub skills: Vec<IntegratedSkill>,
    /// Skills that were not taken, and why.
    pub skipped: Vec<SkippedSkill>,
    /// Names of skills that it brought before and brings no more; they are archived.
    pub archived: Vec<String>,
}

/// An integration with the skills that it brought along.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct IntegrationRecord {
    /// The integration.
    pub domain: String,
    /// For whom.
    pub scope: Scope,
    /// Its skills.
    pub skills: Vec<SkillRecord>,
}

/// A domain such as `calendar` or `mail.example.org`.
fn checked_domain(domain: &str) -> Result<(), TeamError> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._-".contains(c);
    let begins = domain.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
    if begins && domain.len() <= NAME && domain.chars().all(is_plain) {
        return Ok(());
    }
    Err(TeamError::invalid(
        "wrong-domain",
        format!("an integration is named in small letters, digits, `.`, `_` and `-`, at most {NAME}"),
    ))
}

impl Team {
    /// Sets an integration up, again with each of its versions.
    pub async fn set_up_integration(
        &self,
        actor: &Actor,
        domain: &str,
        input: &IntegrationInput,
    ) -> Result<IntegrationReport, TeamError> {
        checked_domain(domain)?;
        let scope = scope_of(actor, input.scope.as_deref(), input.group.as_deref())?;
        self.may(actor, Deed::Edit, &actor.org, &scope)?;
        if input.skills.len() > SKILLS || input.version.chars().count() > NAME {
            return Err(TeamError::TooLarge(format!(
                "an integration has at most {SKILLS} skills, and a version of at most {NAME} characters"
            )));
        }
        let mut known = self.of_integration(actor, &scope, domain).await?;
        let mut report = IntegrationReport {
            domain: domain.to_owned(),
            scope: scope.clone(),
            version: input.version.clone(),
            skills: Vec::new(),
            skipped: Vec::new(),
            archived: Vec::new(),
        };
        let mut seen = BTreeSet::new();
        for skill in &input.skills {
            let upload = match upload(domain, input, skill) {
                Ok(upload) => upload,
                Err(error) => {
                    // What the integration brings, broken or not, it still brings.
                    known.remove(&skill.name);
                    report.skipped.push(skipped(&skill.name, error)?);
                    continue;
                }
            };
            let name = name_of(&upload)?;
            if !seen.insert(name.clone()) {
                report.skipped.push(SkippedSkill { name, reason: "the integration has it twice".to_owned() });
                continue;
            }
            let before = known.remove(&name);
            match self.integrate(actor, &scope, before, upload).await {
                Ok((outcome, stored)) => report.skills.push(IntegratedSkill {
                    skill_id: stored.skill.id,
                    name,
                    outcome: outcome.to_owned(),
                    version: stored.version.number,
                    state: stored.version.state,
                }),
                Err(error) => report.skipped.push(skipped(&name, error)?),
            }
        }
        for (name, skill) in known.into_iter().filter(|(_, skill)| skill.state != "archived") {
            let change = SkillChange { state: Some("archived".to_owned()), ..Default::default() };
            self.change_skill(actor, &skill.id, &change).await?;
            report.archived.push(name);
        }
        let names = |of: &[SkippedSkill]| of.iter().map(|skill| skill.name.clone()).collect::<Vec<_>>();
        let note = Note {
            org: &actor.org,
            action: "integration.set-up",
            subject: domain,
            scope: &scope,
            before: Value::Null,
            after: json!({
                "version": input.version, "skills": report.skills.len(), "skipped": names(&report.skipped),
                "archived": report.archived,
            }),
        };
        self.finish(self.db.begin().await?, actor.label(), &[note]).await?;
        Ok(report)
    }

    /// One skill of an integration: new, another version, or as it is.
    async fn integrate(
        &self,
        actor: &Actor,
        scope: &Scope,
        before: Option<SkillRecord>,
        upload: Upload,
    ) -> Result<(&'static str, Stored), TeamError> {
        let Some(skill) = before else {
            return Ok(("created", self.create_skill(actor, scope, upload).await?));
        };
        if skill.state == "archived" {
            let change = SkillChange { state: Some("active".to_owned()), ..Default::default() };
            self.change_skill(actor, &skill.id, &change).await?;
        }
        let tree = upload.tree.digest().to_string();
        match self.version(actor, &skill.id, skill.latest_version).await {
            Ok(version) if version.tree == tree => {
                let mut tx = self.db.begin().await?;
                tx.run(
                    "UPDATE skill SET source_version = $2 WHERE id = $1",
                    args![&skill.id, &upload.source_version],
                )
                .await?;
                tx.commit().await?;
                let skill = self.skill(actor, &skill.id).await?;
                Ok(("unchanged", Stored { skill, version, proposal: None }))
            }
            Ok(_) | Err(TeamError::NotFound) => {
                Ok(("updated", self.add_version(actor, &skill.id, upload).await?))
            }
            Err(error) => Err(error),
        }
    }

    /// The integrations whose skills the actor may read.
    pub async fn integrations(&self, actor: &Actor) -> Result<Vec<IntegrationRecord>, TeamError> {
        actor.needs(TokenScope::SkillsRead)?;
        let rows = self
            .db
            .all(
                "SELECT id FROM skill WHERE (org = $1 OR scope = 'global') AND source = $2 \
                 ORDER BY source_id, created, id LIMIT 5000",
                args![&actor.org, SOURCE],
            )
            .await?;
        let mut found: BTreeMap<(String, Scope), Vec<SkillRecord>> = BTreeMap::new();
        for row in rows {
            let Ok(skill) = self.skill(actor, &row.text(0)?).await else { continue };
            let domain = skill.source_id.split(':').next().unwrap_or_default().to_owned();
            found.entry((domain, skill.scope.clone())).or_default().push(skill);
        }
        Ok(found
            .into_iter()
            .map(|((domain, scope), skills)| IntegrationRecord { domain, scope, skills })
            .collect())
    }

    /// Removes an integration with its skills; returns how many there were.
    pub async fn remove_integration(
        &self,
        actor: &Actor,
        domain: &str,
        scope: Option<&str>,
        group: Option<&str>,
    ) -> Result<usize, TeamError> {
        let scope = scope_of(actor, scope, group)?;
        self.may(actor, Deed::Edit, &actor.org, &scope)?;
        let known = self.of_integration(actor, &scope, domain).await?;
        if known.is_empty() {
            return Err(TeamError::NotFound);
        }
        for skill in known.values() {
            self.delete_skill(actor, &skill.id).await?;
        }
        Ok(known.len())
    }

    /// The skills of an integration in a scope, by name.
    async fn of_integration(
        &self,
        actor: &Actor,
        scope: &Scope,
        domain: &str,
    ) -> Result<BTreeMap<String, SkillRecord>, TeamError> {
        let (kind, owner) = scope.columns();
        let rows = self
            .db
            .all(
                "SELECT id, source_id FROM skill WHERE org = $1 AND scope = $2 AND owner = $3 AND source = $4",
                args![&actor.org, kind, owner, SOURCE],
            )
            .await?;
        let mut found = BTreeMap::new();
        for row in rows {
            let is_of_it = row.text(1)?.split_once(':').is_some_and(|(of, _)| of == domain);
            if !is_of_it {
                continue;
            }
            let skill = self.skill(actor, &row.text(0)?).await?;
            found.insert(skill.name.clone(), skill);
        }
        Ok(found)
    }
}

/// The scope of a request; without one, the user.
fn scope_of(actor: &Actor, kind: Option<&str>, group: Option<&str>) -> Result<Scope, TeamError> {
    match kind.unwrap_or("own") {
        "own" => Ok(Scope::Own(actor.user()?.to_owned())),
        "group" => {
            let group = group.ok_or_else(|| TeamError::invalid("no-group", "name the group"))?;
            Ok(Scope::Group(group.to_owned()))
        }
        other => Scope::of(other, ""),
    }
}

fn upload(domain: &str, input: &IntegrationInput, skill: &IntegrationSkill) -> Result<Upload, TeamError> {
    let mut upload = Upload {
        tree: tree_of(&skill.files)?,
        folder: Some(skill.name.clone()),
        source: SOURCE.to_owned(),
        source_version: input.version.clone(),
        hold: Hold::IfGrown,
        ..Default::default()
    };
    upload.source_id = format!("{domain}:{}", name_of(&upload)?);
    Ok(upload)
}

/// A skill that is skipped. What concerns the server and not the skill ends the set-up.
fn skipped(name: &str, error: TeamError) -> Result<SkippedSkill, TeamError> {
    let reason = match error {
        TeamError::Conflict { code: "name-taken", .. } => {
            format!("a skill named `{name}` that is not of this integration is here, and stays")
        }
        TeamError::Conflict { message, .. } | TeamError::Invalid { message, .. } => message,
        TeamError::TooLarge(why) => why,
        other => return Err(other),
    };
    Ok(SkippedSkill { name: name.to_owned(), reason })
}
