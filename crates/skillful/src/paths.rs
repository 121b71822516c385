//! Where Skillful keeps its own things: XDG folders, or all below `SKILLFUL_HOME`.

use skillful_catalog::variables::SHARED_FILE;
use skillful_registry::{sign::ALLOWED_FILE, sources::SOURCES_FILE, trusted_folders::TRUST_FILE};
use skillful_runtime::authored_skills::AuthoredSkills;
use std::{collections::BTreeMap, path::PathBuf};

/// The folders and files of one user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    /// The one configuration file.
    pub config: PathBuf,
    /// The administrator's configuration file.
    pub managed_config: PathBuf,
    /// Agent profiles that the user added.
    pub agents: PathBuf,
    /// Values of variables that skills declare.
    pub variables: PathBuf,
    /// Trusted folders.
    pub trust: PathBuf,
    /// What must survive.
    pub data: PathBuf,
    /// What may be deleted at any time.
    pub cache: PathBuf,
    /// The user's own skills, which approved proposals join.
    pub own_skills: PathBuf,
    /// Where the folders come from, for `skillful config`.
    pub origin: &'static str,
}

impl Paths {
    /// The signers that the user knows, in OpenSSH's own format.
    pub fn allowed_signers(&self) -> PathBuf {
        self.config.with_file_name(ALLOWED_FILE)
    }

    /// The sources that the user configured.
    pub fn sources(&self) -> PathBuf {
        self.config.with_file_name(SOURCES_FILE)
    }

    /// The content store.
    pub fn contents(&self) -> PathBuf {
        self.data.join("contents")
    }

    /// Skills that models proposed.
    pub fn proposed(&self) -> PathBuf {
        self.data.join("proposed")
    }

    /// The folders of skills that the assistant wrote.
    pub fn authored_skills(&self) -> AuthoredSkills {
        AuthoredSkills {
            proposed: self.proposed(),
            own: self.own_skills.clone(),
            archive: self.data.join("archive"),
        }
    }

    /// From the variables of the process.
    pub fn new(variables: &BTreeMap<String, String>, home: &std::path::Path) -> Self {
        let set = |name: &str| {
            variables
                .get(name)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        let managed_config = PathBuf::from("/etc/skillful/config.toml");
        if let Some(base) = set("SKILLFUL_HOME") {
            return Self {
                config: base.join("config.toml"),
                managed_config,
                agents: base.join("agents"),
                variables: base.join(SHARED_FILE),
                trust: base.join(TRUST_FILE),
                data: base.join("data"),
                cache: base.join("cache"),
                own_skills: base.join("skills"),
                origin: "SKILLFUL_HOME",
            };
        }
        let folder =
            |name: &str, default: &str| set(name).unwrap_or_else(|| home.join(default)).join("skillful");
        let config = folder("XDG_CONFIG_HOME", ".config");
        Self {
            managed_config,
            agents: config.join("agents"),
            variables: config.join(SHARED_FILE),
            trust: config.join(TRUST_FILE),
            config: config.join("config.toml"),
            data: folder("XDG_DATA_HOME", ".local/share"),
            cache: folder("XDG_CACHE_HOME", ".cache"),
            // As our own agent file says.
            own_skills: home.join(".skillful/skills"),
            origin: "XDG",
        }
    }
}
