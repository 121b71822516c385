//! Roles and their styles: the 16 colours of the user's palette, and never colour alone.

use ratatui::style::{Color, Modifier, Style};

/// What a piece of text means. A word always says the same as the colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// Ordinary text.
    #[default]
    Plain,
    /// A heading.
    Heading,
    /// Something broken.
    Danger,
    /// Something to decide.
    Attention,
    /// A command, a key or a mention.
    Action,
    /// Something that does not matter now.
    Quiet,
    /// An added line.
    Added,
    /// A removed line.
    Removed,
    /// Text that a search matches.
    Found,
}

/// How roles look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theme {
    /// Whether colours are used. Bold, underline and reverse stay without them.
    pub color: bool,
    /// Whether lines are drawn with characters outside ASCII.
    pub unicode: bool,
}

impl Theme {
    /// The style of a role.
    pub fn style(self, role: Role) -> Style {
        let (color, modifier) = match role {
            Role::Plain => (None, Modifier::empty()),
            Role::Heading => (None, Modifier::BOLD),
            Role::Danger => (Some(Color::Red), Modifier::BOLD),
            Role::Attention => (Some(Color::Yellow), Modifier::empty()),
            Role::Action => (Some(Color::Cyan), Modifier::empty()),
            Role::Quiet => (Some(Color::DarkGray), Modifier::empty()),
            Role::Added => (Some(Color::Green), Modifier::empty()),
            Role::Removed => (Some(Color::Red), Modifier::empty()),
            Role::Found => (None, Modifier::UNDERLINED),
        };
        let style = Style::new().add_modifier(modifier);
        match color.filter(|_| self.color) {
            Some(color) => style.fg(color),
            None => style,
        }
    }

    /// The character of a horizontal rule.
    pub(crate) fn rule(self) -> &'static str {
        if self.unicode { "─" } else { "-" }
    }

    /// The character between two panes.
    pub(crate) fn bar(self) -> &'static str {
        if self.unicode { "│" } else { "|" }
    }

    /// Where a horizontal rule meets a bar from below and from above.
    pub(crate) fn corners(self) -> [&'static str; 2] {
        if self.unicode { ["┬", "┴"] } else { ["+", "+"] }
    }
}
