//! What the profiles of all agents say to an author: which agents read a field, which limits they set, and what they
//! call their tools.

use crate::{AgentProfile, AgentProfiles, Missing, ToolListMode};
use skillful_format::field::{self, Field};
use std::collections::BTreeMap;

/// Which agents read a field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldReaders<'a> {
    /// The titles of agents in which the field has an effect.
    pub read_by: Vec<&'a str>,
    /// The titles of agents that ignore it.
    pub ignored_by: Vec<&'a str>,
    /// How many agents have fields that are not known.
    pub unknown: usize,
}

/// A name of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolName<'a> {
    /// As written in `allowed-tools`.
    pub name: &'a str,
    /// Skillful's own name for the same tool.
    pub own: &'a str,
    /// The titles of agents that call it so.
    pub agents: Vec<&'a str>,
}

impl AgentProfiles {
    /// Which agents read a field.
    pub fn readers(&self, field: &Field) -> FieldReaders<'_> {
        let mut readers = FieldReaders::default();
        for agent in self.iter() {
            if agent.fields.is_empty() {
                readers.unknown += usize::from(agent.product);
                continue;
            }
            let reads = agent.fields.iter().any(|name| field.is_spelled(name));
            let list = if reads { &mut readers.read_by } else { &mut readers.ignored_by };
            list.push(&agent.title);
        }
        readers
    }

    /// What agents demand of a field beyond the specification, one sentence each.
    pub fn demands(&self, field: &Field) -> Vec<String> {
        self.iter()
            .filter_map(|agent| Some(format!("{}: {}", agent.title, demand(agent, field.name)?)))
            .collect()
    }

    /// Every name of a tool in any agent, by how many agents use it.
    pub fn tool_names(&self) -> Vec<ToolName<'_>> {
        let mut names: BTreeMap<&str, ToolName<'_>> = BTreeMap::new();
        for agent in self.iter() {
            for (own, theirs) in &agent.tools {
                for name in theirs {
                    let tool =
                        names.entry(name).or_insert_with(|| ToolName { name, own, agents: Vec::new() });
                    if !tool.agents.contains(&agent.title.as_str()) {
                        tool.agents.push(&agent.title);
                    }
                }
            }
        }
        let mut names: Vec<ToolName<'_>> = names.into_values().collect();
        names.sort_by(|a, b| b.agents.len().cmp(&a.agents.len()).then(a.name.cmp(b.name)));
        names
    }
}

/// What one agent demands of a field.
fn demand(agent: &AgentProfile, field: &str) -> Option<String> {
    let mut parts: Vec<String> = Vec::new();
    match field {
        "name" => {
            if agent.name.missing == Missing::Refuse {
                parts.push("required".to_owned());
            }
            parts.extend(agent.name.max.map(|max| format!("at most {max} characters")));
            if agent.name.equals_folder {
                parts.push("must be the folder's name".to_owned());
            }
        }
        "description" => {
            match agent.description.missing {
                Missing::Refuse => parts.push("required".to_owned()),
                Missing::Unlisted => parts.push("without it the model does not see the skill".to_owned()),
                Missing::Accept => {}
            }
            parts.extend(agent.description.max.map(|max| format!("at most {max} characters")));
            parts.extend(agent.menu.description.map(|max| format!("cut to {max} characters in the menu")));
        }
        "allowed-tools" => match agent.tool_list {
            ToolListMode::Restrict => parts.push("the skill may use only these tools".to_owned()),
            ToolListMode::Preapprove => parts.push("these tools run without a confirmation".to_owned()),
            ToolListMode::Ignored => {}
        },
        _ => {}
    }
    (!parts.is_empty() && agent.product).then(|| parts.join(", "))
}

/// The field and the part of it that a path of keys means: `["requires", "skills"]`.
pub fn part_of(path: &[&str]) -> Option<(&'static Field, Option<&'static field::FieldPart>)> {
    let (first, rest) = path.split_first()?;
    let field = field::field(first)?;
    let key = match (field.value, rest) {
        // The first key of a `Named` field is a name that the author chose.
        (_, []) | (field::FieldValue::Named(_), [_]) => return Some((field, None)),
        (field::FieldValue::Named(_), [_, key]) | (_, [key]) => key,
        _ => return None,
    };
    let part = field.value.parts().iter().find(|part| part.name == *key)?;
    Some((field, Some(part)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn authors_learn_who_reads_a_field_and_what_tools_are_called() {
        let agents = AgentProfiles::embedded();
        let field = field::field("disable-model-invocation").expect("a field");
        let readers = agents.readers(field);
        assert!(readers.read_by.contains(&"Claude Code"), "{readers:?}");
        assert!(readers.ignored_by.contains(&"Codex"), "{readers:?}");
        let tools = agents.tool_names();
        let bash = tools.iter().find(|tool| tool.name == "Bash").expect("a tool");
        assert!(bash.own == "run_command" && bash.agents.contains(&"Claude Code"), "{bash:?}");
        let name = field::field("name").expect("a field");
        assert!(agents.demands(name).iter().any(|one| one.contains("at most 64 characters")));
    }

    #[test]
    fn every_field_of_a_profile_that_the_table_knows_is_explained() {
        for field in field::FIELDS {
            assert!(field.meaning.ends_with('.') && field.meaning.len() > 20, "{}", field.name);
        }
    }
}
