//! A user's library on disk and who uses it.

use skillful_catalog::{
    AgentProfiles, Approvals, Catalog, Environment, Inputs, Principal, Settings, TrustStore,
    settings::{RuleOwner, Select, SkillRule},
};
use skillful_select::{
    access::Asker,
    selection::{Selection, select},
    turn::Turn,
};
use std::{path::PathBuf, sync::Arc};

pub(crate) struct Library {
    home: tempfile::TempDir,
    pub(crate) agents: AgentProfiles,
    pub(crate) settings: Settings,
    pub(crate) environment: Environment,
    pub(crate) principal: Principal,
    pub(crate) trust: TrustStore,
    pub(crate) approvals: Arc<Approvals>,
}

impl Library {
    /// Skills of the user by name, each with further lines of its frontmatter.
    pub(crate) fn new(skills: &[(&str, &str)]) -> Self {
        let home = tempfile::tempdir().unwrap();
        let base = home.path().canonicalize().unwrap();
        std::fs::create_dir_all(base.join("work/.git")).unwrap();
        let library = Self {
            agents: AgentProfiles::embedded(),
            settings: Settings { system: false, ..Settings::default() },
            environment: Environment { cwd: base.join("work"), home: base, ..Environment::default() },
            principal: Principal::default(),
            trust: TrustStore::default(),
            approvals: Arc::default(),
            home,
        };
        for (name, header) in skills {
            library.skill(".agents/skills", name, header);
        }
        library
    }

    /// A skill in any folder of skills below the home.
    pub(crate) fn skill(&self, root: &str, name: &str, header: &str) -> PathBuf {
        let text = format!("---\nname: {name}\ndescription: About {name}.\n{header}\n---\nBody of {name}.\n");
        self.file(&format!("{root}/{name}/SKILL.md"), &text)
    }

    pub(crate) fn file(&self, path: &str, text: &str) -> PathBuf {
        let file = self.path().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, text).unwrap();
        file
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.home.path().canonicalize().unwrap()
    }

    /// Switches a skill off by its name.
    pub(crate) fn disable(&mut self, name: &str) {
        let select = Select::Name(name.to_owned());
        let rule = SkillRule { select, enabled: false, owner: RuleOwner::User, for_user: None };
        self.settings.rules.push(rule);
    }

    pub(crate) fn inputs(&self) -> Inputs<'_> {
        Inputs {
            agents: &self.agents,
            environment: &self.environment,
            settings: &self.settings,
            trust: &self.trust,
            approvals: &self.approvals,
        }
    }

    pub(crate) fn catalog(&self) -> Catalog {
        Catalog::build(self.inputs())
    }

    pub(crate) fn asker(&self) -> Asker<'_> {
        Asker::new(&self.principal, &self.environment)
    }

    pub(crate) fn select(&self, catalog: &Catalog, turn: &Turn) -> Selection {
        select(catalog, turn, self.asker())
    }

    /// What is selected with its reasons, and the menu.
    #[track_caller]
    pub(crate) fn check(&self, turn: &Turn, eager: &str, menu: &[&str]) {
        let catalog = self.catalog();
        let selection = self.select(&catalog, turn);
        assert_eq!(selection.log_line(&catalog), eager);
        let names: Vec<String> = selection.menu.iter().map(|at| catalog.entries[*at].address()).collect();
        assert_eq!(names, menu);
    }
}

pub(crate) fn said(message: &str) -> Turn {
    Turn { message: message.to_owned(), ..Turn::default() }
}
