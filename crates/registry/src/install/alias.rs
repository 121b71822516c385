//! Links from one agent's folder to a copy in another's, as other installers make them.

use super::Site;
use crate::lock::Locked;
use skillful_format::TreePath;
use std::path::{Component, Path, PathBuf};

/// Whether a link at a place leads to a copy of the same skill.
pub(super) fn leads_to_copy(site: &Site, place: &TreePath, to: &Path, locked: &Locked) -> bool {
    copy_behind(site, place, to)
        .is_some_and(|copy| locked.copied.iter().any(|at| Path::new(at.as_str()) == copy))
}

/// The place that a link leads to, from the folder of the lock; none when it leads elsewhere. Nothing is
/// resolved on the disk: the text of the link counts.
pub(super) fn copy_behind(site: &Site, place: &TreePath, to: &Path) -> Option<PathBuf> {
    if to.is_absolute() {
        return to.strip_prefix(&site.base).ok().map(Path::to_path_buf);
    }
    let mut path: Vec<&str> = place.as_str().split('/').collect();
    path.pop();
    for part in to.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(path.pop()?),
            Component::Normal(name) => path.push(name.to_str()?),
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(path.iter().collect())
}

/// The text of a link at `place` that leads to `copy`.
pub(super) fn target(place: &TreePath, copy: &TreePath) -> PathBuf {
    let (place, copy): (Vec<&str>, Vec<&str>) =
        (place.as_str().split('/').collect(), copy.as_str().split('/').collect());
    let above = &place[..place.len() - 1];
    let shared = above.iter().zip(&copy).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..", above.len() - shared);
    up.chain(copy[shared..].iter().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use skillful_format::Limits;

    fn at(text: &str) -> TreePath {
        TreePath::new(text, &Limits::default()).unwrap()
    }

    #[test]
    fn a_link_says_how_to_reach_the_copy_and_is_understood_again() {
        let site = Site::project("/p".into());
        for (place, copy, says) in [
            (".claude/skills/a", ".agents/skills/a", "../../.agents/skills/a"),
            ("skills/a", ".agents/skills/a", "../.agents/skills/a"),
            (".agents/x/a", ".agents/skills/a", "../skills/a"),
            (".agents/skills/b", ".agents/skills/a", "a"),
        ] {
            let (place, copy) = (at(place), at(copy));
            assert_eq!(target(&place, &copy), Path::new(says));
            assert_eq!(copy_behind(&site, &place, Path::new(says)).unwrap(), Path::new(copy.as_str()));
        }
    }

    #[test]
    fn a_link_that_leaves_the_project_leads_to_no_copy() {
        let site = Site::project("/p".into());
        let place = at(".claude/skills/a");
        assert_eq!(copy_behind(&site, &place, Path::new("../../../q/a")), None);
        assert_eq!(copy_behind(&site, &place, Path::new("/q/a")), None);
        assert_eq!(copy_behind(&site, &place, Path::new("/p/.agents/a")).unwrap(), Path::new(".agents/a"));
    }
}
