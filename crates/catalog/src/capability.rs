//! What a skill can do beyond being read: tools, hooks, servers, programs, commands, secrets.
//!
//! The user approves this set with a skill; a version that can do more needs a new approval. The set may say too
//! much and never too little: what is not limited is possible.

mod code;
mod declared;
mod explain;
mod growth;

pub use explain::{Capability, explain, kind_of, not_declared};
pub use growth::{dropped, gained, grew, is_limit};

use crate::{entry::Entry, load::Loaded};
use skillful_format::Tree;
use std::collections::BTreeSet;

/// Characters of a digest that a user sees.
const SHOWN: usize = 12;

/// A sentence as a user reads it, with its digest shortened.
pub fn shown(sentence: &str) -> String {
    match sentence.rsplit_once(code::DIGEST) {
        Some((start, digest)) if digest.len() == 64 && digest.bytes().all(|one| one.is_ascii_hexdigit()) => {
            format!("{start}{}{}", code::DIGEST, &digest[..SHOWN])
        }
        _ => sentence.to_owned(),
    }
}

/// The capabilities of a skill as short sentences, sorted, without what its code names. Equal sets mean equal
/// capabilities.
pub fn capabilities(entry: &Entry) -> BTreeSet<String> {
    let mut set = of_loaded(&entry.loaded);
    // A model and a user would take it for the other one, so that it needs an answer of its own.
    set.extend(
        entry.looks_like.as_ref().map(|other| format!("has a name that looks like {other} and is another")),
    );
    set
}

/// The same for a skill whose files are at hand, with its code by digest and what that names; none when the tree
/// has no skill file.
pub fn of_tree(tree: &Tree) -> Option<BTreeSet<String>> {
    of_tree_with_name(tree).map(|(set, _)| set)
}

/// The same, and the name that the skill gives itself, by reading it once.
pub fn of_tree_with_name(tree: &Tree) -> Option<(BTreeSet<String>, Option<String>)> {
    let loaded = Loaded::of_tree(tree)?;
    let mut set = declared::of_loaded(&loaded);
    set.extend(code::of_code(tree, &set));
    Some((set, loaded.manifest.name))
}

/// Only what the frontmatter, the sidecars and the body say, without the code.
pub fn declared_in(tree: &Tree) -> BTreeSet<String> {
    Loaded::of_tree(tree).map(|loaded| declared::of_loaded(&loaded)).unwrap_or_default()
}

/// What a skill that its user writes must not gain unseen: its capabilities, its code by digest, and its name, since a
/// skill with another name takes the place of another one.
pub fn of_own(entry: &Entry, tree: &Tree) -> BTreeSet<String> {
    let mut set = capabilities(entry);
    // The files may be newer than what the catalog read of them.
    set.extend(of_own_tree(tree));
    set.insert(format!("is called {}", entry.name));
    set
}

/// The same for the files of a skill that was just written.
pub fn of_own_tree(tree: &Tree) -> BTreeSet<String> {
    let (mut set, name) = of_tree_with_name(tree).unwrap_or_default();
    set.extend(name.map(|name| format!("is called {name}")));
    set
}

fn of_loaded(loaded: &Loaded) -> BTreeSet<String> {
    let mut set = declared::of_loaded(loaded);
    if loaded.parts.iter().any(|part| part == "scripts") {
        set.insert("brings scripts".to_owned());
    }
    set
}

#[cfg(test)]
mod sample {
    use skillful_format::{Limits, Tree, TreeFile, TreePath};

    /// Files as a tree, none of them executable.
    pub(super) fn tree(files: &[(&str, &str)]) -> Tree {
        let limits = Limits::default();
        let mut tree = Tree::default();
        for (path, text) in files {
            let file = TreeFile { bytes: text.as_bytes().to_vec(), executable: false };
            tree.insert(TreePath::new(path, &limits).unwrap(), file, &limits).unwrap();
        }
        tree
    }
}
