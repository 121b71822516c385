//! What a team gives to the user, on this machine: the skills that are on, each in the version and with the digest that the
//! server names; what is no longer on goes; what was revoked is not used.
//!
//! The user's sign-in to the server and `required` by its administrator are the consent for exactly these files. A skill that
//! is only on waits for an answer of the user, and blocking findings stop either.

use super::{Answers, InstallPlan, Library, LibraryError, add};
use crate::team_server::{EffectiveSkill, TeamServerError};
use skillful_format::{Digest, TreePath};
use skillful_registry::{
    Lock, Source,
    approvals::ApprovedBy,
    fetch::{Fetched, fetch},
    install::{Adding, Mode, places, plan_change},
    lock::{Locked, SkillKey},
    review::{self, Card},
    source::{Ref, SourceLocation},
    team_record::{RevokedTree, TeamRecord, TeamSkill},
};
use std::collections::{BTreeMap, BTreeSet};

/// Skills that one server may put on a machine.
const SKILLS: usize = 2_000;

/// Which server, for which agents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TeamRequest {
    /// The label or the address; the only server without it.
    pub server: Option<String>,
    /// The agents; all that are found here when it is empty or has `all`. Those whose folders cannot be written are skipped,
    /// and without any it is the shared folder.
    pub agents: Vec<String>,
}

/// What a server put on this machine when a plan of its answer is carried out.
#[derive(Clone, Debug)]
pub(super) struct TeamNote {
    label: String,
    address: String,
    skills: BTreeMap<String, TeamSkill>,
}

impl TeamNote {
    fn of(answer: &TeamAnswer) -> Self {
        let skill = |one: &WantedSkill| {
            (one.name.to_string(), TeamSkill { id: one.id.clone(), version: one.version, tree: one.tree })
        };
        Self {
            label: answer.label.clone(),
            address: answer.address.clone(),
            skills: answer.wanted.iter().map(skill).collect(),
        }
    }
}

/// A skill that is on for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WantedSkill {
    /// Its name.
    pub name: SkillKey,
    /// Its id on the server.
    pub id: String,
    /// The version.
    pub version: i64,
    /// The digest of the files.
    pub tree: Digest,
    /// Whether it is required.
    pub is_required: bool,
    /// Why it is on.
    pub reason: String,
}

/// What a server wants for the user, with the files that were missing here.
#[derive(Clone, Debug)]
pub struct TeamAnswer {
    /// The label of the server.
    pub label: String,
    /// Its address.
    pub address: String,
    /// The skills that are on.
    pub wanted: Vec<WantedSkill>,
    /// Files of locks that were taken back: digest, skill and reason.
    pub revoked: BTreeMap<Digest, RevokedTree>,
    /// Skills that could not be fetched, and why.
    pub missed: Vec<(String, String)>,
    agents: Vec<String>,
    fetched: BTreeMap<SkillKey, Fetched>,
    cards: BTreeMap<SkillKey, Card>,
}

impl WantedSkill {
    fn of(effective: EffectiveSkill) -> Result<Self, String> {
        let EffectiveSkill { skill, version, choice, reason, .. } = effective;
        let name = skill.name.parse().map_err(|why| format!("`{}` {why}", skill.name))?;
        if version.number < 1 {
            return Err(format!("{name} has no version {}", version.number));
        }
        let reason = reason.chars().filter(|c| !c.is_control()).take(200).collect();
        Ok(Self {
            name,
            id: skill.id,
            version: version.number,
            tree: version.tree,
            is_required: choice == "required",
            reason,
        })
    }

    fn version_text(&self) -> String {
        format!("{}.0.0", self.version)
    }
}

fn source(label: &str, name: &SkillKey) -> Source {
    Source::of(SourceLocation::Registry { name: format!("{label}/{name}"), version: None })
}

impl Library<'_> {
    /// Asks the server what is on for the user and what was taken back, and fetches the files that are missing here. Files
    /// that were taken back are not used from now on, also when nothing else is carried out.
    pub fn ask_team(&self, request: &TeamRequest) -> Result<TeamAnswer, LibraryError> {
        let agents = self.agents_of_team(&request.agents)?;
        let (label, address) = self.team_source(request.server.as_deref())?;
        let server = self.team_client(&address)?;
        let effective = server.effective().map_err(|error| self.away(&label, error))?;
        let on: Vec<EffectiveSkill> = effective.into_iter().filter(|one| one.is_on).collect();
        if on.len() > SKILLS {
            return Err(LibraryError::new(format!(
                "{address} wants {} skills; the limit is {SKILLS}",
                on.len()
            )));
        }
        let mut missed = Vec::new();
        let mut wanted = Vec::new();
        for one in on {
            let name = one.skill.name.clone();
            match WantedSkill::of(one) {
                Ok(one) => wanted.push(one),
                Err(why) => missed.push((name, why)),
            }
        }
        let lock = self.lock()?;
        let revoked = self.taken_back(&label, &server, &lock)?;
        self.record_revoked(&label, &revoked)?;
        wanted.retain(|one| !revoked.contains_key(&one.tree));
        let mut answer = TeamAnswer {
            label,
            address,
            wanted,
            revoked,
            missed,
            agents,
            fetched: BTreeMap::new(),
            cards: BTreeMap::new(),
        };
        self.fetch_wanted(&mut answer, &lock)?;
        Ok(answer)
    }

    /// A server that is away changes nothing; what it took back before stays unused.
    fn away(&self, label: &str, error: TeamServerError) -> LibraryError {
        let is_away = error.is_away();
        let failure = LibraryError::from(error);
        if !is_away {
            return failure;
        }
        let known = TeamRecord::load(&self.workspace.paths().data)
            .map_or(0, |record| record.revoked.values().filter(|revoked| revoked.server == label).count());
        let known = match known {
            1 => "1 revocation of this server is known and stays in effect".to_owned(),
            many => format!("{many} revocations of this server are known and stay in effect"),
        };
        failure.cause(format!("nothing was changed; {known}"))
    }

    /// What the server took back of everything that locks name here and that came from it. It learns of no other skill.
    fn taken_back(
        &self,
        label: &str,
        server: &crate::team_server::TeamServer,
        lock: &Lock,
    ) -> Result<BTreeMap<Digest, RevokedTree>, LibraryError> {
        let project = Lock::load(&self.workspace.project_site().lock).unwrap_or_default();
        let record = TeamRecord::load(&self.workspace.paths().data)?;
        let mut named: BTreeMap<Digest, String> = BTreeMap::new();
        let below = format!("{}/", server.address());
        let is_of_it = |name: &SkillKey, locked: &Locked| {
            locked.source.place == source(label, name).place
                || locked.resolved.url.as_ref().is_some_and(|url| url.starts_with(&below))
        };
        let of_it = lock.skills.iter().chain(&project.skills).filter(|(name, locked)| is_of_it(name, locked));
        for (name, locked) in of_it {
            named.insert(locked.tree, name.to_string());
        }
        // What is known is asked again: only a server that says something else about these files takes a revocation back.
        let known: BTreeMap<Digest, RevokedTree> =
            record.revoked.into_iter().filter(|(_, revoked)| revoked.server == label).collect();
        named.extend(known.iter().map(|(tree, revoked)| (*tree, revoked.skill.clone())));
        let digests: Vec<Digest> = named.keys().copied().collect();
        let verdicts = server.verdicts(&digests)?;
        let verdicts: BTreeMap<Digest, _> =
            verdicts.into_iter().map(|verdict| (verdict.digest, verdict)).collect();
        let revoked = |(tree, skill): (Digest, String)| {
            let verdict = verdicts.get(&tree).filter(|verdict| verdict.state != "unknown");
            let revoked = match verdict {
                Some(verdict) if verdict.state == "revoked" => {
                    let reason = verdict.reason.chars().filter(|c| !c.is_control()).take(400).collect();
                    RevokedTree { server: label.to_owned(), skill, reason }
                }
                Some(_) => return None,
                // The user may not read the skill any more, for example: that does not make its files safe.
                None => known.get(&tree)?.clone(),
            };
            Some((tree, revoked))
        };
        Ok(named.into_iter().filter_map(revoked).collect())
    }

    fn record_revoked(
        &self,
        label: &str,
        revoked: &BTreeMap<Digest, RevokedTree>,
    ) -> Result<(), LibraryError> {
        Ok(TeamRecord::change(&self.workspace.paths().data, &self.writer, |record| {
            record.revoked.retain(|_, known| known.server != label);
            record.revoked.extend(revoked.iter().map(|(tree, revoked)| (*tree, revoked.clone())));
        })?)
    }

    /// The agents that are meant, and whose folders of this scope can be written.
    fn agents_of_team(&self, named: &[String]) -> Result<Vec<String>, LibraryError> {
        let mut agents = if named.is_empty() { self.agents_found() } else { self.agents_meant(named)? };
        for agent in &agents {
            self.workspace.agent(agent)?;
        }
        agents.retain(|agent| self.folders_of(std::slice::from_ref(agent), &[]).is_ok());
        Ok(agents)
    }

    /// Whether the lock has a wanted skill in every folder that is meant, so that nothing is fetched.
    fn has_wanted(
        &self,
        one: &WantedSkill,
        answer: &TeamAnswer,
        locked: &Locked,
    ) -> Result<bool, LibraryError> {
        if locked.tree != one.tree
            || locked.pending
            || locked.source.place != source(&answer.label, &one.name).place
        {
            return Ok(false);
        }
        if self.store.read(&locked.installed()).is_err() {
            return Ok(false);
        }
        let folders = self.folders_of(&answer.agents, &[&one.name])?;
        let is_there = |folder: &TreePath| {
            places(locked).any(|(place, _)| place.as_str() == format!("{folder}/{}", one.name))
        };
        Ok(folders.iter().all(is_there))
    }

    fn fetch_wanted(&self, answer: &mut TeamAnswer, lock: &Lock) -> Result<(), LibraryError> {
        let mut warnings = Vec::new();
        let outside = self.outside(&mut warnings);
        for one in answer.wanted.clone() {
            let locked = lock.skills.get(&one.name);
            if locked.map_or(Ok(false), |locked| self.has_wanted(&one, answer, locked))? {
                continue;
            }
            let pinned = Ref::new(&one.version_text()).ok();
            let fetched = fetch(&source(&answer.label, &one.name), pinned.as_ref(), &outside);
            let checked = fetched.map_err(|error| error.to_string()).and_then(|fetched| {
                match fetched.skills.as_slice() {
                    [skill] if skill.name != one.name => Err(format!("the server sent `{}`", skill.name)),
                    [skill] if skill.tree.digest() != one.tree => {
                        Err("the server sent other files than it names".to_owned())
                    }
                    [_] => Ok(fetched),
                    _ => Err("the server sent more than one skill".to_owned()),
                }
            });
            match checked {
                Ok(fetched) => drop(answer.fetched.insert(one.name.clone(), fetched)),
                Err(why) => {
                    answer.missed.push((one.name.to_string(), why));
                    // A version that does not come leaves the one that is here.
                    if locked.is_none() {
                        answer.wanted.retain(|other| other.name != one.name);
                    }
                }
            }
        }
        let trees: Vec<_> = answer.fetched.values().flat_map(|fetched| &fetched.skills).collect();
        let cards = review::cards(&trees.iter().map(|skill| &skill.tree).collect::<Vec<_>>());
        answer.cards = trees.iter().map(|skill| skill.name.clone()).zip(cards).collect();
        answer.missed.extend(warnings.into_iter().map(|why| ("sources".to_owned(), why)));
        Ok(())
    }

    /// Plans to install what is on for the user, and to remove what a sync of this server installed and is no longer on or was
    /// taken back. What is required is approved by the sign-in; the rest is pending until the user answers.
    pub fn plan_team(&self, answer: &TeamAnswer, answers: &Answers) -> Result<InstallPlan, LibraryError> {
        let lock = self.lock()?;
        let mut warnings: Vec<String> =
            answer.missed.iter().map(|(name, why)| format!("{name} was not synced: {why}")).collect();
        let allowed = self.signers(&mut warnings)?;
        let approvals = self.approvals()?;
        let blocked: BTreeSet<SkillKey> =
            answer.cards.iter().filter(|(_, card)| card.is_blocked()).map(|(name, _)| name.clone()).collect();
        let mut agreed = answers.clone();
        let by_machine = self.workspace.approves_locked();
        for one in &answer.wanted {
            if one.is_required || by_machine || approvals.has(&one.tree) {
                agreed.approved.insert(one.name.clone());
            }
        }
        let approved = add::approved(&agreed, &blocked);
        let (mut sources, mut kept) = (Vec::new(), Vec::new());
        for one in &answer.wanted {
            match answer.fetched.get(&one.name) {
                Some(fetched) => {
                    let folders = self.folders_of(&answer.agents, &[&one.name])?;
                    sources.push((source(&answer.label, &one.name), fetched, folders));
                }
                None => kept.push(one.name.clone()),
            }
        }
        let addings: Vec<Adding<'_>> = sources
            .iter()
            .map(|(source, fetched, folders)| Adding {
                source,
                fetched,
                folders,
                mode: Mode::Copy,
                approved: &approved,
                suspect: &blocked,
                signing: self.signing(&allowed, None),
            })
            .collect();
        let removed = self.no_longer(answer, &lock)?;
        let plan = plan_change(&addings, &kept, &removed, &lock, &self.site, &self.store)?;
        let how = if answers.approved.is_empty() { ApprovedBy::Team } else { ApprovedBy::Reviewed };
        Ok(self
            .new_plan(plan, how)?
            .with_cards(answer.cards.clone())
            .with_warnings(warnings)
            .without_refused()
            .with_team(TeamNote::of(answer)))
    }

    /// The skills of the lock that a sync of this server installed and that are not wanted any more.
    fn no_longer(&self, answer: &TeamAnswer, lock: &Lock) -> Result<Vec<SkillKey>, LibraryError> {
        let record = TeamRecord::load(&self.workspace.paths().data)?;
        let before = record.servers.get(&answer.label).map(|server| &server.skills);
        let is_wanted = |name: &SkillKey| answer.wanted.iter().any(|one| one.name == *name);
        let is_here = |name: &SkillKey, locked: &Locked| {
            locked.source.place == source(&answer.label, name).place
                && (before.is_some_and(|before| before.contains_key(name.as_str()))
                    || answer.revoked.contains_key(&locked.tree))
        };
        Ok(lock
            .skills
            .iter()
            .filter(|(name, locked)| !is_wanted(name) && is_here(name, locked))
            .map(|(name, _)| name.clone())
            .collect())
    }

    /// Reports uses to a server.
    pub(crate) fn report_uses(
        &self,
        label: &str,
        reports: &[crate::team_server::UseReport],
    ) -> Result<(), LibraryError> {
        let (_, address) = self.team_source(Some(label))?;
        Ok(self.team_client(&address)?.report(reports)?)
    }

    /// Records which skills a sync of a server puts here: before a plan of it is carried out, so that a run that is stopped
    /// loses nothing, and after that (`is_done`), when what is not in the lock any more is forgotten.
    pub(super) fn record_team(&self, plan: &InstallPlan, is_done: bool) -> Result<(), LibraryError> {
        let Some(TeamNote { label, address, skills }) = &plan.team else { return Ok(()) };
        let lock = self.lock()?;
        Ok(TeamRecord::change(&self.workspace.paths().data, &self.writer, |record| {
            let server = record.servers.entry(label.clone()).or_default();
            server.address.clone_from(address);
            server.skills.extend(skills.clone());
            if is_done {
                server.skills.retain(|name, _| lock.skills.keys().any(|key| key.as_str() == name));
            }
        })?)
    }
}
