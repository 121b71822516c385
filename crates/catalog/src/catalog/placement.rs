//! Placement: the placement of each skill, and which skill wins a name.

use super::Inputs;
use crate::{
    approvals::{files_of, readable_files, tree_of},
    capability,
    entry::{DisabledBy, Entry, Placement},
    parallel,
    profile::{RootKind, Scope},
    roots::Root,
    settings::{NameGlob, RuleOwner, Select, Settings, SkillRule, SourceRule, TrustMode},
    state::{PendingReason, UntrustedReason},
    trust::{Known, OwnSkill},
};
use skillful_format::{Code, Diagnostic, Digest, Soundness};
use std::{
    collections::{BTreeSet, HashMap},
    path::{Path, PathBuf},
};

/// Whether a skill needs the user's trust and has it.
enum Trust {
    /// It is the user's own by where it lies.
    NotNeeded,
    /// The user approved these files.
    Approved(Digest),
    /// The user writes it, and these are its files.
    Own(Digest),
    No(UntrustedReason),
}

fn reason(
    known: Known<'_>,
    root: &Root,
    now: Option<&Digest>,
    capabilities: &BTreeSet<String>,
) -> UntrustedReason {
    match known {
        Known::Nothing if root.scope == Scope::Extra => UntrustedReason::Named,
        Known::Nothing => UntrustedReason::Repository,
        Known::Folder => UntrustedReason::NotCovered,
        Known::Before(files) if now == Some(&files.tree) => UntrustedReason::Withdrawn,
        Known::Before(files) => {
            UntrustedReason::Changed { more: capability::gained(&files.can, capabilities) }
        }
    }
}

/// Decides about single skills. What it asks the disk about rules and repositories it asks once.
pub(super) struct Judge<'a> {
    pub(super) inputs: Inputs<'a>,
    rules: Vec<ReadRule>,
    pub(super) personal: Vec<(String, ReadRule)>,
    repositories: HashMap<PathBuf, PathBuf>,
    /// The digests of files, by the real path of the skill.
    files: HashMap<PathBuf, Result<Digest, String>>,
    /// What skills that the user writes gained, with their files, by their real paths.
    own: HashMap<PathBuf, Result<OwnFiles, String>>,
    /// Blocking findings of skills that this call trusts, by their real paths.
    called: HashMap<PathBuf, Result<Vec<String>, String>>,
}

/// The files of a skill that the user writes, and what it gained since the user said so.
struct OwnFiles {
    tree: Digest,
    gained: Vec<String>,
    /// Blocking findings of the audit.
    blocking: Vec<String>,
}

/// A rule about a skill, with the file it means.
#[derive(Clone, Debug)]
pub(super) struct ReadRule {
    select: Select,
    real: Option<PathBuf>,
    pub(super) enabled: bool,
    owner: RuleOwner,
}

impl ReadRule {
    fn new(rule: &SkillRule) -> Self {
        let real = match &rule.select {
            Select::Path(path) => std::fs::canonicalize(path).ok(),
            Select::Name(_) => None,
        };
        Self { select: rule.select.clone(), real, enabled: rule.enabled, owner: rule.owner.clone() }
    }

    pub(super) fn hits(&self, entry: &Entry) -> bool {
        let path = match &self.select {
            Select::Name(name) => return *name == entry.name || *name == entry.address(),
            Select::Path(path) => path,
        };
        let origin = &entry.origin;
        // The folder of a command holds others too, so it means none of them.
        let own_folder = origin.kind != RootKind::Commands;
        let mut ways = std::iter::once(&origin.file).chain(origin.also.iter().map(|(_, file)| file));
        ways.any(|file| path == file || own_folder && Some(path.as_path()) == file.parent())
            || self.real.as_ref().is_some_and(|real| {
                *real == origin.real
                    || own_folder
                        && real.parent() == Some(&origin.real)
                        && real.file_name() == origin.file.file_name()
            })
    }
}

impl<'a> Judge<'a> {
    pub(super) fn new(inputs: Inputs<'a>) -> Self {
        let rules = &inputs.settings.rules;
        Self {
            inputs,
            rules: rules.iter().filter(|rule| rule.for_user.is_none()).map(ReadRule::new).collect(),
            personal: rules
                .iter()
                .filter_map(|rule| Some((rule.for_user.clone()?, ReadRule::new(rule))))
                .collect(),
            repositories: HashMap::new(),
            files: HashMap::new(),
            own: HashMap::new(),
            called: HashMap::new(),
        }
    }

    /// The pattern that keeps a skill from models, if one does.
    pub(super) fn forbidden(&self, entry: &Entry) -> Option<String> {
        let address = entry.address();
        let found = self.inputs.settings.forbidden_skills.iter();
        let found = found.filter(|glob| glob.matches(&entry.name) || glob.matches(&address));
        found.map(|glob| glob.as_str().to_owned()).next()
    }

    /// The placement of a skill before others of its name are looked at.
    pub(super) fn placement(&mut self, entry: &Entry, root: &Root) -> Placement {
        if let Some(by) = self.disabled_by(entry, root) {
            return Placement::Disabled { by };
        }
        if entry.loaded.soundness == Soundness::Broken {
            return Placement::Invalid;
        }
        let checked = match self.trust(entry, root) {
            Trust::NotNeeded => self.inputs.approvals.check(entry),
            Trust::Approved(_) | Trust::Own(_) => self.inputs.approvals.check_record(entry.folder()),
            // A review shows the files of an installed skill, and what changed.
            Trust::No(_) if self.inputs.approvals.is_installed(entry.folder()) => {
                return Placement::Pending { why: PendingReason::NotApproved };
            }
            Trust::No(why) => return Placement::Untrusted { why },
        };
        match checked {
            Ok(()) => Placement::Active,
            Err(error) => Placement::Pending { why: error.pending() },
        }
    }

    /// The files of a skill that are approved, for the comparison when it is used.
    pub(super) fn approved_files(&mut self, entry: &Entry, root: &Root) -> Option<Digest> {
        match self.trust(entry, root) {
            Trust::Approved(files) | Trust::Own(files) => Some(files),
            Trust::NotNeeded | Trust::No(_) => None,
        }
    }

    pub(super) fn is_trusted(&mut self, entry: &Entry, root: &Root) -> bool {
        !matches!(self.trust(entry, root), Trust::No(_))
    }

    /// Forgets the files of skills that were read before a file of their project joined them.
    pub(super) fn forget_overridden(&mut self, entries: &[Entry]) {
        for entry in entries.iter().filter(|entry| entry.overridden.is_some()) {
            self.files.remove(&entry.origin.real);
            self.own.remove(&entry.origin.real);
            self.called.remove(&entry.origin.real);
        }
    }

    /// Reads the files of every skill that needs an approval, on all cores.
    pub(super) fn read_files(&mut self, entries: &[Entry], roots: &[Root]) {
        if self.inputs.approvals.is_empty() || self.inputs.settings.trust != TrustMode::Ask {
            return;
        }
        let paths = |entry: &Entry| {
            let also = entry.origin.also.iter().map(|(root, _)| *root);
            std::iter::once(entry.origin.root).chain(also).collect::<Vec<usize>>()
        };
        let needs = |entry: &&Entry| paths(entry).iter().any(|root| roots[*root].needs_trust.is_some());
        let asked: Vec<&Entry> = entries.iter().filter(needs).collect();
        let files = parallel::map(&asked, |entry| files_of(entry).map_err(|error| error.to_string()));
        self.files.extend(asked.iter().map(|entry| entry.origin.real.clone()).zip(files));
    }

    fn trust(&mut self, entry: &Entry, root: &Root) -> Trust {
        let Some(folder) = &root.needs_trust else { return Trust::NotNeeded };
        if self.inputs.settings.trust == TrustMode::All {
            return self.for_this_call(entry);
        }
        if !self.repositories.contains_key(folder) {
            let real = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.clone());
            self.repositories.insert(folder.clone(), real);
        }
        let (inputs, real) = (self.inputs, &self.repositories[folder]);
        let capabilities = || capability::capabilities(entry);
        let known = inputs.trust.known(real, &trust_key(real, entry));
        let own = inputs.trust.own.get(&entry.origin.real);
        if inputs.approvals.is_empty() && own.is_none() {
            return Trust::No(reason(known, root, None, &capabilities()));
        }
        let read = || files_of(entry).map_err(|error| error.to_string());
        let files = self.files.entry(entry.origin.real.clone()).or_insert_with(read).clone();
        match &files {
            Ok(files) if inputs.approvals.is_approved_for(entry, files) => return Trust::Approved(*files),
            Err(problem) if own.is_some() || matches!(known, Known::Before(_)) => {
                return Trust::No(UntrustedReason::Unreadable { problem: problem.clone() });
            }
            _ => {}
        }
        // What was installed is not written here, whatever its folder was marked as.
        if let Some(own) = own.filter(|_| !inputs.approvals.is_installed(entry.folder())) {
            return self.own(entry, own);
        }
        if files.as_ref().is_ok_and(|files| inputs.approvals.is_approved(files)) {
            // The user approved these files under another name.
            return Trust::No(UntrustedReason::NotCovered);
        }
        Trust::No(reason(known, root, files.as_ref().ok(), &capabilities()))
    }

    /// A call that trusts the repository does not answer for what the audit blocks: that needs an answer of its own.
    fn for_this_call(&mut self, entry: &Entry) -> Trust {
        let approvals = self.inputs.approvals;
        let read = || {
            if tree_of(entry).is_ok_and(|tree| approvals.is_approved_for(entry, &tree.digest())) {
                return Ok(Vec::new());
            }
            let tree = readable_files(entry).map_err(|error| error.to_string())?;
            Ok(approvals.blocking_findings(&tree))
        };
        match self.called.entry(entry.origin.real.clone()).or_insert_with(read) {
            Ok(blocking) if blocking.is_empty() => Trust::NotNeeded,
            Ok(blocking) => Trust::No(UntrustedReason::Blocked { findings: blocking.clone() }),
            Err(problem) => Trust::No(UntrustedReason::Unreadable { problem: problem.clone() }),
        }
    }

    /// A skill that the user writes is used as long as it gained nothing but text in which the audit blocks nothing.
    /// It is asked only about files that the user has not approved.
    fn own(&mut self, entry: &Entry, own: &OwnSkill) -> Trust {
        let approvals = self.inputs.approvals;
        let read = || {
            let tree = tree_of(entry).map_err(|error| error.to_string())?;
            let gained = capability::gained(&own.can, &capability::of_own(entry, &tree));
            Ok(OwnFiles { tree: tree.digest(), gained, blocking: approvals.blocking_findings(&tree) })
        };
        match self.own.entry(entry.origin.real.clone()).or_insert_with(read) {
            Ok(own) if !own.gained.is_empty() => {
                Trust::No(UntrustedReason::OwnGrew { more: own.gained.clone() })
            }
            Ok(own) if !own.blocking.is_empty() => {
                Trust::No(UntrustedReason::Blocked { findings: own.blocking.clone() })
            }
            Ok(own) => Trust::Own(own.tree),
            Err(problem) => Trust::No(UntrustedReason::Unreadable { problem: problem.clone() }),
        }
    }

    fn disabled_by(&self, entry: &Entry, root: &Root) -> Option<DisabledBy> {
        let settings = self.inputs.settings;
        if !is_source_on(root, self.inputs) {
            return Some(DisabledBy::Source);
        }
        let own = is_of_repository(entry, root);
        let closed = settings.closed.as_ref().or(settings.project_closed.as_ref().filter(|_| own));
        if let Some(file) = closed {
            return Some(DisabledBy::Unreadable { file: file.clone() });
        }
        let address = entry.address();
        let names = |glob: &&NameGlob| glob.matches(&entry.name) || glob.matches(&address);
        let project = settings.project_ignore.iter().filter(|_| own);
        if let Some(glob) = settings.ignore.iter().chain(project).find(names) {
            return Some(DisabledBy::Ignore { glob: glob.as_str().to_owned() });
        }
        if !settings.include.is_empty() && !settings.include.iter().any(|glob| names(&glob)) {
            return Some(DisabledBy::NotIncluded);
        }
        let proposed = settings.proposed.as_ref().is_some_and(|folder| entry.origin.file.starts_with(folder));
        let is_aside = proposed || entry.origin.skipped.is_some();
        let rule = self
            .rules
            .iter()
            // A repository cannot enable what the user disabled, nor disable what is not its own.
            .filter(|rule| rule.owner != RuleOwner::Project || own && !rule.enabled)
            // A name may have been meant for another skill.
            .filter(|rule| !(is_aside && rule.enabled && matches!(rule.select, Select::Name(_))))
            .rfind(|rule| rule.hits(entry));
        match rule {
            Some(rule) => (!rule.enabled).then(|| DisabledBy::Rule { owner: rule.owner.clone() }),
            None if proposed => Some(DisabledBy::Rule { owner: RuleOwner::Proposed }),
            None => entry.origin.skipped.clone().map(DisabledBy::Place),
        }
    }
}

/// Whether a skill is the repository's own: found there, and neither a skill of the user that it links to nor one that
/// this call names.
fn is_of_repository(entry: &Entry, root: &Root) -> bool {
    root.needs_trust.is_some() && root.scope != Scope::Extra && entry.origin.within.is_some()
}

/// How a trust store names a skill: its real path relative to the repository.
pub fn trust_key(repository: &Path, entry: &Entry) -> String {
    entry.origin.real.strip_prefix(repository).unwrap_or(&entry.origin.real).to_string_lossy().into_owned()
}

/// Whether an agent that reads a root is enabled: a folder that several agents share stays as long
/// as one of them is. For each agent the last rule that is about it counts.
pub(super) fn is_source_on(root: &Root, inputs: Inputs<'_>) -> bool {
    let settings = inputs.settings;
    if let Some(is_on) = settings.owners_choice(inputs.agents, &root.path, root.scope, &root.agents) {
        return is_on;
    }
    let is_on = |agent: Option<&String>| {
        let about = |rule: &&SourceRule| {
            rule.scope.is_none_or(|scope| scope == root.scope)
                && rule.agent.as_ref().is_none_or(|named| Some(named) == agent)
        };
        settings.sources.iter().rfind(about).is_none_or(|rule| rule.enabled)
    };
    if root.agents.is_empty() { is_on(None) } else { root.agents.iter().any(|agent| is_on(Some(agent))) }
}

/// Decides which skill wins each name. A disabled, invalid or untrusted skill shadows no other.
pub(super) fn place(entries: &mut [Entry], settings: &Settings) -> HashMap<String, Vec<usize>> {
    let mut index: HashMap<String, Vec<usize>> = HashMap::with_capacity(entries.len());
    for (at, entry) in entries.iter().enumerate() {
        index.entry(entry.address()).or_default().push(at);
    }
    for group in index.values().filter(|group| group.len() > 1) {
        let ready = |at: &&usize| entries[**at].placement == Placement::Active;
        let required = group.iter().filter(ready).find(|at| is_required(&entries[**at], settings));
        let Some(winner) = required.or_else(|| group.iter().find(ready)).copied() else { continue };
        for at in group.iter().copied().filter(|at| *at != winner) {
            if entries[at].placement == Placement::Active {
                entries[at].placement = Placement::Shadowed { by: winner };
            }
        }
    }
    index
}

/// Reports skills of the repository that take the place of one of the user, and names that look like others.
pub(super) fn report_displaced(entries: &mut [Entry], roots: &[Root], diagnostics: &mut Vec<Diagnostic>) {
    let own = |entry: &Entry| {
        matches!(entry.origin.scope, Scope::User | Scope::Custom | Scope::Managed)
            && roots[entry.origin.root].needs_trust.is_none()
    };
    let displaced: Vec<(usize, PathBuf)> = entries
        .iter()
        .filter(|entry| own(entry))
        .filter_map(|entry| match entry.placement {
            Placement::Shadowed { by } => Some((by, entry.origin.file.clone())),
            _ => None,
        })
        .collect();
    for (by, file) in displaced {
        if is_of_repository(&entries[by], &roots[entries[by].origin.root]) {
            entries[by].displaces.push(file);
        }
    }
    diagnostics.extend(entries.iter().filter_map(Entry::displacement));
    diagnostics.extend(entries.iter().filter_map(|entry| {
        let other = entry.looks_like.as_ref()?;
        let message =
            format!("the name `{}` looks like `{other}` and is another", entry.name.escape_unicode());
        let found = Diagnostic::new(Code::ConfusableName, message).in_path(&entry.origin.file);
        Some(found.help("read the skill before you use it; its author should write the name in one script"))
    }));
}

/// A managed skill that its administrator marked, in the settings or in the skill itself.
fn is_required(entry: &Entry, settings: &Settings) -> bool {
    let marked = || {
        entry
            .loaded
            .manifest
            .metadata
            .iter()
            .any(|(key, value)| key == "required" && matches!(value, skillful_format::Data::Bool(true)))
    };
    entry.origin.scope == Scope::Managed
        && (settings.require_all || settings.required.contains(&entry.name) || marked())
}
