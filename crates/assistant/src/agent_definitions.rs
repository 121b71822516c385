//! Agent definitions (`.claude/agents/NAME.md`): the instructions of the sub-agent of a skill with `agent: NAME`, which
//! tools it has, which skills it begins with and which model answers. Those of a project count when the user trusts it.

use crate::project;
use skillful::Workspace;
use skillful_catalog::bounded::{self, Boundary};
use skillful_format::{Document, Sidecars, ToolGrant, yaml::Data};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// Below the home and below each folder of a project, the nearest first.
const FOLDER: &str = ".claude/agents";
/// Most files of one folder.
const FILES: usize = 200;
/// A larger file is not read.
const FILE_LIMIT: u64 = 64 << 10;
/// Tools of the built-in agents that only look.
const LOOKING: [&str; 7] =
    ["read_file", "list_dir", "glob", "grep", "web_fetch", "web_search", "update_plan"];

/// One definition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentDefinition {
    /// Instructions besides those of the skill.
    pub instructions: String,
    /// The tools it has; all of them when `None`.
    pub tools: Option<Vec<ToolGrant>>,
    /// The tools and skills that it must not use.
    pub disallowed: Vec<ToolGrant>,
    /// Skills that are loaded when it begins.
    pub skills: Vec<String>,
    /// The model that answers, unless the skill names one.
    pub model: Option<String>,
}

/// The definitions by name, and what could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentDefinitions {
    known: BTreeMap<String, AgentDefinition>,
    /// Files that were not read, each with the rest of a sentence about it.
    pub notes: Vec<(PathBuf, String)>,
}

/// The folders of definitions from the root of a project down to a folder.
pub(crate) fn folders_down(project: &Path, folder: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<&Path> =
        folder.ancestors().take_while(|folder| folder.starts_with(project)).collect();
    folders.reverse();
    folders.into_iter().map(|folder| folder.join(FOLDER)).filter(|folder| folder.is_dir()).collect()
}

impl AgentDefinitions {
    /// Reads them: the built-in ones, those of the user, and those of a trusted project.
    pub fn of(workspace: &Workspace) -> Self {
        let mut all = Self::default();
        let looking = LOOKING.map(|name| ToolGrant { name: name.to_owned(), pattern: None });
        for (name, tools) in
            [("general-purpose", None), ("Explore", Some(&looking)), ("Plan", Some(&looking))]
        {
            let tools = tools.map(|tools| tools.to_vec());
            all.known.insert(name.to_owned(), AgentDefinition { tools, ..AgentDefinition::default() });
        }
        let environment = workspace.environment();
        all.read(&environment.home.join(FOLDER), None);
        let project = workspace.catalog().project.clone();
        let within = Boundary::of(&project);
        for folder in folders_down(&project, &environment.cwd) {
            if project::is_trusted(workspace) {
                all.read(&folder, Some(&within));
            } else {
                all.notes.push((folder, project::UNTRUSTED.to_owned()));
            }
        }
        all
    }

    /// The definition of a name, and the names there are when it has none.
    pub(crate) fn get(&self, name: &str) -> Result<&AgentDefinition, String> {
        self.known.get(name).ok_or_else(|| {
            let names: Vec<&str> = self.known.keys().map(String::as_str).collect();
            format!("no agent is called `{name}`; there are {}", names.join(", "))
        })
    }

    fn read(&mut self, folder: &Path, within: Option<&Boundary>) {
        let Ok(files) = std::fs::read_dir(folder) else { return };
        let mut files: Vec<PathBuf> = files.flatten().take(FILES).map(|file| file.path()).collect();
        files.sort();
        for file in files.into_iter().filter(|file| file.extension().is_some_and(|ending| ending == "md")) {
            let text = match bounded::read_text(&file, FILE_LIMIT, within) {
                Ok(text) => text,
                Err(error) => {
                    self.notes.push((file, format!("was not read: {error}")));
                    continue;
                }
            };
            let document = Document::read_text(&text, &Sidecars::default());
            let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            let name = document.manifest.name.clone().unwrap_or(stem);
            let field = |name: &str| document.manifest.extra.iter().find(|(key, _)| key == name);
            let definition = AgentDefinition {
                instructions: text[document.body.clone()].trim().to_owned(),
                tools: field("tools").and_then(|(_, value)| grants(value)),
                disallowed: field("disallowedTools").map(|(_, value)| bans(value)).unwrap_or_default(),
                skills: field("skills").map(|(_, value)| names(value)).unwrap_or_default(),
                model: document.manifest.model.clone().filter(|model| model != "inherit"),
            };
            self.known.insert(name, definition);
        }
    }
}

/// A list of tools, as a text or as a list. An entry that cannot be read gives nothing.
fn grants(value: &Data) -> Option<Vec<ToolGrant>> {
    let words: Vec<&str> = match value {
        Data::Null => return None,
        Data::Text(text) if text.trim() == "*" => return None,
        Data::Text(text) => ToolGrant::split(text),
        Data::List(all) => all
            .iter()
            .filter_map(|one| if let Data::Text(text) = one { Some(text.as_str()) } else { None })
            .collect(),
        _ => Vec::new(),
    };
    Some(words.into_iter().filter_map(ToolGrant::parse).collect())
}

/// A list of what is forbidden. An entry that cannot be read forbids everything that it could mean.
fn bans(value: &Data) -> Vec<ToolGrant> {
    let read = |text: &str| ToolGrant::parse(text).unwrap_or_else(|| ToolGrant::widest(text));
    match value {
        Data::Null => Vec::new(),
        Data::Text(text) => ToolGrant::split(text).into_iter().map(read).collect(),
        Data::List(all) => {
            let words = all.iter().map(|one| if let Data::Text(text) = one { text.as_str() } else { "" });
            words.map(read).collect()
        }
        _ => vec![ToolGrant::widest("")],
    }
}

/// A list of names, as a text or as a list.
fn names(value: &Data) -> Vec<String> {
    match value {
        Data::Text(text) => ToolGrant::split(text).into_iter().map(str::to_owned).collect(),
        Data::List(all) => all
            .iter()
            .filter_map(|one| if let Data::Text(text) = one { Some(text.clone()) } else { None })
            .collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_tools_that_cannot_be_read_gives_none() {
        let names =
            |value: &Data| grants(value).map(|all| all.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(names(&Data::Null), None);
        assert_eq!(names(&Data::Text("*".to_owned())), None);
        assert_eq!(names(&Data::Text("Read, Bash(git *)".to_owned())).unwrap(), ["Read", "Bash(git *)"]);
        let list = Data::List(vec![Data::Text("Grep".to_owned()), Data::Bool(true)]);
        assert_eq!(names(&list).unwrap(), ["Grep"]);
        assert_eq!(names(&Data::Bool(true)).unwrap(), Vec::<String>::new());
    }

    #[test]
    fn what_forbids_and_cannot_be_read_forbids_everything_that_it_could_mean() {
        let words = |value: &Data| bans(value).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert!(words(&Data::Null).is_empty());
        assert_eq!(words(&Data::Text("Write, Skill(a*)".to_owned())), ["Write", "Skill(a*)"]);
        assert_eq!(
            words(&Data::List(vec![Data::Text("Bash(rm".to_owned()), Data::Bool(true)])),
            ["Bash", "*"]
        );
        assert_eq!(words(&Data::Bool(true)), ["*"]);
    }

    #[test]
    fn names_are_a_text_or_a_list() {
        assert_eq!(names(&Data::Text("a, b".to_owned())), ["a", "b"]);
        assert_eq!(names(&Data::List(vec![Data::Text("a".to_owned()), Data::Bool(true)])), ["a"]);
    }
}
