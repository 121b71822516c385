//! The ways to a skill. Each of them asks the one gate, which returns a proof: activation, composition and
//! execution require it, so that a caller who forgets to ask does not compile. A new way is a line of the table
//! here, and the suite fails until it is shown to obey every gate.

use crate::{
    AdmittedSkill, Catalog, Environment, Placement, Principal,
    approvals::{NotApproved, tree_of},
    gate::{Caller, Reason, Status, Verdict, gate},
    names::Lookup,
};

/// The user and the environment that a question to the gate is about.
#[derive(Clone, Copy, Debug)]
pub struct Asker<'a> {
    /// The user.
    pub principal: &'a Principal,
    /// The machine and the folder.
    pub environment: &'a Environment,
}

impl<'a> Asker<'a> {
    /// A user on a machine.
    pub fn new(principal: &'a Principal, environment: &'a Environment) -> Self {
        Self { principal, environment }
    }
}

/// Proof that the gate let one skill of one catalog through, by one way. Only [`admit`] makes it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Admitted {
    entry: usize,
    catalog: u64,
    way: Way,
}

impl Admitted {
    /// The place of the skill in its catalog.
    pub fn entry(&self) -> usize {
        self.entry
    }

    /// The way that was asked about.
    pub fn way(&self) -> Way {
        self.way
    }
}

/// A proof that does not count: the gate must be asked again.
#[derive(Debug, thiserror::Error)]
pub enum NotAdmitted {
    /// The proof belongs to another catalog.
    #[error("the skills changed since this one was admitted; ask for it again")]
    Outdated,
    /// The files of the skill are not files that the user approved.
    #[error(transparent)]
    NotApproved(#[from] NotApproved),
}

impl Catalog {
    /// The skill that a proof admits, with the files that count. The files of a skill that needs an approval are
    /// read once and compared again with those that the user approved, since they may have changed after the gate was
    /// asked; what is used of the skill comes from what was read here.
    pub fn admitted(&self, proof: &Admitted) -> Result<AdmittedSkill<'_>, NotAdmitted> {
        let entry = self.entries.get(proof.entry).filter(|_| proof.catalog == self.id());
        let entry = entry.ok_or(NotAdmitted::Outdated)?;
        let approvals = self.approvals();
        approvals.check_record(entry.folder())?;
        if entry.approved.is_none() && !approvals.is_installed(entry.folder()) {
            return Ok(AdmittedSkill::on_disk(entry));
        }
        let files = tree_of(entry).map_err(NotApproved::from)?;
        let now = files.digest();
        // The gate was asked about these very files; those of a skill that the user writes are in no record.
        if entry.approved != Some(now) {
            approvals.check_files(entry, now)?;
            // Files may be approved too, and not be what the gate was asked about.
            if entry.approved.is_some() {
                return Err(NotAdmitted::Outdated);
            }
        }
        AdmittedSkill::approved(entry, files).ok_or(NotAdmitted::Outdated)
    }
}

/// How a user, a model or the engine comes to a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Way {
    /// A rule of the skill fits the turn.
    Select,
    /// It stayed on from an earlier turn.
    Sticky,
    /// Another skill brings it along.
    Companion,
    /// The router is sure of it.
    Route,
    /// A message names it.
    Mention,
    /// A message names it by its path or its qualified name, shadowed or not.
    Exact,
    /// The user's list of slash commands.
    Slash,
    /// The menu that a model reads.
    Menu,
    /// The list that a model asks for.
    List,
    /// A model asks what it is.
    Show,
    /// A model loads it.
    Load,
    /// A pipeline or a model goes on to it.
    Transition,
    /// One of its programs is run.
    Execute,
}

impl Way {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::Select,
        Self::Sticky,
        Self::Companion,
        Self::Route,
        Self::Mention,
        Self::Exact,
        Self::Slash,
        Self::Menu,
        Self::List,
        Self::Show,
        Self::Load,
        Self::Transition,
        Self::Execute,
    ];

    /// Whether the user or a model calls the skill this way.
    pub const fn caller(self) -> Caller {
        match self {
            Self::Mention | Self::Exact | Self::Slash => Caller::User,
            Self::Select
            | Self::Sticky
            | Self::Companion
            | Self::Route
            | Self::Menu
            | Self::List
            | Self::Show
            | Self::Load
            | Self::Transition
            | Self::Execute => Caller::Model,
        }
    }

    /// Reasons of the gate that do not count here. A list needs a description; a name or a rule
    /// does not. A path means the skill at that path, shadowed or not. A rule that fits is what a skill with `paths`
    /// waits for.
    fn overlooks(self, reason: &Reason) -> bool {
        match reason {
            Reason::NoDescription => !matches!(self, Self::Menu | Self::List),
            Reason::Shadowed => self == Self::Exact,
            Reason::WaitsForFile => self == Self::Select,
            _ => false,
        }
    }
}

/// Asks the gate about a skill. A proof when this way is open, else every reason why not.
pub fn admit(catalog: &Catalog, entry: usize, asker: Asker<'_>, way: Way) -> Result<Admitted, Verdict> {
    admit_unless(catalog, entry, asker, way, |reason| way.overlooks(reason))
}

/// The same for a skill that a path or a qualified name means: that very skill, shadowed or not.
fn admit_exact(catalog: &Catalog, entry: usize, asker: Asker<'_>, way: Way) -> Result<Admitted, Verdict> {
    admit_unless(catalog, entry, asker, way, |reason| *reason == Reason::Shadowed || way.overlooks(reason))
}

fn admit_unless(
    catalog: &Catalog,
    entry: usize,
    asker: Asker<'_>,
    way: Way,
    overlooked: impl Fn(&Reason) -> bool,
) -> Result<Admitted, Verdict> {
    let verdict = gate(catalog, &catalog.entries[entry], asker.principal, asker.environment, way.caller());
    let reasons: Vec<Reason> = verdict.reasons.into_iter().filter(|reason| !overlooked(reason)).collect();
    if reasons.is_empty() {
        Ok(Admitted { entry, catalog: catalog.id(), way })
    } else {
        Err(Verdict::of(reasons))
    }
}

/// Whether this way to a skill is open.
pub fn is_open(catalog: &Catalog, entry: usize, asker: Asker<'_>, way: Way) -> bool {
    admit(catalog, entry, asker, way).is_ok()
}

/// Every skill that this way is open to, by address.
pub fn offered(catalog: &Catalog, asker: Asker<'_>, way: Way) -> Vec<usize> {
    let mut open: Vec<usize> = (0..catalog.entries.len())
        .filter(|at| is_meant(catalog, *at, asker) && is_open(catalog, *at, asker, way))
        .collect();
    open.sort_by_cached_key(|at| catalog.entries[*at].address());
    open
}

/// Whether a skill is the one that its name means for this user: the winner, or the next one when the user
/// disabled the winner.
pub fn is_meant(catalog: &Catalog, at: usize, asker: Asker<'_>) -> bool {
    let entry = &catalog.entries[at];
    match (&entry.placement, asker.principal.user.as_deref()) {
        (Placement::Untrusted { .. } | Placement::Pending { .. }, _) | (Placement::Active, None) => true,
        (Placement::Active | Placement::Shadowed { .. }, Some(user)) => {
            catalog.called_by(&entry.address(), Some(user)).is_some_and(|(meant, _)| meant == at)
        }
        (Placement::Shadowed { .. }, None) | (Placement::Disabled { .. } | Placement::Invalid, _) => false,
    }
}

/// Why a name leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What was asked for.
    pub word: String,
    /// The skill and the verdict of the gate. Only the user reads it; a model gets
    /// [`Refusal::message`].
    pub skill: Option<(usize, Verdict)>,
    /// Similar addresses of skills that the caller may use.
    pub near: Vec<String>,
}

impl Refusal {
    /// The message for the caller. A skill that the caller may not use gives the same message as one that does
    /// not exist; an unavailable one gives what it lacks.
    pub fn message(&self) -> String {
        let lacking = self.skill.as_ref().filter(|(_, verdict)| verdict.status == Status::Unavailable);
        if let Some((_, verdict)) = lacking {
            let reasons: Vec<String> = verdict.reasons.iter().map(ToString::to_string).collect();
            return format!("the skill `{}` is not available: {}", self.word, reasons.join("; "));
        }
        let near = match self.near.as_slice() {
            [] => String::new(),
            near => format!("; did you mean `{}`?", near.join("` or `")),
        };
        format!("there is no skill `{}`{near}", self.word)
    }
}

/// Finds the skill that a word means and asks whether this way to it is open.
pub fn reach(catalog: &Catalog, word: &str, asker: Asker<'_>, way: Way) -> Result<Admitted, Refusal> {
    let refuse = |skill| Refusal { word: word.to_owned(), skill, near: near(catalog, word, asker, way) };
    let user = asker.principal.user.as_deref();
    let at = match catalog.called_by(word, user) {
        Some((at, _)) => at,
        None => match catalog.find(word, &asker.environment.cwd) {
            Lookup::Found(at) => at,
            Lookup::Unknown { .. } => return Err(refuse(None)),
        },
    };
    let is_exact = catalog.called(word).next().is_none();
    let admit = if is_exact { admit_exact } else { admit };
    admit(catalog, at, asker, way).map_err(|verdict| refuse(Some((at, verdict))))
}

/// Similar addresses that are open this way. A typo does not reveal a skill that the caller may not use.
pub fn near(catalog: &Catalog, word: &str, asker: Asker<'_>, way: Way) -> Vec<String> {
    catalog.near(word, &|at| is_open(catalog, at, asker, way))
}
