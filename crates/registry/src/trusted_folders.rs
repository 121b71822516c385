//! `trust.toml`: the folders that a user trusts and the skills that the user writes, changed by one process at a time.

use crate::{
    atomic_write::AtomicWriter,
    record_file::{self, Record, RecordError},
};
use skillful_catalog::TrustStore;
use std::path::Path;

/// The file, in the user's configuration folder.
pub const TRUST_FILE: &str = "trust.toml";
const HEAD: &str = "# Folders trusted with `skillful trust`, and the files of their skills then. What you approved is in approvals.toml.\n";

/// Reads, changes and writes the file of a folder while no other process does. One that cannot be read is an error and
/// stays as it is.
pub fn change(
    folder: &Path,
    writer: &AtomicWriter,
    change: impl FnOnce(&mut TrustStore),
) -> Result<(), RecordError> {
    record_file::change(folder, writer, change)
}

impl Record for TrustStore {
    const FILE: &'static str = TRUST_FILE;
    const GUARD: &'static str = "trust.lock";
    const NEXT: &'static str = ".trust.toml.new";
    type Text = Self;

    fn of_text(text: Self) -> Result<Self, String> {
        Ok(text)
    }

    fn text(&self) -> String {
        // Texts, lists and tables are all that TOML needs to write.
        HEAD.to_owned() + &toml::to_string_pretty(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    #[test]
    fn no_trust_is_lost_when_many_answers_are_given_at_once() {
        let config = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for at in 0..16 {
                let config = config.path();
                scope.spawn(move || {
                    let trust = |store: &mut TrustStore| {
                        store.trust(PathBuf::from(format!("/repository/{at}")), [].into());
                    };
                    change(config, &AtomicWriter::default(), trust).unwrap();
                });
            }
        });
        let text = std::fs::read_to_string(config.path().join(TRUST_FILE)).unwrap();
        let store: TrustStore = toml::from_str(&text).unwrap();
        assert_eq!(store.folders.len(), 16);
    }

    #[test]
    fn a_file_that_cannot_be_read_is_an_error_and_is_not_written_over() {
        let config = tempfile::tempdir().unwrap();
        for text in ["folders = 1\n", "[folders\n"] {
            std::fs::write(config.path().join(TRUST_FILE), text).unwrap();
            let trust = |store: &mut TrustStore| store.trust(PathBuf::from("/repository"), [].into());
            assert!(change(config.path(), &AtomicWriter::default(), trust).is_err(), "{text}");
            assert_eq!(std::fs::read_to_string(config.path().join(TRUST_FILE)).unwrap(), text);
        }
    }
}
