//! How an agent would show a skill: the entry of its menu, the text that its model reads, what is cut or refused. And "try": which skill
//! a message selects among what a user gets.
//!
//! The engine decides. Its files are put into a temporary home, in the folder that the agent reads, and the engine opens that home
//! as it opens every other one. No command of a skill runs.

use crate::{
    actor::{Actor, TokenScope},
    error::TeamError,
    team::Team,
};
use serde::{Deserialize, Serialize};
use skillful::{
    Environment, Options, Way, Workspace,
    turn::{MenuRoom, menu_budget},
    views::SelectionView,
};
use skillful_agents::Listed;
use skillful_catalog::{AgentProfiles, disk, profile::RootKind};
use skillful_format::{Document, Sidecars, Tree, scaffold::check_name};
use skillful_render::menu::{MenuItem, Truncation, menu};
use skillful_runtime::compose;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
};
use tempfile::TempDir;
use utoipa::ToSchema;

/// Skills that one "try" compares at the most.
const TRIED: usize = 300;
/// Bytes of a message.
const MESSAGE: usize = 20_000;
/// Bytes of the text of a preview.
const SHOWN: usize = 1 << 20;

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
async fn beside<T: Send + 'static>(
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

/// The folder that a skill would be installed as.
fn folder_name(tree: &Tree) -> String {
    let document = tree.skill_file().map(|(_, file)| Document::read(&file.bytes, &Sidecars::default()));
    let name = document.and_then(|document| document.manifest.name).unwrap_or_default();
    if check_name(&name).is_ok() { name } else { "skill".to_owned() }
}

/// A home of a user who has nothing but these skills.
struct Home {
    folder: TempDir,
}

impl Home {
    fn new(names: &BTreeSet<&str>) -> Result<Self, TeamError> {
        let home = Self { folder: TempDir::new().map_err(|error| disk_error(&error))? };
        for folder in [home.user(), home.project(), home.own()] {
            fs::create_dir_all(folder).map_err(|error| disk_error(&error))?;
        }
        // The skills of the machine that the server runs on are not those of the user.
        let include = toml_list(names);
        let config = format!("system = false\ncache = false\ninclude = {include}\n");
        fs::write(home.own().join("config.toml"), config).map_err(|error| disk_error(&error))?;
        Ok(home)
    }

    fn user(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    fn own(&self) -> PathBuf {
        self.folder.path().join("skillful")
    }

    fn workspace(&self) -> Workspace {
        let own = self.own().display().to_string();
        let environment = Environment {
            cwd: self.project(),
            home: self.user(),
            variables: BTreeMap::from([("SKILLFUL_HOME".to_owned(), own)]),
            system: "linux".to_owned(),
            ..Environment::default()
        };
        Workspace::open(environment, Options { no_cache: true, trust_project: true, ..Options::default() })
    }

    /// Puts a skill into the folder that an agent reads.
    fn put(root: &Path, name: &str, tree: &Tree) -> Result<(), TeamError> {
        let folder = root.join(name);
        fs::create_dir_all(&folder)
            .and_then(|()| disk::write_files(tree, &folder))
            .map_err(|e| disk_error(&e))
    }

    /// The folder of skills that an agent reads for its user, else for a project.
    fn root(&self, workspace: &Workspace, agent: &skillful_catalog::AgentProfile) -> Option<PathBuf> {
        let roots = workspace.view(agent).roots;
        let below = |top: PathBuf| {
            roots
                .iter()
                .filter(|root| root.kind == RootKind::Skills && root.path.starts_with(&top))
                .map(|root| root.path.clone())
                .next()
        };
        below(self.user()).or_else(|| below(self.project()))
    }

    /// A text without the names of the temporary folders.
    fn tidy(&self, text: &str) -> String {
        text.replace(&self.user().display().to_string(), "~")
            .replace(&self.project().display().to_string(), "/project")
    }
}

fn toml_list(names: &BTreeSet<&str>) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("'{}'", name.replace('\'', ""))).collect();
    format!("[{}]", quoted.join(", "))
}

fn disk_error(error: &io::Error) -> TeamError {
    TeamError::Unavailable(format!("the server cannot write a temporary file: {error}"))
}

fn unknown_agent(name: &str, near: &[String]) -> TeamError {
    let near = near.first().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    TeamError::invalid("unknown-agent", format!("no agent is named `{name}`{near}"))
}

fn preview(tree: &Tree, agent: &str) -> Result<SkillPreview, TeamError> {
    let name = folder_name(tree);
    let home = Home::new(&BTreeSet::from([name.as_str()]))?;
    let empty = home.workspace();
    let profile = empty.agent(agent).map_err(|unknown| unknown_agent(&unknown.word, &unknown.near))?.clone();
    let Some(root) = home.root(&empty, &profile) else {
        return Err(TeamError::invalid(
            "no-folder",
            format!("{} reads no folder of skills that a preview could use", profile.title),
        ));
    };
    Home::put(&root, &name, tree)?;
    let workspace = home.workspace();
    let view = workspace.view(&profile);
    let is_ours = |key: &Path| key.starts_with(home.folder.path().canonicalize().unwrap_or_default());
    let mut preview = SkillPreview {
        agent: described(&profile),
        loads: false,
        refusal: None,
        name: None,
        description: None,
        user_only: None,
        menu: String::new(),
        cut: Vec::new(),
        text: None,
        text_refused: None,
        commands: Vec::new(),
        unfilled: Vec::new(),
        warnings: view.notes.iter().map(|note| home.tidy(note)).collect(),
    };
    let Some(seen) = view.seen.iter().find(|seen| is_ours(&seen.key)) else {
        preview.refusal =
            view.unseen.iter().find(|unseen| is_ours(&unseen.key)).map(|unseen| PreviewRefusal {
                code: serde_json::to_value(unseen.code)
                    .ok()
                    .and_then(|code| code.as_str().map(str::to_owned))
                    .unwrap_or_default(),
                reason: home.tidy(&unseen.reason),
                fix: unseen.fix.as_deref().map(|fix| home.tidy(fix)),
            });
        preview.text_refused = Some(format!("{} does not load the skill", profile.title));
        return Ok(preview);
    };
    preview.loads = true;
    preview.name = Some(seen.name.clone());
    preview.description.clone_from(&seen.description);
    preview.warnings.extend(seen.warnings.iter().map(|warning| home.tidy(warning)));
    match &seen.listed {
        Listed::UserOnly(why) => preview.user_only = Some(home.tidy(why)),
        // The line that the menu has once the agent uses such a file.
        Listed::Model | Listed::Waits(_) => {
            if let Listed::Waits(why) = &seen.listed {
                preview.warnings.push(home.tidy(why));
            }
            let item = MenuItem {
                name: seen.name.clone(),
                description: seen.description.clone().unwrap_or_default(),
                when_to_use: seen.when_to_use.clone(),
                location: home.tidy(&seen.file.display().to_string()),
            };
            let shown = menu(&[item], profile.menu.style, menu_budget(MenuRoom::default(), Some(&profile)));
            preview.cut =
                shown.losses.iter().map(|loss| cut(loss.truncation, shown.budget.description)).collect();
            preview.menu = shown.text;
        }
    }
    loaded(&home, &workspace, &profile.id, &seen.file, &mut preview);
    Ok(preview)
}

/// A loss of the menu in a sentence.
fn cut(truncation: Truncation, most: usize) -> String {
    match truncation {
        Truncation::Capped { lost } => {
            format!("the description loses its last {lost} characters; the agent shows at most {most}")
        }
        Truncation::Shortened { lost } => {
            format!("the description loses {lost} characters, since the menu of the agent is full")
        }
        Truncation::NameOnly => "only the name is shown, since the menu of the agent is full".to_owned(),
        Truncation::Omitted => "the skill is not shown, since the menu of the agent is full".to_owned(),
    }
}

/// Adds the text that a model reads when it loads the skill.
fn loaded(home: &Home, workspace: &Workspace, agent: &str, file: &Path, preview: &mut SkillPreview) {
    let refused = |preview: &mut SkillPreview, why: String| preview.text_refused = Some(home.tidy(&why));
    let Ok(workspace) = workspace.with_agent(agent) else { return };
    let word = file.parent().unwrap_or(file).display().to_string();
    let proof = match workspace.admit(&word, Way::Load) {
        Ok(proof) => proof,
        Err(unusable) => return refused(preview, unusable.to_string()),
    };
    let catalog = workspace.catalog();
    // Without a `BodyExecution` the commands of the text stay as written.
    match compose::load(&workspace.engine(&catalog, None), &proof, "") {
        Ok((activation, text)) => {
            let mut text = home.tidy(&text);
            if text.len() > SHOWN {
                let end = (0..=SHOWN).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
                preview.warnings.push(format!("the text has {} bytes; the preview shows {end}", text.len()));
                text.truncate(end);
            }
            preview.text = Some(text);
            preview.commands = activation.commands.into_iter().map(|command| command.written).collect();
            preview.unfilled = activation.unfilled;
            preview.warnings.extend(activation.diagnostics.iter().map(|found| home.tidy(&found.message)));
        }
        Err(error) => refused(preview, error.to_string()),
    }
}

fn tried(
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
    let selection = workspace.select(&workspace.turn(message));
    let view = SelectionView::of(&workspace, &selection).with_likely(&workspace, message);
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
