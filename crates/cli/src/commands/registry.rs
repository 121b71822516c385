//! What the installing commands share: where is installed, and showing, asking for and carrying out a plan.

mod show;

use super::printed;
use crate::{
    args::WhereArgs,
    calendar,
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    output::{harmless, tell},
    prompt,
    report::card,
    shape,
};
use serde_json::json;
use skillful_catalog::{Environment, roots::repository_of};
use skillful_format::TreePath;
use skillful_registry::{
    Contents, Hand, Lock,
    fetch::{Bounds, Outside},
    install::{self, Action, Plan, PlanStep, Reach, Site},
    lock::{
        LOCK_FILE, SkillKey,
        npm::{self, NpmFile},
    },
    review::Card,
};
use skillful_runtime::installed::Installed;
use std::{
    borrow::Cow,
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    time::Duration,
};

/// How often a command is done when others keep being faster, and how much longer it waits each time.
const TURNS: u32 = 32;
const PAUSE: Duration = Duration::from_millis(5);

/// Where is installed, and with what.
pub(crate) struct Desk {
    pub site: Site,
    pub contents: Contents,
    pub lock: Lock,
    pub hand: Hand,
    /// What is shown of skills that nobody saw yet.
    pub cards: BTreeMap<SkillKey, Card>,
    agents: OnceCell<BTreeSet<TreePath>>,
}

impl Desk {
    /// For a person, or for the project around the working folder.
    pub(crate) fn open(context: &Context, global: bool) -> Result<Self, Failure> {
        let site = Self::site(context, global);
        let hand = Hand::default();
        let contents = Contents::open(&Self::store(context), hand.clone()).map_err(refused)?;
        let lock = Lock::load(&site.lock).map_err(refused)?;
        Ok(Self { site, contents, lock, hand, cards: BTreeMap::new(), agents: OnceCell::new() })
    }

    /// Where that is.
    pub(crate) fn site(context: &Context, global: bool) -> Site {
        let environment = context.workspace.environment();
        if global {
            Site::person(environment.home.clone(), context.workspace.paths().data.clone())
        } else {
            Site::project(repository_of(&environment.cwd).unwrap_or(&environment.cwd).to_path_buf())
        }
    }

    /// The folder of the skill store.
    pub(crate) fn store(context: &Context) -> PathBuf {
        context.workspace.paths().data.join("contents")
    }

    /// What a fetch may use.
    pub(crate) fn outside(&self, context: &Context) -> Outside {
        outside_of(context, &self.site)
    }

    /// Shows the plan, asks, and carries it out.
    pub(crate) fn perform(&self, context: &Context, place: &WhereArgs, plan: &Plan) -> Outcome {
        self.perform_after(context, place, plan, &|| Ok(()))
    }

    /// The same, with something that must be done after the yes and before all else.
    pub(crate) fn perform_after(
        &self,
        context: &Context,
        place: &WhereArgs,
        plan: &Plan,
        first: &dyn Fn() -> Result<(), Failure>,
    ) -> Outcome {
        let plan = &*self.bounded(context, plan);
        let is_refused = plan.refused().next().is_some();
        if context.output.json {
            let done = if is_refused || place.dry_run || !place.yes {
                None
            } else {
                first()?;
                Some(self.apply(context, plan)?)
            };
            printed(context.output.print_json(&json!({
                "schema": shape::SCHEMA,
                "lock": self.site.lock.join(LOCK_FILE),
                "steps": plan.steps.iter().map(|step| self.step_json(step, plan)).collect::<Vec<_>>(),
                "cards": self.cards.iter().map(|(name, card)| (name.to_string(), card::json(card))).collect::<serde_json::Map<_, _>>(),
                "done": done.is_some(),
                "left": done.map(|done| done.left).unwrap_or_default(),
            })))?;
            return Ok(if is_refused { Exit::Findings } else { Exit::Clean });
        }
        printed(context.output.print(&self.plan_text(context, plan)))?;
        if is_refused {
            return Err(Failure::new("nothing was changed, since not all of it can be done"));
        }
        if place.dry_run {
            return Ok(Exit::Clean);
        }
        if plan.is_done() {
            printed(context.output.print("nothing to do\n"))?;
            return Ok(Exit::Clean);
        }
        if !place.yes {
            if !prompt::is_possible() {
                return Err(Failure::usage("nothing was changed, since nobody is here to agree")
                    .hint("agree with --yes, or look with --dry-run"));
            }
            if !prompt::yes("do this?").map_err(failed("ask"))? {
                return Err(Failure::new("nothing was changed"));
            }
        }
        first()?;
        let done = self.apply(context, plan)?;
        let mut told = String::new();
        for left in &done.left {
            told.push_str(&format!("an earlier run left {}; look into it\n", context.short(left)));
        }
        let held = plan.steps.iter().any(|step| step.action == Action::Hold);
        told.push_str(&if done.lock_written {
            format!("done; noted in {}\n", context.short(&self.site.lock.join(LOCK_FILE)))
        } else {
            "done\n".to_owned()
        });
        if held {
            told.push_str("next: `skillful review` shows what is held back, and asks\n");
        }
        printed(context.output.print(&told))?;
        Ok(Exit::Clean)
    }

    /// Where agents read skills at this site; nothing else is ever written to.
    pub(crate) fn agents(&self, context: &Context) -> &BTreeSet<TreePath> {
        self.agents.get_or_init(|| {
            let agents = context.workspace.agents();
            let Environment { home, variables, .. } = context.workspace.environment();
            install::skills_folders(agents.iter(), &self.site, home, variables)
        })
    }

    /// A plan that keeps to them.
    fn bounded<'p>(&self, context: &Context, plan: &'p Plan) -> Cow<'p, Plan> {
        let agents = self.agents(context);
        if plan.keeps_to(agents) {
            return Cow::Borrowed(plan);
        }
        let mut plan = plan.clone();
        plan.keep_to(agents);
        Cow::Owned(plan)
    }

    pub(crate) fn apply(&self, context: &Context, plan: &Plan) -> Result<install::Done, Failure> {
        let plan = &*self.bounded(context, plan);
        let unaccepted = self.unaccepted(context, plan)?;
        let done = install::apply(plan, &self.site, &self.contents, &self.hand).map_err(|error| {
            let again = matches!(error, install::InstallError::LockChanged);
            Failure { again, ..refused(error) }
        })?;
        // What only changed hands is for them as it was.
        if !done.changed.is_empty() {
            self.tell_neighbours(context, plan);
        }
        // Activation asks again whether a skill is what was installed.
        let placed = done.placed.iter().filter(|(path, _)| !unaccepted.contains(path)).cloned();
        // What was in its place already is ours from now on.
        let is_new =
            |step: &&PlanStep| step.action == Action::Keep && !plan.before.skills.contains_key(&step.name);
        let kept = plan.steps.iter().filter(is_new);
        let kept = kept.filter_map(|step| Some((self.site.path(&step.place), step.tree()?)));
        let placed: Vec<_> = placed.chain(kept).collect();
        let placed: Vec<_> = placed.iter().map(|(path, tree)| (path.as_path(), tree.to_string())).collect();
        if !placed.is_empty() {
            Installed::note_known(&context.workspace.paths().data, placed)
                .map_err(failed("note what was installed"))?;
        }
        Ok(done)
    }

    /// Places with changes that nobody accepted yet: a merge with a new version does not accept them either.
    fn unaccepted(&self, context: &Context, plan: &Plan) -> Result<BTreeSet<PathBuf>, Failure> {
        let merged = plan.steps.iter().filter(|step| step.action == Action::Merge);
        let places: Vec<PathBuf> = merged.map(|step| self.site.path(&step.place)).collect();
        if places.is_empty() {
            return Ok(BTreeSet::new());
        }
        let installed =
            Installed::read(&context.workspace.paths().data).map_err(failed("read what was installed"))?;
        Ok(places.into_iter().filter(|place| installed.check(place).is_err()).collect())
    }

    /// Where npm `skills` would have its lock for the same place.
    pub(crate) fn npm_lock(&self, context: &Context) -> (PathBuf, NpmFile) {
        let environment = context.workspace.environment();
        let [of_project, of_person] = npm::NPM_LOCK_FILES;
        match self.site.reach {
            Reach::Project => (self.site.base.join(of_project), NpmFile::Project),
            Reach::Person => {
                let state = environment.variables.get("XDG_STATE_HOME").filter(|folder| !folder.is_empty());
                let folder = match state {
                    Some(state) => PathBuf::from(state).join("skills"),
                    None => environment.home.join(".agents"),
                };
                (folder.join(of_person), NpmFile::Person)
            }
        }
    }

    /// Keeps a lock of npm `skills` in step, when there is one. Ours is whole already, so that a failure is told
    /// and no more.
    fn tell_neighbours(&self, context: &Context, plan: &Plan) {
        let (path, file) = self.npm_lock(context);
        let locks = (&plan.before, &plan.after);
        match npm::keep_file_in_step(&path, file, locks, &self.contents, &self.hand, &calendar::timestamp()) {
            Ok(losses) => {
                for loss in losses {
                    let (what, why) = (harmless(&loss.what), harmless(&loss.why));
                    tell(&format!("warning: {}: {what}: {why}\n", context.short(&path)));
                }
            }
            Err(error) => tell(&format!("warning: {}\n", harmless(&error.to_string()))),
        }
    }
}

/// What a fetch for a site may use.
pub(crate) fn outside_of(context: &Context, site: &Site) -> Outside {
    Outside {
        base: site.base.clone(),
        home: context.workspace.environment().home.clone(),
        variables: context.workspace.environment().variables.clone(),
        scratch: context.workspace.paths().cache.join("fetch"),
        bounds: Bounds::default(),
        web: super::catalog::web(context),
    }
}

/// Does an installing command again when somebody else installed between its plan and its work, which a person who
/// is asked would rather see.
pub(crate) fn in_turn(args: &WhereArgs, mut work: impl FnMut() -> Outcome) -> Outcome {
    for turn in 1..TURNS {
        match work() {
            Err(failure) if failure.again && args.yes => {
                tell("somebody else installed meanwhile; once more\n");
                std::thread::sleep(PAUSE * turn);
            }
            done => return done,
        }
    }
    work()
}

/// A failure of the registry, whose errors are sentences already.
pub(crate) fn refused(error: impl std::fmt::Display) -> Failure {
    Failure::new(harmless(&error.to_string()))
}

/// The name of an installed skill.
pub(crate) fn key(name: &str) -> Result<SkillKey, Failure> {
    name.parse().map_err(|why| Failure::usage(format!("`{}` {why}", harmless(name))))
}
