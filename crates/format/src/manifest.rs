//! The decoded frontmatter: one struct with every field of every supported agent.

use crate::yaml::Data;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::{
    borrow::Cow,
    ops::{Deref, DerefMut},
    sync::LazyLock,
};

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

/// Declares the fields once: those that many skills have are in the manifest itself, the others in a part of their own,
/// which takes no memory where all of them are absent.
macro_rules! manifest {
    (
        common { $($(#[$common_doc:meta])* $common:ident: $common_type:ty,)* }
        rare { $($(#[$rare_doc:meta])* $rare:ident: $rare_type:ty,)* }
    ) => {
        /// Decoded frontmatter. Absent fields are `None` or empty. The struct does not know which file it
        /// came from. The fields of [`RareFields`] are read and written like its own.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Manifest {
            $($(#[$common_doc])* pub $common: $common_type,)*
            /// The fields that few skills have.
            pub rare: Rare,
        }

        /// The fields of a [`Manifest`] that few skills have.
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        pub struct RareFields {
            $($(#[$rare_doc])* pub $rare: $rare_type,)*
        }

        /// The manifest as one mapping, as JSON has it.
        #[derive(Serialize, JsonSchema)]
        #[serde(rename = "Manifest")]
        #[schemars(description = "Decoded frontmatter. Absent fields are `None` or empty. The struct does not know which file it\ncame from.")]
        struct Flat<'a> {
            $($(#[$common_doc])* $common: &'a $common_type,)*
            $($(#[$rare_doc])* $rare: &'a $rare_type,)*
        }

        /// The same, read.
        #[derive(Deserialize)]
        #[serde(rename = "Manifest")]
        struct OwnedFlat {
            $($common: $common_type,)*
            $($rare: $rare_type,)*
        }

        /// The manifest as a cache file has it.
        #[derive(Serialize)]
        struct Compact<'a> {
            $($common: &'a $common_type,)*
            rare: &'a Rare,
        }

        /// The same, read.
        #[derive(Deserialize)]
        struct OwnedCompact {
            $($common: $common_type,)*
            rare: Rare,
        }

        impl Serialize for Manifest {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let Self { $($common,)* rare } = self;
                if serializer.is_human_readable() {
                    let RareFields { $($rare,)* } = &**rare;
                    return Flat { $($common,)* $($rare,)* }.serialize(serializer);
                }
                Compact { $($common,)* rare }.serialize(serializer)
            }
        }

        impl<'de> Deserialize<'de> for Manifest {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                if deserializer.is_human_readable() {
                    let OwnedFlat { $($common,)* $($rare,)* } = OwnedFlat::deserialize(deserializer)?;
                    return Ok(Self { $($common,)* rare: RareFields { $($rare,)* }.into() });
                }
                let OwnedCompact { $($common,)* rare } = OwnedCompact::deserialize(deserializer)?;
                Ok(Self { $($common,)* rare })
            }
        }
    };
}

manifest! {
    common {
        /// The name of the skill, as written.
        name: Option<String>,
        /// What the skill does and when to use it; always in the menu.
        description: Option<String>,
        /// Licence name or file.
        license: Option<String>,
        /// Product, packages and network that the skill needs, as free text.
        compatibility: Option<String>,
        /// Version, as written.
        version: Option<String>,
        /// Tools that the skill may use; `None` when the frontmatter does not list any.
        allowed_tools: Option<Vec<ToolGrant>>,
        /// Text to show after the slash command.
        argument_hint: Option<String>,
        /// Never offer the skill to a model.
        disable_model_invocation: bool,
        /// Whether a user may call the skill by name.
        user_invocable: bool,
        /// Words that describe when the skill applies; documentation only, never used for selection.
        triggers: Vec<String>,
        /// Free-form data of the author.
        metadata: Vec<(String, Data)>,
        /// Unknown keys, in order, whatever their type.
        extra: Vec<(String, Data)>,
    }
    rare {
        /// A longer hint about when to use the skill.
        when_to_use: Option<String>,
        /// Tools that the skill must not use.
        disallowed_tools: Vec<ToolGrant>,
        /// Names of positional arguments.
        arguments: Vec<String>,
        /// Model to use.
        model: Option<String>,
        /// Class of model: balanced, smart, coding, deep.
        model_tier: Option<String>,
        /// Reasoning effort.
        effort: Option<String>,
        /// Run as a sub-agent with a context of its own.
        context_fork: bool,
        /// Kind of sub-agent.
        agent: Option<String>,
        /// Whether a fork runs in the background.
        background: Option<bool>,
        /// Shell for preprocessing.
        shell: Option<String>,
        /// Globs of files for which the skill is selected.
        paths: Vec<String>,
        /// Select the skill in every turn.
        always_include: bool,
        /// Kinds of turn for which the skill is selected.
        source_types: Vec<String>,
        /// Extensions of attachments for which the skill is selected.
        file_types: Vec<String>,
        /// Kinds of agent resources that must exist before the skill is offered.
        resource_types: Vec<String>,
        /// Skills that are loaded together with this one.
        companion_skills: Vec<String>,
        /// Skills that must not be active together with this one.
        exclude_skills: Vec<String>,
        /// Leave the memory out of the prompt.
        exclude_memory: bool,
        /// Leave the persona out of the prompt.
        exclude_persona: bool,
        /// Leave the resources out of the prompt.
        exclude_resources: bool,
        /// Packages that must be installed.
        dependencies: Vec<String>,
        /// Variables, programs and skills that the skill requires.
        requires: Requires,
        /// Capabilities the agent must have.
        requires_capability: Vec<String>,
        /// For administrators only.
        admin_only: bool,
        /// Available only where the operator enabled it.
        experimental: bool,
        /// The skill includes a program of its own.
        cli: bool,
        /// Environment variables for the skill's programs, each with its source.
        env: Vec<EnvSpec>,
        /// Variables that the skill declares.
        vars: Vec<(String, Variable)>,
        /// MCP server that the skill includes.
        mcp: Option<McpServer>,
        /// Skill to run after a final answer.
        next_skill: Option<String>,
        /// Skills that may run afterwards, by label.
        conditional_next_skills: Vec<(String, String)>,
        /// Hooks by event, as written; crate `runtime` decodes them.
        hooks: Option<Data>,
        /// For an operator override: `replace` removes the gates of the skill it overrides.
        override_mode: Option<String>,
        /// Gates that could not be read. While this list is not empty, the skill is available to no
        /// one.
        closed_gates: Vec<String>,
    }
}

/// The fields of a manifest that few skills have; none takes no memory.
#[derive(Clone, Debug, Default, Eq, Serialize, Deserialize)]
pub struct Rare(Option<Box<RareFields>>);

static NO_RARE_FIELDS: LazyLock<RareFields> = LazyLock::new(RareFields::default);

impl Deref for Rare {
    type Target = RareFields;

    fn deref(&self) -> &RareFields {
        self.0.as_deref().unwrap_or(&NO_RARE_FIELDS)
    }
}

impl DerefMut for Rare {
    fn deref_mut(&mut self) -> &mut RareFields {
        self.0.get_or_insert_default()
    }
}

impl PartialEq for Rare {
    fn eq(&self, other: &Self) -> bool {
        self.0.is_none() && other.0.is_none() || **self == **other
    }
}

impl From<RareFields> for Rare {
    fn from(fields: RareFields) -> Self {
        Self((fields != *NO_RARE_FIELDS).then(|| Box::new(fields)))
    }
}

impl Deref for Manifest {
    type Target = RareFields;

    fn deref(&self) -> &RareFields {
        &self.rare
    }
}

impl DerefMut for Manifest {
    fn deref_mut(&mut self) -> &mut RareFields {
        &mut self.rare
    }
}

impl JsonSchema for Manifest {
    fn schema_name() -> Cow<'static, str> {
        "Manifest".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Flat::json_schema(generator)
    }
}

impl Default for Manifest {
    fn default() -> Self {
        Self {
            name: None,
            description: None,
            license: None,
            compatibility: None,
            version: None,
            allowed_tools: None,
            argument_hint: None,
            disable_model_invocation: false,
            user_invocable: true,
            triggers: Vec::new(),
            metadata: Vec::new(),
            extra: Vec::new(),
            rare: Rare::default(),
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
