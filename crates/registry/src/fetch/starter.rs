//! The starter skills, which this program brings along.

use super::{FetchError, Fetched, FetchedSkill, choose};
use crate::lock::Resolved;
use skillful_catalog::system;
use skillful_format::{Limits, TreePath};

pub(super) fn fetch() -> Result<Fetched, FetchError> {
    let one = |(name, tree)| {
        let unusable = |why: String| FetchError::Unusable { folder: str::to_owned(name), why };
        let (key, capabilities) = choose::facts_of(&tree, Some(name))
            .ok_or_else(|| unusable("it has no name that could be a folder".to_owned()))?;
        let folder = TreePath::new(name, &Limits::default());
        let folder = Some(folder.map_err(|fault| unusable(format!("its path {fault}")))?);
        let diagnostics = Vec::new();
        Ok(FetchedSkill {
            name: key,
            folder,
            tree,
            signature: None,
            artefact: None,
            capabilities,
            diagnostics,
        })
    };
    let skills = system::trees().into_iter().map(one).collect::<Result<_, FetchError>>()?;
    Ok(Fetched::of(skills, Resolved::default()))
}
