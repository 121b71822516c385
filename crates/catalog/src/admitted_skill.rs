//! A skill that the gate admitted, with the files that count. Of a skill that needs an approval these are the bytes
//! whose digest was compared: text, programs and the list of files come from them and not from the disk, where they
//! may change at any time.

use crate::{
    access::NotAdmitted,
    approvals::{NotApproved, tree_of},
    body,
    entry::{Entry, Origin},
    load::Loaded,
    overrides,
    profile::RootKind,
};
use skillful_format::{
    Digest, Document, Manifest, Sidecars, Tree, TreeFile,
    sidecar::{SIDECAR_FILES, SIDECAR_LIMIT},
};
use std::{io, path::Path, sync::Arc};

/// A skill that the gate admitted. Only [`Catalog::admitted`](crate::Catalog::admitted) makes it.
#[derive(Clone, Debug)]
pub struct AdmittedSkill<'c> {
    entry: &'c Entry,
    /// None when the skill needs no approval: then the files on disk count.
    files: Option<Arc<Tree>>,
}

impl<'c> AdmittedSkill<'c> {
    /// A skill whose files on disk count.
    pub(crate) fn on_disk(entry: &'c Entry) -> Self {
        Self { entry, files: None }
    }

    /// A skill with the files that were approved. None when the record of the skill, which the gate judged, was read
    /// from other files.
    pub(crate) fn approved(entry: &'c Entry, files: Tree) -> Option<Self> {
        // What an operator puts in the place of parts of a skill is in the record and not in its files.
        let is_judged =
            is_operators(entry) || record(entry, &files).is_some_and(|now| is_same(&now, &entry.loaded));
        is_judged.then(|| Self { entry, files: Some(Arc::new(files)) })
    }

    /// The same skill with the files that the user bound a secret to, also when it needs no approval: what gets the
    /// secret is what the user answered about.
    pub fn bound(self, files: &Digest) -> Result<Self, NotAdmitted> {
        let now = match &self.files {
            Some(approved) => Tree::clone(approved),
            None => tree_of(self.entry).map_err(NotApproved::from)?,
        };
        if now.digest() != *files {
            return Err(NotAdmitted::Outdated);
        }
        Self::approved(self.entry, now).ok_or(NotAdmitted::Outdated)
    }

    /// Its record in the catalog.
    pub fn entry(&self) -> &'c Entry {
        self.entry
    }

    /// The approved files, when the skill needs an approval. A command file is the only file of its skill.
    pub fn approved_files(&self) -> Option<&Arc<Tree>> {
        self.files.as_ref()
    }

    /// One of the approved files.
    pub fn approved_file(&self, path: &str) -> Option<&TreeFile> {
        self.files.as_deref()?.get(path)
    }

    /// The folder that its programs see, which has no link in its path when the files are approved ones.
    pub fn folder(&self) -> &'c Path {
        let approved = self.files.is_some() && self.entry.origin.kind != RootKind::Commands;
        if approved { &self.entry.origin.real } else { self.entry.folder() }
    }

    /// Its instructions, without the frontmatter.
    pub fn body(&self) -> io::Result<String> {
        let Some(files) = self.files.as_deref().filter(|_| !is_operators(self.entry)) else {
            return body::read(self.entry);
        };
        let file = main_file(self.entry, files).ok_or(io::ErrorKind::NotFound)?;
        Ok(Document::read(&file.bytes, &Sidecars::default()).body_text(&file.bytes).into_owned())
    }
}

/// The file of the instructions among the files of a skill.
fn main_file<'t>(entry: &Entry, files: &'t Tree) -> Option<&'t TreeFile> {
    let Origin { kind, file, real, .. } = &entry.origin;
    let file = if *kind == RootKind::Commands { real } else { file };
    files.get(file.file_name()?.to_str()?)
}

/// The record of the approved files.
fn record(entry: &Entry, files: &Tree) -> Option<Loaded> {
    let side = |at: usize| {
        let is_skill = entry.origin.kind != RootKind::Commands;
        let file =
            files.get(SIDECAR_FILES[at]).filter(|file| is_skill && file.bytes.len() as u64 <= SIDECAR_LIMIT);
        file.map(|file| file.bytes.as_slice())
    };
    let bytes = &main_file(entry, files)?.bytes;
    let sidecars = Sidecars { skillful: side(0), openai: side(1), toml: side(2) };
    let loaded = Loaded::of(Document::read(bytes, &sidecars), bytes);
    Some(overrides::with_project_file(entry, loaded, files))
}

/// Whether an operator put something in the place of parts of a skill.
fn is_operators(entry: &Entry) -> bool {
    entry.overridden.as_ref().is_some_and(|from| from.project_file.is_none())
}

/// Whether two records let the same happen. An agent may have a name and a description of its own for a skill.
fn is_same(now: &Loaded, then: &Loaded) -> bool {
    let plain = |manifest: &Manifest| {
        let mut manifest = Manifest { name: None, description: None, ..manifest.clone() };
        manifest.paths = Vec::new();
        manifest
    };
    (&now.sidecar, &now.commands, now.soundness) == (&then.sidecar, &then.commands, then.soundness)
        && plain(&now.manifest) == plain(&then.manifest)
}
