//! The frontmatter in canonical form, as edits.

use crate::{Encoding, Text, actions, check::Checked, edits};
use lsp_types::TextEdit;
use skillful_format::write::formatted;

/// The edits that format a skill, or the reason why it cannot be formatted.
pub(crate) fn format(text: &Text, checked: &Checked, encoding: Encoding) -> Result<Vec<TextEdit>, String> {
    let old = text.as_str();
    let new = formatted(old, &checked.document).map_err(str::to_owned)?;
    Ok(new.map_or_else(Vec::new, |new| actions::converted(&edits::between(old, &new), text, encoding)))
}
