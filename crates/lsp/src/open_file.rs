//! A file that the client has open: its newest text, and what checking that text gave.

use crate::{
    Encoding, Settings, Text,
    check::{self, Checked},
    uri,
};
use lsp_types::Uri;
use skillful::Workspace;
use skillful_catalog::inspect;
use std::path::PathBuf;

/// A file that the client has open.
pub(crate) struct OpenFile {
    pub(crate) uri: Uri,
    /// Where it is, if it is a file of this machine.
    pub(crate) path: Option<PathBuf>,
    /// The text; `None` when it is over the limit.
    pub(crate) text: Option<Text>,
    pub(crate) version: i32,
    /// What checking the newest text gave.
    checked: Option<Checked>,
    /// Whether the client knows the diagnostics of the newest text.
    pub(crate) is_reported: bool,
}

impl OpenFile {
    pub(crate) fn new(uri: Uri, text: String, version: i32) -> Self {
        let path = uri::path_of(&uri);
        let text = (text.len() <= crate::TEXT_LIMIT).then(|| Text::new(text));
        Self { uri, path, text, version, checked: None, is_reported: false }
    }

    /// Whether it is a skill. Of other files nothing is reported or offered.
    pub(crate) fn is_skill(&self) -> bool {
        self.path.as_deref().is_some_and(inspect::is_skill_file)
    }

    /// Applies a change of the client.
    pub(crate) fn change(&mut self, range: Option<lsp_types::Range>, new: &str, encoding: Encoding) {
        self.outdated();
        match (&mut self.text, range) {
            (Some(text), range) => {
                if !text.change(range, new, encoding) {
                    self.text = None;
                }
            }
            // The old text is not known, so that only a whole new one helps.
            (None, None) if new.len() <= crate::TEXT_LIMIT => self.text = Some(Text::new(new.to_owned())),
            (None, _) => {}
        }
    }

    /// Forgets what checking gave: the text, a file beside it or a setting changed.
    pub(crate) fn outdated(&mut self) {
        self.checked = None;
        self.is_reported = false;
    }

    /// What checking the newest text gives; `None` for a text over the limit and for files that are not skills.
    pub(crate) fn checked(
        &mut self,
        workspace: &Workspace,
        settings: &Settings,
    ) -> Option<(&Text, &Checked)> {
        if !self.is_skill() {
            return None;
        }
        let (text, path) = (self.text.as_ref()?, self.path.as_ref()?);
        let checked =
            self.checked.get_or_insert_with(|| check::check(text.as_str(), path, workspace, settings));
        Some((text, checked))
    }
}
