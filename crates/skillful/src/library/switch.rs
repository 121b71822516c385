//! Enabling and disabling skills: one rule in a configuration file, comments and order kept.

use super::{Library, LibraryError};
use crate::{
    agent_sets::{AgentSets, key_of},
    config::{CONFIG_LIMIT, project_file},
    refusal::fix,
    shell_word::shell_word,
    views::PathText,
    workspace::Workspace,
};
use schemars::JsonSchema;
use serde::Serialize;
use skillful_catalog::{
    Catalog, Entry,
    bounded::{self, Boundary, ReadError},
    entry::{DisabledBy, Placement},
    settings::RuleOwner,
    state::SkillState,
};
use std::path::{Path, PathBuf};
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};

/// Which skills are enabled or disabled, and in whose configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SwitchRequest {
    /// Names, qualified names or paths.
    pub words: Vec<String>,
    /// On or off.
    pub enabled: bool,
    /// In the configuration of the repository, which can only disable: to enable there is to remove its rule.
    pub project: bool,
    /// A name means every skill of that name, now and later.
    pub all: bool,
}

/// One rule that is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Switch {
    /// The skill.
    pub skill: String,
    /// The folder, when the rule is about one skill and not about a name.
    pub path: Option<PathText>,
    /// What still disables the skill.
    pub still_disabled_by: Option<String>,
    /// Why an enabled skill cannot be used all the same: its state and the reason.
    pub not_usable: Option<String>,
    /// What ends that.
    pub fix: Option<String>,
    /// Agents found here that load a disabled skill all the same, by id.
    pub still_loaded_by: Vec<String>,
}

/// The configuration file with the new rules. Nothing is written yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwitchPlan {
    /// The configuration file.
    pub file: PathBuf,
    /// Where that file must be: in the repository whose configuration it is.
    within: Option<Boundary>,
    /// On or off.
    pub enabled: bool,
    text: String,
    skills: Vec<(PathBuf, Switch)>,
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Switched {
    /// The version of this view.
    pub schema: u32,
    /// The configuration file.
    pub file: PathText,
    /// On or off.
    pub enabled: bool,
    /// The skills.
    pub skills: Vec<Switch>,
}

enum Rule {
    Name(String),
    Path(PathBuf),
}

/// A word that means several skills.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ambiguous {
    /// What the user wrote.
    pub word: String,
    /// The skills that it means: qualified names, or paths where names are ambiguous.
    pub choices: Vec<String>,
}

impl Switch {
    /// Why the skill is not as it was asked for, to be read after its name.
    pub fn not_as_asked(&self) -> Option<String> {
        match (&self.still_disabled_by, &self.not_usable) {
            (Some(by), _) => Some(format!("stays disabled: {by}")),
            (None, Some(why)) => Some(format!("is enabled and cannot be used: {why}")),
            (None, None) => None,
        }
    }
}

impl Switched {
    /// Whether every skill is now as it was asked for: one that is enabled can be used.
    pub fn is_effective(&self) -> bool {
        self.skills.iter().all(|skill| skill.still_disabled_by.is_none() && skill.not_usable.is_none())
    }
}

impl Library<'_> {
    /// The first word of a request that means several skills.
    pub fn ambiguous(&self, request: &SwitchRequest) -> Option<Ambiguous> {
        let workspace = self.workspace;
        let catalog = workspace.catalog();
        let is_name = |word: &&String| !request.all && !word.contains(['/', ':']);
        request.words.iter().filter(is_name).find_map(|word| {
            let found = meant(&catalog, word, request.enabled);
            let choices = || found.iter().map(|at| qualified(workspace, &catalog, *at)).collect();
            (found.len() > 1).then(|| Ambiguous { word: word.clone(), choices: choices() })
        })
    }

    /// The request about the one skill of a file: by its name, or by its folder when several skills have the name.
    ///
    /// ```
    /// use skillful::{Environment, Library, Options, Workspace, library::Scope};
    /// use std::{fs, time::SystemTime};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = |below: &str| folder.path().join(below);
    /// fs::create_dir_all(path("home/.agents/skills/pdf"))?;
    /// let file = path("home/.agents/skills/pdf/SKILL.md");
    /// fs::write(&file, "---\nname: pdf\ndescription: Read PDF files.\n---\nRead it.\n")?;
    /// let environment = Environment { cwd: path("home"), home: path("home"), ..Environment::default() };
    /// let workspace = Workspace::open(environment, Options::default());
    ///
    /// let library = Library::open(&workspace, Scope::User, SystemTime::UNIX_EPOCH)?;
    /// let request = library.switch_of("pdf", &file, false);
    /// let done = library.apply_switch(library.plan_switch(&request)?)?;
    /// assert!(done.is_effective() && request.words == ["pdf"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn switch_of(&self, name: &str, file: &Path, enabled: bool) -> SwitchRequest {
        let request = SwitchRequest { words: vec![name.to_owned()], enabled, ..SwitchRequest::default() };
        if self.ambiguous(&request).is_none() {
            return request;
        }
        let folder = file.parent().unwrap_or(file);
        SwitchRequest { words: vec![folder.to_string_lossy().into_owned()], ..request }
    }
}

/// The skills that a name means. When one of several is disabled, `enable` means that one.
fn meant(catalog: &Catalog, name: &str, enabled: bool) -> Vec<usize> {
    let all: Vec<usize> = catalog.called(name).map(|(at, _)| at).collect();
    let is_off = |at: &&usize| matches!(catalog.entries[**at].placement, Placement::Disabled { .. });
    let off: Vec<usize> = all.iter().filter(is_off).copied().collect();
    if enabled && off.len() == 1 { off } else { all }
}

/// The shortest word that means exactly this skill.
fn qualified(workspace: &Workspace, catalog: &Catalog, at: usize) -> String {
    let entry = &catalog.entries[at];
    let root = &catalog.roots[entry.origin.root];
    let scope = serde_json::to_value(root.scope).ok().and_then(|scope| scope.as_str().map(str::to_owned));
    let prefixes = scope.into_iter().chain(root.agents.iter().cloned());
    let words = prefixes.map(|prefix| format!("{prefix}:{}", entry.name));
    let means_it = |word: &String| workspace.find(word) == Ok(at) && is_only(catalog, word);
    words.into_iter().find(means_it).unwrap_or_else(|| entry.folder().display().to_string())
}

/// Whether a qualified name means one skill and not the first of several.
fn is_only(catalog: &Catalog, word: &str) -> bool {
    let Some((prefix, name)) = word.split_once(':') else { return true };
    let means = |entry: &&Entry| {
        let root = &catalog.roots[entry.origin.root];
        let scope = serde_json::to_value(root.scope).ok();
        let is_scope = scope.as_ref().and_then(|scope| scope.as_str()) == Some(prefix);
        entry.name == name && (is_scope || root.agents.iter().any(|agent| agent == prefix))
    };
    catalog.entries.iter().filter(means).count() == 1
}

impl Library<'_> {
    /// Plans the rules that enable or disable skills. Writes nothing.
    pub fn plan_switch(&self, request: &SwitchRequest) -> Result<SwitchPlan, LibraryError> {
        if let Some(Ambiguous { word, choices }) = self.ambiguous(request) {
            let verb = if request.enabled { "enable" } else { "disable" };
            let mut error = LibraryError::new(format!("`{word}` is the name of {} skills", choices.len()));
            for choice in choices {
                error = error.fix(format!("skillful {verb} {choice}"));
            }
            return Err(error.fix(format!("skillful {verb} --all {word}   every skill of that name")));
        }
        let workspace = self.workspace;
        let catalog = workspace.catalog();
        let file =
            if request.project { project_file(&catalog.project) } else { workspace.paths().config.clone() };
        // A link of a repository could lead anywhere.
        let within = request.project.then(|| Boundary::of(&catalog.project));
        let mut document = read_settings(&file, within.as_ref())?;
        let mut skills = Vec::new();
        for word in &request.words {
            let only = match meant(&catalog, word, request.enabled)[..] {
                [at] if !request.all && catalog.called(word).count() > 1 => {
                    Some(qualified(workspace, &catalog, at))
                }
                _ => None,
            };
            let word = only.as_ref().unwrap_or(word);
            let at = workspace.find(word).map_err(|missing| LibraryError::from(&missing))?;
            let entry = &catalog.entries[at];
            let address = entry.address();
            if request.project && catalog.roots[entry.origin.root].needs_trust.is_none() {
                let message =
                    format!("`{address}` is not a skill of this repository, whose rules reach only its own");
                let verb = if request.enabled { "enable" } else { "disable" };
                return Err(LibraryError::usage(message).fix(format!("skillful {verb} {address}")));
            }
            // A proposed skill, and one in a place that is skipped, is off until a rule about its path turns it on.
            let is_proposed = entry.origin.file.starts_with(workspace.paths().proposed());
            let is_aside = is_proposed || (entry.origin.skipped.is_some() && word.contains('/'));
            let by_path = is_aside || (*word != address && *word != entry.name);
            let rule =
                if by_path { Rule::Path(entry.origin.file.clone()) } else { Rule::Name(address.clone()) };
            if request.project && request.enabled {
                lift_rule(&mut document, &rule, entry, &file)?;
            } else {
                set_rule(&mut document, &rule, entry, request.enabled, is_aside);
            }
            let path = by_path.then(|| entry.origin.file.clone());
            skills.push((
                entry.origin.file.clone(),
                Switch {
                    skill: address,
                    path: path.map(Into::into),
                    still_disabled_by: None,
                    not_usable: None,
                    fix: None,
                    still_loaded_by: Vec::new(),
                },
            ));
        }
        Ok(SwitchPlan { file, within, enabled: request.enabled, text: document.to_string(), skills })
    }

    /// Writes the rules of a plan, and reports what still disables the skills.
    pub fn apply_switch(&self, plan: SwitchPlan) -> Result<Switched, LibraryError> {
        let SwitchPlan { file, within, enabled, text, skills } = plan;
        write_settings(&file, &text, within.as_ref())?;
        let reopened = self.workspace.reopened();
        let next = reopened.catalog();
        let sets = (!enabled).then(|| AgentSets::found(self.workspace));
        let loaders = sets.as_ref().map(AgentSets::loaders).unwrap_or_default();
        let skills = skills.into_iter().map(|(file, mut skill)| {
            let at = next.entries.iter().position(|entry| entry.origin.file == file);
            let entry = at.map(|at| &next.entries[at]);
            if let (true, Some(at), Some(entry)) = (enabled, at, entry) {
                let state = reopened.state(at);
                skill.not_usable = not_usable(&state);
                skill.fix = skill.not_usable.as_ref().and_then(|_| fix(&state, entry));
            }
            if let (true, Some(Placement::Disabled { by })) = (enabled, entry.map(|entry| &entry.placement)) {
                let (why, fix) = disabled_by(by, &skill.skill, within.is_some());
                skill.still_disabled_by = Some(why);
                skill.fix = Some(fix);
            }
            if let Some(entry) = entry {
                let agents = loaders.get(key_of(entry).as_path()).into_iter().flatten();
                skill.still_loaded_by = agents.map(|id| (*id).to_owned()).collect();
            }
            skill
        });
        Ok(Switched { schema: crate::views::SCHEMA, file: file.into(), enabled, skills: skills.collect() })
    }
}

/// Why a skill that no rule disables cannot be used.
fn not_usable(state: &SkillState) -> Option<String> {
    match state {
        SkillState::Available | SkillState::Disabled { .. } | SkillState::Shadowed { .. } => None,
        _ => Some([vec![state.word().to_owned()], state.reasons()].concat().join(": ")),
    }
}

/// What disables a skill, and what ends that; `lifted` when only the repository's own rule was removed.
fn disabled_by(by: &DisabledBy, skill: &str, lifted: bool) -> (String, String) {
    let (why, fix) = match by {
        DisabledBy::Source => {
            ("its source is off", "enable it in `sources` of your configuration".to_owned())
        }
        DisabledBy::Ignore { glob } => {
            ("it is on the ignore list", format!("remove `{glob}` from `ignore` of the configuration"))
        }
        DisabledBy::NotIncluded => {
            ("it is not on the include list", format!("add `{skill}` to `include` of your configuration"))
        }
        DisabledBy::Unreadable { file } => {
            let why = format!("rules about skills in {} cannot be read", file.display());
            return (why, format!("repair {}", file.display()));
        }
        DisabledBy::Place(place) => {
            return (place.to_string(), "name its folder instead of its name".to_owned());
        }
        DisabledBy::Rule { owner } => match owner {
            RuleOwner::Managed => ("a rule of the administrator", "ask the administrator".to_owned()),
            RuleOwner::Project => ("a rule of this repository", format!("skillful enable --project {skill}")),
            RuleOwner::User if lifted => {
                ("a rule of your configuration", format!("skillful enable {}", shell_word(skill)))
            }
            RuleOwner::User => (
                "another rule of your configuration",
                "remove that rule: skillful config shows the file".to_owned(),
            ),
            RuleOwner::Call => ("an option of this call", "leave the option out".to_owned()),
            RuleOwner::Proposed => {
                ("the assistant proposed it and you have not approved it", format!("skillful review {skill}"))
            }
        },
    };
    (why.to_owned(), fix)
}

/// Reads a configuration file for a change of it; a missing one is empty.
pub(super) fn read_settings(file: &Path, within: Option<&Boundary>) -> Result<DocumentMut, LibraryError> {
    let text = match bounded::read_text(file, CONFIG_LIMIT, within) {
        Ok(text) => text,
        Err(ReadError::Missing) => String::new(),
        Err(error) => return Err(LibraryError::io(format!("read `{}`", file.display()))(error.into())),
    };
    text.parse().map_err(|error: toml_edit::TomlError| {
        LibraryError::new(format!("`{}` is not TOML: {}", file.display(), error.message()))
            .fix("repair the file first")
    })
}

/// The rules about a skill in a configuration, which may be about its name or about its place.
fn is_about(table: &Table, entry: &Entry) -> (bool, bool) {
    let (file, folder) = (entry.origin.file.display().to_string(), entry.folder().display().to_string());
    let is = |key: &str, text: &str| table.get(key).and_then(Item::as_str) == Some(text);
    let by_name = is("name", &entry.address()) || is("name", &entry.name);
    (by_name, is("path", &file) || is("path", &folder))
}

/// Removes what a repository's configuration says about a skill. A repository cannot enable one, so that a rule about
/// the name stays in the way of a word that means one place.
fn lift_rule(
    document: &mut DocumentMut,
    rule: &Rule,
    entry: &Entry,
    file: &Path,
) -> Result<(), LibraryError> {
    let address = entry.address();
    let (mut removed, mut stays) = (false, false);
    if let Some(rules) = document.get_mut("skill").and_then(Item::as_array_of_tables_mut) {
        rules.retain(|table| {
            let (by_name, by_path) = is_about(table, entry);
            let goes = by_path || by_name && matches!(rule, Rule::Name(_));
            removed |= goes;
            stays |= by_name && !goes;
            !goes
        });
        if rules.is_empty() {
            document.remove("skill");
        }
    }
    let fix = if stays { "skillful enable --project" } else { "skillful enable" };
    if removed && !stays {
        return Ok(());
    }
    let message = if stays {
        format!("a rule of this repository disables every skill named `{address}`")
    } else {
        format!("this repository has no rule that disables `{address}`")
    };
    let cause = format!("`{}` can disable skills and never enable them", file.display());
    Err(LibraryError::usage(message).cause(cause).fix(format!("{fix} {address}")))
}

/// Replaces the rules about a skill; the new one comes last, where it counts.
fn set_rule(document: &mut DocumentMut, rule: &Rule, entry: &Entry, enabled: bool, is_proposed: bool) {
    let item = document.entry("skill").or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
    if item.as_array_of_tables().is_none() {
        *item = Item::ArrayOfTables(ArrayOfTables::new());
    }
    let Some(rules) = item.as_array_of_tables_mut() else { return };
    let mut has_name_rule = false;
    rules.retain(|table| {
        let (by_name, by_path) = is_about(table, entry);
        has_name_rule |= by_name;
        match rule {
            // A name means every skill of it, so that an older rule about the path does not disagree.
            Rule::Name(_) => !by_name && !by_path,
            Rule::Path(_) => !by_path,
        }
    });
    // Skills are enabled anyway; a rule by path may have to beat one by name, and enables a proposed skill.
    let is_needed = matches!(rule, Rule::Path(_)) && (has_name_rule || is_proposed);
    if enabled && !is_needed {
        if rules.is_empty() {
            document.remove("skill");
        }
        return;
    }
    let mut table = Table::new();
    match rule {
        Rule::Name(name) => table["name"] = value(name),
        Rule::Path(path) => table["path"] = value(path.display().to_string()),
    }
    table["enabled"] = value(enabled);
    rules.push(table);
}

/// Writes a configuration file: the old or the new one is there at every moment.
pub(super) fn write_settings(file: &Path, text: &str, within: Option<&Boundary>) -> Result<(), LibraryError> {
    std::fs::create_dir_all(file.parent().unwrap_or(Path::new("/")))
        .and_then(|()| bounded::replace(file, text.as_bytes(), 0o644, within))
        .map_err(LibraryError::io(format!("write `{}`", file.display())))
}
