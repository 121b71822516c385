//! One tool, many names: `Bash`, `shell`, `exec_command` are all `run_command`.

use std::collections::{BTreeMap, BTreeSet};

/// Tools that bring skills in. No list can close them, or a turn could not leave a skill.
pub const LOADER_TOOLS: [&str; 6] =
    ["use_skill", "read_skill_file", "skills_list", "list_skills", "search_skills", "skill_transition"];

/// Names that authors use whatever the agent. An agent's own table comes first.
const COMMON: [(&str, &[&str]); 15] = [
    ("run_command", &["bash", "shell", "terminal", "powershell", "execute", "run_shell_command"]),
    ("read_file", &["read", "view", "cat"]),
    ("write_file", &["write", "create"]),
    ("edit_file", &["edit", "multiedit", "notebookedit", "str_replace"]),
    ("list_dir", &["ls", "list"]),
    ("glob", &[]),
    ("grep", &[]),
    ("web_fetch", &["webfetch"]),
    ("web_search", &["websearch"]),
    ("use_skill", &["skill"]),
    ("read_skill_file", &[]),
    ("skills_list", &[]),
    ("list_skills", &[]),
    ("search_skills", &[]),
    ("skill_transition", &[]),
];

/// The names of an agent's tools, read in both directions and in any case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Aliases {
    ours: BTreeMap<String, BTreeSet<String>>,
}

impl Aliases {
    /// The table of an agent (`agent.tools`), and names of further tools that exist in this run.
    pub fn of(tools: &BTreeMap<String, Vec<String>>, further: &[String]) -> Self {
        let mut table = Self::default();
        for (ours, theirs) in tools {
            for name in theirs {
                table.put(name, ours);
            }
        }
        // An agent may call one tool by the name of another of ours; the agent's name counts.
        for (ours, names) in COMMON {
            for name in names.iter().chain([&ours]) {
                if !table.ours.contains_key(&key(name)) {
                    table.put(name, ours);
                }
            }
        }
        for name in tools.keys().chain(further) {
            if !table.ours.contains_key(&key(name)) {
                table.put(name, name);
            }
        }
        table
    }

    fn put(&mut self, name: &str, ours: &str) {
        self.ours.entry(key(name)).or_default().insert(key(ours));
    }

    /// Our names for a tool. More than one when an agent does two things with one tool; none when
    /// it is not known.
    pub fn ours(&self, name: &str) -> BTreeSet<String> {
        self.ours.get(&key(name)).cloned().unwrap_or_default()
    }
}

/// Names are compared without case.
pub(crate) fn key(name: &str) -> String {
    name.trim().to_lowercase()
}
