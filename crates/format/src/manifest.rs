//! What a header says, typed: one struct that holds every field of every united system.

use crate::yaml::Data;
use serde::{Deserialize, Serialize};

mod decode;
mod env_spec;
mod parts;
#[cfg(test)]
mod tests;
mod tool;
mod truth;

pub(crate) use decode::decode;
pub(crate) use env_spec::gate_key;
pub(crate) use parts::is_fork_flag;
pub use tool::ToolGrant;
pub(crate) use truth::{truth, truth_of_data};

/// A header, decoded. Absent fields are `None` or empty; nothing here knows where it was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The handle, as written.
    pub name: Option<String>,
    /// What it does and when to use it; always in the model's view.
    pub description: Option<String>,
    /// A richer hint about when to use it.
    pub when_to_use: Option<String>,
    /// Licence name or file.
    pub license: Option<String>,
    /// Product, packages and network the skill needs, in words.
    pub compatibility: Option<String>,
    /// Version, as written.
    pub version: Option<String>,
    /// Tools the skill may use; `None` when it does not say.
    pub allowed_tools: Option<Vec<ToolGrant>>,
    /// Tools the skill must not use.
    pub disallowed_tools: Vec<ToolGrant>,
    /// What to show behind the slash command.
    pub argument_hint: Option<String>,
    /// Names of positional arguments.
    pub arguments: Vec<String>,
    /// Never offered to a model.
    pub disable_model_invocation: bool,
    /// Whether a person may call it by name.
    pub user_invocable: bool,
    /// Model to use.
    pub model: Option<String>,
    /// Class of model: balanced, smart, coding, deep.
    pub model_tier: Option<String>,
    /// Reasoning effort.
    pub effort: Option<String>,
    /// Runs as a sub-agent with a context of its own.
    pub context_fork: bool,
    /// Kind of sub-agent.
    pub agent: Option<String>,
    /// Whether a fork runs in the background.
    pub background: Option<bool>,
    /// Shell for preprocessing.
    pub shell: Option<String>,
    /// Globs of files that make it apply.
    pub paths: Vec<String>,
    /// Applies to every turn.
    pub always_include: bool,
    /// Words that describe when it applies; documentation, never a selector.
    pub triggers: Vec<String>,
    /// Kinds of turn that make it apply.
    pub source_types: Vec<String>,
    /// Extensions of attachments that make it apply.
    pub file_types: Vec<String>,
    /// Kinds of agent resources it needs to be offered.
    pub resource_types: Vec<String>,
    /// Skills that come along.
    pub companion_skills: Vec<String>,
    /// Skills that must not be active beside it.
    pub exclude_skills: Vec<String>,
    /// Leaves the memory out of the prompt.
    pub exclude_memory: bool,
    /// Leaves the persona out of the prompt.
    pub exclude_persona: bool,
    /// Leaves the resources out of the prompt.
    pub exclude_resources: bool,
    /// Packages that must be installed.
    pub dependencies: Vec<String>,
    /// Variables, programs and skills that must be there.
    pub requires: Requires,
    /// Capabilities the agent must have.
    pub requires_capability: Vec<String>,
    /// For administrators only.
    pub admin_only: bool,
    /// Only where the operator switched it on.
    pub experimental: bool,
    /// Brings a program of its own.
    pub cli: bool,
    /// Environment it wants, each with its source.
    pub env: Vec<EnvSpec>,
    /// Variables it declares.
    pub vars: Vec<(String, Variable)>,
    /// MCP server it brings.
    pub mcp: Option<McpServer>,
    /// Skill that follows a final answer.
    pub next_skill: Option<String>,
    /// Skills that may follow, by label.
    pub conditional_next_skills: Vec<(String, String)>,
    /// Hooks by event, as written; the runtime gives them types.
    pub hooks: Option<Data>,
    /// For an operator override: `replace` gives up the gates of what it overrides.
    pub override_mode: Option<String>,
    /// Free data of the author.
    pub metadata: Vec<(String, Data)>,
    /// Keys that nobody knows, in order, kept whatever their type.
    pub extra: Vec<(String, Data)>,
    /// Gates that could not be read. As long as one is here the skill is for nobody.
    pub closed_gates: Vec<String>,
}

impl Default for Manifest {
    fn default() -> Self {
        Self {
            user_invocable: true,
            name: None,
            description: None,
            when_to_use: None,
            license: None,
            compatibility: None,
            version: None,
            allowed_tools: None,
            disallowed_tools: Vec::new(),
            argument_hint: None,
            arguments: Vec::new(),
            disable_model_invocation: false,
            model: None,
            model_tier: None,
            effort: None,
            context_fork: false,
            agent: None,
            background: None,
            shell: None,
            paths: Vec::new(),
            always_include: false,
            triggers: Vec::new(),
            source_types: Vec::new(),
            file_types: Vec::new(),
            resource_types: Vec::new(),
            companion_skills: Vec::new(),
            exclude_skills: Vec::new(),
            exclude_memory: false,
            exclude_persona: false,
            exclude_resources: false,
            dependencies: Vec::new(),
            requires: Requires::default(),
            requires_capability: Vec::new(),
            admin_only: false,
            experimental: false,
            cli: false,
            env: Vec::new(),
            vars: Vec::new(),
            mcp: None,
            next_skill: None,
            conditional_next_skills: Vec::new(),
            hooks: None,
            override_mode: None,
            metadata: Vec::new(),
            extra: Vec::new(),
            closed_gates: Vec::new(),
        }
    }
}

/// What must be there before the skill is available.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Requires {
    /// Environment variables.
    pub env: Vec<String>,
    /// Programs on the search path; each inner list is a choice of which one suffices.
    pub binary: Vec<Vec<String>>,
    /// Other skills.
    pub skills: Vec<String>,
    /// MCP servers; a missing one is offered for installation when the skill is used.
    pub mcp: Vec<String>,
}

/// One variable a skill declares.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variable {
    /// What it is for.
    pub description: Option<String>,
    /// Value when no source has one.
    pub default: Option<String>,
    /// Without a value the skill is unavailable.
    pub required: bool,
    /// Never shown.
    pub secret: bool,
    /// May be put into the model's text although it is secret.
    pub expose_to_model: bool,
}

/// One environment variable a skill's program gets, and from where.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnvSpec {
    /// Name of the variable.
    pub var: String,
    /// Kind of source: `config`, `secret`, `user_id`, `setup_env`, `template_file`.
    pub from: Option<String>,
    /// Dotted path of the value in the agent's configuration.
    pub config_path: Option<String>,
    /// Dotted paths of the configuration that must all be set and true.
    pub when: Vec<String>,
    /// Service whose secret it is.
    pub service: Option<String>,
    /// Name of the secret within the service.
    pub key: Option<String>,
    /// File that is copied for the person when they have none yet.
    pub template: Option<String>,
    /// How the agent finds the place of that copy.
    pub user_path_fn: Option<String>,
    /// Variable of the operator that serves when the source has nothing.
    pub fallback_var: Option<String>,
    /// Conditions that only the agent can judge: `gate_x: true` is `x`.
    pub gates: Vec<String>,
    /// Never in the model's environment.
    pub sensitive: bool,
    /// Only for programs run by the credential proxy.
    pub proxy_only: bool,
    /// The remaining keys as written.
    pub rest: Vec<(String, Data)>,
}

/// An MCP server a skill brings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpServer {
    /// Command line of a stdio server.
    pub command: Option<String>,
    /// Further arguments.
    pub args: Vec<String>,
    /// Address of an HTTP server.
    pub url: Option<String>,
    /// Environment, with `${VAR}` placeholders.
    pub env: Vec<(String, String)>,
    /// Seconds to wait for the start.
    pub startup_timeout: Option<u32>,
    /// Minutes without a call before it is stopped.
    pub idle_timeout: Option<u32>,
    /// The remaining keys as written.
    pub rest: Vec<(String, Data)>,
}
