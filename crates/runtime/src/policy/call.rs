//! A tool about to be used.

/// A tool about to be used. A call that touches several files is several of these.
#[derive(Clone, Copy, Debug)]
pub struct ToolCall<'a> {
    /// The name, the agent's or ours.
    pub tool: &'a str,
    /// What a pattern is compared with.
    pub argument: Argument<'a>,
}

/// What a pattern is compared with.
#[derive(Clone, Copy, Debug)]
pub enum Argument<'a> {
    /// Nothing is known; only a grant without a pattern fits.
    None,
    /// A command for a shell, as it would get it.
    Command(&'a [u8]),
    /// A path, absolute or relative to the working folder.
    Path(&'a str),
    /// An address.
    Url(&'a str),
    /// The name of a skill, or anything else.
    Text(&'a str),
}

impl<'a> ToolCall<'a> {
    /// A call whose argument counts for nothing.
    pub fn bare(tool: &'a str) -> Self {
        Self { tool, argument: Argument::None }
    }

    /// A command for a shell.
    pub fn command(tool: &'a str, command: &'a (impl AsRef<[u8]> + ?Sized)) -> Self {
        Self { tool, argument: Argument::Command(command.as_ref()) }
    }

    /// A file.
    pub fn path(tool: &'a str, path: &'a str) -> Self {
        Self { tool, argument: Argument::Path(path) }
    }

    /// An address.
    pub fn url(tool: &'a str, url: &'a str) -> Self {
        Self { tool, argument: Argument::Url(url) }
    }

    /// Anything else.
    pub fn text(tool: &'a str, text: &'a str) -> Self {
        Self { tool, argument: Argument::Text(text) }
    }
}
