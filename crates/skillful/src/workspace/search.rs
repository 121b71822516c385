//! Which skills serve a request, for a user and for a model.

use super::Workspace;
use skillful_catalog::{
    SkillState,
    access::{Way, is_open},
};
use skillful_route::{Evidence, Judged};

/// Who searches, which decides what is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Searcher {
    /// A model finds what it may choose, and learns of nothing else.
    Model,
    /// A user also finds what only users call, and what waits for something of the user, such as an approval.
    User,
}

impl Workspace {
    /// The skills that serve a request best, best first, and how likely it is that one does.
    ///
    /// ```
    /// use skillful::workspace::Searcher;
    /// # let folder = tempfile::tempdir()?;
    /// # let workspace = skillful::Workspace::for_folder(folder.path(), folder.path());
    /// let judged = workspace.search("create a skill", 3, Searcher::Model);
    /// let best = &workspace.catalog().entries[judged.found[0].entry];
    /// assert_eq!(best.address(), "skill-creator");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn search(&self, request: &str, most: usize, searcher: Searcher) -> Judged {
        let (catalog, index) = (self.catalog(), self.index());
        let is_open = |at, way| is_open(&catalog, at, self.asker(), way);
        let is_found = |at: usize| match searcher {
            Searcher::Model => is_open(at, Way::List),
            Searcher::User => match self.state(at) {
                SkillState::Available => is_open(at, Way::Slash) || is_open(at, Way::List),
                SkillState::Shadowed { .. } | SkillState::Invalid { .. } | SkillState::Disabled { .. } => {
                    false
                }
                _ => true,
            },
        };
        let within = index.restrict(&is_found);
        index.judge(request, most, &Evidence { within: Some(&within), ..Evidence::default() })
    }
}
