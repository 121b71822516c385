//! The decoded frontmatter: one struct with every field of every supported agent.

use crate::yaml::Data;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

mod decode;
mod env_spec;
mod parts;
#[cfg(test)]
mod tests;
mod tool;
mod yes_no;

pub(crate) use decode::decode;
pub(crate) use env_spec::gate_key;
pub(crate) use parts::is_fork_flag;
pub use tool::ToolGrant;
pub(crate) use yes_no::{yes_no, yes_no_of_data};

/// Decoded frontmatter. Absent fields are `None` or empty. The struct does not know which file it
/// came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Manifest {
    /// The name of the skill, as written.
    pub name: Option<String>,
    /// What the skill does and when to use it; always in the menu.
    pub description: Option<String>,
    /// A longer hint about when to use the skill.
    pub when_to_use: Option<String>,
    /// Licence name or file.
    pub license: Option<String>,
    /// Product, packages and network that the skill needs, as free text.
    pub compatibility: Option<String>,
    /// Version, as written.
    pub version: Option<String>,
    /// Tools that the skill may use; `None` when the frontmatter does not list any.
    pub allowed_tools: Option<Vec<ToolGrant>>,
    /// Tools that the skill must not use.
    pub disallowed_tools: Vec<ToolGrant>,
    /// Text to show after the slash command.
    pub argument_hint: Option<String>,
    /// Names of positional arguments.
    pub arguments: Vec<String>,
    /// Never offer the skill to a model.
    pub disable_model_invocation: bool,
    /// Whether a user may call the skill by name.
    pub user_invocable: bool,
    /// Model to use.
    pub model: Option<String>,
    /// Class of model: balanced, smart, coding, deep.
    pub model_tier: Option<String>,
    /// Reasoning effort.
    pub effort: Option<String>,
    /// Run as a sub-agent with a context of its own.
    pub context_fork: bool,
    /// Kind of sub-agent.
    pub agent: Option<String>,
    /// Whether a fork runs in the background.
    pub background: Option<bool>,
    /// Shell for preprocessing.
    pub shell: Option<String>,
    /// Globs of files for which the skill is selected.
    pub paths: Vec<String>,
    /// Select the skill in every turn.
    pub always_include: bool,
    /// Words that describe when the skill applies; documentation only, never used for selection.
    pub triggers: Vec<String>,
    /// Kinds of turn for which the skill is selected.
    pub source_types: Vec<String>,
    /// Extensions of attachments for which the skill is selected.
    pub file_types: Vec<String>,
    /// Kinds of agent resources that must exist before the skill is offered.
    pub resource_types: Vec<String>,
    /// Skills that are loaded together with this one.
    pub companion_skills: Vec<String>,
    /// Skills that must not be active together with this one.
    pub exclude_skills: Vec<String>,
    /// Leave the memory out of the prompt.
    pub exclude_memory: bool,
    /// Leave the persona out of the prompt.
    pub exclude_persona: bool,
    /// Leave the resources out of the prompt.
    pub exclude_resources: bool,
    /// Packages that must be installed.
    pub dependencies: Vec<String>,
    /// Variables, programs and skills that the skill requires.
    pub requires: Requires,
    /// Capabilities the agent must have.
    pub requires_capability: Vec<String>,
    /// For administrators only.
    pub admin_only: bool,
    /// Available only where the operator enabled it.
    pub experimental: bool,
    /// The skill includes a program of its own.
    pub cli: bool,
    /// Environment variables for the skill's programs, each with its source.
    pub env: Vec<EnvSpec>,
    /// Variables that the skill declares.
    pub vars: Vec<(String, Variable)>,
    /// MCP server that the skill includes.
    pub mcp: Option<McpServer>,
    /// Skill to run after a final answer.
    pub next_skill: Option<String>,
    /// Skills that may run afterwards, by label.
    pub conditional_next_skills: Vec<(String, String)>,
    /// Hooks by event, as written; crate `runtime` decodes them.
    pub hooks: Option<Data>,
    /// For an operator override: `replace` removes the gates of the skill it overrides.
    pub override_mode: Option<String>,
    /// Free-form data of the author.
    pub metadata: Vec<(String, Data)>,
    /// Unknown keys, in order, whatever their type.
    pub extra: Vec<(String, Data)>,
    /// Gates that could not be read. While this list is not empty, the skill is available to no
    /// one.
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

/// Requirements that must be met before the skill is available.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Requires {
    /// Environment variables.
    pub env: Vec<String>,
    /// Programs on the search path; of each inner list one program suffices.
    pub binary: Vec<Vec<String>>,
    /// Other skills.
    pub skills: Vec<String>,
    /// MCP servers; a missing one is offered for installation when the skill is used.
    pub mcp: Vec<String>,
}

/// One variable that a skill declares.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Variable {
    /// Purpose of the variable.
    pub description: Option<String>,
    /// Value when no source provides one.
    pub default: Option<String>,
    /// The skill is unavailable when the variable has no value.
    pub required: bool,
    /// Never print the value.
    pub secret: bool,
    /// The value may be put into the model's text although it is secret.
    pub expose_to_model: bool,
}

/// One environment variable for a skill's programs, and its source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EnvSpec {
    /// Name of the variable.
    pub var: String,
    /// Kind of source: `config`, `secret`, `user_id`, `setup_env`, `template_file`.
    pub from: Option<String>,
    /// Dotted path of the value in the agent's configuration.
    pub config_path: Option<String>,
    /// Dotted paths of the configuration that must all be set and true.
    pub when: Vec<String>,
    /// Service that the secret belongs to.
    pub service: Option<String>,
    /// Name of the secret within the service.
    pub key: Option<String>,
    /// File that is copied for users who do not have one yet.
    pub template: Option<String>,
    /// The agent's function that returns the path of that copy.
    pub user_path_fn: Option<String>,
    /// Variable of the operator to use when the source has no value.
    pub fallback_var: Option<String>,
    /// Conditions that only the agent can evaluate: `gate_x: true` is `x`.
    pub gates: Vec<String>,
    /// Keep the variable out of the model's environment.
    pub sensitive: bool,
    /// Only for programs that the credential proxy runs.
    pub proxy_only: bool,
    /// The remaining keys as written.
    pub rest: Vec<(String, Data)>,
}

/// An MCP server that a skill includes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
