//! Answers that need no answer: what sources offer, and the agents of this machine.

use super::Page;
use crate::{
    job::Plan,
    text::{count, thousands},
    theme::{Role, Theme},
};
use skillful::{
    agent_sets::AgentSets,
    library::SourceAnswers,
    shell_word::shell_word,
    views::source::OfferedState,
    visible::{sentence, short_path},
};
use std::path::Path;

/// Skills of sources that are shown.
const OFFERED: usize = 20;
/// The column of what is said about an agent.
const ABOUT: usize = 16;

/// The skills of sources that match some words, each with the command that installs it.
pub(crate) fn offered(words: &str, answers: &SourceAnswers, width: u16, theme: Theme) -> Plan {
    let mut page = Page::new(theme, width);
    let found = answers.search(words, OFFERED);
    for skill in &found {
        let state = match skill.state {
            OfferedState::New => "",
            OfferedState::Installed => "   installed",
            OfferedState::Update => "   update available",
            OfferedState::Pending => "   pending review",
            OfferedState::Elsewhere => "   installed from another source",
        };
        let version = skill.version.as_deref().map_or_else(String::new, |version| format!(" {version}"));
        page.sentence(&format!("{}   {}{version}{state}", skill.name, skill.source_label), Role::Heading);
        page.labelled("", &skill.description, 2, Role::Plain);
        page.labelled("", &format!("skillful add {}", shell_word(&skill.source)), 2, Role::Action);
        page.blank();
    }
    if found.is_empty() {
        page.sentence("No skill of a source matches these words.", Role::Plain);
    }
    for source in &answers.unreachable {
        page.sentence(&format!("source {}: {}", source.label, source.why), Role::Attention);
    }
    let title = format!("{} in your sources for \"{}\"", count(found.len(), "skill"), sentence(words));
    Plan { title, lines: page.lines, deed: None, yes: String::new() }
}

/// The agents found here: how many skills each loads and misses, and the folders it reads.
pub(crate) fn agents(sets: &AgentSets<'_>, folders: (&Path, &Path), width: u16, theme: Theme) -> Plan {
    let mut page = Page::new(theme, width);
    for set in &sets.agents {
        let missed = sets.missed(&set.profile.id).len();
        page.sentence(&set.profile.title, Role::Heading);
        page.labelled("  loads", &thousands(set.view.seen.len()), ABOUT, Role::Plain);
        let role = if missed > 0 { Role::Attention } else { Role::Plain };
        page.labelled("  misses", &thousands(missed), ABOUT, role);
        let present = set.view.roots.iter().filter(|root| root.present);
        let read: Vec<String> = present.map(|root| short_path(&root.path, folders.0, folders.1)).collect();
        page.labelled("  reads", &read.join("  "), ABOUT, Role::Plain);
        let command = format!("skillful view --agent {}", set.profile.id);
        page.labelled("  why, and fix", &command, ABOUT, Role::Action);
        page.blank();
    }
    if sets.agents.is_empty() {
        page.sentence("No agent was found on this machine and in this folder.", Role::Plain);
    }
    let title = format!("{} found here", count(sets.agents.len(), "agent"));
    Plan { title, lines: page.lines, deed: None, yes: String::new() }
}
