//! The environment of the tools: folder, grants, and how commands run.

use crate::programs::SkillPrograms;
use skillful_llm::Cancel;
use skillful_runtime::room::{Grants, Run};
use std::{collections::BTreeMap, path::PathBuf};

/// The environment in which the tools of a turn work.
#[derive(Clone, Debug)]
pub struct ToolEnvironment<'a> {
    /// Base of relative paths; a real path.
    pub folder: PathBuf,
    /// The project: the repository around the folder, else the folder; a real path.
    pub project: PathBuf,
    /// The user's home.
    pub home: PathBuf,
    /// Folders of skills, also those that do not exist yet: writing there changes the instructions of agents. Real
    /// paths where they exist.
    pub guarded: Vec<PathBuf>,
    /// Relative paths that instruct agents in any folder: skills, rules, settings, lists of servers.
    pub guarded_names: Vec<PathBuf>,
    /// What the user grants to commands.
    pub grants: &'a Grants,
    /// Variables for commands, exported by active skills; never secrets.
    pub environment: BTreeMap<String, String>,
    /// Whether commands may use the network without requesting it.
    pub network: bool,
    /// Runs commands; `None` when commands are off.
    pub run: Option<&'a dyn Run>,
    /// Programs of skills, which commands reach through a socket; `None` when commands are off.
    pub programs: Option<&'a SkillPrograms<'a>>,
    /// Address of the web search; without it there is no such tool.
    pub search: Option<String>,
    /// Set when the user cancels.
    pub cancel: Cancel,
}
