//! Prompts of the assistant, which are files in `prompts/`. The system prompt is the same in every turn of a session
//! while skills and instructions are the same: the prompt caches of providers need equal beginnings.

use crate::setup::TurnSetup;

const SYSTEM: &str = include_str!("../prompts/system.md");
const SKILLS: &str = include_str!("../prompts/skills.md");

/// The system prompt of a session: how to work, the machine, the project's instructions, the menu. Without skills it
/// does not mention them.
pub(crate) fn system(setup: &TurnSetup<'_>, menu: &str, has_skills: bool) -> String {
    let facts = facts(setup);
    let skills = if has_skills { SKILLS } else { "" };
    let parts = [SYSTEM, &facts, setup.instructions.as_str(), skills, menu];
    let parts = parts.into_iter().map(str::trim_end).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("\n\n") + "\n"
}

/// Facts about the machine and the repository that hold for the whole session.
fn facts(setup: &TurnSetup<'_>) -> String {
    let env = &setup.env;
    let mut text = format!(
        "## This machine\n- System: {} on {}\n- Working folder: {}\n",
        std::env::consts::OS,
        std::env::consts::ARCH,
        env.folder.display()
    );
    let repository = if env.project.join(".git").exists() {
        format!("- Git repository: {}\n", env.project.display())
    } else {
        "- The working folder is not in a git repository.\n".to_owned()
    };
    text.push_str(&repository);
    if !setup.today.is_empty() {
        text.push_str(&format!("- Today: {}\n", setup.today));
    }
    text
}

/// Additional instructions of a sub-agent.
pub(crate) const SUB_AGENT: &str = include_str!("../prompts/sub_agent.md");

/// The request for a summary.
pub(crate) const SUMMARISE: &str = include_str!("../prompts/summary.md");
