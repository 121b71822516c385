//! The requirements of a skill: which are met, and how to meet the others.

use schemars::JsonSchema;
use serde::Serialize;
use skillful_catalog::{
    Entry, Environment,
    gate::{Reason, Status, Verdict},
};
use skillful_select::access::{Asker, Way, admit};
use std::collections::BTreeSet;

/// One thing that a skill needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Need {
    /// What kind of thing.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// Whether it is there.
    pub met: bool,
    /// What to do when it is not.
    pub fix: Option<String>,
}

/// Everything that a skill asks for, met or not, in the order of the frontmatter.
pub fn needs(catalog: &skillful_catalog::Catalog, at: usize, asker: Asker<'_>) -> Vec<Need> {
    let entry = &catalog.entries[at];
    let reasons =
        admit(catalog, at, asker, Way::Show).err().map(|verdict| verdict.reasons).unwrap_or_default();
    let mut needs = Vec::new();
    let mut put = |kind: &'static str, name: String, met: bool, fix: &dyn Fn() -> String| {
        let fix = (!met).then(fix);
        needs.push(Need { kind, name, met, fix });
    };
    let (manifest, sidecar) = (&entry.loaded.manifest, &entry.loaded.sidecar);
    let lacks = |test: &dyn Fn(&Reason) -> bool| reasons.iter().any(test);
    for name in manifest.requires.env.iter().chain(&sidecar.requires.env) {
        let missing = lacks(&|reason| matches!(reason, Reason::MissingVariable { name: one } if one == name));
        put("variable", name.clone(), !missing, &|| format!("export {name}=…"));
    }
    let unset = missing_variables(entry, asker.environment);
    for tool in sidecar.tools.iter().filter(|tool| tool.kind == "env_var") {
        let name = &tool.value;
        let missing = unset.iter().any(|variable| variable.name == *name);
        put("variable", name.clone(), !missing, &|| format!("export {name}=…"));
    }
    for (name, variable) in &manifest.vars {
        let missing =
            lacks(&|reason| matches!(reason, Reason::MissingSkillVariable { name: one } if one == name));
        let kind = if variable.secret { "secret" } else { "variable" };
        put(kind, name.clone(), !missing, &|| {
            format!("`skillful show {} --variables` lists where it can be set", entry.address())
        });
    }
    for any_of in manifest.requires.binary.iter().chain(&sidecar.requires.binary) {
        let missing =
            lacks(&|reason| matches!(reason, Reason::MissingProgram { any_of: one } if one == any_of));
        put("program", any_of.join(" or "), !missing, &|| "install it and put it on the PATH".to_owned());
    }
    for package in &manifest.dependencies {
        let missing = lacks(&|reason| matches!(reason, Reason::MissingPackage { name } if name == package));
        put("package", package.clone(), !missing, &|| {
            let npm = package.strip_prefix("npm:").or(package.starts_with('@').then_some(package.as_str()));
            let pip = package.strip_prefix("pypi:").unwrap_or(package);
            npm.map_or_else(|| format!("pip install '{pip}'"), |npm| format!("npm install -g '{npm}'"))
        });
    }
    for name in &manifest.requires_capability {
        let missing =
            lacks(&|reason| matches!(reason, Reason::MissingCapability { name: one } if one == name));
        put("capability", name.clone(), !missing, &|| {
            format!("add `{name}` to `capabilities` in the configuration if this machine has it")
        });
    }
    for name in manifest.requires.skills.iter().chain(&sidecar.requires.skills) {
        let missing = lacks(
            &|reason| matches!(reason, Reason::MissingSkill { name: one } | Reason::RequirementCycle { name: one } if one == name),
        );
        put("skill", name.clone(), !missing, &|| {
            format!("`skillful doctor {name}` reports what is wrong with it")
        });
    }
    needs
}

/// The variables that are all that a skill lacks; the user could be asked
/// for them now. Empty when the skill lacks something else too.
pub fn askable(verdict: &Verdict) -> Vec<String> {
    if verdict.status != Status::Unavailable {
        return Vec::new();
    }
    let name = |reason: &Reason| match reason {
        Reason::MissingVariable { name } | Reason::MissingSkillVariable { name } => Some(name.clone()),
        _ => None,
    };
    verdict.reasons.iter().map(name).collect::<Option<Vec<_>>>().unwrap_or_default()
}

/// A variable that a sidecar names as a dependency (`type: env_var`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeededVariable {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub about: Option<String>,
}

/// The variables that the sidecar of a skill names and that have no value here. The skill works without them; its
/// programs and servers may not.
pub fn missing_variables(entry: &Entry, environment: &Environment) -> Vec<NeededVariable> {
    let tools = entry.loaded.sidecar.tools.iter().filter(|tool| tool.kind == "env_var");
    let missing = tools.filter(|tool| environment.variable(&tool.value).is_none_or(|value| value.is_empty()));
    missing.map(|tool| NeededVariable { name: tool.value.clone(), about: tool.description.clone() }).collect()
}

/// An MCP server that a skill depends on and that is not known here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Offer {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// How it is started.
    pub command: Option<String>,
    /// Where it listens.
    pub url: Option<String>,
}

impl Offer {
    /// Whether enough is known to add it.
    pub fn is_complete(&self) -> bool {
        self.command.is_some() || self.url.is_some()
    }
}

/// The servers that a skill depends on and that `known` does not hold.
pub fn offers(entry: &Entry, known: &BTreeSet<String>) -> Vec<Offer> {
    let (manifest, sidecar) = (&entry.loaded.manifest, &entry.loaded.sidecar);
    let declared = sidecar.tools.iter().filter(|tool| tool.kind == "mcp").map(|tool| Offer {
        name: tool.value.clone(),
        description: tool.description.clone(),
        command: tool.command.clone(),
        url: tool.url.clone(),
    });
    let named = manifest.requires.mcp.iter().chain(&sidecar.requires.mcp).map(|name| Offer {
        name: name.clone(),
        description: None,
        command: None,
        url: None,
    });
    let mut seen = BTreeSet::new();
    declared
        .chain(named)
        .filter(|offer| !known.contains(&offer.name) && seen.insert(offer.name.clone()))
        .collect()
}

/// What was offered in a session, so that the user is not asked twice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offered(BTreeSet<String>);

impl Offered {
    /// The offers that were not made yet, which counts as making them.
    pub fn once(&mut self, offers: Vec<Offer>) -> Vec<Offer> {
        offers.into_iter().filter(|offer| self.0.insert(offer.name.clone())).collect()
    }
}
