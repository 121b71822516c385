//! What the tools of a turn work in: the folder, what is granted, what holds commands.

use skillful_llm::Cancel;
use skillful_runtime::room::{Grants, Run};
use std::{collections::BTreeMap, path::PathBuf};

/// What the tools of a turn work in.
#[derive(Clone, Debug)]
pub struct Scene<'a> {
    /// Where relative paths start; a real path.
    pub folder: PathBuf,
    /// The project: the repository around the folder, else the folder; a real path.
    pub project: PathBuf,
    /// The person's home.
    pub home: PathBuf,
    /// Folders of skills, as they are and where they would be: whoever writes there changes what agents
    /// are told to do. Real paths where they exist.
    pub guarded: Vec<PathBuf>,
    /// Pairs of folder names that hold skills wherever they lie, such as `.agents/skills`.
    pub guarded_names: Vec<PathBuf>,
    /// What the person allows to commands.
    pub grants: &'a Grants,
    /// Variables that commands get: what active skills export, no secret among them.
    pub environment: BTreeMap<String, String>,
    /// Whether commands may use the network without asking for it.
    pub network: bool,
    /// Who runs commands; nobody when they are switched off.
    pub run: Option<&'a dyn Run>,
    /// Where a search of the web is asked; the tool is absent without it.
    pub search: Option<String>,
    /// Says that nobody waits any more.
    pub cancel: Cancel,
}
