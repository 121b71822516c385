//! What a caller does with the skills of a workspace: select, explain, compose, menu, admit, activate, audit.

use super::Workspace;
use crate::{
    audited_files::{AuditedFiles, NotRead},
    execution::ExecutionOptions,
    refusal::Unusable,
    turn::{MenuRoom, Said, rank},
    views::ExplainView,
};
use skillful_catalog::access::{Admitted, Way, reach};
use skillful_render::Menu;
use skillful_runtime::{
    Activation, ActivationError, Composition, Engine,
    compose::{self, Manner, Ranked},
};
use skillful_select::{
    selection::{Selection, select},
    turn::Turn,
};

impl Workspace {
    /// A message of the user in this folder.
    pub fn turn(&self, message: &str) -> Turn {
        self.turn_of(&Said { message: message.to_owned(), ..Said::default() }, &[], 0)
    }

    /// Which skills apply to a turn, and every reason.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let workspace = skillful::Workspace::for_folder(folder.path(), folder.path());
    /// let selection = workspace.select(&workspace.turn("use $skill-creator"));
    /// assert_eq!(selection.selected.len(), 1);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn select(&self, turn: &Turn) -> Selection {
        select(&self.catalog(), turn, self.asker())
    }

    /// Every skill with what applies to it in a turn: selected, in the menu, or not offered, each with its reasons; the
    /// skills of the menu that are likely; and how the menu fits its budget.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let workspace = skillful::Workspace::for_folder(folder.path(), folder.path());
    /// let explained = workspace.explain(&workspace.turn("use $skill-creator"));
    /// assert_eq!(explained.selection.selected[0].name, "skill-creator");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn explain(&self, turn: &Turn) -> ExplainView {
        ExplainView::of(self, turn)
    }

    /// Exactly what a model would read for a turn, and every loss. Runs nothing.
    pub fn compose(&self, turn: &Turn, room: MenuRoom) -> Composition {
        let catalog = self.catalog();
        let engine = self.engine(&catalog, None);
        let order = |menu: &[usize]| self.ranked(&turn.message, menu);
        let budget = self.menu_budget(room);
        let manner = Manner { rank: &order, ..Manner::plain(self.as_agent(), budget) };
        compose::compose(&engine, turn, &manner)
    }

    /// The menu alone: the skills that a model may choose, within a budget.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let workspace = skillful::Workspace::for_folder(folder.path(), folder.path());
    /// let menu = workspace.menu(&workspace.turn(""), Default::default());
    /// assert!(menu.text.contains("skill-creator"));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn menu(&self, turn: &Turn, room: MenuRoom) -> Menu {
        let catalog = self.catalog();
        let order = |menu: &[usize]| self.ranked(&turn.message, menu);
        let budget = self.menu_budget(room);
        let manner = Manner { rank: &order, ..Manner::plain(self.as_agent(), budget) };
        compose::disclose(&self.engine(&catalog, None), turn, &manner)
    }

    /// The search index is opened only when a menu does not fit.
    fn ranked(&self, message: &str, menu: &[usize]) -> Ranked {
        if message.is_empty() { Ranked::unknown(menu) } else { rank(&self.index(), message, menu) }
    }

    /// Asks the gate for the skill that a name, a qualified name or a path means. The proof is the only key to
    /// [`Workspace::activate`].
    ///
    /// ```
    /// use skillful::Way;
    /// # let folder = tempfile::tempdir()?;
    /// # let workspace = skillful::Workspace::for_folder(folder.path(), folder.path());
    /// let missing = workspace.admit("no-such-skill", Way::Load).unwrap_err();
    /// assert_eq!(missing.to_string(), "no skill named `no-such-skill`");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn admit(&self, word: &str, way: Way) -> Result<Admitted, Unusable> {
        reach(&self.catalog(), word, self.asker(), way).map_err(|refusal| self.unusable(&refusal))
    }

    /// The text of a skill as a model reads it, with everything it brings. Its commands run in the sandbox.
    ///
    /// ```
    /// use skillful::Way;
    /// # let folder = tempfile::tempdir()?;
    /// # let workspace = skillful::Workspace::for_folder(folder.path(), folder.path());
    /// let proof = workspace.admit("skill-creator", Way::Load).unwrap();
    /// let activation = workspace.activate(&proof, "for release notes").unwrap();
    /// assert!(activation.instructions.contains("for release notes"));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn activate(&self, proof: &Admitted, arguments: &str) -> Result<Activation, ActivationError> {
        let catalog = self.catalog();
        let execution = self.execution(ExecutionOptions::default());
        let engine = Engine { work: Some(execution.work()), ..self.engine(&catalog, None) };
        skillful_runtime::activate(&engine, proof, arguments)
    }

    /// What a skill could do to its user, and what of it was not scanned. The audit never says that a skill is safe.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let workspace = skillful::Workspace::for_folder(folder.path(), folder.path());
    /// let at = workspace.find("skill-creator").unwrap();
    /// assert!(workspace.audit(at).unwrap().findings.is_empty());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn audit(&self, at: usize) -> Result<skillful_audit::Report, NotRead> {
        Ok(AuditedFiles::read(&self.catalog().entries[at].origin.real)?.report())
    }
}
