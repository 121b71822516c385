//! What the commands of skills may do in a workspace, and the sandbox that limits them.

use crate::workspace::Workspace;
use skillful_catalog::{AgentProfile, profile::ToolListMode};
use skillful_format::ToolGrant;
use skillful_runtime::{
    BodyExecution,
    policy::{Ground, ManifestRule, PathBase, ToolsInEffect},
    room::{Grants, Run, Sandbox},
};
use skillful_sandbox::{Require, Tier};
use std::collections::BTreeMap;

/// What a caller decides about the commands of skills.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExecutionOptions {
    /// Runs commands without a sandbox: they can read and change all that the user can.
    pub allow_unsandboxed: bool,
    /// The user agreed to the tools that this skill asks for.
    pub grant: bool,
}

/// Limits and sandbox for the commands of skills.
#[derive(Debug)]
pub struct Execution {
    /// What the user allows.
    pub grants: Grants,
    ground: Ground,
    in_effect: ToolsInEffect,
    opt_in: bool,
    /// What holds commands.
    pub sandbox: Sandbox,
    commands: bool,
}

impl Workspace {
    /// The limits of this workspace. Probes no sandbox yet.
    pub fn execution(&self, options: ExecutionOptions) -> Execution {
        self.execution_as(self.as_agent(), options)
    }

    /// The same with the tool names and the list mode of an agent.
    pub fn execution_as(&self, agent: Option<&AgentProfile>, options: ExecutionOptions) -> Execution {
        let rules = &self.config().run;
        let place = PathBase {
            folder: self.environment().cwd.display().to_string(),
            home: Some(self.environment().home.display().to_string()),
        };
        let ground = match agent {
            Some(agent) => Ground::of(agent, &[], place),
            None => Ground::new(&BTreeMap::new(), &[], ToolListMode::Restrict, place),
        };
        let require = if options.allow_unsandboxed { Require::Exactly(Tier::None) } else { Require::Sandbox };
        let mut in_effect = rules.in_effect.clone();
        if let Some(agent) = agent {
            // Where a list approves, it is what its user agreed to with the skill, unless they said otherwise.
            if agent.tool_list == ToolListMode::Preapprove && !rules.manifests_named {
                in_effect.rule = ManifestRule::OptIn;
            }
            let catalog = self.catalog();
            let names = catalog.entries.iter().map(|entry| entry.name.as_str());
            let asked = skillful_agents::asked_about(agent, self.environment(), names);
            let skill = |name| ToolGrant { name: "Skill".to_owned(), pattern: Some(name) };
            in_effect.lists.asked.extend(asked.into_iter().map(skill));
        }
        Execution {
            grants: rules.grants.clone(),
            ground,
            in_effect,
            opt_in: options.grant,
            sandbox: Sandbox::new(require),
            commands: rules.commands,
        }
    }
}

impl Execution {
    /// For the activation of a skill.
    pub fn work(&self) -> BodyExecution<'_> {
        BodyExecution {
            grants: &self.grants,
            ground: &self.ground,
            in_effect: &self.in_effect,
            opt_in: self.opt_in,
            run: self.commands.then_some(&self.sandbox as &dyn Run),
        }
    }
}
