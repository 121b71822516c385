//! The tools of a sub-agent whose agent definition names them.

use crate::turn_loop::TurnLoop;
use skillful_catalog::profile::ToolListMode;
use skillful_runtime::policy::{Aliases, Ground, LOADER_TOOLS, Policy, ToolLists};
use std::collections::BTreeSet;

/// The tools that a sub-agent has.
pub(crate) struct OnlyTools {
    named: BTreeSet<String>,
    pub(crate) policy: Policy,
}

impl OnlyTools {
    pub(crate) fn offers(&self, name: &str) -> bool {
        self.named.contains(name) || LOADER_TOOLS.contains(&name)
    }
}

impl TurnLoop<'_, '_, '_, '_> {
    /// The tools that the agent definition of a sub-agent leaves it.
    pub(crate) fn only_tools(&self) -> Option<OnlyTools> {
        let grants = self.setup.only_tools?;
        let own = self.setup.tools.iter().map(|tool| tool.spec().name);
        let served = self.session.served.iter().map(|tool| tool.name.clone());
        let names: Vec<String> = own.chain(served).collect();
        let work = self.setup.work;
        let aliases = Aliases::of(&self.setup.agent.tools, &names);
        let ground = Ground { aliases: aliases.clone(), mode: ToolListMode::Restrict, ..work.ground.clone() };
        let lists = ToolLists { allowed: Some(grants.to_vec()), ..ToolLists::default() };
        let named = grants.iter().flat_map(|grant| aliases.ours(&grant.name)).collect();
        Some(OnlyTools { named, policy: Policy::of(&lists, &ground) })
    }
}
