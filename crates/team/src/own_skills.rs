//! The skills of one user by their names: import over an own one, use, switch. What every client that knows names and no ids needs.

use crate::{
    actor::{Actor, Role, TokenScope},
    db::args,
    error::TeamError,
    permission::Scope,
    preferences::{Choice, EffectiveSkill, Target},
    skills::SkillRecord,
    team::Team,
    upload::{Hold, Stored, Upload, name_of},
    usage::UseReport,
};
use skillful_format::{Limits, Tree, resources::Content};

/// What an import did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// The skill with the version.
    pub stored: Stored,
    /// Whether an own skill of that name got a version; the older ones stay.
    pub is_replaced: bool,
    /// Files that were not taken, and why.
    pub skipped: Vec<String>,
}

/// Takes the files that are text of at most the readable size, and names the others.
fn texts_of(tree: &Tree) -> Result<(Tree, Vec<String>), TeamError> {
    let (mut kept, mut skipped) = (Tree::default(), Vec::new());
    let skill_file = tree.skill_file().map(|(name, _)| name.to_owned());
    for (path, file) in tree.iter() {
        let why = match Content::of(&file.bytes) {
            _ if Some(path.as_str()) == skill_file.as_deref() => None,
            Content::Text(_) => None,
            Content::Binary => Some("is not text"),
            Content::TooLarge => Some("is larger than 256 KB"),
        };
        match why {
            Some(why) => skipped.push(format!("`{path}` was not taken: it {why}")),
            None => kept
                .insert(path.clone(), file.clone(), &Limits::default())
                .map_err(|refused| TeamError::invalid("wrong-file", refused.message))?,
        }
    }
    Ok((kept, skipped))
}

impl EffectiveSkill {
    /// Whether a list shows it to this user: `admin_only` skills are shown to administrators.
    pub fn is_for(&self, actor: &Actor) -> bool {
        self.version.manifest["admin_only"].as_bool() != Some(true)
            || actor.has(Role::OrgAdmin)
            || actor.has(Role::SiteAdmin)
    }
}

impl Team {
    /// Imports a skill for the user. An own skill of that name gets a version; one that can do more waits for the yes of its
    /// owner, and the old one is served. Only text is taken.
    pub async fn import_own(&self, actor: &Actor, mut upload: Upload) -> Result<Imported, TeamError> {
        let scope = Scope::Own(actor.user()?.to_owned());
        let (tree, skipped) = texts_of(&upload.tree)?;
        upload.tree = tree;
        "imported".clone_into(&mut upload.source);
        let name = name_of(&upload)?;
        match self.own_skill(actor, &name).await? {
            None => {
                let stored = self.create_skill(actor, &scope, upload).await?;
                Ok(Imported { stored, is_replaced: false, skipped })
            }
            Some(skill) => {
                upload.hold = Hold::IfGrown;
                let stored = self.add_version(actor, &skill.id, upload).await?;
                Ok(Imported { stored, is_replaced: true, skipped })
            }
        }
    }

    /// The user's own skill of a name.
    pub async fn own_skill(&self, actor: &Actor, name: &str) -> Result<Option<SkillRecord>, TeamError> {
        let row = self
            .db
            .maybe(
                "SELECT id FROM skill WHERE org = $1 AND scope = 'own' AND owner = $2 AND name = $3",
                args![&actor.org, actor.user()?, name],
            )
            .await?;
        match row {
            Some(row) => Ok(Some(self.skill(actor, &row.text(0)?).await?)),
            None => Ok(None),
        }
    }

    /// The skill of a name that the user gets, whether it is on or off; the one that is on before the others.
    pub async fn by_name(&self, actor: &Actor, name: &str) -> Result<EffectiveSkill, TeamError> {
        let mut found: Vec<EffectiveSkill> =
            self.effective(actor).await?.into_iter().filter(|one| one.skill.name == name).collect();
        found.sort_by_key(|one| (!one.is_on, one.skill.scope.distance()));
        found.into_iter().next().ok_or(TeamError::NotFound)
    }

    /// The files of a skill that is on for the user, by its name; counts one use.
    pub async fn use_by_name(
        &self,
        actor: &Actor,
        name: &str,
        agent: &str,
    ) -> Result<(EffectiveSkill, Tree), TeamError> {
        let mut found = self.by_name(actor, name).await;
        if found.is_err() && self.wake(actor, name).await? {
            found = self.by_name(actor, name).await;
        }
        let found = found?;
        if !found.is_on {
            return Err(TeamError::conflict("off", format!("the skill `{name}` is off: {}", found.reason)));
        }
        let tree = self.contents(actor, &found.skill.id, found.version.number).await?;
        if actor.scopes.contains(&TokenScope::Usage) {
            let report = UseReport {
                skill_id: found.skill.id.clone(),
                version: found.version.number,
                agent: agent.to_owned(),
                uses: 1,
                failures: 0,
            };
            self.report_uses(actor, &[report]).await?;
        }
        Ok((found, tree))
    }

    /// Switches a skill on or off for the user. A switch that says what counts anyway is removed.
    pub async fn switch(&self, actor: &Actor, id: &str, on: bool) -> Result<(), TeamError> {
        let target = Target::User(actor.user()?.to_owned());
        let is_on = |all: &[EffectiveSkill]| all.iter().any(|one| one.skill.id == id && one.is_on);
        if is_on(&self.effective(actor).await?) == on {
            return Ok(());
        }
        let had = self.preferences(actor, id).await?.iter().any(|one| one.target.starts_with("user:"));
        if had {
            self.remove_preference(actor, id, &target).await?;
            if is_on(&self.effective(actor).await?) == on {
                return Ok(());
            }
        }
        let choice = if on { Choice::On } else { Choice::Hidden };
        self.set_preference(actor, id, &target, choice, None).await?;
        Ok(())
    }
}
