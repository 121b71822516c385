//! The events that hooks wait for.

use serde::Serialize;

/// An event of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[expect(missing_docs, reason = "the names say it, and are those that authors write")]
pub enum Event {
    PreToolUse,
    PostToolUse,
    PostToolUseFailure,
    PermissionRequest,
    UserPromptSubmit,
    Notification,
    Stop,
    SubagentStart,
    SubagentStop,
    PreCompact,
    SessionStart,
    SessionEnd,
}

const ALL: [(Event, &str); 12] = [
    (Event::PreToolUse, "PreToolUse"),
    (Event::PostToolUse, "PostToolUse"),
    (Event::PostToolUseFailure, "PostToolUseFailure"),
    (Event::PermissionRequest, "PermissionRequest"),
    (Event::UserPromptSubmit, "UserPromptSubmit"),
    (Event::Notification, "Notification"),
    (Event::Stop, "Stop"),
    (Event::SubagentStart, "SubagentStart"),
    (Event::SubagentStop, "SubagentStop"),
    (Event::PreCompact, "PreCompact"),
    (Event::SessionStart, "SessionStart"),
    (Event::SessionEnd, "SessionEnd"),
];

impl Event {
    /// The event of a name; case does not count, since a guard must not be lost by a letter.
    pub fn named(name: &str) -> Option<Self> {
        ALL.iter().find(|(_, known)| known.eq_ignore_ascii_case(name)).map(|(event, _)| *event)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        ALL.iter().find(|(event, _)| *event == self).map_or("", |(_, name)| name)
    }

    /// Whether something is about to happen that a hook can prevent.
    pub fn is_guard(self) -> bool {
        matches!(self, Self::PreToolUse | Self::PermissionRequest | Self::UserPromptSubmit)
    }

    /// Whether the matcher looks at the name of a tool.
    pub fn is_of_a_tool(self) -> bool {
        matches!(
            self,
            Self::PreToolUse | Self::PostToolUse | Self::PostToolUseFailure | Self::PermissionRequest
        )
    }
}
