//! Settings of other agents that Skillful writes for its user: its own MCP server, and the agent's switch for a skill.
//!
//! A plan holds the whole file before and after, and is carried out only while the file is as it was. Taking the server
//! away again restores the bytes that were there, when the file is still what Skillful wrote.

use super::{Library, LibraryError};
use crate::{
    settings_edit::{EditError, SettingsPlace},
    views::{PathText, SCHEMA},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use skillful_catalog::{
    AgentProfile,
    bounded::{self, ReadError},
    profile::{ServerForm, SettingsFile, SwitchForm},
};
use skillful_format::{Digest, digest_bytes};
use std::{
    fs, io,
    os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

/// A larger file of settings is not changed.
const SETTINGS_LIMIT: u64 = 8 << 20;
/// The name of our server in every agent.
pub const SERVER_NAME: &str = "skillful";

/// A change of an agent's settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AgentSettingsChange {
    /// The version of this object.
    pub schema: u32,
    /// The agent.
    pub agent: String,
    /// Its name for users.
    pub title: String,
    /// The file.
    pub file: PathText,
    /// The lines that change: `-` removed, `+` added.
    pub difference: Vec<String>,
    /// Whether the file is so already.
    pub done_before: bool,
    /// Whether the change was written.
    pub applied: bool,
    /// The command that takes it back.
    pub undo: String,
    #[serde(skip)]
    before: Option<String>,
    /// `None`: the file is removed.
    #[serde(skip)]
    after: Option<String>,
    #[serde(skip)]
    keeps_record: bool,
}

/// What a file was before Skillful wrote it.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct BeforeRecord {
    file: PathBuf,
    before: Option<String>,
    after: Digest,
}

impl Library<'_> {
    /// Plans to add our MCP server to an agent's settings. `program` is the path or the name of the program.
    pub fn plan_mcp_install(
        &self,
        agent: &AgentProfile,
        program: &str,
    ) -> Result<AgentSettingsChange, LibraryError> {
        let rule = agent.mcp.servers.as_ref().ok_or_else(|| self.no_servers(agent))?;
        let file = self.settings_file(agent, &rule.file)?;
        let text = read(&file)?;
        let place = SettingsPlace { format: rule.file.format, key: &rule.key };
        let server = match rule.form {
            ServerForm::CommandAndArgs => json!({"command": program, "args": ["mcp"]}),
            ServerForm::StdioAndArgs => json!({"type": "stdio", "command": program, "args": ["mcp"]}),
            ServerForm::LocalList => json!({"type": "local", "command": [program, "mcp"], "enabled": true}),
        };
        let failed = |error: EditError| not_changed(&file, &error);
        let now: Option<Json> =
            place.get(text.as_deref().unwrap_or_default(), SERVER_NAME).map_err(failed)?;
        let undo = format!("skillful mcp uninstall --agent {}", agent.id);
        if now.as_ref() == Some(&server) {
            return Ok(AgentSettingsChange::new(agent, &file, text.clone(), text, undo));
        }
        let after = place.set(text.as_deref().unwrap_or_default(), SERVER_NAME, &server).map_err(failed)?;
        let change = AgentSettingsChange::new(agent, &file, text, Some(after), undo);
        Ok(AgentSettingsChange { keeps_record: true, ..change })
    }

    /// Plans to take our MCP server out of an agent's settings.
    pub fn plan_mcp_uninstall(&self, agent: &AgentProfile) -> Result<AgentSettingsChange, LibraryError> {
        let rule = agent.mcp.servers.as_ref().ok_or_else(|| self.no_servers(agent))?;
        let file = self.settings_file(agent, &rule.file)?;
        let text = read(&file)?;
        let undo = format!("skillful mcp install --agent {}", agent.id);
        let unchanged = |text: Option<String>| {
            Ok(AgentSettingsChange::new(agent, &file, text.clone(), text, undo.clone()))
        };
        let Some(text) = text else { return unchanged(None) };
        if let Some(record) = self
            .before_record(agent)
            .filter(|record| record.file == file && record.after == digest_bytes(text.as_bytes()))
        {
            return Ok(AgentSettingsChange::new(agent, &file, Some(text), record.before, undo));
        }
        let place = SettingsPlace { format: rule.file.format, key: &rule.key };
        match place.remove(&text, SERVER_NAME).map_err(|error| not_changed(&file, &error))? {
            Some(after) => Ok(AgentSettingsChange::new(agent, &file, Some(text), Some(after), undo)),
            None => unchanged(Some(text)),
        }
    }

    /// Plans to disable or enable skills in an agent's own settings.
    pub fn plan_agent_switch(
        &self,
        agent: &AgentProfile,
        names: &[String],
        enabled: bool,
    ) -> Result<AgentSettingsChange, LibraryError> {
        let rule = agent.skill_switch.as_ref().ok_or_else(|| {
            let with: Vec<&str> = self
                .workspace
                .agents()
                .iter()
                .filter(|one| one.skill_switch.is_some())
                .map(|one| one.id.as_str())
                .collect();
            LibraryError::new(format!(
                "{} has no switch for single skills that Skillful can set",
                agent.title
            ))
            .cause(format!("agents with one: {}", with.join(", ")))
        })?;
        let file = self.settings_file(agent, &rule.file)?;
        let before = read(&file)?;
        let place = SettingsPlace { format: rule.file.format, key: &rule.key };
        let mut text = before.clone().unwrap_or_default();
        for name in names {
            if matches!(rule.form, SwitchForm::Word(_)) && name.contains(['*', '?']) {
                let why = format!("{} reads it as a pattern that means other skills as well", agent.title);
                return Err(LibraryError::new(format!("the name `{name}` cannot be switched")).cause(why));
            }
            let changed = match &rule.form {
                SwitchForm::Names => place.list(&text, name, !enabled),
                SwitchForm::Rules => place.rule(&text, name, !enabled),
                SwitchForm::Word(word) => place.word(&text, name, word, !enabled),
            };
            if let Some(changed) = changed.map_err(|error| not_changed(&file, &error))? {
                text = changed;
            }
        }
        let verb = if enabled { "disable" } else { "enable" };
        let words: Vec<String> = names.iter().map(|name| crate::shell_word::shell_word(name)).collect();
        let undo = format!("skillful {verb} {} --agent {}", words.join(" "), agent.id);
        let after = if text.is_empty() && before.is_none() { None } else { Some(text) };
        Ok(AgentSettingsChange::new(agent, &file, before, after, undo))
    }

    /// Writes a change, while the file is as it was.
    pub fn apply_agent_settings(&self, change: &mut AgentSettingsChange) -> Result<(), LibraryError> {
        if change.done_before {
            return Ok(());
        }
        let file = change.file.to_path_buf();
        if read(&file)? != change.before {
            return Err(LibraryError::new(format!(
                "`{}` changed while it was planned; nothing was written",
                file.display()
            ))
            .fix("run the command again"));
        }
        let failed = || LibraryError::io(format!("write `{}`", file.display()));
        let record = self.record_file(&change.agent);
        match &change.after {
            None => fs::remove_file(&file).map_err(failed())?,
            Some(text) => {
                if change.keeps_record {
                    let before = BeforeRecord {
                        file: file.clone(),
                        before: change.before.clone(),
                        after: digest_bytes(text.as_bytes()),
                    };
                    write_private(&record, &serde_json::to_string(&before).map_err(LibraryError::new)?)
                        .map_err(LibraryError::io(format!("write `{}`", record.display())))?;
                }
                replace(&file, text).map_err(failed())?;
            }
        }
        if !change.keeps_record && change.undo.contains("mcp install") {
            let _none = fs::remove_file(&record);
        }
        change.applied = true;
        Ok(())
    }

    fn no_servers(&self, agent: &AgentProfile) -> LibraryError {
        let with: Vec<&str> = self
            .workspace
            .agents()
            .iter()
            .filter(|one| one.mcp.servers.is_some())
            .map(|one| one.id.as_str())
            .collect();
        LibraryError::new(format!("Skillful does not know where {} lists its MCP servers", agent.title))
            .cause(format!("agents that it knows: {}", with.join(", ")))
            .fix("add the server by hand: the command is `skillful mcp`")
    }

    /// The file that exists, or the one that is made.
    fn settings_file(&self, agent: &AgentProfile, rule: &SettingsFile) -> Result<PathBuf, LibraryError> {
        let environment = self.workspace.environment();
        // A value that is relative to the working folder is set for that folder alone, and the file may be of a repository.
        let resolved = rule.path.resolve_anywhere(&environment.home, &|name| environment.set_variable(name));
        let file = resolved.ok_or_else(|| {
            LibraryError::new(format!("the settings of {} are in no folder that is known here", agent.title))
                .cause(format!("`{}` depends on the working folder", rule.path.shown()))
                .fix("set the variable to an absolute path, or unset it")
        })?;
        let others = rule.beside.iter().map(|name| file.with_file_name(name));
        let found = std::iter::once(file.clone()).chain(others).find(|file| file.exists()).unwrap_or(file);
        // A link is followed, so that it stays a link.
        Ok(found.canonicalize().unwrap_or(found))
    }

    fn record_file(&self, agent: &str) -> PathBuf {
        self.workspace.paths().data.join("agent-settings").join(format!("{agent}.json"))
    }

    fn before_record(&self, agent: &AgentProfile) -> Option<BeforeRecord> {
        let text = bounded::read_text(&self.record_file(&agent.id), SETTINGS_LIMIT * 2, None).ok()?;
        serde_json::from_str(&text).ok()
    }
}

impl AgentSettingsChange {
    fn new(
        agent: &AgentProfile,
        file: &Path,
        before: Option<String>,
        after: Option<String>,
        undo: String,
    ) -> Self {
        Self {
            schema: SCHEMA,
            agent: agent.id.clone(),
            title: agent.title.clone(),
            file: file.into(),
            difference: difference(
                before.as_deref().unwrap_or_default(),
                after.as_deref().unwrap_or_default(),
            ),
            done_before: before == after,
            applied: false,
            undo,
            before,
            after,
            keeps_record: false,
        }
    }
}

impl AgentSettingsChange {
    /// The change that writes the file as it was before.
    pub(super) fn reversed(self) -> Self {
        Self {
            difference: difference(
                self.after.as_deref().unwrap_or_default(),
                self.before.as_deref().unwrap_or_default(),
            ),
            before: self.after,
            after: self.before,
            applied: false,
            ..self
        }
    }
}

fn not_changed(file: &Path, error: &EditError) -> LibraryError {
    LibraryError::new(format!("`{}` was not changed: {error}", file.display())).fix("repair the file first")
}

fn read(file: &Path) -> Result<Option<String>, LibraryError> {
    match bounded::read_text(file, SETTINGS_LIMIT, None) {
        Ok(text) => Ok(Some(text)),
        Err(ReadError::Missing) => Ok(None),
        Err(error) => Err(LibraryError::io(format!("read `{}`", file.display()))(error.into())),
    }
}

/// The lines between those that both texts begin and end with.
fn difference(before: &str, after: &str) -> Vec<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let start = old.iter().zip(&new).take_while(|(one, other)| one == other).count();
    let most = old.len().min(new.len()) - start;
    let end =
        old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(one, other)| one == other).count();
    let removed = old[start..old.len() - end].iter().map(|line| format!("- {line}"));
    let added = new[start..new.len() - end].iter().map(|line| format!("+ {line}"));
    removed.chain(added).collect()
}

/// The old or the new file is there at every moment, with the permissions that it had.
fn replace(file: &Path, text: &str) -> io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(folder)?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let staged = folder.join(format!(".{name}.skillful-{}", std::process::id()));
    let mode = fs::metadata(file).map_or(0o600, |known| known.permissions().mode() & 0o777);
    let written = write_with(&staged, text, mode).and_then(|()| fs::rename(&staged, file));
    if written.is_err() {
        let _gone = fs::remove_file(&staged);
    }
    written
}

fn write_private(file: &Path, text: &str) -> io::Result<()> {
    fs::create_dir_all(file.parent().unwrap_or(Path::new("/")))?;
    let _old = fs::remove_file(file);
    write_with(file, text, 0o600)
}

fn write_with(file: &Path, text: &str, mode: u32) -> io::Result<()> {
    let mut out = fs::OpenOptions::new().write(true).create_new(true).mode(mode).open(file)?;
    io::Write::write_all(&mut out, text.as_bytes())?;
    out.set_permissions(fs::Permissions::from_mode(mode))
}
