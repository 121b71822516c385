//! Which folders a skill is copied to, so that several agents read it: the fewest that every chosen agent reads
//! exactly once. Agents read folders of each other, and some list a skill twice when they find it twice.

use super::InstallError;
use skillful_format::TreePath;
use std::collections::BTreeSet;

/// The folders in which one agent reads skills at a site, the preferred one first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadFolders {
    /// The agent.
    pub agent: String,
    /// Whether the skill is installed for this agent.
    pub chosen: bool,
    /// Whether the agent lists a skill once for each copy that it finds.
    pub lists_each: bool,
    /// The folders.
    pub folders: Vec<TreePath>,
}

impl ReadFolders {
    fn reads(&self, folders: &[TreePath]) -> usize {
        self.folders.iter().filter(|folder| folders.contains(folder)).count()
    }
}

/// Steps of the search; more than any set of real agents needs.
const STEPS: usize = 50_000;

/// The folders for new copies of a skill that is already in some. An agent that already reads it needs no other copy.
/// Among equally few copies the earlier preferred folders win.
pub fn choose_folders(readers: &[ReadFolders], already: &[TreePath]) -> Result<Vec<TreePath>, InstallError> {
    // Exactly once for all; else only for agents that would list it twice; else not at all.
    for strict in [true, false] {
        let mut search = Search { readers, already, strict, best: None, steps: 0 };
        search.from(&mut Vec::new());
        if let Some(best) = search.best {
            return Ok(best);
        }
    }
    let agents: Vec<&str> = readers.iter().filter(|one| one.chosen).map(|one| one.agent.as_str()).collect();
    let shares = |reader: &&ReadFolders| {
        let other =
            |one: &ReadFolders| one.chosen && one.agent != reader.agent && one.reads(&reader.folders) > 0;
        reader.lists_each && (reader.chosen || reader.reads(already) > 0) && readers.iter().any(other)
    };
    let twice = readers.iter().find(shares);
    let folders = twice.map(|one| one.folders.iter().map(ToString::to_string).collect::<Vec<_>>());
    Err(InstallError::ListedTwice {
        agent: twice.map_or_else(String::new, |reader| reader.agent.clone()),
        folders: folders.unwrap_or_default().join(", "),
        agents: agents.join(", "),
    })
}

struct Search<'a> {
    readers: &'a [ReadFolders],
    already: &'a [TreePath],
    strict: bool,
    best: Option<Vec<TreePath>>,
    steps: usize,
}

impl Search<'_> {
    /// Completes a choice: the agent with the fewest folders that does not read it yet takes each of them in turn.
    fn from(&mut self, chosen: &mut Vec<TreePath>) {
        self.steps += 1;
        if self.steps > STEPS || self.best.as_ref().is_some_and(|best| chosen.len() >= best.len()) {
            return;
        }
        let here = [self.already, chosen.as_slice()].concat();
        let reads = |reader: &ReadFolders| reader.reads(&here);
        let waiting = self.readers.iter().filter(|reader| reader.chosen && reads(reader) == 0);
        let Some(next) = waiting.min_by_key(|reader| reader.folders.len()) else {
            self.best = Some(chosen.clone());
            return;
        };
        for folder in &next.folders {
            let breaks = |reader: &ReadFolders| {
                let counts = reader.lists_each || self.strict && reader.chosen;
                counts && reader.folders.contains(folder) && reads(reader) > 0
            };
            if self.readers.iter().any(breaks) {
                continue;
            }
            chosen.push(folder.clone());
            self.from(chosen);
            chosen.pop();
        }
    }
}

/// The folders that hold every one of some skills already.
pub fn common_folders<'l>(places: impl IntoIterator<Item = Vec<&'l TreePath>>) -> Vec<TreePath> {
    let folder = |place: &TreePath| place.as_str().rsplit_once('/').map(|(folder, _)| folder.to_owned());
    let sets = places.into_iter().map(|places| places.into_iter().filter_map(folder).collect());
    let common: BTreeSet<String> = sets.reduce(|a: BTreeSet<String>, b| &a & &b).unwrap_or_default();
    common
        .iter()
        .filter_map(|folder| TreePath::new(folder, &skillful_format::Limits::default()).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use skillful_format::Limits;

    fn path(text: &str) -> TreePath {
        TreePath::new(text, &Limits::default()).unwrap()
    }

    /// The folders of real agents for a project.
    fn reader(agent: &str, chosen: bool) -> ReadFolders {
        let (lists_each, folders): (bool, &[&str]) = match agent {
            "claude-code" => (false, &[".claude"]),
            "codex" => (true, &[".codex", ".agents"]),
            "opencode" => (false, &[".agents", ".opencode", ".claude"]),
            "gemini-cli" => (false, &[".agents", ".gemini"]),
            _ => (false, &[".agents", ".cursor", ".claude", ".codex"]),
        };
        let folders = folders.iter().map(|folder| path(&format!("{folder}/skills"))).collect();
        ReadFolders { agent: agent.to_owned(), chosen, lists_each, folders }
    }

    fn chosen(agents: &str, already: &[&str]) -> String {
        let wanted: Vec<&str> = agents.split(' ').collect();
        let readers: Vec<ReadFolders> = ["claude-code", "codex", "opencode", "gemini-cli", "cursor"]
            .map(|agent| reader(agent, wanted.contains(&agent)))
            .to_vec();
        let already: Vec<TreePath> = already.iter().map(|folder| path(&format!("{folder}/skills"))).collect();
        match choose_folders(&readers, &already) {
            Ok(folders) => {
                let short = |folder: &TreePath| folder.as_str().trim_end_matches("/skills").to_owned();
                folders.iter().map(short).collect::<Vec<_>>().join(" ")
            }
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn the_fewest_copies_that_every_agent_reads_exactly_once() {
        for (agents, already, folders) in [
            ("codex gemini-cli", [].as_slice(), ".agents"),
            ("claude-code opencode", &[], ".claude"),
            ("claude-code codex", &[], ".claude .codex"),
            ("claude-code codex opencode", &[], ".claude .codex"),
            ("claude-code codex gemini-cli", &[], ".claude .agents"),
            ("codex opencode gemini-cli", &[], ".agents"),
            ("codex opencode gemini-cli cursor", &[], ".agents"),
            ("claude-code codex opencode gemini-cli", &[], ".claude .codex .gemini"),
            // Cursor reads every folder of the other two, and lists a skill once however often it finds it.
            ("claude-code codex cursor", &[], ".claude .codex"),
            // What is installed already counts.
            ("gemini-cli", &[".agents"], ""),
            ("gemini-cli", &[".codex"], ".gemini"),
            ("cursor", &[".claude"], ""),
        ] {
            assert_eq!(chosen(agents, already), folders, "{agents} {already:?}");
        }
    }

    #[test]
    fn a_plan_that_would_list_a_skill_twice_is_refused() {
        let mut readers = vec![reader("claude-code", true), reader("codex", true)];
        readers[1].folders = vec![path(".claude/skills"), path(".codex/skills")];
        readers[1].lists_each = true;
        readers.push(ReadFolders {
            agent: "other".to_owned(),
            folders: vec![path(".codex/skills")],
            ..readers[0].clone()
        });
        let refused = choose_folders(&readers, &[]).unwrap_err().to_string();
        assert!(refused.contains("`codex`") && refused.contains(".codex/skills"), "{refused}");
    }

    proptest! {
        #[test]
        fn the_choice_is_as_small_as_any_other(
            sets in prop::collection::vec((any::<bool>(), any::<bool>(), prop::collection::btree_set(0..6usize, 1..4)), 1..6),
            there in prop::collection::btree_set(0..6usize, 0..2),
        ) {
            let folder = |at: &usize| path(&format!("f{at}/skills"));
            let readers: Vec<ReadFolders> = sets.iter().enumerate().map(|(at, (chosen, lists_each, folders))| ReadFolders {
                agent: format!("a{at}"), chosen: *chosen, lists_each: *lists_each, folders: folders.iter().map(folder).collect(),
            }).collect();
            let already: Vec<TreePath> = there.iter().map(folder).collect();
            // Every subset of the folders, by brute force.
            let fits = |set: &[TreePath], strict: bool| readers.iter().all(|reader| {
                let (new, old) = (reader.reads(set), reader.reads(&already));
                let once = (new == 0 || new + old == 1) || !(reader.lists_each || strict && reader.chosen);
                once && (!reader.chosen || new + old > 0)
            });
            let subsets = |strict| (0..64usize).map(|bits| (0..6).filter(|at| bits >> at & 1 == 1).map(|at| folder(&at)).collect::<Vec<_>>())
                .filter(|set| fits(set, strict)).map(|set| set.len()).min();
            let least = subsets(true).or_else(|| subsets(false));
            prop_assert_eq!(choose_folders(&readers, &already).ok().map(|set| set.len()), least);
        }
    }
}
