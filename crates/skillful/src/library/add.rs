//! Installing from a source: a download, then a plan made of it and the user's answers.

use super::{Answers, InstallPlan, Library, LibraryError, sign_in::TEAM_LABEL};
use crate::shell_word::shell_word;
use skillful_catalog::{Environment, profile::Collision, roots::repository_of};
use skillful_format::{Diagnostic, Limits, Tree, TreePath, path_text};
use skillful_registry::{
    Source,
    approvals::ApprovedBy,
    fetch::{FetchError, Fetched, Outside, RefusedSkill, WebError, fetch},
    install::{
        Adding, Mode, Reach, ReadFolders, Refusal, choose_folders, common_folders, places, plan_add,
        plan_add_replacing, plan_remove, read_folders,
    },
    lock::SkillKey,
    review::{self, Card},
    source::{Ref, SkillName, SourceError, SourceFault, SourceLocation},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

/// The agent whose folder is meant when none is named: `.agents/skills`, which most agents read.
const DEFAULT_AGENT: &str = "agentskills";

/// The word for every agent found here.
const ALL_AGENTS: &str = "all";

/// What is to be installed, and for whom.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AddRequest {
    /// The source as the user wrote it.
    pub source: String,
    /// Only these skills of it; all when empty.
    pub skills: Vec<String>,
    /// The branch, tag or commit of a repository.
    pub revision: Option<String>,
    /// The agents; `all` is every agent found here; the shared folder when empty.
    pub agents: Vec<String>,
    /// Links into the content store instead of copies.
    pub link: bool,
    /// The only signer that is accepted.
    pub signer: Option<String>,
    /// A folder of the same name that Skillful did not install, or that the user edited, is saved and replaced.
    pub replace: bool,
}

/// What a source gave, audited.
#[derive(Clone, Debug)]
pub struct Download {
    source: Source,
    fetched: Fetched,
    folders: Vec<TreePath>,
    mode: Mode,
    signer: Option<String>,
    replace: bool,
    cards: BTreeMap<SkillKey, Card>,
    warnings: Vec<String>,
    /// Skills of the source that are skipped, with the reasons.
    pub diagnostics: Vec<Diagnostic>,
}

impl Download {
    /// The skills: name and files.
    pub fn skills(&self) -> impl Iterator<Item = (&SkillKey, &Tree)> {
        self.fetched.skills.iter().map(|found| (&found.name, &found.tree))
    }

    /// Keeps only some of the skills.
    pub fn keep(&mut self, keeps: impl Fn(&SkillKey) -> bool) {
        self.fetched.skills.retain(|found| keeps(&found.name));
        self.cards.retain(|name, _| keeps(name));
    }

    /// What an audit says of them.
    pub fn cards(&self) -> &BTreeMap<SkillKey, Card> {
        &self.cards
    }
}

impl Library<'_> {
    /// Downloads what a request names, and audits all of it. Writes nothing but what a fetch throws away.
    pub fn download(&self, request: &AddRequest) -> Result<Download, LibraryError> {
        let usage = |error: String| LibraryError::usage(error).fix("see skillful add --help");
        let mut source = self.source_of(&request.source)?;
        if let Some(revision) = &request.revision {
            source.reference = Some(Ref::new(revision).map_err(|error| usage(error.to_string()))?);
        }
        if let ([only], None) = (request.skills.as_slice(), &source.skill) {
            source.skill = Some(SkillName::new(only).map_err(|error| usage(error.to_string()))?);
        }
        let mut warnings = Vec::new();
        let source = self.anchored(source, &mut warnings);
        // Before the download: an unknown agent needs none.
        let agents = self.agents_meant(&request.agents)?;
        self.folders_of(&agents, &[])?;
        let mut fetched = fetch(&source, None, &self.outside(&mut warnings))
            .map_err(|error| not_fetched(&source, error))?;
        if request.skills.len() > 1 {
            for name in &request.skills {
                if let Some(RefusedSkill { folder, why, .. }) =
                    fetched.refused.iter().find(|refused| refused.is_called(name))
                {
                    return Err(
                        LibraryError::new(format!("the skill in `{folder}` cannot be installed")).cause(why)
                    );
                }
                if !fetched.skills.iter().any(|found| found.name.as_str() == name) {
                    let there: Vec<&str> = fetched.skills.iter().map(|found| found.name.as_str()).collect();
                    return Err(LibraryError::new(format!("the source has no skill `{name}`"))
                        .cause(format!("the skills of the source are {}", there.join(", ")))
                        .fix("skillful add SOURCE --list lists them with their descriptions"));
                }
            }
            fetched.skills.retain(|found| request.skills.iter().any(|name| name == found.name.as_str()));
        }
        let names: Vec<&SkillKey> = fetched.skills.iter().map(|found| &found.name).collect();
        let folders = self.folders_of(&agents, &names)?;
        if request.link && self.site.reach == Reach::Project {
            warnings.push(
                "links lead into your home folder and do not work on another machine; leave --link out to share \
                 this project"
                    .to_owned(),
            );
        }
        let mut diagnostics = fetched.diagnostics.clone();
        diagnostics.extend(fetched.skills.iter().flat_map(|found| found.diagnostics.clone()));
        let mode = if request.link { Mode::Link } else { Mode::Copy };
        let signer = request.signer.clone();
        Ok(Download {
            cards: cards(&fetched),
            source,
            fetched,
            folders,
            mode,
            signer,
            replace: request.replace,
            warnings,
            diagnostics,
        })
    }

    /// Plans to install a download. Without an answer, what comes from another machine or has blocking findings
    /// stays pending.
    pub fn plan_add(&self, download: &Download, answers: &Answers) -> Result<InstallPlan, LibraryError> {
        let mut warnings = download.warnings.clone();
        let allowed = self.signers(&mut warnings)?;
        let blocked: BTreeSet<SkillKey> = download
            .cards
            .iter()
            .filter(|(_, card)| card.is_blocked())
            .map(|(name, _)| name.clone())
            .collect();
        let adding = Adding {
            source: &download.source,
            fetched: &download.fetched,
            folders: &download.folders,
            mode: download.mode,
            approved: &approved(answers, &blocked),
            suspect: &blocked,
            signing: self.signing(&allowed, download.signer.as_deref()),
        };
        let (lock, store) = (self.lock()?, &self.store);
        let (plan, backups) = if download.replace {
            plan_add_replacing(&adding, &lock, &self.site, store)?
        } else {
            (plan_add(&adding, &lock, &self.site, store)?, Vec::new())
        };
        let how = if answers.approved.is_empty() { ApprovedBy::Installed } else { ApprovedBy::Reviewed };
        let mut plan = self.new_plan(plan, how)?.with_cards(download.cards.clone()).with_warnings(warnings);
        plan.backups = backups;
        if !download.replace && plan.inner.is_stopped_by_own_folders() {
            plan.fixes.push("save the folder that is there and replace it with --replace".to_owned());
        }
        Ok(plan)
    }

    /// Plans to remove skills, from every place they were installed to.
    pub fn plan_remove(&self, names: &[String]) -> Result<InstallPlan, LibraryError> {
        let lock = self.lock()?;
        let names = names.iter().map(|name| Self::installed(&lock, name)).collect::<Result<Vec<_>, _>>()?;
        let inner = plan_remove(&names, &lock, &self.site, &self.store)?;
        let edited: BTreeSet<&str> = inner
            .refused()
            .filter(|(_, why)| matches!(why, Refusal::Edited))
            .map(|(step, _)| step.name.as_str())
            .collect();
        let fixes = edited.iter().map(|name| {
            let name = shell_word(name);
            format!("discard your edits with skillful review reject {name}, then skillful remove {name}")
        });
        let fixes: Vec<String> = fixes.collect();
        let mut plan = self.new_plan(inner, ApprovedBy::Installed)?;
        plan.fixes.extend(fixes);
        Ok(plan)
    }

    /// The agents that a user names; `all` is every agent found on this machine or in this folder.
    pub(super) fn agents_meant(&self, named: &[String]) -> Result<Vec<String>, LibraryError> {
        if !named.iter().any(|name| name == ALL_AGENTS) {
            return Ok(named.to_vec());
        }
        let found = self.agents_found();
        if found.is_empty() {
            return Err(LibraryError::new("no agent was found on this machine or in this folder")
                .fix("name an agent: skillful agents lists them"));
        }
        Ok(found)
    }

    /// The agents found on this machine or in this folder, by id.
    pub(super) fn agents_found(&self) -> Vec<String> {
        self.workspace.agents_found().into_iter().map(|agent| agent.id.clone()).collect()
    }

    /// The folders for the skills of a source, from the folder of the lock: the fewest that every one of these agents
    /// reads exactly once, besides those that have all of the skills already.
    pub(super) fn folders_of(
        &self,
        agents: &[String],
        names: &[&SkillKey],
    ) -> Result<Vec<TreePath>, LibraryError> {
        let default = [DEFAULT_AGENT.to_owned()];
        let agents = if agents.is_empty() { default.as_slice() } else { agents };
        let mut chosen = Vec::new();
        for agent in agents {
            let agent = self.workspace.agent(agent).map_err(|unknown| {
                let near = unknown.near.first().map(|near| format!("did you mean {near}?"));
                LibraryError::usage(&unknown)
                    .fix(near.unwrap_or_else(|| "skillful agents lists them".to_owned()))
            })?;
            chosen.push(&agent.id);
        }
        let Environment { home, variables, .. } = self.workspace.environment();
        let mut readers = Vec::new();
        for agent in self.workspace.agents().iter() {
            let (is_chosen, lists_each) = (chosen.contains(&&agent.id), agent.collision == Collision::All);
            let folders = match read_folders(agent, &self.site, home, variables) {
                Ok(folders) => folders,
                Err(error) if is_chosen => return Err(error.into()),
                Err(_) => continue,
            };
            readers.push(ReadFolders { agent: agent.id.clone(), chosen: is_chosen, lists_each, folders });
        }
        let lock = self.lock()?;
        let places_of = |name: &&SkillKey| match lock.skills.get(name) {
            Some(locked) => places(locked).map(|(place, _)| place).collect(),
            None => Vec::new(),
        };
        let already = common_folders(names.iter().map(places_of));
        let new = choose_folders(&readers, &already)?;
        // A folder that has them already is named again, so that the plan says so.
        let read = |folder: &TreePath| readers.iter().any(|one| one.chosen && one.folders.contains(folder));
        Ok(already.iter().filter(|folder| read(folder)).chain(&new).cloned().collect())
    }

    /// The source that a user means by a text. What can be read in two ways is refused with both.
    pub(super) fn source_of(&self, text: &str) -> Result<Source, LibraryError> {
        let is_here = self.workspace.environment().cwd.join(text).exists();
        let spelled = self.spelled(text);
        match spelled.parse::<Source>() {
            Ok(Source { place: SourceLocation::Forge { .. }, .. }) if is_here && !text.contains(':') => {
                Err(LibraryError::usage(format!("`{text}` is a path here and a repository of GitHub"))
                    .fix(format!("skillful add ./{text}"))
                    .fix(format!("skillful add github:{text}")))
            }
            Ok(source) if spelled != text && is_here && self.sources()?.sources.contains_key(text) => {
                Err(LibraryError::usage(format!("`{text}` is a path here and one of your sources"))
                    .fix(format!("skillful add {source}"))
                    .fix(format!(
                        "skillful add {text}:SKILL   skillful source browse {text} lists its skills"
                    )))
            }
            Ok(source) => Ok(source),
            Err(error) if matches!(error.why, SourceFault::SingleWord | SourceFault::Scheme) => {
                match self.labelled(text)? {
                    Some(source) => Ok(source),
                    None => Err(LibraryError::usage(error).fix("see skillful add --help")),
                }
            }
            Err(error) => Err(LibraryError::usage(error).fix("see skillful add --help")),
        }
    }

    /// What `team` and `team:pdf` mean with the label of one of the user's sources: all of its skills, or one.
    fn labelled(&self, text: &str) -> Result<Option<Source>, LibraryError> {
        let (label, skill) = text.split_once(':').map_or((text, None), |(label, skill)| (label, Some(skill)));
        let sources = self.sources()?;
        let Some(entry) = sources.sources.get(label) else {
            // A word before a name is a label, and no scheme of an address.
            let is_label =
                label.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_".contains(&b));
            if !is_label || skill.is_none_or(|skill| SkillName::new(skill).is_err()) {
                return Ok(None);
            }
            let mut missing = LibraryError::usage(format!("no source named `{label}`"));
            let mut causes = Vec::new();
            if !sources.sources.is_empty() {
                let known: Vec<&str> = sources.sources.keys().map(String::as_str).collect();
                causes.push(format!("your sources are {}", known.join(", ")));
                missing = missing.fix("skillful source list");
            }
            if !sources.sources.values().any(|entry| entry.team) {
                // `login` gives a team server this label when the user names no other.
                let named = if label == TEAM_LABEL { String::new() } else { format!(" --label {label}") };
                causes.push("you are not signed in to a team server".to_owned());
                missing = missing.fix(format!(
                    "skillful login ADDRESS{named}   the address of the server, as https://skills.example.org"
                ));
            }
            if !causes.is_empty() {
                missing = missing.cause(causes.join("; "));
            }
            return Err(missing);
        };
        if entry.registry {
            return Err(LibraryError::usage(format!("`{label}` is a registry, which gives single skills"))
                .fix(format!("skillful add {label}:SKILL   skillful source browse {label} lists them")));
        }
        let wrong = |error: SourceError| LibraryError::usage(error).fix("see skillful add --help");
        let skill = skill.map(|skill| SkillName::new(skill).map_err(wrong)).transpose()?;
        let whole = entry.source.clone();
        Ok(Some(Source { skill: skill.or_else(|| whole.skill.clone()), ..whole }))
    }

    /// A name of a file or folder that is there, as a path: `pdf.zip` is `./pdf.zip`; `./lib@pdf` as a skill of the folder
    /// `./lib`; a label of a registry before a name as a skill of that registry.
    fn spelled(&self, source: &str) -> String {
        let environment = self.workspace.environment();
        let exists = |path: &str| match path.strip_prefix("~/") {
            Some(below) => environment.home.join(below).exists(),
            None => environment.cwd.join(path).exists(),
        };
        // A folder can have `@` in its name.
        if source.starts_with(['.', '/', '~'])
            && !source.contains('#')
            && let Some((folder, skill)) = source.rsplit_once('@')
            && !skill.contains('/')
            && !exists(source)
            && exists(folder)
        {
            return format!("{folder}#@{skill}");
        }
        let is_name = !source.contains(['/', ':', '#', '@']) && !source.starts_with(['.', '~']);
        let is_there = is_name && self.workspace.environment().cwd.join(source).exists();
        if is_there {
            return format!("./{source}");
        }
        // `team:pdf` is a skill of the user's registry `team`.
        match source.split_once(':') {
            Some((label, name)) if !name.starts_with('/') && self.is_registry(label) => {
                format!("registry:{label}/{name}")
            }
            _ => source.to_owned(),
        }
    }

    fn is_registry(&self, label: &str) -> bool {
        self.sources().is_ok_and(|sources| sources.sources.get(label).is_some_and(|entry| entry.registry))
    }

    /// A path as the lock keeps it: relative inside the project and beside it, else absolute with a warning.
    fn anchored(&self, mut source: Source, warnings: &mut Vec<String>) -> Source {
        let environment = self.workspace.environment();
        let is_shared = self.site.reach == Reach::Project;
        let elsewhere =
            |what: &str| format!("{what} is only on this machine; the lock cannot be used on another one");
        match &mut source.place {
            SourceLocation::Path(path) => {
                let outside = Outside { base: environment.cwd.clone(), ..self.outside(&mut Vec::new()) };
                let from = skillful_registry::fetch::absolute(path, &outside);
                let real = from.canonicalize().unwrap_or(from);
                let base = self.site.base.canonicalize().unwrap_or_else(|_| self.site.base.clone());
                let text = if is_shared { relative(&real, &base) } else { None };
                match &text {
                    None if is_shared => warnings.push(elsewhere(&format!("`{}`", path_text(&real)))),
                    Some(beside) if repository_of(&base).is_some_and(|top| !real.starts_with(top)) => {
                        warnings.push(format!(
                            "`{beside}` is not in this repository: other users of the lock need it at the same place"
                        ));
                    }
                    _ => {}
                }
                if let Some(text) = text.or_else(|| real.to_str().map(str::to_owned)) {
                    *path = text;
                }
            }
            SourceLocation::Git(remote) if is_shared && remote.is_file() => {
                warnings.push(elsewhere(remote.as_str()));
            }
            _ => {}
        }
        source
    }
}

/// What failed, why, and what to do about a source that gave nothing.
fn not_fetched(source: &Source, error: FetchError) -> LibraryError {
    match &error {
        FetchError::SameName { name, first, second } => {
            let at = |folder: &str| match &source.place {
                SourceLocation::Path(path) => format!("{}/{folder}", path.trim_end_matches('/')),
                _ => {
                    let folder = TreePath::new(folder, &Limits::default()).ok();
                    Source { folder, skill: None, ..source.clone() }.to_string()
                }
            };
            LibraryError::new(format!("two folders of the source hold a skill `{name}`"))
                .fix(format!("skillful add {}", shell_word(&at(first))))
                .fix(format!("skillful add {}", shell_word(&at(second))))
        }
        FetchError::Git(_) | FetchError::Web(WebError::Net { .. }) => {
            LibraryError::new(format!("cannot fetch {source}"))
                .cause(error)
                .fix("check the address; your sources: skillful source list")
        }
        _ => error.into(),
    }
}

/// The path from a project to something in it or beside it.
fn relative(real: &Path, base: &Path) -> Option<String> {
    let named = |start: &str, below: &Path| match below.to_str() {
        Some("") => Some(start.to_owned()),
        Some(below) => Some(format!("{start}/{below}")),
        None => None,
    };
    if let Ok(below) = real.strip_prefix(base) {
        return named(".", below);
    }
    named("..", real.strip_prefix(base.parent()?).ok()?)
}

/// The skills whose files count as approved by the user. Blocking findings need an answer that names the skill.
pub(super) fn approved(answers: &Answers, blocked: &BTreeSet<SkillKey>) -> BTreeSet<SkillKey> {
    let plain = answers.approved.difference(blocked);
    let despite = blocked.iter().filter(|name| answers.is_despite_findings(name));
    plain.chain(despite).chain(&answers.despite_findings).cloned().collect()
}

/// What an audit says of everything that was fetched.
pub(super) fn cards(fetched: &Fetched) -> BTreeMap<SkillKey, Card> {
    let trees: Vec<&Tree> = fetched.skills.iter().map(|found| &found.tree).collect();
    fetched.skills.iter().map(|found| found.name.clone()).zip(review::cards(&trees)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_in_or_beside_a_project_is_relative_and_another_is_not() {
        let base = Path::new("/home/u/src/app");
        for (real, text) in [
            ("/home/u/src/app", Some(".")),
            ("/home/u/src/app/lib", Some("./lib")),
            ("/home/u/src/other/skills", Some("../other/skills")),
            ("/home/u/src", Some("..")),
            ("/home/u/elsewhere", None),
        ] {
            assert_eq!(relative(Path::new(real), base).as_deref(), text, "{real}");
        }
    }

    #[test]
    fn a_blocked_skill_is_approved_only_by_an_answer_that_names_it() {
        let name = |text: &str| -> SkillKey { text.parse().unwrap() };
        let blocked = BTreeSet::from([name("bad")]);
        let mut answers = Answers { approved: [name("good"), name("bad")].into(), ..Answers::default() };
        assert_eq!(approved(&answers, &blocked), [name("good")].into());
        answers.despite_findings.insert(name("bad"));
        assert_eq!(approved(&answers, &blocked), [name("good"), name("bad")].into());
        let all = Answers { despite_all_findings: true, ..Answers::default() };
        assert_eq!(
            approved(&all, &blocked),
            [name("bad")].into(),
            "a skill without findings is not approved by it"
        );
    }
}
