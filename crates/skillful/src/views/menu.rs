//! The menu of a model.

use super::DiagnosticView;
use schemars::JsonSchema;
use serde::Serialize;
use skillful_catalog::profile::MenuStyle;
use skillful_render::Menu;

/// The menu that a model would read, with its budget.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MenuView {
    /// The version of this object.
    pub schema: u32,
    /// The text, the budget, and what was shortened or left out.
    #[serde(flatten)]
    pub menu: Menu,
    /// The form of the text: `xml`, `menu`, `preamble`, `codex`, `claude` or `json`.
    #[schemars(with = "String")]
    pub style: MenuStyle,
    /// Problems of the catalog.
    pub diagnostics: Vec<DiagnosticView>,
}
