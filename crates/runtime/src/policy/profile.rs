//! The tools that a manifest asks for, compared with the tools in effect. A manifest alone never adds tools.

use super::{
    Ground, ToolLists,
    grant::{Grant, Pattern},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use skillful_catalog::profile::{Scope, ToolListMode};
use skillful_format::ToolGrant;
use std::fmt;

/// Whose manifests can add to the tools in effect, when the user approves it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ManifestRule {
    /// None: what a manifest asks for is ignored.
    #[default]
    Strict,
    /// Those of the program and of the administrator.
    TrustedSource,
    /// All manifests.
    OptIn,
}

/// The tools in effect before the skill is activated.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolsInEffect {
    /// The lists in effect; no allowed list means everything where lists restrict, and nothing where
    /// they approve.
    pub lists: ToolLists,
    /// Whose manifests can add to them.
    pub rule: ManifestRule,
}

/// What a manifest asks for.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Its lists.
    pub lists: &'a ToolLists,
    /// Whose skill it is.
    pub scope: Scope,
    /// Whether the user approved exactly this, after seeing the difference.
    pub opt_in: bool,
}

/// What changes when the skill is activated. Shown before it takes effect.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    /// What would be allowed in addition, when the user approves it.
    pub wider: Vec<String>,
    /// Whether that takes effect.
    pub widened: bool,
    /// Why not, when it does not.
    pub withheld: Option<String>,
    /// What is allowed now and would not be.
    pub narrower: Vec<String>,
    /// What is forbidden from now on.
    pub forbidden: Vec<String>,
    /// Whether everything is allowed now and only a list would be.
    pub closes: Option<Vec<String>>,
}

impl ToolsInEffect {
    /// What is in effect with the skill, and how that differs from now.
    pub fn with(&self, request: Request<'_>, ground: &Ground) -> (ToolLists, Difference) {
        let mut difference = Difference::default();
        let mut lists = self.lists.clone();
        for entry in &request.lists.disallowed {
            if !lists.disallowed.contains(entry) {
                difference.forbidden.push(entry.to_string());
                lists.disallowed.push(entry.clone());
            }
        }
        let trusted = matches!(request.scope, Scope::System | Scope::Managed);
        let heard = match self.rule {
            ManifestRule::Strict => false,
            ManifestRule::TrustedSource => trusted,
            ManifestRule::OptIn => true,
        };
        let Some(asked) = &request.lists.allowed else { return (lists, difference) };
        if ground.mode == ToolListMode::Ignored {
            return (lists, difference);
        }
        // Where a list approves, no list approves nothing, and another's list takes nothing away.
        let approves = ground.mode == ToolListMode::Preapprove;
        let none = Vec::new();
        let Some(now) = self.lists.allowed.as_ref().or(approves.then_some(&none)) else {
            // Everything is allowed now, so a list can only narrow; that needs no approval.
            difference.closes = Some(words(asked));
            lists.allowed = Some(asked.clone());
            return (lists, difference);
        };
        let covered =
            |narrow: &ToolGrant, by: &[ToolGrant]| by.iter().any(|wide| within(narrow, wide, ground));
        let (inside, outside): (Vec<ToolGrant>, Vec<ToolGrant>) =
            asked.iter().cloned().partition(|entry| covered(entry, now));
        difference.wider = words(&outside);
        if !outside.is_empty() {
            difference.widened = heard && request.opt_in;
            difference.withheld = match (heard, request.opt_in) {
                (true, true) => None,
                (true, false) => Some("the user has not approved it yet".to_owned()),
                (false, _) if self.rule == ManifestRule::Strict => {
                    Some("manifests do not add tools in strict mode".to_owned())
                }
                (false, _) => Some(format!("{} skills do not add tools here", request.scope.word())),
            };
        }
        let mut kept = if approves { now.clone() } else { inside };
        if difference.widened {
            kept.extend(outside);
        }
        difference.narrower =
            words(&now.iter().filter(|entry| !covered(entry, &kept)).cloned().collect::<Vec<_>>());
        lists.allowed = Some(kept);
        (lists, difference)
    }
}

/// Whether an entry adds nothing to another, as far as can be proven.
fn within(narrow: &ToolGrant, wide: &ToolGrant, ground: &Ground) -> bool {
    let read = |entry| Grant::read(entry, &ground.aliases, &ground.place);
    match (read(narrow), read(wide)) {
        (Some(narrow), Some(wide)) => !matches!(wide.pattern, Pattern::Unreadable) && narrow.within(&wide),
        _ => narrow == wide,
    }
}

fn words(entries: &[ToolGrant]) -> Vec<String> {
    entries.iter().map(ToolGrant::to_string).collect()
}

impl Difference {
    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("the skill changes nothing about tools");
        }
        let mut lines = Vec::new();
        if let Some(list) = &self.closes {
            let list =
                if list.is_empty() { "no tools".to_owned() } else { format!("only {}", list.join(", ")) };
            lines.push(format!("now every tool is allowed; the skill leaves {list}"));
        }
        if !self.wider.is_empty() {
            let list = self.wider.join(", ");
            lines.push(match &self.withheld {
                None => format!("the skill adds {list}"),
                Some(why) => format!("the skill asks for {list}, which is not given: {why}"),
            });
        }
        if !self.narrower.is_empty() {
            lines.push(format!("the skill does without {}", self.narrower.join(", ")));
        }
        if !self.forbidden.is_empty() {
            lines.push(format!("the skill forbids {}", self.forbidden.join(", ")));
        }
        f.write_str(&lines.join("\n"))
    }
}
