//! Why the interface cannot be opened, and what to do about it.

use std::io::{self, IsTerminal as _};

/// Why the interface cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum UiError {
    /// Standard input or output is a file or a pipe.
    #[error("the full-screen view needs a terminal")]
    NoTerminal,
    /// The terminal cannot place text.
    #[error("the full-screen view needs a terminal that can place text")]
    Dumb,
    /// The terminal failed.
    #[error("the terminal failed: {0}")]
    Terminal(#[from] io::Error),
}

impl UiError {
    /// Why, in a sentence.
    pub fn cause(&self) -> Option<&'static str> {
        match self {
            Self::NoTerminal => Some("standard input or output is not a terminal"),
            Self::Dumb => Some("TERM is `dumb` or not set"),
            Self::Terminal(_) => None,
        }
    }

    /// What to do about it.
    pub fn fix(&self) -> &'static str {
        match self {
            Self::NoTerminal => {
                "skillful list prints the same skills; skillful ui --json prints everything for programs"
            }
            Self::Dumb => {
                "set TERM to the name of your terminal, such as xterm-256color, or use skillful list"
            }
            Self::Terminal(_) => "skillful list prints the same skills",
        }
    }

    /// Whether a full screen can be drawn here; `term` is the variable TERM.
    pub fn check(term: Option<&str>) -> Result<(), Self> {
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            return Err(Self::NoTerminal);
        }
        if term.is_none_or(|term| term.is_empty() || term == "dumb") {
            return Err(Self::Dumb);
        }
        Ok(())
    }
}
