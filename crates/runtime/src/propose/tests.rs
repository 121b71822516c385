use super::*;
use skillful_catalog::{AgentProfiles, Environment, Inputs, TrustStore};

struct Place {
    settings: Settings,
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let proposed = folder.path().canonicalize().unwrap().join("proposed");
        let settings = Settings {
            custom: vec![proposed.clone()],
            proposed: Some(proposed),
            system: false,
            ..Settings::default()
        };
        Self { settings, folder }
    }

    fn catalog(&self) -> Catalog {
        let environment = Environment { cwd: self.folder.path().to_path_buf(), ..Environment::default() };
        let (agents, trust) = (AgentProfiles::embedded(), TrustStore::default());
        Catalog::build(Inputs {
            agents: &agents,
            environment: &environment,
            settings: &self.settings,
            trust: &trust,
            approvals: skillful_catalog::Approvals::none(),
        })
    }

    /// Does something with the proposals as they are now.
    fn with<T>(&self, work: impl FnOnce(&Proposals<'_, '_>) -> T) -> T {
        let catalog = self.catalog();
        work(&Proposals::new(&catalog, &self.settings))
    }
}

const MADE: Proposal<'_> =
    Proposal { name: "made", description: "Made by a model.", content: "Do it.", session: Some("s: 1") };

#[test]
fn a_proposal_names_the_session_it_comes_from() {
    let place = Place::new();
    place.with(|all| all.create(&MADE)).unwrap();
    place.with(|all| {
        let entry = all.find("made").unwrap();
        assert_eq!(session_of(&entry.loaded.manifest), Some("s: 1"));
        assert_eq!((word(entry), is_waiting(entry)), ("proposed", true));
    });
}

#[test]
fn a_pending_proposal_can_be_changed_and_one_that_the_user_enabled_cannot() {
    let mut place = Place::new();
    assert!(matches!(place.with(|all| all.update(&MADE)), Err(ProposalError::NotOurs { .. })));
    place.with(|all| all.save(&MADE)).unwrap();
    let better = Proposal { content: "Do it well.", ..MADE };
    let folder = place.with(|all| all.save(&better)).unwrap();
    assert!(fs::read_to_string(folder.join(SKILL_FILE)).unwrap().ends_with("\n\nDo it well.\n"));
    assert_eq!(fs::read_dir(folder.parent().unwrap()).unwrap().count(), 1, "nothing is left beside it");
    place.settings.rules.push(SkillRule {
        select: Select::Path(folder.join(SKILL_FILE)),
        enabled: true,
        owner: skillful_catalog::settings::RuleOwner::User,
        for_user: None,
    });
    for result in [place.with(|all| all.save(&MADE)).err(), place.with(|all| all.delete("made")).err()] {
        assert!(matches!(result, Some(ProposalError::Adopted { .. })), "{result:?}");
    }
    assert!(fs::read_to_string(folder.join(SKILL_FILE)).unwrap().ends_with("\n\nDo it well.\n"));
}
