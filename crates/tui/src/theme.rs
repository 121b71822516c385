//! Roles and their styles: the 16 colours of the user's palette, and never colour alone.

use ratatui::style::{Color, Modifier, Style};
use std::collections::BTreeMap;

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

/// Roles with a colour that a user can set, by their names in the configuration.
const NAMED: [(&str, Role); 8] = [
    ("heading", Role::Heading),
    ("danger", Role::Danger),
    ("attention", Role::Attention),
    ("action", Role::Action),
    ("quiet", Role::Quiet),
    ("added", Role::Added),
    ("removed", Role::Removed),
    ("found", Role::Found),
];

/// The colours of a user, by role (`[ui.colors]`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Palette([Option<Color>; NAMED.len()]);

impl Palette {
    /// The colours that names and `#rrggbb` mean. What cannot be used is returned as sentences.
    pub fn of(colors: &BTreeMap<String, String>) -> (Self, Vec<String>) {
        let (mut palette, mut problems) = (Self::default(), Vec::new());
        for (name, word) in colors {
            let Some(at) = NAMED.iter().position(|(role, _)| role == name) else {
                let known: Vec<&str> = NAMED.iter().map(|(role, _)| *role).collect();
                problems
                    .push(format!("`ui.colors.{name}` is not a role; the roles are {}", known.join(", ")));
                continue;
            };
            match word.parse::<Color>() {
                Ok(color) => palette.0[at] = Some(color),
                Err(_) => problems.push(format!(
                    "`ui.colors.{name}`: `{word}` is not a colour, such as `blue`, `lightred`, `208` or `#5f87ff`"
                )),
            }
        }
        (palette, problems)
    }

    fn color(self, role: Role) -> Option<Color> {
        NAMED.iter().position(|(_, one)| *one == role).and_then(|at| self.0[at])
    }
}

/// How roles look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Theme {
    /// Whether colours are used. Bold, underline and reverse stay without them.
    pub color: bool,
    /// Whether lines are drawn with characters outside ASCII.
    pub unicode: bool,
    /// The colours of the user.
    pub palette: Palette,
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
        match self.palette.color(role).or(color).filter(|_| self.color) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_colours_roles_and_no_color_wins() {
        let colors =
            [("danger", "#ff8800"), ("quiet", "lightblue"), ("found", "chartreusish"), ("sky", "blue")];
        let colors = colors.map(|(role, color)| (role.to_owned(), color.to_owned()));
        let (palette, problems) = Palette::of(&colors.into_iter().collect());
        assert_eq!(
            problems,
            [
                "`ui.colors.found`: `chartreusish` is not a colour, such as `blue`, `lightred`, `208` or `#5f87ff`",
                "`ui.colors.sky` is not a role; the roles are heading, danger, attention, action, quiet, added, removed, found",
            ]
        );
        let theme = Theme { color: true, unicode: false, palette };
        assert_eq!(theme.style(Role::Danger).fg, Some(Color::Rgb(255, 136, 0)));
        assert_eq!(theme.style(Role::Quiet).fg, Some(Color::LightBlue));
        assert_eq!(theme.style(Role::Action).fg, Some(Color::Cyan));
        let theme = Theme { color: false, ..theme };
        assert_eq!(theme.style(Role::Danger).fg, None);
    }
}
