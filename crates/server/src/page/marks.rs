//! Small parts of pages that are HTML of our own.

use super::{assets, markdown::visible};
use askama::filters::HtmlSafe;
use skillful_team::{Scope, listing::ListedState, preferences::Choice};
use std::{collections::BTreeMap, fmt, sync::LazyLock};

/// An icon of `icons.svg`, hidden from screen readers: a word stands beside it, or the button has a label.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Icon(&'static str);

/// The icon of a name: `ok` is `#i-ok`.
pub(crate) fn icon(name: &'static str) -> Icon {
    Icon(name)
}

static ICONS: LazyLock<String> = LazyLock::new(|| assets::address("icons.svg"));

impl fmt::Display for Icon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, r#"<svg class="i" aria-hidden="true"><use href="{}#i-{}"/></svg>"#, *ICONS, self.0)
    }
}

impl HtmlSafe for Icon {}

/// Text that is already HTML of our own making: rendered Markdown, a chart.
#[derive(Clone, Debug, Default)]
pub(crate) struct Markup(pub(crate) String);

impl fmt::Display for Markup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl HtmlSafe for Markup {}

/// Foreign text for HTML: letters that could end a text or an attribute are written as entities.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

/// A state: icon, word, colour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    tone: &'static str,
    icon: &'static str,
    word: String,
}

impl Mark {
    /// A state of a tone: `ok`, `warn`, `block`, `wait`, `acc`, `off` or none.
    pub(crate) fn new(tone: &'static str, icon: &'static str, word: impl Into<String>) -> Self {
        Self { tone, icon, word: word.into() }
    }

    /// As it stands in a table; further classes are those of the style.
    fn with_class(&self, class: &str) -> Markup {
        Markup(format!(
            "<span class=\"{class} {}\">{}{}</span>",
            self.tone,
            Icon(self.icon),
            visible(&self.word)
        ))
    }

    /// As it stands in a head.
    pub(crate) fn badge(&self) -> Markup {
        self.with_class("badge")
    }

    /// As it stands in a head, with a line around it: a scope, a version.
    pub(crate) fn outline(&self) -> Markup {
        self.with_class("badge out")
    }

    /// Small, below a name.
    pub(crate) fn small(&self) -> Markup {
        self.with_class("st xs")
    }

    /// As the first column of a list of findings.
    pub(crate) fn severity(&self) -> Markup {
        self.with_class("st sev")
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.with_class("st").fmt(f)
    }
}

impl HtmlSafe for Mark {}

/// A state of a skill in a list.
pub(crate) fn state(state: ListedState) -> Mark {
    match state {
        ListedState::Available => Mark::new("ok", "ok", "Available"),
        ListedState::Disabled => Mark::new("off", "off", "Disabled"),
        ListedState::Shadowed => Mark::new("off", "shadow", "Shadowed"),
        ListedState::Pending => Mark::new("wait", "clock", "Pending"),
        ListedState::Unavailable => Mark::new("warn", "plug", "Unavailable"),
        ListedState::Archived => Mark::new("off", "box", "Archived"),
    }
}

/// What a preference wants.
pub(crate) fn choice(choice: Choice) -> Mark {
    match choice {
        Choice::Required => Mark::new("", "lock", "Required"),
        Choice::On => Mark::new("", "check", "On"),
        Choice::Offered => Mark::new("", "offer", "Offered"),
        Choice::Hidden => Mark::new("off", "hidden", "Hidden"),
    }
}

/// For whom a skill is. The name of a group that the visitor does not know is omitted.
pub(crate) fn scope(scope: &Scope, groups: &BTreeMap<String, String>) -> Mark {
    match scope {
        Scope::Own(_) => Mark::new("", "own", "Own"),
        Scope::Group(id) => Mark::new("", "group", groups.get(id).map_or("Group", String::as_str)),
        Scope::Org => Mark::new("", "org", "Organisation"),
        Scope::Global => Mark::new("", "globe", "Global"),
    }
}

/// The weight of a finding.
pub(crate) fn severity(word: &str) -> Mark {
    match word {
        "block" | "error" => Mark::new("block", "block", "Block"),
        "warn" | "warning" => Mark::new("warn", "warn", "Warn"),
        _ => Mark::new("acc", "note", "Note"),
    }
}
