//! Short paths: a table of root folders, so that a menu with a small budget does not repeat them.

use super::MenuItem;
use std::collections::BTreeMap;

/// Maximum number of roots in a table.
const MOST: usize = 16;
/// The skill file in its folder.
const FILE: &str = "/SKILL.md";

/// The folders that contain skills, those with most skills first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Roots(Vec<String>);

impl Roots {
    /// The folders that contain more than one of the items.
    pub(super) fn of(items: &[MenuItem]) -> Self {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for root in items.iter().filter_map(|item| root_of(&item.location)) {
            *counts.entry(root).or_default() += 1;
        }
        let mut roots: Vec<(&str, usize)> = counts.into_iter().filter(|(_, count)| *count > 1).collect();
        roots.sort_by_key(|(root, count)| (std::cmp::Reverse(*count), *root));
        Self(roots.into_iter().take(MOST).map(|(root, _)| root.to_owned()).collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The table for the reader of the menu.
    pub(super) fn table(&self) -> String {
        let mut out = "### Skill roots\n".to_owned();
        for (at, root) in self.0.iter().enumerate() {
            out.push_str(&format!("- `r{at}` = `{}`\n", crate::escape::path(root)));
        }
        out + "A skill marked (r0) is the file r0/NAME/SKILL.md.\n"
    }

    /// The path of an item, as short as the table allows.
    pub(super) fn place(&self, item: &MenuItem) -> String {
        let root = root_of(&item.location);
        match self.0.iter().position(|known| root == Some(known.as_str())) {
            Some(at) => {
                let rest = &item.location[self.0[at].len()..];
                let expected = rest.strip_prefix('/').and_then(|rest| rest.strip_suffix(FILE));
                if expected == Some(item.name.as_str()) {
                    format!("r{at}")
                } else {
                    format!("file: r{at}{rest}")
                }
            }
            None => format!("file: {}", item.location),
        }
    }
}

/// The folder that contains a skill's folder.
fn root_of(location: &str) -> Option<&str> {
    let (folder, _) = location.rsplit_once('/')?;
    folder.rsplit_once('/').map(|(root, _)| root).filter(|root| !root.is_empty())
}
