//! One entry of a tool list, ready to be asked.

use super::{
    address::HostPattern,
    alias::{Aliases, key},
    command::{CommandPattern, wild},
    path::{PathBase, PathPattern},
};
use skillful_format::ToolGrant;
use std::collections::BTreeSet;

/// The tool whose argument is a command.
pub(crate) const COMMANDS: &str = "run_command";
/// The tool that a redirection into a file stands for.
pub(crate) const WRITES: &str = "write_file";
/// The tool that a redirection from a file stands for.
pub(crate) const READS: &str = "read_file";
/// Tools whose argument is a path.
const FILES: [&str; 6] = ["read_file", "write_file", "edit_file", "list_dir", "glob", "grep"];

/// An entry with its names made ours and its pattern read.
#[derive(Clone, Debug)]
pub(crate) struct Grant {
    /// As its author wrote it.
    pub(crate) written: ToolGrant,
    /// Our names for it, or a name with `*`.
    pub(crate) tools: BTreeSet<String>,
    pub(crate) pattern: Pattern,
}

#[derive(Clone, Debug)]
pub(crate) enum Pattern {
    /// Every use of the tool.
    Any,
    Command(CommandPattern),
    Path(PathPattern),
    Host(HostPattern),
    /// The argument itself, with an open end or not.
    Text {
        text: String,
        open_end: bool,
    },
    /// It could not be read: it grants nothing and forbids everything.
    Unreadable,
}

impl Grant {
    /// Reads an entry. `None` when its tool is not known.
    pub(crate) fn read(written: &ToolGrant, aliases: &Aliases, place: &PathBase) -> Option<Self> {
        let mut tools = aliases.ours(&written.name);
        if tools.is_empty() {
            let name = key(&written.name);
            // `mcp__server` and `mcp__server__*` are every tool of that server.
            let server =
                name.strip_prefix("mcp__").map(|rest| rest.trim_end_matches('*').trim_end_matches("__"));
            let server = server.filter(|rest| !rest.is_empty() && !rest.contains('*'));
            match server {
                Some(rest) if !rest.contains("__") => {
                    tools.insert(format!("mcp__{rest}__*"));
                }
                _ if server.is_some() => {
                    tools.insert(name);
                }
                _ => return None,
            }
        }
        let pattern = Pattern::read(written.pattern.as_deref(), &tools, place);
        Some(Self { written: written.clone(), tools, pattern })
    }

    /// The same for what is forbidden: an unknown name, or one with `*`, forbids the tools that match it.
    pub(crate) fn read_ban(written: &ToolGrant, aliases: &Aliases, place: &PathBase) -> Self {
        Self::read(written, aliases, place).unwrap_or_else(|| {
            let tools = BTreeSet::from([key(&written.name)]);
            let pattern = Pattern::read(written.pattern.as_deref(), &tools, place);
            Self { written: written.clone(), tools, pattern }
        })
    }

    /// Whether it covers this tool.
    pub(crate) fn names(&self, tool: &str) -> bool {
        self.tools.iter().any(|name| name == tool || name.contains('*') && wild(name, tool))
    }

    /// Whether everything this lets through is let through by `wider` too, as far as can be proven.
    pub(crate) fn within(&self, wider: &Self) -> bool {
        self.tools.iter().all(|tool| wider.names(tool))
            && match (&self.pattern, &wider.pattern) {
                (_, Pattern::Any) | (Pattern::Unreadable, _) => true,
                (Pattern::Command(narrow), Pattern::Command(wide)) => narrow.within(wide),
                (Pattern::Path(narrow), Pattern::Path(wide)) => narrow.within(wide),
                (Pattern::Host(narrow), Pattern::Host(wide)) => narrow.within(wide),
                (Pattern::Text { .. }, Pattern::Text { .. }) => self.written.pattern == wider.written.pattern,
                _ => false,
            }
    }
}

impl Pattern {
    fn read(pattern: Option<&str>, tools: &BTreeSet<String>, place: &PathBase) -> Self {
        let Some(pattern) = pattern.map(str::trim).filter(|pattern| *pattern != "*") else {
            return Self::Any;
        };
        let any = |names: &[&str]| names.iter().any(|name| tools.contains(*name));
        let read = if any(&[COMMANDS]) {
            CommandPattern::read(pattern).map(Self::Command)
        } else if any(&FILES) {
            PathPattern::read(pattern, place).map(Self::Path)
        } else if any(&["web_fetch"]) {
            HostPattern::read(pattern).map(Self::Host)
        } else {
            let head = pattern.strip_suffix(":*").or_else(|| pattern.strip_suffix(" *"));
            let text = head.unwrap_or(pattern).to_owned();
            (!text.is_empty()).then_some(Self::Text { text, open_end: head.is_some() })
        };
        read.unwrap_or(Self::Unreadable)
    }
}
