//! The ways to a skill. Each of them asks the one gate; a new way is a line of the table here, and
//! the suite fails until it is shown to obey every gate.

use skillful_catalog::{
    Catalog, Environment, Principal, State,
    gate::{Door, Reason, Status, Verdict, gate},
};

/// Who asks, and what is around.
#[derive(Clone, Copy, Debug)]
pub struct Asker<'a> {
    /// Who.
    pub principal: &'a Principal,
    /// Where.
    pub environment: &'a Environment,
    /// The agent through which they ask, when only what it reads counts.
    pub agent: Option<&'a str>,
}

impl<'a> Asker<'a> {
    /// Somebody who asks Skillful itself, which reads every folder.
    pub fn new(principal: &'a Principal, environment: &'a Environment) -> Self {
        Self { principal, environment, agent: None }
    }
}

/// How somebody comes to a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
    /// The person's list of slash commands.
    Slash,
    /// The catalogue that a model chooses from.
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

    /// The door it leads to.
    pub const fn door(self) -> Door {
        match self {
            Self::Mention | Self::Exact | Self::Slash => Door::Person,
            Self::Select
            | Self::Sticky
            | Self::Companion
            | Self::Route
            | Self::Menu
            | Self::List
            | Self::Show
            | Self::Load
            | Self::Transition
            | Self::Execute => Door::Model,
        }
    }

    /// Reasons of the gate that do not count here. A description is what a list needs, not what a
    /// name or a rule needs; who gives the whole path means that very skill.
    fn overlooks(self, reason: &Reason) -> bool {
        match reason {
            Reason::NoDescription => !matches!(self, Self::Menu | Self::List),
            Reason::Shadowed => self == Self::Exact,
            _ => false,
        }
    }
}

/// What the gate says about a skill that somebody reaches this way.
pub fn admit(catalog: &Catalog, entry: usize, asker: Asker<'_>, way: Way) -> Verdict {
    let mut verdict = gate(catalog, &catalog.entries[entry], asker.principal, asker.environment, way.door());
    if let Some(agent) = asker.agent
        && !catalog.agents_of(&catalog.entries[entry]).contains(&agent)
    {
        verdict.reasons.push(Reason::NotRead { agent: agent.to_owned() });
    }
    verdict.reasons.retain(|reason| !way.overlooks(reason));
    Verdict::of(verdict.reasons)
}

/// Every skill that this way is open to, by address.
pub fn offered(catalog: &Catalog, asker: Asker<'_>, way: Way) -> Vec<usize> {
    let mut open: Vec<usize> = (0..catalog.entries.len())
        .filter(|at| is_meant(catalog, *at, asker))
        .filter(|at| admit(catalog, *at, asker, way).reasons.is_empty())
        .collect();
    open.sort_by_cached_key(|at| catalog.entries[*at].address());
    open
}

/// Whether a skill is what its name means to who asks: the winner, or the next one for a person who
/// switched the winner off.
pub(crate) fn is_meant(catalog: &Catalog, at: usize, asker: Asker<'_>) -> bool {
    let entry = &catalog.entries[at];
    match (&entry.state, asker.principal.user.as_deref()) {
        (State::Untrusted { .. }, _) | (State::Ready, None) => true,
        (State::Ready | State::Shadowed { .. }, Some(person)) => {
            catalog.called_by(&entry.address(), Some(person)).is_some_and(|(meant, _)| meant == at)
        }
        (State::Shadowed { .. }, None) | (State::Disabled { .. } | State::Invalid, _) => false,
    }
}

/// Why a name leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What was asked for.
    pub word: String,
    /// The skill and what the gate said about it. For the person's own eyes: a model gets
    /// [`Refusal::message`].
    pub skill: Option<(usize, Verdict)>,
    /// Addresses that come near and are open to who asks.
    pub near: Vec<String>,
}

impl Refusal {
    /// What to tell who asked. A skill that is not for them is told like one that does not exist;
    /// one that lacks something is told with what it lacks.
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
pub fn reach(catalog: &Catalog, word: &str, asker: Asker<'_>, way: Way) -> Result<usize, Refusal> {
    use skillful_catalog::names::Lookup;
    let refuse = |skill| Refusal { word: word.to_owned(), skill, near: near(catalog, word, asker, way) };
    let person = asker.principal.user.as_deref();
    let at = match catalog.called_by(word, person) {
        Some((at, _)) => at,
        None => match catalog.find(word, &asker.environment.cwd) {
            Lookup::Found(at) => at,
            Lookup::Unknown { .. } => return Err(refuse(None)),
        },
    };
    let verdict = admit(catalog, at, asker, way);
    if verdict.reasons.is_empty() { Ok(at) } else { Err(refuse(Some((at, verdict)))) }
}

/// Addresses that look like a word and are open this way. Nobody learns of a skill by misspelling.
pub(crate) fn near(catalog: &Catalog, word: &str, asker: Asker<'_>, way: Way) -> Vec<String> {
    catalog.near(word, &|at| admit(catalog, at, asker, way).reasons.is_empty())
}
