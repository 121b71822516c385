//! Removing what the content store holds and no lock names.

use super::{Library, LibraryError};
use crate::views::clean::CleanReport;
use std::path::PathBuf;

impl Library<'_> {
    /// What [`Library::clean`] would remove, by the locks that are known. Writes nothing.
    ///
    /// ```
    /// use skillful::{Library, Workspace, library::Scope};
    /// use std::time::SystemTime;
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let workspace = Workspace::for_folder(folder.path(), folder.path());
    /// let library = Library::open(&workspace, Scope::User, SystemTime::UNIX_EPOCH)?;
    /// assert!(library.plan_clean()?.is_clean());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn plan_clean(&self) -> Result<CleanReport, LibraryError> {
        Ok(CleanReport::of(&self.store.survey(&self.near_locks())?, false))
    }

    /// Removes the versions that no lock names then, and what stopped runs left.
    pub fn clean(&self) -> Result<CleanReport, LibraryError> {
        Ok(CleanReport::of(&self.store.clean(&self.near_locks())?, true))
    }

    /// The locks of this workspace, which count even when they were written before the content store kept a list.
    fn near_locks(&self) -> [PathBuf; 2] {
        [self.workspace.project_site().lock, self.workspace.user_site().lock]
    }
}
