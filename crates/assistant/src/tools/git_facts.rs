//! The state of the repository at the beginning of a session: its branch, what is changed, the last commits.

use super::confine::{Asked, Confined};
use crate::tool_environment::ToolEnvironment;
use std::time::Duration;

/// Shows the state in a few lines. Git runs no program that the repository names.
const COMMAND: &str = "git status --short --branch 2>/dev/null | head -n 30 && echo && \
     git log --oneline --no-decorate -n 5 2>/dev/null";
/// A repository that takes longer is not described.
const TIME: Duration = Duration::from_secs(5);
/// Most bytes of the description.
const LIMIT: usize = 4 << 10;

/// The state of the repository; `None` outside of one, and when git cannot be asked.
pub(crate) fn of(env: &ToolEnvironment<'_>) -> Option<String> {
    if !env.project.join(".git").exists() {
        return None;
    }
    let alone = ToolEnvironment { programs: None, ..env.clone() };
    let room = Confined::new(&alone, COMMAND, &env.folder, Asked::default(), TIME);
    let mut job = room.narrowed();
    // Git only looks.
    job.read_only.append(&mut job.writable);
    let outcome = env.run?.run_until(&job, &|| env.cancel.is_cancelled()).ok()?;
    let text = outcome.stdout.text().trim().to_owned();
    if !outcome.status.success() || text.is_empty() {
        return None;
    }
    let end = text.floor_char_boundary(LIMIT.min(text.len()));
    Some(format!("The repository when this session began (it does not change by itself):\n{}", &text[..end]))
}
