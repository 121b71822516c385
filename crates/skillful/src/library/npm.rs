//! Skills that npm `skills` installed, or that its lock asks for.

use super::{Answers, InstallPlan, Library, LibraryError, add};
use skillful_catalog::Environment;
use skillful_format::{Limits, Tree, TreePath, path_text};
use skillful_registry::{
    Source,
    approvals::ApprovedBy,
    fetch::{Fetched, fetch},
    install::{Adding, Mode, Reach, plan_add_all, plan_adopt, read_folders},
    lock::{
        SkillKey,
        npm::{HASHES, Imported, import_file},
    },
    review::{self, Card},
};
use std::collections::{BTreeMap, BTreeSet};

/// Where npm `skills` keeps its own copy.
const THEIR_FOLDER: &str = ".agents/skills";

impl Library<'_> {
    /// Plans to take over what npm `skills` installed, as it lies there. Returns how many of its skills could not be
    /// taken over.
    pub fn plan_adopt(&self) -> Result<(InstallPlan, usize), LibraryError> {
        let imported = self.npm_skills()?;
        let lock = self.lock()?;
        let adoption = plan_adopt(&imported.wanted, &self.every_folder(), &lock, &self.site, &self.store)?;
        let unread = imported.losses.iter().filter(|loss| loss.what != HASHES);
        let mut warnings: Vec<String> =
            unread.chain(&adoption.losses).map(|loss| format!("{}: {}", loss.what, loss.why)).collect();
        for place in &adoption.strays {
            let place = self.site.path(place);
            warnings.push(format!("{} is not in a lock and stays as it is", path_text(&place)));
        }
        let trees: BTreeMap<_, &Tree> = adoption.trees().map(|tree| (tree.digest(), tree)).collect();
        let made = review::cards(&trees.values().copied().collect::<Vec<_>>());
        let by_digest: BTreeMap<_, Card> = trees.into_keys().zip(made).collect();
        let adopted = adoption.plan.after.skills.iter().filter(|(name, _)| !lock.skills.contains_key(*name));
        let cards: BTreeMap<SkillKey, Card> = adopted
            .filter_map(|(name, locked)| Some((name.clone(), by_digest.get(&locked.tree)?.clone())))
            .collect();
        let mut plan = adoption.plan;
        // They lie in the folders of agents already; approving them is another question.
        plan.withheld =
            cards.iter().filter(|(_, card)| card.is_blocked()).map(|(name, _)| name.clone()).collect();
        for name in &plan.withheld {
            warnings
                .push(format!("{name} has blocking findings and is not approved; skillful review shows it"));
        }
        let plan = self.new_plan(plan, ApprovedBy::Installed)?.with_cards(cards).with_warnings(warnings);
        Ok((plan, adoption.losses.len()))
    }

    /// Plans to install what a lock of npm `skills` asks for. Returns how many of its skills could not be fetched.
    pub fn plan_import_npm(&self, answers: &Answers) -> Result<(InstallPlan, usize), LibraryError> {
        let Imported { wanted, losses } = self.npm_skills()?;
        let mut warnings: Vec<String> = losses
            .iter()
            .filter(|loss| loss.what != HASHES)
            .map(|loss| format!("{}: {}", loss.what, loss.why))
            .collect();
        let (lock, folders) = (self.lock()?, self.folders_of(&[], &[])?);
        let outside = self.outside(&mut warnings);
        let mut missed = 0;
        let mut got: Vec<(Source, Fetched)> = Vec::new();
        for wanted in wanted.into_iter().filter(|wanted| !lock.skills.contains_key(&wanted.name)) {
            let fetched = fetch(&wanted.source, None, &outside).map_err(|error| error.to_string());
            let fetched = fetched.and_then(|mut fetched| {
                fetched.skills.retain(|found| found.name == wanted.name);
                let is_there = !fetched.skills.is_empty();
                is_there.then_some(fetched).ok_or_else(|| "its source has no skill of that name".to_owned())
            });
            match fetched {
                Ok(fetched) => got.push((wanted.source, fetched)),
                Err(why) => {
                    missed += 1;
                    warnings.push(format!("{}: {why}", wanted.name));
                }
            }
        }
        let cards: BTreeMap<SkillKey, Card> =
            got.iter().flat_map(|(_, fetched)| add::cards(fetched)).collect();
        let blocked: BTreeSet<SkillKey> =
            cards.iter().filter(|(_, card)| card.is_blocked()).map(|(name, _)| name.clone()).collect();
        let (allowed, approved) = (self.signers(&mut warnings)?, add::approved(answers, &blocked));
        let mut addings = Vec::new();
        for (source, fetched) in &got {
            addings.push(Adding {
                source,
                fetched,
                folders: &folders,
                mode: Mode::Copy,
                approved: &approved,
                suspect: &blocked,
                signing: self.signing(&allowed, None),
            });
        }
        let plan = plan_add_all(&addings, &lock, &self.site, &self.store)?;
        let plan = self.new_plan(plan, ApprovedBy::Installed)?.with_cards(cards).with_warnings(warnings);
        Ok((plan.without_refused(), missed))
    }

    fn npm_skills(&self) -> Result<Imported, LibraryError> {
        let (path, _) = self.npm_lock();
        let other = match self.site.reach {
            Reach::User => "without --global: what npm skills installed for this project",
            Reach::Project => "--global: what npm skills installed for you in every project",
        };
        import_file(&path)?.ok_or_else(|| {
            LibraryError::new(format!(
                "npm skills has installed nothing here: `{}` does not exist",
                path_text(&path)
            ))
            .fix("skillful add SOURCE installs without a lock of npm skills")
            .fix(other)
        })
    }

    /// Every folder in which an agent reads skills, that of npm first.
    fn every_folder(&self) -> Vec<TreePath> {
        let Environment { home, variables, .. } = self.workspace.environment();
        let mut folders: Vec<TreePath> =
            TreePath::new(THEIR_FOLDER, &Limits::default()).into_iter().collect();
        for agent in self.workspace.agents().iter() {
            let found = read_folders(agent, &self.site, home, variables).ok().unwrap_or_default();
            folders.extend(found.into_iter().next().filter(|folder| !folders.contains(folder)));
        }
        folders
    }
}
